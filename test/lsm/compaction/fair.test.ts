import { expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { MemoryBudget } from "../../../src/lsm/write/budget.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { Processes } from "../support/worlds.ts";

/** Shards of one process, under a clock that passes when it is told to. */
class Site {
  readonly clock = new VirtualClock();
  readonly budget = new MemoryBudget(16 * 1_048_576);
  readonly #store = new MemoryBlobStore(this.clock);
  readonly #processes = new Processes();
  readonly #merger = new InlineMerger(this.clock);

  open(name: string, options: Partial<LsmTuning>): Promise<Engine> {
    const { clock, budget } = this;
    const [store, merger, prefix] = [this.#store, this.#merger, `${name}/`];
    const prng = new SeededPrng(name.length);
    const wal = new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` });
    const node = this.#processes.start({ sight: () => "dead" });
    const forTests = { compaction: "manual" as const, gcMinAgeMs: 0, ...options };
    const parts = { store, prefix, wal, clock, prng, budget, merger, node, forTests };
    return clock.run(Engine.open(parts));
  }

  /** Two tables of level 0, each with every row. */
  async fill(engine: Engine, rows: number): Promise<void> {
    const value = new Uint8Array(1_000);
    for (let table = 0; table < 2; table++) {
      for (let from = 0; from < rows; from += 100) {
        const ops = Array.from({ length: Math.min(100, rows - from) }, (_, i) => ({
          op: "put" as const,
          key: utf8(`key ${String(from + i).padStart(6, "0")}`),
          value,
        }));
        await this.clock.run(Promise.resolve(engine.write(ops)));
      }
      await this.clock.run(engine.flush());
    }
  }
}

it("a small compaction does not wait for the large one of another shard", async () => {
  const site = new Site();
  const slow = await site.open("slow", { compactionBytesPerSecond: 100_000 });
  const quick = await site.open("quick", {});
  await site.fill(slow, 3_000);
  await site.fill(quick, 1_000);
  const startedMs = site.clock.monotonicMs();
  let slowMs: number | undefined;
  const long = slow.compact().then(() => {
    slowMs = site.clock.monotonicMs() - startedMs;
  });
  await site.clock.advance(1_000);
  await site.clock.run(quick.compact());
  expect(site.clock.monotonicMs() - startedMs).toBeLessThan(2_000);
  expect(quick.stats().compaction).toMatchObject({ compactions: 1, failures: 0 });
  expect(slowMs).toBeUndefined();
  await site.clock.run(long);
  // Three megabytes at the rate of its own shard.
  expect(slowMs).toBeGreaterThan(25_000);
  for (const engine of [slow, quick]) await site.clock.run(engine.close());
  expect(site.budget.figures).toMatchObject({ workBytes: 0, shards: 0 });
});

it("the rate limit of a shard holds over all its compactions, and saves nothing up", async () => {
  const site = new Site();
  const engine = await site.open("slow", { compactionBytesPerSecond: 100_000 });
  for (let round = 0; round < 2; round++) {
    await site.fill(engine, 1_000);
    // A minute without a compaction is not an allowance for the next one.
    await site.clock.advance(60_000);
    const startedMs = site.clock.monotonicMs();
    await site.clock.run(engine.compact());
    expect(site.clock.monotonicMs() - startedMs).toBeGreaterThan(8_000);
  }
  await site.clock.run(engine.close());
});
