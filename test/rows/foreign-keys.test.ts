import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import type { TableId } from "../../src/base/ids.ts";
import type {
  Datum,
  ForeignKeySpec,
  RowTransaction,
  TableDescriptor,
  TableSpec,
} from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let at: OpenRows;
let parent: TableId;
let child: TableId;

beforeEach(async () => {
  at = await openRows();
});

afterEach(async () => {
  await at.end();
});

const INT = { kind: "int4" } as const;

function parentSpec(): TableSpec {
  parent = newTableId();
  return {
    id: parent,
    namespace: [],
    name: "p",
    columns: [
      { name: "id", type: INT },
      { name: "a", type: INT },
      { name: "b", type: { kind: "int8" } },
      { name: "note", type: { kind: "text" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [{ name: "p_ab", parts: [{ column: "b" }, { column: "a" }], unique: true }],
  };
}

function childSpec(key: Partial<ForeignKeySpec>, more: Partial<TableSpec> = {}): TableSpec {
  child = newTableId();
  const references = { table: parent };
  return {
    id: child,
    namespace: [],
    name: "c",
    columns: [
      { name: "id", type: INT },
      { name: "p", type: INT, default: { kind: "constant", value: 9 } },
      { name: "q", type: INT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    foreignKeys: [{ name: "c_p", columns: ["p"], references, ...key }],
    ...more,
  };
}

async function make(key: Partial<ForeignKeySpec> = {}, more?: Partial<TableSpec>): Promise<void> {
  await at.rows.run((tx) => tx.createTable(parentSpec()));
  await at.rows.run((tx) => tx.createTable(childSpec(key, more)));
}

interface Tables {
  readonly p: TableDescriptor;
  readonly c: TableDescriptor;
}

/** The state and the place of what refuses the work; `done` where nothing does. */
async function outcome(
  work: (tx: RowTransaction, on: Tables) => Promise<unknown>,
): Promise<string> {
  try {
    await at.rows.run(async (tx) => {
      await work(tx, { p: await tx.tables.get(parent), c: await tx.tables.get(child) });
    });
    return "done";
  } catch (error) {
    const { context } = error as FirnError;
    const { sqlState, table, constraint, column } = context;
    return [sqlState, table, constraint, column].filter((one) => one !== undefined).join(" ");
  }
}

const rows = async (id: TableId): Promise<unknown> =>
  await at.rows.run(async (tx) => await rowsOf(tx.scan(await tx.tables.get(id))));

const parents = async (...ids: number[]): Promise<string> =>
  await outcome((tx, { p }) =>
    tx.insert(
      p,
      ids.map((id) => [id, id * 10, BigInt(id * 100), "n"]),
    ),
  );

const children = async (...all: (readonly Datum[])[]): Promise<string> =>
  await outcome((tx, { c }) => tx.insert(c, all));

const VIOLATED = "23503 c c_p p";

describe("a foreign key", () => {
  it("is seen by READ COMMITTED as others left it, also in the middle of a statement", async () => {
    await make();
    await parents(1);
    const tx = await at.rows.begin({ isolation: "read committed" });
    const p = await tx.tables.get(parent);
    await tx.statement();
    expect(await tx.get(p, [1])).toBeDefined();
    expect(await children([1, 1, 0])).toBe("done");
    await expect(tx.delete(p, [1])).rejects.toMatchObject({ context: { sqlState: "23503" } });
    tx.rollback();
  });

  it("takes only what the other table has, or NULL", async () => {
    await make();
    await parents(1, 2);
    expect(await children([1, 3, 0])).toBe(VIOLATED);
    expect(await children([1, 1, 0], [2, null, 0])).toBe("done");
    const update = (value: Datum) =>
      outcome((tx, { c }) => tx.update(c, [1], new Map([[2, value]])));
    expect(await update(7)).toBe(VIOLATED);
    expect(await update(2)).toBe("done");
    expect(await update(undefined as never)).toBe(VIOLATED);
    expect(await outcome((tx, { c }) => tx.put(c, [3, 8, 0]))).toBe(VIOLATED);
    expect(await rows(child)).toEqual([
      [1, 2, 0],
      [2, null, 0],
    ]);
  });

  it("keeps what rows refer to, and lets the rest go", async () => {
    await make();
    await parents(1, 2);
    await children([1, 1, 0]);
    expect(await outcome((tx, { p }) => tx.delete(p, [1]))).toBe(VIOLATED);
    expect(await outcome((tx, { p }) => tx.update(p, [1], new Map([[1, 5]])))).toBe(VIOLATED);
    expect(await outcome((tx, { p }) => tx.update(p, [1], new Map([[4, "x"]])))).toBe("done");
    expect(await outcome((tx, { p }) => tx.delete(p, [2]))).toBe("done");
    // Both in one statement or transaction, in the order that is right.
    const both = outcome(async (tx, { p, c }) => {
      await tx.delete(c, [1]);
      await tx.delete(p, [1]);
    });
    expect(await both).toBe("done");
  });

  it("is checked at the end of a statement, or by the commit", async () => {
    await make({ deferrable: true });
    const late = (isDeferred: boolean | undefined) =>
      outcome(async (tx, { p, c }) => {
        if (isDeferred !== undefined) await tx.setConstraints("all", isDeferred);
        else await tx.statement({ checksAtEnd: true });
        await tx.insert(c, [[1, 1, 0]]);
        await tx.insert(p, [[1, 0, 0n, null]]);
        if (isDeferred === undefined) await tx.endStatement();
        await tx.delete(p, [1]);
        await tx.delete(c, [1]);
      });
    expect(await late(undefined)).toBe(VIOLATED);
    expect(await late(false)).toBe(VIOLATED);
    expect(await late(true)).toBe("done");
    const never = (isNow: boolean) =>
      outcome(async (tx, { c }) => {
        await tx.setConstraints([{ table: child, name: "c_p" }], true);
        await tx.insert(c, [[1, 1, 0]]);
        if (isNow) await tx.setConstraints("all", false);
      });
    expect(await never(false)).toBe(VIOLATED);
    expect(await never(true)).toBe(VIOLATED);
    expect(await rows(child)).toEqual([]);
  });

  it("that failed lets no transaction commit; a savepoint takes it back", async () => {
    await make();
    const swallowed = outcome(async (tx, { c }) => {
      await tx.insert(c, [[1, 1, 0]]).catch(() => undefined);
    });
    expect(await swallowed).toBe(VIOLATED);
    const taken = outcome(async (tx, { c }) => {
      const savepoint = tx.savepoint();
      await tx.insert(c, [[1, 1, 0]]).catch(() => undefined);
      tx.rollbackTo(savepoint);
    });
    expect(await taken).toBe("done");
    expect(await rows(child)).toEqual([]);
  });
});

describe("an action of a foreign key", () => {
  it.each<[ForeignKeySpec["onDelete"] & string, unknown, unknown]>([
    [
      "cascade",
      [[3, 2, 0]],
      [
        [1, 5, 0],
        [2, 5, 0],
        [3, 2, 0],
      ],
    ],
    [
      "set null",
      [
        [1, null, 0],
        [2, null, 0],
        [3, 2, 0],
      ],
      [
        [1, null, 0],
        [2, null, 0],
        [3, 2, 0],
      ],
    ],
    [
      "set default",
      [
        [1, 9, 0],
        [2, 9, 0],
        [3, 2, 0],
      ],
      [
        [1, 9, 0],
        [2, 9, 0],
        [3, 2, 0],
      ],
    ],
  ])("follows with %s", async (action, afterDelete, afterUpdate) => {
    await make({ onDelete: action, onUpdate: action });
    await parents(1, 2, 9);
    await children([1, 1, 0], [2, 1, 0], [3, 2, 0]);
    expect(await outcome((tx, { p }) => tx.update(p, [1], new Map([[1, 5]])))).toBe("done");
    expect(await rows(child)).toEqual(afterUpdate);
    await outcome(async (tx, { p, c }) => {
      await tx.update(p, [5], new Map([[1, 1]]));
      for (const id of [1, 2]) await tx.put(c, [id, 1, 0]);
    });
    expect(await outcome((tx, { p }) => tx.delete(p, [1]))).toBe("done");
    expect(await rows(child)).toEqual(afterDelete);
  });

  it("restricts at once, where no action waits for the statement's end", async () => {
    for (const action of ["restrict", "no action"] as const) {
      await at.end();
      at = await openRows();
      await make({ onDelete: action });
      await parents(1);
      await children([1, 1, 0]);
      const again = outcome(async (tx, { p }) => {
        await tx.statement({ checksAtEnd: true });
        await tx.delete(p, [1]);
        await tx.insert(p, [[1, 0, 0n, null]]);
        await tx.endStatement();
      });
      expect(await again).toBe(action === "restrict" ? VIOLATED : "done");
    }
  });
});

describe("the columns of a foreign key", () => {
  it("refer to a unique index in another order", async () => {
    const key = { columns: ["p", "q"], references: { table: parent, columns: ["a", "b"] } };
    await at.rows.run((tx) => tx.createTable(parentSpec()));
    key.references.table = parent;
    await at.rows.run((tx) => tx.createTable(childSpec({ ...key, onUpdate: "cascade" })));
    await parents(1);
    expect(await children([1, 10, 100], [2, 10, null], [3, null, 5])).toBe("done");
    expect(await children([4, 10, 99])).toBe("23503 c c_p p, q");
    expect(await outcome((tx, { p }) => tx.update(p, [1], new Map([[3, 7n]])))).toBe("done");
    expect(await rows(child)).toEqual([
      [1, 10, 7],
      [2, 10, null],
      [3, null, 5],
    ]);
    expect(await outcome((tx, { p }) => tx.delete(p, [1]))).toBe("23503 c c_p p, q");
    await expect(at.rows.run((tx) => tx.dropIndex(parent, "p_ab"))).rejects.toMatchObject({
      code: "ROW_TABLE_REFERENCED",
    });
  });

  it("MATCH FULL takes all columns or none", async () => {
    await at.rows.run((tx) => tx.createTable(parentSpec()));
    const references = { table: parent, columns: ["a", "b"] };
    const key = { columns: ["p", "q"], references, match: "full" } as const;
    await at.rows.run((tx) => tx.createTable(childSpec(key)));
    expect(await children([1, null, null])).toBe("done");
    expect(await children([2, 10, null])).toBe("23503 c c_p p, q");
  });

  it("may be of the same table, and a cascade follows a cycle to its end", async () => {
    child = parent = newTableId();
    const spec: TableSpec = {
      ...childSpec({}),
      name: "c",
      id: child,
      foreignKeys: [
        { name: "c_p", columns: ["p"], references: { table: child }, onDelete: "cascade" },
      ],
    };
    const id = spec.id;
    parent = child = id;
    await at.rows.run((tx) => tx.createTable(spec));
    expect(await children([1, 2, 0], [2, 3, 0], [3, 1, 0], [4, 4, 0])).toBe("done");
    expect(await outcome((tx, { c }) => tx.delete(c, [2]))).toBe("done");
    expect(await rows(child)).toEqual([[4, 4, 0]]);
    expect(await outcome((tx, { c }) => tx.delete(c, [4]))).toBe("done");
  });
});

describe("tables with foreign keys", () => {
  const dropTable = async (id: TableId, cascade = false): Promise<string> =>
    await at.rows
      .run((tx) => tx.dropTable(id, { cascade }))
      .then(
        () => "done",
        ({ context }: FirnError) => String(context["sqlState"]),
      );

  it("are dropped in their order, or with the constraint", async () => {
    await make();
    expect(await dropTable(parent)).toBe("2BP01");
    expect(await dropTable(parent, true)).toBe("done");
    const loose = at.rows.run(async (tx) => tx.insert(await tx.tables.get(child), [[1, 77, 0]]));
    await expect(loose).resolves.toBeDefined();
    expect(await dropTable(child)).toBe("done");
    await make();
    expect(await dropTable(child)).toBe("done");
    expect(await dropTable(parent)).toBe("done");
  });

  it("are truncated together alone", async () => {
    await make();
    await parents(1);
    await children([1, 1, 0]);
    const alone = at.rows.run((tx) => tx.truncate(parent));
    await expect(alone).rejects.toMatchObject({ context: { sqlState: "0A000" } });
    await at.rows.run(async (tx) => {
      await tx.truncate(parent, [child]);
      await tx.truncate(child);
    });
    expect([await rows(parent), await rows(child)]).toEqual([[], []]);
  });

  it("get one later where all rows keep it, and lose it", async () => {
    await make({}, { foreignKeys: [] });
    await parents(1);
    await children([1, 1, 0], [2, 5, 0]);
    const key = { name: "c_p", columns: ["p"], references: { table: parent } };
    const add = () => outcome((tx) => tx.alter(child, { kind: "add foreign key", key }));
    expect(await add()).toBe(VIOLATED);
    await outcome((tx, { c }) => tx.delete(c, [2]));
    expect(await add()).toBe("done");
    expect(await add()).toBe("42710 c c_p");
    expect(await children([2, 5, 0])).toBe(VIOLATED);
    const drop = outcome((tx) => tx.alter(child, { kind: "drop constraint", name: "c_p" }));
    expect(await drop).toBe("done");
    expect(await children([2, 5, 0])).toBe("done");
    expect(await outcome((tx, { p }) => tx.delete(p, [1]))).toBe("done");
    expect(await dropTable(parent)).toBe("done");
  });

  it("get a check later where all rows meet it", async () => {
    await make();
    await children([1, null, 5]);
    const add = (expression: string) =>
      outcome((tx) => tx.alter(child, { kind: "add check", name: "q_check", expression }));
    expect(await add("q < 5")).toBe("23514 c q_check");
    expect(await add("q < 6")).toBe("done");
    expect(await children([2, null, 6])).toBe("23514 c q_check");
  });

  it.each<[string, Partial<ForeignKeySpec>, string]>([
    ["another count of columns", { columns: ["p", "q"] }, "42830"],
    ["an unknown column", { columns: ["x"] }, "42703"],
    ["columns of no key", { references: { table: "" as TableId, columns: ["a"] } }, "42830"],
    ["another type", { references: { table: "" as TableId, columns: ["note"] } }, "42804"],
    ["deferred that cannot be", { initiallyDeferred: true }, "42601"],
  ])("are refused with %s", async (_, key, state) => {
    await at.rows.run((tx) => tx.createTable(parentSpec()));
    const references = { ...(key.references ?? {}), table: parent };
    const made = at.rows.run((tx) => tx.createTable(childSpec({ ...key, references })));
    await expect(made).rejects.toMatchObject({ context: { sqlState: state } });
  });
});
