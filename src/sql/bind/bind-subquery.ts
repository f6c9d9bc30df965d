import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../error.ts";
import { rowKey } from "../exec/row-key.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import { operatorCall } from "./bind-operator.ts";
import { located } from "./coerce.ts";
import { bare, type CallExpr, type Expr, type SubqueryExpr } from "./expr.ts";
import { textsOf } from "./names.ts";
import type { BoundSubquery, Scope } from "./scope.ts";

/** A query below an expression: `(SELECT …)`, EXISTS, IN, ANY, ALL, ARRAY. */
export function bindSubquery(
  scope: Scope,
  link: NodeOf<"SubLink">,
  bind: (node: Node) => Expr,
): Expr {
  return located(scope, link.location, () => {
    if (scope.subquery === undefined) {
      throw new SqlError("0A000", `cannot use subquery in ${scope.clause}`);
    }
    const bound = scope.subquery(scope, link.subselect as Node);
    const { refs, plan } = bound;
    const whole = { kind: "subquery" as const, refs, plan, left: [], typmod: -1 };
    switch (link.subLinkType) {
      case "EXISTS_SUBLINK":
        return { ...whole, form: "exists", oid: OID.bool };
      case "EXPR_SUBLINK": {
        const [column] = onlyColumn(bound, "subquery must return only one column");
        return { ...whole, form: "scalar", oid: column.oid, typmod: column.typmod };
      }
      case "ARRAY_SUBLINK": {
        const [column] = onlyColumn(bound, "subquery must return only one column");
        const { types } = scope.functions;
        const oid = types.isArray(column.oid) ? column.oid : types.arrayOf(column.oid);
        return { ...whole, form: "array", oid };
      }
      case "ANY_SUBLINK":
      case "ALL_SUBLINK":
        return bindCompared(scope, link, bound, bind);
      default:
        throw notSupported("this kind of subquery");
    }
  });
}

function onlyColumn(
  { columns }: BoundSubquery,
  message: string,
): readonly [BoundSubquery["columns"][number]] {
  const [first] = columns;
  if (first === undefined || columns.length !== 1) throw new SqlError("42601", message);
  return [first];
}

/** `x IN (SELECT …)`, `(a, b) = ANY (SELECT …)`, `x < ALL (SELECT …)`. */
function bindCompared(
  scope: Scope,
  { testexpr, operName, subLinkType }: NodeOf<"SubLink">,
  { columns, refs, plan }: BoundSubquery,
  bind: (node: Node) => Expr,
): Expr {
  const parts = contentOf(testexpr, "RowExpr")?.args ?? [testexpr as Node];
  const left = parts.map(bind);
  if (left.length < columns.length) throw new SqlError("42601", "subquery has too many columns");
  if (left.length > columns.length) throw new SqlError("42601", "subquery has too few columns");
  const name = textsOf(operName).at(-1) ?? "=";
  const calls = columns.map(({ oid, typmod }, i): CallExpr => {
    const mine: Expr = { ...(left[i] as Expr) };
    scope.trace?.expr(mine, parts[i] as Node, scope);
    const one = operatorCall(scope, name, [
      mine,
      { kind: "column", oid, typmod, slot: left.length + i, name: `column${i + 1}` },
    ]);
    if (one.oid === OID.bool) return one;
    throw new SqlError("42804", `row comparison operator must yield type boolean, not this type`);
  });
  // The left side stands in the condition by its value.
  const values = calls.map((call) => call.args[0] as Expr);
  const placed = calls.map((call, i): Expr => {
    const [mine, theirs] = call.args as [Expr, Expr];
    const { oid, typmod } = mine;
    const slot: Expr = { kind: "column", oid, typmod, slot: i, name: "value" };
    return { ...call, args: [slot, theirs] };
  });
  if (placed.length > 1 && name !== "=" && name !== "<>") {
    throw notSupported(`comparing rows by ${name}`);
  }
  const isAll = subLinkType === "ALL_SUBLINK";
  const type = { oid: OID.bool, typmod: -1 };
  const [first] = placed as [Expr];
  const kind = name === "<>" ? ("or" as const) : ("and" as const);
  const test: Expr = placed.length === 1 ? first : { kind, ...type, args: placed };
  const form = isAll ? "all" : "any";
  const keyOf = !isAll && name === "=" ? keyFor(scope, placed) : undefined;
  return { kind: "subquery", ...type, form, refs, plan, left: values, test, keyOf };
}

/** A text that is equal where the condition holds; none where sides are of other types. */
function keyFor(scope: Scope, parts: readonly Expr[]): SubqueryExpr["keyOf"] {
  const { types } = scope.functions;
  const oids: number[] = [];
  for (const part of parts) {
    const sides = part.kind === "call" ? part.args.map(bare) : [];
    if (sides.some(({ kind }) => kind !== "column")) return undefined;
    const [left, right] = sides.map(({ oid }) => types.baseOf(oid));
    if (left === undefined || left !== right) return undefined;
    if (types.get(left).codec.hash === undefined) return undefined;
    oids.push(left);
  }
  return rowKey(types, oids);
}
