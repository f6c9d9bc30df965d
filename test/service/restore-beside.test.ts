import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { type BesideScope, restoreBeside } from "../../src/service/backup/beside.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import {
  commitOf,
  openTestIceberg,
  SCHEMA,
  scratchDirectory,
  type TestIceberg,
} from "../support/open-iceberg.ts";
import { plantTable } from "../support/planted-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const WEEK_MS = 7 * 86_400_000;
const NS = { catalog: "c", namespace: ["a"] } as const;
const T = { ...NS, table: "t" } as const;
const COPY = { ...T, catalog: "d" } as const;
const VIEW = {
  name: "v",
  schema: SCHEMA,
  version: {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": 1_700_000_000_000,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  },
  properties: {},
} as const;

interface World {
  readonly stores: AccountStores;
  readonly directory: string;
  readonly node: TestIceberg;
  readonly source: MemoryBlobStore;
  /** What the planted table reaches, but for its metadata files. */
  readonly files: readonly string[];
  readonly metadataLocation: string;
}

/** Catalog `c` with a table that PyIceberg wrote, an empty one and a view; and its backup. */
async function world(): Promise<World> {
  const stores = testStores({ clock: new SleepIsTime() });
  const directory = scratchDirectory();
  const metadataLocation = plantTable("v2", directory);
  const node = await openTestIceberg(stores, directory);
  const { iceberg } = node;
  await iceberg.createNamespace(ACTOR, NS, { owner: "me" });
  await iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["a", "deep"] }, {});
  await iceberg.registerTable(ACTOR, NS, { name: "t", metadataLocation, overwrite: false });
  const empty = { name: "u", schema: SCHEMA, properties: { k: "1" }, stageCreate: false };
  await iceberg.createTable(ACTOR, { catalog: "c", namespace: ["a", "deep"] }, empty);
  await iceberg.createView(ACTOR, NS, VIEW);
  const source = new MemoryBlobStore(stores.clock);
  const parts = { ...stores, target: source, historyRetentionMs: WEEK_MS };
  await takeBackup(parts, "default");
  const root = join(directory, "v2");
  const all = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".metadata.json"))
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(10);
  return { stores, directory, node, source, files, metadataLocation };
}

async function restore(
  { source, stores }: Pick<World, "source" | "stores">,
  node: TestIceberg,
  scope: Partial<BesideScope> = {},
) {
  const { catalog, catalogs, copies } = node;
  const parts = { catalog, catalogs, copies, clock: stores.clock, source };
  const backup = await findBackup(source);
  return restoreBeside(parts, ACTOR, backup, { catalog: "c", as: "d", ...scope });
}

function metadataOf(pieces: readonly Uint8Array[]) {
  return JSON.parse(Buffer.concat(pieces).toString());
}

async function load(node: TestIceberg, ref: typeof T | typeof COPY) {
  const loaded = await node.iceberg.loadTable(ACTOR, ref, { snapshots: "all" });
  if (loaded === "not-modified") throw new Error("no tag was given");
  return { at: loaded.metadataLocation ?? "", metadata: metadataOf(loaded.metadata) };
}

async function damageOf({ fsck }: TestIceberg, { stores }: World): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { level, code, subject } of fsck(new MemoryBlobStore(stores.clock)).run(false)) {
    if (level !== "leftover") found.push(`${code} ${subject}`);
  }
  return found;
}

/** Lets a table go for good. */
async function purge(node: TestIceberg, { stores }: World, ref: typeof T | typeof COPY) {
  await node.iceberg.dropTable(ACTOR, ref, { purgeRequested: true });
  await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  await node.runner.runDue();
}

const missing = ({ files }: World) => files.filter((path) => !existsSync(path));

