import type { Node } from "libpg-query";
import { bindExpr } from "../bind/bind-expression.ts";
import { bindOrder } from "../bind/bind-order.ts";
import { coerce, settled } from "../bind/coerce.ts";
import type { Expr } from "../bind/expr.ts";
import type { OrderPart, Scope } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import type { ExecRun } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import type { WantedOrder } from "./access-path.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import type { Target } from "./targets.ts";

/** ORDER BY: the name of a result column, its number, or an expression. */
export function bindSorts(
  scope: Scope,
  nodes: readonly Node[],
  targets: readonly Target[],
): readonly OrderPart[] {
  return bindOrder(nodes, (node) => namedTarget(scope, node, targets, "ORDER BY"));
}

/** What ORDER BY or DISTINCT ON names. */
export function namedTarget(
  scope: Scope,
  node: Node,
  targets: readonly Target[],
  clause: string,
): Expr {
  const constant = contentOf(node, "A_Const");
  const placed = (error: SqlError): SqlError =>
    error.at(scope.source.position(constant?.location ?? contentOf(node, "ColumnRef")?.location));
  if (constant?.ival !== undefined) {
    const number = constant.ival.ival ?? 0;
    const target = targets[number - 1];
    if (target !== undefined) return target.expr;
    throw placed(new SqlError("42P10", `${clause} position ${number} is not in select list`));
  }
  if (constant !== undefined) {
    throw placed(new SqlError("42601", `non-integer constant in ${clause}`));
  }
  const fields = contentOf(node, "ColumnRef")?.fields ?? [];
  const name = fields.length === 1 ? contentOf(fields[0], "String")?.sval : undefined;
  const [first, ...others] = targets.filter(
    ({ column }) => name !== undefined && column.name === name,
  );
  if (first !== undefined && others.some(({ expr }) => expr !== first.expr && !same(expr, first))) {
    throw placed(new SqlError("42702", `${clause} "${name}" is ambiguous`));
  }
  return first?.expr ?? settled(scope, bindExpr(scope, node));
}

function same(expr: Expr, { expr: other }: Target): boolean {
  return expr.kind === "column" && other.kind === "column" && expr.slot === other.slot;
}

/** The order as a key may give it. */
export function keyOrder(sorts: readonly OrderPart[]): readonly WantedOrder[] {
  const order = sorts.flatMap(({ expr, isDescending, isNullsFirst }) =>
    expr.kind === "column" ? [{ slot: expr.slot, isDescending, isNullsFirst }] : [],
  );
  // An order that no key can give: as if a column were wanted that there is not.
  const none = [{ slot: -1, isDescending: false, isNullsFirst: false }];
  return order.length === sorts.length ? order : none;
}

type Count = (run: ExecRun) => number | undefined;

export interface Limits {
  readonly skip: Count;
  readonly take: Count;
  /** Rows that are read at most. */
  readonly most: Count | undefined;
  readonly isLimited: boolean;
  readonly hasTies: boolean;
  /** Their subqueries are read first. */
  readonly prepare: (run: ExecRun) => Promise<unknown>;
}

export function bindLimits(env: PlanEnv, select: NodeOf<"SelectStmt">): Limits {
  const skip = countOf(env, select.limitOffset, "OFFSET");
  const take = countOf(env, select.limitCount, "LIMIT");
  const isLimited = select.limitOffset !== undefined || select.limitCount !== undefined;
  const hasTies = select.limitOption === "LIMIT_OPTION_WITH_TIES";
  if (hasTies && select.sortClause === undefined) {
    throw new SqlError("42601", "WITH TIES cannot be specified without ORDER BY clause");
  }
  if (hasTies && contentOf(select.limitCount, "A_Const")?.isnull === true) {
    const message = "row count cannot be null in FETCH FIRST ... WITH TIES clause";
    throw new SqlError("2201W", message);
  }
  const most: Count = (run) => {
    const taken = take(run);
    return taken === undefined ? undefined : taken + (skip(run) ?? 0);
  };
  const hasMost = select.limitCount !== undefined && !hasTies;
  return {
    skip,
    take,
    isLimited,
    hasTies,
    most: hasMost ? most : undefined,
    prepare: (run) => run.evaluate(() => [skip(run), take(run)]),
  };
}

function countOf(env: PlanEnv, node: Node | undefined, word: "LIMIT" | "OFFSET"): Count {
  if (node === undefined) return () => undefined;
  const scope = scopeOf(env, [], word);
  const value = compile(coerce(scope, bindExpr(scope, node), OID.int8, -1, "assignment"));
  return (run) => {
    const count = value([], run.evaluation);
    if (count === null) return undefined;
    if ((count as bigint) >= 0n) return Number(count);
    const sqlState = word === "LIMIT" ? "2201W" : "2201X";
    throw new SqlError(sqlState, `${word} must not be negative`);
  };
}
