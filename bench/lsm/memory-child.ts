import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { ThreadMerger } from "../../src/lsm/compaction/thread-merger.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";

/** How much memory a process takes that loads rows within a budget. */
export interface MemoryCell {
  readonly shards: number;
  readonly loadedBytes: number;
  readonly budgetBytes: number;
  /** Beyond what the process had before the first shard was opened; at the worst point. */
  readonly mostBytes: number;
  /** What the budget itself counts at its own worst point. */
  readonly mostCountedBytes: number;
}

const MIB = 1_048_576;
const SMALL = { segmentBytes: MIB };
const KEY_BYTES = 20;
const VALUE_BYTES = 400;
const BATCH = 500;
/** Reads after each batch, over all that is there: they fill the cache while the load goes on. */
const READS = 50;
/** Prime to every number of rows: each key comes once, in no order. */
const STRIDE = 7_368_787;

async function main(loadBytes: number, shards: number, budgetMib: number): Promise<MemoryCell> {
  const budgetBytes = budgetMib * MIB;
  const rows = Math.ceil(loadBytes / (KEY_BYTES + VALUE_BYTES));
  const values = new SeededPrng(11).bytes(65_536 + VALUE_BYTES);
  const keyOf = (i: number): Uint8Array =>
    Buffer.from(String((i * STRIDE) % rows).padStart(KEY_BYTES, "0"), "latin1");
  let mostBytes = 0;
  let mostCountedBytes = 0;
  await inScratch(async (scratch) => {
    const atFirst = process.memoryUsage.rss();
    const budget = MemoryBudget.within(budgetBytes);
    const merger = new ThreadMerger();
    const choice = { durable: false, budget, merger, ...(shards > 1 && SMALL) };
    const engines: Engine[] = [];
    for (let i = 0; i < shards; i++) engines.push(await openEngine(scratch(), choice));
    const engineOf = (row: number) => engines[Math.floor(row / BATCH) % shards] as Engine;
    for (let at = 0; at < rows; at += BATCH) {
      const count = Math.min(BATCH, rows - at);
      const ops = Array.from({ length: count }, (_, i) => {
        const from = ((at + i) * 7) % 65_536;
        const value = values.subarray(from, from + VALUE_BYTES);
        return { op: "put" as const, key: keyOf(at + i), value };
      });
      await written(engineOf(at), ops);
      for (let i = 0; i < READS; i++) {
        const row = (i * STRIDE + at) % (at + count);
        if ((await engineOf(row).get(keyOf(row))) === undefined) {
          throw new Error("a row is missing");
        }
      }
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss() - atFirst);
      mostCountedBytes = Math.max(mostCountedBytes, budget.figures.usedBytes);
    }
    for (const engine of engines) await engine.close();
    await merger.close();
  });
  return { shards, loadedBytes: loadBytes, budgetBytes, mostBytes, mostCountedBytes };
}

/** As a client does: who is told to come back does so. */
async function written(engine: Engine, ops: readonly WriteOp[]): Promise<void> {
  for (;;) {
    try {
      await engine.write(ops);
      return;
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind !== "Overloaded") throw error;
      const { retryAfterMs } = error.context;
      await new Promise((resolve) => setTimeout(resolve, Number(retryAfterMs)));
    }
  }
}

const [loadBytes = 0, shards = 1, budgetMib = 128] = process.argv.slice(2).map(Number);
process.stdout.write(JSON.stringify(await main(loadBytes, shards, budgetMib)));
