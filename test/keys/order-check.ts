import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect } from "vitest";
import { type KeyColumn, KeySchema } from "../../src/keys/index.ts";
import { column, compareTuples, pairOf, returned } from "./support/tuples.ts";

/** Pairs of one schema: most of what a pair costs on its own is to draw its schema. */
const PAIRS = 20;

type Pair = readonly [readonly unknown[], readonly unknown[]];

/** Pairs of tuples of one schema, which is drawn too. */
const drawn = fc
  .array(column, { minLength: 1, maxLength: 4 })
  .chain((columns) =>
    fc.tuple(
      fc.constant(columns),
      fc.array(pairOf(columns), { minLength: PAIRS, maxLength: PAIRS }),
    ),
  );

/**
 * Any two tuples: their keys sort as they do, come back as they were, and neither is the start of
 * the other where its last column has an end.
 *
 * @param part draws other tuples than the others do.
 */
export function checkOrder(pairs: number, part = 0): void {
  const property = fc.property(drawn, ([columns, all]) => {
    const schema = new KeySchema(columns);
    const closed = new KeySchema([...columns, { type: "bool" }]);
    for (const pair of all) checkPair(columns, schema, closed, pair);
  });
  const { seed = Date.now() } = fc.readConfigureGlobal();
  fc.assert(property, { numRuns: Math.ceil(pairs / PAIRS), seed: seed + part });
}

/** An `expect` costs as much as all the rest: only what is not as it must be asks one. */
function checkPair(
  columns: readonly KeyColumn[],
  schema: KeySchema<readonly KeyColumn[]>,
  closed: KeySchema<readonly KeyColumn[]>,
  [a, b]: Pair,
): void {
  const [x, y] = [schema.encode(a as never), schema.encode(b as never)];
  const order = Math.sign(compareTuples(columns, a, b));
  if (Buffer.compare(x, y) !== order) expect(Buffer.compare(x, y)).toBe(order);
  const back = columns.map(({ type }, i) => returned(type, a[i]));
  const decoded = schema.decode(x);
  if (!isDeepStrictEqual(decoded, back)) expect(decoded).toEqual(back);
  const [p, q] = [a, b].map((tuple) => closed.encode([...tuple, true] as never));
  const isStart = Buffer.from(q as Uint8Array).indexOf(p as Uint8Array) === 0;
  if (isStart !== (order === 0)) expect(isStart).toBe(order === 0);
}
