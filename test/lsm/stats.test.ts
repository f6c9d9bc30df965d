import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import { LSM_LIMITS } from "../../src/lsm/limits.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { TimedShard } from "./support/timed-shard.ts";
import { Processes } from "./support/worlds.ts";

const key = (i: number): Uint8Array => utf8(`key-${String(i).padStart(6, "0")}`);

/** An engine in memory whose figures are printed. */
async function openMetered() {
  const clock = new VirtualClock();
  const prng = new SeededPrng(1);
  const store = new MemoryBlobStore(clock);
  const metrics = createMetrics();
  const budget = new MemoryBudget(16_000_000);
  const engine = await Engine.open({
    store,
    wal: new ObjectWalStore(store, { clock, prng, prefix: "wal/" }),
    clock,
    prng,
    node: new Processes().start(),
    budget,
    metrics: { of: new LsmMetrics(metrics, budget), shard: "one" },
  });
  return { engine, metrics, store };
}

describe("statistics", () => {
  it("say what was written, read and kept, and are printed while the shard is open", async () => {
    const { engine, metrics, store } = await openMetered();
    for (let i = 0; i < 1_000; i += 2) await engine.put(key(i), new Uint8Array(100));
    await engine.flush();
    for (let i = 0; i < 250; i++) await engine.delete(key(4 * i));
    await engine.flush();
    for (let i = 0; i < 1_000; i++) await engine.get(key(i));
    await engine.getMany([key(1), key(2)]);

    const stats = engine.stats();
    expect(stats).toMatchObject({
      epoch: 1,
      lastSequence: 750,
      durableSequence: 750,
      writes: { batches: 750, ops: 750 },
      tree: { l0Tables: 2, runs: 0, tables: 2, entries: 750, deletions: 250 },
      flush: { flushes: 2, rawBytes: 500 * 110 + 250 * 10, retries: 0 },
      amplification: { read: 2 },
    });
    expect(stats.tree.fileBytes).toBe(stats.flush.fileBytes);
    const files = await store.list("sst/");
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBe(stats.tree.fileBytes);
    expect(stats.reads.gets).toBe(1_002);
    expect(stats.reads.filterNegatives).toBeGreaterThan(400);
    expect(stats.reads.filterFalsePositives).toBeLessThan(60);
    // Each block was read once: now everything comes from the cache.
    for (let i = 0; i < 1_000; i++) await engine.get(key(i));
    expect(engine.stats().reads.tableReads).toBe(stats.reads.tableReads);
    expect(stats.cache.hits).toBeGreaterThan(1_000);

    const sample = async (name: string): Promise<number | undefined> => {
      const line = metrics
        .print()
        .split("\n")
        .find((text) => text.startsWith(`firn_lsm_${name}{`));
      return line === undefined ? undefined : Number(line.split(" ").at(-1));
    };
    expect(await sample("disk_bytes")).toBe(stats.tree.fileBytes);
    expect(await sample("tombstone_ratio")).toBeCloseTo(250 / 750);
    expect(metrics.print()).toContain('firn_lsm_seconds_count{shard="one",kind="flush"} 2');
    await engine.close();
    expect(await sample("disk_bytes")).toBeUndefined();
  });

  it("count values that lie apart, as long as they live", async () => {
    const { engine, metrics, store } = await openMetered();
    const [bytes, count] = [40_000, 5];
    for (let i = 0; i < count; i++) await engine.put(key(i), new Uint8Array(bytes).fill(i));
    await engine.flush();
    const { tree, flush } = engine.stats();
    expect([tree.values, tree.valueBytes]).toEqual([count, count * bytes]);
    const sizes = async (directory: string): Promise<number> =>
      (await store.list(directory)).reduce((sum, { size }) => sum + size, 0);
    expect(await sizes("sst/")).toBe(tree.fileBytes);
    expect(flush.fileBytes).toBe(tree.fileBytes + (await sizes("values/")));
    expect(metrics.print()).toContain(`firn_lsm_values{shard="one"} ${count}\n`);
    expect(metrics.print()).toContain(`firn_lsm_value_bytes{shard="one"} ${count * bytes}\n`);
    await engine.delete(key(0));
    await engine.put(key(1), new Uint8Array(10));
    await engine.flush();
    await engine.compact();
    expect(engine.stats().tree).toMatchObject({ values: 3, valueBytes: 3 * bytes });
    // A compaction copies references.
    expect(engine.stats().compaction.outputBytes).toBeLessThan(bytes);
    await engine.close();
  });
});

