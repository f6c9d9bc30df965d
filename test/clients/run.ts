import { join } from "node:path";
import { add, type Counts, finish, missing, ONE_FAILED } from "./counts.ts";
import { findPython, PythonEnvironment } from "./python.ts";
import { runSqlClients } from "./sql/suite.ts";
import { withServer } from "./with-server.ts";

/*
 * `-- sql` runs the clients of PostgreSQL alone, `-- sql psql jdbc` some of them. Other arguments
 * go to pytest, and PyIceberg runs alone.
 */

const HERE = import.meta.dirname;
const SUITE = join(HERE, "pyiceberg");

async function pythonEnvironment(): Promise<PythonEnvironment | undefined> {
  const python = findPython();
  if (python === undefined) return undefined;
  const environment = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
  await environment.prepare(python);
  return environment;
}

/** Against a server of this checkout, or the one that FIRN_TEST_URL names. */
async function pyiceberg(
  environment: PythonEnvironment | undefined,
  args: readonly string[],
): Promise<Counts> {
  if (environment === undefined) {
    return missing("PyIceberg is not tried: no Python 3.10 or newer with venv (apt: python3-venv)");
  }
  const given = process.env["FIRN_TEST_URL"];
  if (given !== undefined) return environment.pytest(SUITE, args, {});
  return withServer(({ url }) => environment.pytest(SUITE, args, { FIRN_TEST_URL: url }));
}

function sql(
  environment: PythonEnvironment | undefined,
  names: readonly string[],
): Promise<Counts> {
  return withServer(
    async ({ postgresPort }) => {
      if (postgresPort !== undefined) return runSqlClients(postgresPort, environment, names);
      console.log("the server does not listen for PostgreSQL's protocol");
      return ONE_FAILED;
    },
    ["--pg-port", "0"],
  );
}

async function main([first, ...others]: readonly string[]): Promise<Counts> {
  const environment = await pythonEnvironment();
  if (first === "sql") return await sql(environment, others);
  if (first !== undefined) return await pyiceberg(environment, [first, ...others]);
  const counts = await pyiceberg(environment, []);
  // A given server is another one, which may not speak it.
  if (process.env["FIRN_TEST_URL"] !== undefined) return counts;
  return add(counts, await sql(environment, []));
}

finish(await main(process.argv.slice(2)));
