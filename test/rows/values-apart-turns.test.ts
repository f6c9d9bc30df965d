import { createHash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import type { Datum, TableDescriptor } from "../../src/rows/index.ts";
import { costOf } from "../support/turns.ts";
import { DOCUMENTS } from "./support/documents.ts";
import { newTableId, type OpenRows, openRows } from "./support/open-rows.ts";

const MB = 1_048_576;
const LENGTH = 15 * MB;
const RUNS = 5;
/** Garbage of the runs before may be collected in any turn. */
const MOST_RUNS = 40;
/** At once a write took two to three times as long. */
const MOST_TIMES = 1.7;

let at: OpenRows;
afterEach(async () => await at.end());

async function made(): Promise<TableDescriptor> {
  at = await openRows();
  return await at.rows.run((tx) => tx.createTable({ ...DOCUMENTS, id: newTableId(), indexes: [] }));
}

/** The longest turn of the best of some runs, up to one that is as short as is asked for. */
async function longestTurnMs(
  work: () => Promise<unknown>,
  runs: number,
  wanted = 0,
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runs && least > wanted; run++) {
    least = Math.min(least, (await costOf(work)).longestTurnMs);
  }
  return least;
}

it("a value of 15 MiB is written, read and changed in turns as short as its hash", async () => {
  const table = await made();
  const body = "abcdefghij".repeat(LENGTH / 10);
  const raw = new Uint8Array(LENGTH).fill(7);
  // What one turn took that did all at once: on this machine, now.
  const atOnce = await longestTurnMs(async () => {
    createHash("sha256").update(Buffer.from(body)).digest();
  }, RUNS);
  const most = MOST_TIMES * atOnce;
  let [id, cut] = [0, 0];
  const insert = (row: Datum[]) => at.rows.run((tx) => tx.insert(table, [[++id, ...row]]));
  const change = (changes: [number, Datum][]) =>
    at.rows.run((tx) => tx.update(table, [id], new Map(changes), [2]));
  const works: Record<string, () => Promise<unknown>> = {
    "insert of text": () => insert(["k", body, null]),
    "insert of bytes": () => insert(["k", null, raw]),
    put: () => at.rows.run((tx) => tx.put(table, [id, "k", body.slice(++cut), null])),
    update: () => change([[3, body.slice(++cut)]]),
    "update of another column": () => change([[2, `k${++cut}`]]),
    get: () => at.rows.run((tx) => tx.get(table, [id])),
  };
  const turns: [string, number][] = [];
  for (const [name, work] of Object.entries(works)) {
    turns.push([name, await longestTurnMs(work, MOST_RUNS, most)]);
    await at.engine.flush();
  }
  expect(turns.filter(([, ms]) => ms > most)).toEqual([]);
}, 120_000);
