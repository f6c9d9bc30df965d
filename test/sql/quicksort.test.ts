import { describe, expect, it } from "vitest";
import { quicksort } from "../../src/sql/exec/quicksort.ts";

/**
 * Numbers that make the pivots bad. Each is open until it is compared with another open one: then
 * it is decided to be above all that are open, so that no part looks sorted, and pivots are high.
 */
function againstAdversary(size: number) {
  const values = new Array<number>(size).fill(-1);
  let [top, compares] = [size, 0];
  const compare = (a: number, b: number): number => {
    compares++;
    if (values[a] === -1 && values[b] === -1) values[a] = top--;
    return (values[a] as number) - (values[b] as number);
  };
  const sorted = quicksort(
    values.map((_, i) => i),
    compare,
  );
  return { compares, sorted: sorted.map((item) => values[item] as number) };
}

describe("quicksort", () => {
  it.each([0, 1, 2, 6, 7, 8, 40, 41, 300, 2_048])("orders %i items and loses none", (size) => {
    for (const kinds of [2, 7, size + 1]) {
      const items = Array.from({ length: size }, (_, i) => (i * 7_919 + (i >> 3)) % kinds);
      const expected = items.toSorted((a, b) => a - b);
      expect(quicksort(items, (a, b) => a - b)).toEqual(expected);
    }
  });

  it("takes no square of comparisons for items that are made to defeat it", () => {
    const size = 2_048;
    const { compares, sorted } = againstAdversary(size);
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
    expect(compares).toBeLessThan(4 * size * Math.log2(size));
  });
});
