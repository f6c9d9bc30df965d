import { afterEach, describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { OpenOptions } from "../../src/lsm/engine/open.ts";
import { lsmOptions } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { ModelledDisk } from "../support/modelled-disk.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { makeWorld, Processes, type World } from "./support/worlds.ts";

const worlds: World[] = [];
const open = async (): Promise<Engine> => {
  const world = makeWorld({ store: "memory", wal: "objects" });
  worlds.push(world);
  return await world.open();
};

afterEach(() => {
  for (const world of worlds.splice(0)) world.end();
});

const coded = (code: string) => expect.objectContaining({ kind: "Invalid", code });

describe("limits", () => {
  it("keys are neither empty nor longer than 65,535 bytes", async () => {
    const engine = await open();
    const longest = new Uint8Array(65_535).fill(255);
    await engine.put(longest, utf8("v"));
    expect(await engine.get(longest)).toEqual(new Uint8Array(utf8("v")));
    for (const key of [new Uint8Array(0), new Uint8Array(65_536)]) {
      for (const call of [
        () => engine.get(key),
        () => engine.getMany([key]),
        () => engine.put(key, utf8("v")),
        () => engine.delete(key),
      ]) {
        expect(call).toThrow(coded("LSM_KEY_INVALID"));
      }
      const transaction = engine.transaction();
      expect(() => transaction.put(key, utf8("v"))).toThrow(coded("LSM_KEY_INVALID"));
      transaction.rollback();
    }
    await engine.flush();
    expect(await engine.get(longest)).toEqual(new Uint8Array(utf8("v")));
  });

  it("a batch with one bad operation leaves no trace", async () => {
    const engine = await open();
    const before = engine.lastSequence;
    const bad = { op: "put" as const, key: utf8("b"), value: new Uint8Array(16_777_217) };
    const good = { op: "put" as const, key: utf8("a"), value: utf8("1") };
    expect(() => engine.write([good, bad])).toThrow(coded("LSM_VALUE_TOO_LARGE"));
    expect(engine.lastSequence).toBe(before);
    expect(await engine.get(utf8("a"))).toBeUndefined();
  });

  it("a batch of nothing is durable at once", async () => {
    const engine = await open();
    const written = await engine.write([], { durable: true });
    expect(written.sequence).toBe(engine.lastSequence);
  });

  it("bounds that cross or exceed any key are refused, empty ranges are not", async () => {
    const engine = await open();
    await engine.put(utf8("b"), utf8("1"));
    const range = coded("LSM_RANGE_INVALID");
    expect(() => engine.scan({ from: utf8("b"), to: utf8("a") })).toThrow(range);
    expect(() => engine.scan({ from: new Uint8Array(65_537) })).toThrow(range);
    expect(() => engine.scan({ limit: 0 })).toThrow(range);
    expect(() => engine.scan({ batchRows: 1.5 })).toThrow(range);
    expect(await engine.scan({ from: utf8("b"), to: utf8("b") }).next()).toBeUndefined();
    expect(await engine.scan({ prefix: utf8("b"), to: utf8("a") }).next()).toBeUndefined();
  });

  it("nothing works after a close, and closing again is fine", async () => {
    const engine = await open();
    const scan = engine.scan();
    const transaction = engine.transaction();
    const snapshot = engine.snapshot();
    await Promise.all([engine.close(), engine.close()]);
    const closed = expect.objectContaining({ kind: "Unavailable", code: "LSM_CLOSED" });
    for (const call of [
      () => engine.get(utf8("a")),
      () => engine.get(utf8("a"), { snapshot }),
      () => engine.put(utf8("a"), utf8("1")),
      () => engine.scan(),
      () => engine.snapshot(),
      () => engine.transaction(),
      () => engine.confirm(),
      () => scan.next(),
      () => transaction.get(utf8("a")),
    ]) {
      expect(call).toThrow(closed);
    }
    await expect(engine.flush()).rejects.toEqual(closed);
  });

  it("a closed snapshot is not read", async () => {
    const engine = await open();
    const snapshot = engine.snapshot();
    snapshot.close();
    const closed = coded("LSM_SNAPSHOT_CLOSED");
    expect(() => engine.get(utf8("a"), { snapshot })).toThrow(closed);
  });

  it.each([
    { memtableBytes: 0 },
    { parallelFlushes: 1.5 },
    { unflushedBytes: [10, 5] as const },
    { leaseMs: 3_000 },
    { gcMinAgeMs: 1 },
    { compactionStyle: "speed" as "write" },
  ])("options are checked: %j", (options) => {
    expect(() => lsmOptions({ forTests: options })).toThrow(coded("LSM_OPTION_INVALID"));
  });
});

describe("pressure", () => {
  it("slows writes down, refuses them past the limit, and ends with its cause", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    let away = true;
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) =>
      away && method === "putStream" ? { fault: "refused" } : undefined,
    );
    const wal = new SegmentWalStore(new ModelledDisk(), {
      clock,
      prng,
      segmentBytes: 262_144,
      sliceBytes: 65_536,
    });
    const engine = await Engine.open({
      store,
      wal,
      clock,
      prng,
      node: new Processes().start(),
      forTests: { memtableBytes: 200_000, unflushedBytes: [600_000, 1_200_000] },
    });
    const value = new Uint8Array(1_000);
    const keys: Uint8Array[] = [];
    let refusal: unknown;
    const delays: number[] = [];
    while (refusal === undefined) {
      const key = utf8(`key-${String(keys.length).padStart(6, "0")}`);
      const startMs = clock.monotonicMs();
      try {
        await clock.run(Promise.resolve(engine.put(key, value)));
        keys.push(key);
      } catch (error) {
        refusal = error;
      }
      delays.push(clock.monotonicMs() - startMs);
    }
    expect(refusal).toMatchObject({ kind: "Overloaded", code: "LSM_OVERLOADED" });
    const { context } = refusal as { context: Record<string, number> };
    expect(context["retryAfterMs"]).toBeGreaterThan(0);
    const { pressure, memtables, flush } = engine.stats();
    expect(memtables.bytes).toBeLessThan(1_200_000 * 1.2);
    expect(pressure.delayed).toBeGreaterThan(10);
    expect(flush.retries).toBeGreaterThan(0);
    away = false;
    await clock.run(engine.flush());
    expect(engine.stats().pressure.level).toBe(0);
    await clock.run(Promise.resolve(engine.put(utf8("after"), value)));
    for (const key of keys) expect((await engine.get(key))?.length).toBe(1_000);
    await clock.run(engine.close());
  });

  it("what waits has no more room than the limit leaves", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) =>
      method === "putStream" ? { fault: "refused" } : undefined,
    );
    const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
    const options = { memtableBytes: 50_000, unflushedBytes: [100_000, 500_000] as const };
    const node = new Processes().start();
    const engine = await Engine.open({ store, wal, clock, prng, node, forTests: options });
    let refused = 0;
    const value = new Uint8Array(1_000);
    const put = async (i: number): Promise<void> => {
      try {
        await engine.put(utf8(`${i}`), value);
      } catch (error) {
        expect(error).toMatchObject({ kind: "Overloaded" });
        refused++;
      }
    };
    const puts = Array.from({ length: 3_000 }, (_, i) => put(i));
    expect(engine.stats().memory.memtableBytes).toBeLessThan(1.2 * 500_000);
    await clock.run(Promise.all(puts));
    expect(engine.stats().memory.memtableBytes).toBeLessThan(1.2 * 500_000);
    expect(refused).toBeGreaterThan(2_000);
    expect(engine.stats().pressure).toMatchObject({ refused, by: "unflushedBytes" });
    await clock.run(engine.close());
  });

  it("a writer in a loop lets others have the event loop, and loses nothing by it", async () => {
    const clock = new VirtualClock();
    const { engine, waits } = await hurried(clock, { turnBytes: 10_000 });
    expect(waits.length).toBe(30);
    await clock.run(Promise.all(waits));
    expect((await engine.get(utf8("39")))?.length).toBe(1_000);
  });

  it("a log that does not keep up makes writers wait, in its own time", async () => {
    const clock = new VirtualClock();
    const { engine, waits } = await hurried(clock, { walBacklogBytes: 10_000 });
    expect(waits.length).toBe(30);
    expect(engine.stats().memtables.bytes).toBeLessThan(20_000);
    await Promise.all(waits);
    expect((await engine.get(utf8("39")))?.length).toBe(1_000);
  });
});

/** An engine that 40 writes of 1,000 bytes come to at once, and those of them that have to wait. */
async function hurried(clock: VirtualClock, options: NonNullable<OpenOptions["forTests"]>) {
  const prng = new SeededPrng(1);
  const store = new MemoryBlobStore(clock);
  const wal = new ObjectWalStore(store, { clock, prng, prefix: "wal/" });
  const engine = await Engine.open({
    store,
    wal,
    clock,
    prng,
    forTests: options,
    node: new Processes().start(),
  });
  const waits: Promise<unknown>[] = [];
  for (let i = 0; i < 40; i++) {
    const written = engine.put(utf8(`${i}`), new Uint8Array(1_000));
    if (written instanceof Promise) waits.push(written);
  }
  return { engine, waits };
}
