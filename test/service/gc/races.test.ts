import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import type { Item, PointerStore } from "../../../src/pointer/port.ts";
import { GC_JOB } from "../../../src/service/gc/job.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import {
  broken,
  collect,
  commits,
  DAY_MS,
  type GcNode,
  type GcWorld,
  GRACE_MS,
  gcWorld,
  keysOf,
  makeTable,
  NS,
  payloads,
  setProperty,
  stepOfRun,
  T,
} from "../support/garbage.ts";

/** A store of which single methods do something else. */
function over<S extends object>(inner: S, own: Partial<S>): S {
  return new Proxy(inner, {
    get: (target, name) => {
      const mine = Reflect.get(own, name) as unknown;
      if (mine !== undefined) return mine;
      const theirs = Reflect.get(target, name) as unknown;
      return typeof theirs === "function" ? theirs.bind(target) : theirs;
    },
  });
}

/** A table whose history is over: its older payloads are garbage. */
async function withGarbage(world: GcWorld): Promise<void> {
  const node = await world.open();
  await makeTable(node);
  await commits(node, 5);
  await world.clock.sleep(8 * DAY_MS);
}

const LIVE = 4;

test("a payload that is put before a mark and named after it stays", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const collecting = await world.open();
  // The batch comes when the first mark is over: within the time that a put has for its batch.
  let isHeld = false;
  const writer = await world.open({
    pointers: (inner) =>
      over(inner, {
        commit: async (batch) => {
          if (batch.ops.length > 1 && !isHeld) {
            isHeld = true;
            // Old enough for the listing, as a store's clock may be behind.
            await world.clock.sleep(SERVICE_LIMITS.catalogGcFloorMs);
            expect(await collect(collecting)).toBe(true);
          }
          return inner.commit(batch);
        },
      }),
  });
  await writer.iceberg.commitTable(ACTOR, T, setProperty("late", "1")).catch(() => undefined);
  expect(isHeld).toBe(true);
  await world.clock.sleep(GRACE_MS);
  expect(await collect(collecting)).toBe(true);
  expect(await broken(world)).toEqual([]);
  expect(collecting.stops).toEqual([]);
  const loaded = await collecting.iceberg.loadTable(ACTOR, T, { snapshots: "all" });
  expect(loaded).not.toBe("not-modified");
});

test("a return to old content is a new payload, which the old one's end spares", async () => {
  const world = gcWorld();
  const node = await world.open();
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const set = (v: string) =>
    node.iceberg.updateNamespace(ACTOR, NS, { removals: [], updates: { v } });
  await set("old");
  const [old] = (await payloads(world)).filter((path) => path.includes("/namespaces/")).slice(-1);
  await set("new");
  await world.clock.sleep(8 * DAY_MS);
  expect(await collect(node)).toBe(true);
  // Between the marks and at every later step the content comes back.
  await set("old");
  await world.clock.sleep(GRACE_MS);
  expect(await collect(node)).toBe(true);
  await set("new");
  await set("old");
  expect(await broken(world)).toEqual([]);
  expect(await payloads(world)).not.toContain(old);
  const { properties } = await node.iceberg.loadNamespace(ACTOR, NS);
  expect(properties).toMatchObject({ v: "old" });
});

test("a delete that was paused after it read the owners spares newer payloads", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const writer = await world.open();
  let paused = 0;
  const collecting = await world.open({
    blobs: (inner) =>
      over(inner, {
        deleteMany: async (paths) => {
          if (paths.some((path) => path.startsWith("accounts/")) && paused++ === 0) {
            await commits(writer, 3);
            await writer.iceberg.dropTable(ACTOR, T, { purgeRequested: false });
            const [{ id } = { id: "" }] = (await writer.dropped.list(ACTOR)).items;
            await writer.dropped.undrop(ACTOR, id);
          }
          return inner.deleteMany(paths);
        },
      }),
  });
  await collect(collecting);
  await world.clock.sleep(GRACE_MS);
  await collect(collecting);
  expect(paused).toBe(1);
  expect(await broken(world)).toEqual([]);
  await expect(writer.iceberg.loadTable(ACTOR, T, { snapshots: "all" })).resolves.toBeDefined();
});

