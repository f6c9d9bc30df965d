import { assert } from "../../base/assert.ts";
import { copyInto } from "../../base/bytes.ts";
import { textInto } from "../format/key-bytes.ts";
import { Drain, type PackedRows, RowRoom } from "../format/packed-rows.ts";
import type { Filling } from "./filling.ts";
import type { VisibleCursor } from "./merge-visible.ts";
import type { ReadView } from "./read-view.ts";

/** From so many rows on, a batch ends with its block: fewer are copied, with those that follow. */
const ENOUGH_ROWS = 16;
/** After a drain that brought little, so many rows come one by one. */
const REST_ROWS = 16;
const FIRST_VALUE_BYTES = 16_384;
const NO_BYTES = new Uint8Array(0);

/**
 * Packed rows on their way out. Values are left in their block while all lie in one: else, and
 * those of memtables, which are given back when they are flushed, they are put together here.
 */
export class PackedBatch implements Filling<PackedRows> {
  readonly #view: ReadView;
  readonly #rows: RowRoom;
  readonly #drain: Drain;
  readonly #keysOnly: boolean;
  #copies = false;
  #arena: Uint8Array = NO_BYTES;
  #arenaBytes = 0;
  #rest = 0;
  /** What is known to be no memtable's. */
  #block: ArrayBufferLike | undefined;

  constructor(view: ReadView, rows: number, keysOnly: boolean) {
    this.#view = view;
    this.#rows = new RowRoom(rows);
    this.#drain = new Drain(this.#rows);
    this.#keysOnly = keysOnly;
    if (!keysOnly) {
      this.#drain.keep = (row, source) => {
        this.#copies = true;
        this.#copy(row, source);
      };
    }
  }

  get length(): number {
    return this.#rows.count;
  }

  /** An empty batch, in the same room. */
  begin(most: number): void {
    this.#rows.count = 0;
    this.#drain.most = most;
    this.#copies = false;
    this.#arenaBytes = 0;
  }

  /** @returns false where the batch ends before the row, which lies elsewhere. */
  add(cursor: VisibleCursor): boolean {
    const { key, valueSource, valueStart, valueEnd } = cursor;
    if (!this.#takes(valueSource)) return false;
    const rows = this.#rows;
    const at = rows.keyBytes;
    const keys = rows.reserveKeys(at + key.length) as Buffer;
    const row = rows.count++;
    rows.keyEnds[row] = at + textInto(keys, at, key);
    rows.valueStarts[row] = valueStart;
    rows.valueEnds[row] = valueEnd;
    if (this.#copies) this.#copy(row, valueSource);
    return true;
  }

  fill(cursor: VisibleCursor): void {
    const rows = this.#rows;
    if (this.#rest > 0) {
      this.#rest--;
      return;
    }
    const before = rows.count;
    const source = cursor.drainSource;
    if (before === this.#drain.most || source === undefined) return;
    // The rows before lie in the same block, or their values are copied.
    if (before > 0 && !this.#copies && source !== rows.values && !this.#keysOnly) return;
    cursor.drain(this.#drain);
    if (rows.count - before < 4) this.#rest = REST_ROWS;
    if (this.#keysOnly || this.#drain.isKept) return;
    if (!this.#copies) rows.values = source;
    else for (let row = before; row < rows.count; row++) this.#copy(row, source);
  }

  rows(): PackedRows {
    assert(this.length <= this.#drain.most, "a batch holds no more rows than it was to");
    return this.#rows;
  }

  #takes(source: Uint8Array): boolean {
    const rows = this.#rows;
    if (this.#copies || this.#keysOnly) return true;
    const isFirst = rows.count === 0;
    if (!isFirst && source === rows.values) return true;
    if (rows.count >= ENOUGH_ROWS) return false;
    if (isFirst && !this.#isMemtable(source)) {
      rows.values = source;
      return true;
    }
    const before = rows.values;
    this.#copies = true;
    for (let row = 0; row < rows.count; row++) this.#copy(row, before);
    rows.values = this.#arena;
    return true;
  }

  #isMemtable(source: Uint8Array): boolean {
    const { buffer } = source;
    if (buffer === this.#block) return false;
    const { active, frozen } = this.#view;
    if (active.has(buffer) || frozen.some((memtable) => memtable.has(buffer))) return true;
    this.#block = buffer;
    return false;
  }

  #copy(row: number, source: Uint8Array): void {
    const rows = this.#rows;
    const start = rows.valueStarts[row] as number;
    const end = rows.valueEnds[row] as number;
    const at = this.#arenaBytes;
    const after = at + end - start;
    if (after > this.#arena.length) this.#grow(after);
    copyInto(this.#arena, at, source, start, end);
    rows.values = this.#arena;
    rows.valueStarts[row] = at;
    rows.valueEnds[row] = after;
    this.#arenaBytes = after;
  }

  #grow(bytes: number): void {
    const size = Math.max(bytes, 2 * this.#arena.length, FIRST_VALUE_BYTES);
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#arena.subarray(0, this.#arenaBytes));
    this.#arena = grown;
  }
}
