import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import {
  DEDUPLICATION_SHAPE,
  Deduplication,
  type DeduplicationOptions,
} from "../../src/patterns/deduplication.ts";
import { rowsOf } from "../rows/support/open-rows.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

const WEEK = { ttlMs: 7_000, bucketMs: 1_000 };
let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(DEDUPLICATION_SHAPE);
});
afterEach(() => world.end());

const open = (options: DeduplicationOptions = WEEK): Deduplication =>
  new Deduplication(world.of(id), options);

/** Keys that the table holds, expired ones too. */
async function held(): Promise<readonly unknown[]> {
  return await world.at.rows.run(async (tx) => {
    const table = await tx.tables.get(id);
    const lower = { value: 0n, inclusive: true };
    return (await rowsOf(tx.scan(table, { lower }))).map(([, key]) => key);
  });
}

describe("deduplication", () => {
  it("tells one of many that a key is new", async () => {
    const told = await Promise.all(Array.from({ length: 50 }, () => open().first(["a", "b", "a"])));
    expect(told.filter(([a]) => a === true)).toHaveLength(1);
    expect(told.filter(([, b]) => b === true)).toHaveLength(1);
    expect(told.some(([, , again]) => again === true)).toBe(false);
  });

  it("forgets a key when its time is over, not before, over restarts", async () => {
    world.clock.ms += 999;
    expect(await open().first(["a"])).toEqual([true]);
    world.clock.ms += WEEK.ttlMs - 1;
    await world.at.reopen();
    await open().dropExpired();
    expect(await open().first(["a", "b"])).toEqual([false, true]);
    world.clock.ms += 1;
    expect(await open().first(["a", "b"])).toEqual([true, false]);
  });

  it("drops expired buckets, and no key that lives", async () => {
    for (let day = 0; day < 10; day++) {
      await open().first([`day-${day}`]);
      world.clock.ms += WEEK.bucketMs;
    }
    expect(await held()).toHaveLength(10);
    await open().dropExpired();
    await open().dropExpired();
    await world.at.reopen();
    expect(await held()).toEqual(Array.from({ length: 7 }, (_, i) => `day-${i + 3}`));
  });

  it("brings no key back to life where the clock goes back", async () => {
    expect(await open().first(["a"])).toEqual([true]);
    world.clock.ms += WEEK.ttlMs + 500;
    await open().dropExpired();
    expect(await open().first(["b"])).toEqual([true]);
    world.clock.ms -= 3_600_000;
    await world.at.reopen();
    expect(await open().first(["b", "c"])).toEqual([false, true]);
    expect(await open().first(["c"])).toEqual([false]);
  });

  it("refuses another width, and what is not a key", async () => {
    await open().first(["a"]);
    const other = open({ ttlMs: 7_000, bucketMs: 500 });
    expect(await codeOf(other.first(["a"]))).toBe("DEDUPLICATION_WIDTH_MISMATCH");
    expect(await codeOf(open().first([""]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(open().first([]))).toBe("PATTERN_VALUE_INVALID");
    expect(() => open({ ttlMs: 1_000, bucketMs: 1 })).toThrow("bucketMs");
  });

  it.each([1, 2, 3, 4])("agrees with a model, the clock going back too: %i", async (seed) => {
    const dice = new Dice(seed);
    const seen = new Map<string, number>();
    const bucketOf = (ms: number): number => Math.floor(ms / WEEK.bucketMs);
    let storedMs = 0;
    let forgotten = 0;
    for (let round = 0; round < 60; round++) {
      world.clock.ms += dice.below(1_500) - dice.below(700);
      const nowMs = Math.max(world.clock.ms, storedMs);
      const isDrop = dice.below(5) === 0;
      if (isDrop || bucketOf(storedMs) < bucketOf(nowMs)) storedMs = nowMs;
      if (dice.below(10) === 0) await world.at.reopen();
      const keys = Array.from({ length: 5 }, () => `k${dice.below(12)}`);
      const dropping = isDrop ? open().dropExpired() : undefined;
      const told = await Promise.all(keys.map((key) => open().first([key])));
      await dropping;
      for (const key of new Set(keys)) {
        const before = seen.get(key);
        const isNew = before === undefined || before <= nowMs - WEEK.ttlMs;
        const winners = told.filter(([won], i) => keys[i] === key && won === true);
        expect([round, key, winners.length]).toEqual([round, key, isNew ? 1 : 0]);
        if (isNew) seen.set(key, nowMs);
        if (isNew && before !== undefined) forgotten++;
      }
    }
    expect(forgotten).toBeGreaterThan(3);
    expect(world.at.rows.locked).toBe(0);
  });
});

describe("a delete of a range", () => {
  const SHAPE = {
    columns: [
      { name: "a", type: { kind: "int4" } },
      { name: "b", type: { kind: "int4" } },
    ],
    primaryKey: { parts: [{ column: "a" }, { column: "b" }] },
  } as const;

  it("deletes rows of the range alone, and those of its own transaction", async () => {
    const table = await world.table(SHAPE, "t");
    await world.at.rows.run(async (tx) => {
      const now = await tx.tables.get(table);
      await tx.insert(
        now,
        [1, 2, 3, 4].flatMap((a) => [1, 2].map((b) => [a, b])),
      );
    });
    await world.at.rows.run(async (tx) => {
      const now = await tx.tables.get(table);
      await tx.insert(now, [[2, 3]]);
      await tx.deleteRange(now, { equal: [2] });
      await tx.deleteRange(now, { lower: { value: 4, inclusive: true } });
      await tx.insert(now, [[2, 9]]);
    });
    await world.at.reopen();
    const left = await world.at.rows.run(async (tx) => rowsOf(tx.scan(await tx.tables.get(table))));
    expect(left).toEqual([
      [1, 1],
      [1, 2],
      [2, 9],
      [3, 1],
      [3, 2],
    ]);
  });

  it("is refused where an index has entries of the rows", async () => {
    const indexes = [{ name: "by_b", parts: [{ column: "b" }] }];
    const table = await world.table({ ...SHAPE, indexes }, "t");
    const deleting = world.at.rows.run(async (tx) =>
      tx.deleteRange(await tx.tables.get(table), {}),
    );
    expect(await codeOf(deleting)).toBe("ROW_RANGE_DELETE_UNSUPPORTED");
  });
});
