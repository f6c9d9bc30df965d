import { expect, test } from "vitest";
import { casesOf, pointerKind } from "../support/pointer-kind.ts";
import { gatedBlobs, gatedPointers } from "./support/gate.ts";
import {
  APPEAR_AND_VANISH,
  AROUND,
  LIVES,
  NESTED_PAIR,
  RIVALS,
  SUCCESSORS,
  TOGETHER,
} from "./support/races.ts";
import { type Depth, EVERY_ORDER, explore, type Race, THOROUGH } from "./support/schedules.ts";

const STOPS = { pointers: gatedPointers, blobs: gatedBlobs };

const WITH_ENGINE: readonly Depth[] = [{ nodes: 2, sides: ["before"] }];

async function exploreAll(
  what: string,
  races: readonly Race[],
  depths: readonly Depth[],
): Promise<void> {
  let schedules = 0;
  const failures: string[] = [];
  const all = pointerKind() === "memory";
  for (const race of casesOf(races, 8, depths === THOROUGH ? 3 : 8)) {
    const explored = await explore(race, STOPS, all ? depths : WITH_ENGINE);
    schedules += explored.schedules;
    if (explored.failure !== undefined) failures.push(explored.failure);
  }
  console.log(`${what}: ${races.length} races, ${schedules} schedules`);
  expect(failures).toEqual([]);
}

test("a thing appears under a parent that vanishes: no order of calls leaves an orphan", () =>
  exploreAll("appear and vanish", APPEAR_AND_VANISH, THOROUGH));

test("two that want one name, location or table come to what some order of them comes to", () =>
  exploreAll("rivals", RIVALS, EVERY_ORDER));

test("two locations, one inside the other, are never both taken, and one of them is", () =>
  exploreAll("around", AROUND, EVERY_ORDER));

test("nor where both stand still and go on in any order", () =>
  exploreAll("nested pair", NESTED_PAIR, THOROUGH));

test("a name that comes to mean another thing is not taken for the old one", () =>
  exploreAll("successors", SUCCESSORS, EVERY_ORDER));

test("a transaction never takes one table for two, nor a former table for one in the way", () =>
  exploreAll("together", TOGETHER, EVERY_ORDER));

test("what was dropped comes back or goes for good, never both and never half", () =>
  exploreAll("lives", LIVES, EVERY_ORDER));
