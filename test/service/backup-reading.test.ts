import { expect, test } from "vitest";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { Fsck } from "../../src/service/fsck/fsck.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/*
 * A backup lists the history of a minute shard by shard, while others write. Of two batches one of
 * which rests on the other, the lists may show the later one alone.
 */

const SHARDS = 16;
const DAY_MS = 86_400_000;

/** Answers the first lists of a minute at once, and the rest of them after a write. */
function split(
  inner: PointerStore,
  minute: number,
  at: number,
  write: () => Promise<void>,
): PointerStore {
  let written: Promise<void> | undefined;
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    commit: (batch) => inner.commit(batch),
    forget: (...of) => inner.forget(...of),
    sweep: (...of) => inner.sweep(...of),
    list: async (directory, options) => {
      const [, of, shard] = /\/changes\/(\d+)-(\d+)$/.exec(directory) ?? [];
      if (Number(of) === minute && Number(shard) >= at) {
        written ??= write();
        await written;
      }
      return inner.list(directory, options);
    },
  };
}

type Catalog = Awaited<ReturnType<typeof openTestCatalog>>;

const WRITES: Readonly<Record<string, (catalog: Catalog) => Promise<void>>> = {
  "a namespace and a child of it": async ({ namespaces }) => {
    await namespaces.create(ACTOR, { catalog: "c", path: ["b"] }, {});
    await namespaces.create(ACTOR, { catalog: "c", path: ["b", "child"] }, {});
  },
  "a name that is used again": async ({ namespaces }) => {
    await namespaces.drop(ACTOR, { catalog: "c", path: ["a"] });
    await namespaces.create(ACTOR, { catalog: "c", path: ["a"] }, {});
  },
};

test.each(Object.keys(WRITES))("lists that miss the first of two batches: %s", async (what) => {
  let splits = 0;
  for (let at = 1; at < SHARDS; at++) {
    for (const seed of [1, 2, 3]) {
      const clock = new SleepIsTime();
      const stores = testStores({ clock, seed });
      const catalog = await openTestCatalog(stores);
      await catalog.catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///lake/c" });
      await catalog.namespaces.create(ACTOR, { catalog: "c", path: ["a"] }, {});
      const minute = Math.floor(clock.nowMs() / 60_000);
      const target = new MemoryBlobStore(clock);
      const pointers = split(stores.pointers, minute, at, async () => {
        await WRITES[what]?.(catalog);
        splits++;
      });
      const parts = { ...stores, pointers, target, historyRetentionMs: DAY_MS };
      await takeBackup(parts, "default");
      const into = testStores({ clock, seed: 99 });
      await restoreBackup({ ...into, source: target }, await findBackup(target));
      const scratch = new MemoryBlobStore(clock);
      const found: string[] = [];
      for await (const { code, level, subject } of new Fsck({ ...into, scratch }).run(false)) {
        if (level === "damage") found.push(`${code} ${subject}`);
      }
      expect(found, `shard ${at}, seed ${seed}`).toEqual([]);
    }
  }
  expect(splits).toBe(3 * (SHARDS - 1));
});
