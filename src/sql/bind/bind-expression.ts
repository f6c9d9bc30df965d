import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import { tooDeep } from "../parse/parse-text.ts";
import { contentOf, kindOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { bindCall, bindNamedCall } from "./bind-call.ts";
import { bindOperator } from "./bind-operator.ts";
import { bindIndirection, bindNullTest, bindRow, bindRowAs, bindWholeRow } from "./bind-row.ts";
import { bindSubquery } from "./bind-subquery.ts";
import { coerce, coerceToBool, coerceToCommon, located } from "./coerce.ts";
import { type Expr, someExpr } from "./expr.ts";
import { bindColumn, outerExpr } from "./names.ts";
import { MOST_DEPTH, type Scope } from "./scope.ts";
import { typeOfName } from "./type-name.ts";

/** Binds an expression: names, types, casts. @throws SqlError with its place. */
export function bindExpr(scope: Scope, node: Node): Expr {
  if (scope.trace === undefined) return bindNode(scope, node);
  const expr = bindNode(scope, node);
  scope.trace.expr(expr, node, scope);
  return expr;
}

function bindNode(outer: Scope, node: Node): Expr {
  if (outer.depth > MOST_DEPTH) throw tooDeep();
  const scope: Scope = { ...outer, depth: outer.depth + 1 };
  const bind = (each: Node): Expr => bindExpr(scope, each);
  if ("A_Const" in node) return bindConst(scope, node.A_Const);
  if ("ColumnRef" in node) return bindWholeRow(scope, node) ?? bindColumn(scope, node.ColumnRef);
  if ("ParamRef" in node) return bindParam(scope, node.ParamRef);
  if ("A_Expr" in node) return bindOperator(scope, node.A_Expr, bind);
  if ("BoolExpr" in node) return bindLogic(scope, node.BoolExpr, bind);
  if ("FuncCall" in node) return bindCall(scope, node.FuncCall, bind);
  if ("TypeCast" in node) return bindCast(scope, node.TypeCast, bind);
  if ("NullTest" in node) {
    const { arg, nulltesttype, argisrow } = node.NullTest;
    if (argisrow === true) throw notSupported("IS NULL of a row");
    const isNegated = nulltesttype === "IS_NOT_NULL";
    return bindNullTest(scope, required(arg), isNegated, bind);
  }
  if ("BooleanTest" in node) return bindBooleanTest(scope, node.BooleanTest, bind);
  if ("CaseExpr" in node) return bindCase(scope, node.CaseExpr, bind);
  if ("CoalesceExpr" in node) {
    const args = (node.CoalesceExpr.args ?? []).map(bind);
    return { kind: "coalesce", ...coerceToCommon(scope, args, "COALESCE") };
  }
  if ("MinMaxExpr" in node) return bindExtreme(scope, node.MinMaxExpr, bind);
  if ("A_ArrayExpr" in node) return bindArray(scope, node.A_ArrayExpr, bind);
  if ("SQLValueFunction" in node) return bindValueFunction(scope, node.SQLValueFunction);
  if ("SetToDefault" in node) {
    const message = "DEFAULT is not allowed in this context";
    throw new SqlError("42601", message, placed(scope, node.SetToDefault.location));
  }
  if ("A_Indirection" in node) return bindIndirection(scope, node.A_Indirection, bind);
  if ("RowExpr" in node) return bindRow(node.RowExpr, scope, bind);
  if ("CollateClause" in node) return bindCollation(scope, node.CollateClause, bind);
  if ("SubLink" in node) return bindSubquery(scope, node.SubLink, bind);
  if ("GroupingFunc" in node) {
    if (scope.aggregates === undefined) {
      throw new SqlError("42803", `grouping operations are not allowed in ${scope.clause}`);
    }
    const { outer } = scope;
    const refs = outer?.refs.length ?? 0;
    const args = (node.GroupingFunc.args ?? []).map(bind);
    if (outer !== undefined && isOfOuter(args)) {
      outer.refs.length = refs;
      return outerExpr(outer, outer.bind(node));
    }
    return { kind: "grouping", oid: OID.int4, typmod: -1, args };
  }
  throw notSupported(NAMES[kindOf(node)] ?? `this expression (${kindOf(node)})`);
}

/** Whether values are of the query around this one alone. */
function isOfOuter(args: readonly Expr[]): boolean {
  const has = (kind: Expr["kind"]): boolean =>
    args.some((arg) => someExpr(arg, (part) => part.kind === kind));
  return has("outer") && !has("column");
}

const NAMES: Readonly<Record<string, string>> = {
  GroupingFunc: "GROUPING",
  XmlExpr: "XML",
};

function placed(scope: Scope, offset: number | undefined): { readonly position?: number } {
  const position = scope.source.position(offset);
  return position === undefined ? {} : { position };
}

/** A part that the grammar always gives. */
export function required(node: Node | undefined): Node {
  if (node === undefined) throw new SqlError("XX000", "a part of the statement is missing");
  return node;
}

function bindConst(scope: Scope, constant: NodeOf<"A_Const">): Expr {
  const { isnull, ival, fval, boolval, sval, bsval, location } = constant;
  const typmod = -1;
  if (isnull === true) return { kind: "const", oid: OID.unknown, typmod, value: null, location };
  if (ival !== undefined) return { kind: "const", oid: OID.int4, typmod, value: ival.ival ?? 0 };
  if (boolval !== undefined) {
    return { kind: "const", oid: OID.bool, typmod, value: boolval.boolval === true };
  }
  if (sval !== undefined) {
    return { kind: "const", oid: OID.unknown, typmod, value: sval.sval ?? "", location };
  }
  if (bsval !== undefined) throw notSupported("bit strings");
  const text = (fval?.fval ?? "0").replaceAll("_", "");
  if (/^-?\d+$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return { kind: "const", oid: OID.int8, typmod, value };
  }
  const literal: Expr = { kind: "const", oid: OID.unknown, typmod, value: text, location };
  return coerce(scope, literal, OID.numeric, -1, "implicit");
}

function bindParam(scope: Scope, { number = 0, location }: NodeOf<"ParamRef">): Expr {
  const oid = located(scope, location, () => scope.parameters.typeOf(number));
  const index = number - 1;
  return { kind: "param", oid: oid === 0 ? OID.unknown : oid, typmod: -1, index };
}

function bindLogic(
  scope: Scope,
  { boolop, args = [] }: NodeOf<"BoolExpr">,
  bind: (node: Node) => Expr,
): Expr {
  const word = boolop === "AND_EXPR" ? "AND" : boolop === "OR_EXPR" ? "OR" : "NOT";
  const bound = args.map((arg) => coerceToBool(scope, bind(arg), word));
  const type = { oid: OID.bool, typmod: -1 };
  if (word === "NOT") return { kind: "not", ...type, arg: bound[0] as Expr };
  return { kind: word === "AND" ? "and" : "or", ...type, args: bound };
}

function bindCast(
  scope: Scope,
  { arg, typeName: name, location }: NodeOf<"TypeCast">,
  bind: (node: Node) => Expr,
): Expr {
  const { types } = scope.functions;
  return located(scope, location, () => {
    const { oid, typmod } = typeOfName(types, name ?? {});
    const elements = contentOf(arg, "A_ArrayExpr");
    const isArray = elements !== undefined && types.isArray(oid);
    const bound = isArray
      ? bindArray(scope, elements, bind, types.elementOf(oid))
      : bindRowAs(scope, required(arg), oid, bind);
    return coerce(scope, bound, oid, typmod, "explicit");
  });
}

function bindBooleanTest(
  scope: Scope,
  { arg, booltesttype = "IS_TRUE" }: NodeOf<"BooleanTest">,
  bind: (node: Node) => Expr,
): Expr {
  const words = booltesttype.replaceAll("_", " ");
  const bound = coerceToBool(scope, bind(required(arg)), words);
  const isNegated = words.startsWith("IS NOT");
  const value = words.endsWith("UNKNOWN") ? null : words.endsWith("TRUE");
  return { kind: "booleanTest", oid: OID.bool, typmod: -1, arg: bound, value, isNegated };
}

function bindCase(
  scope: Scope,
  { arg, args = [], defresult }: NodeOf<"CaseExpr">,
  bind: (node: Node) => Expr,
): Expr {
  const whens = args.map((node) => contentOf(node, "CaseWhen") ?? {});
  const conditions = whens.map(({ expr }) => {
    if (arg === undefined) return coerceToBool(scope, bind(required(expr)), "CASE/WHEN");
    const name = [{ String: { sval: "=" } }];
    const equal = { kind: "AEXPR_OP" as const, name, lexpr: arg, rexpr: required(expr) };
    return bindOperator(scope, equal, bind);
  });
  const results = whens.map(({ result }) => bind(required(result)));
  const otherwise = defresult === undefined ? undefined : bind(defresult);
  // PostgreSQL looks at ELSE first.
  const all = otherwise === undefined ? results : [otherwise, ...results];
  const { oid, typmod, args: coerced } = coerceToCommon(scope, all, "CASE");
  const thens = otherwise === undefined ? coerced : coerced.slice(1);
  return {
    kind: "case",
    oid,
    typmod,
    whens: conditions.map((when, i) => ({ when, value: thens[i] as Expr })),
    otherwise: otherwise === undefined ? undefined : coerced[0],
  };
}

function bindExtreme(
  scope: Scope,
  { op, args = [] }: NodeOf<"MinMaxExpr">,
  bind: (node: Node) => Expr,
): Expr {
  const isGreatest = op === "IS_GREATEST";
  const what = isGreatest ? "GREATEST" : "LEAST";
  const common = coerceToCommon(scope, args.map(bind), what);
  const { types } = scope.functions;
  const { compare } = types.get(types.baseOf(common.oid)).codec;
  if (compare === undefined) {
    const name = typeName(types, common.oid);
    throw new SqlError("42883", `could not identify a comparison function for type ${name}`);
  }
  return { kind: "extreme", ...common, isGreatest, compare };
}

function bindArray(
  scope: Scope,
  { elements = [], location }: NodeOf<"A_ArrayExpr">,
  bind: (node: Node) => Expr,
  elementType?: number,
): Expr {
  const { types } = scope.functions;
  const inner = elements.map((node) => {
    const part = contentOf(node, "A_ArrayExpr");
    return part === undefined ? bind(node) : bindArray(scope, part, bind, elementType);
  });
  if (inner.length === 0 && elementType === undefined) {
    throw new SqlError("42P18", "cannot determine type of empty array", {
      hint: "Explicitly cast to the desired type, for example ARRAY[]::integer[].",
      ...placed(scope, location),
    });
  }
  const isNested = inner.some((expr) => types.isArray(expr.oid));
  if (isNested || elementType === undefined) {
    const { oid, args } = coerceToCommon(scope, inner, "ARRAY");
    const own = isNested ? oid : types.arrayOf(oid);
    return { kind: "array", oid: own, typmod: -1, args, isNested };
  }
  const args = inner.map((expr) => coerce(scope, expr, elementType, -1, "explicit"));
  return { kind: "array", oid: types.arrayOf(elementType), typmod: -1, args, isNested };
}

/** CURRENT_DATE and its kin. */
function bindValueFunction(
  scope: Scope,
  { op = "SVFOP_CURRENT_TIMESTAMP", typmod = -1, location }: NodeOf<"SQLValueFunction">,
): Expr {
  const call = (name: string): Expr => bindNamedCall(scope, name, []);
  const now = (oid: number): Expr => coerce(scope, call("now"), oid, typmod, "explicit");
  return located(scope, location, () => {
    const word = op.replace("SVFOP_", "").replace(/_N$/, "");
    switch (word) {
      case "CURRENT_DATE":
        return now(OID.date);
      case "CURRENT_TIME":
        return now(OID.timetz);
      case "CURRENT_TIMESTAMP":
        return now(OID.timestamptz);
      case "LOCALTIME":
        return now(OID.time);
      case "LOCALTIMESTAMP":
        return now(OID.timestamp);
      case "CURRENT_CATALOG":
        return call("current_database");
      case "CURRENT_SCHEMA":
        return call("current_schema");
      case "SESSION_USER":
        return call("session_user");
      default:
        return call("current_user");
    }
  });
}

/** Only byte order is known: "C", "POSIX" and the default, which is "C". */
function bindCollation(
  scope: Scope,
  { arg, collname, location }: NodeOf<"CollateClause">,
  bind: (node: Node) => Expr,
): Expr {
  const names = (collname ?? []).map((node) => contentOf(node, "String")?.sval ?? "");
  const name = names.at(-1) ?? "";
  if (["C", "POSIX", "default", "ucs_basic"].includes(name)) return bind(required(arg));
  throw notSupported(`collation "${name}"`, 'Text orders by its bytes: COLLATE "C".').at(
    scope.source.position(location),
  );
}
