import fc from "fast-check";
import { expect, it } from "vitest";
import { type Datum, Numeric } from "../../src/rows/index.ts";
import { RowReader, RowWriter } from "../../src/sql/exec/row-codec.ts";

const PLAIN = { noNullPrototype: true };

const simple: fc.Arbitrary<Datum> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -0, NaN, Infinity, -Infinity, 2 ** 31, -(2 ** 31)),
  fc.constantFrom(Numeric.nan, Numeric.infinity, Numeric.negativeInfinity, "\ud800", "é\0x"),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.uint8Array({ maxLength: 70 }),
  fc.tuple(fc.bigInt(), fc.nat(200)).map(([units, scale]) => Numeric.exact(units, scale)),
  fc.record({ months: fc.integer(), days: fc.integer(), micros: fc.bigInt() }, PLAIN),
  fc.record({ micros: fc.nat(), zone: fc.integer() }, PLAIN),
);

const row = fc.array(simple, { maxLength: 4 }).map((fields): Datum => {
  const columns = fields.map((_, i) => ({ name: `f${i + 1}`, oid: 25 }));
  return { fields, columns } as unknown as Datum;
});

const datum: fc.Arbitrary<Datum> = fc.oneof(
  simple,
  row,
  fc.array(simple, { maxLength: 5 }).map((elements): Datum => {
    return { dimensions: [elements.length], lowerBounds: [-3], elements };
  }),
);

it("reads the rows that were written, each value as it was", () => {
  fc.assert(
    fc.property(fc.array(fc.array(datum)), (rows) => {
      const writer = new RowWriter();
      for (const row of rows) writer.add(row);
      const bytes = writer.take();
      expect(writer.length).toBe(0);
      expect(new RowReader(bytes).rows()).toStrictEqual(rows);
    }),
  );
});
