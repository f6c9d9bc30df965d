import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { openServer } from "../pgwire/wire-client.ts";
import { answerOf, QUERIES, type QueryAnswer, queryFiles, statementsOf } from "./queries.ts";

/** Each lets the planner choose, or forces one way to join. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  chosen: [],
  "hash joins": ["enable_nestloop = off"],
  "look-ups by index": ["enable_hashjoin = off"],
  "nested loops": ["enable_hashjoin = off", "enable_indexscan = off"],
  "the order of the text": ["join_collapse_limit = 1"],
};

async function answers(name: string, settings: readonly string[]): Promise<QueryAnswer[]> {
  const server = await openServer();
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
  try {
    for (const setting of settings) await client.query(`set ${setting}`);
    const all: QueryAnswer[] = [];
    for (const sql of statementsOf(name)) all.push(await answerOf(client, sql));
    expect(server.defects).toEqual([]);
    return all;
  } finally {
    await client.end();
    await server.close();
  }
}

describe.each(queryFiles())("statements of %s", (name) => {
  const sql = statementsOf(name);
  const lines = readFileSync(join(QUERIES, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  const recorded = lines.map((line): QueryAnswer => JSON.parse(line));
  const shown = (all: readonly QueryAnswer[]) => all.map((answer, i) => ({ sql: sql[i], answer }));

  it.each(Object.entries(WAYS))("are answered as PostgreSQL 15 does: %s", async (_, settings) => {
    expect(recorded).toHaveLength(sql.length);
    expect(shown(await answers(name, settings))).toEqual(shown(recorded));
  });
});
