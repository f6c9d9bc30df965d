import { describe, expect, it } from "vitest";
import type { FaultKind } from "../faults.ts";
import { type Tally, verdictOf } from "./campaign.ts";
import { CAMPAIGNS } from "./campaigns.ts";

const TALLY: Tally = {
  told: { applied: 990, refused: 10, unknown: 0 },
  faults: new Map<FaultKind, number>(),
  requests: 2_000,
  lies: [],
};

describe("a campaign", () => {
  it("passes only with the truth told, for certain, and every answer given", () => {
    expect(verdictOf(TALLY)).toBeUndefined();
    for (const broken of [
      { lies: ["refused though applied: put-1"] },
      { told: { applied: 980, refused: 9, unknown: 11 } },
      { told: { applied: 1_000, refused: 0, unknown: 0 } },
    ]) {
      expect(verdictOf({ ...TALLY, ...broken })).toBeDefined();
    }
  });

  // A sample of `npm run test:ambiguity`, which runs them for longer and asks for 99 % definite.
  it.each(CAMPAIGNS)("over $name tells no lie", async (campaign) => {
    const tally = await campaign.run({ ops: 150, seed: 1 });
    expect(tally.lies).toEqual([]);
    const { applied, refused, unknown } = tally.told;
    expect(applied + refused + unknown).toBe(150);
    expect(Math.min(applied, refused)).toBeGreaterThan(0);
    expect(tally.faults.size).toBeGreaterThan(5);
  });
});
