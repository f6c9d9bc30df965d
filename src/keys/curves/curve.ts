import { invalid } from "../../base/error.ts";

/*
 * Space-filling curves: points of two or three dimensions as one number, so that what is near in
 * space is mostly near in order. Coordinates are unsigned: of two dimensions 32 bits each, of three
 * dimensions 21. The number has 64 or 63 bits, and is a key column of type uint8.
 */

/** A point of 2 or 3 coordinates. */
export type Point = readonly number[];

/** Bits of a coordinate, by dimensions. */
export const COORDINATE_BITS: Readonly<Record<2 | 3, number>> = { 2: 32, 3: 21 };

/** A curve through the grid of a number of dimensions. */
export interface Curve {
  readonly dimensions: 2 | 3;
  /** @throws FirnError `Invalid` `COORDINATE_INVALID`. */
  readonly encode: (point: Point) => bigint;
  /** @throws FirnError `Invalid` `COORDINATE_INVALID`: beyond the end of the curve. */
  readonly decode: (at: bigint) => number[];
  /**
   * Where the cell of a point lies on the curve of a coarser grid. The points of a cell follow each
   * other: `cell(p, b)` is `encode(p)` without its last `dimensions × (bits - b)` bits.
   *
   * @param bits of each coordinate of the coarser grid.
   */
  readonly cell: (coarse: Point, bits: number) => bigint;
}

/** @throws FirnError `Invalid` `COORDINATE_INVALID`. */
export function checkPoint(point: Point, dimensions: 2 | 3): void {
  const most = 2 ** COORDINATE_BITS[dimensions] - 1;
  const fits =
    point.length === dimensions &&
    point.every((value) => Number.isInteger(value) && value >= 0 && value <= most);
  if (fits) return;
  throw invalid("COORDINATE_INVALID", `a point has ${dimensions} whole numbers from 0 to ${most}`, {
    point: point.slice(0, 4).join(", "),
  });
}

/** @throws FirnError `Invalid` `COORDINATE_INVALID`. */
export function checkPlace(at: bigint, dimensions: 2 | 3): void {
  const bits = BigInt(dimensions * COORDINATE_BITS[dimensions]);
  if (at >= 0n && at < 1n << bits) return;
  throw invalid("COORDINATE_INVALID", `a place on this curve has ${bits} bits`, { at });
}

/**
 * The bits of coordinates in turn, those of the first one highest.
 *
 * @param bits of each coordinate.
 */
export function interleave(point: Point, bits: number): bigint {
  // Pieces of 30 bits are added as numbers: a bigint for each bit would take ten times as long.
  const perPiece = Math.floor(30 / point.length);
  let result = 0n;
  for (let high = bits; high > 0; ) {
    const count = Math.min(perPiece, high);
    let piece = 0;
    for (let bit = high - 1; bit >= high - count; bit--) {
      for (const value of point) piece = (piece << 1) | ((value >>> bit) & 1);
    }
    result = (result << BigInt(count * point.length)) | BigInt(piece);
    high -= count;
  }
  return result;
}

/** The coordinates again. */
export function separate(at: bigint, dimensions: number, bits: number): number[] {
  const point = new Array<number>(dimensions).fill(0);
  const perPiece = Math.floor(30 / dimensions);
  let low = 0;
  for (let rest = at; low < bits; ) {
    const count = Math.min(perPiece, bits - low);
    const piece = Number(BigInt.asUintN(count * dimensions, rest));
    for (let bit = 0; bit < count; bit++) {
      for (let axis = 0; axis < dimensions; axis++) {
        const value = (piece >>> (bit * dimensions + dimensions - 1 - axis)) & 1;
        point[axis] = ((point[axis] as number) | (value << (low + bit))) >>> 0;
      }
    }
    rest >>= BigInt(count * dimensions);
    low += count;
  }
  return point;
}
