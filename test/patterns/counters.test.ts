import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { COUNTER_SHAPE, Counters } from "../../src/patterns/counters.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(COUNTER_SHAPE);
});
afterEach(() => world.end());

const open = (cells = 4): Counters => new Counters(world.of(id), { cells });

describe("counters", () => {
  it("have the sum of what was added, over a restart and a fold", async () => {
    const counters = open();
    expect(await counters.get("a")).toBe(0n);
    await Promise.all([counters.add("a", 5), counters.add("a", -2n), counters.add("b")]);
    await world.at.reopen();
    const again = open(2);
    expect(await again.get("a")).toBe(3n);
    await again.add("a", 10);
    await again.fold("a");
    expect(await again.get("a")).toBe(13n);
    expect(await again.get("b")).toBe(1n);
    await again.fold("none");
    expect(await again.get("none")).toBe(0n);
  });

  it("answer a sum that is kept for as long as the caller takes it", async () => {
    const counters = open();
    await counters.add("a");
    expect(await counters.getCached("a", { maxAgeMs: 60_000 })).toBe(1n);
    await counters.add("a");
    expect(await counters.getCached("a", { maxAgeMs: 60_000 })).toBe(1n);
    expect(await counters.get("a")).toBe(2n);
  });

  it("refuse an add that does not fit, and no other of its group", async () => {
    const counters = open(1);
    await counters.add("a", 2n ** 63n - 10n);
    const told = await Promise.all([
      codeOf(counters.add("a", 5n)),
      codeOf(counters.add("a", 6n)),
      codeOf(counters.add("b", 7n)),
      codeOf(counters.add("b", 2n ** 63n)),
      codeOf(counters.add("b", 0.5)),
      codeOf(counters.add("", 1)),
    ]);
    const wrong = "PATTERN_VALUE_INVALID";
    const over = "COUNTER_OVERFLOW";
    expect(told).toEqual(["done", over, "done", over, wrong, wrong]);
    expect(await counters.get("a")).toBe(2n ** 63n - 5n);
    expect(await counters.get("b")).toBe(7n);
  });

  it.each([1, 2, 3, 4])("lose no add beside folds and reads, seed %i", async (seed) => {
    const dice = new Dice(seed);
    // Two processes' worth of them over one table, which write the same cells.
    const all = [open(3), open(5)];
    const pick = (): Counters => all[dice.below(2)] as Counters;
    const sums = new Map<string, bigint>();
    const add = async (): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const name = `counter-${dice.below(3)}`;
        const n = BigInt(dice.below(100) - 30);
        await pick().add(name, n);
        sums.set(name, (sums.get(name) ?? 0n) + n);
        await dice.pause();
      }
    };
    const fold = async (): Promise<void> => {
      for (let i = 0; i < 6; i++) {
        await pick().fold(`counter-${dice.below(3)}`);
        await pick().get("counter-0");
      }
    };
    await Promise.all([...Array.from({ length: 16 }, add), fold()]);
    await world.at.reopen();
    for (const [name, sum] of sums) expect(await open().get(name)).toBe(sum);
    expect(world.at.rows.locked).toBe(0);
  });
});
