import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import type { Datum, RowLoad, TableDescriptor, TableSpec } from "../../src/rows/index.ts";
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

/** A primary key, a unique index that NULLs pass, and one that is not unique. */
function things(id = newTableId()): TableSpec {
  return {
    id,
    namespace: ["shop"],
    name: "things",
    columns: [
      { name: "id", type: { kind: "int8" } },
      { name: "code", type: { kind: "text" } },
      { name: "kind", type: { kind: "int4" }, default: { kind: "constant", value: 4 } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [
      { name: "by_code", parts: [{ column: "code" }], unique: true },
      { name: "by_kind", parts: [{ column: "kind" }] },
    ],
  };
}

type Given = readonly (Datum | undefined)[];

async function make(
  at: OpenRows,
  rows: readonly Given[] = [],
  name = "things",
): Promise<TableDescriptor> {
  return await at.rows.run(async (tx) => {
    const table = await tx.createTable({ ...things(), name });
    await tx.insert(table, rows);
    return table;
  });
}

/** Begins a load in a transaction, which ends before the load does. */
async function begun(at: OpenRows, table: TableDescriptor): Promise<RowLoad> {
  const tx = await at.rows.begin({ isolation: "read committed" });
  const load = await tx.load(table);
  await tx.commit();
  if (load === undefined) throw new Error("rows of this table cannot be loaded");
  return load;
}

async function loadAll(
  at: OpenRows,
  table: TableDescriptor,
  batches: readonly (readonly Given[])[],
): Promise<void> {
  const load = await begun(at, table);
  try {
    for (const batch of batches) await load.insert(batch);
    await load.commit();
  } finally {
    await load.abort();
  }
}

/** The rows, and what CHECK INDEX finds. */
async function content(at: OpenRows, table: TableDescriptor) {
  return await at.rows.run(async (tx) => {
    const rows = await rowsOf(tx.scan(table));
    const reports = [];
    for (const { id } of table.indexes) reports.push(await tx.checkIndex(table, id));
    return { rows, reports };
  });
}

/** `done`, or the code and SQLSTATE of the error. */
async function outcome(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "done",
    ({ code, context }: FirnError) => `${code} ${context["sqlState"]}`,
  );
}

const row = fc.tuple(
  fc.bigInt({ min: 0n, max: 60n }),
  fc.option(fc.constantFrom("a", "b", "c", ...Array.from({ length: 40 }, (_, i) => `code ${i}`))),
  fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
);
const batches = fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 5 });

describe.each(KINDS)("a load of rows over a $store store, log of $wal", (kind) => {
  it("writes what inserts write, and refuses what they refuse", async () => {
    const [loaded, inserted] = [await open(kind), await open(kind)];
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 8 }), batches, async (before, given) => {
        const name = `things${runs++}`;
        const [ours, theirs] = [await make(loaded, [], name), await make(inserted, [], name)];
        for (const [at, table] of [
          [loaded, ours],
          [inserted, theirs],
        ] as const) {
          for (const one of before) {
            await outcome(at.rows.run((tx) => tx.insert(table, [one])));
          }
        }
        const insertAll = outcome(inserted.rows.run((tx) => tx.insert(theirs, given.flat())));
        expect(await outcome(loadAll(loaded, ours, given))).toBe(await insertAll);
        expect(await content(loaded, ours)).toEqual(await content(inserted, theirs));
      }),
      { numRuns: 10 },
    );
  });

  it("shows nothing before its commit, and is there after a restart behind it", async () => {
    const at = await open(kind);
    const table = await make(at, [[1n, "a", 1]]);
    const load = await begun(at, table);
    await load.insert([[2n, "b", undefined]]);
    expect((await content(at, table)).rows).toEqual([[1n, "a", 1]]);
    await load.commit();
    await at.reopen();
    expect((await content(at, table)).rows).toEqual([
      [1n, "a", 1],
      [2n, "b", 4],
    ]);
  });
});

