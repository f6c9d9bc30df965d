import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import "../property-seed.ts";
import { encodeTablePrefix } from "../../src/keys/index.ts";
import {
  type Datum,
  postingQuery,
  RowStore,
  type RowTransaction,
  type TableDescriptor,
  TableMove,
  type TableSpec,
} from "../../src/rows/index.ts";
import { DOCUMENTS } from "./support/documents.ts";
import { looseValues } from "./support/loose-values.ts";
import { brokenIndexes, newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const opened: OpenRows[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.end();
});

async function open(): Promise<OpenRows> {
  const made = await openRows();
  opened.push(made);
  return made;
}

const MB = 1_048_576;
const long = (letter: string, length = 40_000): string => letter.repeat(length);

async function made(at: OpenRows, rows: readonly Datum[][] = []): Promise<TableDescriptor> {
  return await at.rows.run(async (tx) => {
    const table = await tx.createTable({ ...DOCUMENTS, id: newTableId() });
    await tx.insert(table, rows);
    return table;
  });
}

/** The rows of a table; its values and indexes are right. */
async function read(
  at: OpenRows,
  { id }: Pick<TableDescriptor, "id">,
): Promise<readonly unknown[]> {
  const [table, rows] = await at.rows.run(async (tx) => {
    const now = await tx.tables.get(id);
    expect(await tx.checkValues(now)).toEqual([]);
    expect(await brokenIndexes(tx, now)).toEqual([]);
    return [now, await rowsOf(tx.scan(now))] as const;
  });
  expect(await looseValues(at, table)).toEqual([]);
  return rows;
}

describe("a value of several pieces", () => {
  it("is put, changed, shortened and deleted as a whole", async () => {
    const at = await open();
    const table = await made(at);
    const any = (bytes: number): string => "0123456789a".repeat(bytes / 11 + 1).slice(0, bytes);
    // Around the ends of pieces.
    for (const bytes of [MB - 1, MB, MB + 1, 3 * MB, 3 * MB - 7, 2 * MB + 1, 40_000, 10]) {
      const row = [1, "k", any(bytes), null];
      await at.rows.run((tx) => tx.put(table, row));
      if (bytes === 3 * MB) await at.engine.flush();
      expect(await read(at, table)).toEqual([row]);
    }
    await at.rows.run((tx) => tx.put(table, [1, "k", long("x", 5 * MB), new Uint8Array(2 * MB)]));
    await at.rows.run((tx) => tx.delete(table, [1]));
    expect(await read(at, table)).toEqual([]);
  });

  it("keeps characters whole where it is cut, and is refused by its bytes", async () => {
    const at = await open();
    const table = await made(at);
    // The two UTF-16 units of a character stand around each end of a stretch.
    const pairs = `a${"😀".repeat(MB)}`;
    const long = [1, "k", pairs, new Uint8Array(2 * MB).fill(1)];
    await at.rows.run((tx) => tx.insert(table, [long]));
    expect(await read(at, table)).toEqual([long]);
    const changed = `${pairs}é`;
    await at.rows.run((tx) => tx.update(table, [1], new Map([[3, changed]])));
    await at.rows.run((tx) => tx.put(table, [2, "k", "€".repeat(MB), null]));
    const both = [
      [1, "k", changed, new Uint8Array(2 * MB).fill(1)],
      [2, "k", "€".repeat(MB), null],
    ];
    expect(await read(at, table)).toEqual(both);
    const refused = at.rows.run((tx) => tx.put(table, [2, "k", "€".repeat(6 * MB), null]));
    await expect(refused).rejects.toMatchObject({ code: "ROW_VALUE_TOO_LONG" });
    expect(await read(at, table)).toEqual(both);
  });

  it("has at most 16 MiB", async () => {
    const at = await open();
    const table = await made(at);
    const tooLong = expect.objectContaining({
      code: "ROW_VALUE_TOO_LONG",
      context: expect.objectContaining({ sqlState: "54000" }),
    });
    const tx = await at.rows.begin();
    await tx.put(table, [1, "k", null, new Uint8Array(16 * MB)]);
    expect((await tx.get(table, [1], { columns: [4] }))?.[0]).toHaveLength(16 * MB);
    const one = tx.put(table, [2, "k", null, new Uint8Array(16 * MB + 1)]);
    await expect(one).rejects.toThrow(tooLong);
    tx.rollback();
  });
});

