import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBefore, type Key, MAX_SEQUENCE } from "../../../src/lsm/format/entry.ts";
import { IndexBuilder, readIndexBlock } from "../../../src/lsm/format/index-block.ts";

/** Keys that share much, or are the beginning of others, or go on with zeros where others end. */
const key: fc.Arbitrary<Key> = fc
  .tuple(
    fc.constantFrom("", "k", "key/", "key/0000000000", "key/000000000\xff"),
    fc.array(fc.constantFrom("\0", "\x01", "a", "\xfe", "\xff"), { maxLength: 7 }),
  )
  .map(([start, rest]) => start + rest.join(""))
  .filter((text) => text.length > 0);
const place = fc.tuple(key, fc.nat({ max: 3 }));

describe("an index", () => {
  it("finds what a look at each of its entries finds", () => {
    const lists = fc.uniqueArray(place, {
      minLength: 1,
      maxLength: 60,
      selector: ([text, sequence]) => `${text}:${sequence}`,
    });
    fc.assert(
      fc.property(lists, fc.array(place, { maxLength: 60 }), (separators, others) => {
        const sorted = separators.toSorted((a, b) => (isBefore(...a, ...b) ? -1 : 1));
        const builder = new IndexBuilder(0);
        for (const [i, [text, sequence]] of sorted.entries()) {
          builder.add(text, sequence, 10 * i, 10);
        }
        const index = readIndexBlock(builder.finish(), "index", {});
        expect(index.separators).toEqual(sorted.map(([text]) => text));
        for (const [text, sequence] of [...sorted, ...others]) {
          for (const at of [sequence, 0, MAX_SEQUENCE]) {
            const found = sorted.findIndex((separator) => !isBefore(...separator, text, at));
            expect(index.find(text, at)).toBe(found < 0 ? sorted.length : found);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
