import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { FirnError } from "../../src/base/error.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { findBackup, listBackups } from "../../src/service/backup/format.ts";
import { type RestoreScope, restoreBackup } from "../../src/service/backup/restore.ts";
import { canonicalOf } from "../../src/service/backup/scope.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { verifyBackup } from "../../src/service/backup/verify.ts";
import * as op from "../catalog/support/operations.ts";
import { ACTOR, openTestCatalog, type TestStores, testStores } from "../support/open-catalog.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const WEEK_MS = 7 * 86_400_000;

/** Every pointer that a restore must bring back: canonical ones, names, guards, the dropped. */
async function stateOf(pointers: PointerStore): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const item of pointers.sweep("/")) {
    if (item.state === "absent" || /\/(?:idempotency|changes|jobs)\//.test(item.key)) continue;
    const summary = Buffer.from(item.summary ?? "").toString("base64");
    found.set(item.key, `${item.blobPath ?? ""} ${summary}`);
  }
  return found;
}

/** A store whose n-th call throws, and each one after it: the process has ended. */
function dyingAfter<T extends object>(inner: T, calls: { left: number }): T {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (calls.left-- <= 0) throw new Error("the process has ended");
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

/** Writes of every kind, one at each call. */
async function* writes(catalog: AccountCatalog): AsyncGenerator<void> {
  await catalog.catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///lake/c" });
  yield;
  for (let i = 0; ; i++) {
    const name = `n${i}`;
    await catalog.namespaces.create(ACTOR, { catalog: "c", path: [name] }, {});
    yield;
    await catalog.namespaces.create(ACTOR, { catalog: "c", path: [name, "child"] }, {});
    yield;
    if (i % 3 !== 0) continue;
    await catalog.namespaces.drop(ACTOR, { catalog: "c", path: [name, "child"] });
    yield;
    await catalog.namespaces.drop(ACTOR, { catalog: "c", path: [name] });
    yield;
  }
}

/** The same time, in which no pause lasts. */
function withoutPauses(clock: VirtualClock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: async () => {},
  };
}

async function world(rounds: number) {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const catalog = await openTestCatalog(stores);
  const writing = writes(catalog);
  for (let i = 0; i < rounds; i++) {
    await writing.next();
    await clock.advance(1_000);
  }
  const target = new MemoryBlobStore(clock);
  const take = (parts: Partial<Pick<TestStores, "pointers">> & { target?: BlobStore } = {}) =>
    takeBackup(
      { ...stores, clock: withoutPauses(clock), target, historyRetentionMs: WEEK_MS, ...parts },
      "default",
    );
  return { clock, stores, catalog, writing, target, take };
}

/** An empty store of the same time. */
function emptyStores(clock: VirtualClock): TestStores {
  return { ...testStores({ clock, seed: 99 }), clock: withoutPauses(clock) };
}

async function restored(clock: VirtualClock, source: BlobStore, scope: RestoreScope = {}) {
  const into = emptyStores(clock);
  const backup = await findBackup(source);
  const report = await restoreBackup({ ...into, source }, backup, scope);
  return { report, into, state: await stateOf(into.pointers) };
}

test("a backup under writes at every pointer is the state at its end", async () => {
  for (const every of [1, 2, 5]) {
    const { clock, stores, writing, target, take } = await world(40);
    const { pointers: inner } = stores;
    const pointers: PointerStore = {
      get: (key) => inner.get(key),
      getMany: (keys) => inner.getMany(keys),
      commit: (batch) => inner.commit(batch),
      list: (directory, options) => inner.list(directory, options),
      forget: (key, version) => inner.forget(key, version),
      sweep: async function* (prefix) {
        let count = 0;
        for await (const item of inner.sweep(prefix)) {
          yield item;
          if (count++ % every === 0 && count < 200) await writing.next();
        }
      },
    };
    await take({ pointers });
    const { state } = await restored(clock, target);
    expect(state).toEqual(await stateOf(stores.pointers));
  }
});

test("a restored catalog goes on, and nothing of it may be restored over", async () => {
  const { clock, target, take } = await world(30);
  await take();
  const { into } = await restored(clock, target);
  const catalog = await openTestCatalog(into);
  await catalog.namespaces.create(ACTOR, { catalog: "c", path: ["n1", "other"] }, {});
  const { items } = await catalog.dropped.list({});
  expect(items.length).toBeGreaterThan(0);
  const [first] = items.filter(({ type, name }) => type === "namespace" && name === "n0");
  await catalog.dropped.undrop(ACTOR, first?.id ?? "");
  const backup = await findBackup(target);
  await expect(restoreBackup({ ...into, source: target }, backup)).rejects.toMatchObject({
    code: "STORE_NOT_EMPTY",
  });
});

test("a second backup copies only what is new", async () => {
  const { writing, take, target } = await world(40);
  const first = await take();
  expect(first.copied).toBe(first.payloads);
  const again = await take();
  expect(again).toMatchObject({ copied: 0, payloads: first.payloads });
  await writing.next();
  const third = await take();
  expect(third.copied).toBeGreaterThan(0);
  expect(third.copied).toBeLessThan(5);
  expect(await listBackups(target)).toHaveLength(3);
});

