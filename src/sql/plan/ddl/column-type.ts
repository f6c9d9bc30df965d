import type { Node } from "libpg-query";
import type {
  ColumnDefault,
  ColumnDescriptor,
  ColumnType,
  ExpressionContext,
  TableChange,
  TableDescriptor,
} from "../../../rows/index.ts";
import { sequenceOf, visibleColumns } from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { coerce } from "../../bind/coerce.ts";
import { type Expr, someExpr } from "../../bind/expr.ts";
import type { Scope } from "../../bind/scope.ts";
import { notSupported, SqlError } from "../../error.ts";
import { compile } from "../../exec/evaluate.ts";
import { canCoerce, typeName } from "../../functions/coercion.ts";
import type { SqlContext } from "../../types/context.ts";
import { quoteIdentifier } from "../../types/identifier.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import { scopeTable } from "../table-columns.ts";

type NewColumnType = Extract<TableChange, { readonly kind: "set type" }>["to"];

/**
 * The change of ALTER COLUMN … TYPE.
 *
 * @param using absent: the column's own value, cast as an assignment does.
 * @throws SqlError 42804 where there is no cast; as binding does.
 */
export function newColumnType(
  env: PlanEnv,
  table: TableDescriptor,
  column: ColumnDescriptor,
  type: ColumnType,
  using: Node | undefined,
): NewColumnType {
  const own = { ...scopeTable(env.functions.types, { descriptor: table, oid: 0 }) };
  const scope = scopeOf(env, [own], "transform expressions");
  assertNumbers(column, type);
  const value = newValue(scope, table, column, type, using);
  const given = column.default && defaultAs(scope, column, type, column.default);
  return {
    column: column.name,
    type,
    isPlain: using === undefined,
    value: (row, { session }: ExpressionContext) =>
      value(row, { sql: (session as SqlContext | undefined) ?? scope.context, parameters: [] }),
    ...(given !== undefined && { default: given }),
  };
}

function newValue(
  scope: Scope,
  table: TableDescriptor,
  column: ColumnDescriptor,
  type: ColumnType,
  using: Node | undefined,
): ReturnType<typeof compile> {
  const { types } = scope.functions;
  const slot = visibleColumns(table).indexOf(column);
  const { oid, typmod } = types.fromColumnType(column.type);
  const plain: Expr = { kind: "column", slot, name: column.name, oid, typmod };
  const bound = using === undefined ? plain : bindExpr(scope, using);
  if (someExpr(bound, (part) => part.kind === "subquery")) {
    throw new SqlError("0A000", "cannot use subquery in transform expression");
  }
  const to = types.fromColumnType(type);
  if (!canCoerce(types, bound.oid, to.oid, "assignment")) {
    const name = quoteIdentifier(column.name);
    const cast = `cannot be cast automatically to type ${typeName(types, to.oid)}`;
    if (using !== undefined) {
      throw new SqlError("42804", `result of USING clause for column "${column.name}" ${cast}`, {
        hint: "You might need to add an explicit cast.",
      });
    }
    throw new SqlError("42804", `column "${column.name}" ${cast}`, {
      hint: `You might need to specify "USING ${name}::${typeName(types, to.oid)}".`,
    });
  }
  return compile(coerce(scope, bound, to.oid, to.typmod, "assignment"));
}

/** A default of the new type. The text of an expression is read again as one of that type. */
function defaultAs(
  scope: Scope,
  column: ColumnDescriptor,
  type: ColumnType,
  given: ColumnDefault,
): ColumnDefault {
  if (given.kind !== "constant") return given;
  const { types } = scope.functions;
  const [from, to] = [types.fromColumnType(column.type), types.fromColumnType(type)];
  if (!canCoerce(types, from.oid, to.oid, "assignment")) {
    const message =
      `default for column "${column.name}" cannot be cast automatically ` +
      `to type ${typeName(types, to.oid)}`;
    throw new SqlError("42804", message);
  }
  const is: Expr = { kind: "const", ...from, value: given.value };
  const cast = coerce(scope, is, to.oid, to.typmod, "assignment");
  const value = compile(cast)([], { sql: scope.context, parameters: [] });
  return { kind: "constant", value };
}

const INTEGERS: ReadonlySet<string> = new Set(["int2", "int4", "int8"]);

/** Rows are numbered in integers. */
function assertNumbers(column: ColumnDescriptor, type: ColumnType): void {
  if (sequenceOf(column) === undefined || INTEGERS.has(type.kind)) return;
  if (column.identity === undefined) {
    throw notSupported("a default of nextval for this type", "Drop the default first.");
  }
  throw new SqlError("22023", "identity column type must be smallint, integer, or bigint");
}
