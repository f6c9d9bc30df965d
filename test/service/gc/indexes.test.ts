import { expect, test } from "vitest";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { tableIndexKey } from "../../../src/catalog/table-index.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { GC_JOB } from "../../../src/service/gc/job.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { SCHEMA } from "../../support/open-iceberg.ts";
import {
  collect,
  collectAll,
  commits,
  DAY_MS,
  type GcNode,
  type GcWorld,
  GRACE_MS,
  gcWorld,
  keysOf,
  makeTable,
  NS,
  T,
} from "../support/garbage.ts";

/*
 * The indexes of tables in a store that versions without them wrote, or still write.
 */

const ENTRIES = "/tables/by-uuid/";

async function deleteKeys({ stores: { pointers } }: GcWorld, keys: readonly string[]) {
  for (const key of keys) {
    const { version: expected } = await pointers.get(key);
    await pointers.commit({ writerId: "old", ops: [{ op: "delete", key, expected }] });
  }
}

/** As an older version leaves a table that it makes. */
async function makeOld(world: GcWorld, node: GcNode, name: string): Promise<void> {
  const before = await keysOf(world, ENTRIES);
  const request = { name, schema: SCHEMA, stageCreate: false, properties: {} };
  await node.iceberg.createTable(ACTOR, NS, request);
  const made = (await keysOf(world, ENTRIES)).filter((key) => !before.includes(key));
  expect(made).toHaveLength(1);
  await deleteKeys(world, made);
}

async function isDeclared({ catalog: { context } }: GcNode): Promise<boolean> {
  return (await context.pointers.get(tableIndexKey(context.account))).state === "live";
}

/** A store as an older version wrote it: tables without entries, and no marker. */
async function oldStore(wrap?: (inner: PointerStore) => PointerStore) {
  const world = gcWorld();
  const node = await world.open(wrap === undefined ? {} : { pointers: wrap });
  await makeTable(node);
  await makeOld(world, node, "u");
  const { account } = node.catalog.context;
  await deleteKeys(world, [...(await keysOf(world, ENTRIES)), tableIndexKey(account)]);
  expect(await keysOf(world, ENTRIES)).toEqual([]);
  return { world, node };
}

test("the first mark adds what is missing, and the second one declares the indexes", async () => {
  const { world, node } = await oldStore();
  await collect(node);
  expect(await keysOf(world, ENTRIES)).toHaveLength(2);
  expect(await isDeclared(node)).toBe(false);
  await world.clock.sleep(GRACE_MS / 2);
  await collect(node);
  expect(await isDeclared(node)).toBe(false);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await isDeclared(node)).toBe(true);
  expect(node.stops).toEqual([]);
  // What it built is what a purge reads.
  await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
  await world.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  await node.runner.runDue();
  expect(await keysOf(world, ENTRIES)).toHaveLength(1);
});

test("a store with nothing to collect is declared as well, and then is left alone", async () => {
  const { world, node } = await oldStore();
  await world.clock.sleep(20 * DAY_MS);
  await collectAll(world.clock, node);
  await collectAll(world.clock, node);
  expect(await isDeclared(node)).toBe(true);
  await world.clock.sleep(20 * DAY_MS);
  await collect(node);
  expect(await node.catalog.jobs.get(GC_JOB)).toBeUndefined();
});

test("while an older version writes tables, the indexes are not declared", async () => {
  const { world, node } = await oldStore();
  await collect(node);
  await makeOld(world, node, "old");
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await keysOf(world, ENTRIES)).toHaveLength(3);
  expect(await isDeclared(node)).toBe(false);
  await commits(node, 1);
  await collectAll(world.clock, node);
  expect(await isDeclared(node)).toBe(true);
});

test("a mark that finds a table of an older version takes the declaration back", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  expect(await isDeclared(node)).toBe(true);
  await makeOld(world, node, "old");
  await collect(node);
  expect(await isDeclared(node)).toBe(false);
  expect(await keysOf(world, ENTRIES)).toHaveLength(2);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await isDeclared(node)).toBe(true);
});

test("an entry that its table does not have goes; a look only counts it", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const [own = ""] = await keysOf(world, ENTRIES);
  const key = own.replace(/[^/]+$/, "00000000-0000-7000-8000-000000000009");
  const ops = [{ op: "put", key, expected: 0n } as const];
  await world.stores.pointers.commit({ writerId: "old", ops });
  const { garbage } = await node.collector.look(new AbortController().signal);
  expect(garbage.indexes).toEqual({ count: 1, bytes: 0 });
  expect(await keysOf(world, ENTRIES)).toContain(key);
  await collect(node);
  expect(await keysOf(world, ENTRIES)).toEqual([own]);
  expect(await isDeclared(node)).toBe(true);
});

test("a table that ends before its entry is added leaves none", async () => {
  let work: (() => Promise<unknown>) | undefined;
  const { world, node } = await oldStore((inner) => ({
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    forget: (key, version) => inner.forget(key, version),
    sweep: (...of) => inner.sweep(...of),
    commit: async (batch) => {
      const isEntry = batch.ops.length === 2 && batch.ops[0]?.key.includes(ENTRIES) === true;
      const meanwhile = isEntry ? work : undefined;
      if (meanwhile !== undefined) {
        work = undefined;
        await meanwhile();
      }
      return inner.commit(batch);
    },
  }));
  const other = await world.open();
  work = async () => {
    for (const table of ["t", "u"]) {
      await other.iceberg.dropTable(ACTOR, { ...NS, table }, { purgeRequested: false });
    }
    for (const key of await keysOf(world, "/tables/by-id/")) await deleteKeys(world, [key]);
  };
  await collect(node);
  expect(work).toBeUndefined();
  expect(await keysOf(world, ENTRIES)).toEqual([]);
});
