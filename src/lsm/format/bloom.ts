import { corrupt } from "./corrupt.ts";
import type { Key } from "./entry.ts";
import { readU32, writeU32 } from "./varint.ts";

/*
 * Content of a Bloom filter over the keys of a table (each once, whatever its versions).
 *
 *   bytes  what
 *   1      algorithm: 1
 *   1      probes a key, k
 *   2      0
 *   4      bits, m: a multiple of 8, at least 64
 *   m / 8  the bits; bit i is bit (i mod 8) of byte (i div 8)
 *
 * Algorithm 1: a and b are two 32-bit hashes of the key (`hashKey`), b made odd. Probe i, from 0,
 * is bit ((a + i b) mod 2^32) mod m. Integers have their lowest byte first.
 *
 * Example: the keys "a" and "b", 10 bits a key, are 16 bytes:
 *
 *   01 07 0000 40000000 480091040308a230
 */

const HEADER_BYTES = 8;
const ALGORITHM = 1;
const MIN_BITS = 64;
const MAX_PROBES = 30;

/** The two hashes of a key; one object, filled anew by each call of `hashKey`. */
const hashes = { a: 0, b: 0 };

/**
 * Two independent 32-bit hashes: MurmurHash3 (Austin Appleby, public domain) and the same scheme
 * with other constants, over words of four bytes. One hash split in two gives 1.28 % of false
 * answers at ten bits a key, two give 0.95 %. The answer is good until the next call.
 */
export function hashKey(key: Key): { readonly a: number; readonly b: number } {
  const length = key.length;
  const whole = length & ~3;
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  let i = 0;
  for (; i < whole; i += 4) {
    const low = key.charCodeAt(i) | (key.charCodeAt(i + 1) << 8);
    const word = low | (key.charCodeAt(i + 2) << 16) | (key.charCodeAt(i + 3) << 24);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  let rest = 0;
  for (let shift = 0; i < length; i++, shift += 8) rest |= key.charCodeAt(i) << shift;
  a = mixA(a, rest) ^ length;
  b = mixB(b, rest) ^ length;
  hashes.a = finish(a) >>> 0;
  hashes.b = (finish(b) | 1) >>> 0;
  return hashes;
}

/** As `hashKey`, of a key that lies in [from, to) of an array. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): typeof hashes {
  const length = to - from;
  const whole = from + (length & ~3);
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  let i = from;
  for (; i < whole; i += 4) {
    const low = (bytes[i] as number) | ((bytes[i + 1] as number) << 8);
    const word = low | ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  let rest = 0;
  for (let shift = 0; i < to; i++, shift += 8) rest |= (bytes[i] as number) << shift;
  a = mixA(a, rest) ^ length;
  b = mixB(b, rest) ^ length;
  hashes.a = finish(a) >>> 0;
  hashes.b = (finish(b) | 1) >>> 0;
  return hashes;
}

function mixA(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

function mixB(hash: number, word: number): number {
  let k = Math.imul(word, 0x239b961b);
  k = Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
  const h = hash ^ k;
  return (Math.imul((h << 17) | (h >>> 15), 5) + 0x561ccd1b) | 0;
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Collects the hashes of keys, eight bytes each; makes the filter once their number is known. */
export class BloomBuilder {
  readonly #bitsPerKey: number;
  #hashes = new Uint32Array(256);
  #count = 0;

  constructor(bitsPerKey: number) {
    this.#bitsPerKey = bitsPerKey;
  }

  /** Adds the key in [from, to) of an array. */
  add(key: Uint8Array, from: number, to: number): void {
    if (2 * this.#count === this.#hashes.length) {
      const grown = new Uint32Array(this.#hashes.length * 2);
      grown.set(this.#hashes);
      this.#hashes = grown;
    }
    const { a, b } = hashBytes(key, from, to);
    this.#hashes[2 * this.#count] = a;
    this.#hashes[2 * this.#count + 1] = b;
    this.#count++;
  }

  /** Bytes of the filter if no more keys came. */
  get bytes(): number {
    return HEADER_BYTES + this.#bits() / 8;
  }

  /** The filter, and an empty builder again. */
  finish(): Uint8Array {
    const bits = this.#bits();
    const probes = Math.max(1, Math.min(MAX_PROBES, Math.round(this.#bitsPerKey * Math.LN2)));
    const out = new Uint8Array(HEADER_BYTES + bits / 8);
    out[0] = ALGORITHM;
    out[1] = probes;
    writeU32(out, 4, bits);
    for (let i = 0; i < this.#count; i++) {
      let hash = this.#hashes[2 * i] as number;
      const step = this.#hashes[2 * i + 1] as number;
      for (let probe = 0; probe < probes; probe++) {
        const bit = hash % bits;
        const at = HEADER_BYTES + (bit >>> 3);
        out[at] = (out[at] as number) | (1 << (bit & 7));
        hash = (hash + step) >>> 0;
      }
    }
    this.#count = 0;
    return out;
  }

  #bits(): number {
    const wanted = Math.max(MIN_BITS, Math.ceil(this.#count * this.#bitsPerKey));
    return Math.ceil(wanted / 8) * 8;
  }
}

/** A filter as it was stored: "no" is certain, "yes" is wrong for about 1 % of absent keys. */
export class BloomFilter {
  readonly #bytes: Uint8Array;
  readonly #bits: number;
  readonly #probes: number;

  /** @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`. */
  constructor(bytes: Uint8Array) {
    const bits = bytes.length < HEADER_BYTES ? 0 : readU32(bytes, 4);
    const probes = bytes[1] ?? 0;
    const fits = bits >= MIN_BITS && bits % 8 === 0 && bytes.length === HEADER_BYTES + bits / 8;
    if (!fits || bytes[0] !== ALGORITHM || probes < 1 || probes > MAX_PROBES) {
      throw corrupt("sst", "filter", 0, "malformed");
    }
    this.#bytes = bytes;
    this.#bits = bits;
    this.#probes = probes;
  }

  get weight(): number {
    return this.#bytes.length;
  }

  mayContain(key: Key): boolean {
    const { a, b } = hashKey(key);
    return this.mayContainHashed(a, b);
  }

  /** As `mayContain`, of a key that was hashed once for many filters. */
  mayContainHashed(a: number, b: number): boolean {
    const bytes = this.#bytes;
    const bits = this.#bits;
    let hash = a;
    for (let probe = this.#probes; probe > 0; probe--) {
      const bit = hash % bits;
      if (((bytes[HEADER_BYTES + (bit >>> 3)] as number) & (1 << (bit & 7))) === 0) return false;
      hash = (hash + b) >>> 0;
    }
    return true;
  }
}
