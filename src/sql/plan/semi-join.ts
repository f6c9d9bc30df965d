import { type Expr, mapExpr, type SubqueryExpr, someExpr } from "../bind/expr.ts";
import type { QueryBelow } from "./env.ts";
import { type From, type FromTree, pulledUp } from "./from-tree.ts";

/** FROM with the subqueries of conditions as joins, and the conditions that are left. */
export function pulledUpSubqueries(
  from: From,
  where: readonly Expr[],
): { readonly tree: FromTree; readonly filters: readonly Expr[] } {
  let { tree } = from;
  let width = from.width;
  const filters: Expr[] = [];
  for (const filter of where) {
    const join = asJoin(filter, width);
    if (join === undefined || from.tables.length === 0) {
      filters.push(filter);
      continue;
    }
    const { type, right, on } = join;
    tree = { kind: "join", type, left: tree, right, on };
    width += join.width;
  }
  return { tree, filters };
}

interface SubqueryJoin {
  readonly type: "semi" | "anti";
  readonly right: FromTree;
  readonly on: readonly Expr[];
  readonly width: number;
}

/** EXISTS, NOT EXISTS and IN as joins, where the subquery has nothing but FROM and WHERE. */
function asJoin(filter: Expr, base: number): SubqueryJoin | undefined {
  const isNegated = filter.kind === "not";
  const subquery = isNegated ? filter.arg : filter;
  if (subquery.kind !== "subquery") return undefined;
  const isIn = subquery.form === "any" && !isNegated && subquery.keyOf !== undefined;
  if (subquery.form !== "exists" && !isIn) return undefined;
  const { simple } = (subquery.plan as QueryBelow).query;
  if (simple === undefined || simple.from.tables.length === 0 || !isMovable(subquery)) {
    return undefined;
  }
  const change = (expr: Expr): Expr =>
    mapExpr(expr, (part) => {
      if (part.kind === "outer") return subquery.refs[part.index];
      return part.kind === "column" ? { ...part, slot: part.slot + base } : undefined;
    });
  const on = simple.where.map(change);
  if (isIn) on.push(...compared(subquery, simple.values.map(change)));
  const right = pulledUp(simple.from.tree, base, change);
  return { type: isNegated ? "anti" : "semi", right, on, width: simple.from.width };
}

/** A subquery in the subquery's conditions would be told values of a row that is not there. */
function isMovable(subquery: SubqueryExpr): boolean {
  const { simple, isVolatile } = (subquery.plan as QueryBelow).query;
  if (simple === undefined || isVolatile) return false;
  const hasBelow = (expr: Expr): boolean => someExpr(expr, ({ kind }) => kind === "subquery");
  const parts = [...simple.where, ...simple.values, ...subquery.left, ...subquery.refs];
  return !parts.some(hasBelow) && !joinsBelow(simple.from.tree).some(hasBelow);
}

function joinsBelow(tree: FromTree): readonly Expr[] {
  if (tree.kind === "relation") return [];
  return [...tree.on, ...joinsBelow(tree.left), ...joinsBelow(tree.right)];
}

/** The condition of IN on values of both sides. */
function compared({ test, left }: SubqueryExpr, values: readonly Expr[]): readonly Expr[] {
  if (test === undefined) return [];
  const parts = test.kind === "and" ? test.args : [test];
  return parts.map((part) =>
    mapExpr(part, (each) => {
      if (each.kind !== "column") return undefined;
      return each.slot < left.length ? left[each.slot] : values[each.slot - left.length];
    }),
  );
}
