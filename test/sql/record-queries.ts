import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { answerOf, QUERIES, type QueryAnswer, queryFiles, statementsOf } from "./queries.ts";

/**
 * Records what PostgreSQL answers to the statements of `test/fixtures/sql/queries`, which
 * `queries.test.ts` compares with Firn's answers: `node test/sql/record-queries.ts`.
 */
async function main(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 15 is not installed");
  const server = await startPostgres(programs);
  const connection = { host: "127.0.0.1", port: server.port, user: "postgres" };
  const admin = new pg.Client({ ...connection, database: "postgres" });
  try {
    await admin.connect();
    for (const name of queryFiles()) {
      await admin.query(`create database "${name}"`);
      const client = new pg.Client({ ...connection, database: name });
      await client.connect();
      const answers: QueryAnswer[] = [];
      for (const sql of statementsOf(name)) answers.push(await answerOf(client, sql));
      await client.end();
      const lines = answers.map((answer) => JSON.stringify(answer));
      await writeFile(join(QUERIES, `${name}.jsonl`), `${lines.join("\n")}\n`);
      console.log(`${name}: ${lines.length} statements recorded`);
    }
  } finally {
    await admin.end();
    await server.stop();
  }
}

await main();
