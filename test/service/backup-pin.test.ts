import { expect, test } from "vitest";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { HistoryPin, PIN_LEASE_MS, pinnedSince } from "../../src/catalog/pins.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { SCHEMA } from "../support/open-iceberg.ts";
import {
  collect,
  type GcNode,
  type GcWorld,
  gcWorld,
  makeTable,
  NS,
  setProperty,
  T,
} from "./support/garbage.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The shortest that both may be. */
const GC = { historyRetentionMs: HOUR_MS, gcGraceMs: HOUR_MS };

/** A store whose calls take time, in which something else happens. */
function slowly<T extends object>(
  inner: T,
  meanwhile: () => Promise<void>,
  isSlow: (method: string | symbol) => boolean = () => true,
): T {
  return new Proxy(inner, {
    get: (to, name) => {
      const value: unknown = Reflect.get(to, name);
      if (typeof value !== "function") return value;
      if (!isSlow(name)) return value.bind(to);
      const call = (args: unknown[]): unknown =>
        (value as (...all: unknown[]) => unknown).apply(to, args);
      if (name === "sweep") {
        return async function* (...args: unknown[]) {
          for await (const item of call(args) as AsyncIterable<unknown>) {
            await meanwhile();
            yield item;
          }
        };
      }
      return async (...args: unknown[]) => {
        await meanwhile();
        return call(args);
      };
    },
  });
}

/** A table with some commits, each a minute after the one before. */
async function history(world: GcWorld): Promise<GcNode> {
  const node = await world.open({ gc: GC });
  await makeTable(node);
  for (let n = 0; n < 6; n++) {
    await world.clock.sleep(MINUTE_MS);
    await node.iceberg.commitTable(ACTOR, T, setProperty("n", `${n}`));
  }
  return node;
}

interface Slow {
  readonly pointers?: (inner: PointerStore) => PointerStore;
  readonly blobs?: (inner: BlobStore) => BlobStore;
}

function backUp({ stores, clock }: GcWorld, target: BlobStore, slow: Slow = {}) {
  const { pointers = (inner) => inner, blobs = (inner) => inner } = slow;
  return takeBackup(
    {
      ...stores,
      clock,
      pointers: pointers(stores.pointers),
      blobs: blobs(stores.blobs),
      target,
      historyRetentionMs: HOUR_MS,
    },
    "default",
  );
}

/** By key, what a restore of a time brings. */
async function restoredAt({ clock }: GcWorld, source: BlobStore, atMs: number, id?: string) {
  const into = { ...testStores({ clock, seed: 99 }), clock };
  await restoreBackup({ ...into, source }, await findBackup(source, id), { atMs });
  return contentOf(into.pointers);
}

async function contentOf(pointers: PointerStore): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  for await (const item of pointers.sweep("/")) {
    if (item.key.includes("/jobs/")) continue;
    if (item.state === "live" && item.key.includes("/by-id/")) found.set(item.key, item.blobPath);
  }
  return found;
}

test("a backup that takes longer than the retention loses nothing to a collector", async () => {
  const world = gcWorld();
  const node = await history(world);
  const startedMs = world.clock.nowMs();
  const quick = new MemoryBlobStore(world.clock);
  await backUp(world, quick);
  const target = new MemoryBlobStore(world.clock);
  let turns = 0;
  // A collector looks at every call, and marks and deletes whenever its grace has passed.
  const meanwhile = async (): Promise<void> => {
    await world.clock.sleep(8 * MINUTE_MS);
    if (turns++ % 7 === 0) await collect(node);
    if (turns % 10 !== 0) return;
    await node.iceberg.commitTable(ACTOR, T, setProperty("turn", `${turns}`));
  };
  const isSlow = (method: string | symbol): boolean => method === "sweep" || method === "get";
  await backUp(world, target, {
    pointers: (inner) => slowly(inner, meanwhile, isSlow),
    blobs: (inner) => slowly(inner, meanwhile, isSlow),
  });
  expect(world.clock.nowMs() - startedMs).toBeGreaterThan(4 * HOUR_MS);
  expect(node.stops).toEqual([]);
  for (let minutes = 0; minutes <= 6; minutes++) {
    const atMs = startedMs - minutes * MINUTE_MS;
    const [late, early] = [
      await restoredAt(world, target, atMs),
      await restoredAt(world, quick, atMs),
    ];
    expect(late).toEqual(early);
  }
  // Nothing is pinned any more: the history goes.
  await world.clock.sleep(3 * HOUR_MS);
  const before = node.deleted.length;
  for (let n = 0; n < 4; n++) {
    await collect(node);
    await world.clock.sleep(2 * HOUR_MS);
  }
  expect(node.deleted.length).toBeGreaterThan(before);
});

test("a backup that begins at any call of a mark has its history", async () => {
  for (let n = 0; ; n++) {
    const world = gcWorld();
    const node = await history(world);
    // All of it has just expired for the collector, by a minute; the backup still wants it.
    await world.clock.sleep(HOUR_MS + 19 * MINUTE_MS);
    const target = new MemoryBlobStore(world.clock);
    const state = { calls: 0, isDone: false };
    const marking = await world.open({
      gc: GC,
      pointers: (inner) =>
        slowly(inner, async () => {
          if (state.calls++ !== n) return;
          state.isDone = true;
          const parts = { ...world.stores, clock: world.clock, target };
          await takeBackup({ ...parts, historyRetentionMs: 2 * HOUR_MS }, "default");
        }),
    });
    await collect(marking);
    if (!state.isDone) break;
    // What the backup did not see was gone before it began.
    const backup = await findBackup(target);
    await restoreBackup(
      { ...testStores({ clock: world.clock, seed: 9 }), clock: world.clock, source: target },
      backup,
    );
    expect(node.stops).toEqual([]);
  }
});

