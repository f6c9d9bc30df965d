import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget, type MemoryShare, type ShardPart } from "../../src/lsm/write/budget.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const key = (i: number): Uint8Array => bytes(`key-${String(i).padStart(6, "0")}`);

/** A shard that does at once what it is asked to. */
class PlainShard {
  readonly share: MemoryShare;
  readonly asked: string[] = [];

  constructor(budget: MemoryBudget) {
    this.share = budget.join({
      freeze: () => {
        this.asked.push("freeze");
        this.share.set("active", 0);
      },
      forget: () => {
        this.asked.push("forget");
        this.share.set("recent", 0);
      },
    });
  }
}

describe("a budget", () => {
  it("adds up what all shards have, whatever they do, and gives the cache the rest", () => {
    const step = fc.record({
      shard: fc.nat(4),
      part: fc.constantFrom<ShardPart[]>("active", "frozen", "recent", "waiting"),
      bytes: fc.nat(400),
      leaves: fc.nat(15).map((n) => n === 0),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new MemoryBudget(1_000);
        const file = budget.cache.file();
        const shards = Array.from({ length: 5 }, () => new PlainShard(budget));
        for (const { shard: at, part, bytes: size, leaves } of steps) {
          const { share } = shards[at]!;
          if (leaves) {
            share.leave();
            shards[at] = new PlainShard(budget);
          } else share.set(part, size);
          file.addTail(at, { weight: 100 });
          const sum = (...parts: ShardPart[]): number =>
            shards.reduce((all, one) => all + parts.reduce((n, p) => n + one.share.of(p), 0), 0);
          const { figures } = budget;
          expect(figures.memtableBytes).toBe(sum("active", "frozen", "waiting"));
          expect(figures.recentBytes).toBe(sum("recent"));
          expect(sum("active")).toBeLessThanOrEqual(250);
          if (sum("active", "frozen", "waiting", "recent") > 500) expect(sum("recent")).toBe(0);
          const left = 1_000 - sum("active", "frozen", "waiting", "recent");
          expect(budget.cache.figures.bytes).toBeLessThanOrEqual(Math.max(187.5, left));
        }
        for (const { share } of shards) share.leave();
        expect(budget.figures).toMatchObject({ memtableBytes: 0, recentBytes: 0, shards: 0 });
      }),
    );
  });

  it("asks the largest memtable to go first, and of similar ones the oldest", () => {
    const budget = new MemoryBudget(4_000);
    const [old, large, young, last] = [1, 2, 3, 4].map(() => new PlainShard(budget));
    old!.share.set("active", 150);
    large!.share.set("active", 600);
    young!.share.set("active", 200);
    last!.share.set("active", 100);
    const frozen = (): readonly number[] =>
      [old, large, young, last].map((one) => one!.asked.length);
    expect(frozen()).toEqual([0, 1, 0, 0]);
    large!.share.set("active", 250);
    last!.share.set("active", 500);
    expect(frozen()).toEqual([0, 1, 0, 1]);
    last!.share.set("active", 250);
    large!.share.set("active", 252);
    // All four between 150 and 252: twice as large counts as more, and the oldest goes first.
    young!.share.set("active", 250);
    last!.share.set("active", 255);
    last!.share.set("frozen", 0);
    old!.share.set("active", 251);
    expect(frozen()).toEqual([1, 1, 0, 1]);
  });

  it("slows the large ones down first, and all of them at its end", () => {
    const budget = new MemoryBudget(8_000);
    const [large, small] = [new PlainShard(budget), new PlainShard(budget)];
    const level = ({ share }: PlainShard): number => {
      const { soft, hard, read } = share.gauge;
      return Math.max(0, (read() - soft) / (hard - soft));
    };
    small.share.set("frozen", 10);
    let before = [0, 0];
    for (let size = 3_900; size < 5_600; size += 50) {
      large.share.set("frozen", size);
      const now = [level(large), level(small)];
      for (const i of [0, 1]) {
        expect(now[i]! - before[i]!).toBeGreaterThanOrEqual(0);
        expect(now[i]! - before[i]!).toBeLessThan(0.2);
      }
      expect(now[1]).toBeLessThanOrEqual(now[0]!);
      if (now[0]! < 0.45) expect(now[1]).toBe(0);
      if (size >= 5_500) for (const one of now) expect(one).toBeGreaterThanOrEqual(1);
      before = now;
    }
  });
});

