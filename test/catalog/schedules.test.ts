import { expect, test } from "vitest";
import { gatedBlobs, gatedPointers } from "./support/gate.ts";
import { APPEAR_AND_VANISH, RIVALS, SUCCESSORS } from "./support/races.ts";
import { type Depth, explore, type Race } from "./support/schedules.ts";

const STOPS = { pointers: gatedPointers, blobs: gatedBlobs };

async function exploreAll(what: string, races: readonly Race[], depth: Depth): Promise<void> {
  let schedules = 0;
  const failures: string[] = [];
  for (const race of races) {
    const explored = await explore(race, STOPS, depth);
    schedules += explored.schedules;
    if (explored.failure !== undefined) failures.push(explored.failure);
  }
  console.log(`${what}: ${races.length} races, ${schedules} schedules`);
  expect(failures).toEqual([]);
}

test("a thing appears under a parent that vanishes: in whatever order the calls come, no orphan", () =>
  exploreAll("appear and vanish", APPEAR_AND_VANISH, { nodes: [1, 2], twoStops: true }));

test("two that want one name, location or table come to what some order of them comes to", () =>
  exploreAll("rivals", RIVALS, { nodes: [2] }));

test("a name that comes to mean another thing is not taken for the old one", () =>
  exploreAll("successors", SUCCESSORS, { nodes: [1, 2] }));