describe("a load of rows", () => {
  it("takes the place of what its transaction has written", async () => {
    for (const isolation of ["read committed", "serializable"] as const) {
      const at = await open();
      const table = await make(at);
      const tx = await at.rows.begin({ isolation });
      await tx.insert(table, [[1n, "a", 1]]);
      const load = await tx.load(table);
      await load?.insert([[2n, "b", 2]]);
      await load?.commit();
      await tx.commit();
      expect((await content(at, table)).rows).toEqual([[2n, "b", 2]]);
    }
  });

  it("that is aborted leaves nothing, and hinders nobody", async () => {
    const at = await open();
    const table = await make(at);
    const load = await begun(at, table);
    await load.insert([[1n, "a", 1]]);
    await load.abort();
    await load.abort();
    await at.rows.run((tx) => tx.insert(table, [[1n, "b", 2]]));
    expect((await content(at, table)).rows).toEqual([[1n, "b", 2]]);
  });

  it("tells the key that two of its rows share, and whose index it is of", async () => {
    const at = await open();
    const table = await make(at);
    const twice = [
      [1n, "a", 1],
      [1n, "b", 2],
    ];
    const codes = [
      [1n, "a", 1],
      [2n, "a", 2],
    ];
    await expect(loadAll(at, table, [twice])).rejects.toMatchObject({
      code: "ROW_DUPLICATE",
      context: { constraint: "things_pkey", sqlState: "23505" },
    });
    const error = await loadAll(at, table, [codes]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ context: { constraint: "by_code" } });
    const { detail } = error as {
      detail: (show: (type: unknown, value: Datum) => string) => string;
    };
    expect(detail.call(error, (_type, value) => String(value))).toBe(
      "Key (code)=(a) already exists.",
    );
    expect((await content(at, table)).rows).toEqual([]);
  });
});

describe("a load of rows beside others", () => {
  it("fails where they have written the table since it began", async () => {
    const at = await open();
    const table = await make(at);
    const load = await begun(at, table);
    await load.insert([[1n, "a", 1]]);
    await at.rows.run((tx) => tx.insert(table, [[2n, "b", 2]]));
    expect(await outcome(load.commit())).toBe("ROW_CONFLICT 40001");
    expect((await content(at, table)).rows).toEqual([[2n, "b", 2]]);
  });

  it("makes those fail that wrote the table and have not committed", async () => {
    const at = await open();
    const table = await make(at);
    const load = await begun(at, table);
    await load.insert([[1n, "a", 1]]);
    const other = await at.rows.begin();
    await other.insert(table, [[1n, "b", 2]]);
    await load.commit();
    expect(await outcome(other.commit())).toBe("ROW_CONFLICT 40001");
    expect((await content(at, table)).rows).toEqual([[1n, "a", 1]]);
  });

  it("fails where the table was changed, before it began or since", async () => {
    const at = await open();
    const table = await make(at);
    const early = await at.rows.begin({ isolation: "read committed" });
    await early.tables.get(table.id);
    await at.rows.run((tx) => tx.alter(table.id, { kind: "rename", name: "others" }));
    expect(await outcome(early.load(table))).toBe("ROW_CONFLICT 40001");
    early.rollback();
    const renamed = await at.rows.run((tx) => tx.tables.get(table.id));
    const load = await begun(at, renamed);
    await load.insert([[1n, "a", 1]]);
    await at.rows.run((tx) => tx.alter(table.id, { kind: "rename", name: "again" }));
    expect(await outcome(load.commit())).toBe("ROW_CONFLICT 40001");
    const again = await at.rows.run((tx) => tx.tables.get(table.id));
    expect((await content(at, again)).rows).toEqual([]);
  });

  it("is none of a read-only transaction, or where other tables are asked", async () => {
    const at = await open();
    const table = await make(at);
    const child = await at.rows.run((tx) =>
      tx.createTable({
        ...things(),
        name: "parts",
        indexes: [],
        foreignKeys: [{ name: "parts_fkey", columns: ["id"], references: { table: table.id } }],
      }),
    );
    await at.rows.run(async (tx) => {
      expect(await tx.load(child)).toBeUndefined();
    });
    const reader = await at.rows.begin({ readOnly: true });
    expect(await outcome(reader.load(table))).toBe("ROW_TRANSACTION_READ_ONLY 25006");
    reader.rollback();
  });
});
