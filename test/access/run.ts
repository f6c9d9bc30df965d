import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { add, type Counts, finish, missing, ONE_FAILED } from "../clients/counts.ts";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { ADMIN_KEY, openClockedServer } from "./clocked-server.ts";

/*
 * Real parties of authentication: an OpenID Connect provider that signs tokens, and PyIceberg,
 * whose sessions outlive their tokens. Arguments choose among them: `oidc`, `pyiceberg`.
 */

const CLIENTS = join(import.meta.dirname, "..", "clients");
const ONE_PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };

async function parties(): Promise<Counts> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", "access"];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0 ? ONE_PASSED : ONE_FAILED;
}

async function pyiceberg(): Promise<Counts> {
  const python = findPython();
  if (python === undefined) return missing("PyIceberg is not tried: no Python 3.10 with venv");
  const environment = new PythonEnvironment(
    join(CLIENTS, ".venv"),
    join(CLIENTS, "requirements.txt"),
  );
  await environment.prepare(python);
  const server = await openClockedServer();
  try {
    return await environment.pytest(join(import.meta.dirname, "pyiceberg"), [], {
      FIRN_TEST_URL: server.url,
      FIRN_TEST_CLOCK: server.clockUrl,
      FIRN_TEST_KEY: ADMIN_KEY,
    });
  } finally {
    await server.close();
  }
}

const PARTIES: Readonly<Record<string, () => Promise<Counts>>> = { oidc: parties, pyiceberg };

async function main(asked: readonly string[]): Promise<Counts> {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const name of asked.length === 0 ? Object.keys(PARTIES) : asked) {
    const party = PARTIES[name];
    if (party === undefined) throw new Error(`no such party: ${name}`);
    counts = add(counts, await party());
  }
  return counts;
}

finish(await main(process.argv.slice(2)));
