import { expect, test } from "vitest";
import type { JobId, Revision } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { encodeJob } from "../../../src/catalog/codec/job.ts";
import { encodeSummary } from "../../../src/catalog/codec/summary.ts";
import { jobKeys } from "../../../src/catalog/jobs.ts";
import { locationKey } from "../../../src/catalog/keys.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import type { Job } from "../../../src/catalog/model.ts";
import { byIdKey, payloadPath } from "../../../src/catalog/paths.ts";
import { encodeSnapshotPut } from "../../../src/catalog/snapshot-puts.ts";
import { nameSummary } from "../../../src/catalog/summaries.ts";
import type { Actor } from "../../../src/service/actor.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { SCHEMA } from "../../support/open-iceberg.ts";
import {
  broken,
  collect,
  collectAll,
  commits,
  DAY_MS,
  type GcNode,
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

const REF = { catalog: "c", path: ["a"], name: "t" } as const;

test("receipts go when they have expired: one of a client's key leaves a tombstone", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const keyed: Actor = {
    ...ACTOR,
    idempotency: { key: "k", requestHash: new Uint8Array([1]), replayed: false },
  };
  await node.iceberg.commitTable(keyed, T, setProperty("a", "1"));
  const receipts = () => keysOf(world, "/idempotency/");
  const before = await receipts();
  expect(before.length).toBeGreaterThan(3);
  await world.clock.sleep(LIMITS.receiptLifeMs);
  await collect(node);
  expect(await receipts()).toEqual(before);
  // A request of the key is answered by its receipt up to the last moment.
  await node.iceberg.commitTable(keyed, T, setProperty("a", "1"));
  expect(keyed.idempotency?.replayed).toBe(true);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect((await receipts()).filter((key) => !key.includes("collect"))).toEqual([]);
  expect(await keysOf(world, "/idempotency/", "absent")).toHaveLength(1);
});

test("a store that expires by itself is left its own receipts, not the clients'", async () => {
  const world = gcWorld();
  const node = await world.open({ pointersExpire: true });
  await makeTable(node);
  const keyed: Actor = {
    ...ACTOR,
    idempotency: { key: "k", requestHash: new Uint8Array([1]), replayed: false },
  };
  await node.iceberg.commitTable(keyed, T, setProperty("a", "1"));
  const before = await keysOf(world, "/idempotency/");
  await world.clock.sleep(DAY_MS);
  await collect(node);
  const after = await keysOf(world, "/idempotency/");
  expect(before.filter((key) => !after.includes(key))).toEqual([
    expect.stringMatching(/\/idempotency\/k$/),
  ]);
});

test("the history goes past its retention and no sooner, by whole minutes", async () => {
  const world = gcWorld();
  const historyRetentionMs = 2 * 3_600_000;
  const node = await world.open({ gc: { historyRetentionMs, gcGraceMs: 3_600_000 } });
  await makeTable(node);
  await commits(node, 3);
  const changes = await keysOf(world, "/changes/");
  await world.clock.sleep(historyRetentionMs + CATALOG_LIMITS.changeSettledMs - 60_000);
  await collect(node);
  expect(await keysOf(world, "/changes/")).toEqual(changes);
  await world.clock.sleep(3_600_000 + 2 * LIMITS.clockSkewMs);
  await collect(node);
  expect(await keysOf(world, "/changes/")).toEqual([]);
  expect(await broken(world)).toEqual([]);
});

/** Plants pointers to a snapshot that table `t` does not have, as a lost attempt leaves them. */
async function plantRootless(node: GcNode, snapshotId: bigint): Promise<readonly string[]> {
  const { context, tables } = node.catalog;
  const { entity, item } = await tables.get(REF);
  const put = encodeSnapshotPut(
    context.account,
    { id: entity.id, version: item.version },
    {
      snapshotId,
      timestampMs: context.clock.nowMs(),
      sequenceNumber: 1n,
      manifestList: "x",
      operation: "append",
      summary: {},
    },
    {
      revision: context.ids.mint<Revision>(),
      updatedAtMs: context.clock.nowMs(),
      updatedBy: "test",
      requestId: "test",
    },
  );
  await context.payloads.putBytes(put.path, put.bytes);
  for (const key of put.keys) await putPointer(node, key, put.path, put.summary);
  return put.keys;
}

async function putPointer(node: GcNode, key: string, blobPath: string, summary: Uint8Array) {
  const { pointers } = node.catalog.context;
  const { version } = await pointers.get(key);
  const op = { op: "put", key, expected: version, blobPath, summary } as const;
  const { outcome } = await pointers.commit({ writerId: "w", ops: [op] });
  expect(outcome).toBe("committed");
}

