import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { snapshotKeys } from "../../src/catalog/snapshot-puts.ts";
import type { Batch, PointerStore } from "../../src/pointer/port.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { MetadataFiles, TABLE_FORMAT } from "../../src/service/metadata-files.ts";
import { inlineReading } from "../../src/service/reading.ts";
import type { LoadedTable } from "../../src/service/requests.ts";
import { TableSnapshots } from "../../src/service/table-snapshots.ts";
import { checkStore } from "../catalog/support/check-store.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { countOf } from "../support/pointer-kind.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/** No table here is a Delta table. */
const NO_LOGS = { read: async () => undefined };

const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const NEW = { name: "t", schema: SCHEMA, properties: {}, stageCreate: false } as const;
const ALL = { snapshots: "all" } as const;

async function open() {
  const stores = testStores({ clock: new SleepIsTime() });
  const log: Batch[] = [];
  const reads: string[] = [];
  const counted: PointerStore = Object.create(stores.pointers, {
    commit: {
      value: (batch: Batch) => {
        log.push(batch);
        return stores.pointers.commit(batch);
      },
    },
    getMany: {
      value: (keys: readonly string[]) => {
        reads.push("getMany");
        return stores.pointers.getMany(keys);
      },
    },
    get: {
      value: (key: string) => {
        reads.push("get");
        return stores.pointers.get(key);
      },
    },
  });
  for (const method of ["list", "sweep", "forget"] as const) {
    Object.defineProperty(counted, method, {
      value: stores.pointers[method].bind(stores.pointers),
    });
  }
  const node = await openTestIceberg({ ...stores, pointers: counted });
  await node.iceberg.createNamespace(ACTOR, NS, {});
  await node.iceberg.createTable(ACTOR, NS, NEW);
  const files = new MetadataFiles(new SystemClock(), node.locations, TABLE_FORMAT, inlineReading());
  return {
    ...node,
    stores,
    log,
    reads,
    snapshots: new TableSnapshots(node.catalog, files, NO_LOGS),
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function load({ iceberg }: TestIceberg): Promise<LoadedTable> {
  const loaded = await iceberg.loadTable(ACTOR, T, ALL);
  if (loaded === "not-modified") throw new Error("not loaded");
  return loaded;
}

async function append(node: TestIceberg, snapshotId: bigint, more: JsonObject = {}) {
  const base = metadataOf(await load(node));
  const updates = [addSnapshot(base, snapshotId, more), setRef("main", snapshotId)];
  return node.iceberg.commitTable(ACTOR, T, commitOf(updates));
}

/** How the two pointers to each snapshot stand. */
async function statesOf(node: Opened, ids: readonly bigint[]) {
  await node.catalog.context.background.settled();
  const { entity } = await node.catalog.tables.get({ catalog: "c", path: ["a"], name: "t" });
  const { account } = node.catalog.context;
  const keys = ids.flatMap((snapshotId) =>
    snapshotKeys(account, entity.id, { snapshotId, timestampMs: Number(snapshotId % 1_000n) }),
  );
  const items = await node.stores.pointers.getMany(keys);
  await checkStore(node.stores.pointers, node.stores.blobs);
  return items.map(({ state }) => state);
}

test("a commit with a snapshot costs a read, two single writes and a batch of three", async () => {
  const node = await open();
  node.log.length = 0;
  const base = metadataOf(await load(node));
  node.reads.length = 0;
  const updates = [addSnapshot(base, 2n ** 63n - 1n), setRef("main", 2n ** 63n - 1n)];
  await node.iceberg.commitTable(ACTOR, T, commitOf(updates));
  expect(node.reads).toEqual(["getMany"]);
  expect(node.log.map(({ ops }) => ops.length)).toEqual([1, 1, 3]);
});

test("what is appended stands under both keys, and what expires goes", async () => {
  const node = await open();
  const ids = [1n, 2n, 3n, 2n ** 63n - 1n];
  for (const id of ids) await append(node, id);
  expect(new Set(await statesOf(node, ids))).toEqual(new Set(["live"]));
  node.log.length = 0;
  const expire = { action: "remove-snapshots", "snapshot-ids": [1n, 2n] };
  await node.iceberg.commitTable(ACTOR, T, commitOf([expire]));
  expect(node.log[0]?.ops).toHaveLength(3);
  expect(await statesOf(node, ids)).toEqual([
    ...["absent", "absent", "absent", "absent"],
    ...["live", "live", "live", "live"],
  ]);
});

test("a table that is registered has its whole history, and no other's", async () => {
  const node = await open();
  const first = await load(node);
  await append(node, 1n);
  const last = await append(node, 2n);
  await node.iceberg.dropTable(ACTOR, T, { purgeRequested: false });
  const metadataLocation = last.metadataLocation ?? "";
  const request = { name: "t", metadataLocation, overwrite: false };
  await node.iceberg.registerTable(ACTOR, NS, request);
  expect(new Set(await statesOf(node, [1n, 2n]))).toEqual(new Set(["live"]));
  const older = { ...request, metadataLocation: first.metadataLocation ?? "", overwrite: true };
  await node.iceberg.registerTable(ACTOR, NS, older);
  expect(new Set(await statesOf(node, [1n, 2n]))).toEqual(new Set(["absent"]));
  await node.iceberg.registerTable(ACTOR, NS, { ...request, overwrite: true });
  expect(new Set(await statesOf(node, [1n, 2n]))).toEqual(new Set(["live"]));
});

test("expiring thousands of snapshots is one commit like any other", async () => {
  const node = await open();
  const base = metadataOf(await load(node));
  const length = countOf(10_000, 2_000);
  const ids = Array.from({ length }, (_, i) => BigInt(i + 1));
  const updates = ids.map((id) => addSnapshot(base, id, { "sequence-number": id }));
  await node.iceberg.commitTable(ACTOR, T, commitOf([...updates, setRef("main", BigInt(length))]));
  expect(new Set(await statesOf(node, ids))).toEqual(new Set(["live"]));
  node.log.length = 0;
  node.reads.length = 0;
  const expire = { action: "remove-snapshots", "snapshot-ids": ids.slice(0, -1) };
  const committed = await node.iceberg.commitTable(ACTOR, T, commitOf([expire]));
  expect(metadataOf(committed).snapshots).toHaveLength(1);
  expect(node.log[0]?.ops).toHaveLength(3);
  const states = await statesOf(node, ids);
  expect(states.slice(0, -2).every((state) => state === "absent")).toBe(true);
  expect(states.slice(-2)).toEqual(["live", "live"]);
});

test("snapshots are found by id, as of a time, by their line and newest first", async () => {
  const node = await open();
  for (const id of [100n, 200n, 300n]) await append(node, id);
  // Back to the second, and on from there: the third is an ancestor no longer, but was current.
  await node.stores.clock.sleep(400);
  await node.iceberg.commitTable(ACTOR, T, commitOf([setRef("main", 200n)]));
  await append(node, 999n);
  const { snapshots } = node;
  const id = async (found: Promise<{ snapshotId: bigint }>) => (await found).snapshotId;
  const ids = async (found: Promise<readonly { snapshotId: bigint }[]>) =>
    (await found).map(({ snapshotId }) => snapshotId);
  expect(await snapshots.get(ACTOR, T, 200n)).toMatchObject({
    parentSnapshotId: 100n,
    operation: "append",
    summary: { "added-files": "1" },
  });
  expect(await id(snapshots.current(ACTOR, T))).toBe(999n);
  expect(await id(snapshots.asOf(ACTOR, T, 350))).toBe(300n);
  expect(await id(snapshots.asOf(ACTOR, T, 350, "main"))).toBe(200n);
  expect(await ids(snapshots.ancestors(ACTOR, T, 999n))).toEqual([999n, 200n, 100n]);
  expect(await ids(snapshots.list(ACTOR, T, { limit: 3 }))).toEqual([999n, 300n, 200n]);
  const after = { snapshotId: 200n, timestampMs: 200 };
  expect(await ids(snapshots.list(ACTOR, T, { after, limit: 3 }))).toEqual([100n]);
  const missing = { kind: "NotFound", code: "SNAPSHOT_NOT_FOUND" };
  await expect(snapshots.get(ACTOR, T, 7n)).rejects.toMatchObject(missing);
  await expect(snapshots.asOf(ACTOR, T, 50)).rejects.toMatchObject(missing);
  await expect(snapshots.asOf(ACTOR, T, 500, "none")).rejects.toMatchObject(missing);
  await expect(snapshots.ancestors(ACTOR, T, 7n)).rejects.toMatchObject(missing);
});

test("a pointer that is missing is not an error, and stands again after the read", async () => {
  const node = await open();
  await append(node, 1n);
  await append(node, 2n);
  const { pointers } = node.stores;
  for await (const item of pointers.sweep("/")) {
    if (item.state === "absent" || !item.key.includes("/snapshots/")) continue;
    const ops = [{ op: "delete" as const, key: item.key, expected: item.version }];
    await pointers.commit({ writerId: "stranger", ops });
  }
  expect(new Set(await statesOf(node, [1n, 2n]))).toEqual(new Set(["absent"]));
  expect(await node.snapshots.list(ACTOR, T, { limit: 10 })).toHaveLength(2);
  expect(new Set(await statesOf(node, [1n, 2n]))).toEqual(new Set(["live"]));
});