it("a row that holds its long values is read, and written anew without them", async () => {
  const at = await open();
  const { engine, world } = at;
  const before = new RowStore({
    engine,
    clock: world.clock,
    prng: world.prng,
    account: "acme",
    apartBytes: Number.POSITIVE_INFINITY,
  });
  const table = await before.run(async (tx) => {
    const created = await tx.createTable({ ...DOCUMENTS, id: newTableId() });
    await tx.insert(created, [
      [1, "k", long("a"), null],
      [2, "k", long("b"), null],
    ]);
    return created;
  });
  expect(await read(at, table)).toEqual([
    [1, "k", long("a"), null],
    [2, "k", long("b"), null],
  ]);
  await at.rows.run((tx) => tx.update(table, [1], new Map([[2, "l"]])));
  await at.rows.run((tx) => tx.delete(table, [2]));
  expect(await read(at, table)).toEqual([[1, "l", long("a"), null]]);
  const found = await engine.estimate({
    from: encodeTablePrefix({ space: 1, relation: table.relation, index: 0xffff }),
  });
  expect(found.entries).toBeGreaterThan(0);
});

/** Keys of which one begins with another, with zeros in them. */
const anyKey = fc.uint8Array({ max: 3, maxLength: 4 }).map((bytes) => bytes.map((b) => b && b - 1));
const anyKeys = fc.uniqueArray(anyKey, { maxLength: 12, selector: (key) => key.join() });
const anyBound = fc.option(fc.record({ value: anyKey, inclusive: fc.boolean() }), {
  nil: undefined,
});

it("a deleted range takes the values of its rows, and no others", async () => {
  await fc.assert(
    fc.asyncProperty(anyKeys, anyBound, anyBound, async (keys, lower, upper) => {
      const at = await openRows();
      const table = await at.rows.run((tx) =>
        tx.createTable({
          id: newTableId(),
          namespace: ["docs"],
          name: "t",
          columns: [
            { name: "id", type: { kind: "bytea" } },
            { name: "body", type: { kind: "text" } },
          ],
          primaryKey: { parts: [{ column: "id" }] },
        }),
      );
      await at.rows.run((tx) =>
        tx.insert(
          table,
          keys.map((key) => [key, long("a")]),
        ),
      );
      const range = { ...(lower && { lower }), ...(upper && { upper }) };
      const inRange = await at.rows.run((tx) => rowsOf(tx.scan(table, { ...range })));
      await at.rows.run((tx) => tx.deleteRange(table, range));
      const left = await at.rows.run(async (tx) => {
        expect(await tx.checkValues(table)).toEqual([]);
        return await rowsOf(tx.scan(table));
      });
      expect(left.length + inRange.length).toBe(keys.length);
      expect(await looseValues(at, table)).toEqual([]);
      await at.end();
    }),
    { numRuns: 60 },
  );
});

describe("a load", () => {
  const loaded = async (at: OpenRows, table: TableDescriptor, rows: readonly Datum[][]) => {
    const tx = await at.rows.begin({ isolation: "read committed" });
    const load = await tx.load(table);
    await tx.commit();
    try {
      for (const row of rows) await load!.insert([row]);
      await load!.commit();
    } finally {
      await load!.abort();
    }
  };
  const rows = Array.from({ length: 30 }, (_, n): Datum[] => [
    n,
    `k${n % 3}`,
    n % 2 === 0 ? long("a", 33_000 + n) : "short",
    n % 7 === 0 ? new Uint8Array(MB + n) : null,
  ]);

  it("writes long values, over rows that are there and after a restart", async () => {
    const at = await open();
    const table = await made(at, [[1_000, "k", long("z"), null]]);
    await loaded(at, table, rows.toReversed());
    expect(await read(at, table)).toEqual([...rows, [1_000, "k", long("z"), null]]);
    await at.reopen();
    expect(await read(at, table)).toHaveLength(31);
    await at.rows.run((tx) => tx.update(table, [0], new Map([[3, "short"]])));
    await at.rows.run((tx) => tx.delete(table, [7]));
    expect(await read(at, table)).toHaveLength(30);
  });

  it("leaves nothing where it is refused, which names the row", async () => {
    const at = await open();
    const table = await made(at, [[5, "k", long("z"), null]]);
    const twice = { code: "ROW_DUPLICATE", context: { sqlState: "23505" } };
    const both = [rows[0] as Datum[], [0, "k", long("b"), null]];
    await expect(loaded(at, table, both)).rejects.toMatchObject(twice);
    await expect(loaded(at, table, rows)).rejects.toMatchObject(twice);
    expect(await read(at, table)).toEqual([[5, "k", long("z"), null]]);
  });
});

