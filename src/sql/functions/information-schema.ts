import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { type ProcedureRow, signatures } from "../signatures/tables.ts";
import { OID } from "../types/oids.ts";
import type { Family } from "./implementation.ts";

const PLAIN = {
  kind: "f",
  isStrict: true,
  volatility: "i",
  variadic: 0,
  defaultCount: 0,
  defaults: null,
} as const;

/** `(type, modifier) → int4` */
function ofModifier(oid: number, name: string): ProcedureRow {
  return {
    ...PLAIN,
    oid,
    name,
    source: name,
    returnsSet: false,
    result: OID.int4,
    arguments: [OID.oid, OID.int4],
    allArguments: null,
    modes: null,
    names: null,
  };
}

/** Functions of `information_schema` that drivers call. PostgreSQL has their bodies in SQL. */
export const INFORMATION_SCHEMA: readonly ProcedureRow[] = [
  {
    ...PLAIN,
    oid: 13_376,
    name: "_pg_expandarray",
    source: "_pg_expandarray",
    returnsSet: true,
    result: OID.record,
    arguments: [OID.anyarray],
    allArguments: [OID.anyarray, OID.anyelement, OID.int4],
    modes: ["i", "o", "o"],
    names: ["", "x", "n"],
  },
  ofModifier(13_380, "_pg_char_max_length"),
  ofModifier(13_382, "_pg_numeric_precision"),
  ofModifier(13_384, "_pg_numeric_scale"),
  ofModifier(13_385, "_pg_datetime_precision"),
];

/** Bits, or digits where a modifier tells them. */
const INTEGER_BITS = new Map<number, number>([
  [OID.int2, 16],
  [OID.int4, 32],
  [OID.int8, 64],
]);
const FLOAT_BITS = new Map<number, number>([
  [OID.float4, 24],
  [OID.float8, 53],
]);
const TIMES: ReadonlySet<number> = new Set([OID.time, OID.timetz, OID.timestamp, OID.timestamptz]);
/** Of a time without a modifier. */
const MOST_DIGITS = 6;

function charMaxLength(type: number, modifier: number): number | null {
  return modifier !== -1 && (type === OID.bpchar || type === OID.varchar) ? modifier - 4 : null;
}

function numericPrecision(type: number, modifier: number): number | null {
  if (type !== OID.numeric) return INTEGER_BITS.get(type) ?? FLOAT_BITS.get(type) ?? null;
  return modifier === -1 ? null : ((modifier - 4) >> 16) & 0xffff;
}

function numericScale(type: number, modifier: number): number | null {
  if (type !== OID.numeric) return INTEGER_BITS.has(type) ? 0 : null;
  return modifier === -1 ? null : (modifier - 4) & 0xffff;
}

function dateTimePrecision(type: number, modifier: number): number | null {
  if (type === OID.date) return 0;
  if (TIMES.has(type)) return modifier < 0 ? MOST_DIGITS : modifier;
  if (type !== OID.interval) return null;
  const digits = modifier & 0xffff;
  return modifier < 0 || digits === 0xffff ? MOST_DIGITS : digits;
}

/** The elements of an array, numbered from 1. */
function* expandArray({ elements }: ArrayDatum): Generator<readonly Datum[]> {
  for (const [i, element] of elements.entries()) yield [element, i + 1];
}

export const informationSchemaFamily: Family = {
  _pg_expandarray: expandArray,
  _pg_char_max_length: charMaxLength,
  _pg_numeric_precision: numericPrecision,
  _pg_numeric_scale: numericScale,
  _pg_datetime_precision: dateTimePrecision,
  pg_get_keywords: () => signatures().keywords,
};