test("a rootless snapshot pointer goes when two marks saw one version", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const gone = await plantRootless(node, 7n);
  const moving = await plantRootless(node, 8n);
  await world.clock.sleep(DAY_MS);
  await collect(node);
  // An attempt puts them anew: its commit may come.
  const [byId = ""] = moving;
  const item = await node.catalog.context.pointers.get(byId);
  if (item.state !== "live") throw new Error("not there");
  await putPointer(node, byId, item.blobPath ?? "", item.summary ?? new Uint8Array());
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  const left = await keysOf(world, "/snapshots/");
  expect(left).toEqual([byId]);
  expect(await keysOf(world, "/snapshots/", "absent")).toHaveLength(gone.length + 1);
  expect(await broken(world)).toEqual([]);
});

test("a rootless snapshot pointer that moves behind the second mark stays", async () => {
  const world = gcWorld();
  const writer = await world.open();
  await makeTable(writer);
  const keys = await plantRootless(writer, 7n);
  let marks = 0;
  const node = await world.open({
    pointers: (inner) => ({
      get: (key) => inner.get(key),
      getMany: (all) => inner.getMany(all),
      list: (...of) => inner.list(...of),
      forget: (...of) => inner.forget(...of),
      commit: (batch) => inner.commit(batch),
      sweep: async function* (prefix, options) {
        yield* inner.sweep(prefix, options);
        if (++marks < 2) return;
        for (const key of keys) {
          const item = await inner.get(key);
          if (item.state !== "live") throw new Error("not there");
          await putPointer(writer, key, item.blobPath ?? "", item.summary ?? new Uint8Array());
        }
      },
    }),
  });
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, node);
  expect(marks).toBe(2);
  expect(await keysOf(world, "/snapshots/")).toHaveLength(2);
  expect(await broken(world)).toEqual([]);
});

test("snapshot pointers of a table that cannot be read stay", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await plantRootless(node, 7n);
  const { entity } = await node.catalog.tables.get(REF);
  await node.locations.delete(entity.iceberg?.metadataLocation ?? "");
  const before = await keysOf(world, "/snapshots/");
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, node);
  expect(await keysOf(world, "/snapshots/")).toEqual(before);
});

/** A metadata file as an attempt writes it, of now. */
async function plantFile(node: GcNode, directory: string): Promise<string> {
  const uuid = node.catalog.context.ids.mint<Revision>();
  const location = `${directory}/00009-${uuid}.metadata.json`;
  await node.locations.write(location, Buffer.from("{}"));
  return location;
}

test("a metadata file of a lost attempt goes; named, young and foreign ones stay", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node, { "write.metadata.previous-versions-max": "3" });
  await commits(node, 10);
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  const { entity } = await node.catalog.tables.get(REF);
  const directory = `${entity.location}/metadata`;
  const files = async () => (await world.files.list("")).map(({ path }) => path);
  const committed = await files();
  const lost = await plantFile(node, directory);
  const foreign = `${directory}/00001-spark.metadata.json`;
  await node.locations.write(foreign, Buffer.from("{}"));
  const below = await plantFile(node, `${directory}/below`);
  await world.clock.sleep(DAY_MS);
  await collect(node);
  const young = await plantFile(node, directory);
  await commits(node, 1);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  for (const kept of [foreign, below, young]) {
    expect(await node.locations.exists(kept), kept).toBe(true);
  }
  expect(await node.locations.exists(lost)).toBe(false);
  // What fell out of the log was committed, and the table's properties keep it.
  const left = await files();
  expect(committed.filter((path) => !left.includes(path))).toEqual([]);
  expect(node.deleted).toMatchObject([{ kind: "metadata", paths: [lost], bytes: 2 }]);
});

test("a torn payload of a lost attempt stops nothing; its file goes behind it", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await commits(node, 3);
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  const { entity } = await node.catalog.tables.get(REF);
  const lost = await plantFile(node, `${entity.location}/metadata`);
  const { account } = node.catalog.context;
  const torn = payloadPath("table", account, entity.id, "ab".repeat(32));
  await world.stores.blobs.put(torn, Buffer.from("a part"));
  await world.clock.sleep(DAY_MS);
  for (let runs = 0; runs < 6; runs++) {
    await collect(node);
    // Which file the payload names is not known: none is taken for a lost one meanwhile.
    const isThere = (await world.stores.blobs.head(torn)) !== undefined;
    if (isThere) expect(await node.locations.exists(lost)).toBe(true);
    await world.clock.sleep(GRACE_MS);
  }
  expect(node.stops).toEqual([]);
  expect(await world.stores.blobs.head(torn)).toBeUndefined();
  expect(await node.locations.exists(lost)).toBe(false);
  expect(await broken(world)).toEqual([]);
});

