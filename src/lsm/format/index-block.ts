import type { BloomFilter } from "./bloom.ts";
import { corrupt } from "./corrupt.ts";
import { isBefore, type Key, latin1Text, MAX_SEQUENCE, type Sequence } from "./entry.ts";
import { readVarint, writeVarint } from "./varint.ts";

/*
 * Content of an index: one entry for each of a row of adjacent frames, in their order.
 *
 *   bytes   what
 *   1       level: 0 the frames are data blocks, 1 they are index blocks of level 0
 *   varint  number of entries
 *   varint  offset of the first frame in the file
 *   n       entries
 *
 * An entry:
 *
 *   varint  bytes of the separator shared with the one before
 *   varint  bytes of the separator that follow
 *   varint  sequence of the separator
 *   varint  bytes of the frame; the next one begins where it ends
 *   n       rest of the separator
 *
 * Invariant: (separator, sequence) is at or after every entry of its frame and before every entry
 * of the next one, so separators ascend strictly in the engine's order.
 *
 * Example: two data blocks of 300 and 45 bytes, up to "b" and up to "ca", are 14 bytes:
 *
 *   00 02 00
 *   00 01 00 ac02 62
 *   00 02 00 2d 6361
 */

/** Objects of a decoded entry: a text, its place in four arrays. */
const ENTRY_WEIGHT = 60;

/** Separators and frames of a table, in memory as the look-up wants them. */
export class IndexBlock {
  readonly level: 0 | 1;
  readonly separators: readonly Key[];
  /** Of a part of an index: every key of its frames, where the table has filters in parts. */
  readonly filter: BloomFilter | undefined;
  readonly #sequences: Float64Array;
  /** One more than entries: the last one is where the last frame ends. */
  readonly #offsets: Float64Array;
  /** What all separators share; and of each of them the four bytes behind that, as a number. */
  readonly #shared: number;
  readonly #heads: Uint32Array;

  constructor(
    level: 0 | 1,
    separators: readonly Key[],
    sequences: Float64Array,
    offsets: Float64Array,
    filter?: BloomFilter,
  ) {
    this.level = level;
    this.filter = filter;
    this.separators = separators;
    this.#sequences = sequences;
    this.#offsets = offsets;
    const { length } = separators;
    this.#shared = commonLength(separators[0] ?? "", separators[length - 1] ?? "");
    this.#heads = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      this.#heads[i] = headAt(separators[i] as Key, this.#shared);
    }
  }

  get count(): number {
    return this.separators.length;
  }

  get weight(): number {
    let bytes = this.filter?.weight ?? 0;
    for (const separator of this.separators) bytes += separator.length + ENTRY_WEIGHT;
    return bytes;
  }

  offset(entry: number): number {
    return this.#offsets[entry] as number;
  }

  /** Bytes of a frame as stored. */
  bytes(entry: number): number {
    return (this.#offsets[entry + 1] as number) - (this.#offsets[entry] as number);
  }

  /** Where the frames of this index begin and end in the file. */
  get start(): number {
    return this.offset(0);
  }

  get end(): number {
    return this.#offsets[this.count] as number;
  }

  sequence(entry: number): Sequence {
    return this.#sequences[entry] as number;
  }

  /**
   * The first entry whose frame may hold something from (key, sequence) on; `count` if none.
   * Heads lie side by side, where each text would be its own place in memory.
   */
  find(key: Key, sequence: Sequence): number {
    const { separators } = this;
    const heads = this.#heads;
    const last = separators.length - 1;
    if (last < 0 || key < (separators[0] as Key)) return 0;
    if (key > (separators[last] as Key)) return last + 1;
    // Between two keys that share their first bytes are only keys that share them too.
    const head = headAt(key, this.#shared);
    let low = 0;
    let high = last + 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = heads[middle] as number;
      if (other < head || (other === head && this.#isBefore(middle, key, sequence))) {
        low = middle + 1;
      } else high = middle;
    }
    return low;
  }

  #isBefore(entry: number, key: Key, sequence: Sequence): boolean {
    const separator = this.separators[entry] as Key;
    return separator < key || (separator === key && this.sequence(entry) > sequence);
  }
}

/** Four bytes from an offset on as a number in their order; what is missing counts as zeros. */
function headAt(key: Key, at: number): number {
  let head = 0;
  for (let i = at; i < at + 4; i++) head = (head << 8) | (i < key.length ? key.charCodeAt(i) : 0);
  return head >>> 0;
}

function commonLength(a: Key, b: Key): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Collects separators and lengths of adjacent frames. */
export class IndexBuilder {
  readonly #level: 0 | 1;
  #first = 0;
  #last: Key = "";
  #count = 0;
  #body = Buffer.allocUnsafeSlow(1_024);
  #at = 0;

