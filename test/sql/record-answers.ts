import { readFileSync, writeFileSync } from "node:fs";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { ANSWERS, answersIn, ask } from "./answers.ts";

/**
 * Asks PostgreSQL 15 the expressions of `test/fixtures/sql/answers/` and writes its answers beside
 * them. A line that does not begin with `["` is a new expression. Run it by
 * `node test/sql/record-answers.ts`.
 */
async function main(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 15 is not installed");
  const server = await startPostgres(programs);
  try {
    const wire = await server.connect();
    for (const file of ANSWERS) {
      const expressions = answersIn(readFileSync(file, "utf8")).map(([expression]) => expression);
      const answers = await ask(wire, expressions);
      const lines = expressions.map((expression, i) => JSON.stringify([expression, answers[i]]));
      writeFileSync(file, `${lines.join("\n")}\n`);
      console.log(`${file}: ${lines.length} expressions`);
    }
    wire.close();
  } finally {
    await server.stop();
  }
}

await main();
