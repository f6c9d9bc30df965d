import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { add, type Counts, missing, ONE_FAILED } from "../clients/counts.ts";
import { findPython, PythonEnvironment } from "../clients/python.ts";
import { startServer } from "../clients/server-process.ts";
import { type Deployment, deployment } from "./node.ts";

const CLIENTS = join(import.meta.dirname, "..", "clients");
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

/**
 * What each profile is tried with: the whole suite of the clients where pointers are items of a
 * table; where they are rows of the engine, which profile `local` serves with the same suite, what
 * writes data and what races. Eight processes at once measure this machine, not the store.
 */
const TRIED: readonly (readonly [Deployment["profile"], readonly string[]])[] = [
  ["aws", ["-k", "not eight_appenders"]],
  ["bucket", ["-k", "not eight_appenders", "test_writes.py", "test_snapshots.py"]],
];

/** PyIceberg against servers of this checkout, catalog and tables in the stand-in. */
export async function tryPyIceberg(url: string): Promise<Counts> {
  const python = findPython();
  if (python === undefined) {
    return missing("PyIceberg is not tried: no Python 3.10 or newer with venv (apt: python3-venv)");
  }
  const environment = new PythonEnvironment(
    join(CLIENTS, ".venv"),
    join(CLIENTS, "requirements.txt"),
  );
  await environment.prepare(python);
  let counts = NONE;
  for (const [profile, args] of TRIED) {
    counts = add(counts, await tryProfile(environment, deployment(url, profile, profile), args));
  }
  return counts;
}

async function tryProfile(
  environment: PythonEnvironment,
  { profile, flags, env }: Deployment,
  args: readonly string[],
): Promise<Counts> {
  const directory = await mkdtemp(join(tmpdir(), "firn-cloud-"));
  try {
    const server = await startServer(directory, [...flags, "--log-level", "warn"], env);
    console.log(`\nPyIceberg over profile ${profile} at ${server.url}`);
    const client = {
      ...env,
      FIRN_TEST_URL: `${server.url}/iceberg`,
      FIRN_TEST_SCHEME: "s3://",
      ...endpointOf("TEST", env),
      // The README's own session, pasted as it is.
      ...endpointOf("FIRN", env),
    };
    let counts = ONE_FAILED;
    let exitCode: number | null = null;
    try {
      counts = await environment.pytest(join(CLIENTS, "pyiceberg"), args, client);
    } finally {
      exitCode = await server.stop();
    }
    return exitCode === 0 ? counts : add(counts, ONE_FAILED);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** PyIceberg's files go through Arrow, which has settings of its own. */
function endpointOf(catalog: string, env: Deployment["env"]): Record<string, string> {
  return { [`PYICEBERG_CATALOG__${catalog}__S3__ENDPOINT`]: env["AWS_ENDPOINT_URL"] ?? "" };
}
