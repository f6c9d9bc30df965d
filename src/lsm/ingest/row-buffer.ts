import { assert } from "../../base/assert.ts";
import type { SortableRows } from "../compaction/sort-rows.ts";

const FIRST_ROWS = 1_024;
const SHORT_COPY = 48;

/** Rows on their way to a table, one behind the other in one array. */
export class RowBuffer {
  readonly #bytes: Buffer<ArrayBuffer>;
  #keyEnds = new Uint32Array(FIRST_ROWS);
  #valueEnds = new Uint32Array(FIRST_ROWS);
  #rows = 0;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  get rows(): number {
    return this.#rows;
  }

  /** What it takes of memory, but for the two numbers of each row. */
  get memoryBytes(): number {
    return this.#bytes.length;
  }

  hasRoom(bytes: number): boolean {
    return this.#used + bytes <= this.#bytes.length;
  }

  /** Copies a row, for which there is room. */
  add(key: Uint8Array, value: Uint8Array): void {
    this.addParts(key, 0, key.length, value, 0, value.length);
  }

  /** The same of a row whose key and value are parts of arrays. */
  addParts(
    keys: Uint8Array,
    keyFrom: number,
    keyTo: number,
    values: Uint8Array,
    valueFrom: number,
    valueTo: number,
  ): void {
    assert(this.hasRoom(keyTo - keyFrom + valueTo - valueFrom), "a row fits, or it would be cut");
    if (this.#rows === this.#keyEnds.length) this.#grow();
    this.#copy(keys, keyFrom, keyTo);
    this.#keyEnds[this.#rows] = this.#used;
    this.#copy(values, valueFrom, valueTo);
    this.#valueEnds[this.#rows++] = this.#used;
  }

  /** A call to copy a few bytes costs more than to copy them. */
  #copy(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes;
    let at = this.#used;
    this.#used += to - from;
    if (to - from > SHORT_COPY) bytes.set(source.subarray(from, to), at);
    else for (let i = from; i < to; i++) bytes[at++] = source[i] as number;
  }

  /** All of it, in arrays that may change hands: nothing is added any more. */
  take(): SortableRows {
    assert(this.#rows > 0, "a table has a row");
    return {
      bytes: new Uint8Array(this.#bytes.buffer, 0, this.#used),
      keyEnds: this.#keyEnds.slice(0, this.#rows),
      valueEnds: this.#valueEnds.slice(0, this.#rows),
    };
  }

  #grow(): void {
    const [keyEnds, valueEnds] = [this.#keyEnds, this.#valueEnds];
    this.#keyEnds = new Uint32Array(2 * this.#rows);
    this.#valueEnds = new Uint32Array(2 * this.#rows);
    this.#keyEnds.set(keyEnds);
    this.#valueEnds.set(valueEnds);
  }
}
