import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { type Engine, LsmMetrics, MemoryBudget, type Shard } from "../../../src/lsm/index.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { repairIndex } from "../../../src/rows/index.ts";
import { openMemoryShard } from "../../../src/runtime/memory-shard.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { openTestIceberg } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const NS = { catalog: "c", path: ["a"] } as const;
const REF = { ...NS, name: "t" } as const;
const REQUEST = {
  name: "t",
  columns: [
    { name: "id", type: { kind: "int4" } },
    { name: "v", type: { kind: "text" } },
  ],
  primaryKey: { parts: [{ column: "id" }] },
  indexes: [{ name: "v_idx", parts: [{ column: "v" }] }],
} as const;
const FIRST_ROW_KEY = Buffer.from("0100000010", "hex");

type Fault = "refused" | "answer lost" | "never answered";

/** A catalog with row tables, whose next batch may meet a fault. */
async function world() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const { pointers } = stores;
  const next: { fault?: Fault } = {};
  const faulty: PointerStore = {
    get: (key) => pointers.get(key),
    getMany: (keys) => pointers.getMany(keys),
    list: (directory, options) => pointers.list(directory, options),
    forget: (key, version) => pointers.forget(key, version),
    sweep: (prefix) => pointers.sweep(prefix),
    commit: async (batch) => {
      const { fault } = next;
      const isCreate = batch.ops.length > 3;
      if (fault === undefined || !isCreate) return await pointers.commit(batch);
      if (fault === "refused") throw new FirnError("Unavailable", "STORE_DOWN", "not sent");
      if (fault === "answer lost") await pointers.commit(batch);
      throw new FirnError("Unknown", "STORE_SILENT", "no answer");
    },
  };
  const blobs = new MemoryBlobStore(clock);
  const shards: Shard[] = [];
  const budget = MemoryBudget.within(64 * 1_048_576);
  const metrics = new LsmMetrics(createMetrics(), budget);
  const openRowShard = async (shard: string): Promise<Shard> => {
    const parts = { clock, prng: stores.prng, nodeId: `n${shards.length}`, budget, metrics, shard };
    const opened = await openMemoryShard(blobs, parts);
    shards.push(opened);
    return opened;
  };
  const node = await openTestIceberg({ ...stores, pointers: faulty }, undefined, { openRowShard });
  await node.model.namespaces.create(ACTOR, { catalog: { name: "c" } }, ["a"], {});
  const rows = async (): Promise<number> => {
    let count = 0;
    for (const shard of shards) {
      const engine: Engine = await shard.engine();
      for await (const batch of engine.scan({ from: FIRST_ROW_KEY })) count += batch.length;
    }
    return count;
  };
  const fill = async (): Promise<void> => {
    const { store, id } = await node.rows.open(ACTOR, REF);
    await store.run(async (tx) => {
      await tx.insert(await tx.tables.get(id), [
        [1, "x"],
        [2, null],
      ]);
    });
  };
  return { clock, node, next, rows, fill, shards };
}

/** Runs work over virtual time, which waits of retries need. */
async function within<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  done.catch(() => undefined);
  for (let i = 0; i < 200 && !over; i++) await clock.advance(1_000);
  return await done;
}