test("a lease that is over before the delete: nothing is deleted by who lost it", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const before = await payloads(world);
  const other = await world.open();
  let isSlow = false;
  let reached = 0;
  const slow = await world.open({
    pointers: (inner) =>
      over(inner, {
        getMany: async (keys) => {
          const found = await inner.getMany(keys);
          // The last look before a delete, of keys by id: then the node stops for long.
          if (isSlow && keys.length > 5) {
            isSlow = false;
            reached++;
            await world.clock.sleep(2 * CATALOG_LIMITS.jobLeaseMs);
          }
          return found;
        },
      }),
    blobs: (inner) =>
      over(inner, {
        deleteMany: async (paths) => {
          if (paths.some((path) => path.startsWith("accounts/"))) reached += 100;
          return inner.deleteMany(paths);
        },
      }),
  });
  await collect(slow);
  await world.clock.sleep(GRACE_MS);
  isSlow = true;
  await slow.runner.runEarly(GC_JOB);
  // It may have renewed its lease after the pause, as nobody had taken the job up meanwhile.
  expect(reached).toBeGreaterThan(0);
  expect(await broken(world)).toEqual([]);
  await world.clock.sleep(2 * CATALOG_LIMITS.jobLeaseMs + SERVICE_LIMITS.jobRetryCapMs);
  await collect(other);
  expect((await payloads(world)).length).toBeLessThan(before.length);
  expect(await broken(world)).toEqual([]);
});

test("another node takes a run over in the middle of its deletes", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const second = await world.open();
  let taken: boolean | undefined;
  const first = await world.open({
    blobs: (inner) =>
      over(inner, {
        deleteMany: async (paths) => {
          if (paths.some((path) => path.startsWith("accounts/")) && taken === undefined) {
            taken = false;
            await world.clock.sleep(2 * CATALOG_LIMITS.jobLeaseMs);
            await second.runner.runDue();
            taken = true;
          }
          return inner.deleteMany(paths);
        },
      }),
  });
  await collect(first);
  await world.clock.sleep(GRACE_MS);
  await first.runner.runEarly(GC_JOB);
  expect(taken).toBe(true);
  expect(second.deleted.length).toBeGreaterThan(0);
  expect(await payloads(world)).toHaveLength(LIVE);
  expect(await broken(world)).toEqual([]);
});

test("a node that hangs at the end of a run leaves the segments of the next one", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const second = await world.open();
  let hangs = false;
  const first = await world.open({
    blobs: (inner) =>
      over(inner, {
        list: async (prefix, options) => {
          if (hangs && prefix.startsWith("gc/")) {
            hangs = false;
            await world.clock.sleep(2 * CATALOG_LIMITS.jobLeaseMs);
            await second.runner.runDue();
            await commits(second, 5);
            await world.clock.sleep(8 * DAY_MS);
            await collect(second);
          }
          return inner.list(prefix, options);
        },
      }),
  });
  await collect(first);
  await world.clock.sleep(GRACE_MS);
  hangs = true;
  await first.runner.runEarly(GC_JOB);
  expect(await stepOfRun(second)).toBe("waiting");
  await world.clock.sleep(GRACE_MS);
  await collect(second);
  expect(second.stops).toEqual([]);
  expect(await payloads(world)).toHaveLength(LIVE);
  expect(await broken(world)).toEqual([]);
});

test("two nodes that ask at once start one run and one job", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const [a, b] = [await world.open(), await world.open()];
  await Promise.all([a.collector.ask(), b.collector.ask()]);
  const ran = await Promise.all([a.runner.runEarly(GC_JOB), b.runner.runEarly(GC_JOB)]);
  expect(ran.filter(Boolean)).toHaveLength(1);
  expect((await keysOf(world, "/jobs/by-id/collect-garbage")).length).toBe(1);
  expect((await keysOf(world, "-collect-garbage")).length).toBe(1);
});

