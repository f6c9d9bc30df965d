import { SqlError } from "../error.ts";
import { castTo } from "../functions/casts.ts";
import { type CastContext, canCoerce, cannotCast, typeName } from "../functions/coercion.ts";
import { selectCommonType } from "../functions/common-type.ts";
import { OID } from "../types/oids.ts";
import type { Expr } from "./expr.ts";
import { ROW, rowExpr } from "./row-expr.ts";
import type { Scope } from "./scope.ts";

/**
 * An expression as a value of a type.
 *
 * @throws SqlError 42846 where there is no cast; what the type's input throws for a literal.
 */
export function coerce(
  scope: Scope,
  expr: Expr,
  oid: number,
  typmod: number,
  context: CastContext,
): Expr {
  if (expr.oid === oid && (typmod < 0 || expr.typmod === typmod)) return expr;
  const { functions } = scope;
  if (expr.kind === "param" && expr.oid === OID.unknown) {
    scope.parameters.settle(expr.index, functions.types.baseOf(oid));
    return coerce(scope, { ...expr, oid: functions.types.baseOf(oid) }, oid, typmod, context);
  }
  if (expr.kind === "const" && expr.value === null) {
    const { constraint } = functions.types.get(oid);
    if (constraint?.notNull !== true || context === "implicit") return { ...expr, oid, typmod };
    const bare = { ...expr, oid: functions.types.baseOf(oid), typmod };
    const cast = castTo(functions, bare.oid, oid, typmod, context);
    return { kind: "cast", oid, typmod, arg: bare, cast };
  }
  if (expr.kind === "const" && expr.oid === OID.unknown) {
    const cast = castTo(functions, OID.unknown, oid, typmod, context);
    return located(scope, expr.location, () => {
      const value = cast.apply(expr.value, scope.context);
      return { kind: "const", oid, typmod, value };
    });
  }
  const row = coerceRow(scope, expr, oid, context);
  if (row !== undefined) return row.oid === oid ? row : coerce(scope, row, oid, typmod, context);
  const cast = castTo(functions, expr.oid, oid, typmod, context);
  const isFolded = scope.trace === undefined && (cast.isIdentity || !cast.isStable);
  if (expr.kind === "const" && isFolded) {
    return { kind: "const", oid, typmod, value: cast.apply(expr.value, scope.context) };
  }
  return { kind: "cast", oid, typmod, arg: expr, cast };
}

/**
 * A row of no declared type as one of a composite type, field by field.
 *
 * @returns undefined for what is something else.
 * @throws SqlError 42846.
 */
function coerceRow(scope: Scope, expr: Expr, oid: number, context: CastContext): Expr | undefined {
  const { types } = scope.functions;
  const columns = types.columnsOf(oid);
  if (columns === undefined || expr.oid !== OID.record) return undefined;
  if (expr.kind !== "call" || expr.procedure !== ROW) throw cannotCast(types, expr.oid, oid);
  const refused = (detail: string): SqlError =>
    new SqlError("42846", cannotCast(types, expr.oid, oid).message, { detail });
  if (expr.args.length < columns.length) throw refused("Input has too few columns.");
  if (expr.args.length > columns.length) throw refused("Input has too many columns.");
  const fields = columns.map((column, i) => {
    const field = expr.args[i] as Expr;
    if (!canCoerce(types, field.oid, column.oid, context)) {
      const names = `${typeName(types, field.oid)} to ${typeName(types, column.oid)}`;
      throw refused(`Cannot cast type ${names} in column ${i + 1}.`);
    }
    return coerce(scope, field, column.oid, column.typmod ?? -1, context);
  });
  const own = types.baseOf(oid);
  const values = fields.flatMap((field) => (field.kind === "const" ? [field.value] : []));
  const isFolded = values.length === fields.length && scope.trace === undefined;
  if (!isFolded) return { ...rowExpr(fields, columns, "row"), oid: own };
  return { kind: "const", oid: own, typmod: -1, value: { fields: values } };
}

/** Expressions as values of the one type that they have in common. */
export function coerceToCommon(
  scope: Scope,
  exprs: readonly Expr[],
  what: string,
): { readonly oid: number; readonly typmod: number; readonly args: readonly Expr[] } {
  const { types } = scope.functions;
  const oid = selectCommonType(
    types,
    exprs.map((expr) => expr.oid),
    what,
  );
  const [first] = exprs;
  const isSame = exprs.every((expr) => expr.oid === oid && expr.typmod === first?.typmod);
  const typmod = isSame ? (first?.typmod ?? -1) : -1;
  return { oid, typmod, args: exprs.map((expr) => coerce(scope, expr, oid, -1, "implicit")) };
}

/** As a condition. @throws SqlError 42804. */
export function coerceToBool(scope: Scope, expr: Expr, what: string): Expr {
  if (expr.oid === OID.bool || expr.oid === OID.unknown) {
    return coerce(scope, expr, OID.bool, -1, "implicit");
  }
  const { types } = scope.functions;
  if (types.baseOf(expr.oid) === OID.bool) return coerce(scope, expr, OID.bool, -1, "implicit");
  const name = typeName(types, expr.oid);
  throw new SqlError("42804", `argument of ${what} must be type boolean, not type ${name}`);
}

/** What is of no type yet is text. */
export function settled(scope: Scope, expr: Expr): Expr {
  return expr.oid === OID.unknown ? coerce(scope, expr, OID.text, -1, "implicit") : expr;
}

/** Errors of the work name the place. */
export function located<T>(scope: Scope, offset: number | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SqlError) throw error.at(scope.source.position(offset));
    throw error;
  }
}