test("of a view too: what its commits came to stays, though its metadata names none", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const V = { ...NS, view: "v" } as const;
  const version = {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  };
  const request = { name: "v", schema: SCHEMA, version, properties: {} };
  const first = (await node.iceberg.createView(ACTOR, NS, request)).metadataLocation;
  // Later than the view: files of its own millisecond are not looked at.
  await world.clock.sleep(1_000);
  for (const n of ["1", "2"]) await node.iceberg.commitView(ACTOR, V, setProperty("n", n));
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  const committed = (await world.files.list("")).map(({ path }) => path);
  const directory = first.slice(0, first.lastIndexOf("/"));
  const lost = await plantFile(node, directory);
  const foreign = `${directory}/00001-spark.metadata.json`;
  await node.locations.write(foreign, Buffer.from("{}"));
  await world.clock.sleep(DAY_MS);
  await collect(node);
  const young = await plantFile(node, directory);
  // A commit between the marks comes to a file of its own.
  await node.iceberg.commitView(ACTOR, V, setProperty("n", "3"));
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await node.locations.exists(lost)).toBe(false);
  for (const kept of [foreign, young]) expect(await node.locations.exists(kept), kept).toBe(true);
  const left = (await world.files.list("")).map(({ path }) => path);
  expect(committed.filter((path) => !left.includes(path))).toEqual([]);
  expect(node.deleted).toMatchObject([{ kind: "metadata", paths: [lost], bytes: 2 }]);
});

test("a file that a commit came to stays, though a register set the table back since", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const back = (await node.catalog.tables.get(REF)).entity.iceberg?.metadataLocation ?? "";
  await world.clock.sleep(1_000);
  await commits(node, 3);
  await node.iceberg.registerTable(ACTOR, T, {
    name: "t",
    metadataLocation: back,
    overwrite: true,
  });
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  await commits(node, 1);
  const all = (await world.files.list("")).map(({ path }) => path);
  const { entity } = await node.catalog.tables.get(REF);
  const lost = await plantFile(node, `${entity.location}/metadata`);
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, node);
  expect((await world.files.list("")).map(({ path }) => path)).toEqual(all);
  expect(await node.locations.exists(lost)).toBe(false);
});

test("a file that another table names stays, dropped or not", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const { entity } = await node.catalog.tables.get(REF);
  const named = await plantFile(node, `${entity.location}/metadata`);
  const live = await node.catalog.context.pointers.get(
    byIdKey("table", node.catalog.context.account, entity.id),
  );
  if (live.state !== "live") throw new Error("not there");
  // As a register elsewhere makes it, of a table that was dropped since.
  const key = byIdKey(
    "table",
    node.catalog.context.account,
    "00000000-0000-7000-8000-000000000009",
  );
  const summary = encodeSummary({
    ...nameSummary(entity),
    entityId: "00000000-0000-7000-8000-000000000009",
    state: "DROPPED",
    metadataLocation: named,
  });
  await putPointer(node, key, live.blobPath ?? "", summary);
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, node);
  expect(await node.locations.exists(named)).toBe(true);
});

test("a file that a table is registered from before the delete stays", async () => {
  const world = gcWorld();
  let looks = 0;
  let work: (() => Promise<unknown>) | undefined;
  const node = await world.open({
    pointers: (inner) => ({
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      list: async (directory, options) => {
        // The mark looks once, then the delete does.
        const isLook = work !== undefined && directory.endsWith("/by-metadata");
        const meanwhile = isLook && ++looks === 2 ? work : undefined;
        if (meanwhile !== undefined) work = undefined;
        await meanwhile?.();
        return inner.list(directory, options);
      },
      commit: (batch) => inner.commit(batch),
      forget: (key, version) => inner.forget(key, version),
      sweep: (...of) => inner.sweep(...of),
    }),
  });
  await makeTable(node);
  const { entity } = await node.catalog.tables.get(REF);
  const at = entity.iceberg?.metadataLocation ?? "";
  const text = Buffer.from((await world.files.get(at.replace("mem://w/", "")))?.bytes ?? []);
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  const lost = await plantFile(node, `${entity.location}/metadata`);
  await node.locations.delete(lost);
  const other = text.toString().replaceAll(entity.location, "mem://w/other");
  await node.locations.write(lost, Buffer.from(other));
  await world.clock.sleep(DAY_MS);
  await collect(node);
  await world.clock.sleep(GRACE_MS);
  const request = { name: "other", metadataLocation: lost, overwrite: false };
  work = () => node.iceberg.registerTable(ACTOR, NS, request);
  await collect(node);
  expect(looks).toBe(2);
  expect(await node.locations.exists(lost)).toBe(true);
});

