import { assert } from "../../base/assert.ts";
import { copyOf, giveBack } from "../../base/bytes.ts";
import { EXPIRES, type Key, type Kind, latin1Text, type Sequence } from "../format/entry.ts";
import { EXPIRY_BYTES } from "../wal/batch.ts";
import { readUint53 } from "../wal/integers.ts";

/** No version: the end of a chain. */
export const NONE = -1;

const FIRST_ROWS = 64;
const FIRST_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
/** A longer value is handed out as it lies here, and keeps its chunk. */
const MOST_COPIED_BYTES = 4_096;

/** Fields of a row, 32 bits each, so that it lies in one line of the processor's cache. */
const CHUNK = 0;
const KEY_AT = 1;
/** Length of the key in the lower half, then the kind, then the operator. */
const KEY_AND_KIND = 2;
const VALUE_BYTES = 3;
const OLDER = 4;
const NEWER = 5;
const SEQUENCE_LOW = 6;
const SEQUENCE_HIGH = 7;
const FIELDS = 8;

/** Where the bytes of a batch go. Good until the next room is made. */
export interface Room {
  readonly chunk: number;
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * Versions of all keys as rows of one typed array, which cost no heap objects: each knows where its
 * key and, right behind it, its value lie, and the next older and newer version of its key. Bytes
 * lie in chunks that are only ever appended to, so a view of one stays good. Chunks start small:
 * many idle shards cost little.
 *
 * What leaves for a caller is a copy, so that all of it can be given back at once; what is too long
 * for that is a view, whose chunk is left to the collector.
 */
export class MemtableRows {
  #count = 0;
  #fields = new Int32Array(FIRST_ROWS * FIELDS);
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  /** Memory that callers have views of, for as long as they like. */
  readonly #lent = new Set<ArrayBufferLike>();
  readonly #buffers = new Set<ArrayBufferLike>();
  /** The chunk that batches go to, and how full it is. */
  #open = -1;
  #used = 0;

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    return this.#chunkBytes + this.#fields.byteLength;
  }

