import { parseArgs } from "node:util";
import pg from "pg";
import { finish, missing } from "../../clients/counts.ts";
import { openServer } from "../../pgwire/wire-client.ts";
import { wholeNumber } from "../../support/arguments.ts";
import { postgresPrograms, startPostgres } from "../../support/postgres-server.ts";
import { answerOf, type QueryAnswer } from "../queries.ts";
import { QueryGenerator } from "./query-generator.ts";

/** Queries over one schema. */
const PER_SCHEMA = 50;

function text(answer: QueryAnswer): string {
  if ("error" in answer) return answer.error;
  const { columns, tag, rows } = answer;
  return `${columns} ${tag} ${[...rows].sort().join(" / ")}`;
}

/**
 * Compares queries over random schemas with PostgreSQL 15: columns, types, rows and SQLSTATEs. A
 * seed makes the same schemas and queries again.
 */
export async function fuzzQueries(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: args.slice(1), options: { seed: { type: "string" } } });
  const count = wholeNumber("sql-queries", args[0] ?? "1000");
  const programs = postgresPrograms();
  if (programs === undefined) {
    finish(missing("skipped: PostgreSQL 15 is not installed"));
    return;
  }
  const first = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 30));
  const postgres = await startPostgres(programs);
  const connection = { host: "127.0.0.1", port: postgres.port, user: "postgres" };
  const admin = new pg.Client({ ...connection, database: "postgres" });
  await admin.connect();
  let failed = 0;
  let skipped = 0;
  try {
    for (let done = 0; done < count; done += PER_SCHEMA) {
      const seed = first + done / PER_SCHEMA;
      const found = await compareSchema(
        seed,
        Math.min(PER_SCHEMA, count - done),
        admin,
        connection,
      );
      failed += found.failed;
      skipped += found.skipped;
    }
  } finally {
    await admin.end();
    await postgres.stop();
  }
  console.log(`seeds from ${first}: ${failed} different, ${skipped} too slow for PostgreSQL`);
  finish({ passed: count - failed - skipped, failed, skipped: 0 });
}

async function compareSchema(
  seed: number,
  count: number,
  admin: pg.Client,
  connection: { readonly host: string; readonly port: number; readonly user: string },
): Promise<{ readonly failed: number; readonly skipped: number }> {
  const database = `s${seed}`;
  await admin.query(`create database ${database}`);
  const theirs = new pg.Client({ ...connection, database });
  const server = await openServer();
  const ours = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  let failed = 0;
  let skipped = 0;
  try {
    for (const client of [theirs, ours]) await client.connect();
    const generator = new QueryGenerator(seed);
    for (const sql of generator.schema) {
      for (const client of [theirs, ours]) await client.query(sql);
    }
    await theirs.query("set statement_timeout = '5s'");
    await ours.query("set statement_timeout = '60s'");
    for (let i = 0; i < count; i++) {
      const sql = generator.query();
      const expected = await answerOf(theirs, sql);
      if ("error" in expected && expected.error === "57014") {
        skipped++;
        continue;
      }
      const actual = await answerOf(ours, sql);
      if (text(actual) === text(expected)) continue;
      failed++;
      console.log(`seed ${seed}: ${sql};\n    PostgreSQL: ${text(expected).slice(0, 400)}`);
      console.log(`    Firn:       ${text(actual).slice(0, 400)}`);
    }
    for (const defect of server.defects) {
      failed++;
      console.log(`seed ${seed}: defect`, defect);
    }
  } finally {
    await theirs.end();
    await ours.end();
    await server.close();
    await admin.query(`drop database ${database}`);
  }
  return { failed, skipped };
}
