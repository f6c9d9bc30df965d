import { join } from "node:path";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

const HERE = import.meta.dirname;
const VENV = join(HERE, ".venv");

/**
 * MiniStack (S3, DynamoDB and more), installed into an environment of its own where it is not yet,
 * with nothing in it.
 *
 * @param judges whether it evaluates policies of identities and sessions.
 * @returns what is missing, where it cannot be had.
 */
export async function startMiniStack({
  judges = false,
}: {
  readonly judges?: boolean;
} = {}): Promise<StandIn | string> {
  const python = findPython();
  if (python === undefined) {
    return "MiniStack: no Python 3.10 or newer with venv (apt: python3-venv)";
  }
  await new PythonEnvironment(VENV, join(HERE, "requirements.txt")).prepare(python);
  return startStandIn((port) => ({
    name: "MiniStack",
    command: join(VENV, "bin", "ministack"),
    args: [],
    // It would listen on every interface.
    env: { BIND_HOST: "127.0.0.1", GATEWAY_PORT: String(port), ...(judges && { AUTH: "true" }) },
  }));
}