test("no file goes where another table lies in the location", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const { entity, item } = await node.catalog.tables.get(REF);
  const { account, pointers } = node.catalog.context;
  await world.clock.sleep(3 * LIMITS.clockSkewMs);
  const lost = await plantFile(node, `${entity.location}/metadata`);
  await world.clock.sleep(DAY_MS);
  await collect(node);
  const key = locationKey(account, `${entity.location}/metadata/other`);
  const summary = encodeSummary({ ...nameSummary(entity), entityId: item.writerId });
  await pointers.commit({ writerId: "w", ops: [{ op: "put", key, expected: 0n, summary }] });
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await node.locations.exists(lost)).toBe(true);
});

test("a hold that ended goes, and a claim stays", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const { entity } = await node.catalog.tables.get(REF);
  const { account, pointers, clock } = node.catalog.context;
  const claims = await keysOf(world, "/locations/");
  const key = locationKey(account, "mem://w/held");
  const summary = encodeSummary({ ...nameSummary(entity), heldUntilMs: clock.nowMs() + 45_000 });
  await pointers.commit({ writerId: "w", ops: [{ op: "put", key, expected: 0n, summary }] });
  await world.clock.sleep(45_000 + SERVICE_LIMITS.catalogGcFloorMs - 1);
  await collect(node);
  expect(await keysOf(world, "/locations/")).toHaveLength(claims.length + 1);
  await world.clock.sleep(DAY_MS);
  await collect(node);
  expect(await keysOf(world, "/locations/")).toEqual(claims);
});

test("a job that is over goes with the history; one that is due stays", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  const { account, pointers, clock } = node.catalog.context;
  const job: Omit<Job, "id"> = {
    kind: "purge",
    subject: { type: "table", id: "00000000-0000-7000-8000-000000000001" },
    step: "done",
    dueMs: clock.nowMs(),
    heldUntilMs: 0,
    tries: 1,
    failures: 2,
  };
  const [over, waiting] = ["over", "waiting"] as unknown as JobId[];
  for (const id of [over, waiting] as JobId[]) {
    const [state, due] = jobKeys(account, id, job.dueMs);
    const ops = [
      { op: "put", key: state, expected: 0n, summary: encodeJob({ ...job, id }) },
      ...(id === waiting ? [{ op: "put", key: due, expected: 0n } as const] : []),
    ] as const;
    await pointers.commit({ writerId: "w", ops });
  }
  await world.clock.sleep(SERVICE_LIMITS.historyRetentionMs - 1);
  await collect(node);
  expect(await keysOf(world, "/jobs/by-id/over")).toHaveLength(1);
  await world.clock.sleep(DAY_MS);
  await world.clock.sleep(GRACE_MS);
  await collect(node);
  expect(await keysOf(world, "/jobs/by-id/over")).toHaveLength(0);
  expect(await keysOf(world, "/jobs/by-id/waiting")).toHaveLength(1);
});

test("a look says what would go, and writes nothing", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await commits(node, 5);
  await plantRootless(node, 9n);
  await world.clock.sleep(8 * DAY_MS);
  const calls: string[] = [];
  const looking = await world.open({
    pointers: (inner) => {
      const faulty = new FaultyPointerStore(inner, (_index, method) => {
        calls.push(method);
        return undefined;
      });
      return faulty;
    },
  });
  const all = await payloads(world);
  const pointers = await keysOf(world, "");
  calls.length = 0;
  const report = await looking.collector.look(new AbortController().signal);
  expect(new Set(calls)).not.toContain("commit");
  expect(new Set(calls)).not.toContain("forget");
  expect(await payloads(world)).toEqual(all);
  expect(await keysOf(world, "")).toEqual(pointers);
  expect(report.pointers).toBe(pointers.length);
  expect(report.garbage.snapshots.count).toBe(2);
  // And so it does: all but the payload that the rootless pointers still led to.
  await collectAll(world.clock, node);
  const gone = node.deleted.filter(({ kind }) => kind === "payloads");
  const bytes = gone.reduce((sum, each) => sum + each.bytes, 0);
  expect(gone.flatMap(({ paths }) => paths)).toHaveLength(report.garbage.payloads.count);
  expect(report.garbage.payloads).toMatchObject({ bytes });
  expect(report.garbage.changes.count).toBeGreaterThan(5);
});

test("a run makes the next one as long as something is to expire, then there is none", async () => {
  const world = gcWorld();
  const node = await world.open();
  await makeTable(node);
  await commits(node, 3);
  let rounds = 0;
  await node.collector.ask();
  for (; (await stepOfRun(node)) !== undefined; rounds++) {
    await world.clock.sleep(DAY_MS);
    await node.runner.runDue();
    expect(rounds).toBeLessThan(30);
  }
  expect(rounds).toBeGreaterThan(7);
  expect(await payloads(world)).toHaveLength(4);
  expect(await keysOf(world, "/idempotency/")).toEqual([]);
  expect(await keysOf(world, "/changes/")).toEqual([]);
  expect(await world.stores.blobs.list("gc/")).toEqual([]);
  expect(await broken(world)).toEqual([]);
});
