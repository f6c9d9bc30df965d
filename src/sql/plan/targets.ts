import type { Node } from "libpg-query";
import { bindExpr } from "../bind/bind-expression.ts";
import { allFields, bindStarred, columnsOfRow } from "../bind/bind-row.ts";
import { coerce, located } from "../bind/coerce.ts";
import { bare, type Expr } from "../bind/expr.ts";
import { columnExpr, columnsOf, textsOf } from "../bind/names.ts";
import type { Scope, ScopeColumn } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { contentOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { type BindHow, columnName, type OutputColumn, outputOf } from "./query.ts";

/** What a query computes for its rows. */
export interface Target {
  readonly expr: Expr;
  readonly column: OutputColumn;
}

/** The targets of SELECT or RETURNING, `*` written out. */
export function bindTargets(
  scope: Scope,
  list: readonly Node[],
  how: BindHow = {},
): readonly Target[] {
  let place = 0;
  const typed = (expr: Expr): Expr => {
    if (expr.oid !== OID.unknown || how.keepsUnknown === true) return expr;
    const as = how.unknownAs?.[place] ?? OID.text;
    return coerce(scope, expr, as, -1, "implicit");
  };
  const counted = (targets: readonly Target[]): readonly Target[] => {
    place += targets.length;
    return targets;
  };
  return list.flatMap((node): readonly Target[] => {
    const target = contentOf(node, "ResTarget");
    const value = target?.val;
    const star = contentOf(value, "ColumnRef")?.fields ?? [];
    const last = star.at(-1);
    if (last !== undefined && "A_Star" in last) {
      const names = textsOf(star.slice(0, -1));
      return counted(located(scope, target?.location, () => expandStar(scope, names)));
    }
    const fields = contentOf(value, "A_Indirection");
    if (fields !== undefined && "A_Star" in (fields.indirection?.at(-1) ?? {})) {
      const row = bindStarred(scope, fields, (each) => bindExpr(scope, each));
      return counted(located(scope, target?.location, () => expandRow(scope, row)));
    }
    const expr = typed(bindExpr(scope, value as Node));
    const name = target?.name ?? columnName(value);
    return counted([{ expr, column: outputOf(name, expr, originOf(scope, expr)) }]);
  });
}

/** `(row).*` */
function expandRow(scope: Scope, row: Expr): readonly Target[] {
  const columns = columnsOfRow(scope, row);
  return allFields(scope, row).map((expr, i): Target => {
    return { expr, column: outputOf(columns?.[i]?.name ?? "", expr) };
  });
}

function expandStar(scope: Scope, names: readonly string[]): readonly Target[] {
  if (names.length === 0 && scope.tables.length === 0) {
    throw new SqlError("42601", "SELECT * with no tables specified is not valid");
  }
  const columns =
    names.length > 0
      ? columnsOf(scope, names)
      : scope.tables
          .flatMap((table) => (table.visible === "qualified" ? [] : table.columns))
          .map((column) => ({ column, expr: columnExpr(column) }));
  return columns.map(({ column, expr }): Target => {
    return { expr, column: outputOf(column.name, expr, column) };
  });
}

function originOf(scope: Scope, expr: Expr): ScopeColumn | undefined {
  const column = bare(expr);
  if (column.kind !== "column" || expr.kind !== "column") return undefined;
  return scope.tables
    .flatMap(({ columns }) => columns)
    .find((each) => each.slot === column.slot && each.expr === undefined);
}
