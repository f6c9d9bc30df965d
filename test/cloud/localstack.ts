import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

const HERE = import.meta.dirname;
const HOME = join(HERE, "target", "localstack");

/**
 * LocalStack's S3, installed from its packages as docs/deploy.md shows, with nothing in it.
 *
 * @returns what is missing, where it cannot be had.
 */
export async function startLocalStack(): Promise<StandIn | string> {
  const python = findPython();
  if (python === undefined) {
    return "LocalStack: no Python 3.10 or newer with venv (apt: python3-venv)";
  }
  const environment = new PythonEnvironment(HOME, join(HERE, "localstack-requirements.txt"));
  await environment.prepare(python);
  const directory = mkdtempSync(join(tmpdir(), "firn-localstack-"));
  const server = await startStandIn((port) => ({
    name: "LocalStack",
    command: environment.python,
    args: ["-m", "localstack.runtime.main"],
    env: {
      // Of an IPv4 address it minds the port alone, and listens on every interface.
      GATEWAY_LISTEN: `[::ffff:127.0.0.1]:${port}`,
      SERVICES: "s3",
      DNS_ADDRESS: "0",
      // It tells nobody that it runs, and downloads nothing.
      DISABLE_EVENTS: "1",
      SKIP_SSL_CERT_DOWNLOAD: "1",
      OVERRIDE_IN_DOCKER: "0",
      FILESYSTEM_ROOT: directory,
    },
  }));
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