/** Shards of one process in one store in memory. */
class Site {
  readonly clock: SystemClock = new SystemClock();
  readonly prng: SeededPrng = new SeededPrng(1);
  readonly store: MemoryBlobStore = new MemoryBlobStore(this.clock);
  readonly budget: MemoryBudget;
  readonly #processes = new Processes();
  readonly #merger = new InlineMerger(this.clock);

  constructor(limitBytes: number) {
    this.budget = new MemoryBudget(limitBytes);
  }

  open(shard: number, options: Partial<LsmTuning> = {}): Promise<Engine> {
    const { clock, prng, store, budget } = this;
    const prefix = `shards/${shard}/`;
    const wal = new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` });
    const node = this.#processes.start({ sight: () => "dead" });
    const merger = this.#merger;
    const parts = { store, clock, prng, budget, prefix, wal, node, merger };
    return Engine.open({ ...parts, forTests: { gcMinAgeMs: 0, ...options } });
  }
}

it.each([
  [16, 16],
  [64, 16],
  [128, 32],
  [256, 128],
  [1_024, 896],
])("of a process that is to grow by %i MiB %i are counted", (processMib, countedMib) => {
  const { limitBytes } = MemoryBudget.within(processMib * 1_048_576).figures;
  expect(limitBytes).toBe(countedMib * 1_048_576);
});

describe("shards that share a budget", () => {
  it("are 200, and take no more memory than one may", async () => {
    const limit = 16 * 1_048_576;
    const site = new Site(limit);
    const options = { compaction: "manual" as const };
    const opening = Array.from({ length: 200 }, (_, i) => site.open(i, options));
    const engines = await Promise.all(opening);
    let most = 0;
    const look = (): void => {
      most = Math.max(most, site.budget.figures.usedBytes);
    };
    // More than they may hold together, none of which a shard alone would flush.
    const value = new Uint8Array(20_000);
    const rows = 5;
    for (let i = 0; i < rows; i++) {
      for (const engine of engines) {
        await engine.put(key(i), value);
        look();
      }
    }
    for (const engine of engines) {
      for (let i = 0; i < rows; i++) {
        expect((await engine.get(key(i)))?.length).toBe(20_000);
        look();
      }
    }
    expect(most).toBeLessThanOrEqual(1.2 * limit);
    // What it may take is put to use, and it is indexes and filters that stay.
    const { usedBytes, metadataBytes, shards, relieved } = site.budget.figures;
    expect(usedBytes).toBeGreaterThanOrEqual(0.8 * limit);
    expect(metadataBytes).toBeGreaterThan(200_000);
    expect(shards).toBe(200);
    expect(relieved).toBeGreaterThan(100);
    expect(site.budget.cache.figures.evictions).toBeGreaterThan(100);
    await Promise.all(engines.map((engine) => engine.close()));
    expect(site.budget.figures).toMatchObject({ memtableBytes: 0, recentBytes: 0, shards: 0 });
  });

  it("flush the one that is written much, and keep the memtables of others", async () => {
    const site = new Site(2_000_000);
    const [quiet, busy] = await Promise.all([site.open(1), site.open(2)]);
    await quiet.put(key(1), bytes("kept"));
    for (let i = 0; i < 2_000; i++) await busy.put(key(i), new Uint8Array(1_000));
    expect(busy.stats().flush.flushes).toBeGreaterThan(2);
    expect(quiet.stats().flush.flushes).toBe(0);
    expect(quiet.stats().pressure).toMatchObject({ delayed: 0, refused: 0 });
    await Promise.all([quiet.close(), busy.close()]);
  });

  it("give up what is kept for transactions before they slow writes down", async () => {
    const site = new Site(2_000_000);
    const engine = await site.open(1, { memtableBytes: 100_000 });
    const transaction = engine.transaction();
    transaction.put(key(0), bytes("late"));
    for (let i = 0; i < 3_000; i++) {
      await engine.put(key(i), new Uint8Array(1_000));
      const { recentBytes, memtableBytes } = site.budget.figures;
      expect(recentBytes).toBeLessThanOrEqual(Math.max(0, 1_000_000 - memtableBytes));
    }
    await expect(transaction.commit()).rejects.toMatchObject({ code: "LSM_CONFLICT" });
    expect(engine.stats().pressure.refused).toBe(0);
    await engine.close();
  });

  it("refuse writes where no table can be written, before memory ends", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    let away = true;
    const store = new FaultyBlobStore(new MemoryBlobStore(clock), (_index, method) =>
      away && method === "putStream" ? { fault: "refused" } : undefined,
    );
    const budget = new MemoryBudget(1_000_000);
    const processes = new Processes();
    const open = (shard: number): Promise<Engine> => {
      const prefix = `${shard}/`;
      const wal = new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` });
      const parts = { store, clock, prng, budget, prefix, wal, node: processes.start() };
      return clock.run(Engine.open(parts));
    };
    const engines = [await open(1), await open(2), await open(3)];
    const refused = new Set<Engine>();
    for (let i = 0; refused.size < 3; i++) {
      const engine = engines[i % 3]!;
      const putting = clock.run(Promise.resolve().then(() => engine.put(key(i), bytes("v"))));
      await putting.catch((error: unknown) => {
        expect(error).toMatchObject({ kind: "Overloaded", code: "LSM_OVERLOADED" });
        refused.add(engine);
      });
      expect(budget.figures.usedBytes).toBeLessThanOrEqual(1_000_000);
    }
    away = false;
    await clock.run(Promise.all(engines.map((engine) => engine.flush())));
    for (const engine of engines) await clock.run(Promise.resolve(engine.put(key(1), bytes("v"))));
    await clock.run(Promise.all(engines.map((engine) => engine.close())));
  });
});

