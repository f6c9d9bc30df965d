import { afterEach, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { randomBelow, SeededPrng } from "../../src/base/prng.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { KeptItems } from "../../src/pointer/kept-items.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import type { Item, Live, PointerOp } from "../../src/pointer/port.ts";
import { del, put } from "../contract/pointer-store-space.ts";
import { makeWorld, type World } from "../lsm/support/worlds.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { GatedWal, isSettled } from "./gated-wal.ts";

/** What reads keep is what the engine would say, at every moment. */

const NAMES = "/test/s/entities/by-name";
const IDS = "/test/s/entities/by-id";
const YEAR_MS = 366 * 86_400_000;

const worlds: World[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.end();
});

/** An engine whose answers come late: as it gave them, once `pause` is over. */
function slowed(engine: Engine, pause: () => Promise<void>): Engine {
  const late = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const answer: unknown = value.apply(target, args);
          if (name === "scan") return late(answer as object, ["next"]);
          return names.includes(String(name)) ? pause().then(() => answer) : answer;
        };
      },
    });
  return late(engine, ["get", "getMany"]);
}

async function open() {
  const clock = new VirtualClock();
  const world = makeWorld({ store: "memory", wal: "objects" }, { clock });
  worlds.push(world);
  const wal = new GatedWal(world.wal);
  const quick = await world.open({ wal, forTests: { memtableBytes: 16_384 } });
  const late = { pause: async () => {} };
  const engine = slowed(quick, () => late.pause());
  const over = () => new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine });
  const store = over();
  const commit = async (...ops: readonly PointerOp[]): Promise<void> => {
    expect(await store.commit({ writerId: "w", ops })).toMatchObject({ outcome: "committed" });
  };
  return { clock, world, wal, engine, late, store, other: over(), commit };
}

test("an item is the same object until it is written, by whichever store", async () => {
  const { clock, store, other, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key), put(`${NAMES}/y`));
  const steps: readonly PointerOp[] = [put(key, 1n), { op: "bump", key }, del(key, 3n)];
  for (const [i, op] of steps.entries()) {
    const before = await store.get(key);
    expect(before.version).toBe(BigInt(i + 1));
    expect(await store.get(key)).toBe(before);
    expect((await other.getMany([`${NAMES}/y`, key]))[1]).toBe(before);
    const [listed] = await store.list(NAMES);
    expect((await other.list(NAMES))[0]).toBe(listed);
    expect(listed).toEqual(before);
    expect(await other.commit({ writerId: "o", ops: [op] })).toMatchObject({
      outcome: "committed",
    });
  }
  expect(await store.get(key)).toMatchObject({ state: "absent", version: 4n });
  expect(await store.list(NAMES)).toMatchObject([{ key: `${NAMES}/y` }]);
  // Forgotten and made again it has versions that another one had.
  await clock.advance(YEAR_MS);
  expect(await store.forget(key, 4n)).toBe(true);
  await commit(put(key));
  expect(await store.get(key)).toMatchObject({ state: "live", version: 1n });
  expect(await store.list(NAMES)).toHaveLength(2);
});

test("while a write waits for the log, what was durable is answered and not kept", async () => {
  const { store, wal, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key));
  await store.get(key);
  await store.list(NAMES);
  const held = wal.hold();
  const writing = store.commit({ writerId: "second", ops: [put(key, 1n)] });
  for (let i = 0; i < 3; i++) {
    expect(await store.get(key)).toMatchObject({ version: 1n });
    expect(await store.getMany([key])).toMatchObject([{ version: 1n }]);
    expect(await store.list(NAMES)).toMatchObject([{ version: 1n }]);
  }
  held.resolve();
  expect(await writing).toMatchObject({ outcome: "committed" });
  expect(await store.get(key)).toMatchObject({ version: 2n, writerId: "second" });
  expect(await store.getMany([key])).toMatchObject([{ version: 2n }]);
  expect(await store.list(NAMES)).toMatchObject([{ version: 2n }]);
});

test("a read that a write has overtaken is answered and not kept", async () => {
  const { store, late, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key));
  const held = Promise.withResolvers<void>();
  late.pause = () => held.promise;
  const reads = [store.get(key), store.getMany([key]), store.list(NAMES)] as const;
  expect(await isSettled(Promise.race(reads))).toBe(false);
  await commit(put(key, 1n));
  late.pause = async () => {};
  held.resolve();
  await Promise.all(reads);
  expect(await store.get(key)).toMatchObject({ version: 2n });
  expect(await store.getMany([key])).toMatchObject([{ version: 2n }]);
  expect(await store.list(NAMES)).toMatchObject([{ version: 2n }]);
});

test("a read that finds a write under way, and ends after it, is not kept", async () => {
  const { store, wal, late, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key));
  const log = wal.hold();
  const writing = store.commit({ writerId: "v", ops: [put(key, 1n)] });
  const held = Promise.withResolvers<void>();
  late.pause = () => held.promise;
  const reads = [store.get(key), store.getMany([key]), store.list(NAMES)] as const;
  expect(await isSettled(Promise.race(reads))).toBe(false);
  log.resolve();
  await writing;
  late.pause = async () => {};
  held.resolve();
  await Promise.all(reads);
  expect(await store.get(key)).toMatchObject({ version: 2n });
  expect(await store.getMany([key])).toMatchObject([{ version: 2n }]);
  expect(await store.list(NAMES)).toMatchObject([{ version: 2n }]);
});

