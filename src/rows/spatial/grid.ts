import { COORDINATE_BITS, type Curve, hilbert2, hilbert3, type Point } from "../../keys/index.ts";
import type { ColumnType } from "../column-type.ts";
import type { Datum } from "../datum.ts";

/*
 * Values as coordinates of a grid, which only grow with the values. Stored by keys of spatial
 * indexes, so a value keeps its coordinate: the bits of its float4, turned so that they sort. Two
 * dimensions have all 32 bits, three have the first 21. NaN is the last. Dates count days,
 * timestamps microseconds. Columns of any scale share the curve evenly like that: a coordinate has
 * as many digits of a small value as of a large one.
 *
 * Example: of two dimensions, 0 is 80000000, 1.5 is bfc00000 and -1.5 is 403fffff.
 */

/** Bounds of one column, both inclusive; where one is absent there is none. */
export interface BoxSide {
  readonly low?: Datum;
  readonly high?: Datum;
}

/** A box of the grid, both corners inclusive. */
export interface GridBox {
  readonly low: Point;
  readonly high: Point;
}

const SPATIAL: ReadonlySet<ColumnType["kind"]> = new Set([
  "int2",
  "int4",
  "int8",
  "float4",
  "float8",
  "numeric",
  "date",
  "timestamp",
  "timestamptz",
]);

export function isSpatialType({ kind }: ColumnType): boolean {
  return SPATIAL.has(kind);
}

export function curveOf(dimensions: number): Curve {
  return dimensions === 3 ? hilbert3 : hilbert2;
}

/** The coordinate of a value that is not NULL. */
export function coordinateOf(dimensions: 2 | 3, value: Datum): number {
  const bits = sortable(Number(String(value)));
  return dimensions === 2 ? bits : bits >>> 11;
}

const FLOAT = new DataView(new ArrayBuffer(4));

function sortable(value: number): number {
  if (Number.isNaN(value)) return 0xffff_ffff;
  FLOAT.setFloat32(0, value === 0 ? 0 : value);
  const bits = FLOAT.getUint32(0);
  return (bits & 0x8000_0000) === 0 ? (bits | 0x8000_0000) >>> 0 : ~bits >>> 0;
}

/** A box of values on the grid; undefined where it holds none. */
export function gridBox(dimensions: 2 | 3, sides: readonly BoxSide[]): GridBox | undefined {
  const last = 2 ** COORDINATE_BITS[dimensions] - 1;
  const at = (value: Datum | undefined, without: number): number =>
    value === undefined ? without : coordinateOf(dimensions, value);
  const axes = Array.from({ length: dimensions }, (_, axis) => sides[axis]);
  const low = axes.map((side) => at(side?.low, 0));
  const high = axes.map((side) => at(side?.high, last));
  return low.every((value, axis) => value <= (high[axis] as number)) ? { low, high } : undefined;
}

export function isWithin({ low, high }: GridBox, point: Point): boolean {
  return point.every(
    (value, axis) => value >= (low[axis] as number) && value <= (high[axis] as number),
  );
}
