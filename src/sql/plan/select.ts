import type { Node } from "libpg-query";
import { bindExpr } from "../bind/bind-expression.ts";
import { namedWindows } from "../bind/bind-window.ts";
import { coerceToBool } from "../bind/coerce.ts";
import { type Expr, isVolatile, type SubqueryExpr, someExpr } from "../bind/expr.ts";
import { ExprPrinter } from "../bind/expr-text.ts";
import type { AggregateCall, OrderPart, Scope, WindowCall } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { conjuncts } from "./conditions.ts";
import { type PlanEnv, type QueryBelow, scopeOf, withRelations } from "./env.ts";
import { bindFrom } from "./from.ts";
import { exprsOf, type From, relationsOf, slotsOf } from "./from-tree.ts";
import { bindGroups, type Groups, groupStage } from "./grouping.ts";
import { JoinPlanner, type Placed, placesOf } from "./join-plan.ts";
import { joinWays } from "./join-ways.ts";
import { bindLocks, lockedBelow, lockNode, sortedSource, type TableLock } from "./lock-rows.ts";
import type { PlanNode } from "./node.ts";
import { bindLimits, bindSorts, keyOrder, type Limits, namedTarget } from "./order-limit.ts";
import { outputNode } from "./output.ts";
import { isSetCall } from "./project.ts";
import type { BindHow, BoundQuery, Query } from "./query.ts";
import { pulledUpSubqueries } from "./semi-join.ts";
import { bindSetOperation } from "./set-operation.ts";
import { bindTargets, type Target } from "./targets.ts";
import { bindValues } from "./values.ts";
import { windowStage } from "./window-stage.ts";
import { bindWith, withNode } from "./with.ts";

/** Plans SELECT and VALUES. @throws SqlError. */
export function planSelect(
  env: PlanEnv,
  select: NodeOf<"SelectStmt">,
  how?: BindHow,
): Promise<Query> {
  return withRelations(env, () => {
    const { columns, plan } = bindQuery(env, { SelectStmt: select }, how);
    return { columns, node: plan() };
  });
}

/** Binds a query: its names and types. Its plan is made once, when it is asked for. */
export function bindQuery(env: PlanEnv, node: Node, how: BindHow = {}): BoundQuery {
  const select = contentOf(node, "SelectStmt") ?? {};
  const { withClause } = select;
  if (withClause !== undefined) {
    const around = bindWith(env, withClause);
    const query = bindBody(around.inner, select, how);
    const { columns, isVolatile } = query;
    const plan = once((needed?: ReadonlySet<number>) => withNode(query.plan(needed), around));
    return { columns, isVolatile: isVolatile || around.isVolatile, plan };
  }
  return bindBody(env, select, how);
}

function bindBody(env: PlanEnv, select: NodeOf<"SelectStmt">, how: BindHow): BoundQuery {
  if (select.intoClause !== undefined) throw notSupported("SELECT INTO", "Use INSERT … SELECT.");
  const isSet = select.op !== undefined && select.op !== "SETOP_NONE";
  const query = isSet
    ? bindSetOperation(env, select, how)
    : select.valuesLists !== undefined
      ? bindValues(env, select, how)
      : bindSelect(env, select, how);
  return { ...query, plan: once(query.plan) };
}

function once<A, T>(make: (how?: A) => T): (how?: A) => T {
  let made: { readonly value: T } | undefined;
  return (how) => {
    made ??= { value: make(how) };
    return made.value;
  };
}

/** SELECT with its names and types. */
interface Bound {
  readonly env: PlanEnv;
  readonly scope: Scope;
  readonly from: From;
  readonly where: readonly Expr[];
  readonly targets: readonly Target[];
  readonly aggregates: readonly AggregateCall[];
  readonly windows: readonly WindowCall[];
  readonly groups: Groups;
  readonly having: Expr | undefined;
  readonly sorts: readonly OrderPart[];
  readonly distinct: readonly Expr[] | undefined;
  readonly isDistinctOn: boolean;
  readonly limits: Limits;
  readonly locks: readonly TableLock[];
}

