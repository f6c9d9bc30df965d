import type { Clock } from "../../src/base/clock.ts";

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/**
 * Time that passes only when a test says so. Sleepers wake in the order they are due (ties: in the
 * order they came), and everything that one of them sets off runs before the next one wakes.
 */
export class VirtualClock implements Clock {
  #monotonicMs = 0;
  #wallMs: number;
  readonly #sleepers: Sleeper[] = [];
  readonly #outside = new Set<Promise<void>>();
  #onSleep: (() => void) | undefined;
  #untilIdle = false;

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallMs = startMs;
  }

  /** Whole milliseconds, as a wall clock tells them, however short the sleeps. */
  nowMs(): number {
    return Math.floor(this.#wallMs);
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, ended?: AbortSignal): Promise<void> {
    const dueMs = this.#monotonicMs + Math.max(0, ms);
    return new Promise((wake) => {
      const later = this.#sleepers.findIndex((sleeper) => sleeper.dueMs > dueMs);
      const sleeper = { dueMs, wake };
      this.#sleepers.splice(later < 0 ? this.#sleepers.length : later, 0, sleeper);
      ended?.addEventListener("abort", () => {
        const at = this.#sleepers.indexOf(sleeper);
        if (at >= 0) this.#sleepers.splice(at, 1);
        wake();
      });
      this.#onSleep?.();
    });
  }

  /** Real work, on a socket or a file: no time passes before it is done. */
  outside<T>(work: Promise<T>): Promise<T> {
    const over = (): void => void this.#outside.delete(done);
    const done: Promise<void> = work.then(over, over);
    this.#outside.add(done);
    return work;
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Moves the wall clock alone, as an operator or NTP does. Wakes nobody. */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }

  /** Moves both clocks without waking anybody: the process was stopped meanwhile. */
  skip(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Lets `ms` pass, waking whoever is due on the way, the last of them included. */
  async advance(ms: number): Promise<void> {
    this.#mustBeAlone();
    const untilMs = this.#monotonicMs + ms;
    await this.#settled();
    while ((this.#sleepers[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= untilMs)
      await this.#wakeNext();
    this.#moveTo(untilMs);
  }

  /**
   * Lets time pass from sleeper to sleeper until nobody sleeps. Meanwhile nobody else may: one who
   * has just woken the last sleeper, and goes on a turn later, would find that it is over.
   */
  async runUntilIdle(): Promise<void> {
    this.#mustBeAlone();
    this.#untilIdle = true;
    try {
      await this.#settled();
      while (this.#sleepers.length > 0) await this.#wakeNext();
    } finally {
      this.#untilIdle = false;
    }
  }

  /**
   * Lets time pass until `work` settles, and answers what it does. Where nobody sleeps, real work
   * (a file, a socket) is awaited.
   */
  async run<T>(work: Promise<T>): Promise<T> {
    this.#mustBeAlone();
    let settled = false;
    const done = work.then(
      () => {
        settled = true;
      },
      () => {
        settled = true;
      },
    );
    for (;;) {
      await this.#settled();
      if (settled) return work;
      if (this.#sleepers.length > 0) await this.#wakeNext();
      else await Promise.race([done, this.#nextSleep()]);
    }
  }

  #mustBeAlone(): void {
    if (this.#untilIdle) throw new Error("time already passes, until nobody sleeps: only await");
  }

  async #settled(): Promise<void> {
    await settle();
    while (this.#outside.size > 0) {
      await Promise.race(this.#outside);
      await settle();
    }
  }

  #nextSleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSleep = () => {
        this.#onSleep = undefined;
        resolve();
      };
    });
  }

  #wakeNext(): Promise<void> {
    const next = this.#sleepers.shift();
    if (next === undefined) return Promise.resolve();
    this.#moveTo(next.dueMs);
    next.wake();
    return this.#settled();
  }

  #moveTo(monotonicMs: number): void {
    // After `skip`, a sleeper may be overdue: time does not go back to when it was due.
    const passedMs = Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs += passedMs;
    this.#wallMs += passedMs;
  }
}

/** Time that passes by sleeping, at once: for one line of work at a time, and thousands of runs. */
export class SleepIsTime implements Clock {
  #ms = 0;

  nowMs(): number {
    return Math.floor(this.#ms);
  }

  monotonicMs(): number {
    return this.#ms;
  }

  async sleep(ms: number): Promise<void> {
    this.#ms += ms;
  }
}

/** Resolves after every promise callback that is ready, and those that they make ready, has run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
