import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { type GuardedServer, openGuardedServer } from "../../access/guarded-server.ts";
import { CHROMIUM } from "../../support/chromium.ts";
import { add, type Counts, finish, missing } from "../counts.ts";
import { findPython, PythonEnvironment } from "../python.ts";
import { withServer } from "../with-server.ts";
import { type Delegating, openDelegating } from "./delegating.ts";
import { flinkClassPath, sparkAwsJar, sparkJar, trinoHome } from "./install.ts";

/*
 * DuckDB, Spark, Flink and Trino against servers of this checkout: `npm run test:engines [-- -k
 * spark]`. All are installed by their packages; what cannot be had here is a skip, with the reason,
 * and a failure in CI.
 */

const HERE = import.meta.dirname;
/** Clients renew their tokens in the middle of their tests. */
const TOKEN_LIFE_MS = 15_000;
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

const ENGINES: Readonly<Record<string, () => Promise<string | undefined> | string | undefined>> = {
  FIRN_TEST_SPARK_JAR: sparkJar,
  FIRN_TEST_SPARK_AWS_JAR: sparkAwsJar,
  FIRN_TEST_FLINK_CLASS_PATH: flinkClassPath,
  FIRN_TEST_TRINO_HOME: trinoHome,
};

function untried(why: string): Counts {
  return missing(`the engines are not tried: ${why}`);
}

/** Whether a program says which version it is. */
function runs(command: string): boolean {
  return spawnSync(command, ["-version"], { stdio: "ignore" }).status === 0;
}

async function main(args: readonly string[]): Promise<Counts> {
  const python = findPython();
  if (python === undefined) return untried("no Python 3.10 or newer with venv (apt: python3-venv)");
  if (!runs("javac")) return untried("no JDK from 17 on (apt: default-jdk-headless)");
  if (!runs("mvn")) return untried("no Maven (apt: maven)");
  const environment = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
  try {
    await environment.prepare(python);
  } catch {
    return untried("pip has not installed what requirements.txt lists");
  }
  const env: Record<string, string> = {};
  let lacks = NONE;
  for (const [variable, install] of Object.entries(ENGINES)) {
    const where = await install();
    if (where === undefined) lacks = add(lacks, missing(`Maven has not got ${variable}`));
    else env[variable] = where;
  }
  if (CHROMIUM === undefined) lacks = add(lacks, missing("no Chromium (apt: chromium)"));
  else env["FIRN_TEST_CHROMIUM"] = CHROMIUM;
  const delegating = await openDelegating();
  const guarded = await openGuardedServer(TOKEN_LIFE_MS);
  try {
    const counts = await tryEngines(environment, args, env, { guarded, delegating });
    return [lacks, ...delegating.lacks].reduce(add, counts);
  } finally {
    await guarded.close();
    await delegating.close();
  }
}

interface Servers {
  readonly guarded: GuardedServer;
  readonly delegating: Delegating;
}

/** Against a server that lets everyone in, and those that ask for a key. */
function tryEngines(
  environment: PythonEnvironment,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { guarded, delegating }: Servers,
): Promise<Counts> {
  return withServer(({ url }) =>
    environment.pytest(HERE, ["--durations=6", ...args], {
      ...env,
      ...delegating.env,
      FIRN_TEST_NODE: process.execPath,
      FIRN_TEST_URL: url,
      FIRN_TEST_GUARDED_URL: `${guarded.url}/iceberg`,
      FIRN_TEST_GUARDED_KEY: guarded.key,
    }),
  );
}

finish(await main(process.argv.slice(2)));
