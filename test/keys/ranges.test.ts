import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type KeyBounds,
  type KeyColumn,
  type KeyRange,
  KeySchema,
  keyAfter,
  MAX_KEY_BYTES,
  prefixEnd,
  rangeOfPrefix,
  rangeOfRelation,
} from "../../src/keys/index.ts";
import { column, compareValues, drawnValue, VALUES } from "./support/tuples.ts";

const within = (key: Uint8Array, { from, to }: KeyRange): boolean =>
  Buffer.compare(key, from) >= 0 && (to === undefined || Buffer.compare(key, to) < 0);

const SIDES = [[], ["gt"], ["gte"], ["lt"], ["lte"], ["gt", "lt"], ["gte", "lte"]] as const;

/** Rows of a schema, the first columns of one of them, and bounds on the next column. */
const drawn = fc
  .tuple(fc.array(column, { minLength: 1, maxLength: 3 }), fc.nat(2))
  .filter(([columns, equal]) => equal < columns.length)
  .chain(([columns, equal]) => {
    const { type } = columns[equal] as KeyColumn;
    const rows = fc.array(fc.tuple(...columns.map(drawnValue)), { minLength: 1, maxLength: 12 });
    const bound = VALUES[type].arbitrary;
    return fc.tuple(
      fc.constant(columns),
      fc.constant(equal),
      rows,
      fc.constantFrom(...SIDES),
      bound,
      bound,
    );
  });

/** What SQL says of `value op bound`; NULL compares with nothing. */
function holds(column: KeyColumn, value: unknown, side: string, bound: unknown): boolean {
  if (value === null) return false;
  const order = compareValues({ type: column.type }, value, bound);
  if (side === "gt") return order > 0;
  if (side === "gte") return order >= 0;
  return side === "lt" ? order < 0 : order <= 0;
}

test("a range holds the keys of the rows that its bounds select, and no others", () => {
  let selected = 0;
  const property = fc.property(drawn, ([columns, equal, rows, sides, a, b]) => {
    const schema = new KeySchema(columns);
    const target = columns[equal] as KeyColumn;
    // A bound is often the value of a row, where off-by-one mistakes show.
    const own = (rows.at(-1) as readonly unknown[])[equal];
    const values = [own !== null && rows.length % 2 === 0 ? own : a, b];
    const bounds: KeyBounds = Object.fromEntries(sides.map((side, i) => [side, values[i]]));
    const stem = (rows[0] as readonly unknown[]).slice(0, equal);
    const range = schema.range(stem as never, bounds);
    for (const row of rows as unknown[][]) {
      const isEqual = stem.every((value, i) => {
        return compareValues(columns[i] as KeyColumn, value, row[i]) === 0;
      });
      const isIn = sides.every((side, i) => holds(target, row[equal], side, values[i]));
      expect(within(schema.encode(row as never), range)).toBe(isEqual && isIn);
      if (isEqual && isIn && sides.length > 0) selected++;
    }
  });
  fc.assert(property, { numRuns: 3_000 });
  expect(selected).toBeGreaterThan(500);
});

describe("a range", () => {
  const names = new KeySchema([{ type: "text" }]);
  const byName = new KeySchema([{ type: "text" }, { type: "int8", direction: "desc" }]);
  const tree = new KeySchema([{ type: "path" }]);

  test("of a start holds what starts with it", () => {
    const range = names.range([], { startsWith: "ab" });
    const found = ["aa", "ab", "ab\0", "abc", "ac", "b"].filter((name) => {
      return within(names.encode([name]), range);
    });
    expect(found).toEqual(["ab", "ab\0", "abc"]);
    const before = byName.range([], { startsWith: "a" });
    expect(within(byName.encode(["a", 5n]), before)).toBe(true);
    expect(within(byName.encode(["b", 5n]), before)).toBe(false);
  });

  test("of a path holds it and what lies below", () => {
    const range = tree.range([], { startsWith: ["a", "b"] });
    const paths = [[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "bc"], ["b"]];
    expect(paths.filter((path) => within(tree.encode([path]), range))).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
  });

  test("whose bounds cross is empty", () => {
    const { from, to } = byName.range(["a"], { gt: 9n, lt: 3n });
    expect(from).toEqual(to);
  });

  test("of the longest key holds it alone", () => {
    const longest = "x".repeat(MAX_KEY_BYTES - 1);
    const range = names.range([longest]);
    expect(within(names.encode([longest]), range)).toBe(true);
    expect(range.to?.length).toBeLessThanOrEqual(MAX_KEY_BYTES);
  });

  test("of a prefix ends behind the last key that starts with it", () => {
    const prefix = Buffer.of(1, 0xff, 0xff);
    expect(prefixEnd(prefix)).toEqual(Uint8Array.of(2));
    expect(prefix, "left as it was").toEqual(Buffer.of(1, 0xff, 0xff));
    expect(prefixEnd(Buffer.of(0xff))).toBeUndefined();
    expect(rangeOfPrefix(Buffer.of(0xff))).toEqual({ from: Buffer.of(0xff) });
    expect(keyAfter(Uint8Array.of(7))).toEqual(Uint8Array.of(7, 0));
    const { from, to } = rangeOfRelation(1, 0xff);
    expect(from).toEqual(Buffer.of(1, 0, 0, 0, 0xff));
    expect(to).toEqual(Uint8Array.of(1, 0, 0, 1));
  });
});