  constructor(level: 0 | 1) {
    this.#level = level;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of the content if it ended here, at most. */
  get bytes(): number {
    return this.#at + 16;
  }

  add(separator: Key, sequence: Sequence, offset: number, bytes: number): void {
    if (this.#count === 0) this.#first = offset;
    let shared = 0;
    while (shared < separator.length && separator[shared] === this.#last[shared]) shared++;
    this.#reserve(separator.length + 32);
    let at = writeVarint(this.#body, this.#at, shared);
    at = writeVarint(this.#body, at, separator.length - shared);
    at = writeVarint(this.#body, at, sequence);
    at = writeVarint(this.#body, at, bytes);
    at += this.#body.write(separator.slice(shared), at, "latin1");
    this.#at = at;
    this.#last = separator;
    this.#count++;
  }

  /** The content, and an empty builder again. */
  finish(): Uint8Array {
    const head = Buffer.alloc(32);
    head[0] = this.#level;
    let at = writeVarint(head, 1, this.#count);
    at = writeVarint(head, at, this.#first);
    const out = Buffer.concat([head.subarray(0, at), this.#body.subarray(0, this.#at)]);
    this.#at = 0;
    this.#count = 0;
    this.#last = "";
    return out;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#body.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#body.length * 2, this.#at + more));
    grown.set(this.#body.subarray(0, this.#at));
    this.#body = grown;
  }
}

/**
 * Reads the content of an index.
 *
 * @param start where its first frame has to begin, `end` where its last one has to end.
 * @param filter of its keys, if it is a part that has one.
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`: anything that breaks the invariant.
 */
export function readIndexBlock(
  bytes: Uint8Array,
  part: string,
  expected: { readonly level?: 0 | 1; readonly start?: number; readonly end?: number },
  filter?: BloomFilter,
): IndexBlock {
  const reader = new IndexReader(bytes, part, filter);
  const block = reader.read();
  const { level, start, end } = expected;
  const right =
    (level === undefined || block.level === level) &&
    (start === undefined || block.start === start) &&
    (end === undefined || block.end === end);
  if (!right) throw corrupt("sst", part, 0, "not the frames that it should name");
  return block;
}

class IndexReader {
  readonly #bytes: Uint8Array;
  readonly #part: string;
  readonly #filter: BloomFilter | undefined;
  #at = 1;
  /** Bytes of the separator before. */
  #key: Buffer = Buffer.allocUnsafeSlow(256);

  constructor(bytes: Uint8Array, part: string, filter: BloomFilter | undefined) {
    this.#bytes = bytes;
    this.#part = part;
    this.#filter = filter;
  }

  read(): IndexBlock {
    const level = this.#bytes[0];
    if (level !== 0 && level !== 1) throw this.#corrupt("unknown level");
    const count = this.#number();
    // An entry has four bytes at least, so no count makes arrays larger than its file.
    if (count === 0 || count > this.#bytes.length / 4) throw this.#corrupt("number of entries");
    const separators: Key[] = [];
    const sequences = new Float64Array(count);
    const offsets = new Float64Array(count + 1);
    offsets[0] = this.#number();
    let before = "";
    let beforeSequence: Sequence = MAX_SEQUENCE;
    for (let i = 0; i < count; i++) {
      const shared = this.#number();
      const fresh = this.#number();
      const sequence = this.#number();
      const bytes = this.#number();
      const end = this.#at + fresh;
      if (shared > before.length || end > this.#bytes.length || bytes === 0) {
        throw this.#corrupt("entry ends outside");
      }
      const separator = this.#separator(shared, end);
      if (i > 0 && !isBefore(before, beforeSequence, separator, sequence)) {
        throw this.#corrupt("out of order");
      }
      this.#at = end;
      separators.push(separator);
      sequences[i] = sequence;
      offsets[i + 1] = (offsets[i] as number) + bytes;
      before = separator;
      beforeSequence = sequence;
    }
    if (this.#at !== this.#bytes.length) throw this.#corrupt("more than its entries");
    if (!Number.isSafeInteger(offsets[count])) throw this.#corrupt("offsets out of range");
    return new IndexBlock(level, separators, sequences, offsets, this.#filter);
  }

  /** Of its bytes, not of two texts: a text of two parts is slow to compare. */
  #separator(shared: number, end: number): Key {
    const length = shared + end - this.#at;
    if (length > this.#key.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      grown.set(this.#key.subarray(0, shared));
      this.#key = grown;
    }
    this.#key.set(this.#bytes.subarray(this.#at, end), shared);
    return latin1Text(this.#key, 0, length);
  }

  #number(): number {
    const read = readVarint(this.#bytes, this.#at, this.#bytes.length);
    if (read === undefined) throw this.#corrupt("malformed number");
    this.#at = read.after;
    return read.value;
  }

  #corrupt(what: string): Error {
    return corrupt("sst", this.#part, this.#at, what);
  }
}

/**
 * A short text that is at or after `last` and before `next`: what an index keeps instead of a whole
 * key. `next` is greater than `last`.
 */
export function shortestSeparator(last: Key, next: Key): Key {
  let common = 0;
  while (common < last.length && last.charCodeAt(common) === next.charCodeAt(common)) common++;
  if (common === last.length) return last;
  if (common + 1 < next.length) return next.slice(0, common + 1);
  const between = last.charCodeAt(common) + 1;
  if (between < next.charCodeAt(common)) {
    return last.slice(0, common) + String.fromCharCode(between);
  }
  return last;
}
