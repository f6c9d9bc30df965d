import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Firn } from "../../../src/index.ts";
import { freePort, startPostgres } from "../../support/postgres-server.ts";
import { type Answer, PostgresWire } from "../../support/postgres-wire.ts";
import { ScriptReader, type Step } from "./read-script.ts";

/** As PostgreSQL's own runner of these scripts sets them. */
const SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: "America/Los_Angeles",
  DateStyle: "Postgres, MDY",
  IntervalStyle: "postgres_verbose",
};
/** What Firn does not answer by then counts as wrong. PostgreSQL is waited for. */
const FIRN_TIMEOUT = "4s";
const TEMPLATE = "setup";
const USER = "postgres";
/** COPY of a file of the scripts' data. */
const FROM_FILE = /^(copy\s+[\w".]+\s*(?:\([^)]*\)\s*)?from\s+)'(\/[^']*)'/i;
const IN_C: ReadonlySet<string> = new Set(["binary_coercible", "ttdummy", "get_columns_length"]);
const MAKES = /^(?:create\s+\w+|insert\s+into|copy)\s+(\w+)/i;
const AS_QUERY = /^create\s+table\s+(\w+)\s+as\s+select\s+\*\s+from\s+(\w+)$/i;

/** A session in a database where the scripts' common tables are. */
export interface Session {
  readonly status: string;
  /** Common tables that the server refused. */
  readonly lacking: readonly string[];
  run(step: Step): Promise<readonly Answer[]>;
  end(): Promise<void>;
}

export interface Scripts {
  /** Its folder, which has `sql` and `data`. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The steps of a script, whose variables may be set between two. */
  open(name: string): ScriptReader;
}

export interface Servers {
  readonly scripts: Scripts;
  /** `text`: what the script is, for the tables that it names. */
  postgres(text: string): Promise<Session>;
  firn(text: string): Promise<Session>;
  /** A connection to PostgreSQL's database for anything else. */
  connect(): Promise<PostgresWire>;
  stop(): Promise<void>;
}

export async function startServers(programs: string, folder: string): Promise<Servers> {
  const made = mkdtempSync(join(tmpdir(), "sql-suites-"));
  mkdirSync(join(made, "results"));
  for (const each of [made, join(made, "results")]) chmodSync(each, 0o777);
  const environment = { PG_ABS_SRCDIR: folder, PG_ABS_BUILDDIR: made };
  const scripts: Scripts = {
    folder,
    environment,
    open: (name) =>
      new ScriptReader(readFileSync(join(folder, "sql", `${name}.sql`), "utf8"), environment),
  };
  const server = await startPostgres(programs);
  const admin = await server.connect();
  const connect = (name: string) => PostgresWire.connect(server.port, USER, name, SETTINGS);
  await admin.query(`CREATE DATABASE ${TEMPLATE}`);
  const template = await connect(TEMPLATE);
  const lacking = await setUp(template, scripts, undefined);
  // Its test module, of functions in C, is no part of the package.
  const missing = lacking.filter((name) => !IN_C.has(name));
  if (missing.length > 0) throw new Error(`PostgreSQL refused to make ${missing.join(", ")}`);
  template.close();
  return {
    scripts,
    postgres: async () => {
      // The name that Firn's has.
      await admin.query(`DROP DATABASE IF EXISTS "default" WITH (FORCE)`);
      await admin.query(`CREATE DATABASE "default" TEMPLATE ${TEMPLATE}`);
      const wire = await connect("default");
      return session(wire, [], async () => wire.close());
    },
    firn: (text) => openFirn(scripts, text),
    connect: () => server.connect(),
    stop: async () => {
      admin.close();
      await server.stop();
      rmSync(made, { recursive: true, force: true });
    },
  };
}

async function openFirn(scripts: Scripts, text: string): Promise<Session> {
  const pgPort = await freePort();
  const firn = await Firn.open({ logLevel: "silent", listen: { port: 0, pgPort } });
  const settings = { ...SETTINGS, statement_timeout: FIRN_TIMEOUT };
  const wire = await PostgresWire.connect(pgPort, USER, "default", settings);
  const lacking = await setUp(wire, scripts, text);
  return session(wire, lacking, async () => {
    wire.close();
    await firn.close();
  });
}

function session(
  wire: PostgresWire,
  lacking: readonly string[],
  end: () => Promise<void>,
): Session {
  return {
    lacking,
    get status() {
      return wire.status;
    },
    run: ({ sql, copy }) => wire.query(sql, copy),
    end,
  };
}

/**
 * Makes the common tables: all, or those that a text names.
 *
 * @returns the names of what the server refused.
 */
async function setUp(
  wire: PostgresWire,
  scripts: Scripts,
  text?: string,
): Promise<readonly string[]> {
  const words = text && new Set(text.toLowerCase().match(/\w+/g));
  const reader = scripts.open("test_setup");
  const tables = new Map<string, string>();
  const lacking: string[] = [];
  for (let step = reader.next(); step !== undefined; step = reader.next()) {
    const name = MAKES.exec(step.sql)?.[1]?.toLowerCase() ?? "";
    if (words && !isNamed(name, words)) continue;
    const [, to = "", from = ""] = AS_QUERY.exec(step.sql) ?? [];
    const { sql, copy } = withData(step);
    const definition = from === "" ? undefined : tables.get(from.toLowerCase());
    if (/^create table/i.test(step.sql) && from === "") tables.set(name, step.sql);
    // Not every server has CREATE TABLE AS.
    const texts =
      definition === undefined
        ? [sql]
        : [definition.replace(from, to), `INSERT INTO ${to} SELECT * FROM ${from}`];
    for (const each of texts) {
      const answers = await wire.query(each, copy);
      if (answers.some(({ error }) => error !== undefined)) lacking.push(name);
    }
  }
  if (text === undefined) await wire.query("VACUUM ANALYZE");
  return lacking;
}

/** Whether a table is named, or one that is made from it. */
function isNamed(name: string, words: ReadonlySet<string>): boolean {
  if (words.has(name)) return true;
  return name === "onek" ? words.has("onek2") : name === "tenk1" && words.has("tenk2");
}

/** A step that sends the file which it names, as `\copy` does. */
export function withData(step: Step): Step {
  const found = FROM_FILE.exec(step.sql);
  if (found === null) return step;
  const [whole, before = "", file = ""] = found;
  try {
    const data = readFileSync(file, "utf8");
    return { ...step, sql: `${before}STDIN${step.sql.slice(whole.length)}`, copy: [data] };
  } catch {
    return step;
  }
}
