import { expect, test } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { decodeSnapshot, decodeSnapshotSummary } from "../../src/catalog/codec/snapshot.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { ChangeRecord, TableSnapshot } from "../../src/catalog/model.ts";
import { encodeSnapshotPut, snapshotKeys } from "../../src/catalog/snapshot-puts.ts";
import { forgetSnapshots, repairSnapshots } from "../../src/catalog/snapshots.ts";
import type { Item } from "../../src/pointer/port.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { checkStore } from "./support/check-store.ts";
import * as op from "./support/operations.ts";
import { readStore } from "./support/read-store.ts";
import * as sample from "./support/samples.ts";
import { imageOf, openWorld, type World } from "./support/world.ts";

const TREE = [op.createCatalog("c"), op.createNamespace("s"), op.createTable("s.t")] as const;
const REF = { catalog: "c", path: ["s"], name: "t" };

async function openTree(): Promise<World> {
  return openWorld(await imageOf(TREE), 2);
}

async function run(world: World, operation: op.Operation, node = 0): Promise<string> {
  const answer = await op.answerOf(world.nodes[node]!, operation);
  await world.nodes[node]!.catalog.context.background.settled();
  await checkStore(world.pointers, world.blobs);
  return answer;
}

async function table(world: World) {
  const { catalog } = world.nodes[0]!;
  const { item, entity } = await catalog.tables.get(REF);
  return { id: entity.id, version: item.version };
}

async function pointersOf(world: World, snapshot: TableSnapshot): Promise<readonly Item[]> {
  const { id } = await table(world);
  const { account } = world.nodes[0]!.catalog.context;
  return world.pointers.getMany(snapshotKeys(account, id, snapshot));
}

async function expectStands(world: World, snapshot: TableSnapshot): Promise<void> {
  for (const item of await pointersOf(world, snapshot)) {
    if (item.state === "absent") return expect.unreachable(`${item.key} is missing`);
    const said = decodeSnapshotSummary(item.summary ?? new Uint8Array());
    expect(said).toMatchObject({
      snapshotId: snapshot.snapshotId,
      timestampMs: snapshot.timestampMs,
    });
    const blob = await world.blobs.get(item.blobPath ?? "");
    expect(decodeSnapshot(blob?.bytes ?? new Uint8Array()).snapshot).toEqual(snapshot);
  }
}

async function expectGone(world: World, snapshot: TableSnapshot): Promise<void> {
  const states = (await pointersOf(world, snapshot)).map(({ state }) => state);
  expect(states).toEqual(["absent", "absent"]);
}

/** Leaves what an attempt leaves that put its pointers and then lost its race. */
async function leave(world: World, snapshot: TableSnapshot, tableVersion: bigint): Promise<void> {
  const { account } = world.nodes[0]!.catalog.context;
  const { id } = await table(world);
  const { revision, updatedAtMs, updatedBy, requestId } = sample.ENVELOPE;
  const authorship = { revision, updatedAtMs, updatedBy, requestId };
  const put = encodeSnapshotPut(account, { id, version: tableVersion }, snapshot, authorship);
  await world.blobs.put(put.path, put.bytes);
  for (const key of put.keys) {
    const { version: expected } = await world.pointers.get(key);
    const ops = [{ op: "put" as const, key, expected, blobPath: put.path, summary: put.summary }];
    expect(await world.pointers.commit({ writerId: "lost", ops })).toMatchObject({
      outcome: "committed",
    });
  }
}

test("keys of any ids and times have one width and sort newest first", () => {
  const at = (snapshotId: bigint, timestampMs: number) =>
    snapshotKeys(sample.ACCOUNT_ID, sample.TABLE.id as TableId, { snapshotId, timestampMs });
  const leaf = (key: string) => key.slice(key.lastIndexOf("/") + 1);
  expect(leaf(at(7n, 0)[0])).toBe("0000000000000000007");
  expect(leaf(at(7n, 1)[1])).toBe("9223372036854775806-9223372036854775800");
  const newest = [at(1n, 2_000), at(2n, 1_000), at(1n, 1_000), at(0n, 0)].map(([, key]) => key);
  expect(newest.toSorted()).toEqual(newest);
  const all = [-1n, -(2n ** 63n), 2n ** 63n - 1n, 0n].flatMap((id) => at(id, -1));
  expect(new Set(all).size).toBe(8);
});

const isCommit = ({ record }: { readonly record: ChangeRecord }): boolean =>
  record.operation === "commit-table";

test("a commit leaves a payload and both pointers, and records their versions", async () => {
  const world = await openTree();
  expect(await run(world, op.commitSnapshots("s.t", [7n]))).toMatch(/^committed/);
  await expectStands(world, op.snapshotAt(7n));
  const { changes } = await readStore(world.pointers, world.blobs);
  const record = [...changes.values()].find(isCommit)?.record;
  expect(record?.keys.slice(1).map(({ versionTo }) => versionTo)).toEqual([1n, 1n]);
});

