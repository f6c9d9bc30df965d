import { packNumericModifier } from "../../types/numeric.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";

const NAMES: Readonly<Record<string, number>> = {
  boolean: OID.bool,
  int: OID.int4,
  integer: OID.int4,
  long: OID.int8,
  bigint: OID.int8,
  float: OID.float4,
  double: OID.float8,
  date: OID.date,
  time: OID.time,
  timestamp: OID.timestamp,
  timestamptz: OID.timestamptz,
  timestamp_ns: OID.timestamp,
  timestamptz_ns: OID.timestamptz,
  string: OID.text,
  uuid: OID.uuid,
  binary: OID.bytea,
};

/** The type that a column of the lake is shown with: nested ones as `jsonb`. */
export function lakeType(
  types: TypeRegistry,
  text: string,
): { readonly oid: number; readonly typmod: number } {
  const known = NAMES[text.toLowerCase()];
  if (known !== undefined) return { oid: known, typmod: -1 };
  const [, precision, scale] = /^decimal\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)$/i.exec(text) ?? [];
  if (precision !== undefined) {
    return { oid: OID.numeric, typmod: packNumericModifier(Number(precision), Number(scale)) };
  }
  if (/^fixed/i.test(text)) return { oid: OID.bytea, typmod: -1 };
  const element = /^list<(.*)>$/i.exec(text)?.[1];
  const inner = element === undefined ? undefined : NAMES[element.toLowerCase()];
  return { oid: inner === undefined ? OID.jsonb : types.arrayOf(inner), typmod: -1 };
}
