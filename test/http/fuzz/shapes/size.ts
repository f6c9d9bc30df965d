import { type Prng, randomBelow } from "../../../../src/base/prng.ts";

/** Draws how large a hostile input is: half of the time large, else of any order of magnitude. */
export class Size {
  readonly #prng: Prng;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  /** An integer from 1 to `most`. */
  upTo(most: number): number {
    if (this.chance(0.5)) return Math.ceil(most * (0.25 + 0.75 * this.#prng.float()));
    return Math.max(1, Math.floor(Math.exp(this.#prng.float() * Math.log(most + 1))));
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[randomBelow(this.#prng, items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }

  chance(share: number): boolean {
    return this.#prng.float() < share;
  }
}

/** `count` texts made from their index, joined as the items of a JSON array or object. */
export function many(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(",");
}
