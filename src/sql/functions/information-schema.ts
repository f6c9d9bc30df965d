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
];

/** The elements of an array, numbered from 1. */
function* expandArray({ elements }: ArrayDatum): Generator<readonly Datum[]> {
  for (const [i, element] of elements.entries()) yield [element, i + 1];
}

export const informationSchemaFamily: Family = {
  _pg_expandarray: expandArray,
  pg_get_keywords: () => signatures().keywords,
};
