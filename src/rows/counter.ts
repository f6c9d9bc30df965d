import { KeySchema } from "../keys/index.ts";
import { type Engine, int64Bytes, int64Of } from "../lsm/index.ts";
import { systemPrefix } from "./system-prefix.ts";

/** The shard's counters: the highest number that each has given out. */
const keys = new KeySchema([{ type: "text" }], systemPrefix("counters"));

/**
 * Numbers that are given out once, outside of any transaction: one that is rolled back, or a crash,
 * leaves a gap.
 */
export class Counter {
  readonly #engine: Engine;
  readonly #key: Uint8Array;
  readonly #first: bigint;
  /** The last number that was given. */
  #last: bigint | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine, name: string, first: bigint) {
    this.#engine = engine;
    this.#key = keys.encode([name]);
    this.#first = first;
  }

  next(): Promise<bigint> {
    const given = this.#turn.then(() => this.#next());
    this.#turn = given.catch(() => undefined);
    return given;
  }

  /** The next number is at least this. Durable when it resolves. */
  async startAt(number: bigint): Promise<void> {
    const write = await this.#engine.merge(this.#key, int64Bytes(number - 1n), "max");
    this.#last = undefined;
    await write.durable();
  }

  async #next(): Promise<bigint> {
    let last = this.#last;
    if (last === undefined) {
      const stored = await this.#engine.get(this.#key);
      last = stored === undefined ? this.#first - 1n : int64Of(stored);
    }
    const number = last + 1n;
    // The log keeps the order: what uses the number is durable after this.
    await this.#engine.merge(this.#key, int64Bytes(number), "max");
    this.#last = number;
    return number;
  }
}
