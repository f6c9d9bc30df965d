import { expect, test } from "vitest";
import { assertLsmLimits, LSM_LIMITS, type LsmLimits } from "../../src/lsm/limits.ts";

test("the engine's limits are consistent with each other", () => {
  expect(() => assertLsmLimits()).not.toThrow();
});

const BROKEN: readonly (readonly [string, Partial<LsmLimits>])[] = [
  ["an object is collected below the floor", { gcMinAgeMs: 60_000 }],
  ["a takeover does not wait for the lease", { takeoverWaitMs: 1_000 }],
  ["a limit is not a number", { keyBytes: Number.NaN }],
  ["a limit is zero", { checkpoints: 0 }],
];

test.each(BROKEN)("a shard is not opened where %s", (_what, change) => {
  expect(() => assertLsmLimits({ ...LSM_LIMITS, ...change })).toThrow(
    expect.objectContaining({ code: "ASSERTION_FAILED" }),
  );
});
