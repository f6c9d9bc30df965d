import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import { selectCommonType } from "../functions/common-type.ts";
import { tooDeep } from "../parse/parse-text.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { coerce, coerceToBool, located } from "./coerce.ts";
import { type CallExpr, type Expr, isVolatile } from "./expr.ts";
import { textsOf } from "./names.ts";
import type { Scope } from "./scope.ts";

type Bind = (node: Node) => Expr;

/** `a + b`, `a BETWEEN b AND c`, `a IN (…)`, `a LIKE b` and their kin. */
export function bindOperator(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const { kind, location } = expr;
  return located(scope, location, () => {
    switch (kind) {
      case "AEXPR_OP":
      case "AEXPR_LIKE":
      case "AEXPR_ILIKE":
        return bindPlain(scope, expr, bind);
      case "AEXPR_SIMILAR":
        return bindPlain(scope, expr, bind);
      case "AEXPR_IN":
        return bindIn(scope, expr, bind);
      case "AEXPR_OP_ANY":
      case "AEXPR_OP_ALL":
        return bindAny(scope, expr, bind);
      case "AEXPR_DISTINCT":
      case "AEXPR_NOT_DISTINCT": {
        const isNegated = kind === "AEXPR_NOT_DISTINCT";
        if (areRows(expr)) return bindRowsDistinct(scope, expr, bind, isNegated);
        const equal = operatorCall(scope, "=", sides(expr, bind));
        return { kind: "distinct", oid: OID.bool, typmod: -1, equal, isNegated };
      }
      case "AEXPR_NULLIF": {
        const [left, right] = sides(expr, bind) as [Expr, Expr];
        const equal = operatorCall(scope, "=", [left, right]);
        const value =
          left.oid === OID.unknown ? coerce(scope, left, OID.text, -1, "implicit") : left;
        return { kind: "nullIf", oid: value.oid, typmod: value.typmod, equal, value };
      }
      case "AEXPR_BETWEEN":
      case "AEXPR_NOT_BETWEEN":
      case "AEXPR_BETWEEN_SYM":
      case "AEXPR_NOT_BETWEEN_SYM":
        return bindBetween(scope, expr, bind);
      default:
        throw notSupported(`the operator ${kind}`);
    }
  });
}

function sides({ lexpr, rexpr }: NodeOf<"A_Expr">, bind: Bind): readonly Expr[] {
  return [lexpr, rexpr].flatMap((node) => (node === undefined ? [] : [bind(node)]));
}

/** The name of an operator; only PostgreSQL's own schema has any. */
function operatorName({ name }: NodeOf<"A_Expr">): string {
  return textsOf(name).at(-1) ?? "";
}

/** More operators in a row are refused, as deeper nesting is. */
const MOST_CHAINED = 4_000;

/** Chains such as `a + b + c` are bound from their inside out: they may be long. */
function bindPlain(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const chain = [expr];
  for (let inner = innerOf(expr); inner !== undefined; inner = innerOf(inner)) chain.push(inner);
  if (chain.length > MOST_CHAINED) throw tooDeep();
  let left: Expr | undefined;
  for (const each of chain.toReversed()) {
    left = located(scope, each.location, () => bindLink(scope, each, left, bind));
  }
  return left as Expr;
}

/** The left side, where it is an operator of the same kind. */
function innerOf({ lexpr }: NodeOf<"A_Expr">): NodeOf<"A_Expr"> | undefined {
  const inner = contentOf(lexpr, "A_Expr");
  return inner?.kind === "AEXPR_OP" ? inner : undefined;
}

function bindLink(scope: Scope, expr: NodeOf<"A_Expr">, left: Expr | undefined, bind: Bind): Expr {
  const isRowOfQuery = contentOf(expr.rexpr, "SubLink")?.subLinkType === "EXPR_SUBLINK";
  if (isRowOfQuery && contentOf(expr.lexpr, "RowExpr") !== undefined) {
    throw notSupported("comparing a row with that of a query");
  }
  if (areRows(expr) && COMPARES.has(operatorName(expr))) return bindRows(scope, expr, bind);
  const sidesOf = left === undefined ? sides(expr, bind) : [left, bind(expr.rexpr as Node)];
  return operatorCall(scope, operatorName(expr), sidesOf);
}

