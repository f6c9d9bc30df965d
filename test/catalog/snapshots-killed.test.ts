import { expect, test } from "vitest";
import { decodeSnapshotSummary } from "../../src/catalog/codec/snapshot.ts";
import { summaryOfItem } from "../../src/catalog/entities.ts";
import { JobLease } from "../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { deleteDerived, endPurge } from "../../src/catalog/purging.ts";
import { snapshotKeys } from "../../src/catalog/snapshot-puts.ts";
import { forgetSnapshots } from "../../src/catalog/snapshots.ts";
import type { Item, PointerStore } from "../../src/pointer/port.ts";
import { checkStore } from "./support/check-store.ts";
import * as op from "./support/operations.ts";
import { isSnapshotFamily, parsedKey } from "./support/read-store.ts";
import { type Image, imageOf, openNode, openWorld, type World } from "./support/world.ts";

/*
 * A process may die between a commit and what follows it. What an expiry then leaves are pointers
 * to snapshots that the table no longer has: they are derived, mean nothing without their root's
 * own entry, and say by themselves that they are older than the removal. Nothing reads them. They
 * go when the same snapshot is removed again, with the end of the table at the latest, and before
 * that with whoever collects derived pointers without a root.
 */

const REF = { catalog: "c", path: ["s"], name: "t" };
/** More than are deleted in one turn. */
const REMOVED = Array.from({ length: 60 }, (_, i) => BigInt(i + 1));
const KEPT = [101n, 102n];
const TREE = [
  op.createCatalog("c"),
  op.createNamespace("s"),
  op.createTable("s.t"),
  op.commitSnapshots("s.t", [...REMOVED, ...KEPT]),
];
const EXPIRY = op.commitSnapshots("s.t", [], REMOVED);

type Side = "before" | "after";

/** A store whose caller dies at its call of that index: it hears of nothing more. */
function mortal(
  inner: PointerStore,
  at: number,
  side: Side,
  told: { calls: number },
): PointerStore {
  const never = new Promise<never>(() => undefined);
  const pass = async <T>(call: () => Promise<T>): Promise<T> => {
    const index = told.calls++;
    if (index > at || (index === at && side === "before")) return never;
    const answer = await call();
    return index === at ? never : answer;
  };
  return {
    get: (key) => pass(() => inner.get(key)),
    getMany: (keys) => pass(() => inner.getMany(keys)),
    commit: (batch) => pass(() => inner.commit(batch)),
    list: (directory, options) => pass(() => inner.list(directory, options)),
    sweep: (prefix) => inner.sweep(prefix),
    forget: (key, version) => pass(() => inner.forget(key, version)),
  };
}

/** An expiry by a node that dies on the way. `calls`: what it sent in all, as far as it came. */
async function killed(image: Image, at: number, side: Side) {
  const world = await openWorld(image, 1);
  const told = { calls: 0 };
  let armed = false;
  const pointers = (inner: PointerStore): PointerStore => {
    const dying = mortal(inner, at, side, told);
    return new Proxy(inner, {
      get: (target, name) => {
        const from = armed ? dying : target;
        const member: unknown = Reflect.get(from, name);
        return typeof member === "function" ? member.bind(from) : member;
      },
    });
  };
  const node = await openNode(world, 7, { pointers });
  armed = true;
  let answered = false;
  const work = EXPIRY.run(node).then(async () => {
    answered = true;
    await node.catalog.context.background.settled();
  });
  await Promise.race([work, quiet(told)]);
  return { world, answered, calls: told.calls };
}

/** Resolves when nothing is sent any more. */
async function quiet(told: { readonly calls: number }): Promise<void> {
  for (let still = 0, before = -1; still < 5; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = told.calls === before ? still + 1 : 0;
    before = told.calls;
  }
}

async function snapshotPointers({ pointers }: World): Promise<ReadonlyMap<string, Item>> {
  const live = new Map<string, Item>();
  for await (const item of pointers.sweep("/")) {
    if (item.state === "live" && isSnapshotFamily(parsedKey(item.key).family)) {
      live.set(item.key, item);
    }
  }
  return live;
}

async function tableOf({ nodes }: World) {
  const { item, entity } = await nodes[0]!.catalog.tables.get(REF);
  return { item, entity, table: { id: entity.id, version: item.version } };
}

async function keysOf(world: World, ids: readonly bigint[]): Promise<readonly string[]> {
  const { context } = world.nodes[0]!.catalog;
  const { entity } = await tableOf(world);
  return ids.flatMap((id) => [...snapshotKeys(context.account, entity.id, op.snapshotAt(id))]);
}

