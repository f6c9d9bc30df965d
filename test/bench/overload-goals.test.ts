import { expect, test } from "vitest";
import { judge, type OverloadFigures } from "../../bench/overload-goals.ts";

const GOOD: OverloadFigures = {
  operation: "load",
  peakPerSecond: 1_000,
  goodputPerSecond: 950,
  goodputOfPeak: 0.95,
  acceptedP99Ms: 100,
  shed: 500,
  shedP50Ms: 5,
  shedP99Ms: 30,
  recoveryMs: 500,
  errors: 0,
  peakCpuMs: 0.05,
  overloadCpuMs: 0.06,
  lagP50Ms: 1,
  lagP99Ms: 5,
};

const verdicts = (figures: Partial<OverloadFigures>) =>
  judge({ ...GOOD, ...figures })
    .map(({ verdict }) => verdict)
    .filter((verdict) => verdict !== "met");

test("figures within the goals meet every goal", () => {
  expect(judge(GOOD).length).toBeGreaterThan(0);
  expect(verdicts({})).toEqual([]);
});

test("each goal can be missed by itself, or nearly", () => {
  expect(verdicts({ goodputOfPeak: 0.85 })).toEqual(["near"]);
  expect(verdicts({ shedP50Ms: 39 })).toEqual(["near"]);
  for (const missed of [
    { goodputOfPeak: 0.79 },
    { acceptedP99Ms: 2_001 },
    { shedP50Ms: 41 },
    { recoveryMs: Number.POSITIVE_INFINITY },
    { goodputOfPeak: Number.NaN },
    { shed: 0 },
    { errors: 1 },
  ]) {
    expect([missed, verdicts(missed)]).toEqual([missed, ["missed"]]);
  }
});
