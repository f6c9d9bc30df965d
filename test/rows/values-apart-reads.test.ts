import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Transaction } from "../../src/lsm/transaction/transaction.ts";
import { buildIndex } from "../../src/rows/build-index.ts";
import { beginIndex, type Datum, type TableDescriptor } from "../../src/rows/index.ts";
import { openServer } from "../pgwire/wire-client.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const APART_INDEX = Buffer.of(0xff, 0xff);
const MB = 1_048_576;

/** Pieces of long values that transactions have read since they were counted last. */
let pieces = 0;

function counted(): number {
  const found = pieces;
  pieces = 0;
  return found;
}

function count(keys: readonly Uint8Array[]): void {
  pieces += keys.filter((key) => APART_INDEX.equals(key.subarray(5, 7))).length;
}

beforeEach(() => {
  pieces = 0;
  const { getMany, asOfNow } = Transaction.prototype;
  vi.spyOn(Transaction.prototype, "getMany").mockImplementation(function (this: Transaction, keys) {
    count(keys);
    return getMany.call(this, keys);
  });
  vi.spyOn(Transaction.prototype, "asOfNow").mockImplementation(function (this: Transaction) {
    const reads = asOfNow.call(this);
    return {
      ...reads,
      getMany: (keys: readonly Uint8Array[]) => {
        count(keys);
        return reads.getMany(keys);
      },
    };
  });
});

const opened: OpenRows[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of opened.splice(0)) await one.end();
});

const row = (id: number): Datum[] => [id, "k", "b".repeat(2 * MB), "n".repeat(50_000)];

/** A row has two pieces of `body` and one of `notes`. */
async function made(): Promise<readonly [OpenRows, TableDescriptor]> {
  const at = await openRows();
  opened.push(at);
  const table = await at.rows.run((tx) =>
    tx.createTable({
      id: newTableId(),
      namespace: ["docs"],
      name: "documents",
      columns: [
        { name: "id", type: { kind: "int4" } },
        { name: "kind", type: { kind: "text" } },
        { name: "body", type: { kind: "text" } },
        { name: "notes", type: { kind: "text" } },
      ],
      primaryKey: { parts: [{ column: "id" }] },
      indexes: [
        { name: "by_kind", parts: [{ column: "kind" }] },
        { name: "by_notes", parts: [{ column: "kind" }], include: ["notes"] },
      ],
    }),
  );
  for (const id of [1, 2]) await at.rows.run((tx) => tx.insert(table, [row(id)]));
  expect(counted()).toBe(0);
  return [at, table];
}

describe("a change of a row", () => {
  it("reads those of its long values alone that it or its caller needs", async () => {
    const [at, table] = await made();
    const update = async (changes: [number, Datum][], told?: readonly number[]) =>
      await at.rows.run((tx) => tx.update(table, [1], new Map(changes), told));
    expect(await update([[2, "l"]], [2])).toEqual(["l"]);
    // The index has the notes.
    expect(counted()).toBe(1);
    expect(await update([[4, "short"]], [])).toEqual([]);
    expect(counted()).toBe(1);
    expect(await update([[2, "m"]], [1, 3])).toEqual([1, "b".repeat(2 * MB)]);
    expect(counted()).toBe(2);
    expect(await update([[3, "c".repeat(MB + 1)]], [])).toEqual([]);
    expect(counted()).toBe(0);
    expect(await update([[2, "n"]])).toEqual([1, "n", "c".repeat(MB + 1), "short"]);
    expect(counted()).toBe(2);
    await at.rows.run(async (tx) => {
      expect(await tx.checkValues(table)).toEqual([]);
      for (const { id } of table.indexes) {
        expect(await tx.checkIndex(table, id)).toMatchObject({ missing: 0, extra: 0, wrong: 0 });
      }
      expect(await rowsOf(tx.scan(table))).toEqual([[1, "n", "c".repeat(MB + 1), "short"], row(2)]);
    });
  });

  it("to another key takes all of them with it", async () => {
    const [at, table] = await made();
    await at.rows.run((tx) => tx.update(table, [1], new Map([[1, 3]]), []));
    expect(counted()).toBe(3);
    expect(await at.rows.run((tx) => tx.get(table, [3]))).toEqual([3, ...row(3).slice(1)]);
  });

  it("takes its place or removes it without reading what no index has", async () => {
    const [at, table] = await made();
    await at.rows.run((tx) => tx.put(table, row(1)));
    // The notes, for the entry of the index.
    expect(counted()).toBe(1);
    expect(await at.rows.run((tx) => tx.delete(table, [1], [2]))).toEqual(["k"]);
    expect(counted()).toBe(1);
    expect(await at.rows.run((tx) => tx.delete(table, [2]))).toEqual(row(2));
    expect(counted()).toBe(3);
  });
});

