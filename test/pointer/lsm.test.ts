import { afterEach, describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import type { OpenOptions } from "../../src/lsm/engine/open.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import {
  describePointerStore,
  type PointerStoreCapabilities,
  type PointerStoreSubject,
} from "../contract/describe-pointer-store.ts";
import { del, put } from "../contract/pointer-store-space.ts";
import { type Kind, makeWorld, type World } from "../lsm/support/worlds.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { GatedWal, isSettled } from "./gated-wal.ts";

const CAPABILITIES: PointerStoreCapabilities = { bumpVersions: true, sweepOrder: true };
const IN_MEMORY: Kind = { store: "memory", wal: "objects" };
const NAMES = "/test/s/entities/by-name";
const PATHS = "/test/s/paths";

const worlds: World[] = [];
afterEach(() => {
  for (const world of worlds.splice(0)) world.end();
});

function worldOf(kind: Kind, clock: VirtualClock = new VirtualClock()): World {
  const world = makeWorld(kind, { clock });
  worlds.push(world);
  return world;
}

function storeOver(engine: Engine, clock: VirtualClock = new VirtualClock()): LsmPointerStore {
  return new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine });
}

/** Small memtables, so that a check of the contract reads from tables too. */
async function subject(kind: Kind, gapRows?: number): Promise<PointerStoreSubject> {
  const clock = new VirtualClock();
  const world = makeWorld(kind);
  const options = { memtableBytes: 65_536, l0Tables: [1_000, 2_000] as const };
  const engine = await world.open({ forTests: options });
  const families = TEST_FAMILIES;
  const gaps = gapRows === undefined ? {} : { gapRows };
  return {
    store: new LsmPointerStore({ families, clock, engine: () => engine, ...gaps }),
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
    close: async () => {
      await engine.close();
      world.end();
    },
  };
}

describePointerStore("engine in memory", () => subject(IN_MEMORY), CAPABILITIES);
describePointerStore("engine, every gap remembered", () => subject(IN_MEMORY, 1), CAPABILITIES);
describePointerStore(
  "engine in a directory",
  () => subject({ store: "local", wal: "segments" }),
  // The same races with a disk behind them, which is slow on some machines.
  { ...CAPABILITIES, races: { rounds: 20, writers: 24 } },
);

async function gated(parts: Partial<OpenOptions> = {}) {
  const clock = new VirtualClock();
  const world = worldOf(IN_MEMORY, clock);
  const wal = new GatedWal(world.wal);
  const engine = await world.open({ wal, ...parts });
  return { world, wal, clock, engine, store: storeOver(engine, clock) };
}

const failure = (kind: "Unknown" | "Unavailable", code: string): FirnError =>
  new FirnError(kind, code, "as a test says");

describe("pointers in an engine", () => {
  test("survive its close, in the log and in tables", async () => {
    const world = worldOf({ store: "local", wal: "segments" });
    let engine = await world.open();
    await storeOver(engine).commit({ writerId: "a", ops: [put(`${NAMES}/a`), put(`${NAMES}/b`)] });
    await engine.flush();
    await storeOver(engine).commit({ writerId: "b", ops: [del(`${NAMES}/b`, 1n)] });
    for (let life = 0; life < 3; life++) {
      engine = await world.open();
      const store = storeOver(engine);
      expect(await store.list(NAMES)).toMatchObject([{ key: `${NAMES}/a`, writerId: "a" }]);
      expect(await store.get(`${NAMES}/b`)).toMatchObject({ version: 2n, writerId: "b" });
      if (life === 1) await engine.close();
    }
  });

  test("a list jumps over what lies below its children, however much that is", async () => {
    const engine = await worldOf(IN_MEMORY).open();
    const store = storeOver(engine);
    const children = ["a", "a-b", "a.b", "b", "c"];
    for (const child of children) {
      const below = Array.from({ length: 700 }, (_, i) => `${PATHS}/${child}/${i}`);
      const keys = [`${PATHS}/${child}`, ...(child === "b" ? [`${PATHS}/b/1`] : below)];
      for (let at = 0; at < keys.length; at += 100) {
        const ops = keys.slice(at, at + 100).map((key) => put(key));
        expect(await store.commit({ writerId: "w", ops })).toMatchObject({ outcome: "committed" });
      }
    }
    for (const flushed of [false, true]) {
      if (flushed) await engine.flush();
      const leaves = (await store.list(PATHS)).map(({ key }) => key.slice(PATHS.length + 1));
      expect(leaves).toEqual(children);
      for (const [i, after] of children.entries()) {
        const [next] = await store.list(PATHS, { after, limit: 1 });
        expect(next?.key).toBe(i + 1 < children.length ? `${PATHS}/${children[i + 1]}` : undefined);
      }
    }
  });

  test("bumps of one guard share a group of the log: none of them loses", async () => {
    const { store, wal } = await gated();
    const key = "/test/s/guards/1";
    await store.commit({ writerId: "maker", ops: [put(key)] });
    const before = wal.appends;
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        store.commit({
          writerId: `w${i}`,
          ops: [{ op: "bump", key }, put(`/test/s/entities/by-id/${i}`)],
        }),
      ),
    );
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(["committed"]));
    expect((await store.get(key)).version).toBe(201n);
    expect(wal.appends - before).toBeLessThan(10);
  });

  test("nobody sees a write before it is durable, nor is refused by one", async () => {
    const { store, wal } = await gated();
    const key = `${NAMES}/x`;
    const held = wal.hold();
    const first = store.commit({ writerId: "first", ops: [put(key)] });
    const second = store.commit({ writerId: "second", ops: [put(key)] });
    expect(await isSettled(Promise.race([first, second]))).toBe(false);
    expect(await store.get(key)).toMatchObject({ version: 0n });
    expect(await store.getMany([key])).toMatchObject([{ version: 0n }]);
    expect(await store.list(NAMES)).toEqual([]);
    held.resolve();
    expect(await first).toMatchObject({ outcome: "committed" });
    expect(await second).toMatchObject({ outcome: "conflict", failed: [{ writerId: "first" }] });
    expect(await store.get(key)).toMatchObject({ version: 1n, writerId: "first" });
  });

  test("checks alone commit once what they saw is durable", async () => {
    const { store, wal } = await gated();
    const key = `${NAMES}/x`;
    const held = wal.hold();
    const written = store.commit({ writerId: "w", ops: [put(key)] });
    const checked = store.commit({ writerId: "c", ops: [{ op: "check", key, expected: 1n }] });
    expect(await isSettled(checked)).toBe(false);
    held.resolve();
    expect(await written).toMatchObject({ outcome: "committed" });
    expect(await checked).toMatchObject({ outcome: "committed", versions: new Map() });
  });
});

