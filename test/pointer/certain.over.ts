import { afterAll, describe, expect, test } from "vitest";
import { commitCertain, type Verdict } from "../../src/pointer/certain.ts";
import { RIVALS, runSchedule } from "./certain-schedules.ts";
import { explore } from "./explore.ts";

/** How many of an attempt's first calls suffer every fault: fewer where a rival moves more. */
const FAULTY_CALLS: Readonly<Record<string, number>> = {
  none: 3,
  "commits under the same receipt": 3,
  "puts the same receipt": 3,
  "fences the same receipt": 3,
};

/** Rivals whose receipt an attempt may be answered. */
const REPLAYING: ReadonlySet<string> = new Set([
  "commits under the same receipt",
  "puts the same receipt",
]);

describe("commitCertain among faults", () => {
  let schedules = 0;
  afterAll(() => console.log(`${schedules} schedules of commitCertain explored`));

  for (const [name, moves] of Object.entries(RIVALS)) {
    test(`tells the truth on every schedule; the rival: ${name}`, async () => {
      const seen = new Set<Verdict["verdict"]>();
      const { runs, failure } = await explore((choices) =>
        runSchedule(choices, commitCertain, moves, FAULTY_CALLS[name] ?? 2, seen),
      );
      schedules += runs;
      expect(failure).toBeUndefined();
      expect([...seen]).toEqual(expect.arrayContaining(["committed", "unknown"]));
      expect(seen.has("replayed")).toBe(REPLAYING.has(name));
      expect(runs).toBeGreaterThan(800);
    });
  }
});
