import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { FRAME_BYTES, MAX_CONTENT_BYTES } from "./block-frame.ts";
import { readU32 } from "./varint.ts";

/*
 * Frames (`block-frame.ts`) in bytes of which nothing tells where they begin. The end of a frame
 * says how long its content is. A frame that is stored as it is begins that far before; one that is
 * compressed begins with zstd's magic. Its checksum then proves it.
 */

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** A content is no shorter: a search for less would try every zero. */
const MIN_CONTENT_BYTES = 12;
/** Beginnings of compressed frames that may still end. */
const MOST_OPEN = 8;
/**
 * Bytes that are hashed for each byte that is searched, at most: values that look like the ends of
 * frames must not make a search take for ever.
 */
const HASHED_PER_BYTE = 64;

export interface FoundFrame {
  /** In the file. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Frames in `bytes`, which lie at `base` in the file, in order, none in another one.
 *
 * @param seed of the file (`fileSeed`).
 */
export function findFrames(bytes: Uint8Array, base: number, seed: number): readonly FoundFrame[] {
  return new FrameSearch(bytes, base, seed).run();
}

class FrameSearch {
  readonly #bytes: Uint8Array;
  readonly #base: number;
  readonly #seed: number;
  readonly #found: FoundFrame[] = [];
  /** Where the last frame ends. */
  #end = 0;
  /** Where compressed frames may begin. */
  #open: number[] = [];
  #left: number;

  constructor(bytes: Uint8Array, base: number, seed: number) {
    this.#bytes = bytes;
    this.#base = base;
    this.#seed = seed;
    this.#left = HASHED_PER_BYTE * bytes.length;
  }

  run(): readonly FoundFrame[] {
    const bytes = this.#bytes;
    const last = bytes.length - FRAME_BYTES;
    for (let at = 0; at <= last && this.#left > 0; at++) {
      const byte = bytes[at];
      if (byte === ZSTD_MAGIC[0] && this.#isMagic(at)) this.#begin(at);
      if (byte === 0) this.#tryPlain(at);
      else if (byte === 1) this.#tryPacked(at);
      // Where a frame ended the next one begins.
      if (this.#end > at) at = this.#end - 1;
    }
    return this.#found;
  }

  #isMagic(at: number): boolean {
    for (let i = 1; i < ZSTD_MAGIC.length; i++) {
      if (this.#bytes[at + i] !== ZSTD_MAGIC[i]) return false;
    }
    return true;
  }

  #begin(at: number): void {
    this.#open.push(at);
    // The oldest begins where the last frame ended, most likely.
    if (this.#open.length > MOST_OPEN) this.#open.splice(1, 1);
  }

  #tryPlain(at: number): void {
    const length = readU32(this.#bytes, at + 1);
    const start = at - length;
    if (length >= MIN_CONTENT_BYTES && start >= this.#end) this.#take(start, at);
  }

  #tryPacked(at: number): void {
    const length = readU32(this.#bytes, at + 1);
    if (length > MAX_CONTENT_BYTES) return;
    for (const start of this.#open) {
      // What is packed is shorter than what it was.
      if (at - start >= length || at <= start) continue;
      if (this.#take(start, at)) return;
    }
  }

  /** @param at of its codec. */
  #take(start: number, at: number): boolean {
    const sumAt = at + FRAME_BYTES - 4;
    assert(start >= this.#end && start < at, "no frame begins in another one");
    this.#left -= sumAt - start;
    const due = crc32(this.#bytes.subarray(start, sumAt), (this.#seed + this.#base + start) >>> 0);
    if (readU32(this.#bytes, sumAt) !== due) return false;
    this.#end = sumAt + 4;
    this.#open = [];
    this.#found.push({ offset: this.#base + start, bytes: this.#end - start });
    return true;
  }
}