test("backups a retention apart reach every time between them, whatever is collected", async () => {
  const world = gcWorld();
  const { clock, stores } = world;
  const node = await world.open({ gc: GC });
  await makeTable(node);
  await clock.sleep(MINUTE_MS);
  const target = new MemoryBlobStore(clock);
  /** The backup that a time is in, and what was there then. */
  const truth: { atMs: number; id: string; content: ReadonlyMap<string, string | undefined> }[] =
    [];
  const backups = [await backUp(world, target)];
  for (let link = 0; link < 4; link++) {
    const endedMs = clock.nowMs();
    const times: { atMs: number; content: ReadonlyMap<string, string | undefined> }[] = [];
    for (let n = 0; clock.nowMs() < endedMs + HOUR_MS - 3 * MINUTE_MS; n++) {
      await churn(node, n);
      await clock.sleep(MINUTE_MS);
      times.push({ atMs: clock.nowMs(), content: await contentOf(stores.pointers) });
      await clock.sleep(MINUTE_MS);
      await collect(node);
    }
    await clock.sleep(Math.max(0, endedMs + HOUR_MS - clock.nowMs()));
    await collect(node);
    const backup = await backUp(world, target);
    backups.push(backup);
    // Those next to the ends, and some between.
    const some = times.filter((_, i) => i % 6 === 0 || i + 2 > times.length);
    for (const time of some) truth.push({ ...time, id: backup.id });
  }
  expect(node.stops).toEqual([]);
  // The chain is incremental, and the store has let go of what its first backups copied.
  expect(backups.slice(1).every(({ copied, payloads }) => copied < payloads)).toBe(true);
  const gone = node.deleted.filter(({ kind }) => kind === "payloads");
  expect(gone.flatMap(({ paths }) => paths).length).toBeGreaterThan(30);
  expect(truth.length).toBeGreaterThan(15);
  for (const { atMs, id, content } of truth) {
    expect(await restoredAt(world, target, atMs, id), new Date(atMs).toISOString()).toEqual(
      content,
    );
  }
});

/** Commits; now and then a table that comes and goes, and a name that is used again. */
async function churn({ iceberg }: GcNode, n: number): Promise<void> {
  await iceberg.commitTable(ACTOR, T, setProperty("n", `${n}`));
  const request = { name: "u", schema: SCHEMA, stageCreate: false, properties: {} };
  if (n % 5 === 1) await iceberg.createTable(ACTOR, NS, request);
  if (n % 5 === 3) await iceberg.dropTable(ACTOR, { ...NS, table: "u" }, { purgeRequested: false });
}

test("a mark that waits to forget looks at the pins again", async () => {
  const world = gcWorld();
  const node = await history(world);
  const { clock, stores } = world;
  await clock.sleep(HOUR_MS + 30 * MINUTE_MS);
  const { account } = node.catalog.context;
  let isPinned = false;
  const countOf = async (): Promise<number> => {
    let count = 0;
    for await (const item of stores.pointers.sweep(`/accounts/${account}/changes/`)) {
      if (item.state === "live") count++;
    }
    return count;
  };
  const before = await countOf();
  const marking = await world.open({
    gc: GC,
    pointers: (inner) =>
      new Proxy(inner, {
        get: (to, name) => {
          const value: unknown = Reflect.get(to, name);
          if (name !== "sweep") return typeof value === "function" ? value.bind(to) : value;
          return async function* (...args: Parameters<PointerStore["sweep"]>) {
            for await (const item of inner.sweep(...args)) {
              yield item;
              // The records have been passed, and what is to go is still waiting.
              if (isPinned || !item.key.includes("/tables/by-id/")) continue;
              isPinned = true;
              await HistoryPin.take(stores.blobs, clock, account, { id: "p", sinceMs: 0 });
              await clock.sleep(2 * MINUTE_MS);
            }
          };
        },
      }),
  });
  await collect(marking);
  expect(isPinned).toBe(true);
  expect(await countOf()).toBe(before);
  await clock.sleep(PIN_LEASE_MS + 2 * MINUTE_MS + 3 * HOUR_MS);
  await collect(node);
  expect(await countOf()).toBeLessThan(before);
});

test("a pin ends with its reader, and several count together", async () => {
  const world = gcWorld();
  const { clock, stores } = world;
  const { account } = (await world.open()).catalog.context;
  const since = () => pinnedSince(stores.blobs, clock, account);
  expect(await since()).toBe(Number.POSITIVE_INFINITY);
  const take = (id: string, sinceMs: number) =>
    HistoryPin.take(stores.blobs, clock, account, { id, sinceMs });
  const [one, two] = [await take("1", 5_000), await take("2", 7_000)];
  expect(await since()).toBe(5_000);
  for (let minutes = 0; minutes < 30; minutes++) {
    await clock.sleep(MINUTE_MS);
    await two.keep();
    if (minutes === 8) expect(await since()).toBe(5_000);
  }
  // The first one's reader has died.
  expect(await since()).toBe(7_000);
  expect(await stores.blobs.list("pins/")).toHaveLength(1);
  await two.release();
  await one.release();
  expect(await since()).toBe(Number.POSITIVE_INFINITY);
  expect(await stores.blobs.list("pins/")).toEqual([]);
});
