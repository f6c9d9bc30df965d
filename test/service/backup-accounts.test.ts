import { expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { summaryOfItem } from "../../src/catalog/entities.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { mintKey } from "../../src/service/access/api-keys.ts";
import { findBackup, listBackups } from "../../src/service/backup/format.ts";
import {
  restoreStoreBackup,
  type StoreScope,
  takeStoreBackup,
} from "../../src/service/backup/store.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { Mortal } from "../support/mortal.ts";
import { ACTOR, type TestStores, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const historyRetentionMs = 7 * 86_400_000;

/** A catalog, and a principal with an API key. */
async function plant(catalog: AccountCatalog, name: string, seed: number): Promise<void> {
  await catalog.catalogs.create(ACTOR, { name, defaultLocation: `mem://w/${name}` });
  await catalog.namespaces.create(ACTOR, { catalog: name, path: ["a"] }, {});
  const asked = { description: "", createdAtMs: 1, expiresAtMs: 0 };
  const { key } = await mintKey(new SeededPrng(seed), asked);
  await catalog.principals.create(ACTOR, {
    name: "ann",
    description: "",
    kind: "LOCAL",
    properties: {},
    keys: [key],
    grants: [],
    roles: [],
  });
}

/** Three accounts, each with a tree, and one that was deleted. */
async function world() {
  const clock = new SleepIsTime();
  const stores = testStores({ clock });
  const node = await openInMemory(stores, new MemoryBlobStore(clock));
  await plant(node.catalog, "lake", 1);
  const { entity: rain } = await node.model.accounts.create(ACTOR, { name: "rain" });
  await plant(node.catalog.within(rain.id), "rain", 2);
  const { entity: snow } = await node.model.accounts.create(ACTOR, { name: "snow" });
  await plant(node.catalog.within(snow.id), "snow", 3);
  const { entity: hail } = await node.model.accounts.create(ACTOR, { name: "hail" });
  await plant(node.catalog.within(hail.id), "hail", 4);
  const within = node.catalog.within(hail.id);
  await within.namespaces.drop(ACTOR, { catalog: "hail", path: ["a"] });
  await within.catalogs.drop(ACTOR, "hail");
  await node.model.accounts.drop(ACTOR, { account: { name: "hail" } });
  const state = await stateOf(stores.pointers);
  return {
    clock,
    stores,
    node,
    target: new MemoryBlobStore(clock),
    state,
    rain: rain.id,
    hail: hail.id,
  };
}

function take(stores: TestStores, target: BlobStore) {
  const { clock } = stores;
  const openScratch = async () => ({ store: new MemoryBlobStore(clock), close: async () => {} });
  return takeStoreBackup({ ...stores, target, openScratch, historyRetentionMs });
}

async function restore(stores: TestStores, source: BlobStore, scope: StoreScope = {}) {
  const { clock } = stores;
  const openScratch = async () => ({ store: new MemoryBlobStore(clock), close: async () => {} });
  return restoreStoreBackup({ ...stores, source, openScratch }, await findBackup(source), scope);
}

/** Live pointers, API keys among them, but for those that begin anew and those of one account. */
async function stateOf(
  pointers: PointerStore,
  without?: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const item of pointers.sweep("/")) {
    const isNew = /\/(?:idempotency|changes|jobs)\/|\/access$/.test(item.key);
    const isOut = without !== undefined && item.key.includes(without);
    if (item.state === "absent" || isNew || isOut) continue;
    const summary = Buffer.from(item.summary ?? "").toString("base64");
    found.set(item.key, `${item.blobPath ?? ""} ${summary}`);
  }
  return found;
}

const empty = (clock: SleepIsTime): TestStores => testStores({ clock, seed: 99 });

test("all accounts of a store come back, with their principals and keys", async () => {
  const { clock, stores, target, state } = await world();
  const report = await take(stores, target);
  expect(report.accounts).toEqual(["default", "rain", "snow"]);
  expect(await listBackups(target)).toHaveLength(1);
  const into = empty(clock);
  const { id, entities } = await restore(into, target);
  expect(id).toBe(report.id);
  // Of each account: itself, a catalog, a namespace, a principal; and the catalog of a node.
  expect(entities).toBe(4 * 4 + 1);
  expect(await stateOf(into.pointers)).toEqual(state);
  const keys = [...state.keys()].filter((key) => key.startsWith("/system/api-keys/"));
  expect(keys).toHaveLength(4);
  await expect(restore(into, target)).rejects.toMatchObject({ code: "STORE_NOT_EMPTY" });
});

test("a second backup of all accounts copies only what is new", async () => {
  const { stores, target, node } = await world();
  const first = await take(stores, target);
  expect(first.copied).toBe(first.payloads);
  expect(await take(stores, target)).toMatchObject({ copied: 0, payloads: first.payloads });
  await node.catalog.namespaces.create(ACTOR, { catalog: "lake", path: ["b"] }, {});
  const third = await take(stores, target);
  expect(third.copied).toBeGreaterThan(0);
  expect(third.copied).toBeLessThan(5);
});

test("no account's backup reads what the location holds of the others", async () => {
  const { stores, target } = await world();
  for (let run = 1; run <= 2; run++) {
    const calls: string[] = [];
    const counted: BlobStore = new Proxy(target, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          calls.push(`${String(name)} ${String(args[0])}`);
          return (value as (...all: unknown[]) => unknown).apply(inner, args);
        };
      },
    });
    await take(stores, counted);
    expect(calls.filter((call) => call === "list packs/")).toHaveLength(1);
    // To prove that they are whole: each once.
    const read = calls.filter((call) => call.startsWith("get packs/"));
    expect(read.length).toBe(4);
    expect(new Set(read).size).toBe(4);
    // The backup of the run before, and those of the three other accounts in it.
    const known = calls.filter((call) => /^get (?:backups|accounts)\//.test(call));
    expect(known.length).toBe(run === 1 ? 0 : 4);
  }
});

