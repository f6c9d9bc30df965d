import { assert } from "../../base/assert.ts";
import { giveBack } from "../../base/bytes.ts";
import { corrupt } from "./corrupt.ts";
import { EXPIRES, type Key, latin1Text, MERGE } from "./entry.ts";
import type { Ulid } from "./ulid.ts";
import { readU32, readU64 } from "./varint.ts";

/*
 * Content of a data block: entries in the engine's order, keys without the bytes they share with
 * the key before.
 *
 *   bytes  what
 *   8      base: sequence of the first entry
 *   n      entries
 *   4 r    offset of each restart point in the content
 *   4      r, the number of restart points
 *
 * An entry:
 *
 *   varint  bytes shared with the key before; 0 at a restart point
 *   varint  bytes of the key that follow
 *   varint  bytes of the value
 *   1       kind in the lower half (0 delete, 1 put, 2 merge), flags in the upper one (0x10 a put
 *           or merge that expires; 0x20 the value is the id of a large one: kept for later)
 *   varint  sequence - base, signed: 0, -1, 1, -2 stand as 0, 1, 2, 3
 *   varint  only where it expires: ms since the epoch, above 0
 *   1       only of a merge: number of its operator
 *   n       rest of the key
 *   n       value
 *
 * Every 16th entry is a restart point. Fixed integers have their lowest byte first; varints are in
 * `varint.ts`. Invariant: (key ascending, sequence descending) holds strictly.
 *
 * Example: put("apple", 7, "red"), delete("apple", 5), put("apply", 9, ""), and a merge of "x" into
 * "b" by operator 2 at 8 that expires at 300 are 50 bytes:
 *
 *   0700000000000000
 *   00 05 03 01 00 6170706c65 726564
 *   05 00 00 00 03
 *   04 01 00 01 04 79
 *   00 01 01 12 02 ac02 02 62 78
 *   08000000 01000000
 */

const HEADER_BYTES = 8;
/** The block's objects, and a text for each restart point once it has been searched. */
const OBJECT_BYTES = 256;
const RESTART_KEY_BYTES = 64;

/**
 * The content of one data block, shared by every cursor on it.
 *
 * Who keeps it in memory holds it. When the last one lets go, and the memory is its own, that is
 * given back at once; unless it was lent, to who moves over it or has views of it for as long as
 * he likes: then it is left to the collector.
 */
export class DataBlock {
  bytes: Uint8Array;
  /** Where the entries end. */
  readonly end: number;
  readonly restarts: number;
  readonly base: number;
  /** Offset of the frame in its file: names the block in errors. */
  readonly fileOffset: number;
  /** A look-up was here before. One that comes once is mostly the last before it is evicted. */
  wasSearched = false;
  /** All of its entries were found to be in order. */
  isChecked = false;
  readonly #table: Ulid | undefined;
  readonly #restartKeys: (Key | undefined)[];
  readonly #isOwn: boolean;
  #isLent = false;
  #holders = 0;

  /**
   * @param bytes the content (`openFrame`); never changed afterwards.
   * @param table whose block it is: names the file in errors.
   * @param isOwn nothing else refers to any of the memory that `bytes` lie in.
   * @param shift what is added to the sequences of its entries.
   * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`.
   */
  constructor(bytes: Uint8Array, fileOffset: number, table?: Ulid, isOwn = false, shift = 0) {
    this.bytes = bytes;
    this.#isOwn = isOwn;
    this.fileOffset = fileOffset;
    this.#table = table;
    if (bytes.length < HEADER_BYTES + 8) throw this.corrupt(0, "cut short");
    const base = readU64(bytes, 0);
    const restarts = readU32(bytes, bytes.length - 4);
    const end = bytes.length - 4 * (restarts + 1);
    if (base === undefined) throw this.corrupt(0, "sequence out of range");
    if (restarts === 0 || end <= HEADER_BYTES) throw this.corrupt(bytes.length - 4, "restarts");
    this.base = base + shift;
    this.restarts = restarts;
    this.end = end;
    this.#restartKeys = new Array<Key | undefined>(restarts);
    this.#checkRestarts();
  }

  /** What it costs to keep it in memory. */
  get weight(): number {
    return this.bytes.length + OBJECT_BYTES + this.restarts * RESTART_KEY_BYTES;
  }

  /** A cache keeps it in memory, until `letGo` is called as often. */
  hold(): void {
    assert(!this.isGone, "what was given back is read again");
    this.#holders++;
  }

  letGo(): void {
    assert(this.#holders > 0, "only what is held is let go");
    if (--this.#holders > 0 || this.#isLent || !this.#isOwn) return;
    giveBack(this.bytes);
    this.bytes = undefined as never;
  }

  /** It is read, or views of it are, by those who do not hold it. */
  lend(): void {
    assert(!this.isGone, "what was given back is read again");
    this.#isLent = true;
  }

  /** Its memory was given back: any caller that reads it fails. */
  get isGone(): boolean {
    return this.bytes === undefined;
  }

  restartAt(restart: number): number {
    return readU32(this.bytes, this.end + 4 * restart);
  }

  /** Key of a restart point, read once. */
  restartKey(restart: number): Key {
    return this.#restartKeys[restart] ?? this.#readRestartKey(restart);
  }

  corrupt(offset: number, what: string): Error {
    return corrupt("sst", `data block at ${this.fileOffset}`, offset, what, this.#table);
  }

  /** Restart points ascend from the first entry, so that whatever follows one lies within. */
  #checkRestarts(): void {
    let before = HEADER_BYTES - 1;
    for (let i = 0; i < this.restarts; i++) {
      const at = this.restartAt(i);
      const right = i === 0 ? at === HEADER_BYTES : at > before && at < this.end;
      if (!right) throw this.corrupt(this.end + 4 * i, "restart point out of place");
      before = at;
    }
  }

  #readRestartKey(restart: number): Key {
    const at = this.restartAt(restart);
    if (this.bytes[at] !== 0) throw this.corrupt(at, "a restart point shares nothing");
    // The length behind it: keys are at most three varint bytes long.
    let p = at + 1;
    let length = 0;
    for (let scale = 1; scale <= 128 * 128; scale *= 128) {
      const byte = this.bytes[p++] ?? 0;
      length += (byte & 127) * scale;
      if (byte < 128) break;
    }
    // Of the value's length, the sequence and an expiry only the ends matter here.
    p = this.#varintEnd(at, p);
    const kind = this.bytes[p] ?? 0;
    p = this.#varintEnd(at, p + 1);
    if ((kind & EXPIRES) !== 0) p = this.#varintEnd(at, p);
    if ((kind & 0x0f) === MERGE) p++;
    if (p + length > this.end) throw this.corrupt(at, "key ends outside the entries");
    const key = latin1Text(this.bytes, p, p + length);
    this.#restartKeys[restart] = key;
    return key;
  }

  #varintEnd(entry: number, from: number): number {
    for (let p = from; ; p++) {
      const byte = this.bytes[p];
      if (byte === undefined) throw this.corrupt(entry, "entry cut short");
      if (byte < 128) return p + 1;
    }
  }
}