/** Whether both sides are written as rows: these are compared column by column. */
function areRows({ lexpr, rexpr }: NodeOf<"A_Expr">): boolean {
  return [lexpr, rexpr].every((side) => contentOf(side, "RowExpr") !== undefined);
}

/** @throws SqlError 42601: one row is longer. */
function pairsOf({ lexpr, rexpr }: NodeOf<"A_Expr">, bind: Bind): readonly Pair[] {
  const left = contentOf(lexpr, "RowExpr")?.args ?? [];
  const right = contentOf(rexpr, "RowExpr")?.args ?? [];
  if (left.length !== right.length || left.length === 0) {
    throw new SqlError("42601", "unequal number of entries in row expressions");
  }
  return left.map((node, i): Pair => [bind(node), bind(right[i] as Node)]);
}

/** `(a, b) IS DISTINCT FROM (1, 2)`: one of the columns is. */
function bindRowsDistinct(
  scope: Scope,
  expr: NodeOf<"A_Expr">,
  bind: Bind,
  isNegated: boolean,
): Expr {
  const type = { oid: OID.bool, typmod: -1 };
  const args = pairsOf(expr, bind).map((pair): Expr => {
    return { kind: "distinct", ...type, equal: operatorCall(scope, "=", pair), isNegated };
  });
  return { kind: isNegated ? "and" : "or", ...type, args };
}

/** `(a, b) = (1, 2)`: column by column. */
function bindRows(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const name = operatorName(expr);
  const pairs = pairsOf(expr, bind);
  if (name !== "=" && name !== "<>") return rowOrder(scope, name, pairs);
  const args = pairs.map((pair) => operatorCall(scope, name, pair));
  return { kind: name === "=" ? "and" : "or", oid: OID.bool, typmod: -1, args };
}

type Pair = readonly [left: Expr, right: Expr];

const COMPARES: ReadonlySet<string> = new Set(["=", "<>", "<", "<=", ">", ">="]);

/**
 * `(a, b) > (x, y)`: `a >= x AND (a > x OR (a = x AND b > y))`, since the first pair that is not
 * equal decides. The condition on `a` alone is there for its index.
 */
function rowOrder(scope: Scope, name: string, pairs: readonly Pair[]): Expr {
  const [pair, ...rest] = pairs as readonly [Pair, ...Pair[]];
  if (pair.some(isVolatile)) throw notSupported("comparing rows of volatile values");
  if (rest.length === 0) return operatorCall(scope, name, pair);
  const type = { oid: OID.bool, typmod: -1 };
  const strict = name.slice(0, 1);
  const equal = operatorCall(scope, "=", pair);
  const tied: Expr = { kind: "and", ...type, args: [equal, rowOrder(scope, name, rest)] };
  const decided = operatorCall(scope, strict, pair);
  const either: Expr = { kind: "or", ...type, args: [decided, tied] };
  return { kind: "and", ...type, args: [operatorCall(scope, `${strict}=`, pair), either] };
}

/** A call of an operator by its name. @throws SqlError 42883, 42725. */
export function operatorCall(scope: Scope, name: string, args: readonly Expr[]): CallExpr {
  const { functions } = scope;
  const [left, right] = args.length === 1 ? [undefined, args[0]] : args;
  const resolved = functions.resolveOperator(name, left?.oid ?? 0, right?.oid ?? 0);
  const coerced = args.map((arg, i) =>
    coerce(scope, arg, resolved.arguments[i] ?? arg.oid, -1, "implicit"),
  );
  return {
    kind: "call",
    oid: resolved.result,
    typmod: -1,
    name,
    procedure: resolved.procedure.source,
    isOperator: true,
    args: coerced,
    evaluate: resolved.evaluate(),
    isStrict: resolved.isStrict,
    isVolatile: resolved.procedure.volatility === "v",
    isStable: resolved.procedure.volatility === "s",
    returnsSet: false,
  };
}

