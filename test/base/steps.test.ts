import { expect, test } from "vitest";
import { type JsonValue, jsonSteps, parseJson, printJson } from "../../src/base/json.ts";
import { atOnce, inTurns, type Steps } from "../../src/base/steps.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf } from "../support/turns.ts";

function* counting(to: number, each: () => void): Steps<number> {
  for (let i = 0; i < to; i++) {
    each();
    yield;
  }
  return to;
}

function spin(ms: number): void {
  const began = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(began);
    if (user + system >= ms * 1_000) return;
  }
}

test("long work leaves the loop to others, and comes to the same as at once", async () => {
  const steps = () => counting(60, () => spin(5));
  const { result, longestTurnMs, cpuMs } = await costOf(() => inTurns(new SystemClock(), steps()));
  expect(result).toBe(60);
  expect(cpuMs).toBeGreaterThanOrEqual(300);
  expect(longestTurnMs).toBeLessThan(100);
  expect(atOnce(counting(3, () => undefined))).toBe(3);
});

test("what a step throws reaches the caller", async () => {
  const steps = counting(1, () => {
    throw new Error("refused");
  });
  await expect(inTurns(new SystemClock(), steps)).rejects.toThrow("refused");
});

test("json is printed in steps as at once", () => {
  const wide = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, [i]]));
  const flat = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${600 - i}`, "é\n"]));
  const values: JsonValue[] = [
    null,
    [],
    {},
    [[], {}, "x", 2n ** 60n],
    parseJson('{"9":{"b":1.0},"1":[{"x":[true]}],"a":-0}'),
    wide,
    flat,
    { deep: { deeper: [wide, flat, Array.from({ length: 1_000 }, (_, i) => ({ i, of: [i] }))] } },
  ];
  for (const value of values) expect(atOnce(jsonSteps(value)).join("")).toBe(printJson(value));
});
