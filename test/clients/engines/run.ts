import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Counts, finish } from "../counts.ts";
import { findPython, PythonEnvironment } from "../python.ts";
import { withServer } from "../with-server.ts";

/*
 * DuckDB and Spark against a server of this checkout: `npm run test:engines [-- -k spark]`. Both
 * are installed by their packages; what cannot be had here is a skip, with the reason.
 */

const HERE = import.meta.dirname;
const JARS = join(HERE, "target");
const DOCUMENT = join(HERE, "..", "..", "..", "docs", "iceberg.md");

function skipped(why: string): Counts {
  console.log(`the engines are not tried: ${why}`);
  return { passed: 0, failed: 0, skipped: 1 };
}

/** Iceberg's runtime for Spark, the very one that the documentation names. */
function sparkJar(): string | undefined {
  const named = /--packages (\S+):(\S+):(\S+) /.exec(readFileSync(DOCUMENT, "utf8"));
  if (named === null) throw new Error("docs/iceberg.md names no runtime for Spark");
  const [, group, artifact, version] = named;
  const jar = join(JARS, `${artifact}-${version}.jar`);
  if (existsSync(jar)) return jar;
  console.log(`fetching ${artifact} ${version}`);
  const goal = ["dependency:copy", `-Dartifact=${group}:${artifact}:${version}`];
  const fetched = spawnSync("mvn", ["-q", "-B", ...goal, `-DoutputDirectory=${JARS}`], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return fetched.status === 0 ? jar : undefined;
}

async function main(args: readonly string[]): Promise<Counts> {
  const python = findPython();
  if (python === undefined) return skipped("no Python 3.10 or newer with venv");
  if (spawnSync("java", ["-version"], { stdio: "ignore" }).status !== 0) return skipped("no Java");
  const jar = sparkJar();
  if (jar === undefined) return skipped("Maven has not fetched Iceberg's runtime for Spark");
  const environment = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
  try {
    await environment.prepare(python);
  } catch {
    return skipped("pip has not installed DuckDB and Spark");
  }
  const env = { FIRN_TEST_SPARK_JAR: jar };
  return withServer(({ url }) => environment.pytest(HERE, args, { ...env, FIRN_TEST_URL: url }));
}

finish(await main(process.argv.slice(2)));