type Step =
  | { readonly do: "put"; readonly shard: number; readonly key: number; readonly size: number }
  | { readonly do: "scan" | "flush" | "compact" | "reopen" | "crash"; readonly shard: number };

const shard = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      shard,
      key: fc.nat(30),
      size: fc.constantFrom(10, 700, 3_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "scan" as const,
        "scan" as const,
        "flush" as const,
        "compact" as const,
        "reopen" as const,
        "crash" as const,
      ),
      shard,
    }),
  },
);

it("shards on one budget do as maps do, within it, whatever becomes of the others", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
    const site = new Site(100_000);
    const options = { blockBytes: 256, tableBytes: 8_000, compactionL0Tables: 2 };
    const models = [0, 1, 2].map(() => new Map<string, number>());
    const engines = await Promise.all([0, 1, 2].map((n) => site.open(n, options)));
    const check = async (n: number): Promise<void> => {
      const found = new Map<string, number>();
      for await (const rows of engines[n]!.scan()) {
        for (const row of rows) found.set(Buffer.from(row.key).toString(), row.value.length);
      }
      expect(found).toEqual(new Map([...models[n]!].toSorted()));
    };
    for (const one of steps) {
      const engine = engines[one.shard]!;
      if (one.do === "put") {
        await engine.put(key(one.key), new Uint8Array(one.size), { durable: true });
        models[one.shard]!.set(Buffer.from(key(one.key)).toString(), one.size);
      } else if (one.do === "flush") await engine.flush();
      else if (one.do === "compact") await engine.compact();
      else if (one.do === "scan") await check(one.shard);
      else {
        if (one.do === "reopen") await engine.close();
        engines[one.shard] = await site.open(one.shard, options);
        // Who was overtaken notices, and is closed.
        if (one.do === "crash") await engine.close().catch(() => undefined);
      }
      const { memtableBytes, usedBytes, shards } = site.budget.figures;
      expect(shards).toBe(3);
      const held = engines.map((now) => now.stats().memtables).filter(({ bytes: b }) => b > 0);
      expect(memtableBytes).toBeLessThanOrEqual(held.reduce((sum, now) => sum + now.bytes, 0));
      expect(usedBytes).toBeLessThanOrEqual(1.2 * 100_000);
    }
    for (const n of [0, 1, 2]) await check(n);
    for (const engine of engines) await engine.close();
    expect(site.budget.figures).toMatchObject({ memtableBytes: 0, shards: 0, workBytes: 0 });
  });
  await fc.assert(property, { numRuns: 15 });
});