describe("pointers in an engine that fails or is overtaken", () => {
  test.each([
    ["Unknown", "WAL_WRITE_UNKNOWN"],
    ["Unavailable", "DISK_FULL"],
  ] as const)("a log that fails with %s: whoever waited hears just that", async (kind, code) => {
    const { store, wal } = await gated();
    await store.commit({ writerId: "w", ops: [put(`${NAMES}/before`)] });
    const held = wal.hold();
    const ops = [put(`${NAMES}/x`)];
    const commit = store.commit({ writerId: "w", ops }).catch((error: unknown) => error);
    held.reject(failure(kind, code));
    if (kind === "Unknown") expect(await commit).toMatchObject({ outcome: "unknown" });
    else expect(await commit).toMatchObject({ kind, code });
    const later = store.commit({ writerId: "v", ops });
    await expect(later).rejects.toMatchObject({ kind: "Unavailable", code: "LSM_FAILED" });
    // What was acknowledged before is read on; what was not is not seen.
    expect(await store.get(`${NAMES}/x`)).toMatchObject({ version: 0n });
    expect(await store.list(NAMES)).toMatchObject([{ key: `${NAMES}/before` }]);
  });

  test("whoever was overtaken answers nothing more", async () => {
    const { store, world, clock, engine } = await gated();
    const key = `${NAMES}/x`;
    await store.commit({ writerId: "old", ops: [put(key)] });
    // As if this process had died, as far as the next one knows.
    const next = storeOver(await world.open(), clock);
    await next.commit({ writerId: "new", ops: [put(key, 1n)] });
    await clock.advance(2_500);
    await expect(store.get(key)).rejects.toMatchObject({ code: "LSM_FENCED" });
    await expect(store.list(NAMES)).rejects.toMatchObject({ code: "LSM_FENCED" });
    const refused = store.commit({ writerId: "late", ops: [put(key, 7n)] });
    await expect(refused).rejects.toMatchObject({ code: "LSM_FENCED" });
    expect(engine.failure).toMatchObject({ code: "LSM_FENCED" });
    expect(await next.get(key)).toMatchObject({ version: 2n, writerId: "new" });
  });

  test("a stale refusal is none: who was overtaken and does not know it says nothing", async () => {
    const { store, world, clock } = await gated();
    const key = `${NAMES}/x`;
    await store.commit({ writerId: "old", ops: [put(key)] });
    const next = storeOver(await world.open(), clock);
    await next.commit({ writerId: "new", ops: [put(key, 1n)] });
    await clock.advance(2_500);
    // At version 2 this would commit; by what this engine knows it would be refused.
    const answer = store.commit({ writerId: "late", ops: [put(key, 2n)] });
    await expect(answer).rejects.toMatchObject({ code: "LSM_FENCED" });
  });

  test("more than the engine takes is overloaded, with a time to come back", async () => {
    const options = { unflushedBytes: [1, 2] as const };
    const { store } = await gated({ forTests: options });
    expect(await store.commit({ writerId: "w", ops: [put(`${NAMES}/x`)] })).toMatchObject({
      outcome: "overloaded",
      retryAfterMs: expect.any(Number),
    });
    expect(await store.get(`${NAMES}/x`)).toMatchObject({ version: 0n });
  });

  test("a row that was damaged is named, and never answered", async () => {
    const engine = await worldOf(IN_MEMORY).open();
    const key = `${NAMES}/x`;
    await engine.put(Buffer.from(key), Buffer.from("0100", "hex"), { durable: true });
    const store = storeOver(engine);
    for (const call of [store.get(key), store.list(NAMES), store.forget(key, 1n)]) {
      await expect(call).rejects.toMatchObject({
        kind: "Corrupt",
        code: "POINTER_ROW_CORRUPT",
        context: { key },
      });
    }
  });
});
