import { expect, test } from "vitest";
import { Pauses } from "../../src/base/pauses.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { sortedInTurns } from "../../src/base/sorted.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

/** Time that passes only when told to, and pauses that end only then. */
function ticking() {
  let nowMs = 0;
  const woken: (() => void)[] = [];
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: () => new Promise<void>((wake) => woken.push(wake)),
    pass: (ms: number) => {
      nowMs += ms;
    },
    wake: () => {
      for (const each of woken.splice(0)) each();
    },
  };
}

test("a loop pauses after a stretch of time, however few its steps were", async () => {
  const clock = ticking();
  const pauses = new Pauses(clock, 1_000);
  expect(pauses.step()).toBeUndefined();
  clock.pass(20);
  const pause = pauses.step();
  expect(pause).toBeDefined();
  clock.wake();
  await pause;
  expect(pauses.step()).toBeUndefined();
});

test("a loop pauses after its steps, however fast they were", async () => {
  const clock = ticking();
  const pauses = new Pauses(clock, 3);
  expect([pauses.step(), pauses.step()]).toEqual([undefined, undefined]);
  expect(pauses.step()).toBeDefined();
});

test("loops that share pauses wait together", async () => {
  const clock = ticking();
  const pauses = new Pauses(clock, 2);
  pauses.step();
  const both = [pauses.step(), pauses.step()];
  expect(both[0]).toBeDefined();
  expect(both[1]).toBe(both[0]);
  clock.wake();
  await Promise.all(both);
  expect(pauses.step()).toBeUndefined();
});

test("a long list is sorted in short turns", async () => {
  const prng = new SeededPrng(7);
  const items = Array.from({ length: 150_000 }, (_, at) => ({
    key: `k${Math.floor(prng.float() * 50_000)}`,
    at,
  }));
  const order = (a: { key: string }, b: { key: string }): number =>
    a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
  const expected = items.toSorted(order);
  const cost = await costOf(() =>
    sortedInTurns(items, order, new Pauses(new SystemClock(), 100_000)),
  );
  expect(cost.result).toEqual(expected);
  await expectShortTurns("a sort", cost);
});

test("short lists are sorted too", async () => {
  const order = (a: number, b: number): number => a - b;
  for (const length of [0, 1, 2, 4_096, 4_097, 12_289]) {
    const items = Array.from({ length }, (_, i) => (i * 7_919) % (length + 1));
    const found = await sortedInTurns(items, order, new Pauses(new SystemClock(), 1_000));
    expect(found).toEqual(items.toSorted(order));
  }
});
