/**
 * Randomness as the code above `runtime/` sees it: seeded in tests, the system's own in production.
 */
export interface Prng {
  /** `count` random bytes, in an array of its own. */
  bytes(count: number): Uint8Array;
  /** A float in [0, 1). */
  float(): number;
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
