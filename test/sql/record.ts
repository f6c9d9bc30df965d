import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { compare, prepare } from "./fuzz/compare.ts";
import { Generator } from "./fuzz/generate.ts";

/** Expressions of each operator, function and cast. */
const ROUNDS = 6;
const SEED = 15;
const FILE = "test/fixtures/sql/expressions.jsonl";

/**
 * Records PostgreSQL's answers, which `recorded.test.ts` compares with Firn's on machines without
 * PostgreSQL. Run it after functions were added: `node test/sql/record.ts`.
 */
async function main(): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL 15 is not installed");
  const server = await startPostgres(programs);
  try {
    const wire = await server.connect();
    await prepare(wire);
    const generator = new Generator(SEED);
    const expressions = Array.from({ length: ROUNDS * (generator.size + 60) }, (_, i) =>
      generator.expression(i),
    );
    const lines = (await compare(wire, expressions))
      .filter(({ expected }) => JSON.stringify(expected).length < 2_000)
      .map(({ expression, expected }) => {
        const answer = "error" in expected ? { error: expected.error } : expected;
        return JSON.stringify([expression, answer]);
      });
    wire.close();
    await mkdir(join(FILE, ".."), { recursive: true });
    await writeFile(FILE, `${lines.join("\n")}\n`);
    console.log(`${lines.length} expressions recorded`);
  } finally {
    await server.stop();
  }
}

await main();
