import type { Datum } from "../../rows/datum.ts";
import { CODECS } from "../types/codecs.ts";
import type { Compare, Family, Implementation } from "./implementation.ts";

const SUFFIXES: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
};

/** The six operators of one order, named as PostgreSQL names its functions. */
export function comparisons<Left, Right>(
  prefix: string,
  compare: (left: Left, right: Right) => number,
): Family {
  const entries = Object.entries(SUFFIXES).map(([suffix, holds]): [string, Implementation] => [
    `${prefix}${suffix}`,
    (left: Left, right: Right) => holds(compare(left, right)),
  ]);
  return Object.fromEntries(entries);
}

/** The larger or smaller of two. Of equal ones the second, but for `bpchar`, as PostgreSQL. */
function extremes(prefix: string, compare: Compare): Family {
  const isFirst = (a: Datum, b: Datum): boolean => prefix === "bpchar_" && compare(a, b) === 0;
  return {
    [`${prefix}larger`]: (a: Datum, b: Datum) => (compare(a, b) > 0 || isFirst(a, b) ? a : b),
    [`${prefix}smaller`]: (a: Datum, b: Datum) => (compare(a, b) < 0 || isFirst(a, b) ? a : b),
  };
}

export function compareOf(type: string): Compare {
  const codec = CODECS[type];
  return (left, right) => codec?.compare?.(left, right) ?? 0;
}

/** Type, what its operators are named by, its B-tree function, and what `max` and `min` call. */
const ORDERED: readonly (readonly [string, string, string, string])[] = [
  ["bool", "bool", "btboolcmp", ""],
  ["int2", "int2", "btint2cmp", "int2"],
  ["int4", "int4", "btint4cmp", "int4"],
  ["int8", "int8", "btint8cmp", "int8"],
  ["oid", "oid", "btoidcmp", "oid"],
  ["float4", "float4", "btfloat4cmp", "float4"],
  ["float8", "float8", "btfloat8cmp", "float8"],
  ["numeric", "numeric_", "numeric_cmp", "numeric_"],
  ["text", "text", "bttextcmp", "text_"],
  ["text", "text_", "", ""],
  ["bpchar", "bpchar", "bpcharcmp", "bpchar_"],
  ["bytea", "bytea", "byteacmp", ""],
  ["uuid", "uuid_", "uuid_cmp", ""],
  ["name", "name", "btnamecmp", ""],
  ["char", "char", "btcharcmp", ""],
  ["date", "date_", "date_cmp", "date_"],
  ["time", "time_", "time_cmp", "time_"],
  ["timetz", "timetz_", "timetz_cmp", "timetz_"],
  ["timestamp", "timestamp_", "timestamp_cmp", "timestamp_"],
  ["interval", "interval_", "interval_cmp", "interval_"],
  ["oidvector", "oidvector", "btoidvectorcmp", ""],
];

/** Pairs of integer types with operators: JavaScript compares a bigint with a number. */
const MIXED = ["24", "42", "28", "82", "48", "84"];

function mixedNumbers(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export const comparisonFamily: Family = Object.assign(
  {},
  ...ORDERED.map(([type, prefix, cmp, extreme]) => {
    const compare = compareOf(type);
    const family = comparisons(prefix, compare);
    if (cmp !== "") Object.assign(family, { [cmp]: compareAsInt4(compare) });
    if (extreme !== "") Object.assign(family, extremes(extreme, compare));
    return family;
  }),
  ...MIXED.map((pair) => ({
    ...comparisons(`int${pair}`, mixedNumbers),
    [`btint${pair}cmp`]: mixedNumbers,
  })),
  ...["48", "84"].map((pair) => comparisons(`float${pair}`, compareOf("float8"))),
  nameWithText(),
  { xideq: (a: number, b: number) => a === b, xidneq: (a: number, b: number) => a !== b },
  {
    xideqint4: (a: number, b: number) => a === b >>> 0,
    xidneqint4: (a: number, b: number) => a !== b >>> 0,
    cideq: (a: number, b: number) => a === b,
  },
);

function compareAsInt4(compare: Compare): Compare {
  return (left, right) => Math.sign(compare(left, right));
}

function nameWithText(): Family {
  const compare = compareOf("text");
  const of = (name: string): Family =>
    Object.fromEntries(
      Object.entries(SUFFIXES).map(([suffix, holds]): [string, Implementation] => [
        name.replace("?", suffix),
        (left: Datum, right: Datum) => holds(compare(left, right)),
      ]),
    );
  return { ...of("name?text"), ...of("text?name") };
}
