import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { keyOfText, textOfKey } from "../../src/base/printable.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import { hotPrefixes, hotSpot } from "../../src/lsm/read/hot-prefixes.ts";
import { KeySamples } from "../../src/lsm/read/key-samples.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { OpsBatch } from "../../src/lsm/write/prepared.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const LEAST = 0.05;

describe("hot prefixes", () => {
  it("are told with their exact share, and none is missing that holds enough besides", () => {
    const keys = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 5 }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(keys, (some) => {
        const all = some.map((key) => `k${key}`);
        const least = Math.ceil(LEAST * all.length);
        const found = hotPrefixes(all, all.length);
        expect(found.length).toBeLessThanOrEqual(2 / LEAST);
        for (const { prefix, share, perSecond, keys: distinct } of found) {
          const below = all.filter((key) => key.startsWith(prefix));
          expect([share, perSecond]).toEqual([below.length / all.length, below.length]);
          expect(distinct).toBe(new Set(below).size);
        }
        const told = found.map(({ prefix }) => prefix);
        const prefixes = all.flatMap((key) => [...key].map((_, i) => key.slice(0, i + 1)));
        for (const prefix of new Set(prefixes)) {
          if (all.every((key) => key.startsWith(prefix))) continue;
          // What is told of it, or of a longer one that the very same keys have.
          const longer = told.filter((one) => one.startsWith(prefix));
          const left = all.filter(
            (key) => key.startsWith(prefix) && !longer.some((one) => key.startsWith(one)),
          );
          expect(left.length).toBeLessThan(least);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("tell a hot spot from load that spreads, and from what all keys have in common", () => {
    const spread = Array.from(
      { length: 500 },
      (_, i) => `/a/t/${String(i * 7919).padStart(9, "0")}`,
    );
    const spot = Array.from({ length: 500 }, (_, i) => `/a/t/hot/${i % 5}`);
    expect(hotSpot(hotPrefixes([...spread, ...spot], 1))).toMatchObject({
      prefix: "/a/t/hot/",
      share: 0.5,
      keys: 5,
    });
    expect(hotSpot(hotPrefixes(spread, 1))).toBeUndefined();
    expect(hotSpot(hotPrefixes(Array(100).fill("one"), 1))).toMatchObject({
      prefix: "one",
      share: 1,
    });
  });

  it("of any bytes survive a command line", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = textOfKey(Buffer.from(bytes).toString("latin1"));
        expect(text).toMatch(/^[\x20-\x7e]*$/);
        expect(Buffer.from(keyOfText(text) ?? [256])).toEqual(Buffer.from(bytes));
      }),
    );
    for (const text of ["é", "\\x1", "\\n", "a\\"]) expect(keyOfText(text)).toBeUndefined();
  });
});

describe("samples of keys", () => {
  it("keep shares, whatever the period of a workload, and forget what is over", async () => {
    for (const period of [2, 3, 16, 31, 32, 64]) {
      const clock = new VirtualClock();
      const samples = new KeySamples(clock);
      for (let i = 0; i < 30_000; i++) samples.note(i % period === 0 ? "hot" : `cold ${i}`);
      const found = samples.hottest().find(({ prefix }) => prefix === "hot");
      // Four standard deviations of 1,024 samples.
      const off = (4 * Math.sqrt((1 / period) * (1 - 1 / period))) / 32;
      if (found === undefined) expect(1 / period - off).toBeLessThan(0.05);
      else expect(Math.abs(found.share - 1 / period)).toBeLessThan(off);
      await clock.advance(20_001);
      expect(samples.hottest()).toEqual([]);
      for (let i = 0; i < 1_000; i++) samples.note("hot");
      expect(samples.hottest()).toEqual([]);
    }
  });

  it("count batches and single keys alike, and estimate a rate", async () => {
    const clock = new VirtualClock();
    const samples = new KeySamples(clock);
    const op = (key: string) => ({ op: "delete", key: utf8(key) }) as const;
    for (let ms = 0; ms < 10_000; ms += 10) {
      samples.noteKeys(["a", "a", "a", "a", "a"]);
      const batch = new OpsBatch([
        op("b"),
        op("b"),
        { op: "deleteRange", from: utf8("b"), to: utf8("c") },
      ]);
      samples.noteEach(batch.count, batch.keys);
      samples.note("b");
      samples.note("b");
      await clock.advance(10);
    }
    const found = samples.hottest();
    const [first, second] = ["a", "b"].map((key) => found.find(({ prefix }) => prefix === key));
    expect(Math.abs((first?.share ?? 0) - 0.5)).toBeLessThan(0.08);
    // 1,000 operations a second, 10 each 10 ms, for less than the window: no more samples than fit.
    const perSecond = (first?.perSecond ?? 0) + (second?.perSecond ?? 0);
    expect(perSecond).toBeGreaterThan(600);
    expect(perSecond).toBeLessThan(1_200);
  });

  it("hold no more than a part of a long key", () => {
    const samples = new KeySamples(new VirtualClock());
    for (let i = 0; i < 5_000; i++) samples.note("k".repeat(60_000));
    expect(samples.hottest()[0]?.prefix).toHaveLength(128);
  });
});

