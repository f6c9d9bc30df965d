import { parseArgs } from "node:util";
import {
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from "../../support/postgres-server.ts";
import { PostgresWire } from "../../support/postgres-wire.ts";
import { add, type Counts, finish, missing, ONE_FAILED } from "../counts.ts";
import { withServer } from "../with-server.ts";
import { stepsOf, wrongWith } from "./compare.ts";
import { DIALECT, runDialect } from "./dialect.ts";
import {
  type Command,
  LACKING,
  prepareTools,
  type Runtimes,
  runSession,
  TOOLS,
  type Tool,
} from "./tools.ts";

/*
 * Sessions of ORMs and of other tools against a server of this checkout and against PostgreSQL 15:
 * each of their steps must tell the same. Arguments name the tools to run; none: all.
 */

const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };
const USER = "tester";

interface Both {
  readonly postgres: PostgresServer;
  /** Where Firn listens. */
  readonly port: number;
  readonly runtimes: Runtimes;
}

/** Why a tool is not tried; undefined where it is. */
async function lacking({ port, runtimes }: Both, tool: Tool): Promise<string | undefined> {
  if (runtimes[tool.language] === undefined) return LACKING[tool.language];
  if (tool.needs === undefined) return undefined;
  const wire = await PostgresWire.connect(port, USER, tool.name);
  const answers = await wire.query(tool.needs);
  wire.close();
  const refused = answers.find(({ error }) => error !== undefined);
  return refused && `it needs "${tool.needs}": ${refused.error?.message}`;
}

async function runTool(both: Both, tool: Tool): Promise<Counts> {
  console.log(`\n${tool.name}`);
  const lacks = await lacking(both, tool);
  if (lacks !== undefined) {
    console.log(`  skip: ${tool.name} is not tried: ${lacks}`);
    return { ...NONE, skipped: 1 };
  }
  const command = both.runtimes[tool.language] as Command;
  const env = { PGHOST: "127.0.0.1", PGUSER: USER, PGDATABASE: tool.name };
  // Both at once: each waits for its server most of the time.
  const [expected, actual] = await Promise.all(
    [both.postgres.port, both.port].map(async (port) =>
      stepsOf(await runSession(tool, command, { ...env, PGPORT: `${port}` })),
    ),
  );
  let counts = NONE;
  for (const step of expected?.keys() ?? []) {
    const wrong = wrongWith(expected?.get(step), actual?.get(step));
    console.log(wrong === undefined ? `  ok ${step}` : `  not ok ${step}: ${wrong}`);
    counts = add(counts, { ...NONE, [wrong === undefined ? "passed" : "failed"]: 1 });
  }
  return counts.passed + counts.failed === 0 ? ONE_FAILED : counts;
}

/** @returns its counts; one skip where there is no Python. */
async function tryDialect({ postgres, port, runtimes }: Both, isWhole: boolean): Promise<Counts> {
  console.log(`\n${DIALECT}`);
  if (runtimes.python === undefined) {
    console.log(`  skip: ${DIALECT} is not tried: ${LACKING.python}`);
    return { ...NONE, skipped: 1 };
  }
  const env = { PGHOST: "127.0.0.1", PGUSER: USER, PGDATABASE: DIALECT };
  const at = (each: number): Record<string, string> => ({ ...env, PGPORT: `${each}` });
  for (const each of [postgres.port, port]) {
    const wire = await PostgresWire.connect(each, USER, DIALECT);
    for (const schema of ["test_schema", "test_schema_2"]) {
      await wire.query(`CREATE SCHEMA ${schema}`);
    }
    wire.close();
  }
  return runDialect(at(postgres.port), at(port), isWhole);
}

/** One for each tool, and those that it asks for. */
function databasesOf(names: readonly string[]): readonly string[] {
  const others = TOOLS.filter(({ name }) => names.includes(name));
  return [...names, ...others.flatMap(({ databases = [] }) => databases)];
}

/** What some tools need to be installed. */
function wantedBy(names: readonly string[]): ReadonlySet<string> {
  const tools = TOOLS.filter(({ name }) => names.includes(name));
  const suite = names.includes(DIALECT) ? [DIALECT] : [];
  return new Set([...tools.map(({ language }) => language), ...suite]);
}

async function makeDatabases(postgres: PostgresServer, names: readonly string[]): Promise<void> {
  const admin = await postgres.connect();
  await admin.query(`CREATE ROLE ${USER} SUPERUSER LOGIN`);
  for (const name of names) await admin.query(`CREATE DATABASE ${name} OWNER ${USER}`);
  admin.close();
}

async function runTools(names: readonly string[], port: number | undefined): Promise<Counts> {
  const programs = postgresPrograms();
  if (port === undefined || programs === undefined) return ONE_FAILED;
  const runtimes = await prepareTools(wantedBy(names));
  const postgres = await startPostgres(programs);
  try {
    await makeDatabases(postgres, databasesOf(names));
    let counts = NONE;
    const both = { postgres, port, runtimes };
    for (const tool of TOOLS.filter(({ name }) => names.includes(name))) {
      counts = add(counts, await runTool(both, tool));
    }
    if (names.includes(DIALECT)) counts = add(counts, await tryDialect(both, names.length === 1));
    return counts;
  } finally {
    await postgres.stop();
  }
}

async function main(): Promise<Counts> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const all = [...TOOLS.map(({ name }) => name), DIALECT];
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no such tool: ${unknown.join(", ")}`);
  if (postgresPrograms() === undefined) return missing("skipped: PostgreSQL 15 is not installed");
  const names = positionals.length === 0 ? all : positionals;
  // A database is a catalog.
  const catalogs = databasesOf(names).flatMap((name) => ["--catalog", name]);
  return await withServer(
    ({ postgresPort }) => runTools(names, postgresPort),
    ["--pg-port", "0", ...catalogs],
  );
}

finish(await main());
