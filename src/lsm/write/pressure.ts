import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { overloaded } from "../errors.ts";

/** One quantity that must not grow without end: no delay up to `soft`, refusal from `hard` on. */
export interface Gauge {
  readonly name: string;
  readonly soft: number;
  readonly hard: number;
  readonly read: () => number;
  /** What has to be worked off until it is down by so much; what flushes do if absent. */
  readonly bytesFor?: (amount: number) => number;
}

export interface PressureStats {
  /** Writes that were delayed, for how long in all, and how many were refused. */
  readonly delayed: number;
  readonly delayedMs: number;
  readonly refused: number;
  /** 0: none. 1: writes are refused. */
  readonly level: number;
  /** Which gauge says so; empty where none does. */
  readonly by: string;
}

/** No write waits longer than this at once. */
const MAX_DELAY_MS = 1_000;
/** What timers are good for: less than this is owed, and waited for together with what follows. */
const MIN_DELAY_MS = 1;
/** What flushes are assumed to take until the first one has been measured. */
const ASSUMED_BYTES_PER_MS = 64_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/**
 * Slows writes down so that what they leave behind is worked off before a limit is hit. A byte
 * waits p / (1 - p) times as long as flushes take for one, p being how far the first gauge is on
 * its way from the soft limit to the hard one: nothing at the soft limit, growing without a step,
 * as long as a flush takes half way, beyond any bound at the hard one. So the level settles where
 * writes come as fast as they are worked off, however wrong the measured rate is; only where that
 * stands still the hard limit is reached. Writers queue for their time in their order.
 */
export class Pressure {
  readonly #clock: Clock;
  readonly #gauges: readonly Gauge[];
  #bytesPerMs = ASSUMED_BYTES_PER_MS;
  /** When the writes that were let through so far have had their time. */
  #nextMs = 0;
  #delayed = 0;
  #delayedMs = 0;
  #refused = 0;

  constructor(clock: Clock, gauges: readonly Gauge[]) {
    for (const { soft, hard, name } of gauges) {
      assert(soft <= hard, `writes are slowed down before they are refused: ${name}`);
    }
    this.#clock = clock;
    this.#gauges = gauges;
  }

  /** Tells how fast data reaches the store. */
  flushed(bytes: number, tookMs: number): void {
    if (tookMs > 0) this.#bytesPerMs += (bytes / tookMs - this.#bytesPerMs) / 4;
  }

  /**
   * How long a write of `bytes` has to wait, at most a second; 0 almost always.
   *
   * @throws FirnError `Overloaded`, code `LSM_OVERLOADED`, past a hard limit alone, with the
   *   time after which it is likely to pass. The write has left no trace.
   */
  delayMs(bytes: number): number {
    const level = this.#level();
    if (level <= 0) return 0;
    if (level >= 1) throw this.#refusal();
    const nowMs = this.#clock.monotonicMs();
    const takesMs = ((level / (1 - level)) * bytes) / this.#bytesPerMs;
    this.#nextMs = Math.min(Math.max(this.#nextMs, nowMs) + takesMs, nowMs + MAX_DELAY_MS);
    const delayMs = this.#nextMs - nowMs;
    if (delayMs < MIN_DELAY_MS) return 0;
    this.#delayed++;
    return delayMs;
  }

  /** Waits out a delay, then looks again at the hard limits. @throws as `delayMs`. */
  async wait(delayMs: number): Promise<void> {
    assert(delayMs >= 0 && delayMs <= MAX_DELAY_MS, "no write waits longer than a second at once");
    const waited = new Stopwatch(this.#clock);
    await this.#clock.sleep(delayMs);
    this.#delayedMs += waited.elapsedMs();
    if (this.#level() >= 1) throw this.#refusal();
  }

  stats(): PressureStats {
    const level = this.#level();
    const tight = this.#gauges.find((gauge) => levelAt(gauge, gauge.read()) === level);
    return {
      delayed: this.#delayed,
      delayedMs: this.#delayedMs,
      refused: this.#refused,
      level,
      by: level === 0 ? "" : (tight?.name ?? ""),
    };
  }

  #level(): number {
    let level = 0;
    // On the way of every write, and below every soft limit almost always.
    for (const gauge of this.#gauges) {
      const value = gauge.read();
      if (value > gauge.soft) level = Math.max(level, levelAt(gauge, value));
    }
    return level;
  }

  /** To come back when half of the way is clear again, as far as can be told. */
  #refusal(): Error {
    this.#refused++;
    let retryMs = MIN_RETRY_MS;
    for (const { soft, hard, read, bytesFor } of this.#gauges) {
      const value = read();
      if (value < hard) continue;
      const over = value - (soft + hard) / 2;
      retryMs = Math.max(retryMs, (bytesFor?.(over) ?? over) / this.#bytesPerMs);
    }
    const facts = Object.fromEntries(this.#gauges.map(({ name, read }) => [name, read()]));
    return overloaded(Math.min(MAX_RETRY_MS, retryMs), facts);
  }
}

function levelAt({ soft, hard }: Gauge, value: number): number {
  return (value - soft) / Math.max(1, hard - soft);
}
