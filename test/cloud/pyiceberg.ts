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
 * What each server's profiles are tried with: the whole suite of the clients where pointers are
 * items of a table; where they are rows of the engine, which profile `local` serves with the same
 * suite, what writes data and what races. Eight processes at once measure this machine, not the
 * store.
 */
const TRIED: readonly (readonly [string, Deployment["profile"], readonly string[]])[] = [
  ["FIRN_TEST_MINISTACK", "aws", ["-k", "not eight_appenders"]],
  [
    "FIRN_TEST_MINISTACK",
    "bucket",
    ["-k", "not eight_appenders", "test_writes.py", "test_snapshots.py"],
  ],
  ["FIRN_TEST_LOCALSTACK", "bucket", ["-k", "not eight_appenders", "test_writes.py"]],
];

/**
 * PyIceberg against servers of this checkout, catalog and tables in a stand-in. `urls`: of those
 * that run, by the variables that name them.
 */
export async function tryPyIceberg(urls: Readonly<Record<string, string>>): Promise<Counts> {
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
  for (const [server, profile, args] of TRIED) {
    const url = urls[server];
    if (url === undefined) continue;
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
    // Region and endpoint come with each table.
    const { AWS_ENDPOINT_URL: _endpoint, AWS_REGION: _region, ...keys } = env;
    const client = {
      ...keys,
      FIRN_TEST_URL: `${server.url}/iceberg`,
      FIRN_TEST_SCHEME: "s3://",
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
