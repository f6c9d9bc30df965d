import { randomFillSync } from "node:crypto";
import { PooledPrng } from "../base/prng.ts";

/** The system's own randomness, fit for ids and secrets. */
export class SystemPrng extends PooledPrng {
  constructor() {
    super(randomFillSync);
  }
}
