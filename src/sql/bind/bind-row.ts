import type { Node } from "libpg-query";
import type { Datum } from "../../rows/datum.ts";
import { notSupported } from "../error.ts";
import { contentOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import type { RowColumn, RowValue } from "../types/row-value.ts";
import { coerce } from "./coerce.ts";
import type { Expr } from "./expr.ts";
import { columnExpr, textsOf, wholeRow } from "./names.ts";
import type { Scope } from "./scope.ts";

/** Functions whose argument may be a row. */
const TAKE_ROWS: ReadonlySet<string> = new Set([
  "row_to_json",
  "to_json",
  "to_jsonb",
  "json_agg",
  "jsonb_agg",
]);

/**
 * An argument that is a row: the name of a table, `table.*` or `ROW(…)`.
 *
 * @returns undefined where the argument is none, or where the function takes none.
 */
export function bindRowArgument(
  scope: Scope,
  name: string,
  node: Node,
  bind: (node: Node) => Expr,
): Expr | undefined {
  if (!TAKE_ROWS.has(name)) return undefined;
  const row = contentOf(node, "RowExpr");
  if (row !== undefined) {
    const args = (row.args ?? []).map((arg) => {
      const expr = bind(arg);
      return expr.oid === OID.unknown ? coerce(scope, expr, OID.text, -1, "implicit") : expr;
    });
    const columns = args.map(({ oid }, i) => ({ name: `f${i + 1}`, oid }));
    return rowExpr(args, columns, "row");
  }
  const { fields = [] } = contentOf(node, "ColumnRef") ?? {};
  const isStar = fields.length > 1 && "A_Star" in (fields.at(-1) as Node);
  const names = textsOf(isStar ? fields.slice(0, -1) : fields);
  if (names.length === 0 || (names.length > 1 && !isStar)) return undefined;
  return wholeRow(scope, names, isStar, ({ columns, hasValue = false }, isJoined) => {
    const shown = columns.map(({ name: column, oid }) => ({ name: column, oid }));
    return rowExpr(
      columns.map(columnExpr),
      shown,
      hasValue ? "never" : isJoined ? "unknown" : "row",
    );
  });
}

/**
 * @param empty what NULL in all columns means: a row, the other side of an outer join without one
 *   (`never` a row), or that nothing tells.
 */
function rowExpr(
  args: readonly Expr[],
  columns: readonly RowColumn[],
  empty: "row" | "never" | "unknown",
): Expr {
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
    name: "row",
    procedure: "row",
    isOperator: false,
    args,
    evaluate,
    isStrict: false,
    isVolatile: false,
    returnsSet: false,
  };
}
