import type { Clock } from "../../src/base/clock.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Above the rounding of sums of times: who waits so long longer than a limit has reached it. */
const OVER_MS = 1;

/**
 * A double that does not answer yet, or never will, so that time passes for who waits for it.
 * `over`: it is about to answer.
 */
export interface Pause {
  over(): void;
}

/**
 * Virtual time for adapters that reach one service over a real socket: none passes while a request
 * is on its way, however long the socket takes; it does while all that are on their way wait for a
 * service that pauses on purpose. A request is on its way from the sleep that bounds it, which is
 * the only kind that adapters can end, to that end.
 *
 * One for all adapters of one service: those that wait for it are given up in the order they came,
 * since all of them have the same limit.
 */
export class WireClock implements Clock {
  readonly #clock: VirtualClock;
  readonly #underWay = new Set<AbortSignal>();
  readonly #pauses: Pause[] = [];
  /** What those waited for in vain that were given up, and are under way still. */
  readonly #givenUp = new Map<AbortSignal, Pause>();
  #frozen: PromiseWithResolvers<void> | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ended === undefined) return this.#clock.sleep(ms);
    this.#begin(ended);
    await this.#clock.sleep(ms + OVER_MS, ended);
    // Given up: nothing else happens before whoever waited has gone on.
    const pause = ended.aborted ? undefined : this.#pauses.shift();
    if (pause !== undefined) this.#givenUp.set(ended, pause);
    this.#update();
  }

  /** The service has got a request, and does not answer it for a while, or ever. */
  pause(): Pause {
    const pause: Pause = {
      over: () => {
        const at = this.#pauses.indexOf(pause);
        if (at >= 0) this.#pauses.splice(at, 1);
        this.#update();
      },
    };
    this.#pauses.push(pause);
    this.#update();
    return pause;
  }

  /** Lets so much time pass inside the service, before or behind what it does. */
  async delay(ms: number): Promise<void> {
    const pause = this.pause();
    await this.#clock.sleep(ms);
    pause.over();
  }

  #begin(signal: AbortSignal): void {
    // One whose clock was set back waits once more, for the same service.
    const pause = this.#givenUp.get(signal);
    if (pause !== undefined) this.#pauses.unshift(pause);
    this.#givenUp.delete(signal);
    if (!this.#underWay.has(signal)) {
      this.#underWay.add(signal);
      signal.addEventListener("abort", () => this.#end(signal), { once: true });
    }
    this.#update();
  }

  #end(signal: AbortSignal): void {
    this.#underWay.delete(signal);
    this.#givenUp.delete(signal);
    this.#update();
  }

  #update(): void {
    const waits = this.#underWay.size > this.#pauses.length;
    if (waits && this.#frozen === undefined) {
      this.#frozen = Promise.withResolvers();
      void this.#clock.outside(this.#frozen.promise);
    } else if (!waits && this.#frozen !== undefined) {
      this.#frozen.resolve();
      this.#frozen = undefined;
    }
  }
}
