import type { ViewObject } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import { Parameters, type ScopeColumn, type ScopeTable } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { MappedRows } from "../exec/operators.ts";
import { Source } from "../parse/source.ts";
import { contentOf } from "../parse/statement.ts";
import type { PlanEnv } from "./env.ts";
import { movedColumns, slotsOf } from "./from-tree.ts";
import { allOf } from "./join-plan.ts";
import type { KnownView } from "./known-view.ts";
import type { PlanNode } from "./node.ts";
import { type BoundQuery, derivedTable, type SimpleQuery } from "./query.ts";
import type { PlannedRelation, Relation, ViewCheck } from "./relation.ts";

/** Views that rest on each other may nest this deep. */
const MOST_VIEWS = 64;

/** Errors in a view's query have no place in the statement. */
class ViewSource extends Source {
  override position(): undefined {
    return undefined;
  }
}

/** Binds the query of a view: it sees nothing of the statement that uses the view. */
export function bindView(env: PlanEnv, { view, query }: KnownView): BoundQuery {
  const depth = (env.viewDepth ?? 0) + 1;
  if (depth > MOST_VIEWS) {
    throw new SqlError("42P17", `infinite recursion detected in view "${view.name}"`);
  }
  const inner: PlanEnv = {
    ...env,
    viewDepth: depth,
    lastColumns: lastColumnsOf(view),
    source: new ViewSource(view.query),
    parameters: new Parameters([], true),
    ctes: undefined,
    outer: undefined,
    target: undefined,
    // Who prints a query prints the names of the views that it reads.
    trace: depth === 1 ? env.trace : undefined,
  };
  return env.bindQuery(inner, query);
}

function lastColumnsOf({ uses }: Partial<ViewObject>): ReadonlyMap<string, number> {
  return new Map(
    (uses ?? []).flatMap(({ id, lastColumn }) =>
      lastColumn === undefined ? [] : [[id, lastColumn] as const],
    ),
  );
}

/** The rows of a view. One of columns of a single relation is read as that relation is. */
export function viewRelation(env: PlanEnv, known: KnownView, alias: string | undefined): Relation {
  const { view, oid } = known;
  const name = alias ?? view.name;
  const schema = alias === undefined ? { schema: view.namespace.join(".") } : {};
  const bound = bindView(env, known);
  const names = view.columns.map((column) => column.name);
  const table = derivedTable(name, bound.columns, names);
  const columns = table.columns.map((column, i) => ({
    ...column,
    tableOid: oid,
    attribute: i + 1,
  }));
  const simple = bound.simple && simpleView(bound.simple);
  if (simple !== undefined && contentOf(known.query, "SelectStmt")?.sortClause === undefined) {
    const own = columns.map((column, i): ScopeColumn => {
      return { ...column, slot: simple.slots[i] as number };
    });
    const relation = narrowed(
      simple.relation,
      { name, ...schema, columns: own, rowType: oid },
      simple.where,
    );
    return { ...relation, checks: checksOf(view, simple.relation, simple.where) };
  }
  return {
    tables: [{ name, ...schema, columns, rowType: oid }],
    width: columns.length,
    rows: 1_000,
    isVolatile: bound.isVolatile,
    plan: ({ filters }) => {
      const below = bound.plan();
      const node: PlanNode = {
        title: `Subquery Scan on ${name}`,
        details: [],
        children: [below],
        open: (run, observe) => below.open(run, observe),
      };
      return { rows: Math.max(1, 1_000 * 0.3 ** filters.length), node };
    },
  };
}

/** CASCADED asks for the conditions of all views below, LOCAL for those that say so themselves. */
function checksOf(
  { name, checkOption }: ViewObject,
  { checks = [], conditions = [] }: Relation,
  where: readonly Expr[],
): readonly ViewCheck[] {
  if (checkOption === undefined) return checks;
  const own = where.map((condition) => ({ view: name, condition }));
  if (checkOption === "local") return [...checks, ...own];
  const below = conditions.map((condition) => ({ view: name, condition }));
  return [...checks, ...below, ...own];
}

interface SimpleView {
  readonly relation: Relation;
  readonly where: readonly Expr[];
  /** Of its columns, in the relation. */
  readonly slots: readonly number[];
}

/** Nothing but columns of one relation, and conditions on them. */
export function simpleView({ from, where, values }: SimpleQuery): SimpleView | undefined {
  const { tree } = from;
  if (tree.kind !== "relation" || tree.relation.refs !== undefined) return undefined;
  const slots = values.map((value) => (value.kind === "column" ? value.slot : -1));
  if (slots.includes(-1)) return undefined;
  return { relation: tree.relation, where, slots };
}

/** A relation with fewer rows, and other names for its columns. */
function narrowed(relation: Relation, table: ScopeTable, where: readonly Expr[]): Relation {
  const { lookup } = relation;
  const conditions = [...(relation.conditions ?? []), ...where];
  const kept = <T extends Pick<PlannedRelation, "node" | "slots">>(planned: T): T => {
    if (where.length === 0) return planned;
    const { node, slots } = planned;
    const place = (slot: number): number => (slots === undefined ? slot : slots.indexOf(slot));
    const condition = compile(allOf(where.map((expr) => movedColumns(expr, place))));
    return {
      ...planned,
      node: {
        ...node,
        open: async (run, observe) =>
          new MappedRows(await node.open(run, observe), run, condition, undefined),
      },
    };
  };
  const needs = (needed: ReadonlySet<number>): ReadonlySet<number> =>
    new Set([...needed, ...slotsOf(where)]);
  return {
    ...relation,
    tables: [table],
    conditions,
    plan: ({ filters, needed, ...wanted }) =>
      kept(relation.plan({ ...wanted, filters: [...filters, ...where], needed: needs(needed) })),
    lookup:
      lookup === undefined
        ? undefined
        : ({ filters, needed, ...wanted }, byKey) => {
            const whole = { ...wanted, filters: [...filters, ...where], needed: needs(needed) };
            const found = lookup(whole, byKey);
            if (found === undefined || where.length === 0) return found;
            const place = (slot: number): number => found.slots.indexOf(slot);
            const condition = compile(allOf(where.map((expr) => movedColumns(expr, place))));
            return {
              ...kept(found),
              open: async (run, tuples) =>
                new MappedRows(await found.open(run, tuples), run, condition, undefined),
            };
          },
  };
}
