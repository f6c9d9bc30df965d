import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { openServer } from "../pgwire/wire-client.ts";
import { FilesInMemory } from "../support/files-in-memory.ts";
import { answerOf, QUERIES, type QueryAnswer, queryFiles, statementsOf } from "./queries.ts";

/** Nothing fits the memory: each operator that keeps rows writes them. */
export const SPILL = "temporary files";

/** Each forces one way to join. */
export const JOIN_WAYS: Readonly<Record<string, readonly string[]>> = {
  "hash joins": ["enable_nestloop = off"],
  "look-ups by index": ["enable_hashjoin = off"],
  "nested loops": ["enable_hashjoin = off", "enable_indexscan = off"],
  "the order of the text": ["join_collapse_limit = 1"],
};

/** Ways to read a table, of the files that have other indexes than ordered ones. */
export const TABLE_WAYS: Readonly<Record<string, readonly string[]>> = {
  "posting lists": ["enable_seqscan = off"],
  "no posting lists": ["enable_bitmapscan = off"],
};

const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  ...JOIN_WAYS,
  ...TABLE_WAYS,
  [SPILL]: ["enable_nestloop = off"],
};

async function answers(way: string, name: string): Promise<QueryAnswer[]> {
  const space = way === SPILL ? new FilesInMemory() : undefined;
  const server = await openServer(undefined, undefined, {}, space);
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
  try {
    for (const setting of SETTINGS[way] ?? []) await client.query(`set ${setting}`);
    const all: QueryAnswer[] = [];
    for (const sql of statementsOf(name)) all.push(await answerOf(client, sql));
    expect(server.defects).toEqual([]);
    if (space !== undefined) {
      await vi.waitFor(() => expect([space.files, space.bytes]).toEqual([0, 0]));
    }
    return all;
  } finally {
    await client.end();
    await server.close();
  }
}

/** Answers of each recorded file by the ways that are taken for it. */
export function describeRecorded(waysOf: (name: string) => readonly string[]): void {
  describe.each(queryFiles())("statements of %s", (name) => {
    const sql = statementsOf(name);
    const lines = readFileSync(join(QUERIES, `${name}.jsonl`), "utf8")
      .trimEnd()
      .split("\n");
    const recorded = lines.map((line): QueryAnswer => JSON.parse(line));
    const shown = (all: readonly QueryAnswer[]) =>
      all.map((answer, i) => ({ sql: sql[i], answer }));

    it.each(waysOf(name))("are answered as PostgreSQL 15 does: %s", async (way) => {
      expect(recorded).toHaveLength(sql.length);
      // Rows that ORDER BY calls equal come in another order from a file.
      const rowsOf = (all: readonly QueryAnswer[]): readonly QueryAnswer[] =>
        way === SPILL
          ? all.map((each) => ("rows" in each ? { ...each, rows: [...each.rows].sort() } : each))
          : all;
      expect(shown(rowsOf(await answers(way, name)))).toEqual(shown(rowsOf(recorded)));
    });
  });
}