function bindSelect(env: PlanEnv, select: NodeOf<"SelectStmt">, how: BindHow): BoundQuery {
  const locking = select.lockingClause ?? [];
  const from = bindFrom(env, lockedBelow(locking, select.fromClause ?? []));
  const aggregates: AggregateCall[] = [];
  const windows: WindowCall[] = [];
  const { tables } = from;
  const named = namedWindows(select.windowClause);
  const scope = scopeOf(env, tables, "this clause", { aggregates, windows, namedWindows: named });
  const condition = (node: Node | undefined, at: Scope, what: string): Expr | undefined =>
    node === undefined ? undefined : coerceToBool(at, bindExpr(at, node), what);
  const where = condition(select.whereClause, scopeOf(env, tables, "WHERE"), "WHERE");
  if (where !== undefined && someExpr(where, isSetCall)) {
    throw new SqlError("0A000", "set-returning functions are not allowed in WHERE");
  }
  const targets = bindTargets(scope, select.targetList ?? [], how);
  const groupScope = scopeOf(env, tables, "GROUP BY");
  const isDistinctSets = select.groupDistinct === true;
  const groups = bindGroups(groupScope, select.groupClause ?? [], targets, isDistinctSets);
  const inHaving = scopeOf(env, tables, "HAVING", { aggregates });
  const having = condition(select.havingClause, inHaving, "HAVING");
  const sorts = bindSorts(scope, select.sortClause ?? [], targets);
  const { distinctClause } = select;
  const on = (distinctClause ?? []).filter((node) => Object.keys(node).length > 0);
  const distinct = on.map((node) => namedTarget(scope, node, targets, "DISTINCT ON"));
  const bound: Bound = {
    env,
    scope,
    from,
    where: conjuncts(where),
    targets,
    aggregates,
    windows,
    groups,
    having,
    sorts,
    distinct: distinctClause === undefined ? undefined : distinct,
    isDistinctOn: on.length > 0,
    limits: bindLimits(env, select),
    locks: bindLocks(env, locking, from),
  };
  if (bound.locks.length > 0) assertLockable(bound);
  if (aggregates.length > 0) assertNotRecursive(from);
  const parts = { kind: "select", scope, where, targets, groups, having, sorts } as const;
  env.trace?.query(select, { ...parts, distinct });
  const values = targets.map(({ expr }) => expr);
  const isPlain =
    !isGrouped(bound) && windows.length === 0 && !bound.limits.isLimited && !from.isCorrelated;
  const isSimple = isPlain && locking.length === 0 && !bound.isDistinctOn && !values.some(hasSet);
  return {
    columns: targets.map(({ column }) => column),
    isVolatile: [...bound.where, ...values].some(isVolatile),
    ...(isSimple && { simple: { from, where: bound.where, values } }),
    plan: (needed) => planBound(needed === undefined ? bound : pruned(bound, needed)),
  };
}

/** Leaves out values that the query around it does not read: they could only fail. */
function pruned(bound: Bound, needed: ReadonlySet<number>): Bound {
  const { distinct, windows, locks } = bound;
  if (distinct !== undefined || windows.length + locks.length > 0 || isGrouped(bound)) return bound;
  const targets = bound.targets.map((target, i): Target => {
    const { expr } = target;
    const isKept = needed.has(i) || expr.kind === "column" || isVolatile(expr) || hasSet(expr);
    if (isKept) return target;
    const { oid, typmod } = expr;
    return { ...target, expr: { kind: "const", oid, typmod, value: null } };
  });
  return { ...bound, targets };
}

function hasSet(expr: Expr): boolean {
  return someExpr(expr, isSetCall);
}

function isGrouped({ groups, aggregates, having, targets, sorts }: Bound): boolean {
  const says = ({ expr }: { readonly expr: Expr }): boolean =>
    someExpr(expr, ({ kind }) => kind === "grouping");
  return (
    groups.isGrouped ||
    aggregates.length > 0 ||
    having !== undefined ||
    targets.some(says) ||
    sorts.some(says)
  );
}

/** @throws SqlError 42P19. */
function assertNotRecursive({ tree }: From): void {
  if (!relationsOf(tree).some(({ relation }) => relation.isWorking === true)) return;
  const what = "aggregate functions are not allowed in a recursive query's recursive term";
  throw new SqlError("42P19", what);
}

/** @throws SqlError 0A000 where rows of the result are not rows of a table. */
function assertLockable(bound: Bound): void {
  const clause = isGrouped(bound)
    ? bound.groups.isGrouped
      ? "GROUP BY clause"
      : "aggregate functions"
    : bound.distinct !== undefined
      ? "DISTINCT clause"
      : bound.windows.length > 0
        ? "window functions"
        : undefined;
  if (clause === undefined) return;
  throw new SqlError("0A000", `${bound.locks[0]?.word} is not allowed with ${clause}`);
}

/** What reads groups where there are some. */
function readersOf({ targets, sorts, windows, distinct = [] }: Bound): readonly Expr[] {
  return [
    ...targets.map(({ expr }) => expr),
    ...sorts.map(({ expr }) => expr),
    ...distinct,
    ...windows.flatMap(windowExprs),
  ];
}

/** Everything that is computed of the rows of FROM. */
function exprsIn(bound: Bound): readonly Expr[] {
  const { targets, sorts, groups, having, aggregates, windows, distinct = [] } = bound;
  return [
    ...targets.map(({ expr }) => expr),
    ...sorts.map(({ expr }) => expr),
    ...distinct,
    ...groups.exprs,
    ...(having ? [having] : []),
    ...aggregates.flatMap(({ call, filter, order }) => [
      ...call.args,
      ...(filter ? [filter] : []),
      ...order.map(({ expr }) => expr),
    ]),
    ...windows.flatMap(windowExprs),
  ];
}

