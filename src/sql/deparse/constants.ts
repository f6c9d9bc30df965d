import type { ConstExpr } from "../bind/expr.ts";
import { formatType } from "../catalog/system/format-type.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";

/** As SQL reads it. */
function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A constant as PostgreSQL writes it.
 *
 * @param label whether its type is told: `never`, or where it is not that of the bare text.
 */
export function constantText(
  types: TypeRegistry,
  { oid, typmod, value }: ConstExpr,
  context: SqlContext,
  label: "never" | "needed" | "always",
): string {
  const type = (): string => `::${formatType(types, oid, typmod)}`;
  if (value === null) return label === "never" ? "NULL" : `NULL${type()}`;
  if (oid === OID.bool) return `${value === true}${label === "always" ? type() : ""}`;
  const text = types.get(oid).codec.output(value, context);
  const isInteger = oid === OID.int4 && !text.startsWith("-");
  const isPlain = isInteger || (oid === OID.numeric && /^\d+\.\d*$|^\d[\d.]*e/i.test(text));
  const shown = isPlain ? text : quoteLiteral(text);
  if (label === "never") return shown;
  const isKnown = isInteger || (isPlain && typmod < 0) || oid === OID.unknown;
  return isKnown && label !== "always" ? shown : `${shown}${type()}`;
}
