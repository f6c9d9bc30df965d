import {
  COORDINATE_BITS,
  type Curve,
  checkPlace,
  checkPoint,
  interleave,
  type Point,
  separate,
} from "./curve.ts";

/*
 * The Hilbert curve: each point is a neighbour of the next, so a box falls into fewer ranges than
 * on the Morton curve. Coordinates become the transposed place bit by bit, after John Skilling,
 * "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004).
 *
 *   point      place of 2 bits each
 *   0, 0       0
 *   1, 1       2
 *   3, 0       15
 *   2, 2       8
 */

function hilbert(dimensions: 2 | 3): Curve {
  const bits = COORDINATE_BITS[dimensions];
  const cell = (coarse: Point, coarseBits: number) =>
    interleave(transposed(coarse, coarseBits), coarseBits);
  return {
    dimensions,
    encode(point) {
      checkPoint(point, dimensions);
      return cell(point, bits);
    },
    decode(at) {
      checkPlace(at, dimensions);
      return untransposed(separate(at, dimensions, bits), bits);
    },
    cell,
  };
}

export const hilbert2: Curve = hilbert(2);
export const hilbert3: Curve = hilbert(3);

/** From the highest bit down: undo the turns of the cell, then the Gray code. */
function transposed(point: Point, bits: number): number[] {
  const x = [...point];
  const last = x.length - 1;
  for (let bit = bits - 1; bit > 0; bit--) {
    const below = lowBits(bit);
    for (let axis = 0; axis <= last; axis++) turn(x, axis, bit, below);
  }
  for (let axis = 1; axis <= last; axis++) x[axis] = (at(x, axis) ^ at(x, axis - 1)) >>> 0;
  let gray = 0;
  for (let bit = bits - 1; bit > 0; bit--) {
    if (isSet(at(x, last), bit)) gray ^= lowBits(bit);
  }
  return x.map((value) => (value ^ gray) >>> 0);
}

/** The reverse, from the lowest bit up. */
function untransposed(place: Point, bits: number): number[] {
  const x = [...place];
  const last = x.length - 1;
  const gray = at(x, last) >>> 1;
  for (let axis = last; axis > 0; axis--) x[axis] = (at(x, axis) ^ at(x, axis - 1)) >>> 0;
  x[0] = (at(x, 0) ^ gray) >>> 0;
  for (let bit = 1; bit < bits; bit++) {
    const below = lowBits(bit);
    for (let axis = last; axis >= 0; axis--) turn(x, axis, bit, below);
  }
  return x;
}

/** Mirrors the bits below `bit`, or swaps them with those of the first axis. */
function turn(x: number[], axis: number, bit: number, below: number): void {
  if (isSet(at(x, axis), bit)) {
    x[0] = (at(x, 0) ^ below) >>> 0;
    return;
  }
  const swapped = (at(x, 0) ^ at(x, axis)) & below;
  x[0] = (at(x, 0) ^ swapped) >>> 0;
  x[axis] = (at(x, axis) ^ swapped) >>> 0;
}

function at(x: readonly number[], axis: number): number {
  return x[axis] as number;
}

function isSet(value: number, bit: number): boolean {
  return ((value >>> bit) & 1) === 1;
}

function lowBits(count: number): number {
  return 2 ** count - 1;
}
