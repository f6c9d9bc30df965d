import { describe, expect, it } from "vitest";
import type { FirnError } from "../../../src/base/error.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { LsmMetrics, MemoryBudget } from "../../../src/lsm/index.ts";
import type { Datum, RowTransaction, TableDescriptor } from "../../../src/rows/index.ts";
import { openMemoryShard } from "../../../src/runtime/memory-shard.ts";
import type { NewRowTable } from "../../../src/service/rows/row-tables.ts";
import { brokenIndexes, rowsOf } from "../../rows/support/open-rows.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { openTestIceberg } from "../../support/open-iceberg.ts";

const INT = { kind: "int4" } as const;
const TEXT = { kind: "text" } as const;
const REQUEST: NewRowTable = {
  name: "t",
  columns: [
    { name: "id", type: INT },
    { name: "a", type: INT, default: { kind: "expression", text: "20 + 22" } },
    { name: "twice", type: INT, generated: "t.a * 2" },
    { name: "name", type: TEXT },
    { name: "at", type: { kind: "timestamptz" }, default: { kind: "expression", text: "now()" } },
  ],
  primaryKey: { parts: [{ column: "id" }] },
  indexes: [
    {
      name: "lower_idx",
      parts: [{ expression: "lower(name)", type: TEXT }],
      predicate: "a > 0 AND name IS NOT NULL",
      unique: true,
    },
  ],
  checks: [{ name: "a_small", expression: "a < 100 -- no more" }],
};

/** A node with row tables; what its stores hold outlives it. */
async function node() {
  const stores = testStores();
  const blobs = new MemoryBlobStore(stores.clock);
  const budget = MemoryBudget.within(64 * 1_048_576);
  const metrics = new LsmMetrics(createMetrics(), budget);
  const { clock, prng } = stores;
  const openRowShard = async (shard: string) =>
    await openMemoryShard(blobs, { clock, prng, nodeId: "n", budget, metrics, shard });
  const opened = await openTestIceberg(stores, undefined, { openRowShard });
  await opened.model.namespaces.create(ACTOR, { catalog: { name: "c" } }, ["a"], {});
  return opened;
}

async function table() {
  const { rows } = await node();
  const { store, id } = await rows.create(ACTOR, { catalog: "c", path: ["a"] }, REQUEST);
  const within = async <T>(
    work: (tx: RowTransaction, now: TableDescriptor) => Promise<T>,
  ): Promise<T> => await store.run(async (tx) => await work(tx, await tx.tables.get(id)));
  const insert = async (...values: (Datum | undefined)[]): Promise<unknown> =>
    await within((tx, now) => tx.insert(now, [values], { columns: [1, 2, 4] })).then(
      ([made]) => made?.row.slice(0, 4),
      ({ context }: FirnError) => `${context["sqlState"]} ${context["constraint"]}`,
    );
  return { id, store, within, insert };
}

const stateOf = ({ context }: FirnError): unknown => context["sqlState"];

describe("a row table that the service opened", () => {
  it("has SQL for defaults, checks, generated columns and indexes", async () => {
    const { within, insert } = await table();
    expect(await insert(1, undefined, "One")).toEqual([1, 42, 84, "One"]);
    expect(await insert(2, 100, "Two")).toBe("23514 a_small");
    expect(await insert(2, 99, "ONE")).toBe("23505 lower_idx");
    expect(await insert(3, 0, "ONE")).toEqual([3, 0, 0, "ONE"]);
    await within(async (tx, now) => {
      const scan = tx.scan(now, { index: 1, equal: ["one"], columns: [1] });
      expect(await rowsOf(scan)).toEqual([[1]]);
      expect(await brokenIndexes(tx, now)).toEqual([]);
      const [row] = await rowsOf(tx.scan(now, { columns: [5] }));
      expect(typeof row?.[0]).toBe("bigint");
      const changes = new Map<number, Datum>([[2, 1_000]]);
      expect(await tx.update(now, [1], changes).catch(stateOf)).toBe("23514");
    });
  });

  it("keeps its expressions when a column or the table is renamed", async () => {
    const { id, within, insert, store } = await table();
    await store.run((tx) => tx.alter(id, { kind: "rename column", column: "a", name: 'The "A"' }));
    await store.run((tx) => tx.alter(id, { kind: "rename", name: "u" }));
    expect(await insert(1, 100, "One")).toBe("23514 a_small");
    expect(await insert(1, 50, "One")).toEqual([1, 50, 100, "One"]);
    expect(await within(async (_, now) => now.columns[2]?.generated)).toBe('t."The ""A""" * 2');
    const dropped = store.run((tx) => tx.alter(id, { kind: "drop column", column: 'The "A"' }));
    expect(await dropped.catch(stateOf)).toBe("2BP01");
    // Nothing names this one.
    await store.run((tx) => tx.alter(id, { kind: "drop column", column: "at" }));
  });

  it("gives old rows one stable default, and each its own volatile one", async () => {
    const { id, insert, store, within } = await table();
    await insert(1, 1, "One");
    await insert(2, 2, "Two");
    const uuid = { kind: "uuid" } as const;
    const given = (text: string) => ({ kind: "expression", text }) as const;
    const columns = [
      { name: "u", type: uuid, default: given("gen_random_uuid()") },
      { name: "s", type: { kind: "timestamptz" }, default: given("now()") },
    ] as const;
    for (const column of columns)
      await store.run((tx) => tx.alter(id, { kind: "add column", column }));
    const rows = await within(async (tx, now) => {
      const ids = ["u", "s"].map((name) => now.columns.find((one) => one.name === name)?.id ?? 0);
      return await rowsOf(tx.scan(now, { columns: ids }));
    });
    expect(new Set(rows.map(([own]) => own)).size).toBe(2);
    expect(new Set(rows.map(([, same]) => same)).size).toBe(1);
    expect(typeof rows[0]?.[1]).toBe("bigint");
  });

  it.each<[string, Partial<NewRowTable>, string]>([
    ["an unknown column", { checks: [{ name: "c", expression: "b > 0" }] }, "42703"],
    ["no condition", { checks: [{ name: "c", expression: "a + 1" }] }, "42804"],
    ["a syntax error", { checks: [{ name: "c", expression: "a >" }] }, "42601"],
    ["two expressions", { checks: [{ name: "c", expression: "a), (a" }] }, "42601"],
    ["a query", { checks: [{ name: "c", expression: "a) FROM (t" }] }, "42601"],
    ["a subquery", { checks: [{ name: "c", expression: "a = (SELECT 1)" }] }, "0A000"],
    [
      "a changing index",
      { indexes: [{ name: "i", parts: [{ expression: "random()", type: { kind: "float8" } }] }] },
      "42P17",
    ],
    [
      "a changing predicate",
      { indexes: [{ name: "i", parts: [{ column: "a" }], predicate: "at < now()" }] },
      "42P17",
    ],
  ])("refuses %s in an expression", async (_, change, state) => {
    const { rows } = await node();
    const request = { ...REQUEST, ...change };
    const made = rows.create(ACTOR, { catalog: "c", path: ["a"] }, request);
    expect(await made.then(() => "done", stateOf)).toBe(state);
  });
});
