import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Transaction } from "../../src/lsm/transaction/transaction.ts";
import type { Datum, RowScanRequest, TableDescriptor, TableSpec } from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const ROWS = 2_000;

let at: OpenRows;
let table: TableDescriptor;

function pairs(): TableSpec {
  return {
    id: newTableId(),
    namespace: ["n"],
    name: "pairs",
    columns: [
      { name: "a", type: { kind: "text" }, nullable: false },
      { name: "b", type: { kind: "numeric" }, nullable: false },
      { name: "c", type: { kind: "int4" } },
    ],
    primaryKey: { parts: [{ column: "a" }, { column: "b", direction: "desc" }] },
  };
}

beforeEach(async () => {
  at = await openRows();
  table = await at.rows.run(async (tx) => {
    const made = await tx.createTable(pairs());
    const rows = Array.from({ length: ROWS }, (_, i): Datum[] => [`k${i}`, "1.50", i]);
    await tx.insert(made, rows);
    return made;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await at.end();
});

const read = async (request: RowScanRequest): Promise<readonly (readonly Datum[])[]> => {
  const asked = { columns: [1, 3], ...request };
  return await at.rows.run(async (tx) => await rowsOf(tx.scan(table, asked)), { readOnly: true });
};

describe("a request for the whole primary key", () => {
  it("is a look-up, not a scan", async () => {
    const scans = vi.spyOn(Transaction.prototype, "scan");
    expect(await read({ equal: ["k7", "1.5"] })).toEqual([["k7", 7]]);
    expect(await read({ equal: ["k7", "1.5"], columns: [3, 1] })).toEqual([[7, "k7"]]);
    expect(await read({ equal: ["k7", "1.5"], reverse: true, limit: 9 })).toHaveLength(1);
    expect(await read({ equal: ["k7", "1.6"] })).toEqual([]);
    expect(scans).not.toHaveBeenCalled();
  });

  it("says the same as a range does", async () => {
    const upper = { value: "2", inclusive: true };
    expect(await read({ equal: ["k7"] })).toEqual([["k7", 7]]);
    expect(await read({ equal: ["k7"], upper })).toEqual([["k7", 7]]);
    expect(await read({ ranges: [{ equal: ["k7", "1.5"] }] })).toEqual([["k7", 7]]);
    const lock = { mode: "update" } as const;
    await at.rows.run(async (tx) => {
      const found = await rowsOf(tx.scan(table, { equal: ["k7", "1.5"], lock, columns: [1, 3] }));
      expect(found).toEqual([["k7", 7]]);
    });
  });

  it("sees its own writes, and is over when it has given its row", async () => {
    await at.rows.run(async (tx) => {
      await tx.update(table, ["k7", "1.5"], new Map([[3, -1]]));
      const scan = tx.scan(table, { equal: ["k7", "1.5"] });
      expect((await scan.nextBatch())?.columns[2]).toEqual([-1]);
      expect(await scan.nextBatch()).toBeUndefined();
      await tx.delete(table, ["k7", "1.5"]);
      expect(await rowsOf(tx.scan(table, { equal: ["k7", "1.5"] }))).toEqual([]);
    });
  });

  it("conflicts with who inserts the row that was absent", async () => {
    const first = await at.rows.begin();
    const mine = await first.tables.get(table.id);
    expect(await rowsOf(first.scan(mine, { equal: ["new", "1"] }))).toEqual([]);
    await at.rows.run(async (tx) => await tx.insert(table, [["new", "1", 1]]));
    await first.insert(mine, [["other", "1", 1]]);
    await expect(first.commit()).rejects.toMatchObject({ code: "ROW_CONFLICT" });
  });

  it("reads one block for the row and one for its table where both were flushed", async () => {
    await at.engine.flush();
    const one = (i: number) => read({ equal: [`k${i}`, "1.5"] });
    for (let i = 0; i < ROWS; i += 10) await one(i);
    const before = at.engine.stats();
    const count = 100;
    for (let i = 0; i < count; i++) expect(await one((i * 19) % ROWS)).toHaveLength(1);
    const { reads, cache, tree } = at.engine.stats();
    expect(tree.tables).toBe(1);
    expect(reads.gets - before.reads.gets).toBe(2 * count);
    expect(reads.tableReads - before.reads.tableReads).toBe(0);
    // Of each look-up: the tail of the table, and a block.
    expect(cache.hits - before.cache.hits).toBeLessThanOrEqual(4 * count);
  });
});
