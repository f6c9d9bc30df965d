import { createHash } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import type { Datum, TableDescriptor } from "../../src/rows/index.ts";
import { costOf } from "../support/turns.ts";
import { newTableId, type OpenRows, openRows } from "./support/open-rows.ts";

const MB = 1_048_576;
const LENGTH = 15 * MB;
const RUNS = 5;
/** At once a write took two to three times as long. */
const MOST_TIMES = 1.7;

let at: OpenRows;
afterEach(async () => await at.end());

async function made(): Promise<TableDescriptor> {
  at = await openRows();
  return await at.rows.run((tx) =>
    tx.createTable({
      id: newTableId(),
      namespace: ["docs"],
      name: "documents",
      columns: [
        { name: "id", type: { kind: "int4" } },
        { name: "kind", type: { kind: "text" } },
        { name: "body", type: { kind: "text" } },
        { name: "raw", type: { kind: "bytea" } },
      ],
      primaryKey: { parts: [{ column: "id" }] },
    }),
  );
}

/** The longest turn of the best of some runs. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) least = Math.min(least, (await costOf(work)).longestTurnMs);
  return least;
}

it("a value of 15 MiB is written, read and changed in turns as short as its hash", async () => {
  const table = await made();
  const body = "abcdefghij".repeat(LENGTH / 10);
  const raw = new Uint8Array(LENGTH).fill(7);
  // What one turn took that did all at once: on this machine, now.
  const atOnce = await longestTurnMs(async () => {
    createHash("sha256").update(Buffer.from(body)).digest();
  });
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
    turns.push([name, await longestTurnMs(work)]);
    await at.engine.flush();
  }
  const most = MOST_TIMES * atOnce;
  expect(turns.filter(([, ms]) => ms > most)).toEqual([]);
}, 120_000);