  /**
   * Gives its memory back, but what callers have views of. Any caller that asks anything later
   * fails.
   */
  giveBack(): void {
    for (const chunk of this.#chunks) if (!this.#lent.has(chunk.buffer)) giveBack(chunk);
    giveBack(this.#fields);
    this.#chunks = undefined as never;
    this.#fields = undefined as never;
  }

  /** Makes room for a batch, which is taken by `take` once it is written there. */
  room(bytes: number): Room {
    const open = this.#chunks[this.#open];
    if (open !== undefined && this.#used + bytes <= open.length) {
      return { chunk: this.#open, bytes: open, at: this.#used };
    }
    // What is large has its own chunk, so that little of the open one is lost.
    const alone = bytes > MAX_CHUNK_BYTES / 4;
    const next = Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, this.#chunkBytes, bytes));
    const chunk = this.#addChunk(alone ? bytes : next);
    if (!alone) {
      this.#open = chunk;
      this.#used = 0;
    }
    return { chunk, bytes: this.#chunks[chunk] as Buffer, at: 0 };
  }

  take({ chunk, at }: Room, bytes: number): void {
    if (chunk !== this.#open) return;
    assert(at === this.#used, "room is taken in the order that it was made");
    this.#used += bytes;
  }

  /**
   * A new row, in no chain yet; its value lies right behind its key, its expiry, if it has one,
   * right before.
   */
  add(
    sequence: Sequence,
    kind: Kind,
    chunk: number,
    keyAt: number,
    keyBytes: number,
    valueBytes: number,
    operator: number,
  ): number {
    const row = this.#count++;
    let at = row * FIELDS;
    if (at === this.#fields.length) this.#grow();
    const fields = this.#fields;
    // In the order of the fields.
    fields[at++] = chunk;
    fields[at++] = keyAt;
    fields[at++] = keyBytes | (kind << 16) | (operator << 24);
    fields[at++] = valueBytes;
    fields[at++] = NONE;
    fields[at++] = NONE;
    fields[at++] = sequence;
    fields[at] = sequence / 0x1_0000_0000;
    return row;
  }

  /** Puts a version before the newest one of its key so far. */
  link(row: number, older: number): void {
    assert(this.sequence(row) > this.sequence(older), "versions of a key come in order");
    this.#fields[row * FIELDS + OLDER] = older;
    this.#fields[older * FIELDS + NEWER] = row;
  }

  /** From the newest of a chain: the first that is not newer than `sequence`, or `NONE`. */
  atOrBefore(newest: number, sequence: Sequence): number {
    let row = newest;
    while (row !== NONE && this.sequence(row) > sequence) row = this.older(row);
    return row;
  }

  oldest(newest: number): number {
    let row = newest;
    for (let older = this.older(row); older !== NONE; older = this.older(older)) row = older;
    return row;
  }

  sequence(row: number): Sequence {
    const low = this.#field(row, SEQUENCE_LOW) >>> 0;
    return this.#field(row, SEQUENCE_HIGH) * 0x1_0000_0000 + low;
  }

  kind(row: number): Kind {
    return ((this.#field(row, KEY_AND_KIND) >>> 16) & 0xff) as Kind;
  }

  operator(row: number): number {
    return this.#field(row, KEY_AND_KIND) >>> 24;
  }

  /** Of a version that expires it lies before the key, as in the log; else 0. */
  expiresAtMs(row: number): number {
    if ((this.kind(row) & EXPIRES) === 0) return 0;
    return readUint53(this.source(row), this.keyStart(row) - EXPIRY_BYTES);
  }

  older(row: number): number {
    return this.#field(row, OLDER);
  }

  newer(row: number): number {
    return this.#field(row, NEWER);
  }

  /** The chunk that key and value lie in. */
  source(row: number): Buffer {
    return this.#chunks[this.#field(row, CHUNK)] as Buffer;
  }

  keyStart(row: number): number {
    return this.#field(row, KEY_AT);
  }

  /** Behind the key, where the value begins. */
  keyEnd(row: number): number {
    return this.#field(row, KEY_AT) + (this.#field(row, KEY_AND_KIND) & 0xffff);
  }

  valueEnd(row: number): number {
    return this.keyEnd(row) + this.#field(row, VALUE_BYTES);
  }

  key(row: number): Key {
    return latin1Text(this.source(row), this.keyStart(row), this.keyEnd(row));
  }

  /** Whether the key of a row comes before another. */
  isBefore(row: number, key: Uint8Array): boolean {
    const source = this.source(row);
    const from = this.keyStart(row);
    const length = this.keyEnd(row) - from;
    const most = Math.min(length, key.length);
    let i = 0;
    while (i < most && source[from + i] === key[i]) i++;
    if (i === most) return length < key.length;
    return (source[from + i] as number) < (key[i] as number);
  }

  /** A view, good as long as the rows are. */
  value(row: number): Uint8Array {
    const { buffer, byteOffset } = this.source(row);
    return new Uint8Array(buffer, byteOffset + this.keyEnd(row), this.#field(row, VALUE_BYTES));
  }

  /** The same for a caller, who may keep it. */
  keptValue(row: number): Uint8Array {
    const source = this.source(row);
    const from = this.keyEnd(row);
    return this.kept(source, from, from + this.#field(row, VALUE_BYTES));
  }

  /** Of bytes that lie in a chunk: what a caller may keep. */
  kept(source: Uint8Array, from: number, to: number): Uint8Array {
    if (to - from <= MOST_COPIED_BYTES) return copyOf(source, from, to);
    this.#lent.add(source.buffer);
    return source.subarray(from, to);
  }

  /** Whether bytes lie in one of its chunks. */
  has(buffer: ArrayBufferLike): boolean {
    return this.#buffers.has(buffer);
  }

  #field(row: number, field: number): number {
    return this.#fields[row * FIELDS + field] as number;
  }

  #addChunk(bytes: number): number {
    this.#chunkBytes += bytes;
    const chunk = Buffer.allocUnsafeSlow(bytes);
    this.#buffers.add(chunk.buffer);
    return this.#chunks.push(chunk) - 1;
  }

  #grow(): void {
    const grown = new Int32Array(this.#fields.length * 2);
    grown.set(this.#fields);
    giveBack(this.#fields);
    this.#fields = grown;
  }
}
