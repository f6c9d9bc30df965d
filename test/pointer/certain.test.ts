import { afterAll, describe, expect, test } from "vitest";
import { commitCertain } from "../../src/pointer/certain.ts";
import { MUTANTS } from "./certain-mutants.ts";
import { RIVALS, runSchedule } from "./certain-schedules.ts";
import { explore } from "./explore.ts";

/** How many of an attempt's first calls suffer every fault: the more moves a rival has, the fewer. */
const FAULTY_CALLS: Readonly<Record<string, number>> = {
  none: 4,
  "commits under the same receipt": 3,
  "puts the same receipt": 3,
  "fences the same receipt": 3,
};

describe("commitCertain among faults", () => {
  let schedules = 0;
  afterAll(() => console.log(`${schedules} schedules of commitCertain explored`));

  for (const [name, moves] of Object.entries(RIVALS)) {
    test(`tells the truth on every schedule; the rival: ${name}`, async () => {
      const { runs, failure } = await explore((choices) =>
        runSchedule(choices, commitCertain, moves, FAULTY_CALLS[name] ?? 2),
      );
      schedules += runs;
      expect(failure).toBeUndefined();
      expect(runs).toBeGreaterThan(1_000);
    });
  }
});

describe("the checker catches a rule that", () => {
  for (const [name, { commit, caughtBy }] of Object.entries(MUTANTS)) {
    test(name, async () => {
      const blamed = new Set<string>();
      for (const moves of Object.values(RIVALS)) {
        await explore(async (choices) => {
          const reason = await runSchedule(choices, commit, moves, 2);
          if (reason !== undefined) blamed.add(reason);
          return blamed.has(caughtBy) ? reason : undefined;
        });
      }
      expect([...blamed]).toContain(caughtBy);
    });
  }
});
