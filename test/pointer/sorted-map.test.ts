import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedMap } from "../../src/pointer/sorted-map.ts";

const key = fc.stringMatching(/^[a-d%/-]{0,4}$/);
const step = fc.record({ add: fc.boolean(), key });

describe("SortedMap", () => {
  test("is in order, whatever is set and deleted", () => {
    const property = fc.property(fc.array(step, { maxLength: 300 }), key, (steps, start) => {
      const map = new SortedMap<number>();
      const model = new Map<string, number>();
      for (const [i, { add, key }] of steps.entries()) {
        if (add) map.set(key, i);
        else map.delete(key);
        if (add) model.set(key, i);
        else model.delete(key);
      }
      const sorted = [...model.keys()].toSorted();
      const stored = (each: string) => model.get(each);
      expect(map.size).toBe(sorted.length);
      const after = sorted.filter((each) => each > start);
      expect(map.keys(start, false, 1_000)).toEqual(after);
      expect(map.values(start, false, 1_000)).toEqual(after.map(stored));
      expect(map.values(start, false, 3)).toEqual(after.slice(0, 3).map(stored));
      expect(map.keys(start, true, 1_000)).toEqual(sorted.filter((each) => each >= start));
    });
    fc.assert(property, { numRuns: 200 });
  });

  test.each(["ascending", "descending", "scattered"])(
    "keeps its order through splits and removals: %s",
    (order) => {
      const count = 5_000;
      const at = (i: number): number =>
        ({ ascending: i, descending: count - 1 - i, scattered: (i * 2_731) % count })[order] ?? i;
      const name = (i: number): string => `k${String(i).padStart(5, "0")}`;
      const map = new SortedMap<number>();
      for (let i = 0; i < count; i++) map.set(name(at(i)), at(i));
      const all = Array.from({ length: count }, (_, i) => name(i));
      expect(map.keys("", true, count)).toEqual(all);
      for (const start of [0, 511, 512, 513, 2_500, 4_999]) {
        expect(map.keys(name(start), false, 700)).toEqual(all.slice(start + 1, start + 701));
        expect(map.values(name(start), false, 2)).toEqual(
          [start + 1, start + 2].filter((i) => i < count),
        );
      }
      for (let i = 0; i < count; i += 2) map.delete(name(at(i)));
      expect(map.size).toBe(count / 2);
      for (let i = 1; i < count; i += 2) map.delete(name(at(i)));
      expect([map.size, map.keys("", true, 10)]).toEqual([0, []]);
    },
  );
});
