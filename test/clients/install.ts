import { join } from "node:path";
import { regressionScripts } from "../sql/suites/scripts.ts";
import { flinkClassPath, sparkAwsJar, sparkJar, trinoHome } from "./engines/install.ts";
import { findPython, PythonEnvironment } from "./python.ts";
import { buildKit, lacking } from "./rck/kit.ts";
import { BUILDS, build, lacking as lackingFor } from "./sql/builds.ts";
import { prepareTools } from "./tools/tools.ts";

/*
 * What the suites of clients, engines and stand-ins install, ahead of them, since it waits for the
 * network. What fails here is tried again, and told, by the suite that needs it.
 */

const HERE = import.meta.dirname;
const CLOUD = join(HERE, "..", "cloud");

const ENVIRONMENTS: readonly (readonly [directory: string, requirements: string])[] = [
  [join(HERE, ".venv"), join(HERE, "requirements.txt")],
  [join(HERE, "engines", ".venv"), join(HERE, "engines", "requirements.txt")],
  [join(HERE, "pyiceberg-suite", ".venv"), join(HERE, "pyiceberg-suite", "requirements.txt")],
  [join(CLOUD, ".venv"), join(CLOUD, "requirements.txt")],
  [join(CLOUD, "target", "localstack"), join(CLOUD, "localstack-requirements.txt")],
  [join(CLOUD, "target", "aws-cli"), join(CLOUD, "aws-cli-requirements.txt")],
];

async function attempt(what: string, install: () => unknown): Promise<boolean> {
  try {
    await install();
    return true;
  } catch (error) {
    console.log(`${what}: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

async function main(): Promise<number> {
  let failed = 0;
  const python = findPython();
  for (const [directory, requirements] of python === undefined ? [] : ENVIRONMENTS) {
    const environment = new PythonEnvironment(directory, requirements);
    failed += Number(!(await attempt(directory, () => environment.prepare(python ?? ""))));
  }
  const java: readonly (readonly [string, () => unknown])[] = [
    ["the kit", buildKit],
    ["Spark", sparkJar],
    ["Spark for S3", sparkAwsJar],
    ["Flink", flinkClassPath],
    ["Trino", trinoHome],
  ];
  for (const [what, install] of lacking() === undefined ? java : []) {
    failed += Number(!(await attempt(what, install)));
  }
  failed += Number(!(await attempt("PostgreSQL's scripts", regressionScripts)));
  failed += Number(!(await attempt("tools over PostgreSQL's protocol", prepareTools)));
  for (const each of BUILDS) {
    const lacks = lackingFor(each);
    if (lacks === undefined) failed += Number(!(await attempt(each.name, () => build(each))));
    else console.log(`${each.name} is not built: ${lacks}`);
  }
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main();