test("a catalog comes back beside the original, with metadata files of its own", async () => {
  const given = await world();
  const { node } = given;
  const report = await restore(given, node);
  expect(report).toMatchObject({ catalog: "d", namespaces: 2, tables: 2, views: 1, leftOut: [] });
  expect([...(await node.catalogs.list(ACTOR))].sort()).toEqual(["c", "d"]);
  const [first, copy] = [await load(node, T), await load(node, COPY)];
  expect(copy.at).not.toBe(first.at);
  const { location } = copy.metadata;
  expect(copy.at.startsWith(`${location}/metadata/00000-`)).toBe(true);
  expect(location).toContain("/d/a/t-");
  const { properties } = first.metadata;
  expect(copy.metadata).toEqual({
    ...first.metadata,
    location,
    "last-updated-ms": expect.any(Number),
    "metadata-log": [],
    properties: { ...properties, "gc.enabled": "false" },
  });
  const namespace = { catalog: "d", namespace: ["a"] };
  const shown = await node.iceberg.loadNamespace(ACTOR, namespace);
  expect(shown.properties).toMatchObject({ owner: "me" });
  const view = await node.iceberg.loadView(ACTOR, { ...namespace, view: "v" });
  const original = await node.iceberg.loadView(ACTOR, { ...NS, view: "v" });
  expect(metadataOf(view.metadata).versions).toEqual(metadataOf(original.metadata).versions);
  expect(metadataOf(view.metadata).location).not.toBe(metadataOf(original.metadata).location);
  // Either goes on alone.
  const commit = commitOf([{ action: "set-properties", updates: { k: "copy" } }]);
  await node.iceberg.commitTable(ACTOR, COPY, commit);
  expect((await load(node, T)).metadata).toEqual(first.metadata);
  expect(await damageOf(node, given)).toEqual([]);
});

test("a purge of the original leaves what the copy reaches", async () => {
  const given = await world();
  await restore(given, given.node);
  await purge(given.node, given, T);
  await expect(load(given.node, T)).rejects.toMatchObject({ kind: "NotFound" });
  expect(missing(given)).toEqual([]);
  await load(given.node, COPY);
});

test("a purge of the copy leaves the original's files, whoever enabled it", async () => {
  for (const enabled of ["false", "true"]) {
    const given = await world();
    const { node } = given;
    await restore(given, node);
    const updates = [{ action: "set-properties", updates: { "gc.enabled": enabled } }];
    await node.iceberg.commitTable(ACTOR, COPY, commitOf(updates));
    // The original is gone from the catalog, and its files were to stay.
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: false });
    await given.stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    await node.runner.runDue();
    await purge(node, given, COPY);
    expect(missing(given)).toEqual([]);
    expect(existsSync(given.metadataLocation.slice("file://".length))).toBe(true);
  }
});

/** The stores of a node that stops at its n-th call, until something else is done. */
function stoppingAt(stores: AccountStores, n: number, meanwhile: () => Promise<void>) {
  const state = { calls: 0, isDone: false };
  const over = Promise.withResolvers<void>();
  const { clock: inner } = stores;
  const clock: Clock = {
    nowMs: () => inner.nowMs(),
    monotonicMs: () => inner.monotonicMs(),
    // Nothing of the node goes on while it stands still.
    sleep: async (ms) => {
      if (state.isDone) await over.promise;
      await inner.sleep(ms);
    },
  };
  const pointers = new Proxy(stores.pointers, {
    get: (to, name) => {
      const value: unknown = Reflect.get(to, name);
      if (typeof value !== "function") return value;
      const call = (...args: unknown[]): unknown =>
        (value as (...all: unknown[]) => unknown).apply(to, args);
      if (name === "sweep") {
        return async function* (...args: unknown[]) {
          await stop();
          yield* call(...args) as AsyncIterable<unknown>;
        };
      }
      return async (...args: unknown[]) => {
        await stop();
        return call(...args);
      };
    },
  });
  const stop = async (): Promise<void> => {
    if (state.calls++ !== n) return;
    state.isDone = true;
    await meanwhile().finally(() => over.resolve());
  };
  return { state, stores: { ...stores, pointers, clock } };
}

