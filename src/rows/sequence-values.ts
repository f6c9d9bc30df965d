import { assert } from "../base/assert.ts";
import { KeySchema } from "../keys/index.ts";
import { int64Bytes, int64Of, type Maybe } from "../lsm/index.ts";
import { rowError } from "./errors.ts";
import { tableMoving } from "./moving.ts";
import type { SequenceDescriptor } from "./sequence.ts";
import { systemPrefix } from "./system-prefix.ts";

/*
 * Where a sequence stands, in the shard's counters: 8 bytes of its last number, then 1 if that was
 * given out, or 0 if it comes next. What is stored is ahead of what was given: after a crash the
 * numbers between are left out.
 *
 *   00 00 00 00 00 00 00 20 01     32 was the last one
 */
const STATE_BYTES = 9;
const keys = new KeySchema([{ type: "text" }], systemPrefix("counters"));

/** Taken at once at first; twice as many each time, up to the most: a crash costs as many. */
const FEWEST_AT_ONCE = 32;
const MOST_AT_ONCE = 1_024;
/** At most this part of what is left is taken at once, so that crashes cannot use up a sequence. */
const LEFT_SHARE = 64n;

export interface SequenceState {
  readonly last: bigint;
  readonly isCalled: boolean;
}

/** Where sequences stand: the engine, or the memory of a session. */
export interface NumberStore {
  get(key: Uint8Array): Maybe<Uint8Array | undefined>;
  put(key: Uint8Array, value: Uint8Array): Maybe<{ readonly durable: () => Promise<unknown> }>;
}

/** Numbers of one sequence, in their order: one of these for each, in the process that owns it. */
export class SequenceValues {
  #isRetired = false;
  readonly #engine: NumberStore;
  readonly #key: Uint8Array;
  #of: SequenceDescriptor | undefined;
  #last = 0n;
  #isCalled = false;
  #isLoaded = false;
  /** Numbers behind the last one that are stored as given. */
  #left = 0;
  #atOnce = FEWEST_AT_ONCE;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(engine: NumberStore, id: string) {
    this.#engine = engine;
    this.#key = keys.encode([`sequence/${id}`]);
  }

  /**
   * The next number; no other call ever gets it, also after a crash.
   *
   * @throws FirnError `Invalid`, code `ROW_SEQUENCE_EXHAUSTED` (2200H).
   */
  next(sequence: SequenceDescriptor): Promise<bigint> {
    return this.#inTurn(() => this.#next(sequence));
  }

  /** As `state`; from now on it gives no number: another shard does. */
  retire(sequence: SequenceDescriptor): Promise<SequenceState> {
    return this.#inTurn(async () => {
      await this.#load(sequence);
      this.#isRetired = true;
      return { last: this.#last, isCalled: this.#isCalled };
    });
  }

  /** What was given last, and whether it was given: `SELECT last_value, is_called`. */
  state(sequence: SequenceDescriptor): Promise<SequenceState> {
    return this.#inTurn(async () => {
      await this.#load(sequence);
      return { last: this.#last, isCalled: this.#isCalled };
    });
  }

  /**
   * The next number is `value`, or the one behind it where it is said to be called.
   *
   * @throws FirnError `Invalid`, code `ROW_SEQUENCE_INVALID` (22003).
   */
  set(sequence: SequenceDescriptor, value: bigint, isCalled: boolean): Promise<void> {
    const { min, max, name } = sequence;
    return this.#inTurn(async () => {
      if (this.#isRetired) throw tableMoving(name);
      if (value < min || value > max) {
        const bounds = `sequence "${name}" (${min}..${max})`;
        const message = `setval: value ${value} is out of bounds for ${bounds}`;
        throw rowError("Invalid", "ROW_SEQUENCE_INVALID", "22003", message, { sequence: name });
      }
      await this.#store(value, isCalled);
      this.#last = value;
      this.#isCalled = isCalled;
      this.#isLoaded = true;
      this.#left = 0;
    });
  }

  async #next(sequence: SequenceDescriptor): Promise<bigint> {
    if (this.#isRetired) throw tableMoving(sequence.name);
    await this.#load(sequence);
    if (this.#of !== sequence && !isSame(this.#of, sequence)) this.#left = 0;
    this.#of = sequence;
    const number = this.#isCalled ? behind(sequence, this.#last) : this.#last;
    if (this.#left === 0) {
      const count = this.#countFrom(sequence, number);
      await this.#store(number + sequence.increment * BigInt(count - 1), true);
      this.#left = count;
    }
    this.#left--;
    this.#last = number;
    this.#isCalled = true;
    return number;
  }

  /** How many are taken at once: none beyond the bound, where it would begin again or end. */
  #countFrom({ increment, min, max, cache }: SequenceDescriptor, number: bigint): number {
    const left = increment > 0n ? (max - number) / increment : (number - min) / -increment;
    const wanted = BigInt(Math.max(cache, this.#atOnce));
    this.#atOnce = Math.min(this.#atOnce * 2, MOST_AT_ONCE);
    const most = left / LEFT_SHARE;
    const count = (wanted < most ? wanted : most) + 1n;
    return Number(count > left + 1n ? left + 1n : count);
  }

  async #load({ start }: SequenceDescriptor): Promise<void> {
    if (this.#isLoaded) return;
    const stored = await this.#engine.get(this.#key);
    assert(stored === undefined || stored.length === STATE_BYTES, "a sequence's state is 9 bytes");
    this.#last = stored === undefined ? start : int64Of(stored.subarray(0, 8));
    this.#isCalled = stored !== undefined && stored[8] === 1;
    this.#isLoaded = true;
  }

  /** Durable before a number is given: a reader may tell it before any commit. */
  async #store(last: bigint, isCalled: boolean): Promise<void> {
    const state = new Uint8Array(STATE_BYTES);
    state.set(int64Bytes(last));
    state[8] = isCalled ? 1 : 0;
    const written = await this.#engine.put(this.#key, state);
    await written.durable();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function behind(sequence: SequenceDescriptor, last: bigint): bigint {
  const { increment, min, max, cycle, name } = sequence;
  const next = last + increment;
  if (increment > 0n ? next <= max : next >= min) return next;
  if (cycle) return increment > 0n ? min : max;
  const [word, bound] = increment > 0n ? ["maximum", max] : ["minimum", min];
  const message = `nextval: reached ${word} value of sequence "${name}" (${bound})`;
  throw rowError("Invalid", "ROW_SEQUENCE_EXHAUSTED", "2200H", message, { sequence: name });
}

function isSame(a: SequenceDescriptor | undefined, b: SequenceDescriptor): boolean {
  return a !== undefined && a.increment === b.increment && a.min === b.min && a.max === b.max;
}
