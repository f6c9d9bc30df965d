import { type Clock, Stopwatch } from "../base/clock.ts";
import { overloaded } from "./errors.ts";

/** One quantity that must not grow without end: no delay up to `soft`, refusal from `hard` on. */
export interface Gauge {
  readonly name: string;
  readonly soft: number;
  readonly hard: number;
  readonly read: () => number;
}

export interface PressureStats {
  /** Writes that were delayed, for how long in all, and how many were refused. */
  readonly delayed: number;
  readonly delayedMs: number;
  readonly refused: number;
  /** 0: none. 1: writes are refused. */
  readonly level: number;
}

/** Waiting longer than this helps nobody: whoever asks is told to come back. */
const MAX_DELAY_MS = 1_000;
/** What flushes are assumed to take until the first one has been measured. */
const ASSUMED_BYTES_PER_MS = 64_000;

/**
 * Slows writes down so that what they leave behind is worked off before a limit is hit: the rate
 * that is let through falls from twice what the flushes take, where the first gauge passes its soft
 * limit, to a tenth of it near the hard one. Writers queue for that rate in their order.
 */
export class Pressure {
  readonly #clock: Clock;
  readonly #gauges: readonly Gauge[];
  #bytesPerMs = ASSUMED_BYTES_PER_MS;
  /** When the writes that were let through so far have had their time at the current rate. */
  #nextMs = 0;
  #delayed = 0;
  #delayedMs = 0;
  #refused = 0;

  constructor(clock: Clock, gauges: readonly Gauge[]) {
    this.#clock = clock;
    this.#gauges = gauges;
  }

  /** Tells how fast data reaches the store. */
  flushed(bytes: number, tookMs: number): void {
    if (tookMs > 0) this.#bytesPerMs += (bytes / tookMs - this.#bytesPerMs) / 4;
  }

  /**
   * How long a write of `bytes` has to wait; 0 almost always.
   *
   * @throws CatalogError `Overloaded`, code `LSM_OVERLOADED`, past a hard limit or where the queue
   *   is longer than a second. The write has left no trace.
   */
  delayMs(bytes: number): number {
    const level = this.#level();
    if (level <= 0) return 0;
    const nowMs = this.#clock.monotonicMs();
    const rate = this.#bytesPerMs * (2 - 1.9 * Math.min(1, level));
    const startMs = Math.max(this.#nextMs, nowMs);
    const delayMs = startMs - nowMs;
    if (level >= 1 || delayMs > MAX_DELAY_MS) throw this.#refusal(delayMs);
    this.#nextMs = startMs + bytes / rate;
    if (delayMs > 0) this.#delayed++;
    return delayMs;
  }

  /** Waits out a delay, then looks again at the hard limits. */
  async wait(delayMs: number): Promise<void> {
    const waited = new Stopwatch(this.#clock);
    await this.#clock.sleep(delayMs);
    this.#delayedMs += waited.elapsedMs();
    if (this.#level() >= 1) throw this.#refusal(delayMs);
  }

  stats(): PressureStats {
    return {
      delayed: this.#delayed,
      delayedMs: this.#delayedMs,
      refused: this.#refused,
      level: this.#level(),
    };
  }

  #level(): number {
    let level = 0;
    for (const { soft, hard, read } of this.#gauges) {
      const value = read();
      if (value > soft) level = Math.max(level, (value - soft) / Math.max(1, hard - soft));
    }
    return level;
  }

  #refusal(delayMs: number): Error {
    this.#refused++;
    const facts = Object.fromEntries(this.#gauges.map(({ name, read }) => [name, read()]));
    return overloaded(Math.max(100, delayMs), facts);
  }
}
