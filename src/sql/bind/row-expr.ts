import type { Datum } from "../../rows/datum.ts";
import { notSupported } from "../error.ts";
import { OID } from "../types/oids.ts";
import type { RowColumn, RowValue } from "../types/row-value.ts";
import type { CallExpr, Expr } from "./expr.ts";

/** What makes rows of their fields. */
export const ROW = "row";

/**
 * @param empty what NULL in all columns means: a row, the other side of an outer join without one
 *   (`never` a row), or that nothing tells.
 */
export function rowExpr(
  args: readonly Expr[],
  columns: readonly RowColumn[],
  empty: "row" | "never" | "unknown",
): CallExpr {
  const evaluate = (...values: readonly unknown[]): Datum => {
    const fields = values.slice(0, args.length) as readonly Datum[];
    if (empty !== "row" && fields.every((field) => field === null)) {
      if (empty === "never") return null;
      throw notSupported("a row of NULL alone in a join", "Name the columns.");
    }
    return { fields, columns } satisfies RowValue as unknown as Datum;
  };
  return {
    kind: "call",
    oid: OID.record,
    typmod: -1,
    columns,
    name: "row",
    procedure: ROW,
    isOperator: false,
    args,
    evaluate,
    isStrict: false,
    isVolatile: false,
    returnsSet: false,
  };
}