test("a listing of payloads that lags leaves garbage, and takes nothing else", async () => {
  const world = gcWorld();
  await withGarbage(world);
  let lag = 3;
  const node = await world.open({
    blobs: (inner) =>
      over(inner, {
        list: async (prefix, options) => {
          const page = await inner.list(prefix, options);
          return prefix.startsWith("accounts/")
            ? page.slice(0, Math.max(0, page.length - lag))
            : page;
        },
      }),
  });
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect((await payloads(world)).length).toBeGreaterThan(LIVE);
  expect(await broken(world)).toEqual([]);
  lag = 0;
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await payloads(world)).toHaveLength(LIVE);
});

/** A store whose sweep leaves out what a test says. */
function sweeping(keeps: (item: Item) => boolean) {
  return (inner: PointerStore): PointerStore =>
    over(inner, {
      sweep: async function* (prefix, options) {
        for await (const item of inner.sweep(prefix, options)) if (keeps(item)) yield item;
      },
    });
}

test("owners find a sweep out that was not whole twice: nothing goes", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const before = await payloads(world);
  const node = await world.open({
    pointers: sweeping(({ key }) => !key.includes("/tables/by-id/")),
  });
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(node.stops).toMatchObject([{ code: "GC_STOPPED" }]);
  expect(await payloads(world)).toEqual(before);
  expect(await broken(world)).toEqual([]);
  // The next run comes by itself, a period later, and says what became of the last one.
  expect(await stepOfRun(node)).toBe("");
});

test("a sweep that is not whole once is made good by the other mark", async () => {
  const world = gcWorld();
  await withGarbage(world);
  let isWhole = false;
  const node = await world.open({
    pointers: sweeping(({ key }) => isWhole || !key.includes("/namespaces/by-id/")),
  });
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  isWhole = true;
  await collect(node);
  expect(node.stops).toEqual([]);
  expect(await payloads(world)).toHaveLength(LIVE);
  expect(await broken(world)).toEqual([]);
});

test("a sweep that fails is not a mark: the run is given back, and goes on later", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const before = await payloads(world);
  let fails = 1;
  const node = await world.open({
    pointers: (inner) =>
      over(inner, {
        sweep: async function* (prefix, options) {
          let passed = 0;
          for await (const item of inner.sweep(prefix, options)) {
            if (++passed > 5 && fails-- > 0) throw new Error("the store broke off");
            yield item;
          }
        },
      }),
  });
  await collect(node);
  expect(await stepOfRun(node)).toBe("");
  expect(await payloads(world)).toEqual(before);
  await world.clock.sleep(SERVICE_LIMITS.jobRetryCapMs);
  await collect(node);
  expect(await stepOfRun(node)).toBe("waiting");
});

test("what cannot be understood stops the run: an unknown family, a damaged record", async () => {
  for (const damage of [
    { key: "/accounts/{account}/connectors/by-name/x", summary: new Uint8Array([1]) },
    { key: `/accounts/{account}/changes/${"9".repeat(16)}-1/x`, summary: new Uint8Array([255]) },
    { key: "/accounts/{account}/tables/by-id/x", summary: new Uint8Array([255]) },
    { key: "/accounts/{account}/plans/x", summary: new Uint8Array() },
  ]) {
    const world = gcWorld();
    await withGarbage(world);
    const node = await world.open();
    const before = await payloads(world);
    const key = damage.key.replace("{account}", node.catalog.context.account);
    const ops = [{ op: "put", key, expected: 0n, summary: damage.summary }] as const;
    await world.stores.pointers.commit({ writerId: "w", ops });
    await collect(node);
    expect(node.stops, key).toMatchObject([{ code: "GC_STOPPED" }]);
    expect(await payloads(world)).toEqual(before);
    // Also where it comes between the marks.
    await world.stores.pointers.commit({
      writerId: "w",
      ops: [{ op: "delete", key, expected: 1n }],
    });
    await collect(node);
    expect(await stepOfRun(node)).toBe("waiting");
    await world.stores.pointers.commit({
      writerId: "w",
      ops: [{ op: "put", key, expected: 2n, summary: damage.summary }],
    });
    await world.clock.sleep(GRACE_MS);
    await collect(node);
    expect(node.stops).toHaveLength(2);
    expect(await payloads(world)).toEqual(before);
  }
});

