import { type Expr, isSameExpr, isVolatile, someExpr } from "../bind/expr.ts";
import type { ExprPrinter } from "../bind/expr-text.ts";
import type { OrderPart } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { DistinctRows, UniqueRows } from "../exec/distinct.ts";
import { CutRows, LimitedRows, type SortKey, TiedRows } from "../exec/operators.ts";
import { rowKey } from "../exec/row-key.ts";
import { SortedRows } from "../exec/sort.ts";
import { typeName } from "../functions/coercion.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { PlanEnv } from "./env.ts";
import { over, type PlanNode } from "./node.ts";
import type { Limits } from "./order-limit.ts";
import { isSetCall, projectNode } from "./project.ts";

/** What is made of the rows of a query's source. Columns are places in these rows. */
export interface OutputParts {
  readonly node: PlanNode;
  /** How many values the rows of the source have. */
  readonly width: number;
  readonly targets: readonly Expr[];
  readonly sorts: readonly OrderPart[];
  /** DISTINCT, or DISTINCT ON these; undefined where rows may be equal. */
  readonly distinct: readonly Expr[] | undefined;
  readonly isDistinctOn: boolean;
  /** The source gives the order of the sorts. */
  readonly isOrdered: boolean;
  readonly limits: Limits;
}

/** Computes the targets, then DISTINCT, ORDER BY, OFFSET and LIMIT. */
export function outputNode(env: PlanEnv, printer: ExprPrinter, parts: OutputParts): PlanNode {
  const { types } = env.functions;
  const { targets, distinct, isDistinctOn, isOrdered, limits } = parts;
  const exprs = [...targets];
  const slotFor = (expr: Expr): number => {
    const known = exprs.findIndex((each) => isSameExpr(each, expr));
    return known >= 0 ? known : exprs.push(expr) - 1;
  };
  const keyed = distinct === undefined ? [] : isDistinctOn ? distinct.map(slotFor) : [];
  const sorts = isDistinctOn ? distinctOrder(parts.sorts, distinct ?? []) : parts.sorts;
  const isSorted = isOrdered && !isDistinctOn;
  const keys =
    isSorted && !limits.hasTies ? [] : sorts.map((sort) => sortKey(types, sort, slotFor));
  if (distinct !== undefined && !isDistinctOn && exprs.length > targets.length) {
    const message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
    throw new SqlError("42P10", message);
  }
  if (distinct === undefined && isLate(parts)) return lateOutput(env, printer, parts);
  let node = projectNode(parts.node, exprs, parts.width);
  if (distinct !== undefined && !isDistinctOn) {
    const keyOf = rowKey(
      types,
      targets.map(({ oid }) => oid),
    );
    node = over(node, "HashAggregate", [], (source, run) => new DistinctRows(source, run, keyOf));
  }
  const most = isDistinctOn ? undefined : limits.most;
  if (keys.length > 0 && !isSorted) node = sortNode(node, printer, sorts, keys, most);
  if (isDistinctOn) {
    const oids = keyed.map((slot) => (exprs[slot] as Expr).oid);
    const keyOf = rowKey(types, oids);
    const ofRow = (row: readonly unknown[]): string =>
      keyOf(keyed.map((slot) => row[slot]) as never);
    // Equal rows are next to each other: the sort is by these first.
    node = over(node, "Unique", [], (source) => new UniqueRows(source, ofRow));
  }
  if (limits.isLimited) node = limitNode(node, limits, keys);
  if (exprs.length === targets.length) return node;
  const wide = node;
  const width = targets.length;
  return {
    ...wide,
    open: async (run, observe) => new CutRows(await wide.open(run, observe), width),
  };
}

/** Whether values are to be computed of the rows that ORDER BY and LIMIT leave, in that order. */
function isLate({ targets, sorts, limits }: OutputParts): boolean {
  if (sorts.length === 0 && !limits.isLimited) return false;
  return targets.some(isVolatile) && !targets.some((expr) => someExpr(expr, isSetCall));
}

