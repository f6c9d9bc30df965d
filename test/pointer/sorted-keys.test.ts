import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedKeys } from "../../src/pointer/sorted-keys.ts";

const key = fc.stringMatching(/^[a-d%/-]{0,4}$/);
const step = fc.record({ add: fc.boolean(), key });

describe("SortedKeys", () => {
  test("is a sorted set, whatever is added and deleted", () => {
    const property = fc.property(fc.array(step, { maxLength: 300 }), key, (steps, start) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const { add, key } of steps) {
        if (add) keys.add(key);
        else keys.delete(key);
        if (add) model.add(key);
        else model.delete(key);
      }
      const sorted = [...model].toSorted();
      expect(keys.size).toBe(sorted.length);
      const after = sorted.filter((each) => each > start);
      expect(keys.page(start, false, 1_000)).toEqual(after);
      expect(keys.page(start, false, 3)).toEqual(after.slice(0, 3));
      expect(keys.page(start, true, 1_000)).toEqual(sorted.filter((each) => each >= start));
    });
    fc.assert(property, { numRuns: 200 });
  });

  test.each(["ascending", "descending", "scattered"])("splits and empties: %s", (order) => {
    const count = 5_000;
    const at = (i: number): number =>
      ({ ascending: i, descending: count - 1 - i, scattered: (i * 2_731) % count })[order] ?? i;
    const name = (i: number): string => `k${String(i).padStart(5, "0")}`;
    const keys = new SortedKeys();
    for (let i = 0; i < count; i++) keys.add(name(at(i)));
    const all = Array.from({ length: count }, (_, i) => name(i));
    expect(keys.page("", true, count)).toEqual(all);
    for (const start of [0, 511, 512, 513, 2_500, 4_999]) {
      expect(keys.page(name(start), false, 700)).toEqual(all.slice(start + 1, start + 701));
    }
    for (let i = 0; i < count; i += 2) keys.delete(name(at(i)));
    expect(keys.size).toBe(count / 2);
    for (let i = 1; i < count; i += 2) keys.delete(name(at(i)));
    expect([keys.size, keys.page("", true, 10)]).toEqual([0, []]);
  });
});