describe("an engine", () => {
  it("prints which share its hot spots have, and holds writes below a prefix back", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    const store = new MemoryBlobStore(clock);
    const metrics = createMetrics();
    const engine = await Engine.open({
      store,
      clock,
      prng,
      node: new Processes().start(),
      wal: new ObjectWalStore(store, { clock, prng, prefix: "wal/" }),
      metrics: { of: new LsmMetrics(metrics, new MemoryBudget()), shard: "one" },
    });
    const sample = async (name: string): Promise<number> =>
      Number(
        metrics
          .print()
          .split("\n")
          .find((line) => line.startsWith(name))
          ?.split(" ")[1],
      );
    const written = 'firn_lsm_hot_prefix_share{shard="one",kind="write"}';
    const value = new Uint8Array(1);
    expect(await sample(written)).toBe(0);
    for (let i = 0; i < 8_000; i++) await engine.put(utf8(i % 2 === 0 ? "hot" : `${i}`), value);
    for (let i = 0; i < 8_000; i++) await engine.get(utf8(i % 4 === 0 ? "read" : `${i}`));
    expect(await sample(written)).toBeCloseTo(0.5, 0.9);
    expect(await sample('firn_lsm_hot_prefix_share{shard="one",kind="read"}')).toBeCloseTo(
      0.25,
      0.9,
    );
    expect(engine.stats().hot.writes[0]?.prefix).toBe("hot");

    engine.throttle({ prefix: utf8("ho"), writesPerSecond: 2, forMs: 60_000 });
    const put = async (key: string) => await engine.put(utf8(key), value);
    await put("hot");
    await engine.deleteRange(utf8("hot"), utf8("zzz"));
    await expect(put("hot")).rejects.toMatchObject({
      kind: "Overloaded",
      code: "LSM_THROTTLED",
      context: { retryAfterMs: 500 },
    });
    const before = engine.lastSequence;
    await expect(
      (async () =>
        await engine.write([
          { op: "put", key: utf8("other"), value },
          { op: "merge", key: utf8("hot!"), operator: "add", value: new Uint8Array(8) },
        ]))(),
    ).rejects.toMatchObject({ code: "LSM_THROTTLED" });
    expect(engine.lastSequence).toBe(before);
    expect(await engine.get(utf8("other"))).toBeUndefined();
    await put("h");
    expect(engine.stats().throttles).toMatchObject({ refused: 2, states: [{ refused: 2 }] });
    expect(await sample('firn_lsm_throttled_writes{shard="one"}')).toBe(2);
    await clock.advance(500);
    await put("hot");
    await expect(put("hot")).rejects.toMatchObject({ code: "LSM_THROTTLED" });
    engine.throttle({ prefix: utf8("ho"), writesPerSecond: 0, forMs: 10_000 });
    await expect(put("hot")).rejects.toMatchObject({ context: { retryAfterMs: 1_000 } });
    await clock.advance(10_000);
    await put("hot");
    engine.throttle({ prefix: utf8(""), writesPerSecond: 0, forMs: 10_000 });
    await expect(put("x")).rejects.toMatchObject({ code: "LSM_THROTTLED" });
    engine.throttle({ prefix: utf8(""), writesPerSecond: 0, forMs: 0 });
    await put("x");
    expect(engine.stats().throttles.states).toEqual([]);
    for (const wrong of [
      { writesPerSecond: -1, forMs: 1 },
      { writesPerSecond: Number.NaN, forMs: 1 },
      { writesPerSecond: 1, forMs: 1e9 },
    ]) {
      expect(() => engine.throttle({ prefix: utf8("a"), ...wrong })).toThrow(
        expect.objectContaining({ code: "LSM_THROTTLE_INVALID" }),
      );
    }
    const limit = (i: number) =>
      engine.throttle({ prefix: utf8(`p${i}`), writesPerSecond: 1, forMs: 1_000 });
    for (let i = 0; i < 64; i++) limit(i);
    limit(3);
    expect(() => limit(64)).toThrow(expect.objectContaining({ code: "LSM_THROTTLE_INVALID" }));
    await engine.close();
  });
});