function windowExprs({ call, filter, window }: WindowCall): readonly Expr[] {
  const offsets = [window.start.offset, window.end.offset];
  return [
    ...call.args,
    ...(filter ? [filter] : []),
    ...window.partition,
    ...window.order.map(({ expr }) => expr),
    ...offsets.flatMap((offset) => (offset === undefined ? [] : [offset])),
  ];
}

function planBound(bound: Bound): PlanNode {
  const { env, groups, distinct, isDistinctOn, limits, windows, locks } = bound;
  const printer = new ExprPrinter(env.functions.types, env.bindContext);
  const isLocked = locks.length > 0;
  const source = isLocked ? planLocked(bound, printer) : planSource(bound);
  const place = placesOf(source.slots);
  const width = source.slots.length;
  const grouped = isGrouped(bound)
    ? groupStage({ ...bound, readers: readersOf(bound), printer, node: source.node, place })
    : { node: source.node, lift: place, width };
  const windowed =
    windows.length === 0 ? grouped : windowStage({ env, printer, windows, ...grouped });
  const { lift } = windowed;
  const isPlain = !groups.isGrouped && windows.length === 0 && distinct === undefined;
  const isOrdered = isLocked || (isPlain && isInOrder(bound, source));
  const node = outputNode(env, printer, {
    node: windowed.node,
    width: windowed.width,
    targets: bound.targets.map(({ expr }) => lift(expr)),
    sorts: bound.sorts.map((sort) => ({ ...sort, expr: lift(sort.expr) })),
    distinct: distinct?.map(lift),
    isDistinctOn,
    isOrdered,
    limits,
  });
  return withSubplans(node, [...bound.where, ...exprsIn(bound), ...exprsOf(bound.from.tree)]);
}

function isInOrder(bound: Bound, { path }: Placed): boolean {
  return !isGrouped(bound) && bound.from.tree.kind === "relation" && path?.isOrdered === true;
}

/** The rows of FROM that meet WHERE. */
function planSource(bound: Bound): Placed {
  const { env, from, where, sorts, distinct, limits, locks, windows } = bound;
  const isShaped = isGrouped(bound) || distinct !== undefined || windows.length > 0;
  const isLocked = locks.length > 0;
  // A row that has changed meanwhile is judged again by all conditions.
  const { tree, filters } = isLocked
    ? { tree: from.tree, filters: where }
    : pulledUpSubqueries(from, where);
  const isReduced = isShaped || hasSets(bound);
  const needed = slotsOf([...filters, ...exprsIn(bound), ...exprsOf(tree)]);
  for (const { readSlots } of locks) for (const slot of readSlots) needed.add(slot);
  const order = isShaped ? [] : keyOrder(sorts);
  const planner = new JoinPlanner(env, {
    needed,
    order,
    limit: isReduced || isLocked || sorts.length > 0 ? undefined : limits.most,
    ways: joinWays(env),
  });
  return planner.plan(tree, filters);
}

/** The rows of FROM in the order of the query, locked one by one behind it. */
function planLocked(bound: Bound, printer: ExprPrinter): Placed {
  const { env, from, where, locks, sorts, limits } = bound;
  const source = planSource(bound);
  const isSorted = sorts.length > 0 && !isInOrder(bound, source);
  const sorted = isSorted ? sortedSource(env, printer, source, sorts) : source.node;
  const node = lockNode(sorted, {
    types: env.functions.types,
    locks,
    tree: from.tree,
    where,
    slots: source.slots,
    most: hasSets(bound) ? undefined : limits.most,
    isStreamed: !isSorted && from.tree.kind === "relation",
  });
  return { ...source, node };
}

function hasSets({ targets }: Bound): boolean {
  return targets.some(({ expr }) => hasSet(expr));
}

/** EXPLAIN shows queries below expressions behind what uses them. */
function withSubplans(node: PlanNode, exprs: readonly Expr[]): PlanNode {
  const found = new Set<SubqueryExpr>();
  for (const expr of exprs) {
    someExpr(expr, (part) => {
      if (part.kind === "subquery") found.add(part);
      return false;
    });
  }
  if (found.size === 0) return node;
  const { children } = node;
  return {
    ...node,
    // The plan of a subquery that became a join is not made for this.
    get children() {
      const plans = [...found].map((each, i): PlanNode => {
        const title = each.refs.length === 0 ? "InitPlan" : "SubPlan";
        const below = (each.plan as QueryBelow).node();
        return { ...below, title: `${title} ${i + 1}`, details: [], children: [below] };
      });
      return [...children, ...plans];
    },
  };
}