/** What a restore and a purge of the original came to: a copy is whole, or left out. */
async function expectWhole(given: World, node: TestIceberg): Promise<"copied" | "left out"> {
  try {
    await load(node, COPY);
  } catch {
    return "left out";
  }
  expect(missing(given)).toEqual([]);
  return "copied";
}

test("a restore at every call of a purge copies what stays, or nothing", async () => {
  const outcomes = new Set<string>();
  for (let n = 0; ; n++) {
    const given = await world();
    const { node, stores, directory } = given;
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
    await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    const stopping = stoppingAt(stores, n, async () => {
      await restore(given, node);
    });
    const purging = await openTestIceberg(stopping.stores, directory);
    await purging.runner.runDue();
    if (!stopping.state.isDone) break;
    outcomes.add(await expectWhole(given, node));
    rmSync(directory, { recursive: true, force: true });
  }
  expect([...outcomes].sort()).toEqual(["copied", "left out"]);
});

test("a purge at every call of a restore leaves what was copied, or nothing was", async () => {
  const outcomes = new Set<string>();
  for (let n = 0; ; n++) {
    const given = await world();
    const { node, stores, directory } = given;
    await node.iceberg.dropTable(ACTOR, T, { purgeRequested: true });
    await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
    const stopping = stoppingAt(stores, n, () => node.runner.runDue());
    const restoring = await openTestIceberg(stopping.stores, directory);
    // It may have waited for too long to know what became of its batch: then it is run again.
    await restore(given, restoring).catch((error: unknown) => {
      expect(error).toMatchObject({
        kind: expect.stringMatching(/^(?:Unknown|Overloaded|Unavailable)$/),
      });
      return restore(given, node);
    });
    if (!stopping.state.isDone) break;
    outcomes.add(await expectWhole(given, node));
    rmSync(directory, { recursive: true, force: true });
  }
  expect([...outcomes].sort()).toEqual(["copied", "left out"]);
});

test("a restore that ends at any call shows nothing under its name, and is run again", async () => {
  const given = await world();
  const { node, stores, directory } = given;
  let deaths = 0;
  for (let n = 0; ; n += 3) {
    const ended = new Error("the process has ended");
    const dying = stoppingAt(stores, n, () => Promise.reject(ended));
    const restoring = await openTestIceberg(dying.stores, directory).catch(() => undefined);
    if (restoring === undefined) continue;
    try {
      await restore(given, restoring);
    } catch {
      deaths++;
      expect(await node.catalogs.list(ACTOR)).not.toContain("d");
      continue;
    }
    break;
  }
  expect(deaths).toBeGreaterThan(5);
  expect([...(await node.catalogs.list(ACTOR))].sort()).toEqual(["c", "d"]);
  await load(node, COPY);
  expect(await damageOf(node, given)).toEqual([]);
});

test("what cannot be copied is named, and the rest comes back", async () => {
  const given = await world();
  rmSync(given.metadataLocation.slice("file://".length));
  const report = await restore(given, given.node);
  const leftOut = [{ type: "table", name: "a.t", code: "METADATA_FILE_MISSING" }];
  expect(report).toMatchObject({ tables: 1, views: 1, leftOut });
});

test("a name that is taken, and one that another restore has begun, are refused", async () => {
  const given = await world();
  const { node } = given;
  const taken = restore(given, node, { as: "c" });
  await expect(taken).rejects.toMatchObject({ code: "CATALOG_ALREADY_EXISTS" });
  const none = restore(given, node, { catalog: "none" });
  await expect(none).rejects.toMatchObject({ code: "CATALOG_NOT_FOUND" });
  await node.catalogs.create(ACTOR, "d.restoring");
  await expect(restore(given, node)).rejects.toMatchObject({ code: "RESTORE_UNFINISHED" });
  expect((await restore(given, node, { as: "e" })).catalog).toBe("e");
});
