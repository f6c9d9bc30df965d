import { assert } from "../../base/assert.ts";
import { ENTRY } from "../format/cursor.ts";
import { END_OF_KEYS, type Key, type Sequence } from "../format/entry.ts";
import { joinRanges, RangeMap } from "../format/range-map.ts";
import { Memtable } from "../memtable/memtable.ts";
import type { Bounds } from "../range.ts";
import { type BatchOp, writeOp } from "../wal/batch.ts";
import { PayloadBatch, type Prepared } from "../write/prepared.ts";
import { OwnKeys } from "./own-keys.ts";

/** Bytes of one chunk of the memtable: operations, one behind the other. */
interface Stretch {
  readonly chunk: number;
  readonly bytes: Buffer;
  readonly at: number;
  length: number;
}

/** How many operations there were, and how many bytes they had. */
export interface OwnMark {
  readonly count: number;
  readonly bytes: number;
}

/**
 * What a transaction has written: the payload of its batch, which grows operation by operation, and
 * a memtable over it, so that its keys are in order. Operations are numbered from 1 on; they come
 * into the memtable once anything is read, and never where nothing is.
 */
export class OwnWrites {
  #memtable = new Memtable();
  #stretches: Stretch[] = [];
  #count = 0;
  #bytes = 0;
  /** Operations that the memtable knows, and where the others begin. */
  #known = 0;
  #knownStretches = 0;
  #knownBytes = 0;
  /** From the first question on. */
  #keys: OwnKeys | undefined;
  /** As a snapshot sees what was deleted by ranges; by so many operations. */
  #deleted: { readonly through: number; readonly map: RangeMap | undefined } | undefined;

  constructor() {
    this.#memtable.hold();
  }

  get mark(): OwnMark {
    return { count: this.#count, bytes: this.#bytes };
  }

  /** Operations so far: the number of the newest. */
  get count(): number {
    return this.#count;
  }

  /** Of the payload. */
  get bytes(): number {
    return this.#bytes;
  }

  get memoryBytes(): number {
    return this.#memtable.memoryBytes + (this.#keys?.memoryBytes ?? 0);
  }

  /** Whether it may have written to a key; false is certain. */
  mayHold(key: Key): boolean {
    this.#keys ??= new OwnKeys();
    this.#keys.learn(this.#stretches);
    return this.#keys.mayHold(key);
  }

  /** As `mayHold`, of the key of a hash (`hashBytes`). */
  mayHoldHashed(a: number): boolean {
    this.#keys ??= new OwnKeys();
    this.#keys.learn(this.#stretches);
    return this.#keys.mayHoldHashed(a);
  }

  /** What was added since `mayHoldHashed` was asked is one put, of that key. */
  hasPut(a: number): void {
    this.#keys?.learnPut(a, this.#stretches);
  }

  /** Takes a copy of an operation, which is checked; `bytes`: `opBytes` of it. */
  add(op: BatchOp, bytes: number): void {
    const { chunk, bytes: room, at } = this.#room(bytes);
    const end = writeOp(room, at, op);
    assert(end === at + bytes, "an operation has the bytes that room was made for");
    this.#count++;
    this.#bytes += bytes;
    this.#extend(chunk, room, at, bytes);
  }

  /** With every operation so far. */
  get memtable(): Memtable {
    if (this.#known < this.#count) this.#learn();
    return this.#memtable;
  }

  /** The ranges that its operations up to one have deleted, as tombstones of a sequence. */
  deletedAt(sequence: Sequence, through: number): RangeMap | undefined {
    const { ranges } = this.memtable;
    if (ranges === undefined) return undefined;
    if (this.#deleted?.through !== through) {
      const fragments = joinRanges([ranges.fragments()], (operations) =>
        operations.some((operation) => operation <= through) ? [sequence] : [],
      );
      this.#deleted = { through, map: RangeMap.of(fragments) };
    }
    return this.#deleted?.map;
  }

  /** In order, without two that meet. */
  deletedRanges(): readonly Bounds[] {
    const { ranges } = this.memtable;
    if (ranges === undefined) return [];
    return joinRanges([ranges.fragments()], () => [1]).map(({ from, to }) => {
      return { from, to: to === END_OF_KEYS ? undefined : to };
    });
  }

  /** Each key that it has put, deleted or merged into, in order. */
  *keys(): Generator<Key> {
    const cursor = this.memtable.cursor();
    let before: Key | undefined;
    for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
      if (cursor.key !== before) yield cursor.key;
      before = cursor.key;
    }
  }

  /** Forgets what was written after a mark. Costs what was written up to it. */
  rollbackTo({ count, bytes }: OwnMark): void {
    assert(count <= this.#count && bytes <= this.#bytes, "a mark lies behind what was written");
    if (count === this.#count) return;
    const [memtable, stretches] = [this.#memtable, this.#stretches];
    this.#memtable = new Memtable();
    this.#memtable.hold();
    this.#stretches = [];
    this.#known = 0;
    this.#knownStretches = 0;
    this.#knownBytes = 0;
    this.#deleted = undefined;
    this.#keys = undefined;
    let left = bytes;
    for (const stretch of stretches) {
      const length = Math.min(left, stretch.length);
      if (length > 0) this.#copy(stretch.bytes.subarray(stretch.at, stretch.at + length));
      left -= length;
    }
    assert(left === 0, "what was written before a mark is still there");
    this.#count = count;
    this.#bytes = bytes;
    memtable.freeze();
    memtable.letGo();
  }

  /** All of it, in order, as one batch; good until `end`. */
  batch(): Prepared {
    assert(this.#count > 0, "a batch of nothing is not written");
    const pieces = this.#stretches.map(({ bytes, at, length }) => bytes.subarray(at, at + length));
    return new PayloadBatch(pieces, this.#count);
  }

  /** Gives its memory back, as soon as no scan reads it any more. */
  end(): void {
    this.#memtable.freeze();
    this.#memtable.letGo();
  }

  #room(bytes: number): { chunk: number; bytes: Buffer; at: number } {
    const room = this.#memtable.room(bytes);
    this.#memtable.take(room, bytes);
    return room;
  }

  #copy(piece: Uint8Array): void {
    const { chunk, bytes, at } = this.#room(piece.length);
    bytes.set(piece, at);
    this.#extend(chunk, bytes, at, piece.length);
  }

  #extend(chunk: number, bytes: Buffer, at: number, length: number): void {
    const last = this.#stretches.at(-1);
    if (last?.chunk === chunk && last.at + last.length === at) last.length += length;
    else this.#stretches.push({ chunk, bytes, at, length });
  }

  #learn(): void {
    for (let i = this.#knownStretches; i < this.#stretches.length; i++) {
      const { chunk, bytes, at, length } = this.#stretches[i] as Stretch;
      const from = i === this.#knownStretches ? this.#knownBytes : 0;
      if (from === length) continue;
      const room = { chunk, bytes, at: at + from };
      this.#known += this.#memtable.addTaken(room, length - from, this.#known + 1);
    }
    assert(this.#stretches.length > 0, "what is to be known was written somewhere");
    this.#knownStretches = this.#stretches.length - 1;
    this.#knownBytes = this.#stretches.at(-1)?.length ?? 0;
    assert(this.#known === this.#count, "the memtable knows every operation, each once");
  }
}
