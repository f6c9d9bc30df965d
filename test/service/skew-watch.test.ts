import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { SkewWatch } from "../../src/service/stores/skew-watch.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const HOUR_MS = 3_600_000;

/** A watch over a store that measures one skew after the other, or does not answer. */
function watching(...skews: readonly (number | Error)[]) {
  const clock = new VirtualClock();
  const told: unknown[] = [];
  let looks = 0;
  const measure = async (): Promise<number> => {
    const skew = skews[looks++] ?? 0;
    if (skew instanceof Error) throw skew;
    return skew;
  };
  const notify = (_text: string, facts: object) => void told.push(facts);
  const defects: unknown[] = [];
  const onDefect = (error: unknown) => void defects.push(error);
  const watch = new SkewWatch({ clock, measure, notify, onDefect });
  watch.start();
  return { clock, watch, told, defects, looks: () => looks };
}

const DRIFTED = expect.objectContaining({ kind: "Unavailable", code: "CLOCK_DRIFTED" });

test("a clock is looked at once an hour: seconds are told, minutes are not borne", async () => {
  const { clock, watch, told, looks } = watching(4_000, -6_000, 61_000, -61_000, 0);
  const close = () => {
    try {
      watch.assertClose();
      return "close";
    } catch (error) {
      return error;
    }
  };
  const seen: unknown[] = [];
  await clock.advance(HOUR_MS - 1);
  expect([looks(), close()]).toEqual([0, "close"]);
  for (let hour = 0; hour < 5; hour++) {
    await clock.advance(HOUR_MS);
    seen.push(close());
  }
  expect(looks()).toBe(5);
  expect(seen).toEqual(["close", "close", DRIFTED, DRIFTED, "close"]);
  expect(told).toEqual([-6_000, 61_000, -61_000].map((clockSkewMs) => ({ clockSkewMs })));
  await watch.stop();
  expect(clock.sleeping).toBe(0);
});

test("a store that does not answer changes nothing of what is known", async () => {
  const silent = new FirnError("Unavailable", "POINTERS_UNAVAILABLE", "no answer");
  const defect = new Error("a defect of ours");
  const { clock, watch, defects, looks } = watching(61_000, silent, defect, 0);
  for (const expected of [DRIFTED, DRIFTED, DRIFTED, undefined]) {
    await clock.advance(HOUR_MS);
    const assert = () => watch.assertClose();
    if (expected === undefined) expect(assert).not.toThrow();
    else expect(assert).toThrow(expected);
  }
  expect([looks(), defects]).toEqual([4, [defect]]);
  await watch.stop();
});
