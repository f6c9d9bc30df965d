import { assert } from "../base/assert.ts";
import type { Kind, Sequence } from "./format/entry.ts";

/** No version: the end of a chain. */
export const NONE = -1;

const FIRST_ROWS = 64;
const FIRST_CHUNK_BYTES = 4 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
/** Sequence 8, older 4, newer 4, chunk 4, offset 4, length 4, kind 1. */
const ROW_BYTES = 29;
const SHORT_COPY = 48;

/**
 * Versions of all keys as rows of typed arrays, which cost no heap objects: each knows the next
 * older and the next newer one of its key. Values lie in chunks that are only ever appended to, so
 * a view of one stays good. Chunks start small: many idle shards cost little.
 */
export class MemtableVersions {
  #count = 0;
  #sequences = new Float64Array(FIRST_ROWS);
  #older = new Int32Array(FIRST_ROWS);
  #newer = new Int32Array(FIRST_ROWS);
  #chunkOf = new Uint32Array(FIRST_ROWS);
  #offsets = new Uint32Array(FIRST_ROWS);
  #lengths = new Uint32Array(FIRST_ROWS);
  #kinds = new Uint8Array(FIRST_ROWS);
  readonly #chunks: Uint8Array[] = [];
  #chunkBytes = 0;
  /** The chunk that small values go to, and how full it is. */
  #open = -1;
  #used = 0;

  get count(): number {
    return this.#count;
  }

  get memoryBytes(): number {
    return this.#chunkBytes + this.#sequences.length * ROW_BYTES;
  }

  /** A new row, in no chain yet. */
  add(sequence: Sequence, kind: Kind, value: Uint8Array, from: number, to: number): number {
    if (this.#count === this.#sequences.length) this.#grow();
    const version = this.#count;
    this.#sequences[version] = sequence;
    this.#older[version] = NONE;
    this.#newer[version] = NONE;
    this.#kinds[version] = kind;
    this.#place(version, value, from, to);
    this.#count++;
    return version;
  }

  /** Puts a version before the newest one of its key so far. */
  link(version: number, older: number): void {
    assert(this.sequence(version) > this.sequence(older), "versions of a key come in order");
    this.#older[version] = older;
    this.#newer[older] = version;
  }

  /** From the newest of a chain: the first that is not newer than `sequence`, or `NONE`. */
  atOrBefore(newest: number, sequence: Sequence): number {
    let version = newest;
    while (version !== NONE && this.sequence(version) > sequence) version = this.older(version);
    return version;
  }

  oldest(newest: number): number {
    let version = newest;
    for (let older = this.older(version); older !== NONE; older = this.older(older)) {
      version = older;
    }
    return version;
  }

  sequence(version: number): Sequence {
    return this.#sequences[version] as number;
  }

  kind(version: number): Kind {
    return this.#kinds[version] as Kind;
  }

  older(version: number): number {
    return this.#older[version] as number;
  }

  newer(version: number): number {
    return this.#newer[version] as number;
  }

  source(version: number): Uint8Array {
    return this.#chunks[this.#chunkOf[version] as number] as Uint8Array;
  }

  start(version: number): number {
    return this.#offsets[version] as number;
  }

  end(version: number): number {
    return this.start(version) + (this.#lengths[version] as number);
  }

  value(version: number): Uint8Array {
    return this.source(version).subarray(this.start(version), this.end(version));
  }

  #place(version: number, value: Uint8Array, from: number, to: number): void {
    const length = to - from;
    const chunk = this.#room(length);
    const at = chunk === this.#open ? this.#used : 0;
    const target = this.#chunks[chunk] as Uint8Array;
    if (length <= SHORT_COPY) {
      for (let i = 0; i < length; i++) target[at + i] = value[from + i] as number;
    } else {
      target.set(length === value.length ? value : value.subarray(from, to), at);
    }
    if (chunk === this.#open) this.#used += length;
    this.#chunkOf[version] = chunk;
    this.#offsets[version] = at;
    this.#lengths[version] = length;
  }

  /** A chunk with room: the open one, a new open one, or one for a large value alone. */
  #room(length: number): number {
    const open = this.#chunks[this.#open];
    if (open !== undefined && this.#used + length <= open.length) return this.#open;
    if (length > MAX_CHUNK_BYTES / 4) return this.#addChunk(length);
    const next = Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, this.#chunkBytes));
    this.#open = this.#addChunk(Math.max(next, length));
    this.#used = 0;
    return this.#open;
  }

  #addChunk(bytes: number): number {
    this.#chunkBytes += bytes;
    return this.#chunks.push(new Uint8Array(bytes)) - 1;
  }

  #grow(): void {
    const rows = this.#sequences.length * 2;
    this.#sequences = grown(this.#sequences, new Float64Array(rows));
    this.#older = grown(this.#older, new Int32Array(rows));
    this.#newer = grown(this.#newer, new Int32Array(rows));
    this.#chunkOf = grown(this.#chunkOf, new Uint32Array(rows));
    this.#offsets = grown(this.#offsets, new Uint32Array(rows));
    this.#lengths = grown(this.#lengths, new Uint32Array(rows));
    this.#kinds = grown(this.#kinds, new Uint8Array(rows));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
