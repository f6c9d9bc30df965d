import { hashBytes, hashKey } from "../format/bloom.ts";
import type { Key } from "../format/entry.ts";
import { BatchWalk, KINDS } from "../wal/batch.ts";

const FIRST_SLOTS = 1_024;
const GROWTH = 4;
const EMPTY = 0;

/** Bytes of operations, one behind the other. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
}

/**
 * Whether a transaction may have written to a key, by the hashes of its keys: most keys that it
 * reads or inserts it has not, and then nothing has to be in order yet.
 */
export class OwnKeys {
  /** Open addressing: the slot of a hash, or one behind it. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #count = 0;
  /** What it knows: whole pieces, and bytes of the one behind them. */
  #pieces = 0;
  #bytes = 0;
  #hasRanges = false;

  get memoryBytes(): number {
    return this.#slots.byteLength;
  }

  /** Takes in what it does not know of pieces that only grow. */
  learn(pieces: readonly Piece[]): void {
    for (let i = this.#pieces; i < pieces.length; i++) {
      const { bytes, at, length } = pieces[i] as Piece;
      const from = i === this.#pieces ? this.#bytes : 0;
      if (from < length) this.#walk(bytes, at + from, at + length);
    }
    this.#pieces = Math.max(0, pieces.length - 1);
    this.#bytes = pieces.at(-1)?.length ?? 0;
  }

  /** False is certain. */
  mayHold(key: Key): boolean {
    return this.mayHoldHashed(hashKey(key).a);
  }

  /** As `mayHold`, of the key of a hash (`hashBytes`). */
  mayHoldHashed(a: number): boolean {
    if (this.#hasRanges) return true;
    const hash = marked(a);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
      if (slots[slot] === hash) return true;
    }
    return false;
  }

  /** As `learn`, where all that it does not know is one put of the key of a hash. */
  learnPut(a: number, pieces: readonly Piece[]): void {
    this.#add(marked(a));
    this.#pieces = Math.max(0, pieces.length - 1);
    this.#bytes = pieces.at(-1)?.length ?? 0;
  }

  #walk(bytes: Uint8Array, from: number, to: number): void {
    const walk = new BatchWalk(bytes, from, to);
    while (walk.next()) {
      if (walk.kind === KINDS.deleteRange) this.#hasRanges = true;
      else this.#add(marked(hashBytes(bytes, walk.keyAt, walk.valueAt).a));
    }
  }

  #add(hash: number): void {
    if (2 * this.#count >= this.#slots.length) this.#grow();
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== EMPTY; slot = (slot + 1) & mask) {
      if (this.#slots[slot] === hash) return;
    }
    this.#slots[slot] = hash;
    this.#count++;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(GROWTH * before.length);
    this.#count = 0;
    for (const hash of before) if (hash !== EMPTY) this.#add(hash);
  }
}

/** A hash that is not the mark of an empty slot. */
function marked(hash: number): number {
  return hash === EMPTY ? 1 : hash;
}
