import { type Prng, randomBelow, SeededPrng } from "../../src/base/prng.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import type { Dataset } from "./contender.ts";
import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";
import { rowsOf, type Size } from "./workloads.ts";

/** What uniform updates leave behind, by the engine's own count. */
export interface UpdateCell {
  readonly title: string;
  readonly updatesPerSecond: number;
  /** Bytes written into tables for each byte that was written by the updates. */
  readonly writeAmplification: number;
  /** Bytes that the latest manifest refers to for each logical byte: the most at rest, and ever. */
  readonly steadySpace: number;
  readonly mostSpace: number;
  /** Sorted places that a read may have to look in, at most, at rest. */
  readonly restPlaces: number;
}

const MIB = 1_048_576;
/** The default shape at a sixteenth: so few rows are some twenty memtables. */
const SHAPE: Partial<LsmTuning> = { memtableBytes: 4 * MIB, tableBytes: 4 * MIB };
const BATCH = 1_000;
const BATCHES_A_LOOK = 8;
/** How often every row is updated, on average; after each time the engine comes to rest. */
const PASSES = 4;
const POLL_MS = 10;

/** Loads rows, then overwrites random ones, as fast as the engine takes them. */
export async function benchUpdates(
  sizes: readonly Size[],
  chosen: Partial<LsmTuning> = {},
): Promise<readonly UpdateCell[]> {
  const cells: UpdateCell[] = [];
  for (const size of sizes) {
    cells.push(
      await inScratch(async (scratch) => {
        const engine = await openEngine(scratch(), {
          durable: false,
          options: { ...SHAPE, ...chosen },
        });
        try {
          return await new Updates(engine, size).run();
        } finally {
          await engine.close();
        }
      }),
    );
  }
  return cells;
}

class Updates {
  readonly #engine: Engine;
  readonly #size: Size;
  readonly #rows: Dataset;
  readonly #prng: Prng = new SeededPrng(7);
  readonly #logicalBytes: number;
  #mostSpace = 0;
  #restPlaces = 0;

  constructor(engine: Engine, size: Size) {
    this.#engine = engine;
    this.#size = size;
    this.#rows = rowsOf(size);
    this.#logicalBytes = size.rows * (size.keyBytes + size.valueBytes);
  }

  async run(): Promise<UpdateCell> {
    const { rows, keyBytes, valueBytes } = this.#size;
    for (let at = 0; at < rows; at += BATCH) await this.#write(at, (i) => at + i);
    await this.#rest();
    const loaded = this.#engine.stats();
    let steadySpace = 0;
    let tookMs = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      const startMs = performance.now();
      for (let at = 0; at < rows; at += BATCH) {
        await this.#write(at, () => randomBelow(this.#prng, rows));
        if (at % (BATCH * BATCHES_A_LOOK) === 0) this.#look();
      }
      tookMs += performance.now() - startMs;
      await this.#rest();
      steadySpace = Math.max(steadySpace, this.#space());
    }
    const { flush, compaction } = this.#engine.stats();
    const stored = flush.fileBytes + compaction.outputBytes;
    const before = loaded.flush.fileBytes + loaded.compaction.outputBytes;
    return {
      title: `${rows} rows of ${keyBytes} + ${valueBytes} B`,
      updatesPerSecond: (PASSES * rows * 1_000) / tookMs,
      writeAmplification: (stored - before) / (flush.rawBytes - loaded.flush.rawBytes),
      steadySpace,
      mostSpace: this.#mostSpace,
      restPlaces: this.#restPlaces,
    };
  }

  async #write(at: number, row: (i: number) => number): Promise<void> {
    const rows = this.#rows;
    const count = Math.min(BATCH, rows.rows - at);
    const ops = Array.from({ length: count }, (_, i) => {
      const one = row(i);
      return { op: "put" as const, key: rows.key(one), value: rows.value(at + i) };
    });
    await this.#engine.write(ops);
  }

  /** Until nothing is in memtables, and nothing is left to compact. */
  async #rest(): Promise<void> {
    await this.#engine.flush();
    for (;;) {
      this.#look();
      const { compaction, amplification } = this.#engine.stats();
      if (compaction.debtBytes === 0) {
        this.#restPlaces = Math.max(this.#restPlaces, amplification.read);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #look(): void {
    this.#mostSpace = Math.max(this.#mostSpace, this.#space());
  }

  #space(): number {
    return this.#engine.stats().tree.fileBytes / this.#logicalBytes;
  }
}