describe("statistics of what is kept", () => {
  it("tell what keeps the past, who follows, and what of the log stays", async () => {
    const shard = new TimedShard();
    const options = { gcMinAgeMs: 0, logRetentionMs: 60_000 };
    const engine = await shard.open(options);
    const nothing = {
      checkpoints: 0,
      readers: 0,
      clones: 0,
      oldestCheckpointMs: 0,
      oldestReaderMs: 0,
    };
    expect(engine.stats()).toMatchObject({
      states: nothing,
      gc: { keptBytes: 0 },
      wal: { retainedBytes: 0 },
      subscribers: { subscribers: 0, behind: 0 },
    });
    await shard.flush(engine, "1");
    const [old] = await shard.store.list("sst/");
    await shard.run(engine.checkpoint("one"));
    await shard.clock.advance(5_000);
    await shard.run(engine.checkpoint("two", { ttlMs: 9_000 }));
    const reader = await shard.read({ checkpoint: "two" }, { gcMinAgeMs: 0 });
    await shard.run(engine.collectGarbage());
    // The newest state needs them as well.
    expect(engine.stats().gc).toMatchObject({ keptBytes: 0 });
    await shard.flush(engine, "2");
    await shard.run(engine.compact());
    await shard.clock.advance(1_000);
    await shard.run(engine.collectGarbage());
    const { states, gc, wal } = engine.stats();
    expect(states).toMatchObject({ checkpoints: 2, readers: 1 });
    // Opening the reader took some milliseconds.
    expect(states.oldestCheckpointMs).toBeGreaterThanOrEqual(6_000);
    expect(states.oldestReaderMs).toBeGreaterThanOrEqual(1_000);
    expect(states.oldestReaderMs).toBeLessThan(5_000);
    expect(gc.keptBytes).toBe(old?.size);
    const log = await shard.store.list("wal/");
    expect(wal.retainedBytes).toBeGreaterThan(0);
    expect(wal.retainedBytes).toBeLessThan(log.reduce((sum, { size }) => sum + size, 0));

    const [slow, fast] = [engine.subscribe(51), engine.subscribe(101)];
    expect(engine.stats().subscribers).toEqual({ subscribers: 2, behind: 50 });
    await shard.run(slow.next());
    expect(engine.stats().subscribers).toEqual({ subscribers: 2, behind: 0 });
    await shard.run(Promise.resolve(engine.put(key(1), key(1), { durable: true })));
    expect(engine.stats().subscribers).toEqual({ subscribers: 2, behind: 1 });
    for (const one of [slow, fast, slow]) one.close();
    expect(engine.stats().subscribers).toEqual({ subscribers: 0, behind: 0 });

    // No object of the log is deleted sooner.
    await shard.clock.advance(LSM_LIMITS.gcMinAgeMs);
    expect(engine.stats().states.checkpoints).toBe(1);
    await shard.run(engine.deleteCheckpoint("one"));
    await shard.run(reader.close());
    await shard.flush(engine, "3");
    await shard.run(engine.collectGarbage());
    const after = engine.stats();
    expect(after).toMatchObject({ states: nothing, gc: { keptBytes: 0 } });
    expect(after.wal.retainedBytes).toBeLessThan(wal.retainedBytes);
    await shard.run(engine.close());
  });
});
