import { numericModifier } from "../../types/numeric.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { sqlTypeName } from "../../types/regtype.ts";

const TIMES: ReadonlyMap<number, string> = new Map([
  [OID.time, "time"],
  [OID.timetz, "time"],
  [OID.timestamp, "timestamp"],
  [OID.timestamptz, "timestamp"],
]);

/**
 * A type with its modifier, as `format_type` writes it.
 *
 * @param typmod null: it is not shown, and `character` is not told from `bpchar`.
 */
export function formatType(types: TypeRegistry, oid: number, typmod: number | null): string {
  if (oid === 0) return "-";
  const type = types.find(oid);
  if (type === undefined) return "???";
  const isArray = types.isArray(oid) && type.kind !== "d";
  if (isArray) return `${formatType(types, type.element, typmod)}[]`;
  const name = types.isOwn(oid) ? types.shownName(type) : sqlTypeName(type);
  if (typmod === null) return name;
  if (oid === OID.bpchar && typmod < 0) return "bpchar";
  if (typmod < 0) return name;
  if (oid === OID.varchar || oid === OID.bpchar) return `${name}(${typmod - 4})`;
  if (oid === OID.numeric) {
    const { precision, scale = 0 } = numericModifier(typmod) ?? {};
    return precision === undefined ? name : `${name}(${precision},${scale})`;
  }
  const time = TIMES.get(oid);
  return time === undefined ? name : name.replace(time, `${time}(${typmod})`);
}
