import { type Clock, Stopwatch } from "../../base/clock.ts";
import { Compactor, type CompactorTarget } from "../compaction/compactor.ts";
import type { CompactionFigures } from "../compaction/figures.ts";
import type { ManifestsOf } from "../states/parent.ts";
import { Collector, type GcFigures, NO_GC } from "./gc.ts";

export interface BackgroundJobsTarget extends Omit<CompactorTarget, "onCompacted"> {
  /** Where manifests are kept elsewhere than in numbered objects, others collect. */
  readonly collects: boolean;
  readonly manifestsOf: ManifestsOf;
}

/** What an open engine does on its own with its tables: compactions, then garbage collection. */
export class BackgroundJobs {
  readonly #target: BackgroundJobsTarget;
  readonly #clock: Clock;
  readonly #compactor: Compactor;
  readonly #collector: Collector | undefined;
  #sinceCollected: Stopwatch | undefined;
  #closed = false;

  constructor(target: BackgroundJobsTarget) {
    this.#target = target;
    this.#clock = target.clock;
    this.#compactor = new Compactor({ ...target, onCompacted: () => this.#compacted() });
    const gcMinAgeMs = Math.max(target.options.gcMinAgeMs, target.options.historyMs);
    this.#collector = target.collects ? new Collector({ ...target, gcMinAgeMs }) : undefined;
  }

  get compaction(): CompactionFigures {
    return this.#compactor.figures;
  }

  get debtBytes(): number {
    return this.#compactor.debtBytes;
  }

  get gc(): GcFigures {
    return this.#collector?.figures ?? NO_GC;
  }

  /** Perhaps the shard was left with something to compact. */
  wake(): void {
    this.#compactor.wake();
  }

  /** The manifest has changed. */
  changed(): void {
    this.#compactor.wake();
    const { gcIntervalMs } = this.#target.options;
    const since = this.#sinceCollected?.elapsedMs() ?? Number.POSITIVE_INFINITY;
    if (since >= gcIntervalMs) this.#collectSoon();
  }

  /** @throws as `Compactor.compactAll`. */
  compactAll(): Promise<void> {
    return this.#compactor.compactAll();
  }

  /** @throws as `Compactor.compactLevel0`. */
  compactLevel0(): Promise<void> {
    return this.#compactor.compactLevel0();
  }

  /** @throws as `Collector.collect`. */
  async collect(): Promise<void> {
    if (this.#collector === undefined || this.#closed) return;
    this.#sinceCollected = new Stopwatch(this.#clock);
    try {
      await this.#collector.collect();
    } catch (error) {
      this.#target.health.failIfFenced(error);
      throw error;
    }
  }

  /** Nothing is under way when it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#compactor.stop();
    await this.#collector?.settled();
  }

  /** With no least age the inputs can go at once. */
  #compacted(): void {
    if (this.#target.options.gcMinAgeMs === 0) this.#collectSoon();
  }

  /** A failure is counted, and the next look comes. */
  #collectSoon(): void {
    if (this.#target.options.compaction === "manual") return;
    this.collect().catch(() => undefined);
  }
}
