import { assert } from "../../base/assert.ts";
import { Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid } from "../format/ulid.ts";
import type { Health } from "../health.ts";
import type { ManifestLog } from "../manifest/log.ts";
import type { TablesUnderWay } from "../manifest/tables-under-way.ts";
import type { Maybe } from "../maybe.ts";
import type { Memtable } from "../memtable/memtable.ts";
import { retentionOf } from "../options.ts";
import type { ReadViews } from "../read/read-view.ts";
import type { Sampler } from "../states/samples.ts";
import { begunIn, type Wal } from "../wal/port.ts";
import { type TableTarget, writeTable } from "./memtable-table.ts";

/** What a flush reads from, and where it leaves what it made. */
export interface FlushTarget extends TableTarget {
  readonly views: ReadViews;
  readonly manifests: ManifestLog;
  readonly wal: Wal;
  readonly health: Health;
  readonly underWay: TablesUnderWay;
  readonly durable: (sequence: Sequence) => Maybe<void>;
  /** Snapshots that are open, ascending; older states than the newest write are given up. */
  readonly snapshots: (newest: Sequence) => readonly Sequence[];
  /** Samples of sequence and time, with those that are known since. */
  readonly samples: Sampler["into"];
  readonly onFlushed: (memoryBytes: number, tookMs: number) => void;
}

export interface FlushFigures {
  readonly flushes: number;
  /**
   * Of keys and values that were flushed, of the files that they became, objects of values among
   * them, and the time it took.
   */
  readonly rawBytes: number;
  readonly fileBytes: number;
  readonly totalMs: number;
  readonly retries: number;
}

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/**
 * Writes frozen memtables to tables of level 0: several at once, published in their order, so that
 * the manifest always holds everything up to its last sequence and nothing beyond.
 *
 * A memtable is written once all of it is durable: a table never holds what the log might lose.
 */
export class Flusher {
  readonly #target: FlushTarget;
  readonly #building = new Map<Memtable, Promise<SstMeta>>();
  #running: Promise<void> | undefined;
  #finishing = false;
  #gaveUp = false;
  #flushes = 0;
  #rawBytes = 0;
  #fileBytes = 0;
  #totalMs = 0;
  #retries = 0;

  constructor(target: FlushTarget) {
    this.#target = target;
  }

  get figures(): FlushFigures {
    return {
      flushes: this.#flushes,
      rawBytes: this.#rawBytes,
      fileBytes: this.#fileBytes,
      totalMs: this.#totalMs,
      retries: this.#retries,
    };
  }

  /** Something was frozen. */
  wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    if (this.#target.health.failure === undefined) this.#build();
  }

  /** The last chance: what fails from now on is not tried again. The log has it all. */
  finish(): Promise<void> {
    this.#finishing = true;
    return this.drain();
  }

  /** Resolves when nothing is frozen. @throws what ended the engine meanwhile. */
  async drain(): Promise<void> {
    const { views, health } = this.#target;
    while (views.current.frozen.length > 0 && !this.#gaveUp) {
      if (health.failure !== undefined) throw health.failure;
      this.wake();
      await this.#running;
    }
  }

  async #run(): Promise<void> {
    const { views, health } = this.#target;
    for (let failures = 0; health.failure === undefined && !this.#gaveUp; ) {
      const oldest = views.current.frozen.at(-1);
      if (oldest === undefined) return;
      this.#build();
      try {
        const meta = await (this.#building.get(oldest) as Promise<SstMeta>);
        await this.#publish(oldest, meta);
        this.#building.delete(oldest);
        failures = 0;
      } catch (error) {
        await this.#failed(error, failures++);
      }
    }
  }

  /** A store that is away comes back; everything else ends the engine. */
  async #failed(error: unknown, failures: number): Promise<void> {
    const { clock, health } = this.#target;
    const kind = error instanceof FirnError && error.code !== "LSM_FENCED" ? error.kind : "";
    if (kind !== "Unavailable" && kind !== "Unknown" && kind !== "Overloaded") {
      health.fail(error);
      return;
    }
    this.#retries++;
    this.#gaveUp = this.#finishing;
    if (!this.#gaveUp) await clock.sleep(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures));
  }

  /** Starts on the oldest memtables that no flush writes yet. */
  #build(): void {
    const { views, options } = this.#target;
    for (const memtable of views.current.frozen.slice(-options.parallelFlushes).reverse()) {
      if (this.#building.has(memtable)) continue;
      const building = this.#write(memtable);
      // Any process that publishes learns of a failure; the next attempt begins anew, under another
      // id.
      building.catch(() => this.#building.delete(memtable));
      this.#building.set(memtable, building);
    }
  }

  async #write(memtable: Memtable): Promise<SstMeta> {
    const { clock, prng, durable, underWay } = this.#target;
    await durable(memtable.maxSequence);
    const watch = new Stopwatch(clock);
    const id = mintUlid(clock, prng);
    underWay.begin(id);
    let made: SstMeta;
    let valueBytes = 0;
    try {
      made = await writeTable(
        this.#target,
        memtable,
        id,
        this.#target.snapshots(memtable.maxSequence),
        {
          onValue: (value) => underWay.beginValue(value, id),
          onStored: (bytes) => {
            valueBytes += bytes;
          },
        },
      );
    } catch (error) {
      underWay.end(id);
      throw error;
    }
    const tookMs = watch.elapsedMs();
    this.#flushes++;
    this.#rawBytes += memtable.rawBytes;
    this.#fileBytes += made.fileBytes + valueBytes;
    this.#totalMs += tookMs;
    this.#target.onFlushed(memtable.memoryBytes, tookMs);
    return made;
  }

  async #publish(memtable: Memtable, meta: SstMeta): Promise<void> {
    const { manifests, wal, underWay, options } = this.#target;
    const lastSequence = memtable.maxSequence;
    const published = await manifests.update((manifest) => {
      // The answer to an earlier attempt was lost.
      if (manifest.lastSequence >= lastSequence) return undefined;
      const { minSequence, maxSequence } = meta.stats;
      assert(minSequence > manifest.lastSequence, "a flush adds what no table holds yet");
      assert(maxSequence <= lastSequence, "a table holds nothing beyond its memtable");
      const walFrom = Math.max(manifest.walFrom, wal.lowWater(lastSequence));
      const samples = this.#target.samples(manifest.samples);
      const level0 = [meta, ...manifest.level0];
      const walBegun = begunIn(manifest, wal);
      return { ...manifest, level0, lastSequence, walFrom, walBegun, samples };
    });
    underWay.end(meta.id);
    // What is not released now is released with the next flush, or by the next owner.
    await wal.release(published.walFrom, retentionOf(options)).catch(() => undefined);
  }
}
