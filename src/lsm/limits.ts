import { assert } from "../base/assert.ts";

/** Maxima and spans of time of the engine, each with its reason. */
export const LSM_LIMITS = {
  /** Default age before garbage collection may delete an object, and its floor. */
  gcMinAgeMs: 3_600_000,
  gcMinAgeFloorMs: 1_800_000,
  /** A key (its length fits 16 bits), and a value: it is read and written as a whole. */
  keyBytes: 65_535,
  valueBytes: 16_777_216,
  /** Longer values lie in objects apart: copying them in compactions costs more than a request. */
  inlineValueBytes: 32_768,
  /** References to values in one table: the ids are part of its tail. */
  apartInTable: 4_096,
  /** Checkpoints of a shard at once, readers' among them: each manifest lists them all. */
  checkpoints: 1_000,
  /** A reader's checkpoint expires so long after the reader last renewed it. */
  readerLifeMs: 600_000,
  /** Blocks in memory of a reader that is given no cache to share. */
  readerCacheBytes: 67_108_864,
  /** A shard's owner answers linearizable reads this long after its last epoch check. */
  leaseMs: 2_000,
  leaseSkewMarginMs: 500,
  takeoverWaitMs: 3_000,
} as const;

export type LsmLimits = { readonly [name in keyof typeof LSM_LIMITS]: number };

/** Asserts how they depend on each other. Runs at every open of a shard. */
export function assertLsmLimits(limits: LsmLimits = LSM_LIMITS): void {
  for (const [name, value] of Object.entries(limits)) {
    assert(Number.isSafeInteger(value) && value > 0, `limit ${name} is a positive integer`);
  }
  assert(limits.gcMinAgeMs >= limits.gcMinAgeFloorMs, "engine GC age is above its floor");
  assert(
    limits.leaseMs + limits.leaseSkewMarginMs <= limits.takeoverWaitMs,
    "the takeover wait must exceed the read lease",
  );
}