test("after a write of unknown outcome the rows are asked each time", async () => {
  const { store, wal, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key));
  await store.get(key);
  const held = wal.hold();
  const writing = store.commit({ writerId: "v", ops: [put(key, 1n)] });
  held.reject(new FirnError("Unknown", "WAL_WRITE_UNKNOWN", "as a test says"));
  expect(await writing).toMatchObject({ outcome: "unknown" });
  const found = await store.get(key);
  expect(found).toMatchObject({ version: 1n });
  expect(await store.get(key)).not.toBe(found);
  const [listed] = await store.list(NAMES);
  expect((await store.list(NAMES))[0]).not.toBe(listed);
});

test("who was overtaken answers nothing that it keeps", async () => {
  const { store, world, clock, commit } = await open();
  const key = `${NAMES}/x`;
  await commit(put(key));
  await store.get(key);
  await store.list(NAMES);
  const engine = await world.open();
  const next = new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine });
  await next.commit({ writerId: "new", ops: [put(key, 1n)] });
  await clock.advance(2_500);
  await expect(store.get(key)).rejects.toMatchObject({ code: "LSM_FENCED" });
  await expect(store.getMany([key])).rejects.toMatchObject({ code: "LSM_FENCED" });
  await expect(store.list(NAMES)).rejects.toMatchObject({ code: "LSM_FENCED" });
  expect(await next.get(key)).toMatchObject({ version: 2n });
});

test("reads and writes side by side leave nothing kept that is not stored", async () => {
  const { store, engine, clock, late } = await open();
  const prng = new SeededPrng(18);
  const keys = Array.from({ length: 12 }, (_, i) => `${i % 3 === 0 ? IDS : NAMES}/k${i}`);
  const anyKey = (): string => keys[randomBelow(prng, keys.length)] ?? "";
  const known = new Map<string, bigint>();
  const write = (key: string): PointerOp => {
    const version = known.get(key) ?? 0n;
    const kind = randomBelow(prng, 3);
    return kind === 0 ? del(key, version) : kind === 1 ? { op: "bump", key } : put(key, version);
  };
  const acts = [
    () => store.get(anyKey()),
    () => store.getMany([anyKey(), anyKey()]),
    () => store.list(NAMES, { limit: 1 + randomBelow(prng, 9) }),
    () => store.commit({ writerId: "w", ops: [write(anyKey())] }),
    () => store.commit({ writerId: "w", ops: [write(anyKey())] }),
    () => store.forget(anyKey(), 2n),
    () => engine.flush(),
  ];
  for (let round = 0; round < 300; round++) {
    late.pause = async () => {
      const turns = randomBelow(prng, 4);
      for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next));
    };
    const count = 1 + randomBelow(prng, 8);
    const one = () => acts[randomBelow(prng, acts.length)]?.();
    await Promise.all(Array.from({ length: count }, one));
    if (round % 50 === 49) await clock.advance(YEAR_MS);
    const stored = new Map<string, Item>();
    for await (const item of store.sweep("/test/s/")) stored.set(item.key, item);
    for (const key of keys) {
      const absent = { state: "absent", key, version: 0n };
      expect(await store.get(key)).toEqual(stored.get(key) ?? absent);
      known.set(key, stored.get(key)?.version ?? 0n);
    }
    const isNamed = (item: Item) => item.state === "live" && item.key.startsWith(`${NAMES}/`);
    const named = [...stored.values()].filter(isNamed);
    expect(await store.list(NAMES)).toEqual(named);
    expect(await store.list(NAMES, { limit: 3 })).toEqual(named.slice(0, 3));
  }
});

test("what is kept has a bound, as items and as pages", () => {
  const kept = new KeptItems(16_384);
  const itemOf = (i: number): Live => {
    return { state: "live", key: `${NAMES}/${i}`, version: 1n, writerId: "w" };
  };
  const items = Array.from({ length: 100 }, (_, i) => itemOf(i));
  for (const item of items) kept.keep(item, kept.steps);
  const left = items.filter(({ key }) => kept.get(key) !== undefined);
  expect(left.length).toBeGreaterThan(10);
  expect(left.length).toBeLessThan(24);
  expect(left).toEqual(items.slice(-left.length));
  const pages = Array.from({ length: 40 }, (_, i) => ({ directory: `/d${i % 2}`, after: `a${i}` }));
  for (const { directory, after } of pages) {
    const listing = kept.beginList(directory);
    kept.keepPage(listing, after, 2, [itemOf(0)]);
    kept.endList(listing);
  }
  const pagesLeft = pages.filter(({ directory, after }) => kept.page(directory, after, 2));
  expect(pagesLeft.length).toBeGreaterThan(1);
  expect(pagesLeft.length).toBeLessThan(16);
  expect(kept.page("/d1", "a39", 2)).toHaveLength(1);
  expect(kept.page("/d1", "a39", 3)).toBeUndefined();
});
