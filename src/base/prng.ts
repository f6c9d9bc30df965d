/**
 * Randomness as the code above `runtime/` sees it: seeded in tests, the system's own in production.
 */
export interface Prng {
  /** `count` random bytes, in its own array. */
  bytes(count: number): Uint8Array;
  /** A float in [0, 1). */
  float(): number;
}

/** Random bytes drawn at once: a call to the system for each id would cost more than the id. */
const POOL_BYTES = 4_096;

/** Randomness fit for ids and secrets, of bytes that are drawn many at once. */
export class PooledPrng implements Prng {
  readonly #fill: (bytes: Uint8Array) => void;
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;

  /** `fill`: fills an array with random bytes. */
  constructor(fill: (bytes: Uint8Array) => void) {
    this.#fill = fill;
  }

  bytes(count: number): Uint8Array {
    if (count > POOL_BYTES) {
      const out = new Uint8Array(count);
      this.#fill(out);
      return out;
    }
    if (this.#used + count > POOL_BYTES) {
      this.#fill(this.#pool);
      this.#used = 0;
    }
    const end = this.#used + count;
    const out = this.#pool.slice(this.#used, end);
    // What was handed out is forgotten here, so that no later fault can hand it out again.
    this.#pool.fill(0, this.#used, end);
    this.#used = end;
    return out;
  }

  float(): number {
    const draw = Buffer.from(this.bytes(6)).readUIntBE(0, 6);
    return draw / 2 ** 48;
  }
}

/**
 * A small deterministic generator (sfc32, by Chris Doty-Humphrey, public domain) for tests,
 * simulations and jitter. Not for secrets.
 */
export class SeededPrng implements Prng {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let round = 0; round < 12; round++) this.uint32();
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  float(): number {
    return this.uint32() / 2 ** 32;
  }

  bytes(count: number): Uint8Array {
    const out = new Uint8Array(count);
    for (let i = 0; i < count; i++) out[i] = this.uint32() & 0xff;
    return out;
  }
}

/** An integer in [0, bound). */
export function randomBelow(prng: Prng, bound: number): number {
  return Math.floor(prng.float() * bound);
}