test("a backup that ends at any call is not a backup, and is run again", async () => {
  const { clock, stores, target: whole, take } = await world(12);
  await take();
  const { state } = await restored(clock, whole);
  const target = new MemoryBlobStore(clock);
  let deaths = 0;
  for (let left = 0; ; left += 1) {
    const dying = dyingAfter(target, { left });
    try {
      await take({ target: dying });
      break;
    } catch (error) {
      expect(String(error)).toContain("the process has ended");
      deaths++;
      expect(await listBackups(target)).toEqual([]);
    }
  }
  expect(deaths).toBeGreaterThan(5);
  expect((await restored(clock, target)).state).toEqual(state);
  expect(stores).toBeDefined();
});

test("a backup that left a part of its last file is in no later one's way", async () => {
  const { clock, stores, writing, target, take } = await world(12);
  const { id } = await take();
  const [path = ""] = await listBackups(target);
  const whole = await target.get(path);
  await writing.next();
  await target.put(path, (whole?.bytes ?? new Uint8Array()).subarray(0, 40));
  await clock.advance(1_000);
  const next = await take();
  expect(next.id).not.toBe(id);
  expect(next.copied).toBeLessThan(5);
  expect((await restored(clock, target)).state).toEqual(await stateOf(stores.pointers));
});

/** A store where each put of such a payload leaves a part, and its writer is told nothing. */
function tearing(inner: BlobStore, isTorn: (path: string) => boolean): BlobStore {
  return {
    get: (path) => inner.get(path),
    getRange: (path, offset, length) => inner.getRange(path, offset, length),
    getSuffix: (path, length) => inner.getSuffix(path, length),
    head: (path) => inner.head(path),
    put: async (path, bytes, condition) => {
      if (!isTorn(path)) return inner.put(path, bytes, condition);
      await inner.put(path, bytes.subarray(0, bytes.length / 2), condition);
      throw new FirnError("Unknown", "BLOB_WRITE_UNKNOWN", "no answer to put");
    },
    putStream: (path, source) => inner.putStream(path, source),
    delete: (path) => inner.delete(path),
    deleteMany: (paths) => inner.deleteMany(paths),
    list: (prefix, options) => inner.list(prefix, options),
  };
}

test("a snapshot of a lost attempt, torn as it was put, is in no backup's way", async () => {
  const clock = new VirtualClock();
  const stores = { ...testStores({ clock }), clock: withoutPauses(clock) };
  const node = { catalog: await openTestCatalog(stores), blobs: stores.blobs };
  const tree = [op.createCatalog("c"), op.createNamespace("s"), op.createTable("s.t")];
  for (const each of tree) await op.answerOf(node, each);
  expect(await op.answerOf(node, op.commitSnapshots("s.t", [6n]))).toMatch(/^committed/);
  const before = await stateOf(stores.pointers);
  const torn: string[] = [];
  const blobs = tearing(stores.blobs, (path) => {
    const isSnapshot = path.includes("/snapshot/");
    if (isSnapshot) torn.push(path);
    return isSnapshot;
  });
  const lost = { catalog: await openTestCatalog({ ...stores, blobs }), blobs };
  expect(await op.answerOf(lost, op.commitSnapshots("s.t", [7n]))).toContain("BLOB_UNAVAILABLE");
  // Its pointers stand, as derived ones do before their batch, and mean nothing without it.
  expect((await stateOf(stores.pointers)).size).toBe(before.size + 2);
  expect(torn.length).toBeGreaterThan(0);

  const target = new MemoryBlobStore(clock);
  const parts = { ...stores, target, historyRetentionMs: WEEK_MS };
  await takeBackup(parts, "default");
  const { state, into } = await restored(clock, target);
  expect(state).toEqual(before);
  expect(await into.blobs.head(torn[0] ?? "")).toBeUndefined();
});

test("a torn payload that a batch refers to is damage, which no backup passes over", async () => {
  const { stores, take, target } = await world(4);
  const damaged: string[] = [];
  for (const { path } of await stores.blobs.list("accounts/")) {
    if (!path.includes("/namespaces/")) continue;
    const { bytes = new Uint8Array() } = (await stores.blobs.get(path)) ?? {};
    await stores.blobs.put(path, bytes.subarray(0, bytes.length / 2));
    damaged.push(path);
  }
  expect(damaged.length).toBeGreaterThan(0);
  await expect(take()).rejects.toMatchObject({ kind: "Corrupt", code: "PAYLOAD_CORRUPT" });
  expect(await listBackups(target)).toEqual([]);
});