test("a segment that is gone or damaged stops the run", async () => {
  for (const damage of ["gone", "torn"] as const) {
    const world = gcWorld();
    await withGarbage(world);
    const node = await world.open();
    await collect(node);
    const before = await payloads(world);
    const [segment] = await world.stores.blobs.list("gc/");
    const path = segment?.path ?? "";
    if (damage === "gone") await world.stores.blobs.delete(path);
    else {
      const blob = await world.stores.blobs.get(path);
      const bytes = blob?.bytes.slice(0, blob.bytes.length - 3) ?? new Uint8Array();
      const torn = Buffer.from(Buffer.from(bytes).toString().replace("/table/", "/view/"));
      await world.stores.blobs.put(path, torn.subarray(0, torn.length - 70));
    }
    await world.clock.sleep(GRACE_MS);
    await collect(node);
    expect(node.stops, damage).toMatchObject([{ code: "GC_STOPPED" }]);
    expect(await payloads(world)).toEqual(before);
  }
});

test.each([-LIMITS.clockSkewMs, LIMITS.clockSkewMs])(
  "a node whose clock is %i ms off waits for the whole grace, by the true time",
  async (skewMs) => {
    const world = gcWorld();
    await withGarbage(world);
    const off = (ms: number) => ({
      nowMs: () => world.clock.nowMs() + ms,
      monotonicMs: () => world.clock.monotonicMs(),
      sleep: (ms: number) => world.clock.sleep(ms),
    });
    const first = await world.open({ clock: off(skewMs) });
    const second = await world.open({ clock: off(-skewMs) });
    expect(await collect(first)).toBe(true);
    await world.clock.sleep(SERVICE_LIMITS.gcGraceMs - 1);
    expect(await collect(second)).toBe(true);
    expect(second.deleted).toEqual([]);
    await world.clock.sleep(4 * LIMITS.clockSkewMs + 1);
    expect(await collect(second)).toBe(true);
    expect(await payloads(world)).toHaveLength(LIVE);
  },
);

test("tables that are undropped or dropped during the marks keep their files", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await commits(node, 3);
  await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
  await world.clock.sleep(6 * DAY_MS);
  const { items } = await node.dropped.list(ACTOR);
  const id = items[0]?.id ?? "";
  const acts: (() => Promise<unknown>)[] = [
    () => node.dropped.undrop(ACTOR, id),
    () => node.iceberg.dropTable(ACTOR, T, { purgeRequested: false }),
    () => node.dropped.undrop(ACTOR, id),
  ];
  // In the middle of each sweep, at its first pointer of a table.
  const collecting = await world.open({
    pointers: (inner) =>
      over(inner, {
        sweep: async function* (prefix, options) {
          let acted = false;
          for await (const item of inner.sweep(prefix, options)) {
            if (!acted && item.key.includes("/tables/")) {
              acted = true;
              await acts.shift()?.();
            }
            yield item;
          }
        },
      }),
  });
  await collect(collecting);
  await acts.shift()?.();
  await world.clock.sleep(GRACE_MS);
  await collect(collecting);
  expect(acts).toEqual([]);
  expect(collecting.stops).toEqual([]);
  expect(await broken(world)).toEqual([]);
  await expect(node.iceberg.loadTable(ACTOR, T, { snapshots: "all" })).resolves.toBeDefined();
});

test("a run that was called off by nothing goes on though payloads are gone already", async () => {
  const world = gcWorld();
  await withGarbage(world);
  const node = await world.open({
    blobs: (inner: BlobStore) =>
      over(inner, {
        deleteMany: async (paths) => {
          await inner.deleteMany(paths);
          if (paths.some((path) => path.startsWith("accounts/"))) {
            throw new Error("died after the delete");
          }
        },
      }),
  });
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await stepOfRun(node)).toBe("deleting");
  const other: GcNode = await world.open();
  await world.clock.sleep(SERVICE_LIMITS.jobRetryCapMs);
  await collect(other);
  expect(await stepOfRun(other)).toBe("");
  expect(await payloads(world)).toHaveLength(LIVE);
});
