import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import type { Constraint } from "../../src/catalog/model.ts";
import type { SnapshotRef } from "../../src/catalog/part-keys.ts";
import { byIdKey } from "../../src/catalog/paths.ts";
import { takeApart } from "../../src/catalog/walk.ts";
import type { Live, PointerStore } from "../../src/pointer/port.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { type RestoreScope, restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { ACTOR, openTestCatalog, type TestStores, testStores } from "../support/open-catalog.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { PRIMARY_KEY, STATS } from "./support/parts.ts";

const WEEK_MS = 7 * 86_400_000;
const FAMILIES_LEFT_OUT = /\/(?:idempotency|changes|jobs)\//;

/** What a restore of one catalog must bring back: the account, and all that belongs to it. */
async function stateOf(stores: TestStores, catalog: string) {
  const { pointers } = stores;
  const { id } = (await (await openTestCatalog(stores)).catalogs.get(catalog)).entity;
  const items: Live[] = [];
  for await (const item of pointers.sweep("/")) {
    if (item.state === "live" && !FAMILIES_LEFT_OUT.test(item.key)) items.push(item);
  }
  const entitiesOf = (item: Live) => {
    const walked = takeApart(item);
    return walked.state === "live" ? walked.references.entities : [];
  };
  const own = new Set<string>([id]);
  for (const item of items) {
    const entities = entitiesOf(item);
    if (entities.some((each) => each.id === id)) for (const each of entities) own.add(each.id);
  }
  const found = new Map<string, string>();
  for (const item of items) {
    const entities = entitiesOf(item);
    const isOwn = entities.some((each) => own.has(each.id) || each.type === "account");
    const summary = Buffer.from(item.summary ?? "").toString("base64");
    if (isOwn) found.set(item.key, `${item.blobPath ?? ""} ${summary}`);
  }
  return found;
}

/** Writes of every kind to two catalogs in turn, one at each call. */
async function* writes(catalog: AccountCatalog): AsyncGenerator<void> {
  for (const name of ["c", "d"]) {
    await catalog.catalogs.create(ACTOR, { name, defaultLocation: `file:///lake/${name}` });
    yield;
  }
  for (let i = 0; ; i++) {
    for (const name of ["c", "d"]) {
      await catalog.namespaces.create(ACTOR, { catalog: name, path: [`n${i}`] }, {});
      yield;
      if (i % 3 !== 0) continue;
      await catalog.namespaces.drop(ACTOR, { catalog: name, path: [`n${i}`] });
      yield;
    }
  }
}

async function world(rounds: number) {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const writing = writes(await openTestCatalog(stores));
  for (let i = 0; i < rounds; i++) {
    await writing.next();
    await clock.advance(1_000);
  }
  const target = new MemoryBlobStore(clock);
  const take = (catalog: string | undefined, pointers = stores.pointers) => {
    const parts = { ...stores, clock: unpaused(clock), target, historyRetentionMs: WEEK_MS };
    return takeBackup({ ...parts, pointers }, "default", catalog);
  };
  return { clock, stores, writing, target, take };
}

/** The same time, in which no pause lasts. */
function unpaused(clock: VirtualClock): TestStores["clock"] {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async () => {},
  };
}

async function restored(clock: VirtualClock, source: MemoryBlobStore, scope: RestoreScope = {}) {
  const into = { ...testStores({ clock, seed: 99 }), clock: unpaused(clock) };
  await restoreBackup({ ...into, source }, await findBackup(source), scope);
  return into;
}

test("a backup of one catalog under writes to two is that catalog at its end", async () => {
  for (const every of [1, 3]) {
    const { clock, stores, writing, target, take } = await world(40);
    const { pointers: inner } = stores;
    const pointers = new Proxy(inner, {
      get: (to, name) => {
        const value: unknown = Reflect.get(to, name);
        if (name !== "sweep") return typeof value === "function" ? value.bind(to) : value;
        return async function* (...range: Parameters<PointerStore["sweep"]>) {
          let count = 0;
          for await (const item of inner.sweep(...range)) {
            yield item;
            if (count++ % every === 0 && count < 200) await writing.next();
          }
        };
      },
    });
    await take("c", pointers);
    expect((await findBackup(target)).catalog?.name).toBe("c");
    const back = await restored(clock, target);
    const { catalogs } = await openTestCatalog(back);
    expect((await catalogs.list({})).items).toEqual(["c"]);
    expect(await stateOf(back, "c")).toEqual(await stateOf(stores, "c"));
  }
});

