import { describe, expect, it } from "vitest";
import { asString, elementSteps, stringMapSteps } from "../../src/base/json-read.ts";
import { VALUES_AT_ONCE } from "../../src/base/steps.ts";

const MANY = 3 * VALUES_AT_ONCE + 1;

/** How many values are taken between one rest and the next, and behind the last. */
function stretches(steps: Iterator<unknown>, taken: () => number): readonly number[] {
  const out: number[] = [];
  let before = 0;
  for (;;) {
    const { done = false } = steps.next();
    out.push(taken() - before);
    before = taken();
    if (done) return out;
  }
}

describe("what a request holds many of", () => {
  it("is read in short stretches, where it is a list", () => {
    const list = Array.from({ length: MANY }, (_, i) => `v${i}`);
    const read: string[] = [];
    const steps = elementSteps(list, "body.list", asString, (each) => read.push(each));
    expect(stretches(steps, () => read.length)).toEqual([
      ...Array.from({ length: 3 }, () => VALUES_AT_ONCE),
      1,
    ]);
    expect(read).toEqual(list);
  });

  it("is read in short stretches, where it is a map", () => {
    const map = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, `v${i}`]));
    const steps = stringMapSteps(map, "body.map");
    let rests = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) rests++;
    expect(rests).toBe(3);
    expect(step.value).toEqual(new Map(Object.entries(map)));
  });
});
