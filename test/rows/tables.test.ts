import { afterEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import type { Datum, RowScanRequest, TableSpec } from "../../src/rows/index.ts";
import { KINDS } from "../lsm/support/worlds.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const opened: OpenRows[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

async function open(...kind: Parameters<typeof openRows>): Promise<OpenRows> {
  const made = await openRows(...kind);
  opened.push(made);
  return made;
}

function events(): TableSpec {
  return {
    id: newTableId(),
    namespace: ["metrics"],
    name: "events",
    columns: [
      { name: "id", type: { kind: "int8" } },
      { name: "kind", type: { kind: "text" }, nullable: false },
      { name: "at", type: { kind: "timestamptz" }, default: { kind: "constant", value: 5n } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  };
}

/** What a promise fails with, in short. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return "none";
  } catch (error) {
    const { code, context } = error as FirnError;
    const { sqlState, column, constraint } = context ?? {};
    return [code, sqlState, column ?? constraint].filter((one) => one !== undefined).join(" ");
  }
}

describe.each(KINDS)("a row table over a $store store, log of $wal", (kind) => {
  it("keeps rows over a restart", async () => {
    const at = await open(kind);
    const spec = events();
    await at.rows.run(async (tx) => {
      const table = await tx.createTable(spec);
      await tx.insert(table, [
        [2n, "click", undefined],
        [1n, "view", 7n],
      ]);
    });
    await at.reopen();
    await at.rows.run(async (tx) => {
      const table = await tx.tables.get(spec.id);
      expect(await rowsOf(tx.scan(table))).toEqual([
        [1n, "view", 7n],
        [2n, "click", 5n],
      ]);
      expect(await rowsOf(tx.scan(table, { columns: [2], reverse: true, limit: 1 }))).toEqual([
        ["click"],
      ]);
      expect(await tx.get(table, [2n])).toEqual([2n, "click", 5n]);
      expect(await tx.getMany(table, [[3n], [1n]], { columns: [3, 1] })).toEqual([
        undefined,
        [7n, 1n],
      ]);
    });
    await at.engine.flush();
    await at.reopen();
    const table = await at.rows.run(async (tx) => await tx.tables.get(spec.id));
    await at.rows.run(async (tx) => {
      expect(await tx.update(table, [1n], new Map([[2, "seen"]]))).toEqual([1n, "seen", 7n]);
      expect(await tx.update(table, [9n], new Map([[2, "seen"]]))).toBeUndefined();
      expect(await tx.delete(table, [2n])).toEqual([2n, "click", 5n]);
      expect(await tx.delete(table, [2n])).toBeUndefined();
      expect(await rowsOf(tx.scan(table))).toEqual([[1n, "seen", 7n]]);
    });
  });
});

describe("a row table", () => {
  it("gets a relation of its own each time, also after a drop and a restart", async () => {
    const at = await open();
    const seen: number[] = [];
    for (let i = 0; i < 3; i++) {
      const spec = events();
      const table = await at.rows.run(async (tx) => await tx.createTable(spec));
      seen.push(table.relation);
      await at.rows.run(async (tx) => await tx.insert(table, [[1n, "a", 1n]]));
      const next = await at.rows.run(async (tx) => await tx.truncate(spec.id));
      seen.push(next.relation);
      await at.rows.run(async (tx) => {
        expect(await rowsOf(tx.scan(next))).toEqual([]);
        await tx.insert(next, [[1n, "b", 1n]]);
      });
      await at.rows.run(async (tx) => await tx.dropTable(spec.id));
      await at.reopen();
    }
    expect(seen).toEqual([16, 17, 18, 19, 20, 21]);
    const left = [];
    for await (const rows of at.engine.scan({ from: Buffer.from("0100000010", "hex") })) {
      left.push(...rows);
    }
    expect(left).toEqual([]);
  });

  it("is found by its name, and refuses a second of its name", async () => {
    const at = await open();
    const spec = events();
    await at.rows.run(async (tx) => await tx.createTable(spec));
    const again = at.rows.run(async (tx) => await tx.createTable(events()));
    expect(await failure(again)).toBe("ROW_TABLE_EXISTS 42P07");
    await at.rows.run(async (tx) => {
      expect((await tx.tables.byName(["metrics"], "events"))?.id).toBe(spec.id);
      expect(await tx.tables.byName(["metric", "s"], "events")).toBeUndefined();
      expect((await tx.tables.list()).map(({ name }) => name)).toEqual(["events"]);
    });
  });

  it("without a primary key numbers its rows in the order of their making", async () => {
    const at = await open();
    const { primaryKey: _, ...spec } = events();
    await at.rows.run(async (tx) => {
      const table = await tx.createTable(spec);
      await tx.insert(table, [
        [1n, "a", 1n],
        [1n, "a", 1n],
      ]);
      expect(await rowsOf(tx.scan(table))).toHaveLength(2);
      const [first] = await rowsOf(tx.scan(table, { columns: [4] }));
      expect(await tx.delete(table, first as Datum[])).toEqual([1n, "a", 1n]);
      expect(await rowsOf(tx.scan(table))).toEqual([[1n, "a", 1n]]);
    });
  });
});

describe("the rows of a table", () => {
  it("refuses what its columns do not take, naming them", async () => {
    const at = await open();
    const spec = events();
    const table = await at.rows.run(async (tx) => await tx.createTable(spec));
    const insert = (...row: (Datum | undefined)[]): Promise<unknown> =>
      failure(at.rows.run(async (tx) => await tx.insert(table, [row])));
    expect(await insert(1n, null, 1n)).toBe("ROW_NULL 23502 kind");
    expect(await insert(null, "a", 1n)).toBe("ROW_NULL 23502 id");
    expect(await insert(undefined, "a", 1n)).toBe("ROW_NULL 23502 id");
    expect(await insert("1", "a", 1n)).toBe("ROW_VALUE_INVALID 42804 id");
    expect(await insert(2n ** 63n, "a", 1n)).toBe("ROW_VALUE_INVALID 22003 id");
    expect(await insert(1n, "a")).toBe("ROW_VALUES_MISSING 42601");
    expect(await insert(1n, "a", 1n)).toBe("none");
    expect(await insert(1n, "b", 1n)).toBe("ROW_DUPLICATE 23505 events_pkey");
    const twice = at.rows.run(async (tx) => {
      await tx.insert(table, [
        [5n, "a", 1n],
        [5n, "b", 1n],
      ]);
    });
    expect(await failure(twice)).toBe("ROW_DUPLICATE 23505 events_pkey");
    const get = (key: Datum[]): Promise<unknown> =>
      failure(at.rows.run(async (tx) => await tx.get(table, key)));
    expect(await get([null])).toBe("ROW_NULL 23502 id");
    expect(await get([1n, 2n])).toBe("ROW_KEY_INVALID 22023");
    expect(await get(["x".repeat(9)])).toBe("ROW_VALUE_INVALID 42804 id");
  });

  it("is refused where its columns or its key cannot be", async () => {
    const at = await open();
    const make = (change: Partial<TableSpec>): Promise<unknown> =>
      failure(at.rows.run(async (tx) => await tx.createTable({ ...events(), ...change })));
    const key = (column: string): Partial<TableSpec> => ({ primaryKey: { parts: [{ column }] } });
    expect(await make(key("nothing"))).toBe("ROW_TABLE_INVALID 42703 nothing");
    const doc = { name: "doc", type: { kind: "jsonb" } } as const;
    expect(await make({ columns: [doc], ...key("doc") })).toBe("ROW_KEY_TYPE_INVALID 0A000 doc");
    expect(await make({ columns: [doc, doc] })).toBe("ROW_TABLE_INVALID 42701 doc");
  });

  it("leaves a row that is there alone, where that is asked for", async () => {
    const at = await open();
    const table = await at.rows.run(async (tx) => await tx.createTable(events()));
    await at.rows.run(async (tx) => {
      const options = { onConflict: "nothing" } as const;
      const inserted = await tx.insert(
        table,
        [
          [1n, "a", 1n],
          [1n, "b", 1n],
        ],
        options,
      );
      expect(inserted.map(({ conflict }) => conflict)).toEqual([undefined, [1n]]);
      expect(await rowsOf(tx.scan(table))).toEqual([[1n, "a", 1n]]);
      expect(await tx.put(table, [1n, "c", 2n])).toEqual([1n, "c", 2n]);
      expect(await tx.get(table, [1n])).toEqual([1n, "c", 2n]);
    });
  });

  it("reads ranges, each way, with a limit", async () => {
    const at = await open();
    await at.rows.run(async (tx) => {
      const table = await tx.createTable({
        id: newTableId(),
        namespace: [],
        name: "pairs",
        columns: [
          { name: "a", type: { kind: "text" } },
          { name: "b", type: { kind: "int4" } },
        ],
        primaryKey: { parts: [{ column: "a" }, { column: "b", direction: "desc" }] },
      });
      await tx.insert(
        table,
        ["x", "xx", "y"].flatMap((a) => [1, 2, 3].map((b) => [a, b])),
      );
      const read = async (request: RowScanRequest): Promise<readonly string[]> =>
        (await rowsOf(tx.scan(table, request))).map((row) => row.join(""));
      expect(await read({ equal: ["x"] })).toEqual(["x3", "x2", "x1"]);
      const lower = { value: 2, inclusive: true };
      expect(await read({ equal: ["x"], lower })).toEqual(["x3", "x2"]);
      expect(await read({ equal: ["x"], upper: { value: 2, inclusive: false } })).toEqual(["x1"]);
      const ranges = [{ equal: ["y"] }, { equal: ["x"], lower }];
      expect(await read({ ranges, limit: 4 })).toEqual(["y3", "y2", "y1", "x3"]);
      expect(await read({ equal: ["xx"], reverse: true, limit: 2 })).toEqual(["xx1", "xx2"]);
      expect(await read({ batchRows: 2 })).toHaveLength(9);
      expect((await tx.estimate(table, 0)).rows).toBeGreaterThanOrEqual(0);
    });
  });
});
