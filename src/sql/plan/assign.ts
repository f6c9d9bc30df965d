import type { Node } from "libpg-query";
import { type ColumnDescriptor, type TableDescriptor, visibleColumns } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { bindRowAs } from "../bind/bind-row.ts";
import { coerce, located } from "../bind/coerce.ts";
import type { Expr } from "../bind/expr.ts";
import type { Scope } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { canCoerce, typeName } from "../functions/coercion.ts";

/** @throws SqlError 42703. */
export function columnNamed(
  table: TableDescriptor,
  name: string,
  scope: Pick<Scope, "source">,
  location: number | undefined,
): ColumnDescriptor {
  const column = visibleColumns(table).find((each) => each.name === name);
  if (column !== undefined) return column;
  const message = `column "${name}" of relation "${table.name}" does not exist`;
  throw new SqlError("42703", message).at(scope.source.position(location));
}

/** A column, or a field of one. */
type Assigned = Pick<ColumnDescriptor, "name" | "type"> & { readonly isField?: boolean };

/** A value as a column takes it; undefined is the column's default. @throws SqlError 42804. */
export function assigned(
  scope: Scope,
  column: Assigned,
  node: Node,
  location: number | undefined,
): Expr | undefined {
  if ("SetToDefault" in node) return undefined;
  const { oid } = scope.functions.types.fromColumnType(column.type);
  const expr = bindRowAs(scope, node, oid, (each) => bindExpr(scope, each));
  return assignedExpr(scope, column, expr, location);
}

export function assignedExpr(
  scope: Scope,
  column: Assigned,
  expr: Expr,
  location: number | undefined,
): Expr {
  const { types } = scope.functions;
  const { oid, typmod } = types.fromColumnType(column.type);
  return located(scope, location, () => {
    if (!canCoerce(types, expr.oid, oid, "assignment")) {
      const is = typeName(types, expr.oid);
      const word = column.isField === true ? "subfield" : "column";
      const message = `${word} "${column.name}" is of type ${typeName(types, oid)}`;
      throw new SqlError("42804", `${message} but expression is of type ${is}`, {
        hint: "You will need to rewrite or cast the expression.",
      });
    }
    return coerce(scope, expr, oid, typmod, "assignment");
  });
}

/** @throws SqlError 428C9 for a column that takes nothing but its default. */
export function assertAssignable(column: ColumnDescriptor, isDefault: boolean, word: string): void {
  if (isDefault) return;
  if (column.generated !== undefined) {
    throw new SqlError("428C9", `${word} column "${column.name}"`, {
      detail: `Column "${column.name}" is a generated column.`,
    });
  }
}
