import { assert } from "../../base/assert.ts";
import type { EntryBytes } from "./cursor.ts";
import { EXPIRES, MERGE, PUT, plainKind, type Sequence } from "./entry.ts";
import { MAX_VARINT_BYTES, writeU32, writeU64, writeVarint } from "./varint.ts";

/** Entries between two restart points. */
export const RESTART_INTERVAL = 16;

/** Room for all of an entry but key and value: lengths, kind, sequence, expiry, operator. */
const ENTRY_OVERHEAD = 5 * MAX_VARINT_BYTES + 2;
const HEADER_BYTES = 8;
/** Below this, a loop over the bytes is faster than a call into the runtime. */
const SHORT_COPY = 48;

/**
 * Encodes one data block after another into one buffer (layout: `data-block.ts`). Entries come in
 * the engine's order, which the caller sees to.
 */
export class DataBlockWriter {
  #bytes: Buffer;
  #at = HEADER_BYTES;
  #entries = 0;
  #base: Sequence = 0;
  readonly #restarts: number[] = [];

  constructor(targetBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(targetBytes * 2);
  }

  get entries(): number {
    return this.#entries;
  }

  /** Bytes of the block if it ended here. */
  get bytes(): number {
    return this.#at + 4 * (this.#restarts.length + 1);
  }

  /** Appends an entry, whose key shares its first `shared` bytes with the one before. */
  add(entry: EntryBytes, shared: number): void {
    const { keySource, keyStart, keyEnd, valueSource, valueStart, valueEnd } = entry;
    const valueBytes = valueEnd - valueStart;
    this.#reserve(keyEnd - keyStart + valueBytes + ENTRY_OVERHEAD);
    const target = this.#bytes;
    const { sequence } = entry;
    let from = keyStart;
    if (this.#entries % RESTART_INTERVAL === 0) {
      if (this.#entries === 0) this.#base = sequence;
      this.#restarts.push(this.#at);
    } else from += shared;
    let at = writeVarint(target, this.#at, from - keyStart);
    at = writeVarint(target, at, keyEnd - from);
    at = writeVarint(target, at, valueBytes);
    const { kind } = entry;
    target[at++] = kind;
    at = writeVarint(target, at, zigzag(sequence - this.#base));
    if (kind > PUT) {
      if ((kind & EXPIRES) !== 0) at = writeVarint(target, at, entry.expiresAtMs);
      if (plainKind(kind) === MERGE) target[at++] = entry.operator;
    }
    at = copyInto(target, at, keySource, from, keyEnd);
    this.#at = copyInto(target, at, valueSource, valueStart, valueEnd);
    this.#entries++;
  }

  /** The whole block: a view, good until the next `add`. Starts the next block. */
  finish(): Uint8Array {
    assert(this.#entries > 0, "a data block has entries");
    const restarts = this.#restarts.length;
    this.#reserve(4 * (restarts + 1));
    writeU64(this.#bytes, 0, this.#base);
    for (const restart of this.#restarts) {
      writeU32(this.#bytes, this.#at, restart);
      this.#at += 4;
    }
    writeU32(this.#bytes, this.#at, restarts);
    const block = this.#bytes.subarray(0, this.#at + 4);
    this.#at = HEADER_BYTES;
    this.#entries = 0;
    this.#restarts.length = 0;
    return block;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + more));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

/** Signed to unsigned, small to small: 0, -1, 1, -2 become 0, 1, 2, 3. Exact below 2^52. */
function zigzag(delta: number): number {
  return delta < 0 ? -2 * delta - 1 : 2 * delta;
}

/** Copies bytes [from, to); answers the offset behind them. */
function copyInto(out: Buffer, at: number, bytes: Uint8Array, from: number, to: number): number {
  if (to - from > SHORT_COPY) out.set(bytes.subarray(from, to), at);
  else for (let i = from; i < to; i++) out[at + i - from] = bytes[i] as number;
  return at + to - from;
}
