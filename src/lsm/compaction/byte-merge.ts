import { type Cursor, END, ENTRY, type EntryBytes, MISS, type Step } from "../format/cursor.ts";

/**
 * Moves forward over the entries of many cursors as over those of one, by a loser tree (Knuth,
 * volume 3, 5.4.1) that compares keys as bytes where they lie: a compaction passes each entry once,
 * and a text for each key would cost it more than the comparison. No (key, sequence) is in two of
 * them.
 *
 * On a miss nothing is lost: load what the inputs lack, and call the same method again.
 */
export class ByteMerge<Input extends Cursor = Cursor> {
  readonly #inputs: readonly Input[];
  /** Heads of the inputs; undefined where one is at its end. */
  readonly #heads: (EntryBytes | undefined)[];
  /** Input that lost at each inner node; the winner at 0. */
  readonly #losers: Int32Array;

  constructor(inputs: readonly Input[]) {
    this.#inputs = inputs;
    this.#heads = inputs.map(() => undefined);
    this.#losers = new Int32Array(Math.max(1, inputs.length));
  }

  /** The input that stands on the entry. */
  get cursor(): Input {
    return this.#inputs[this.#losers[0] as number] as Input;
  }

  /** To the first entry: every input is moved, so that all that is missing is known at once. */
  first(): Step {
    let missing = false;
    this.#inputs.forEach((input, i) => {
      const step = input.first();
      if (step === MISS) missing = true;
      this.#heads[i] = step === ENTRY ? input.entry : undefined;
    });
    if (missing) return MISS;
    if (this.#inputs.length === 0) return END;
    this.#losers[0] = this.#play(1);
    return this.#settled();
  }

  next(): Step {
    const winner = this.#losers[0] as number;
    const input = this.#inputs[winner] as Input;
    const step = input.next();
    if (step === MISS) return MISS;
    // Behind the end of a table its run stands in another one.
    this.#heads[winner] = step === ENTRY ? input.entry : undefined;
    let best = winner;
    for (let node = (winner + this.#inputs.length) >> 1; node > 0; node >>= 1) {
      const loser = this.#losers[node] as number;
      if (this.#wins(loser, best)) {
        this.#losers[node] = best;
        best = loser;
      }
    }
    this.#losers[0] = best;
    return this.#settled();
  }

  #settled(): Step {
    return this.#heads[this.#losers[0] as number] === undefined ? END : ENTRY;
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
    const one = this.#heads[a];
    const other = this.#heads[b];
    if (one === undefined) return false;
    return other === undefined || comesBefore(one, other);
  }
}

/** In the engine's order: keys ascending, versions of one key newest first. */
function comesBefore(a: EntryBytes, b: EntryBytes): boolean {
  const [keyA, keyB] = [a.keySource, b.keySource];
  const [startA, startB] = [a.keyStart, b.keyStart];
  const [bytesA, bytesB] = [a.keyEnd - startA, b.keyEnd - startB];
  const most = Math.min(bytesA, bytesB);
  for (let i = 0; i < most; i++) {
    const difference = (keyA[startA + i] as number) - (keyB[startB + i] as number);
    if (difference !== 0) return difference < 0;
  }
  return bytesA === bytesB ? a.sequence > b.sequence : bytesA < bytesB;
}