test("a restore that ends at any call shows nothing, and is run again", async () => {
  const { clock, target, take } = await world(12);
  await take();
  const { state } = await restored(clock, target);
  const into = emptyStores(clock);
  const backup = await findBackup(target);
  let deaths = 0;
  for (let left = 0; ; left += 1) {
    const calls = { left };
    const pointers = dyingAfter(into.pointers, calls);
    const blobs = dyingAfter(into.blobs, calls);
    try {
      await restoreBackup({ ...into, pointers, blobs, source: target }, backup);
      break;
    } catch (error) {
      expect(String(error)).toContain("the process has ended");
      deaths++;
      const names = await into.pointers.list("/accounts/by-name");
      expect(names).toEqual([]);
    }
  }
  expect(deaths).toBeGreaterThan(10);
  expect(await stateOf(into.pointers)).toEqual(state);
});

test("every damage of a backup is found", async () => {
  const { stores, target, take } = await world(20);
  await take();
  const paths: string[] = [];
  for (const prefix of ["backups/", "chunks/", "packs/"]) {
    paths.push(...(await target.list(prefix)).map(({ path }) => path));
  }
  const check = async () => verifyBackup({ ...stores, source: target }, await findBackup(target));
  await check();
  for (const path of paths) {
    const found = await target.get(path);
    const bytes = found?.bytes ?? new Uint8Array();
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await target.put(path, flipped);
      await expect(check()).rejects.toMatchObject({ code: "BACKUP_DAMAGED" });
    }
    await target.delete(path);
    await expect(check()).rejects.toMatchObject({
      kind: expect.stringMatching(/Corrupt|NotFound/),
    });
    await target.put(path, bytes);
  }
  await check();
});

test("a point in time is the state of that time", async () => {
  const { clock, stores, writing, target, take } = await world(1);
  const states = new Map<number, ReadonlyMap<string, string>>();
  for (let i = 0; i < 25; i++) {
    await clock.advance(60_000);
    await writing.next();
    states.set(clock.nowMs(), await stateOf(stores.pointers));
  }
  await clock.advance(60_000);
  await take();
  for (const [atMs, expected] of states) {
    const { state } = await restored(clock, target, { atMs });
    expect(state).toEqual(expected);
  }
  const late = restored(clock, target, { atMs: clock.nowMs() + 1 });
  await expect(late).rejects.toMatchObject({ code: "RESTORE_TIME_INVALID" });
  const early = restored(clock, target, { atMs: clock.nowMs() - 2 * WEEK_MS });
  await expect(early).rejects.toMatchObject({ code: "RESTORE_TIME_INVALID" });
});

test("a batch that lands in the sweep, long after its minute, is in the history", async () => {
  const { clock, stores, target, take } = await world(20);
  await clock.advance(60_000);
  const [beforeMs, before] = [clock.nowMs(), await stateOf(stores.pointers)];
  await clock.advance(60_000);
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { pointers: inner } = stores;
  const slow = new Proxy(inner, {
    get: (to, name) => {
      if (name === "commit") {
        return async (batch: Parameters<PointerStore["commit"]>[0]) => {
          asked.resolve();
          await gate.promise;
          return inner.commit(batch);
        };
      }
      const value: unknown = Reflect.get(to, name);
      return typeof value === "function" ? value.bind(to) : value;
    },
  });
  const writer = await openTestCatalog({ ...stores, pointers: slow });
  const written = writer.namespaces.create(ACTOR, { catalog: "c", path: ["late"] }, {});
  await asked.promise;
  await clock.advance(10 * 60_000);
  let isLanded = false;
  const pointers = new Proxy(inner, {
    get: (to, name) => {
      if (name === "sweep") {
        return async function* (...range: Parameters<PointerStore["sweep"]>) {
          for await (const item of inner.sweep(...range)) {
            yield item;
            // The sweep has passed the change records by now.
            if (isLanded || !item.key.includes("/namespaces/by-id/")) continue;
            isLanded = true;
            gate.resolve();
            await written;
          }
        };
      }
      const value: unknown = Reflect.get(to, name);
      return typeof value === "function" ? value.bind(to) : value;
    },
  });
  await take({ pointers });
  expect(isLanded).toBe(true);
  expect((await restored(clock, target)).state).toEqual(await stateOf(inner));
  expect((await restored(clock, target, { atMs: beforeMs })).state).toEqual(before);
});

test("a restore refuses a pack with other bytes than its hash", async () => {
  const { clock, target, take } = await world(20);
  await take();
  const [pack] = await target.list("packs/");
  const path = pack?.path ?? "";
  const bytes = (await target.get(path))?.bytes ?? new Uint8Array();
  for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
    const flipped = Uint8Array.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await target.put(path, flipped);
    await expect(restored(clock, target)).rejects.toMatchObject({ code: "BACKUP_DAMAGED" });
  }
});

test("canonical keys are told from others", () => {
  expect(canonicalOf("/accounts/by-id/a")).toEqual({ type: "account", id: "a" });
  expect(canonicalOf("/accounts/a/tables/by-id/t")).toEqual({ type: "table", id: "t" });
  expect(canonicalOf("/accounts/a/jobs/by-id/j")).toBeUndefined();
  expect(canonicalOf("/accounts/a/tables/t/snapshots/by-id/1")).toBeUndefined();
});
