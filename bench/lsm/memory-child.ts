import { SeededPrng } from "../../src/base/prng.ts";
import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";

/** How much memory a process takes that loads rows within a budget. */
export interface MemoryCell {
  readonly loadedBytes: number;
  readonly budgetBytes: number;
  /** Beyond what the process had before it opened the shard; at the worst point of the load. */
  readonly mostBytes: number;
  /** What the engine itself counts at its own worst point: memtables and cache. */
  readonly mostCountedBytes: number;
}

const MIB = 1_048_576;
/** What the shard is told to take: blocks, and memtables up to where writes are slowed. */
const CACHE_BYTES = 64 * MIB;
const MEMTABLE_BYTES = 16 * MIB;
const UNFLUSHED_BYTES = 64 * MIB;
const KEY_BYTES = 20;
const VALUE_BYTES = 400;
const BATCH = 500;
/** Reads after each batch, over all that is there: they fill the cache while the load goes on. */
const READS = 50;
/** Prime to every number of rows: each key comes once, in no order. */
const STRIDE = 7_368_787;

async function main(loadBytes: number): Promise<MemoryCell> {
  const rows = Math.ceil(loadBytes / (KEY_BYTES + VALUE_BYTES));
  const values = new SeededPrng(11).bytes(65_536 + VALUE_BYTES);
  const keyOf = (i: number): Uint8Array =>
    Buffer.from(String((i * STRIDE) % rows).padStart(KEY_BYTES, "0"), "latin1");
  let mostBytes = 0;
  let mostCountedBytes = 0;
  await inScratch(async (scratch) => {
    const atFirst = process.memoryUsage.rss();
    const engine = await openEngine(scratch(), {
      durable: false,
      cacheBytes: CACHE_BYTES,
      options: {
        memtableBytes: MEMTABLE_BYTES,
        unflushedBytes: [UNFLUSHED_BYTES, 2 * UNFLUSHED_BYTES],
      },
    });
    for (let at = 0; at < rows; at += BATCH) {
      const count = Math.min(BATCH, rows - at);
      const ops = Array.from({ length: count }, (_, i) => {
        const from = ((at + i) * 7) % 65_536;
        const value = values.subarray(from, from + VALUE_BYTES);
        return { op: "put" as const, key: keyOf(at + i), value };
      });
      await engine.write(ops);
      for (let i = 0; i < READS; i++) {
        if ((await engine.get(keyOf((i * STRIDE + at) % (at + count)))) === undefined) {
          throw new Error("a row is missing");
        }
      }
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss() - atFirst);
      const { memtables, cache } = engine.stats();
      mostCountedBytes = Math.max(mostCountedBytes, memtables.bytes + cache.bytes);
    }
    await engine.close();
  });
  const budgetBytes = CACHE_BYTES + UNFLUSHED_BYTES;
  return { loadedBytes: loadBytes, budgetBytes, mostBytes, mostCountedBytes };
}

process.stdout.write(JSON.stringify(await main(Number(process.argv[2]))));
