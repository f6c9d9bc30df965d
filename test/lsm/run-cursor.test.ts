import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { ENTRY, MISS, type MissingBlock, type Step } from "../../src/lsm/format/cursor.ts";
import { SstWriter } from "../../src/lsm/format/sst-writer.ts";
import { mintUlid } from "../../src/lsm/format/ulid.ts";
import { BlockCache } from "../../src/lsm/read/cache.ts";
import { RunCursor } from "../../src/lsm/read/run-cursor.ts";
import type { SsTable } from "../../src/lsm/read/ss-table.ts";
import { TableCache, tablePath } from "../../src/lsm/read/table-cache.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import {
  bytesOf,
  compareMoves,
  type Entry,
  inOrder,
  ModelCursor,
  randomEntries,
} from "./support/model.ts";

interface Run {
  readonly entries: readonly Entry[];
  readonly tables: TableCache;
  readonly run: readonly SsTable[];
}

/** Entries cut into tables anywhere, also between two versions of one key. */
async function makeRun(seed: number, cacheBytes: number): Promise<Run> {
  const prng = new SeededPrng(seed);
  const clock = new VirtualClock();
  const store = new MemoryBlobStore(clock);
  const cache = new BlockCache(cacheBytes);
  const tables = new TableCache(store, "", cache, { readGapBytes: 64, readBytes: 400 });
  const entries = inOrder(randomEntries(prng, 1 + Math.floor(prng.float() * 200), 0.2));
  const run: SsTable[] = [];
  for (let at = 0; at < entries.length; ) {
    const id = mintUlid(clock, prng);
    const writer = new SstWriter(id, { blockBytes: 100, indexPartBytes: 200 });
    const end = Math.min(entries.length, at + 1 + Math.floor(prng.float() * 60));
    for (; at < end; at++) {
      writer.append(bytesOf(entries[at]!));
    }
    const meta = writer.finish();
    await store.put(tablePath("", id), Buffer.concat(writer.takeChunks()));
    run.push(tables.of(meta));
  }
  return { entries, tables, run };
}

/** Makes a move, loading what it misses until it is done. */
async function moved(tables: TableCache, cursor: RunCursor, move: () => Step): Promise<Step> {
  const held: (() => void)[] = [];
  for (;;) {
    const step = move();
    if (step !== MISS) {
      for (const letGo of held) letGo();
      return step;
    }
    const missing: MissingBlock[] = [];
    cursor.missing(missing);
    expect(missing).toHaveLength(1);
    held.push(await tables.load(missing));
  }
}

const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

describe("a run of tables", () => {
  it.each(SEEDS)("moves like one sorted list (seed %i)", async (seed) => {
    const { entries, tables, run } = await makeRun(seed, 10_000_000);
    const cursor = new RunCursor(run);
    let step = await moved(tables, cursor, () => cursor.first());
    while (step === ENTRY) step = await moved(tables, cursor, () => cursor.next());
    const model = new ModelCursor(entries);
    const moves = compareMoves(cursor, model, entries, new SeededPrng(seed), 300);
    expect(moves).toBeUndefined();
  });

  it.each(SEEDS)("loads what it needs, both ways, with no cache at all (seed %i)", async (seed) => {
    const { entries, tables, run } = await makeRun(seed, 0);
    const cursor = new RunCursor(run);
    const walk = async (first: () => Step, next: () => Step): Promise<readonly string[]> => {
      const seen: string[] = [];
      let step = await moved(tables, cursor, first);
      for (; step === ENTRY; step = await moved(tables, cursor, next)) {
        seen.push(`${cursor.key} ${cursor.sequence}`);
      }
      return seen;
    };
    const expected = entries.map(({ key, sequence }) => `${key} ${sequence}`);
    const forward = await walk(
      () => cursor.first(),
      () => cursor.next(),
    );
    expect(forward).toEqual(expected);
    const backward = await walk(
      () => cursor.last(),
      () => cursor.prev(),
    );
    expect(backward).toEqual(expected.toReversed());
    for (const { key, sequence } of entries) {
      expect(await moved(tables, cursor, () => cursor.seek(key, sequence))).toBe(ENTRY);
      expect([cursor.key, cursor.sequence]).toEqual([key, sequence]);
    }
  });
});