describe("the rows of a row table", () => {
  it("go with the purge of their table, and not before", async () => {
    const { clock, node, rows, fill } = await world();
    await node.rows.create(ACTOR, NS, REQUEST);
    await fill();
    expect(await rows()).toBe(4);
    const place = { catalog: { name: "c" }, namespace: { path: ["a"] }, relation: { name: "t" } };
    await node.model.tables.drop(ACTOR, place);
    await within(clock, node.runner.runDue());
    expect(await rows()).toBe(4);
    await clock.advance(CATALOG_LIMITS.dropRetentionMs + 1_000);
    await within(clock, node.runner.runDue());
    expect(await rows()).toBe(0);
    expect((await node.dropped.list(ACTOR, { limit: 10 })).items).toEqual([]);
  });

  it.each<[Fault, string, number]>([
    ["refused", "STORE_DOWN", 0],
    ["never answered", "STORE_SILENT", 0],
    ["answer lost", "STORE_SILENT", 1],
  ])("a create whose batch is %s leaves %s and no half table", async (fault, code, tables) => {
    const { clock, node, next, fill, rows } = await world();
    next.fault = fault;
    const failed = within(clock, node.rows.create(ACTOR, NS, REQUEST)).then(
      () => "done",
      (error: FirnError) => error.code,
    );
    expect([code, "done"]).toContain(await failed);
    delete next.fault;
    const catalog = await node.catalog.catalogs.get("c");
    const listed = async (): Promise<number> =>
      (await node.catalog.tables.list(NS, { limit: 10 })).items.length;
    expect(await listed()).toBe(tables);
    // Too young to be judged: its batch may still land.
    expect(await node.rows.sweep(ACTOR, catalog.entity.id)).toBe(0);
    await clock.advance(3_700_000);
    const left = fault === "never answered" ? 1 : 0;
    expect(await node.rows.sweep(ACTOR, catalog.entity.id)).toBe(left);
    if (tables === 0) await node.rows.create(ACTOR, NS, REQUEST);
    await fill();
    expect(await rows()).toBe(4);
    expect(await listed()).toBe(1);
  });

  it("are checked by fsck: a lost table, an index that was tampered with", async () => {
    const { node, fill, shards } = await world();
    await node.rows.create(ACTOR, NS, REQUEST);
    await fill();
    const findings = async (): Promise<readonly unknown[]> => {
      const found: unknown[] = [];
      for await (const one of node.fsck(new MemoryBlobStore(new VirtualClock())).run()) {
        found.push([one.code, one.level, one.facts]);
      }
      return found;
    };
    expect(await findings()).toEqual([]);
    const engine = (await shards[0]?.engine()) as Engine;
    const entry = Buffer.from("01000000100001", "hex");
    for await (const batch of engine.scan({ from: entry })) {
      for (const { key } of batch) await engine.delete(key);
    }
    expect(await findings()).toEqual([
      ["ROW_INDEX_MISMATCH", "damage", { index: "v_idx", missing: 2, extra: 0, wrong: 0 }],
    ]);
    const { store, id } = await node.rows.open(ACTOR, REF);
    await repairIndex(store, id, "v_idx");
    expect(await findings()).toEqual([]);
    await store.run(async (tx) => await tx.dropTable(id));
    expect(await findings()).toEqual([["ROW_TABLE_LOST", "damage", { table: "t" }]]);
  });
});

describe("the entry of a row table", () => {
  it("makes way where a crash left it without rows, not where it is claimed", async () => {
    const { node, fill } = await world();
    const { store, id: lost } = await node.rows.create(ACTOR, NS, REQUEST);
    await store.run(async (tx) => await tx.dropTable(lost));
    const make = async () => {
      const tx = await store.begin();
      const id = node.catalog.context.ids.mint<typeof lost>();
      return {
        tx,
        id,
        table: await tx.createTable({ ...REQUEST, id, namespace: ["a"], unnamed: true }),
      };
    };
    const [first, second] = [await make(), await make()];
    const claim = await node.rows.claim(ACTOR, REF, first.table);
    await expect(node.rows.claim(ACTOR, REF, second.table)).rejects.toMatchObject({
      code: "TABLE_ALREADY_EXISTS",
    });
    await first.tx.commit();
    claim.kept();
    await expect(node.rows.claim(ACTOR, REF, second.table)).rejects.toMatchObject({
      code: "TABLE_ALREADY_EXISTS",
    });
    second.tx.rollback();
    await fill();
    // Another's table of the name is not released.
    await node.rows.release(ACTOR, REF, lost);
    expect((await node.rows.open(ACTOR, REF)).id).toBe(first.id);
    const third = await make();
    const undone = await node.rows.claim(ACTOR, { ...NS, name: "u" }, third.table);
    await undone.undo();
    await expect(node.rows.open(ACTOR, { ...NS, name: "u" })).rejects.toMatchObject({
      code: "TABLE_NOT_FOUND",
    });
  });
});