/** What the node that died was to do, done by another. */
async function forget(world: World, version: bigint): Promise<void> {
  const { context } = world.nodes[0]!.catalog;
  const { entity } = await tableOf(world);
  const removed = REMOVED.map(op.snapshotAt);
  await forgetSnapshots(context, { id: entity.id, version }, removed);
}

test("a kill anywhere in an expiry loses no snapshot; what it leaves is told apart", async () => {
  const image = await imageOf(TREE);
  const whole = await killed(image, Number.MAX_SAFE_INTEGER, "after");
  expect(whole.answered).toBe(true);
  const { version: expired } = (await tableOf(whole.world)).item;
  expect([...(await snapshotPointers(whole.world)).keys()].sort()).toEqual(
    [...(await keysOf(whole.world, KEPT))].sort(),
  );
  let committed = 0;
  let leftovers = 0;
  for (let at = 0; at < whole.calls; at += at < 6 ? 1 : 11) {
    for (const side of ["before", "after"] as const) {
      const { world } = await killed(image, at, side);
      await checkStore(world.pointers, world.blobs);
      const { item } = await tableOf(world);
      const live = await snapshotPointers(world);
      const isExpired = item.version === expired;
      const rooted = await keysOf(world, isExpired ? KEPT : [...REMOVED, ...KEPT]);
      // Every snapshot of the table stands, whether its removal came to the batch or not.
      for (const key of rooted) expect(live.has(key), `${at} ${side}: ${key}`).toBe(true);
      if (!isExpired) continue;
      committed++;
      const left = [...live.values()].filter(({ key }) => !rooted.includes(key));
      if (left.length > 0) leftovers++;
      for (const one of left) {
        const said = decodeSnapshotSummary((one as { summary: Uint8Array }).summary);
        expect(said.tableVersion).toBeLessThan(item.version);
      }
      await forget(world, item.version - 1n);
      expect([...(await snapshotPointers(world)).keys()].sort()).toEqual([...rooted].sort());
    }
  }
  expect(committed).toBeGreaterThan(10);
  expect(leftovers).toBeGreaterThan(10);
});

/** An expiry whose node dies before anything that follows its commit. */
async function left(): Promise<World> {
  const image = await imageOf(TREE);
  const { calls } = await killed(image, Number.MAX_SAFE_INTEGER, "after");
  for (let at = 0; at < calls; at++) {
    const { world, answered } = await killed(image, at, "before");
    if (answered) {
      expect((await snapshotPointers(world)).size).toBe(2 * (REMOVED.length + KEPT.length));
      return world;
    }
  }
  return expect.unreachable("nothing follows the commit");
}

test("a snapshot whose pointers were left can come again, and go", async () => {
  const world = await left();
  const node = world.nodes[0]!;
  await op.commitSnapshots("s.t", REMOVED.slice(0, 3)).run(node);
  await checkStore(world.pointers, world.blobs);
  const { item } = await tableOf(world);
  const live = await snapshotPointers(world);
  for (const key of await keysOf(world, REMOVED.slice(0, 3))) {
    const said = decodeSnapshotSummary((live.get(key) as { summary: Uint8Array }).summary);
    expect(said.tableVersion).toBe(item.version - 1n);
  }
  // The node that had died hung instead, and does its work now: what came again is not its own.
  await forget(world, item.version - 2n);
  expect([...(await snapshotPointers(world)).keys()].sort()).toEqual(
    [...(await keysOf(world, [...REMOVED.slice(0, 3), ...KEPT]))].sort(),
  );
  await op.commitSnapshots("s.t", [], REMOVED.slice(0, 3)).run(node);
  await node.catalog.context.background.settled();
  expect((await snapshotPointers(world)).size).toBe(2 * KEPT.length);
});

test("what is left goes with its table, of which nothing is left then", async () => {
  const world = await left();
  const { catalog } = world.nodes[0]!;
  await op.dropTable("s.t").run(world.nodes[0]!);
  await world.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  const { due } = await catalog.jobs.due();
  expect(due).toHaveLength(1);
  for (const id of due) {
    const lease = await catalog.jobs.take(id);
    if (!(lease instanceof JobLease)) return expect.unreachable("the job is free");
    expect(await deleteDerived(catalog.context, lease, new AbortController().signal)).toBe(true);
    await endPurge(catalog.context, lease);
  }
  expect((await snapshotPointers(world)).size).toBe(0);
  for await (const item of world.pointers.sweep("/")) {
    if (item.state === "live" && parsedKey(item.key).family === "tableById") {
      expect(summaryOfItem(item).name).not.toBe("t");
    }
  }
});
