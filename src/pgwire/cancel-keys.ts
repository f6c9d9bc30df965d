import type { Prng } from "../base/prng.ts";

interface Held {
  readonly secret: number;
  readonly cancel: () => void;
}

/**
 * The number and the secret by which a client cancels a statement of its connection over another
 * one. A wrong secret is not answered, and takes as long as a right one.
 */
export class CancelKeys {
  readonly #prng: Prng;
  readonly #held = new Map<number, Held>();
  #last = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
  }

  get size(): number {
    return this.#held.size;
  }

  add(cancel: () => void): { readonly pid: number; readonly secret: number } {
    do this.#last = (this.#last % 0x7fff_ffff) + 1;
    while (this.#held.has(this.#last));
    const secret = Buffer.from(this.#prng.bytes(4)).readInt32BE();
    this.#held.set(this.#last, { secret, cancel });
    return { pid: this.#last, secret };
  }

  /** @returns whether they are of a connection here. */
  cancel(pid: number, secret: number): boolean {
    const held = this.#held.get(pid);
    if (held === undefined || held.secret !== (secret | 0)) return false;
    held.cancel();
    return true;
  }

  delete(pid: number): void {
    this.#held.delete(pid);
  }
}
