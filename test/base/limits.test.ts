import { expect, test } from "vitest";
import { assertLimits, LIMITS, type Limits } from "../../src/base/limits.ts";

test("the limits hang together", () => {
  expect(() => assertLimits()).not.toThrow();
});

const BROKEN: readonly (readonly [string, Partial<Limits>])[] = [
  ["a payload may be collected while its batch can land", { catalogGcFloorMs: 600_000 }],
  ["a tombstone is forgotten while a request can land", { tombstoneLifeMs: 900_000 }],
  ["a tombstone that landed late is forgotten while one can", { tombstoneLifeMs: 1_200_000 }],
  ["a receipt is forgotten while its batch can land", { receiptLifeMs: 1_000_000 }],
  ["a default page is larger than any page", { pageSizeDefault: 5_000 }],
  ["a limit is no number", { batchOps: Number.NaN }],
  ["a limit is zero", { guards: 0 }],
];

test.each(BROKEN)("the start is refused where %s", (_what, change) => {
  expect(() => assertLimits({ ...LIMITS, ...change })).toThrow(
    expect.objectContaining({ code: "ASSERTION_FAILED" }),
  );
});
