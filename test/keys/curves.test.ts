import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boxRanges,
  COORDINATE_BITS,
  type Curve,
  hilbert2,
  hilbert3,
  morton2,
  morton3,
  type Point,
} from "../../src/keys/index.ts";

const CURVES: Readonly<Record<string, Curve>> = { morton2, morton3, hilbert2, hilbert3 };
const refused = expect.objectContaining({ kind: "Invalid", code: "COORDINATE_INVALID" });

const bitsOf = ({ dimensions }: Curve) => COORDINATE_BITS[dimensions];

function points(curve: Curve): fc.Arbitrary<Point> {
  const most = 2 ** bitsOf(curve) - 1;
  const { dimensions } = curve;
  return fc.array(fc.oneof(fc.nat(most), fc.constantFrom(0, 1, most)), {
    minLength: dimensions,
    maxLength: dimensions,
  });
}

describe.each(Object.entries(CURVES))("%s", (name, curve) => {
  test("gives each point one place, and the point back", () => {
    const property = fc.property(points(curve), (point) => {
      expect(curve.decode(curve.encode(point))).toEqual(point);
    });
    fc.assert(property, { numRuns: 2_000 });
    const all = 2n ** BigInt(curve.dimensions * bitsOf(curve));
    expect(curve.encode(curve.decode(all - 1n))).toBe(all - 1n);
  });

  test("keeps the points of a cell together", () => {
    const property = fc.property(points(curve), fc.nat(bitsOf(curve)), (point, bits) => {
      const shift = bitsOf(curve) - bits;
      const coarse = point.map((value) => Math.floor(value / 2 ** shift));
      const place = curve.encode(point) >> BigInt(curve.dimensions * shift);
      expect(curve.cell(coarse, bits)).toBe(place);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test("visits each point of a grid once, a Hilbert curve from neighbour to neighbour", () => {
    const bits = curve.dimensions === 2 ? 4 : 3;
    const side = 2 ** bits;
    const count = side ** curve.dimensions;
    const order = new Map<bigint, Point>();
    for (let i = 0; i < count; i++) {
      const point = [...new Array(curve.dimensions).keys()].map((axis) => {
        return Math.floor(i / side ** axis) % side;
      });
      order.set(curve.cell(point, bits), point);
    }
    expect(order.size).toBe(count);
    if (name.startsWith("morton")) return;
    for (let place = 1; place < count; place++) {
      const [a, b] = [order.get(BigInt(place - 1)), order.get(BigInt(place))];
      const steps = a?.map((value, axis) => Math.abs(value - (b?.[axis] ?? Number.NaN)));
      expect(steps?.reduce((sum, step) => sum + step)).toBe(1);
    }
  });

  test("refuses what is not a point or a place", () => {
    const most = 2 ** bitsOf(curve);
    for (const value of [-1, 1.5, most, Number.NaN]) {
      const point = new Array<number>(curve.dimensions).fill(value);
      expect(() => curve.encode(point)).toThrow(refused);
    }
    expect(() => curve.encode([1])).toThrow(refused);
    const end = 2n ** BigInt(curve.dimensions * bitsOf(curve));
    for (const place of [-1n, end]) expect(() => curve.decode(place)).toThrow(refused);
  });
});

/** A box anywhere, of sides from one point to the whole grid. */
function boxes(curve: Curve): fc.Arbitrary<readonly [Point, Point]> {
  const size = fc.nat(bitsOf(curve)).map((bits) => 2 ** bits - 1);
  const sizes = fc.array(size, { minLength: curve.dimensions, maxLength: curve.dimensions });
  const most = 2 ** bitsOf(curve) - 1;
  return fc.tuple(points(curve), sizes).map(([low, sides]) => {
    return [low, low.map((value, axis) => Math.min(most, value + (sides[axis] as number)))];
  });
}

describe.each(Object.entries(CURVES))("ranges of a box on %s", (_name, curve) => {
  test("hold every point of it, ascend, and are at most as many as asked for", () => {
    const property = fc.property(
      boxes(curve),
      fc.constantFrom(1, 2, 7, 32),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
      ([low, high], most, shares) => {
        const { ranges, overRead } = boxRanges(curve, low, high, most);
        expect(ranges.length).toBeLessThanOrEqual(most);
        expect(overRead).toBeGreaterThanOrEqual(1);
        for (const [i, { from, to }] of ranges.entries()) {
          expect(from).toBeLessThanOrEqual(to);
          if (i > 0) expect(from).toBeGreaterThan((ranges[i - 1]?.to ?? 0n) + 1n);
        }
        for (let i = 0; i < 3; i++) {
          const inside = low.map((value, axis) => {
            const side = (high[axis] as number) - value;
            return value + Math.floor(side * (shares[3 * i + axis] as number));
          });
          const place = curve.encode(inside);
          expect(ranges.some(({ from, to }) => place >= from && place <= to)).toBe(true);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("read little besides it: the over-read that docs/modelling.md would name", () => {
    const { dimensions } = curve;
    const side = 2 ** (bitsOf(curve) - 8);
    let sum = 0;
    for (let i = 0; i < 50; i++) {
      const low = Array.from({ length: dimensions }, (_, axis) => {
        return Math.floor(((i * 7_919 + axis * 104_729) % 1_000) * (side / 10));
      });
      const high = low.map((value) => value + side - 1);
      sum += boxRanges(curve, low, high).overRead;
    }
    expect(sum / 50).toBeLessThan(dimensions === 2 ? 1.5 : 2.5);
  });
});

test("a box that ends before it starts is refused, and one of no ranges", () => {
  expect(() => boxRanges(hilbert2, [2, 2], [1, 3])).toThrow(refused);
  expect(() => boxRanges(hilbert2, [1, 1], [1, 3], 0)).toThrow(refused);
});
