import { rmSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { LocalBlobStore } from "../../src/blob/local.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { ManyNamespaces } from "../support/many-namespaces.ts";
import { openTestCatalog, testStores } from "../support/open-catalog.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/** Both have more lines than a sort holds in memory; of the larger one three times as many. */
const SMALL = 20_000;
const LARGE = 60_000;
/** What 40,000 namespaces more may add; held in memory they would take several times as much. */
const GROWTH_MIB = 16;
const SAMPLES_EVERY = 100;

/** What is live, at its most. */
class Peak {
  mib = 0;
  #calls = 0;
  readonly #collect: () => void;

  constructor() {
    setFlagsFromString("--expose-gc");
    this.#collect = runInNewContext("gc") as () => void;
  }

  sample(every: number = 1): void {
    if (this.#calls++ % every !== 0) return;
    this.#collect();
    this.mib = Math.max(this.mib, process.memoryUsage().heapUsed / 1_048_576);
  }
}

/** A store of so many namespaces that holds none of them: each is made when it is read. */
async function manyStores(count: number) {
  const stores = testStores({ clock: new SystemClock() });
  const many = await ManyNamespaces.of(await openTestCatalog(stores));
  const pointers: PointerStore = {
    get: (key) => stores.pointers.get(key),
    getMany: (keys) => stores.pointers.getMany(keys),
    commit: (batch) => stores.pointers.commit(batch),
    list: (directory, options) => stores.pointers.list(directory, options),
    forget: (key, version) => stores.pointers.forget(key, version),
    sweep: async function* (prefix, options) {
      yield* stores.pointers.sweep(prefix, options);
      for (let i = 0; i < count; i++) {
        for (const { key, blobPath, summary } of many.make(i).ops) {
          const content = { ...(blobPath && { blobPath }), ...(summary && { summary }) };
          yield { state: "live", key, version: 1n, writerId: "many", ...content };
        }
      }
    },
  };
  const blobs = new Proxy(stores.blobs, {
    get: (to, name) => {
      const value: unknown = Reflect.get(to, name);
      if (name !== "get") return typeof value === "function" ? value.bind(to) : value;
      return async (path: string) => {
        const number = ManyNamespaces.numberOf(path);
        if (number === undefined) return to.get(path);
        return { bytes: many.make(number).bytes, etag: "e" };
      };
    },
  });
  return { ...stores, pointers, blobs };
}

/** Keeps what a backup writes on disk, and says how much is live meanwhile. */
function watchedPuts(store: BlobStore, peak: Peak): BlobStore {
  return new Proxy(store, {
    get: (to, name) => {
      const value: unknown = Reflect.get(to, name);
      if (typeof value !== "function") return value;
      if (name === "put" || name === "putStream") peak.sample(3);
      return value.bind(to);
    },
  });
}

/** A store that takes everything and keeps nothing. */
function sink(peak: Peak): { readonly pointers: PointerStore; readonly blobs: BlobStore } {
  const { pointers, blobs } = testStores();
  return {
    pointers: {
      get: (key) => pointers.get(key),
      getMany: (keys) => pointers.getMany(keys),
      list: (directory, options) => pointers.list(directory, options),
      sweep: (prefix, options) => pointers.sweep(prefix, options),
      forget: (key, version) => pointers.forget(key, version),
      commit: async () => {
        peak.sample(SAMPLES_EVERY);
        return { outcome: "committed", versions: new Map() };
      },
    },
    blobs: new Proxy(blobs, {
      get: (to, name) => {
        if (name === "put") return async () => ({ outcome: "stored", etag: "e" });
        const value: unknown = Reflect.get(to, name);
        return typeof value === "function" ? value.bind(to) : value;
      },
    }),
  };
}

/** The most that is live during a backup, and during a restore of it to one time before its end. */
async function peaksOf(count: number) {
  const directory = scratchDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const stores = await manyStores(count);
  const local = (name: string): BlobStore =>
    new LocalBlobStore(`${directory}/${name}`, { ...stores, durable: false });
  const [taking, restoring] = [new Peak(), new Peak()];
  const [target, scratch] = [local("target"), local("scratch")];
  const watched = watchedPuts(target, taking);
  const parts = { ...stores, target: watched, scratch: watchedPuts(scratch, taking) };
  const report = await takeBackup({ ...parts, historyRetentionMs: 86_400_000 }, "default");
  expect(report.payloads).toBeGreaterThan(count);
  const backup = await findBackup(target);
  const into = { ...stores, ...sink(restoring), source: target, scratch: local("restored") };
  const restored = await restoreBackup(into, backup, { atMs: backup.cutMs });
  expect(restored.entities).toBeGreaterThan(count);
  return { backup: taking.mib, restore: restoring.mib };
}

test("the memory of a backup and of a restore does not grow with the catalog", async () => {
  const small = await peaksOf(SMALL);
  const large = await peaksOf(LARGE);
  console.log("live MiB", { small, large });
  expect(large.backup - small.backup).toBeLessThan(GROWTH_MIB);
  expect(large.restore - small.restore).toBeLessThan(GROWTH_MIB);
}, 480_000);
