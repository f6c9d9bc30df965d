import pg from "pg";
import { describe, expect, it } from "vitest";
import { openServer } from "../pgwire/wire-client.ts";
import { QueryGenerator } from "./fuzz/query-generator.ts";
import { answerOf, type QueryAnswer } from "./queries.ts";

/** Settings that force one way to join each. */
const WAYS: readonly (readonly string[])[] = [
  [],
  ["enable_nestloop = off"],
  ["enable_hashjoin = off"],
  ["enable_hashjoin = off", "enable_indexscan = off", "join_collapse_limit = 1"],
];
const QUERIES = 25;

function inAnyOrder(answer: QueryAnswer): QueryAnswer {
  return "error" in answer ? answer : { ...answer, rows: [...answer.rows].sort() };
}

describe("each plan of a query gives the same answer", () => {
  it.each([2, 3, 5, 7, 11])("over the schema of seed %d", async (seed) => {
    const server = await openServer();
    const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
    await client.connect();
    try {
      const generator = new QueryGenerator(seed);
      for (const sql of generator.schema) await client.query(sql);
      let rows = 0;
      for (let i = 0; i < QUERIES; i++) {
        const sql = generator.query();
        const answers: QueryAnswer[] = [];
        for (const settings of WAYS) {
          await client.query("reset all");
          for (const setting of settings) await client.query(`set ${setting}`);
          answers.push(inAnyOrder(await answerOf(client, sql)));
        }
        const [first] = answers as [QueryAnswer];
        for (const answer of answers) expect({ sql, answer }).toEqual({ sql, answer: first });
        if ("rows" in first) rows += first.rows.length;
      }
      expect(rows).toBeGreaterThan(QUERIES);
      expect(server.defects).toEqual([]);
    } finally {
      await client.end();
      await server.close();
    }
  });
});
