import { type Clock, Stopwatch } from "../../base/clock.ts";
import type { Maybe } from "../maybe.ts";

/**
 * For how long this process may act as the owner on its own word.
 *
 * A check that began at t and found no higher epoch proves that any process that takes over does so
 * after t; a new owner waits longer than the lease before its first acknowledgement. So until t +
 * leaseMs no other process has acknowledged anything that a read here could miss. Time is counted
 * by whichever clock saw more, as a machine may sleep in between.
 *
 * What was read before a check began is proven by that check alone, however long it takes. So a
 * lease of 0 is a look for each answer, and a store that is slower than the lease still serves.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #check: (sinceMs: number) => Promise<void>;
  #began: Stopwatch;
  #checking: Promise<void> | undefined;

  /**
   * @param began begun before the shard was taken over in the manifest, which was a check.
   * @param check throws where the epoch has grown; told how long ago the last one began. One or
   *   two requests.
   */
  constructor(
    clock: Clock,
    began: Stopwatch,
    leaseMs: number,
    check: (sinceMs: number) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#check = check;
    this.#began = began;
  }

  /** Milliseconds since the last successful check began. */
  get ageMs(): number {
    return this.#began.elapsedMs();
  }

  /** Settles once everything that was read up to now is known to have been read by the owner. */
  confirm(withinMs: number = this.#leaseMs): Maybe<void> {
    return this.ageMs < withinMs ? undefined : this.#renew(withinMs);
  }

  async #renew(withinMs: number): Promise<void> {
    if (this.#checking !== undefined) {
      // It began before what is to be proven was read, so that it counts by its time alone.
      await this.#checking;
      if (this.ageMs < withinMs) return;
    }
    // Another's that is under way by now began after that.
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #checkOnce(): Promise<void> {
    const began = new Stopwatch(this.#clock);
    await this.#check(this.ageMs);
    this.#began = began;
  }
}
