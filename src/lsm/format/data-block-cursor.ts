import { assert } from "../../base/assert.ts";
import { keepShape } from "../../base/shape.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { EntryBytes } from "./cursor.ts";
import type { DataBlock } from "./data-block.ts";
import {
  APART,
  DELETE,
  EXPIRES,
  isKind,
  type Key,
  type Kind,
  latin1Text,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
  type ValueReference,
} from "./entry.ts";
import type { Drain } from "./packed-rows.ts";
import { decodeReference } from "./value-reference.ts";
import { readVarint } from "./varint.ts";

const SHORT_COPY = 48;
/** Of a key: it is not below the bound. */
const REACHED = -2;
/** Entries behind one that was found in which the next key is looked for at once. */
const NEAR = 16;
const NO_BYTES = new Uint8Array(0);

/**
 * Moves over the entries of one data block without making an object for each. Every step checks
 * that the entry lies inside the block and comes after the one before, so that a block with a right
 * checksum and wrong content ends in `Corrupt` too.
 *
 * Moves answer whether the cursor stands on an entry.
 */
export class DataBlockCursor implements EntryBytes {
  readonly keyStart = 0;
  #block: DataBlock | undefined;
  #bytes: Uint8Array = NO_BYTES;
  #end = 0;
  #base = 0;
  /** Offsets of the entry, and behind it. */
  #at = 0;
  #after = 0;
  /** Header of the entry. */
  #shared = 0;
  #keyAt = 0;
  #valueAt = 0;
  #scratch = 0;
  /** Bytes of the entry's key; behind `#keyText` while a backward walk goes on. */
  #key: Uint8Array = Buffer.allocUnsafe(256);
  #keyLength = 0;
  #keyText: Key | undefined;
  #keyBehind = false;
  /** Entries of the stretch between two restart points that a backward walk is in. */
  readonly #stretchAt: number[] = [];
  readonly #stretchKeys: Key[] = [];
  #stretchIndex = -1;
  /** The key that it was brought to by `find`, while it stands there. */
  #found: Key | undefined;

  sequence: Sequence = 0;
  kind: Kind = DELETE;
  operator = 0;
  expiresAtMs = 0;

  /** Starts on another block, before its first entry. */
  reset(block: DataBlock): void {
    this.#block = block;
    this.#bytes = block.bytes;
    this.#end = block.end;
    this.#base = block.base;
    this.#rewind(block.restartAt(0));
  }

  get key(): Key {
    this.#keyText ??= latin1Text(this.#key, 0, this.#keyLength);
    return this.#keyText;
  }

