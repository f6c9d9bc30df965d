import { randomFillSync } from "node:crypto";
import type { Prng } from "../base/prng.ts";

/** Random bytes drawn at once: a call to the system for each id would cost more than the id. */
const POOL_BYTES = 4_096;

/** The system's own randomness, fit for ids and secrets. */
export class SystemPrng implements Prng {
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;

  bytes(count: number): Uint8Array {
    if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count));
    if (this.#used + count > POOL_BYTES) {
      randomFillSync(this.#pool);
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
