import type { Clock } from "../../base/clock.ts";
import { type Key, latin1Text } from "../format/entry.ts";
import { type HotGroup, type HotPrefix, hotGroups, hotPrefixes } from "./hot-prefixes.ts";

/** One operation of so many is noted, in the mean. */
const EVERY = 16;
/** Of the newest so many, as far as they are not older than this, the figures are made. */
const SAMPLES = 1_024;
const WINDOW_MS = 20_000;
/** Fewer say nothing: so little is done that nothing is hot, and few keys are all that is seen. */
const MIN_SAMPLES = 128;
/** What is kept of a key. */
const KEPT_BYTES = 128;
/** Of the generator of gaps (xorshift): any number but 0. */
const SEED = 0x9e37_79b9;

/**
 * The keys of some of the latest operations of one kind: which prefixes they meet is asked of them
 * when an operator asks. Memory is bounded by `SAMPLES` and `KEPT_BYTES`, and an operation
 * that is not sampled costs a subtraction.
 *
 * Gaps between samples are random, as a workload that repeats itself every so many operations would
 * be seen from one side only. With `SAMPLES` of them a share is off by 1.6 percentage points (one
 * standard deviation) at most.
 */
export class KeySamples {
  readonly #clock: Clock;
  /** Used from the start on until they are full, then around and around. */
  readonly #keys: Key[] = [];
  readonly #timesMs: number[] = [];
  #next = 0;
  #state = SEED;
  readonly #startMs: number;
  /** Operations up to the next sample, which is the last of them. */
  #left: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    this.#left = this.#gap();
  }

  /** One operation on a key. */
  note(key: Key): void {
    if (--this.#left > 0) return;
    this.#keep(key);
    this.#left = this.#gap();
  }

  /** As `note`, of a key of which there is no text yet. */
  noteBytes(key: Uint8Array): void {
    if (--this.#left > 0) return;
    this.#keep(latin1Text(key, 0, key.length));
    this.#left = this.#gap();
  }

  /** One operation on each of them. */
  noteKeys(keys: readonly Key[]): void {
    if (keys.length < this.#left) this.#left -= keys.length;
    else this.#sample(keys.length, (index) => keys[index] as Key);
  }

  /** So many operations, of which some are asked for their keys, in ascending order. */
  noteEach(count: number, keys: () => (index: number) => Key): void {
    if (count < this.#left) this.#left -= count;
    else this.#sample(count, keys());
  }

  /** The prefixes that they meet most, hottest first; none while too little is done. */
  hottest(): readonly HotPrefix[] {
    const { keys, perSecond } = this.#latest();
    return hotPrefixes(keys, perSecond);
  }

  /** As `hottest`, of the prefixes of one length. */
  hottestOf(length: number): readonly HotGroup[] {
    const { keys, perSecond } = this.#latest();
    return hotGroups(keys, length, perSecond);
  }

  /** The keys of the window, none where they are too few, and what they stand for. */
  #latest(): { readonly keys: readonly Key[]; readonly perSecond: number } {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = Math.max(this.#startMs, nowMs - WINDOW_MS);
    let oldestMs = Number.POSITIVE_INFINITY;
    const keys = this.#keys.filter((_, index) => {
      const atMs = this.#timesMs[index] as number;
      if (atMs < sinceMs) return false;
      oldestMs = Math.min(oldestMs, atMs);
      return true;
    });
    if (keys.length < MIN_SAMPLES) return { keys: [], perSecond: 0 };
    // Where the ring is not full, they are all of the window.
    const spanMs = nowMs - (keys.length < SAMPLES ? sinceMs : oldestMs);
    return { keys, perSecond: (keys.length * EVERY * 1_000) / Math.max(1, spanMs) };
  }

  #sample(count: number, keyAt: (index: number) => Key): void {
    let done = 0;
    for (; count - done >= this.#left; this.#left = this.#gap()) {
      done += this.#left;
      this.#keep(keyAt(done - 1));
    }
    this.#left -= count - done;
  }

  #keep(key: Key): void {
    this.#keys[this.#next] = key.length <= KEPT_BYTES ? key : copied(key);
    this.#timesMs[this.#next] = this.#clock.monotonicMs();
    this.#next = (this.#next + 1) % SAMPLES;
  }

  /** From 1 to 2 × `EVERY` - 1, all alike. */
  #gap(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return 1 + ((state >>> 0) % (2 * EVERY - 1));
  }
}

/** A part of a text would keep the whole of it in memory. */
function copied(key: Key): Key {
  return Buffer.from(key.slice(0, KEPT_BYTES), "latin1").toString("latin1");
}
