import { expect, test } from "vitest";
import { APPEAR_AND_VANISH, RIVALS, SUCCESSORS } from "./support/races.ts";
import { EVERY_ORDER, explore } from "./support/schedules.ts";
import { SEEDED_BUGS, type SeededBug } from "./support/seeded-bugs.ts";

/** What the exploration says of a defect: the first schedule that shows it. */
async function firstFailure({ wrapping, rivals }: SeededBug): Promise<string | undefined> {
  const races = rivals === true ? [...RIVALS, ...SUCCESSORS] : APPEAR_AND_VANISH;
  for (const race of races) {
    const { failure } = await explore(race, wrapping, EVERY_ORDER);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

test.each(SEEDED_BUGS)("caught: $name", async (bug) => {
  const failure = await firstFailure(bug);
  console.log(`${bug.name}: ${failure?.split("\n")[0]}`);
  expect(failure).toBeDefined();
});