describe("an index", () => {
  it("is built and checked with the values that it has, and no others", async () => {
    const [at, first] = await made();
    const spec = { name: "by_id", parts: [{ column: "id" }, { column: "kind" }] } as const;
    const table = await at.rows.run((tx) => tx.createIndex(first.id, spec));
    expect(counted()).toBe(0);
    await beginIndex(at.rows, table.id, { ...spec, name: "online" });
    await buildIndex(at.rows, table.id, "online");
    expect(counted()).toBe(0);
    const now = await at.rows.run((tx) => tx.tables.get(table.id));
    const ids = now.indexes.map(({ id, name }) => [name, id] as const);
    for (const [name, id] of ids) {
      await at.rows.run((tx) => tx.checkIndex(now, id));
      // Rows and entries, two of each, whose notes have one piece.
      expect([name, counted()]).toEqual([name, name === "by_notes" ? 4 : 0]);
    }
    await at.rows.run((tx) => tx.createIndex(table.id, { ...spec, name: "w", include: ["body"] }));
    expect(counted()).toBe(4);
  });
});

describe("SQL", () => {
  it("changes and removes rows without the long values that it does not name", async () => {
    const server = await openServer();
    const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
    await client.connect();
    try {
      const ask = async (sql: string): Promise<readonly unknown[][]> => {
        const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
        return rows;
      };
      await ask("create table t (id int primary key, kind text, n numeric, body text, notes text)");
      await ask(`insert into t select n, 'k', 1.50, repeat('b', ${2 * MB}), repeat('n', 50000)
        from generate_series(1, 3) n`);
      counted();
      await ask("update t set kind = 'l', n = n + 1 where id < 3");
      expect(counted()).toBe(0);
      expect(await ask("update t set kind = 'm' where id = 1 returning id, kind, n")).toEqual([
        [1, "m", "2.50"],
      ]);
      expect(counted()).toBe(0);
      const told = await ask("update t set n = 0 where id = 1 returning left(notes, 2), n");
      expect([told, counted()]).toEqual([[["nn", "0"]], 1]);
      await ask("update t set kind = left(notes, 3) where id = 2");
      expect(counted()).toBe(1);
      // Its condition is looked at again behind the lock.
      await ask("update t set kind = 'x' where id = 3 and notes like 'n%'");
      expect(counted()).toBe(2);
      expect(await ask("update t set id = 4 where id = 3 returning t")).toHaveLength(1);
      expect(counted()).toBeGreaterThanOrEqual(3);
      expect(await ask("delete from t where id = 4 returning kind")).toEqual([["x"]]);
      expect(counted()).toBe(0);
      await ask("alter table t add constraint named check (kind <> 'bad' and length(notes) > 3)");
      counted();
      await expect(client.query("update t set kind = 'bad' where id = 1")).rejects.toMatchObject({
        detail: expect.stringMatching(/^Failing row contains \(1, bad, 0, bbb/),
      });
      counted();
      await ask("update t set kind = 'good' where id = 1");
      // The check reads the notes.
      expect(counted()).toBe(1);
      const left = "select id, kind, n, length(body), length(notes) from t order by id";
      expect(await ask(left)).toEqual([
        [1, "good", "0", 2 * MB, 50_000],
        [2, "nnn", "2.50", 2 * MB, 50_000],
      ]);
    } finally {
      await client.end();
      await server.close();
    }
    expect(server.defects).toEqual([]);
  });
});
