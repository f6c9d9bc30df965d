import { expect, test } from "vitest";
import { Pauses } from "../../src/base/pauses.ts";

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
