import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JobId } from "../../src/base/ids.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { JobLease } from "../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { beginPurge, endPurge } from "../../src/catalog/purging.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";
import { checkStore } from "../catalog/support/check-store.ts";
import { type Fault, FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { Mortal } from "../support/mortal.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { filesBelow } from "../support/planted-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const ROOT = "mem://w";
const PLANTED = filesBelow("v2", ROOT);
const NS = { catalog: "c", namespace: ["a"] } as const;

/** A dropped table of PyIceberg whose retention is over, and what a node needs to see it. */
async function expired() {
  const stores = testStores({ clock: new SleepIsTime() });
  const files = new MemoryBlobStore(stores.clock);
  const { files: planted, current } = PLANTED;
  for (const [path, bytes] of planted) await files.put(path, bytes);
  await files.put("v2/data/stranger.parquet", new Uint8Array([1]));
  const node = await openInMemory(stores, files);
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const metadataLocation = `${ROOT}/${current}`;
  const request = { name: "t", metadataLocation, overwrite: false };
  await node.iceberg.registerTable(ACTOR, NS, request);
  const { entity } = await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  await node.iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: true });
  await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  const open = (mortal?: Mortal, seed = 2) => {
    const ports = { ...testStores({ clock: stores.clock, seed }), blobs: stores.blobs };
    const pointers = mortal?.pointers(stores.pointers) ?? stores.pointers;
    return openInMemory({ ...ports, pointers }, mortal?.files(files) ?? files);
  };
  const over = (pointers: PointerStore) =>
    openInMemory(
      { ...testStores({ clock: stores.clock, seed: 4 }), blobs: stores.blobs, pointers },
      files,
    );
  const left = async () => (await files.list("")).map(({ path }) => path);
  return { stores, node, open, over, left, id: entity.id };
}

type World = Awaited<ReturnType<typeof expired>>;

/** Lets a node run until it ends at a call; answers whether it came that far. */
async function killAt(world: World, call: number): Promise<boolean> {
  const start = new Mortal(Number.POSITIVE_INFINITY);
  await world.open(start);
  const mortal = new Mortal(start.calls + call);
  const doomed = await world.open(mortal, 3);
  await doomed.runner.runDue().catch(() => undefined);
  return mortal.ended;
}

async function treeOf({ stores }: World): Promise<readonly string[]> {
  const tree = await checkStore(stores.pointers, stores.blobs);
  return tree.filter((line) => !line.startsWith("done"));
}

test("killed before any call, another node brings the purge to the same end", async () => {
  const whole = await expired();
  await whole.node.runner.runDue();
  const expected = { tree: await treeOf(whole), left: await whole.left() };
  expect(expected.left).toEqual(["v2/data/stranger.parquet"]);
  let kills = 0;
  for (let call = 0; ; call++) {
    const world = await expired();
    if (!(await killAt(world, call))) break;
    kills++;
    await treeOf(world);
    await world.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
    const { runner } = await world.open();
    await runner.runDue();
    expect({ tree: await treeOf(world), left: await world.left() }, `call ${call}`).toEqual(
      expected,
    );
  }
  console.log(`killed at ${kills} calls`);
  expect(kills).toBeGreaterThan(60);
});

test("killed before any call: what comes back has all its files, or stays away", async () => {
  let back = 0;
  let gone = 0;
  for (let call = 0; ; call += 3) {
    const world = await expired();
    const before = await world.left();
    if (!(await killAt(world, call))) break;
    try {
      await world.node.dropped.undrop(ACTOR, world.id);
      expect(await world.left(), `call ${call}`).toEqual(before);
      back++;
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      expect(["BEING_PURGED", "DROPPED_NOT_FOUND"]).toContain(error.code);
      gone++;
    }
    await world.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
    await (await world.open()).runner.runDue();
    await treeOf(world);
  }
  expect(Math.min(back, gone)).toBeGreaterThan(1);
});

const FAULTS: readonly ((call: number) => Fault)[] = [
  () => ({ fault: "answerLost" }),
  () => ({ fault: "late", lands: "release" }),
  () => ({ fault: "notSent" }),
  (call) => ({ fault: "duplicated", lands: { beforeCall: call + 2 } }),
  () => ({ fault: "refused" }),
];

