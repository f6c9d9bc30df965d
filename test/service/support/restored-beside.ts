import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Clock } from "../../../src/base/clock.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import {
  type BesideReport,
  type BesideScope,
  restoreBeside,
} from "../../../src/service/backup/beside.ts";
import { findBackup } from "../../../src/service/backup/format.ts";
import { takeBackup } from "../../../src/service/backup/take.ts";
import type { NamespaceRef, TableRef } from "../../../src/service/requests.ts";
import { ACTOR, type TestStores, testStores } from "../../support/open-catalog.ts";
import {
  openTestIceberg,
  SCHEMA,
  scratchDirectory,
  type TestIceberg,
  VIEW,
} from "../../support/open-iceberg.ts";
import { plantTable } from "../../support/planted-table.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";

const WEEK_MS = 7 * 86_400_000;
export const NS: NamespaceRef = { catalog: "c", namespace: ["a"] };
export const T: TableRef = { ...NS, table: "t" };
export const COPY: TableRef = { ...T, catalog: "d" };

export interface World {
  readonly stores: TestStores;
  readonly directory: string;
  readonly node: TestIceberg;
  readonly source: MemoryBlobStore;
  /** What the planted table reaches, but for its metadata files. */
  readonly files: readonly string[];
  readonly metadataLocation: string;
}

/** Catalog `c` with a table that PyIceberg wrote, an empty one and a view; and its backup. */
export async function world(): Promise<World> {
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

export async function restore(
  { source, stores }: Pick<World, "source" | "stores">,
  node: TestIceberg,
  scope: Partial<BesideScope> = {},
): Promise<BesideReport> {
  const { catalog, catalogs, copies } = node;
  const { clock, prng, scratch } = stores;
  const parts = { catalog, catalogs, copies, clock, prng, source, scratch };
  const backup = await findBackup(source);
  return restoreBeside(parts, ACTOR, backup, { catalog: "c", as: "d", ...scope });
}

// biome-ignore lint/suspicious/noExplicitAny: metadata has whatever shape the test expects
export function metadataOf(pieces: readonly Uint8Array[]): any {
  return JSON.parse(Buffer.concat(pieces).toString());
}

export async function load(
  node: TestIceberg,
  ref: TableRef,
): Promise<{ readonly at: string; readonly metadata: ReturnType<typeof metadataOf> }> {
  const loaded = await node.iceberg.loadTable(ACTOR, ref, { snapshots: "all" });
  if (loaded === "not-modified") throw new Error("no tag was given");
  return { at: loaded.metadataLocation ?? "", metadata: metadataOf(loaded.metadata) };
}

export async function damageOf(
  { fsck }: TestIceberg,
  { stores }: World,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { level, code, subject } of fsck(new MemoryBlobStore(stores.clock)).run(false)) {
    if (level !== "leftover") found.push(`${code} ${subject}`);
  }
  return found;
}

/** Lets a table go for good. */
export async function purge(
  node: TestIceberg,
  { stores }: Pick<World, "stores">,
  ref: TableRef,
): Promise<void> {
  await node.iceberg.dropTable(ACTOR, ref, { purgeRequested: true });
  await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  await node.runner.runDue();
}

/** The files of the planted table that are gone. */
export function missing({ files }: World): readonly string[] {
  return files.filter((path) => !existsSync(path));
}

/** How far a node is that stops. */
interface Stopping {
  readonly state: { calls: number; isDone: boolean };
  readonly stores: TestStores;
}

/** The stores of a node that stops at its n-th call, until something else is done. */
export function stoppingAt(
  stores: TestStores,
  n: number,
  meanwhile: () => Promise<void>,
): Stopping {
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
