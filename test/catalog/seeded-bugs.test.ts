import { expect, test } from "vitest";
import { APPEAR_AND_VANISH, RIVALS, SUCCESSORS } from "./support/races.ts";
import { explore, type Race } from "./support/schedules.ts";
import { SEEDED_BUGS } from "./support/seeded-bugs.ts";
import type { Wrapping } from "./support/world.ts";

const RACES: readonly Race[] = [...APPEAR_AND_VANISH, ...RIVALS, ...SUCCESSORS];

/** What the exploration says of a defect: the first schedule that shows it. */
async function firstFailure(wrapping: Wrapping): Promise<string | undefined> {
  for (const race of RACES) {
    const { failure } = await explore(race, wrapping, { nodes: [2] });
    if (failure !== undefined) return failure;
  }
  return undefined;
}

test.each(SEEDED_BUGS)("caught: $name", async ({ name, wrapping }) => {
  const failure = await firstFailure(wrapping);
  console.log(`${name}: ${failure?.split("\n")[0]}`);
  expect(failure).toBeDefined();
});
