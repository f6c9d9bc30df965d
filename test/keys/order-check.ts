import fc from "fast-check";
import { expect } from "vitest";
import { KeySchema } from "../../src/keys/index.ts";
import { column, compareTuples, pairOf, returned } from "./support/tuples.ts";

/** Two tuples of one schema; the schema is drawn too. */
const drawn = fc
  .array(column, { minLength: 1, maxLength: 4 })
  .chain((columns) => fc.tuple(fc.constant(columns), pairOf(columns)));

/**
 * Any two tuples: their keys sort as they do, come back as they were, and neither is the start of
 * the other where its last column has an end.
 */
export function checkOrder(pairs: number): void {
  const property = fc.property(drawn, ([columns, [a, b]]) => {
    const schema = new KeySchema(columns);
    const [x, y] = [schema.encode(a as never), schema.encode(b as never)];
    const order = Math.sign(compareTuples(columns, a, b));
    expect(Buffer.compare(x, y)).toBe(order);
    const back = columns.map(({ type }, i) => returned(type, a[i]));
    expect(schema.decode(x)).toEqual(back);
    const closed = new KeySchema([...columns, { type: "bool" }]);
    const [p, q] = [a, b].map((tuple) => closed.encode([...tuple, true] as never));
    const isStart = Buffer.from(q as Uint8Array).indexOf(p as Uint8Array) === 0;
    expect(isStart).toBe(order === 0);
  });
  fc.assert(property, { numRuns: pairs });
}
