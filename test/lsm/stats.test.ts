import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { MemoryBudget } from "../../src/lsm/budget.ts";
import { Engine } from "../../src/lsm/engine.ts";
import { LsmMetrics } from "../../src/lsm/metrics.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const key = (i: number): Uint8Array => utf8(`key-${String(i).padStart(6, "0")}`);

describe("statistics", () => {
  it("say what was written, read and kept, and are printed while the shard is open", async () => {
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
      const line = (await metrics.metrics())
        .split("\n")
        .find((text) => text.startsWith(`firn_lsm_${name}{`));
      return line === undefined ? undefined : Number(line.split(" ").at(-1));
    };
    expect(await sample("disk_bytes")).toBe(stats.tree.fileBytes);
    expect(await sample("tombstone_ratio")).toBeCloseTo(250 / 750);
    expect(await metrics.metrics()).toContain('firn_lsm_seconds_count{shard="one",kind="flush"} 2');
    await engine.close();
    expect(await sample("disk_bytes")).toBeUndefined();
  });
});
