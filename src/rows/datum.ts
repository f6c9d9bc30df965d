import type { Numeric } from "./numeric.ts";

/** A time of day with its zone. */
export interface TimeWithZone {
  /** Microseconds of the day, in its zone. */
  readonly micros: number;
  /** Seconds west of UTC, as PostgreSQL counts. */
  readonly zone: number;
}

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly micros: bigint;
}

/** An array: its elements one behind the other, the last dimension running fastest. */
export interface ArrayDatum {
  /** Empty of an array without elements. */
  readonly dimensions: readonly number[];
  readonly lowerBounds: readonly number[];
  readonly elements: readonly Datum[];
}

/** A value of a composite type: its fields in the order of the type. */
export interface RowDatum {
  readonly fields: readonly Datum[];
}

/**
 * A value of a column, by its type:
 *
 * - NULL: `null`. `bool`: boolean. `int2`, `int4`, `float4`, `float8`: number. `int8`: bigint.
 * - `numeric`: a `Numeric`. Callers may pass a decimal text.
 * - `text`, `varchar`, `char` (padded with blanks), `uuid` (lower case), `json`, `jsonb`, `enum`
 *   (its label): string. `bytea`: Uint8Array.
 * - `date`: days since 1970-01-01, `Infinity` and `-Infinity` included. `time`: microseconds of the
 *   day. `timetz`: `TimeWithZone`. `interval`: `Interval`.
 * - `timestamp`, `timestamptz`: bigint, microseconds since 1970-01-01; the largest and the smallest
 *   int64 are `infinity` and `-infinity`.
 * - `array`: `ArrayDatum`. Callers may pass a JavaScript array.
 * - `composite`: `RowDatum`.
 */
export type Datum =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Numeric
  | TimeWithZone
  | Interval
  | ArrayDatum
  | RowDatum;

export const INT64_MAX = 0x7fff_ffff_ffff_ffffn;
export const INT64_MIN = -0x8000_0000_0000_0000n;

/** Whether an object is an array of a column, and not another kind of datum. */
export function isArrayDatum(datum: Datum): datum is ArrayDatum {
  return typeof datum === "object" && datum !== null && "elements" in datum;
}

/** Whether an object is a value of a composite type. */
export function isRowDatum(datum: Datum): datum is RowDatum {
  return typeof datum === "object" && datum !== null && "fields" in datum;
}