  /** Itself, as the bytes of the current key. */
  get entry(): EntryBytes {
    if (this.#keyBehind) this.#catchUp();
    return this;
  }

  get keySource(): Uint8Array {
    return this.#key;
  }

  get keyEnd(): number {
    return this.#keyLength;
  }

  get valueSource(): Uint8Array {
    return this.#bytes;
  }

  get valueStart(): number {
    return this.#valueAt;
  }

  get valueEnd(): number {
    return this.#after;
  }

  first(): boolean {
    this.#rewind(this.#blockNow().restartAt(0));
    return this.next();
  }

  last(): boolean {
    const block = this.#blockNow();
    this.#fillStretch(block.restarts - 1, this.#end);
    return this.#intoStretch(this.#stretchAt.length - 1);
  }

  /** To the first entry at or after (key, sequence). */
  seek(key: Key, sequence: Sequence): boolean {
    const block = this.#blockNow();
    // The last restart point whose key is smaller: the entry lies behind it, or is the first.
    let low = 0;
    let high = block.restarts - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (block.restartKey(middle) < key) low = middle;
      else high = middle - 1;
    }
    this.#rewind(block.restartAt(low));
    let matched = 0;
    while (this.next()) {
      // What is shared beyond the match compares as before: smaller.
      if (this.#shared > matched) continue;
      matched = this.#match(key, this.#shared);
      const most = Math.min(this.#keyLength, key.length);
      if (matched < most) {
        if ((this.#key[matched] as number) > key.charCodeAt(matched)) return true;
      } else if (this.#keyLength > key.length) return true;
      else if (this.#keyLength === key.length && this.sequence <= sequence) return true;
    }
    return false;
  }

  /** The key that `find` brought it to, while it stands there. */
  get foundKey(): Key | undefined {
    return this.#found;
  }

  /**
   * To the newest version of a key that is not newer than `sequence`, as `seek`; false where there
   * is none. In a block that was checked it puts no key together on its way.
   */
  find(key: Key, sequence: Sequence): boolean {
    const block = this.#blockNow();
    if (!block.isChecked) {
      if (!block.wasSearched) {
        block.wasSearched = true;
        return this.seek(key, sequence) && this.key === key;
      }
      for (let goesOn = this.first(); goesOn; ) goesOn = this.next();
      block.isChecked = true;
    }
    const near = this.#found;
    if (near !== undefined && key > near) {
      // A neighbour, mostly: keys that are asked for together often lie together.
      const isThere = this.#findFrom(this.#after, commonLength(near, key), key, sequence, NEAR);
      if (isThere !== undefined) return isThere;
    }
    let low = 0;
    let high = block.restarts - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (block.restartKey(middle) < key) low = middle;
      else high = middle - 1;
    }
    return this.#findFrom(block.restartAt(low), 0, key, sequence, this.#end) === true;
  }

  /**
   * @param from where an entry begins, and in how many bytes the key before it, which is smaller,
   *   agrees with the key.
   * @returns undefined where it is not among so many entries, and may come behind them.
   */
  #findFrom(
    from: number,
    agreed: number,
    key: Key,
    sequence: Sequence,
    most: number,
  ): boolean | undefined {
    const bytes = this.#bytes;
    const end = this.#end;
    let matched = agreed;
    let at = from;
    this.#found = undefined;
    for (let left = most; at < end; left--) {
      if (left === 0) return undefined;
      const entry = at;
      let shared = bytes[at] as number;
      let p = at + 5;
      let fresh = p + (bytes[at + 1] as number);
      const size = bytes[at + 2] as number;
      // Mostly every number is one byte, and the kind is plain.
      const isShort = (shared | (fresh - p) | size | (bytes[at + 4] as number)) < 128;
      if (isShort && (bytes[at + 3] as number) <= PUT) at = fresh + size;
      else {
        this.#header(at);
        shared = this.#shared;
        p = this.#keyAt;
        fresh = this.#valueAt;
        at = this.#after;
      }
      // What is shared beyond the match compares as before: smaller.
      if (shared > matched) continue;
      matched = shared;
      while (p < fresh && matched < key.length && bytes[p] === key.charCodeAt(matched)) {
        p++;
        matched++;
      }
      if (p < fresh) {
        if (matched === key.length || (bytes[p] as number) > key.charCodeAt(matched)) return false;
      } else if (matched === key.length) {
        this.#header(entry);
        if (this.sequence > sequence) continue;
        this.#stand(key);
        return true;
      }
    }
    return false;
  }

  /** On the entry that was read last, whose key is known. */
  #stand(key: Key): void {
    this.#found = key;
    this.#keyText = key;
    this.#keyBehind = true;
    this.#stretchIndex = -1;
  }

  next(): boolean {
    const at = this.#after;
    if (at >= this.#end) return false;
    if (this.#keyBehind) this.#catchUp();
    const before = this.#keyLength;
    const beforeSequence = this.sequence;
    this.#header(at);
    const shared = this.#shared;
    const length = shared + this.#valueAt - this.#keyAt;
    if (!(shared <= before) || length > LSM_LIMITS.keyBytes || length === 0) {
      throw this.#corrupt("key length");
    }
    this.#isOlderThan(this.#key, 0, before, beforeSequence);
    this.#copyKey(length);
    return true;
  }

  /** Packs entries of the block: see `Cursor.drain`. */
  drain(into: Drain): void {
    if (this.#keyBehind) this.#catchUp();
    const { rows, skips, snapshot, deletedAt, before } = into;
    const most = skips ? Number.POSITIVE_INFINITY : into.most;
    // The key before lies where the next one goes, so that what both share is there already.
    let slot = rows.keyBytes;
    let length = this.#keyLength;
    let keys = rows.reserveKeys(slot + length);
    for (let i = 0; i < length; i++) keys[slot + i] = this.#key[i] as number;
    let from = slot;
    let matched = before === undefined ? -1 : matchOf(keys, slot, length, before);
    let { steps, isDecided } = into;
    while (rows.count < most && steps < into.mostSteps && this.#after < this.#end) {
      const [standing, sequence] = [this.#at, this.sequence];
      this.#header(this.#after);
      const shared = this.#shared;
      const next = shared + this.#valueAt - this.#keyAt;
      if (!(shared <= length) || next > LSM_LIMITS.keyBytes || next === 0) {
        throw this.#corrupt("key length");
      }
      const isOlder = this.#isOlderThan(keys, from, length, sequence);
      // What is shared beyond the match compares as before: smaller.
      if (!isOlder && shared <= matched) matched = this.#reach(before as Uint8Array, shared);
      if (!isOlder) isDecided = false;
      const isSeen = !isDecided && this.sequence <= snapshot;
      const isRow = isSeen && this.kind === PUT && this.sequence > deletedAt;
      if (this.kind > PUT || matched === REACHED || (skips && isRow)) {
        this.#header(standing);
        break;
      }
      if (slot + next > keys.length) keys = rows.reserveKeys(slot + next);
      for (let i = from === slot ? shared : 0; i < shared; i++) {
        keys[slot + i] = keys[from + i] as number;
      }
      this.#freshInto(keys, slot + shared);
      from = slot;
      length = next;
      steps++;
      isDecided ||= isSeen;
      into.isDecided = isDecided;
      if (!isRow) continue;
      const row = rows.count++;
      slot += length;
      rows.keyEnds[row] = slot;
      rows.valueStarts[row] = this.#valueAt;
      rows.valueEnds[row] = this.#after;
    }
    if (steps === into.steps) return;
    into.steps = steps;
    if (length > this.#key.length) this.#growKey(length);
    for (let i = 0; i < length; i++) this.#key[i] = keys[from + i] as number;
    this.#keyLength = length;
    this.#keyText = undefined;
  }

  /** See `Cursor.ahead`. */
  ahead(most: number): readonly ValueReference[] {
    const standing = this.#at;
    const found: ValueReference[] = [];
    for (let left = most; left > 0 && this.#after < this.#end; ) {
      this.#header(this.#after);
      if ((this.kind & APART) === 0) continue;
      const reference = decodeReference(this);
      left -= reference.bytes;
      if (left >= 0) found.push(reference);
    }
    this.#header(standing);
    return found;
  }

  prev(): boolean {
    if (this.#stretchIndex < 0) {
      const block = this.#blockNow();
      const restart = this.#restartBefore(block, this.#at);
      if (restart < 0) return false;
      this.#fillStretch(restart, this.#at);
      return this.#intoStretch(this.#stretchAt.length - 1);
    }
    if (this.#stretchIndex > 0) return this.#intoStretch(this.#stretchIndex - 1);
    this.#at = this.#stretchAt[0] as number;
    this.#stretchIndex = -1;
    return this.prev();
  }

  /** Before the entry at a restart point: it shares nothing, whatever stood there before. */
  #rewind(at: number): void {
    this.#found = undefined;
    this.#at = at;
    this.#after = at;
    this.#keyLength = 0;
    this.#keyText = undefined;
    this.#keyBehind = false;
    this.#stretchIndex = -1;
  }

  #header(at: number): void {
    const bytes = this.#bytes;
    let p = at;
    let shared = bytes[p++] as number;
    if (shared > 127) {
      shared = this.#wide(shared, p);
      p = this.#scratch;
    }
    let fresh = bytes[p++] as number;
    if (fresh > 127) {
      fresh = this.#wide(fresh, p);
      p = this.#scratch;
    }
    let size = bytes[p++] as number;
    if (size > 127) {
      size = this.#wide(size, p);
      p = this.#scratch;
    }
    const kind = bytes[p++] as number;
    let delta = bytes[p++] as number;
    if (delta > 127) {
      delta = this.#wide(delta, p);
      p = this.#scratch;
    }
    this.#at = at;
    if (kind > PUT) p = this.#more(kind, p);
    const valueAt = p + fresh;
    const after = valueAt + size;
    // Bytes that are missing make sums that compare with nothing, so the checks say what holds.
    if (!(after <= this.#end) || !(kind >= DELETE)) throw this.#corrupt("entry ends outside");
    const half = delta < 0x4000_0000 ? delta >>> 1 : Math.floor(delta / 2);
    const sequence = this.#base + (delta % 2 === 0 ? half : -half - 1);
    if (!(sequence >= 0)) throw this.#corrupt("sequence out of range");
    this.#shared = shared;
    this.#keyAt = p;
    this.#valueAt = valueAt;
    this.#after = after;
    this.kind = kind as Kind;
    this.sequence = sequence;
  }

  /** What follows the sequence of an entry that is not a plain put or deletion; answers its end. */
  #more(kind: number, from: number): number {
    if (!isKind(kind)) throw this.#corrupt("unknown kind");
    let p = from;
    this.expiresAtMs = 0;
    this.operator = 0;
    if ((kind & EXPIRES) !== 0) {
      const expiry = readVarint(this.#bytes, p, this.#end);
      if (expiry === undefined || expiry.value === 0) throw this.#corrupt("time of expiry");
      this.expiresAtMs = expiry.value;
      p = expiry.after;
    }
    // Outside the entries it is refused with the value behind it.
    if (plainKind(kind) === MERGE) this.operator = this.#bytes[p++] ?? 0;
    return p;
  }

  /** The rest of a varint of more than one byte; `#scratch` is then the offset behind it. */
  #wide(first: number, from: number): number {
    const bytes = this.#bytes;
    let p = from;
    let value = first & 127;
    let scale = 128;
    for (let more = 1; more < 8; more++) {
      const byte = bytes[p++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) {
        this.#scratch = p;
        return value;
      }
      scale *= 128;
    }
    throw this.#corrupt("number too long");
  }

  /**
   * Whether it has the key of the entry before, whose bytes lie at an offset.
   *
   * @throws FirnError `Corrupt`: (key, sequence) does not come after the entry before.
   */
  #isOlderThan(key: Uint8Array, at: number, length: number, sequence: Sequence): boolean {
    const bytes = this.#bytes;
    let p = this.#keyAt;
    let i = at + this.#shared;
    const end = at + length;
    while (i < end && p < this.#valueAt && bytes[p] === key[i]) {
      i++;
      p++;
    }
    if (p < this.#valueAt) {
      if (i < end && (bytes[p] as number) <= (key[i] as number))
        throw this.#corrupt("out of order");
      return false;
    }
    if (i < end || this.sequence >= sequence) throw this.#corrupt("out of order");
    return true;
  }

  #copyKey(length: number): void {
    if (length > this.#key.length) this.#growKey(length);
    const key = this.#key;
    const bytes = this.#bytes;
    let p = this.#keyAt;
    if (this.#valueAt - p <= SHORT_COPY) {
      for (let i = this.#shared; i < length; i++) key[i] = bytes[p++] as number;
    } else {
      key.set(bytes.subarray(p, this.#valueAt), this.#shared);
    }
    this.#keyLength = length;
    this.#keyText = undefined;
  }

  /** The bytes of the key that it does not share, to an offset where there is room. */
  #freshInto(keys: Uint8Array, at: number): void {
    const bytes = this.#bytes;
    const [start, end] = [this.#keyAt, this.#valueAt];
    if (end - start > SHORT_COPY) {
      keys.set(bytes.subarray(start, end), at);
      return;
    }
    for (let p = start, to = at; p < end; p++, to++) keys[to] = bytes[p] as number;
  }

  /** Bytes in which the key and a bound agree, known to be `from` at least; or `REACHED`. */
  #reach(bound: Uint8Array, from: number): number {
    const bytes = this.#bytes;
    const end = this.#valueAt;
    let i = from;
    let p = this.#keyAt;
    while (p < end && i < bound.length && bytes[p] === bound[i]) {
      i++;
      p++;
    }
    const isBelow =
      p === end
        ? i < bound.length
        : i < bound.length && (bytes[p] as number) < (bound[i] as number);
    return isBelow ? i : REACHED;
  }

  #growKey(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#key.length * 2));
    grown.set(this.#key.subarray(0, this.#keyLength));
    this.#key = grown;
  }

  /** Units from `from` on in which the entry's key and `key` agree, `from` included. */
  #match(key: Key, from: number): number {
    const most = Math.min(this.#keyLength, key.length);
    let i = from;
    while (i < most && this.#key[i] === key.charCodeAt(i)) i++;
    return i;
  }

  /** The last restart point before an offset, or -1. */
  #restartBefore(block: DataBlock, offset: number): number {
    let low = -1;
    let high = block.restarts - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (block.restartAt(middle) < offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Reads a stretch forwards once, so that each step back is a look-up. */
  #fillStretch(restart: number, end: number): void {
    this.#rewind(this.#blockNow().restartAt(restart));
    this.#stretchAt.length = 0;
    this.#stretchKeys.length = 0;
    while (this.#after < end && this.next()) {
      this.#stretchAt.push(this.#at);
      this.#stretchKeys.push(this.key);
    }
    if (this.#after !== end) throw this.#corrupt("restart point inside an entry");
  }

  #intoStretch(index: number): boolean {
    this.#stretchIndex = index;
    this.#header(this.#stretchAt[index] as number);
    this.#keyText = this.#stretchKeys[index];
    this.#keyBehind = true;
    return true;
  }

  /** From a backward walk to a forward one: the bytes of the key are needed again. */
  #catchUp(): void {
    this.#found = undefined;
    const text = this.key;
    if (text.length > this.#key.length) this.#growKey(text.length);
    this.#keyLength = text.length;
    for (let i = 0; i < text.length; i++) this.#key[i] = text.charCodeAt(i);
    this.#keyBehind = false;
    this.#stretchIndex = -1;
  }

  #blockNow(): DataBlock {
    const block = this.#block;
    assert(block !== undefined, "a cursor is reset to a block before it moves");
    return block;
  }

  #corrupt(what: string): Error {
    return this.#blockNow().corrupt(this.#at, what);
  }
}

/** Bytes in which a key and a bound above it agree. */
function matchOf(keys: Uint8Array, at: number, length: number, bound: Uint8Array): number {
  const most = Math.min(length, bound.length);
  let i = 0;
  while (i < most && keys[at + i] === bound[i]) i++;
  return i;
}

function commonLength(a: Key, b: Key): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

keepShape(new DataBlockCursor());