describe("a move to another shard", () => {
  it("brings long values, also those that change meanwhile, and leaves none", async () => {
    const [source, target] = [await open(), await open()];
    await target.rows.numberFrom(1_000);
    const table = await made(source, [
      [1, "k", long("a"), null],
      [2, "k", long("b", 2 * MB), null],
      [3, "l", long("c"), new Uint8Array(50_000)],
      [4, "l", "short", null],
    ]);
    const parts = { source: source.rows, target: target.rows, table: table.id };
    const one = new TableMove({ ...parts, from: "a", to: "b", job: "job", attempt: "1" });
    const change = async (changes: (tx: RowTransaction) => Promise<unknown>): Promise<void> => {
      await source.rows.run(changes);
    };
    const now = (tx: RowTransaction) => tx.tables.get(table.id);
    await one.begin(async () => false);
    await change(async (tx) => tx.update(await now(tx), [4], new Map([[3, long("d")]])));
    await one.copy();
    await change(async (tx) => tx.update(await now(tx), [2], new Map([[3, long("e")]])));
    await change(async (tx) => tx.update(await now(tx), [1], new Map([[3, "short"]])));
    await change(async (tx) => tx.delete(await now(tx), [3]));
    await one.freeze();
    await one.copy();
    const before = await read(source, table);
    await one.close();
    await one.arrive();
    await one.forget();
    expect(await read(target, table)).toEqual(before);
    expect(before).toEqual([
      [1, "k", "short", null],
      [2, "k", long("e"), null],
      [4, "l", long("d"), null],
    ]);
    expect(await looseValues(source, table)).toEqual([]);
  });
});

describe("indexes without an order", () => {
  it("lead to rows with long values, and are checked and built with them", async () => {
    const at = await open();
    const point = (n: number): Datum[] => [n, n, n, `{"t":"${n % 2}"}`, long(`${n}`)];
    const table = await at.rows.run(async (tx) => {
      const spec: TableSpec = {
        id: newTableId(),
        namespace: ["docs"],
        name: "t",
        columns: [
          { name: "id", type: { kind: "int4" } },
          { name: "x", type: { kind: "float8" } },
          { name: "y", type: { kind: "float8" } },
          { name: "tags", type: { kind: "jsonb" } },
          { name: "body", type: { kind: "text" } },
        ],
        primaryKey: { parts: [{ column: "id" }] },
        indexes: [{ name: "at", method: "hilbert", parts: [{ column: "x" }, { column: "y" }] }],
      };
      const first = await tx.createTable(spec);
      await tx.insert(first, [0, 1, 2, 3].map(point));
      // JSON longer than a row holds is found by its terms too.
      const words = JSON.stringify({ t: "9", pad: long("p") });
      await tx.insert(first, [[9, 9, 9, words, "short"]]);
      return await tx.createIndex(spec.id, {
        name: "by_tags",
        method: "gin",
        parts: [{ column: "tags" }],
      });
    });
    await at.rows.run(async (tx) => {
      expect(await brokenIndexes(tx, table)).toEqual([]);
      const box = [
        { low: 1, high: 2 },
        { low: 0, high: 2 },
      ];
      const columns = [1, 5];
      const near = await rowsOf(tx.scan(table, { index: 1, box, mayReadWhole: false, columns }));
      expect(near.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
        [1, long("1")],
        [2, long("2")],
      ]);
      const tagged = async (t: string): Promise<readonly unknown[]> => {
        const part = { type: { kind: "jsonb" }, operatorClass: "jsonb_ops", part: 0 } as const;
        const postings = postingQuery(part, "contains", JSON.stringify({ t }));
        return await rowsOf(tx.scan(table, { index: 2, postings, mayReadWhole: false, columns }));
      };
      expect(await tagged("1")).toEqual([
        [1, long("1")],
        [3, long("3")],
      ]);
      expect(await tagged("9")).toEqual([[9, "short"]]);
    });
  });
});

it.each([
  // All rows are fetched before the writes, or the last two behind them.
  [4, ["2", "3", "4"]],
  [2, ["2", "n", "m"]],
])("a scan by an index has long values of the state of its rows, %i at once", async (n, then) => {
  const at = await open();
  const rows = [1, 2, 3, 4].map((id): Datum[] => [id, "k", long(`${id}`, 5 * MB), null]);
  const table = await made(at);
  for (const row of rows) await at.rows.run((tx) => tx.insert(table, [row]));
  await at.rows.run(async (tx) => {
    const scan = tx.scan(table, { index: 1, columns: [1, 3], batchRows: n });
    const first = await scan.nextBatch();
    expect(first?.count).toBe(1);
    await tx.update(table, [2], new Map([[3, "short"]]));
    await tx.update(table, [3], new Map([[3, long("n")]]));
    await tx.update(table, [4], new Map([[3, long("m", MB + 1)]]));
    const bodies = (await rowsOf(scan)).map(([, body]) => (body as string).slice(0, 1));
    expect(bodies).toEqual(then);
  });
  expect(await read(at, table)).toHaveLength(4);
});