test("a backup of one catalog has its history, and copies nothing of others", async () => {
  const { clock, stores, writing, target, take } = await world(30);
  const whole = await take(undefined);
  const states = new Map<number, ReadonlyMap<string, string>>();
  for (let i = 0; i < 12; i++) {
    await clock.advance(60_000);
    await writing.next();
    states.set(clock.nowMs(), await stateOf(stores, "d"));
  }
  await clock.advance(60_000);
  const one = await take("d");
  expect(one.payloads).toBeLessThan(whole.payloads);
  for (const [atMs, expected] of states) {
    expect(await stateOf(await restored(clock, target, { atMs }), "d")).toEqual(expected);
  }
});

test("one catalog of a whole backup is restored alone", async () => {
  const { clock, stores, target, take } = await world(40);
  await take(undefined);
  const back = await restored(clock, target, { catalog: "d" });
  expect(await stateOf(back, "d")).toEqual(await stateOf(stores, "d"));
  const { catalogs } = await openTestCatalog(back);
  expect((await catalogs.list({})).items).toEqual(["d"]);
});

/** A table in each of two catalogs, each with a snapshot that has statistics and constraints. */
async function tables() {
  const given = await world(6);
  const { clock, stores } = given;
  const catalog = await openTestCatalog(stores);
  for (const name of ["c", "d"]) {
    const ref = { catalog: name, path: ["n2"], name: "t" };
    await catalog.namespaces.create(ACTOR, { catalog: name, path: ["n2"] }, {});
    const { entity } = await catalog.tables.create(ACTOR, "create-table", ref, async () => ({
      location: `file:///lake/${name}/t`,
      fresh: true,
      iceberg: { metadataLocation: `${name}/0`, purgeRequested: false },
    }));
    const at = { table: entity.id, snapshotId: 7n };
    await catalog.statistics.put(ACTOR, at, STATS);
    await putConstraints(catalog, at, [PRIMARY_KEY]);
  }
  await clock.advance(1_000);
  return { ...given, catalog };
}

function putConstraints(
  { context, constraints }: AccountCatalog,
  at: SnapshotRef,
  next: readonly Constraint[],
) {
  const root = async () => {
    const item = await context.pointers.get(byIdKey("table", context.account, at.table));
    if (item.state === "absent") throw new Error("no table");
    return item;
  };
  return constraints.change(ACTOR, at, root, () => next);
}

test("a catalog that is restored alone has its statistics and constraints", async () => {
  const { clock, stores, target, take } = await tables();
  const expected = await stateOf(stores, "d");
  const parts = [...expected.keys()].filter((key) => /\/(?:stats|constraints)\//.test(key));
  expect(parts).toHaveLength(6);
  await take(undefined);
  expect(await stateOf(await restored(clock, target, { catalog: "d" }), "d")).toEqual(expected);
  await take("d");
  expect(await stateOf(await restored(clock, target), "d")).toEqual(expected);
});

test("constraints that were put again after their tombstone was forgotten stay", async () => {
  const { clock, stores, catalog, target, take } = await tables();
  const { pointers } = stores;
  const table = (await catalog.tables.get({ catalog: "d", path: ["n2"], name: "t" })).entity.id;
  const at = { table, snapshotId: 7n };
  const bundles = async (of: TestStores) => {
    const found = await (await openTestCatalog(of)).constraints.get(at);
    return found.constraints.map(({ name }) => name);
  };
  const firstMs = clock.nowMs();
  await clock.advance(60_000);
  await putConstraints(catalog, at, []);
  await clock.advance(LIMITS.tombstoneLifeMs + 60_000);
  let forgotten = 0;
  for await (const { state, key, version } of pointers.sweep("/")) {
    if (state === "absent" && (await pointers.forget(key, version))) forgotten++;
  }
  expect(forgotten).toBeGreaterThan(0);
  await putConstraints(catalog, at, [{ ...PRIMARY_KEY, name: "again" }]);
  await clock.advance(60_000);
  expect(await bundles(stores)).toEqual(["again"]);
  await take(undefined);
  expect(await bundles(await restored(clock, target))).toEqual(["again"]);
  expect(await bundles(await restored(clock, target, { atMs: firstMs }))).toEqual(["pk"]);
});

test("a catalog that is not there is refused, and no backup is made", async () => {
  const { clock, target, take } = await world(10);
  await expect(take("e")).rejects.toMatchObject({ code: "CATALOG_NOT_FOUND" });
  await expect(findBackup(target)).rejects.toMatchObject({ code: "BACKUP_NOT_FOUND" });
  await take("c");
  const other = restored(clock, target, { catalog: "d" });
  await expect(other).rejects.toMatchObject({ code: "CATALOG_NOT_FOUND" });
});
