import { join } from "node:path";
import { type Counts, finish, missing } from "./counts.ts";
import { findPython, PythonEnvironment } from "./python.ts";
import { withServer } from "./with-server.ts";

const HERE = import.meta.dirname;
const SUITE = join(HERE, "pyiceberg");

/** Against a server of this checkout, or the one that FIRN_TEST_URL names. */
async function main(args: readonly string[]): Promise<Counts> {
  const python = findPython();
  if (python === undefined) {
    return missing("PyIceberg is not tried: no Python 3.10 or newer with venv (apt: python3-venv)");
  }
  const environment = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
  await environment.prepare(python);
  const given = process.env["FIRN_TEST_URL"];
  if (given !== undefined) return environment.pytest(SUITE, args, {});
  return withServer(({ url }) => environment.pytest(SUITE, args, { FIRN_TEST_URL: url }));
}

finish(await main(process.argv.slice(2)));