/** Calls of the pointer store that a purge without faults takes. */
async function callsOfPurge(): Promise<number> {
  const world = await expired();
  const store = new FaultyPointerStore(world.stores.pointers, () => undefined);
  const { runner } = await world.over(store);
  const from = store.history.length;
  await runner.runDue();
  return store.history.length - from;
}

test.each([0, 1, 2])(
  "a fault at every call of the store, kinds in turn from %i",
  async (first) => {
    const whole = await expired();
    await whole.node.runner.runDue();
    const expected = { tree: await treeOf(whole), left: await whole.left() };
    const calls = await callsOfPurge();
    expect(calls).toBeGreaterThan(30);
    for (let call = 0; call < calls; call++) {
      const world = await expired();
      const fault = FAULTS[(call + first) % FAULTS.length];
      let from: number | undefined;
      const store: FaultyPointerStore = new FaultyPointerStore(world.stores.pointers, (index) =>
        from !== undefined && index - from === call ? fault?.(index) : undefined,
      );
      const { runner } = await world.over(store);
      from = store.history.length;
      await runner.runDue().catch(() => undefined);
      await store.releaseAll();
      await treeOf(world);
      await world.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
      await (await world.open()).runner.runDue();
      expect({ tree: await treeOf(world), left: await world.left() }, `call ${call}`).toEqual(
        expected,
      );
    }
  },
  30_000,
);

async function takenBy({ jobs }: AccountCatalog, id: JobId): Promise<JobLease> {
  const lease = await jobs.take(id);
  if (!(lease instanceof JobLease)) throw new Error("the job is not free");
  return lease;
}

test("a node that stood still for longer than its lease changes nothing any more", async () => {
  const world = await expired();
  const { catalog } = world.node;
  const [id] = (await catalog.jobs.due()).due;
  const slow = await takenBy(catalog, id!);
  const freeMs = world.stores.clock.nowMs() + CATALOG_LIMITS.jobLeaseMs;
  expect(await catalog.jobs.take(id!)).toEqual({ freeMs });
  await world.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
  await (await world.open()).runner.runDue();
  const lost = { kind: "Conflict", code: "JOB_LEASE_LOST" };
  await expect(slow.renew()).rejects.toMatchObject(lost);
  expect(() => slow.assertHeld()).toThrow(expect.objectContaining(lost));
  expect(await world.left()).toEqual(["v2/data/stranger.parquet"]);
});

test("a job that was called off is none of its holder, whoever has its id next", async () => {
  const world = await expired();
  const { catalog, iceberg, dropped } = world.node;
  const [id] = (await catalog.jobs.due()).due;
  const slow = await takenBy(catalog, id!);
  await dropped.undrop(ACTOR, world.id);
  await iceberg.dropTable(ACTOR, { ...NS, table: "t" }, { purgeRequested: true });
  const lost = { kind: "Conflict", code: "JOB_LEASE_LOST" };
  await expect(beginPurge(catalog.context, slow)).rejects.toMatchObject(lost);
  await expect(endPurge(catalog.context, slow)).rejects.toMatchObject(lost);
  expect((await dropped.list(ACTOR)).items).toHaveLength(1);
});

test("a job that fails waits longer each time, and does not keep others from running", async () => {
  const world = await expired();
  const { catalog, iceberg, runner } = await world.open();
  const [id] = (await catalog.jobs.due()).due;
  await iceberg.dropNamespace(ACTOR, NS);
  const lease = await takenBy(catalog, id!);
  await lease.release(SERVICE_LIMITS.jobRetryMs, { lastFailure: "STORE_UNAVAILABLE" });
  await runner.runDue();
  expect(await catalog.jobs.get(id!)).toMatchObject({ tries: 1, lastFailure: "STORE_UNAVAILABLE" });
  await world.stores.clock.sleep(SERVICE_LIMITS.jobRetryMs);
  await runner.runDue();
  expect(await catalog.jobs.get(id!)).toMatchObject({ step: "done", failures: 0 });
});
