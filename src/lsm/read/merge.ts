import { assert } from "../../base/assert.ts";
import {
  type Cursor,
  END,
  ENTRY,
  type EntryBytes,
  MISS,
  type MissingBlock,
  type Origin,
  type Step,
} from "../format/cursor.ts";
import {
  type Key,
  type Kind,
  keyAfter,
  MAX_SEQUENCE,
  type Sequence,
  type ValueReference,
} from "../format/entry.ts";
import type { Drain } from "../format/packed-rows.ts";

/**
 * Moves over the entries of many cursors as over those of one, by a loser tree (Knuth, volume 3,
 * 5.4.1): one comparison a level for each step. No (key, sequence) is in two of them.
 *
 * On a miss nothing is lost: load the blocks, of several inputs at once after a seek, and call the
 * same method again.
 */
export class MergeCursor implements Cursor {
  readonly #inputs: readonly Cursor[];
  readonly #steps: Step[];
  /** Heads of the inputs; undefined where one is at its end. */
  readonly #keys: (Key | undefined)[];
  readonly #sequences: Float64Array;
  /** Input that lost at each inner node; the winner at 0. */
  readonly #losers: Int32Array;
  #forward = true;
  key: Key = "";
  sequence: Sequence = 0;

  constructor(inputs: readonly Cursor[]) {
    this.#inputs = inputs;
    this.#steps = inputs.map(() => END);
    this.#keys = inputs.map(() => undefined);
    this.#sequences = new Float64Array(inputs.length);
    this.#losers = new Int32Array(Math.max(1, inputs.length));
  }

  get kind(): Kind {
    return this.#winner().kind;
  }

  get origin(): Origin | undefined {
    return this.#winner().origin;
  }

  get valueSource(): Uint8Array {
    return this.#winner().valueSource;
  }

  get valueStart(): number {
    return this.#winner().valueStart;
  }

  get valueEnd(): number {
    return this.#winner().valueEnd;
  }

  get operator(): number {
    return this.#winner().operator;
  }

  get expiresAtMs(): number {
    return this.#winner().expiresAtMs;
  }

  get entry(): EntryBytes {
    return this.#winner().entry;
  }

  value(): Uint8Array {
    return this.#winner().value();
  }

  first(): Step {
    return this.#position(true, (input) => input.first());
  }

  last(): Step {
    return this.#position(false, (input) => input.last());
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    return this.#position(true, (input) => input.seek(key, sequence));
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    return this.#position(false, (input) => input.seekBefore(key, sequence));
  }

  next(): Step {
    if (!this.#forward) {
      const { key, sequence } = this;
      return sequence > 0 ? this.seek(key, sequence - 1) : this.seek(keyAfter(key));
    }
    return this.#advance();
  }

  prev(): Step {
    if (this.#forward) return this.seekBefore(this.key, this.sequence);
    return this.#advance();
  }

  /** Of the input that it stands in, before the entry of any other. */
  drain(into: Drain): void {
    const winner = this.#losers[0] as number;
    if (!this.#forward || this.#steps[winner] !== ENTRY) return;
    for (let node = (winner + this.#inputs.length) >> 1; node > 0; node >>= 1) {
      const key = this.#keys[this.#losers[node] as number];
      if (key === undefined) continue;
      // Versions of one key in two places come one by one.
      if (key === this.key) return;
      into.narrow(key);
    }
    const input = this.#inputs[winner] as Cursor;
    const before = into.steps;
    input.drain?.(into);
    if (into.steps === before) return;
    this.#take(winner, ENTRY);
    const isWinner = into.beforeKey === undefined || input.key < into.beforeKey;
    assert(isWinner, "what was drained comes before all other inputs");
    this.#settle();
  }

  ahead(bytes: number): readonly ValueReference[] {
    return this.#winner().ahead?.(bytes) ?? [];
  }

  missing(into: MissingBlock[]): void {
    this.#steps.forEach((step, i) => {
      if (step === MISS) this.#inputs[i]?.missing(into);
    });
  }

  #winner(): Cursor {
    return this.#inputs[this.#losers[0] as number] as Cursor;
  }

  /** Moves every input, so that all that is missing is known at once; then plays the whole tree. */
  #position(forward: boolean, move: (input: Cursor) => Step): Step {
    let missing = false;
    this.#inputs.forEach((input, i) => {
      const step = move(input);
      this.#steps[i] = step;
      if (step === MISS) missing = true;
      else this.#take(i, step);
    });
    if (missing) return MISS;
    if (this.#inputs.length === 0) return END;
    this.#forward = forward;
    this.#losers[0] = this.#play(1);
    return this.#settle();
  }

  #advance(): Step {
    const winner = this.#losers[0] as number;
    const input = this.#inputs[winner] as Cursor;
    const step = this.#forward ? input.next() : input.prev();
    this.#steps[winner] = step;
    if (step === MISS) return MISS;
    this.#take(winner, step);
    let best = winner;
    for (let node = (winner + this.#inputs.length) >> 1; node > 0; node >>= 1) {
      const loser = this.#losers[node] as number;
      if (this.#wins(loser, best)) {
        this.#losers[node] = best;
        best = loser;
      }
    }
    this.#losers[0] = best;
    return this.#settle();
  }

  #take(i: number, step: Step): void {
    const input = this.#inputs[i] as Cursor;
    this.#keys[i] = step === ENTRY ? input.key : undefined;
    if (step === ENTRY) this.#sequences[i] = input.sequence;
  }

  #settle(): Step {
    const winner = this.#losers[0] as number;
    const key = this.#keys[winner];
    if (key === undefined) return END;
    this.key = key;
    this.sequence = this.#sequences[winner] as number;
    return ENTRY;
  }

  /** Plays the matches below a node; answers the winner. */
  #play(node: number): number {
    const inputs = this.#inputs.length;
    if (node >= inputs) return node - inputs;
    const left = this.#play(2 * node);
    const right = this.#play(2 * node + 1);
    const leftWins = this.#wins(left, right);
    this.#losers[node] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  #wins(a: number, b: number): boolean {
    const keyA = this.#keys[a];
    const keyB = this.#keys[b];
    if (keyA === undefined) return false;
    if (keyB === undefined) return true;
    if (keyA !== keyB) return keyA < keyB === this.#forward;
    return (this.#sequences[a] as number) > (this.#sequences[b] as number) === this.#forward;
  }
}