/** IN: of one common type where there is one, as PostgreSQL reads it. */
function bindIn(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const isNot = operatorName(expr) === "<>";
  const operator = isNot ? "<>" : "=";
  const nodes = contentOf(expr.rexpr, "List")?.items ?? [];
  if (contentOf(expr.lexpr, "RowExpr") !== undefined) {
    const args = nodes.map((rexpr) => bindRows(scope, { ...expr, rexpr }, bind));
    return { kind: isNot ? "and" : "or", oid: OID.bool, typmod: -1, args };
  }
  const left = bind(expr.lexpr as Node);
  const items = nodes.map(bind);
  const common = commonOf(scope, [left, ...items]);
  const type = { oid: OID.bool, typmod: -1 };
  if (common === undefined || items.length === 1) {
    const args = items.map((item) => operatorCall(scope, operator, [left, item]));
    return args.length === 1 ? (args[0] as Expr) : { kind: isNot ? "and" : "or", ...type, args };
  }
  const list = items.map((item) => coerce(scope, item, common, -1, "implicit"));
  const call = operatorCall(scope, operator, [left, list[0] as Expr]);
  const side = call.args[1]?.oid ?? common;
  return {
    kind: "any",
    ...type,
    left: call.args[0] as Expr,
    list: list.map((item) => coerce(scope, item, side, -1, "implicit")),
    operator,
    evaluate: call.evaluate,
    isAll: isNot,
  };
}

function commonOf(scope: Scope, exprs: readonly Expr[]): number | undefined {
  try {
    const oids = exprs.map(({ oid }) => oid);
    return selectCommonType(scope.functions.types, oids, "IN");
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

function bindAny(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const { types } = scope.functions;
  const left = bind(expr.lexpr as Node);
  const right = bind(expr.rexpr as Node);
  const isAll = expr.kind === "AEXPR_OP_ALL";
  const operator = operatorName(expr);
  const element = types.elementOf(right.oid);
  if (element === 0 && right.oid !== OID.unknown) {
    throw new SqlError("42809", "op ANY/ALL (array) requires array on right side");
  }
  const wanted = element === 0 ? (left.oid === OID.unknown ? OID.text : left.oid) : element;
  const item: Expr = { kind: "column", oid: wanted, typmod: -1, slot: 0, name: "" };
  const call = operatorCall(scope, operator, [left, item]);
  if (call.oid !== OID.bool) {
    throw new SqlError("42809", "op ANY/ALL (array) requires operator to yield boolean");
  }
  const side = types.arrayOf(call.args[1]?.oid ?? wanted);
  const array = coerce(scope, right, side, -1, "implicit");
  const args = { left: call.args[0] as Expr, array, operator, evaluate: call.evaluate, isAll };
  return { kind: "any", oid: OID.bool, typmod: -1, ...args };
}

function bindBetween(scope: Scope, expr: NodeOf<"A_Expr">, bind: Bind): Expr {
  const value = bind(expr.lexpr as Node);
  const [low, high] = (contentOf(expr.rexpr, "List")?.items ?? []).map(bind) as [Expr, Expr];
  const type = { oid: OID.bool, typmod: -1 };
  const within = (from: Expr, to: Expr): Expr => ({
    kind: "and",
    ...type,
    args: [operatorCall(scope, ">=", [value, from]), operatorCall(scope, "<=", [value, to])],
  });
  const isSymmetric = expr.kind?.endsWith("_SYM") === true;
  const both: Expr = isSymmetric
    ? { kind: "or", ...type, args: [within(low, high), within(high, low)] }
    : within(low, high);
  const isNot = expr.kind?.startsWith("AEXPR_NOT") === true;
  return isNot ? { kind: "not", ...type, arg: both } : coerceToBool(scope, both, "BETWEEN");
}
