import { assert } from "../../base/assert.ts";
import type { Cursor } from "../format/cursor.ts";
import {
  assertSequence,
  DELETE,
  EXPIRES,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  MERGE,
  PUT,
  type Sequence,
} from "../format/entry.ts";
import { keyScratch, textInto } from "../format/key-bytes.ts";
import { RangeMap } from "../format/range-map.ts";
import { LSM_LIMITS } from "../limits.ts";
import { fromOfBytes, toOfBytes } from "../range.ts";
import { BatchWalk, checkBatch, EXPIRY_BYTES, KINDS } from "../wal/batch.ts";
import { writeUint53 } from "../wal/integers.ts";
import { MemtableCursor } from "./cursor.ts";
import { MemtableRows, NONE, type Room } from "./rows.ts";
import { MemtableTree, type Place } from "./tree.ts";

const END_PLACE: Place = { leaf: NONE, index: 0 };

/** A version as `get` answers it. `value` may be kept. */
export interface Found {
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly value: Uint8Array;
  /** 0 where it does not expire. */
  readonly expiresAtMs: number;
}

/** Of a version, where it is neither a plain put nor a deletion. */
interface Extras {
  readonly operator?: number;
  readonly expiresAtMs?: number;
}

/** As entries have it, of an operation on a key. */
function kindOf({ kind, expires }: BatchWalk): Kind {
  if (kind === KINDS.delete) return DELETE;
  const plain = kind === KINDS.put ? PUT : MERGE;
  return (expires ? plain | EXPIRES : plain) as Kind;
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
  #holders = 0;
  #toldBytes = 0;
  #ranges: RangeMap | undefined;

  /** Room for the payload of a batch: a caller that fills it calls `addBatch` next, or nothing. */
  room(bytes: number): Room {
    assert(!this.#frozen, "a frozen memtable takes no write");
    return this.#rows.room(bytes);
  }

  /** Takes in a batch whose payload was written into its room; `sequence` is its first one. */
  addBatch(room: Room, bytes: number, sequence: Sequence): void {
    this.take(room, bytes);
    this.addTaken(room, bytes, sequence);
  }

  /** Keeps what was written into a room, to be taken in by `addTaken`, with what follows. */
  take(room: Room, bytes: number): void {
    this.#rows.take(room, bytes);
  }

  /** Takes in the operations of bytes that were kept; answers how many there were. */
  addTaken(room: Room, bytes: number, sequence: Sequence): number {
    assertSequence(sequence);
    const walk = new BatchWalk(room.bytes, room.at, room.at + bytes);
    let next = sequence;
    for (; walk.next(); next++) {
      const { kind, keyAt, valueAt, end } = walk;
      if (kind === KINDS.deleteRange) {
        const from = fromOfBytes(room.bytes.subarray(keyAt, valueAt));
        this.addRange(from, toOfBytes(room.bytes.subarray(valueAt, end)), next);
      } else if (kind !== KINDS.ingest) {
        const stored = kindOf(walk);
        this.#add(next, stored, room.chunk, keyAt, valueAt - keyAt, end - valueAt, walk.operator);
      }
    }
    return next - sequence;
  }

  /**
   * Takes in a batch as a log holds it, by a copy of its payload.
   *
   * @throws FirnError `Corrupt`, code `WAL_BATCH_CORRUPT`, and nothing happened.
   */
  addPayload(payload: Uint8Array, count: number, sequence: Sequence): void {
    checkBatch(payload, count);
    assertSequence(sequence + count);
    const room = this.room(payload.length);
    room.bytes.set(payload, room.at);
    this.addBatch(room, payload.length, sequence);
  }

  /**
   * Adds one version, copying its value. Its sequence is above that of every version of the
   * key; a deletion has no value; nothing is added once frozen. Asserted: the caller's own fault.
   */
  add(
    key: Key,
    sequence: Sequence,
    kind: Kind,
    value: Uint8Array,
    { operator = 0, expiresAtMs = 0 }: Extras = {},
  ): void {
    assertSequence(sequence);
    const expires = (kind & EXPIRES) !== 0;
    assert(!expires || expiresAtMs > 0, "what expires does so at some time");
    const before = expires ? EXPIRY_BYTES : 0;
    const bytes = before + key.length + value.length;
    const room = this.room(bytes);
    if (expires) writeUint53(room.bytes, expiresAtMs, room.at);
    const keyAt = room.at + before;
    room.bytes.set(value, keyAt + textInto(room.bytes, keyAt, key));
    this.#rows.take(room, bytes);
    this.#add(sequence, kind, room.chunk, keyAt, key.length, value.length, operator);
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
    operator: number,
  ): void {
    assert(
      keyBytes > 0 && keyBytes <= LSM_LIMITS.keyBytes,
      "invalid key: it must have 1 to 65,535 bytes",
    );
    assert(valueBytes <= LSM_LIMITS.valueBytes, "a value has up to 16 MiB");
    assert(kind !== DELETE || valueBytes === 0, "a deletion has no value");
    const row = this.#rows.add(sequence, kind, chunk, keyAt, keyBytes, valueBytes, operator);
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
    const kind = rows.kind(row);
    const expiresAtMs = kind > PUT ? rows.expiresAtMs(row) : 0;
    return { sequence: rows.sequence(row), kind, value: rows.keptValue(row), expiresAtMs };
  }

  /** Of the newest version of a key; 0: there is none. */
  newestSequence(key: Key): Sequence {
    const rows = this.#rows;
    if (rows.count === 0) return 0;
    const row = this.#tree.get(keyScratch(key), 0, key.length);
    return row === NONE ? 0 : rows.sequence(row);
  }

  /** Whether it has a version of a key, which is bytes [from, to) of an array. */
  holds(key: Uint8Array, from: number, to: number): boolean {
    return this.#rows.count > 0 && this.#tree.get(key, from, to) !== NONE;
  }

  /**
   * Shows the key of each version that is newer than a sequence, as bytes [from, to) of an array,
   * newest first, until `visit` answers true; range tombstones are not among them.
   */
  someAfter(
    sequence: Sequence,
    visit: (source: Uint8Array, from: number, to: number, sequence: Sequence) => boolean,
  ): boolean {
    const rows = this.#rows;
    for (let row = rows.count - 1; row >= 0; row--) {
      const found = rows.sequence(row);
      if (found <= sequence) return false;
      if (visit(rows.source(row), rows.keyStart(row), rows.keyEnd(row), found)) return true;
    }
    return false;
  }

  /**
   * Of bytes that a cursor has shown, what a caller may keep; undefined where they are not this
   * memtable's.
   */
  kept(source: Uint8Array, from: number, to: number): Uint8Array | undefined {
    return this.#rows.has(source.buffer) ? this.#rows.kept(source, from, to) : undefined;
  }

  /** Keys from `from` up to `to`, or to the end. */
  keysWithin(from: Key, to: Key | undefined): number {
    if (this.#rows.count === 0) return 0;
    const place = (key: Key): Place => {
      const found = { leaf: NONE, index: 0 };
      this.#tree.find(keyScratch(key), 0, key.length, found);
      return found;
    };
    const first = place(from);
    const keys = this.#tree.between(first, to === undefined ? END_PLACE : place(to));
    assert(first.leaf === NONE || keys >= 0, "a range does not end before it begins");
    return first.leaf === NONE ? 0 : keys;
  }

  /** Whether bytes that a cursor has shown are its own. */
  has(buffer: ArrayBufferLike): boolean {
    return this.#rows.has(buffer);
  }

  /** A reader holds it, until `letGo` is called as often. */
  hold(): void {
    this.#holders++;
  }

  /**
   * When the last one lets go, its memory is given back at once: left to the collector, what was
   * flushed would take as much as what is written. Any caller that reads it later fails.
   */
  letGo(): void {
    assert(this.#holders > 0, "only what is held is let go");
    if (--this.#holders > 0 || !this.#frozen) return;
    this.#tree.giveBack();
    this.#rows.giveBack();
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

  /** Whether it holds more memory than when this was last asked. */
  hasGrown(): boolean {
    const { memoryBytes } = this;
    if (memoryBytes === this.#toldBytes) return false;
    this.#toldBytes = memoryBytes;
    return true;
  }

  /** Memory that it holds; what a budget counts. */
  get memoryBytes(): number {
    const versions = this.#rows.memoryBytes + this.#tree.memoryBytes;
    return this.#ranges === undefined ? versions : versions + this.#ranges.memoryBytes;
  }
}