test("one account of a backup comes back alone, and one catalog of it", async () => {
  const { clock, stores, target } = await world();
  await take(stores, target);
  for (const scope of [{ account: "snow" }, { account: "snow", catalog: "snow" }]) {
    const into = empty(clock);
    await restore(into, target, scope);
    const [name, ...more] = await into.pointers.list("/accounts/by-name");
    expect(name?.key).toBe("/accounts/by-name/snow");
    expect(more).toEqual([]);
    expect([...(await stateOf(into.pointers)).keys()].join(" ")).toContain("/by-name/snow");
  }
  const missing = restore(empty(clock), target, { account: "hail" });
  await expect(missing).rejects.toMatchObject({ code: "ACCOUNT_NOT_FOUND" });
  const main = empty(clock);
  await restore(main, target, { catalog: "lake" });
  expect(await main.pointers.list("/accounts/by-name")).toHaveLength(1);
});

test("a backup of one account restores as it always did", async () => {
  const { clock, stores, target } = await world();
  await takeBackup({ ...stores, target, historyRetentionMs }, "rain");
  const { version, others } = await findBackup(target);
  expect({ version, others }).toEqual({ version: 1, others: undefined });
  const into = empty(clock);
  await restore(into, target);
  expect((await into.pointers.list("/accounts/by-name")).map(({ key }) => key)).toEqual([
    "/accounts/by-name/rain",
  ]);
});

test("older versions of Firn refuse a backup of which they would leave accounts out", async () => {
  const { stores, target } = await world();
  await take(stores, target);
  expect((await findBackup(target)).version).toBe(3);
});

test("a backup of all accounts that ends at any call is not one, and is run again", async () => {
  const { clock, stores, target, state } = await world();
  let ends = 0;
  for (let endsAt = 0; ; endsAt += 7) {
    const mortal = new Mortal(endsAt);
    await take(stores, mortal.files(target)).catch(() => undefined);
    if (!mortal.ended) break;
    expect(await listBackups(target)).toEqual([]);
    ends++;
  }
  expect(ends).toBeGreaterThan(5);
  const into = empty(clock);
  await restore(into, target);
  expect(await stateOf(into.pointers)).toEqual(state);
});

test("a restore of all accounts that ends at any call is run again", async () => {
  const { clock, stores, target, state } = await world();
  await take(stores, target);
  const into = empty(clock);
  let ends = 0;
  for (let endsAt = 0; ; endsAt += 3) {
    const mortal = new Mortal(endsAt);
    const pointers = mortal.pointers(into.pointers);
    const blobs = mortal.files(into.blobs);
    await restore({ ...into, pointers, blobs }, target).catch(() => undefined);
    if (!mortal.ended) break;
    const [main] = await into.pointers.getMany(["/accounts/by-name/default"]);
    expect(main?.state).toBe("absent");
    ends++;
  }
  expect(ends).toBeGreaterThan(10);
  expect(await stateOf(into.pointers)).toEqual(state);
});

test("a restore does not go on over another one that was interrupted", async () => {
  const { clock, stores, node, target, rain } = await world();
  await take(stores, target);
  const into = empty(clock);
  const mortal = new Mortal(24);
  const parts = { ...into, pointers: mortal.pointers(into.pointers) };
  await restore(parts, target).catch(() => undefined);
  expect(await into.pointers.list("/accounts/by-name")).not.toEqual([]);
  await node.catalog.within(rain).namespaces.drop(ACTOR, { catalog: "rain", path: ["a"] });
  await take(stores, target);
  await expect(restore(into, target)).rejects.toMatchObject({ code: "STORE_NOT_EMPTY" });
});

