import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import type { ColumnSpec, TableChange, TableDescriptor, TableSpec } from "../../src/rows/index.ts";
import { brokenIndexes, newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let at: OpenRows;
let spec: TableSpec;

beforeEach(async () => {
  at = await openRows();
  spec = {
    id: newTableId(),
    namespace: [],
    name: "t",
    columns: [
      { name: "id", type: { kind: "int4" }, identity: "always" },
      { name: "a", type: { kind: "int2" } },
      { name: "b", type: { kind: "varchar", length: 3 } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    checks: [{ name: "a_check", expression: "a < 9" }],
  };
  await at.rows.run(async (tx) => {
    const table = await tx.createTable(spec);
    const rows = [
      [7, "x"],
      [8, null],
      [null, "z"],
    ];
    await tx.insert(table, rows, { columns: [2, 3] });
  });
});

afterEach(async () => {
  await at.end();
});

const table = async (): Promise<TableDescriptor> =>
  await at.rows.run(async (tx) => await tx.tables.get(spec.id));

const all = async (): Promise<readonly unknown[]> => {
  const now = await table();
  return await at.rows.run(async (tx) => await rowsOf(tx.scan(now)));
};

const alter = async (change: TableChange): Promise<unknown> =>
  await at.rows
    .run(async (tx) => await tx.alter(spec.id, change))
    .then(
      () => "done",
      ({ code, context }: FirnError) => `${code} ${context["sqlState"]}`,
    );

const insert = async (...row: (string | number | null)[]): Promise<unknown> => {
  const now = await table();
  return await at.rows
    .run(async (tx) => await tx.insert(now, [[undefined, ...row]]))
    .then(
      ([made]) => made?.row,
      ({ code, context }: FirnError) => `${code} ${context["sqlState"]}`,
    );
};

describe("a table that is changed", () => {
  it("gives its old rows the default of a new column", async () => {
    const column = { name: "c", type: { kind: "int8" } } as const;
    const fallback = { kind: "constant", value: 5n } as const;
    expect(await alter({ kind: "add column", column: { ...column, default: fallback } })).toBe(
      "done",
    );
    expect(await all()).toEqual([
      [1, 7, "x", 5n],
      [2, 8, null, 5n],
      [3, null, "z", 5n],
    ]);
    await at.rows.run(async (tx) => {
      await tx.update(await tx.tables.get(spec.id), [1], new Map([[4, null]]));
    });
    expect(await alter({ kind: "set default", column: "c" })).toBe("done");
    expect(await insert(1, "n", null)).toEqual([4, 1, "n", null]);
    expect((await all()).slice(0, 2)).toEqual([
      [1, 7, "x", null],
      [2, 8, null, 5n],
    ]);
    const strict = { ...column, name: "d", nullable: false };
    expect(await alter({ kind: "add column", column: strict })).toBe("ROW_NULL 23502");
    expect(await alter({ kind: "add column", column })).toBe("ROW_TABLE_INVALID 42701");
  });

  it("forgets a dropped column, also where one of its name comes back", async () => {
    expect(await alter({ kind: "drop column", column: "a" })).toBe("ROW_TABLE_INVALID 2BP01");
    expect(await alter({ kind: "drop constraint", name: "a_check" })).toBe("done");
    expect(await insert(9, "y")).toEqual([4, 9, "y"]);
    expect(await alter({ kind: "drop column", column: "b" })).toBe("done");
    const column = { name: "b", type: { kind: "bool" } } as const;
    expect(await alter({ kind: "add column", column })).toBe("done");
    expect((await all())[0]).toEqual([1, 7, null]);
    expect(await alter({ kind: "drop column", column: "id" })).toBe("ROW_TABLE_INVALID 42P16");
    expect(await alter({ kind: "drop column", column: "none" })).toBe("ROW_TABLE_INVALID 42703");
  });

  it("widens numbers and texts without writing a row", async () => {
    await alter({ kind: "drop constraint", name: "a_check" });
    expect(await alter({ kind: "widen", column: "a", type: { kind: "int8" } })).toBe("done");
    expect(await alter({ kind: "widen", column: "b", type: { kind: "text" } })).toBe("done");
    expect((await all()).slice(0, 2)).toEqual([
      [1, 7n, "x"],
      [2, 8n, null],
    ]);
    const back = { kind: "widen", column: "a", type: { kind: "int2" } } as const;
    expect(await alter(back)).toBe("ROW_TABLE_INVALID 0A000");
    const key = { kind: "widen", column: "id", type: { kind: "int8" } } as const;
    expect(await alter(key)).toBe("ROW_TABLE_INVALID 0A000");
  });

  it("gives each old row a number or a computed value of its own", async () => {
    const int = { kind: "int4" } as const;
    const add = async (column: ColumnSpec) => await alter({ kind: "add column", column });
    expect(await add({ name: "n", type: int, serial: true, sequence: { start: 5n } })).toBe("done");
    expect(await add({ name: "sum", type: int, generated: "n + id" })).toBe("done");
    expect(await all()).toEqual([
      [1, 7, "x", 5, 6],
      [2, 8, null, 6, 8],
      [3, null, "z", 7, 10],
    ]);
    expect(await insert(1, "n", undefined as never, undefined as never)).toEqual([
      4,
      1,
      "n",
      8,
      12,
    ]);
    const low = at.rows.run(
      (tx) =>
        tx.alter(spec.id, { kind: "add column", column: { name: "m", type: int, serial: true } }),
      { isolation: "read committed" },
    );
    await expect(low).rejects.toMatchObject({ code: "ROW_ISOLATION_TOO_LOW" });
    const null1 = { name: "o", type: int, nullable: false, generated: "a + 1" };
    expect(await add(null1)).toBe("ROW_NULL 23502");
  });

  it("takes NOT NULL only where it holds", async () => {
    expect(await alter({ kind: "set not null", column: "b" })).toBe("ROW_NULL 23502");
    await at.rows.run(async (tx) => await tx.delete(await tx.tables.get(spec.id), [2]));
    expect(await alter({ kind: "set not null", column: "b" })).toBe("done");
    expect(await insert(1, null)).toBe("ROW_NULL 23502");
    expect(await alter({ kind: "rename column", column: "b", name: "bb" })).toBe("done");
    expect(await alter({ kind: "drop not null", column: "bb" })).toBe("done");
    expect(await insert(1, null)).toEqual([5, 1, null]);
  });

  it("is found under its new name alone", async () => {
    expect(await alter({ kind: "rename", name: "u" })).toBe("done");
    await at.rows.run(async (tx) => {
      expect((await tx.tables.byName([], "u"))?.id).toBe(spec.id);
      expect(await tx.tables.byName([], "t")).toBeUndefined();
    });
  });
});

describe("an index that is made later", () => {
  const create = async (unique: boolean, column: string): Promise<unknown> =>
    await at.rows
      .run(async (tx) => {
        const index = { name: `${column}_idx`, parts: [{ column }], unique };
        return (await tx.createIndex(spec.id, index)).indexes.map(({ id }) => id);
      })
      .catch(({ code }: FirnError) => code);

  it("holds the rows that are there, and never has an older one's number", async () => {
    expect(await create(false, "a")).toEqual([1]);
    const now = await table();
    await at.rows.run(async (tx) => {
      expect(await brokenIndexes(tx, now)).toEqual([]);
      expect(await rowsOf(tx.scan(now, { index: 1, equal: [8], columns: [1] }))).toEqual([[2]]);
    });
    await at.rows.run(async (tx) => await tx.dropIndex(spec.id, "a_idx"));
    expect(await create(true, "b")).toEqual([2]);
    expect(await insert(1, "x")).toBe("ROW_DUPLICATE 23505");
    expect(await create(true, "b")).toBe("ROW_INDEX_EXISTS");
    const keys: string[] = [];
    for await (const rows of at.engine.scan({ from: Buffer.from("01000000100001", "hex") })) {
      keys.push(...rows.map(({ key }) => Buffer.from(key).toString("hex").slice(10, 14)));
    }
    expect(new Set(keys)).toEqual(new Set(["0002"]));
  });

  it("is refused where two rows have one key", async () => {
    await insert(7, "new");
    expect(await create(true, "a")).toBe("ROW_DUPLICATE");
    expect((await table()).indexes).toEqual([]);
  });

  it("is not made where rows could escape it", async () => {
    const index = { name: "a_idx", parts: [{ column: "a" }] };
    for (const isolation of ["read committed", "repeatable read"] as const) {
      const made = at.rows.run(async (tx) => await tx.createIndex(spec.id, index), { isolation });
      await expect(made).rejects.toMatchObject({ code: "ROW_ISOLATION_TOO_LOW" });
    }
  });

  it("misses no row that another writes meanwhile", async () => {
    const now = await table();
    const other = await at.rows.begin({ isolation: "read committed" });
    const build = await at.rows.begin();
    await other.insert(now, [[undefined, 1, "o"]]);
    await build.createIndex(spec.id, { name: "a_idx", parts: [{ column: "a" }] });
    await other.commit();
    await expect(build.commit()).rejects.toMatchObject({ code: "ROW_CONFLICT" });
    const late = await at.rows.begin({ isolation: "repeatable read" });
    await late.insert(now, [[undefined, 1, "l"]]);
    expect(await create(false, "a")).toEqual([1]);
    await expect(late.commit()).rejects.toMatchObject({ code: "ROW_CONFLICT" });
    const built = await table();
    await at.rows.run(async (tx) => expect(await brokenIndexes(tx, built)).toEqual([]));
  });
});

describe("a column that numbers its rows", () => {
  it("never gives a number twice, whatever is rolled back or ends", async () => {
    const numbers: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const now = await table();
      const lost = await at.rows.begin();
      await lost.insert(now, [[undefined, 1, "l"]]);
      lost.rollback();
      numbers.push(...(await Promise.all([1, 2, 3].map(async (a) => await insert(a, "r")))));
      await at.engine.durable();
      await at.reopen();
    }
    const ids = numbers.map((row) => (row as number[])[0]);
    expect(new Set(ids).size).toBe(9);
    const now = await table();
    const given = at.rows.run(async (tx) => await tx.insert(now, [[99, 1, "g"]]));
    await expect(given).rejects.toMatchObject({ code: "ROW_COLUMN_GENERATED" });
    const forced = await at.rows.run(
      async (tx) => await tx.insert(now, [[999, 1, "g"]], { overridesIdentity: true }),
    );
    expect(forced[0]?.row[0]).toBe(999);
  });
});
