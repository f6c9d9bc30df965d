import { expect, test } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import type { Revision } from "../../../src/base/ids.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { KnownRoots } from "../../../src/service/gc/known-roots.ts";
import { countedReads } from "../../support/counted-blobs.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { commitOf } from "../../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../../support/snapshots.ts";
import { collect, collectAll, DAY_MS, GRACE_MS, gcWorld, keysOf, NS } from "../support/garbage.ts";

/*
 * A mark reads the metadata file of a table once, however many kinds of its pointers it comes to,
 * and the next mark reads only those of tables that were committed to since.
 */

const TABLES = 12;
const SCHEMA = { type: "struct", fields: [] } as const;

async function openTables() {
  const world = gcWorld();
  const node = await world.open();
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const names = Array.from({ length: TABLES }, (_, i) => `t${i}`);
  for (const name of names) {
    await node.iceberg.createTable(ACTOR, NS, {
      name,
      schema: SCHEMA,
      stageCreate: false,
      properties: {},
    });
    await append(node, name, 1n);
    await append(node, name, 2n);
  }
  await node.catalog.context.background.settled();
  // What follows is by a node that has nothing in memory.
  const { store, reads } = countedReads(world.files);
  const collecting = await world.open({ files: () => store });
  return { world, node, collecting, reads };
}

type Node = Awaited<ReturnType<typeof openTables>>["node"];

async function append({ iceberg }: Node, table: string, id: bigint): Promise<void> {
  const loaded = await iceberg.loadTable(ACTOR, { ...NS, table }, { snapshots: "all" });
  const updates = [addSnapshot(metadataOf(loaded), id), setRef("main", id)];
  await iceberg.commitTable(ACTOR, { ...NS, table }, commitOf(updates));
}

test("a mark reads each metadata file once, and the next one those that are new", async () => {
  const { world, node, collecting, reads } = await openTables();
  // By id and by time, behind the canonical pointers.
  expect(await keysOf(world, "/snapshots/")).toHaveLength(2 * 2 * TABLES);
  await world.clock.sleep(DAY_MS);
  expect(await collect(collecting)).toBe(true);
  expect(reads).toHaveLength(TABLES);
  await append(node, "t7", 3n);
  await node.catalog.context.background.settled();
  reads.length = 0;
  await world.clock.sleep(GRACE_MS);
  expect(await collect(collecting)).toBe(true);
  expect(reads).toHaveLength(1);
  expect(collecting.collector.last?.error).toBeUndefined();
  // What a mark comes to stays in memory for those who load it.
  for (let round = 0; round < 2; round++) {
    await collecting.iceberg.loadTable(ACTOR, { ...NS, table: "t5" }, { snapshots: "all" });
    await world.clock.sleep(DAY_MS);
    await collect(collecting);
  }
  expect(reads).toHaveLength(2);
});

/** A node that ends before it deletes what its commits made rootless. */
function leavesPointers(inner: PointerStore): PointerStore {
  const commit: PointerStore["commit"] = async (batch) => {
    if (batch.ops.some(({ op, key }) => op === "delete" && key.includes("/snapshots/"))) {
      throw new FirnError("Unavailable", "STORE_UNAVAILABLE", "the process has ended", {});
    }
    return inner.commit(batch);
  };
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (...of) => inner.list(...of),
    sweep: (...of) => inner.sweep(...of),
    forget: (...of) => inner.forget(...of),
    commit,
  };
}

test("pointers of a snapshot that a commit removed are rootless for the next marks", async () => {
  const { world, collecting } = await openTables();
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, collecting);
  const all = await keysOf(world, "/snapshots/");
  const writer = await world.open({ pointers: leavesPointers });
  const updates = [{ action: "remove-snapshots", "snapshot-ids": [1n] }];
  await writer.iceberg.commitTable(ACTOR, { ...NS, table: "t3" }, commitOf(updates));
  await writer.catalog.context.background.settled();
  expect(await keysOf(world, "/snapshots/")).toEqual(all);
  await world.clock.sleep(DAY_MS);
  await collectAll(world.clock, collecting);
  expect(await keysOf(world, "/snapshots/")).toHaveLength(all.length - 2);
});

const revision = (n: number) => `0199d8a0-0000-7000-8000-00000000000${n}` as Revision;

test("what is known is of one revision, and goes when a whole mark did not ask for it", () => {
  const known = new KnownRoots();
  const content = { directory: "d", log: [], snapshots: new Map([[1n, 2]]) };
  known.set("t", revision(1), content);
  expect(known.get("t", revision(1))).toBe(content);
  expect(known.get("t", revision(2))).toBeUndefined();
  known.endMark();
  expect(known.get("t", revision(1))).toBe(content);
  known.endMark();
  known.endMark();
  expect(known.get("t", revision(1))).toBeUndefined();
});

test("what is known is bounded, and a walk over more finds the first of them again", () => {
  const known = new KnownRoots(100_000);
  const content = { directory: "d", log: [] };
  for (let i = 0; i < 1_000; i++) known.set(`t${i}`, revision(1), content);
  const found = Array.from({ length: 1_000 }, (_, i) => known.get(`t${i}`, revision(1)));
  const kept = found.filter((each) => each !== undefined).length;
  expect(kept).toBeGreaterThan(100);
  expect(kept).toBeLessThan(200);
  known.set("t0", revision(2), { directory: "d".repeat(200_000), log: [] });
  expect(known.get("t0", revision(1))).toBeUndefined();
});