/** ORDER BY and LIMIT, then the targets: each call of a volatile function is for a row of these. */
function lateOutput(env: PlanEnv, printer: ExprPrinter, parts: OutputParts): PlanNode {
  const { types } = env.functions;
  const { targets, sorts, isOrdered, limits, width } = parts;
  const given = Array.from({ length: width }, (_, slot) => columnAt(slot));
  const sorted: Expr[] = [];
  const slotFor = (expr: Expr): number => {
    const known = sorted.findIndex((each) => isSameExpr(each, expr));
    return width + (known >= 0 ? known : sorted.push(expr) - 1);
  };
  const isSorted = sorts.length > 0 && !isOrdered;
  const keys = isSorted || limits.hasTies ? sorts.map((sort) => sortKey(types, sort, slotFor)) : [];
  let node =
    sorted.length === 0 ? parts.node : projectNode(parts.node, [...given, ...sorted], width);
  if (isSorted) node = sortNode(node, printer, sorts, keys, limits.most);
  const late = targets.map((expr) => {
    const at = sorted.findIndex((each) => isSameExpr(each, expr));
    return at < 0 ? expr : { ...columnAt(width + at), oid: expr.oid, typmod: expr.typmod };
  });
  // What OFFSET skips is computed too; ties are known by the keys, which the targets lack.
  const { most } = limits;
  if (limits.hasTies) return projectNode(limitNode(node, limits, keys), late, width);
  if (most !== undefined) node = cutNode(node, most);
  node = projectNode(node, late, width);
  return limits.isLimited ? limitNode(node, limits, keys) : node;
}

function columnAt(slot: number): Expr {
  return { kind: "column", oid: OID.unknown, typmod: -1, slot, name: "" };
}

/** Not more rows than are asked for, also where they are read in batches. */
function cutNode(node: PlanNode, most: NonNullable<Limits["most"]>): PlanNode {
  return {
    ...node,
    open: async (run, observe) => {
      const rows = await node.open(run, observe);
      return new LimitedRows(rows, 0, most(run) ?? Number.POSITIVE_INFINITY);
    },
  };
}

export function sortNode(
  node: PlanNode,
  printer: ExprPrinter,
  sorts: readonly OrderPart[],
  keys: readonly SortKey[],
  most: Limits["most"],
): PlanNode {
  const shown = sorts.map(({ expr, isDescending, isNullsFirst }) => {
    const nulls =
      isNullsFirst === isDescending ? "" : isNullsFirst ? " NULLS FIRST" : " NULLS LAST";
    return printer.text(expr) + (isDescending ? " DESC" : "") + nulls;
  });
  const detail = `Sort Key: ${shown.join(", ")}`;
  return over(
    node,
    "Sort",
    [detail],
    (source, run) => new SortedRows(source, run, keys, { most: most?.(run) }),
  );
}

function limitNode(node: PlanNode, limits: Limits, keys: readonly SortKey[]): PlanNode {
  const limited = over(node, "Limit", [], (source, run) => {
    const take = limits.take(run) ?? Number.POSITIVE_INFINITY;
    const skip = limits.skip(run) ?? 0;
    return limits.hasTies
      ? new TiedRows(source, skip, take, keys)
      : new LimitedRows(source, skip, take);
  });
  return {
    ...limited,
    open: async (run, observe) => {
      await limits.prepare(run);
      return await limited.open(run, observe);
    },
  };
}

/** DISTINCT ON: its expressions come first in the order. */
function distinctOrder(
  sorts: readonly OrderPart[],
  distinct: readonly Expr[],
): readonly OrderPart[] {
  const left = [...distinct];
  for (const { expr } of sorts) {
    if (left.length === 0) break;
    const at = left.findIndex((each) => isSameExpr(each, expr));
    if (at >= 0) left.splice(at, 1);
    else if (!distinct.some((each) => isSameExpr(each, expr))) {
      const message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
      throw new SqlError("42P10", message);
    }
  }
  return [...sorts, ...left.map((expr) => ({ expr, isDescending: false, isNullsFirst: false }))];
}

/** How values of an expression are ordered. @throws SqlError 42883. */
export function orderingOf(types: TypeRegistry, oid: number): SortKey["compare"] {
  const { compare } = types.get(types.baseOf(oid)).codec;
  if (compare !== undefined) return compare;
  const name = typeName(types, oid);
  throw new SqlError("42883", `could not identify an ordering operator for type ${name}`, {
    hint: "Use an explicit ordering operator or modify the query.",
  });
}

/** Where a sort finds its value: among the targets, or behind them. */
export function sortKey(
  types: TypeRegistry,
  { expr, isDescending, isNullsFirst }: OrderPart,
  slotFor: (expr: Expr) => number,
): SortKey {
  const compare = orderingOf(types, expr.oid);
  return { slot: slotFor(expr), compare, isDescending, isNullsFirst };
}
