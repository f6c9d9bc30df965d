import type { Clock } from "../base/clock.ts";
import { SystemClock } from "../runtime/clock.ts";

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/**
 * A clock that a test drives. Its wall time stands still until the test moves it, so that times in
 * answers can be compared. Pauses last as long as they do on the machine's clock, or until the test
 * jumps past their end.
 */
export class TestClock implements Clock {
  readonly #system = new SystemClock();
  readonly #sleepers = new Set<Sleeper>();
  #wallMs: number;
  #jumpedMs = 0;

  constructor(startMs: number) {
    this.#wallMs = startMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#system.monotonicMs() + this.#jumpedMs;
  }

  async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ms <= 0) return this.#system.sleep(0);
    const over = new AbortController();
    const wake = (): void => over.abort();
    const sleeper = { dueMs: this.monotonicMs() + ms, wake };
    this.#sleepers.add(sleeper);
    ended?.addEventListener("abort", wake);
    if (ended?.aborted === true) wake();
    // A pause that its caller cannot end keeps the process running.
    const held = ended === undefined ? this.#system.sleep(0) : Promise.resolve();
    await Promise.all([this.#system.sleep(ms, over.signal), held]);
    ended?.removeEventListener("abort", wake);
    this.#sleepers.delete(sleeper);
  }

  /** Moves the time on. Whatever waits for a time up to the new one goes on. */
  advance(ms: number): void {
    this.#wallMs += ms;
    this.#jumpedMs += ms;
    const now = this.monotonicMs();
    const due = [...this.#sleepers].filter(({ dueMs }) => dueMs <= now);
    for (const { wake } of due.sort((a, b) => a.dueMs - b.dueMs)) wake();
  }

  /** The time as answers have it. */
  get now(): Date {
    return new Date(this.#wallMs);
  }
}