test("a deleted account comes back deleted, and is undropped with all it had", async () => {
  const { clock, stores, node, target, hail } = await world();
  const { entity: next } = await node.model.accounts.create(ACTOR, { name: "hail" });
  await plant(node.catalog.within(next.id), "other", 5);
  expect((await take(stores, target)).accounts).toEqual(["default", "hail", "rain", "snow"]);
  const into = empty(clock);
  await restore(into, target);
  const restored = await openInMemory(into, new MemoryBlobStore(clock));
  const { items } = await restored.dropped.list(ACTOR);
  expect(items).toMatchObject([{ type: "account", id: hail, name: "hail" }]);
  const back = { name: "hail-again" };
  await restored.dropped.undrop(ACTOR, hail, back);
  const { entity } = await restored.catalog.accounts.get("hail-again");
  expect(entity).toMatchObject({ id: hail, state: "ACTIVE" });
  const within = restored.catalog.within(hail);
  expect((await within.principals.page({ limit: 9 })).items).toHaveLength(1);
  const { items: dropped } = await within.dropped.page({ type: "catalog" }, { limit: 9 });
  expect(dropped.map(({ summary }) => summary.name).sort()).toEqual(["hail"]);
  // The name is that of the account that has it now.
  const alone = empty(clock);
  await restore(alone, target, { account: "hail" });
  const [found] = await alone.pointers.list("/accounts/by-name");
  expect(found && summaryOfItem(found).entityId).toBe(next.id);
  const damage: string[] = [];
  for await (const { level, code } of restored.fsck(new MemoryBlobStore(clock)).run(false)) {
    if (level !== "leftover") damage.push(code);
  }
  expect(damage).toEqual([]);
});

test("an account that is deleted while the others are copied is in the backup", async () => {
  const { clock, stores, node, target, rain } = await world();
  const within = node.catalog.within(rain);
  await within.namespaces.drop(ACTOR, { catalog: "rain", path: ["a"] });
  await within.catalogs.drop(ACTOR, "rain");
  const list = stores.pointers.list.bind(stores.pointers);
  let isDue = true;
  const pointers = new Proxy(stores.pointers, {
    get: (inner, name) => {
      if (name !== "list") {
        const value: unknown = Reflect.get(inner, name);
        return typeof value === "function" ? value.bind(inner) : value;
      }
      return async (...args: Parameters<typeof list>) => {
        const found = await list(...args);
        if (args[0].startsWith("/accounts/by-name") && isDue) {
          isDue = false;
          await node.model.accounts.drop(ACTOR, { account: { name: "rain" } });
        }
        return found;
      };
    },
  });
  expect((await take({ ...stores, pointers }, target)).accounts).toEqual(["default", "snow"]);
  const into = empty(clock);
  await restore(into, target);
  const restored = await openInMemory(into, new MemoryBlobStore(clock));
  const { items } = await restored.dropped.list(ACTOR);
  expect(items.map(({ name }) => name).sort()).toEqual(["hail", "rain"]);
});

test("an account whose purge has begun is in no backup", async () => {
  const { clock, stores, node, target, hail } = await world();
  await clock.sleep(8 * 86_400_000);
  await node.runner.runDue();
  await take(stores, target);
  const into = empty(clock);
  await restore(into, target);
  expect([...(await stateOf(into.pointers)).keys()].join(" ")).not.toContain(hail);
});

test("an earlier time has accounts as they were: deleted since, or not made yet", async () => {
  const clock = new SleepIsTime();
  const stores = testStores({ clock });
  const node = await openInMemory(stores, new MemoryBlobStore(clock));
  await plant(node.catalog, "lake", 1);
  await clock.sleep(60_000);
  const beforeMs = clock.nowMs();
  await clock.sleep(60_000);
  const { entity: rain } = await node.model.accounts.create(ACTOR, { name: "rain" });
  await plant(node.catalog.within(rain.id), "rain", 2);
  await clock.sleep(60_000);
  const then = await stateOf(stores.pointers);
  const aliveMs = clock.nowMs();
  await clock.sleep(60_000);
  const within = node.catalog.within(rain.id);
  await within.namespaces.drop(ACTOR, { catalog: "rain", path: ["a"] });
  await within.catalogs.drop(ACTOR, "rain");
  await node.model.accounts.drop(ACTOR, { account: { name: "rain" } });
  await clock.sleep(60_000);
  const target = new MemoryBlobStore(clock);
  await take(stores, target);
  const alive = empty(clock);
  await restore(alive, target, { atMs: aliveMs });
  expect(await stateOf(alive.pointers)).toEqual(then);
  const one = empty(clock);
  await restore(one, target, { account: "rain", atMs: aliveMs });
  const [name, ...more] = await one.pointers.list("/accounts/by-name");
  expect([name?.key, more]).toEqual(["/accounts/by-name/rain", []]);
  for (const scope of [{ atMs: beforeMs }, {}]) {
    const gone = restore(empty(clock), target, { account: "rain", ...scope });
    await expect(gone).rejects.toMatchObject({ code: "ACCOUNT_NOT_FOUND" });
  }
  const before = empty(clock);
  await restore(before, target, { atMs: beforeMs });
  expect([...(await stateOf(before.pointers)).keys()].join(" ")).not.toContain(rain.id);
  expect((await before.pointers.list("/accounts/by-name")).map(({ key }) => key)).toEqual([
    "/accounts/by-name/default",
  ]);
});