test("what a lost attempt left is written over, and recorded at its new version", async () => {
  const world = await openTree();
  const { version } = await table(world);
  await leave(world, op.snapshotAt(7n), version);
  await leave(world, op.snapshotAt(7n), version);
  await run(world, op.commitSnapshots("s.t", [7n]));
  const { changes } = await readStore(world.pointers, world.blobs);
  const record = [...changes.values()].find(isCommit)?.record;
  expect(record?.keys.slice(1).map(({ versionTo }) => versionTo)).toEqual([3n, 3n]);
  for (const { version: at } of await pointersOf(world, op.snapshotAt(7n))) expect(at).toBe(3n);
});

test("removed snapshots lose their pointers after the commit, others keep theirs", async () => {
  const world = await openTree();
  await run(world, op.commitSnapshots("s.t", [7n, 8n]));
  await run(world, op.commitSnapshots("s.t", [9n], [7n]), 1);
  await expectGone(world, op.snapshotAt(7n));
  await expectStands(world, op.snapshotAt(8n));
  await expectStands(world, op.snapshotAt(9n));
  await run(world, op.commitSnapshots("s.t", [7n]), 1);
  await expectStands(world, op.snapshotAt(7n));
});

test("a removal leaves alone what was written by whoever has seen it", async () => {
  const world = await openTree();
  const { context } = world.nodes[0]!.catalog;
  await run(world, op.commitSnapshots("s.t", [7n]));
  const before = await table(world);
  await run(world, op.commitSnapshots("s.t", [], [7n]));
  await run(world, op.commitSnapshots("s.t", [7n]));
  // The removal's own work again, late: as when it was slow, or two nodes do it.
  await forgetSnapshots(context, before, [op.snapshotAt(7n)]);
  await expectStands(world, op.snapshotAt(7n));
  await forgetSnapshots(context, await table(world), [op.snapshotAt(7n)]);
  await expectGone(world, op.snapshotAt(7n));
});

test("a stale attempt does not write over the pointers of a later one", async () => {
  const world = await openTree();
  const { version } = await table(world);
  // That its batch lands all the same cannot be: the table would have moved on.
  await leave(world, { ...op.snapshotAt(7n), operation: "overwrite" }, version + 5n);
  await op.commitSnapshots("s.t", [7n]).run(world.nodes[0]!);
  await expectStands(world, { ...op.snapshotAt(7n), operation: "overwrite" });
});

test("many snapshots do not hold a commit up: theirs follow it", async () => {
  const world = await openTree();
  const ids = Array.from({ length: CATALOG_LIMITS.snapshotsInCommit + 1 }, (_, i) => BigInt(i + 1));
  await op.commitSnapshots("s.t", ids).run(world.nodes[0]!);
  const { changes } = await readStore(world.pointers, world.blobs);
  const recorded = [...changes.values()].flatMap(({ record }) => record.keys);
  expect(recorded.some(({ key }) => key.includes("/snapshots/"))).toBe(false);
  await world.nodes[0]!.catalog.context.background.settled();
  for (const id of ids) await expectStands(world, op.snapshotAt(id));
  await run(world, op.commitSnapshots("s.t", [], ids));
  for (const id of ids) await expectGone(world, op.snapshotAt(id));
});

test("what is missing or different is made as the table says, and only that", async () => {
  const world = await openTree();
  const { context } = world.nodes[0]!.catalog;
  const snapshots = [7n, 8n, 9n, 10n].map(op.snapshotAt);
  const [right, missing, different, half] = snapshots as [
    TableSnapshot,
    TableSnapshot,
    TableSnapshot,
    TableSnapshot,
  ];
  await run(world, op.commitSnapshots("s.t", [7n, 10n]));
  const now = await table(world);
  await leave(world, { ...different, manifestList: "elsewhere" }, 1n);
  const [byId] = await pointersOf(world, half);
  const ops = [{ op: "delete" as const, key: byId!.key, expected: byId!.version }];
  await world.pointers.commit({ writerId: "stranger", ops });
  const before = await pointersOf(world, right);
  await repairSnapshots(context, ACTOR, now, snapshots);
  for (const snapshot of snapshots) await expectStands(world, snapshot);
  expect(await pointersOf(world, right)).toEqual(before);
  const repaired = await Promise.all([missing, different, half].map((s) => pointersOf(world, s)));
  await repairSnapshots(context, ACTOR, now, snapshots);
  const again = await Promise.all([missing, different, half].map((s) => pointersOf(world, s)));
  expect(again).toEqual(repaired);
  await checkStore(world.pointers, world.blobs);
});
