import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import type { Cursor } from "./format/cursor.ts";
import {
  assertSequence,
  DELETE,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  PUT,
  type Sequence,
} from "./format/entry.ts";
import { keyScratch, textInto } from "./format/key-bytes.ts";
import { RangeMap } from "./format/range-map.ts";
import { MemtableCursor } from "./memtable-cursor.ts";
import { MemtableRows, NONE, type Room } from "./memtable-rows.ts";
import { MemtableTree } from "./memtable-tree.ts";
import { fromOfBytes, toOfBytes } from "./range.ts";
import { HEAD_BYTES } from "./wal/batch.ts";

/** An operation whose bytes lie in the payload of its batch. */
export type MemtableOp =
  | { readonly op: "put" | "delete"; readonly key: Uint8Array; readonly value?: Uint8Array }
  | { readonly op: "deleteRange"; readonly from: Uint8Array; readonly to: Uint8Array };

/** A version as `get` answers it. `value` is a view that is never written again. */
export interface Found {
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly value: Uint8Array;
}

/**
 * The newest writes of a shard in memory: the payloads of their batches, a row for each version in
 * them, a B+tree over the rows; none of it on the heap. One writer; cursors may read meanwhile.
 */
export class Memtable {
  readonly #rows: MemtableRows = new MemtableRows();
  readonly #tree: MemtableTree = new MemtableTree(this.#rows);
  #rawBytes = 0;
  #keys = 0;
  #deletions = 0;
  #minSequence: Sequence = MAX_SEQUENCE;
  #maxSequence: Sequence = 0;
  #frozen = false;
  #ranges: RangeMap | undefined;

  /** Room for the payload of a batch: whoever writes it there calls `addBatch` next, or nothing. */
  room(bytes: number): Room {
    assert(!this.#frozen, "a frozen memtable takes no write");
    return this.#rows.room(bytes);
  }

  /** Takes in a batch whose payload was written into its room; `sequence` is its first one. */
  addBatch(room: Room, ops: readonly MemtableOp[], bytes: number, sequence: Sequence): void {
    assertSequence(sequence + ops.length);
    this.#rows.take(room, bytes);
    let at = room.at;
    for (let i = 0; i < ops.length; i++) {
      const one = ops[i] as MemtableOp;
      const keyAt = at + HEAD_BYTES;
      if (one.op === "deleteRange") {
        this.addRange(fromOfBytes(one.from), toOfBytes(one.to), sequence + i);
        at = keyAt + one.from.length + one.to.length;
        continue;
      }
      const { op, key, value } = one;
      const kind = op === "put" ? PUT : DELETE;
      const valueBytes = value === undefined ? 0 : value.length;
      this.#add(sequence + i, kind, room.chunk, keyAt, key.length, valueBytes);
      at = keyAt + key.length + valueBytes;
    }
    assert(at === room.at + bytes, "operations fill their payload");
  }

  /**
   * Adds one version, copying `value[from, to)`. Its sequence is above that of every version of the
   * key; a deletion has no value; nothing is added once frozen. Asserted: the caller's own fault.
   */
  add(
    key: Key,
    sequence: Sequence,
    kind: Kind,
    value: Uint8Array,
    from = 0,
    to: number = value.length,
  ): void {
    assertSequence(sequence);
    assert(to >= from, "a value ends where it begins, or behind");
    const bytes = key.length + to - from;
    const room = this.room(bytes);
    const valueAt = room.at + textInto(room.bytes, room.at, key);
    room.bytes.set(value.subarray(from, to), valueAt);
    this.#rows.take(room, bytes);
    this.#add(sequence, kind, room.chunk, room.at, key.length, to - from);
  }

  /** Deletes all keys in [from, to). Its sequence is above every other one so far. */
  addRange(from: Key, to: Key, sequence: Sequence): void {
    assertSequence(sequence);
    assert(!this.#frozen, "a frozen memtable takes no write");
    this.#ranges ??= new RangeMap();
    this.#ranges.add(from, to, sequence);
    this.#noteSequence(sequence);
  }

  #add(
    sequence: Sequence,
    kind: Kind,
    chunk: number,
    keyAt: number,
    keyBytes: number,
    valueBytes: number,
  ): void {
    assert(keyBytes > 0 && keyBytes <= LIMITS.lsmKeyBytes, "a key has 1 to 65,535 bytes");
    assert(valueBytes <= LIMITS.lsmValueBytes, "a value has up to 16 MiB");
    assert(kind === PUT || (kind === DELETE && valueBytes === 0), "a deletion has no value");
    const row = this.#rows.add(sequence, kind, chunk, keyAt, keyBytes, valueBytes);
    const older = this.#tree.set(row);
    if (older === NONE) this.#keys++;
    else this.#rows.link(row, older);
    if (kind === DELETE) this.#deletions++;
    this.#rawBytes += keyBytes + valueBytes;
    this.#noteSequence(sequence);
  }

  #noteSequence(sequence: Sequence): void {
    if (sequence < this.#minSequence) this.#minSequence = sequence;
    if (sequence > this.#maxSequence) this.#maxSequence = sequence;
  }

  /** The newest version of a key that is not newer than `sequence`; a deletion is one too. */
  get(key: Key, sequence: Sequence = MAX_SEQUENCE): Found | undefined {
    const rows = this.#rows;
    if (rows.count === 0) return undefined;
    const bytes = keyScratch(key);
    const row = rows.atOrBefore(this.#tree.get(bytes, 0, key.length), sequence);
    if (row === NONE) return undefined;
    return { sequence: rows.sequence(row), kind: rows.kind(row), value: rows.value(row) };
  }

  /**
   * A cursor over all versions. It sees what is written while it lives: an entry ahead of it is
   * met, one behind is not. Bounded by a sequence (`VisibleCursor`), it reads a snapshot.
   */
  cursor(): Cursor {
    return new MemtableCursor(this.#tree, this.#rows);
  }

  /** No write any more; reads go on. */
  freeze(): void {
    this.#frozen = true;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Neither versions nor range tombstones. */
  get isEmpty(): boolean {
    return this.#rows.count === 0 && this.#ranges === undefined;
  }

  /** Range tombstones, if there are any. */
  get ranges(): RangeMap | undefined {
    return this.#ranges;
  }

  /** Versions of keys; range tombstones are not among them. */
  get entries(): number {
    return this.#rows.count;
  }

  get keys(): number {
    return this.#keys;
  }

  get deletions(): number {
    return this.#deletions;
  }

  /** Smallest and largest sequence; only where it is not empty. */
  get minSequence(): Sequence {
    return this.#minSequence;
  }

  get maxSequence(): Sequence {
    return this.#maxSequence;
  }

  /** Bytes of keys and values as given. */
  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Memory that it holds; what a budget counts. */
  get memoryBytes(): number {
    const versions = this.#rows.memoryBytes + this.#tree.memoryBytes;
    return this.#ranges === undefined ? versions : versions + this.#ranges.memoryBytes;
  }
}
