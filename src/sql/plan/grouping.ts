import type { Node } from "libpg-query";
import { bindExpr } from "../bind/bind-expression.ts";
import { settled } from "../bind/coerce.ts";
import { bare, type Expr, isSameExpr, mapExpr } from "../bind/expr.ts";
import type { ExprPrinter } from "../bind/expr-text.ts";
import type { AggregateCall, Scope } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { GroupedRows } from "../exec/group.ts";
import { MappedRows } from "../exec/operators.ts";
import { rowKey } from "../exec/row-key.ts";
import { contentOf } from "../parse/statement.ts";
import { aggregateSpec } from "./aggregates.ts";
import type { PlanEnv } from "./env.ts";
import { type From, relationsOf } from "./from-tree.ts";
import { over, type PlanNode } from "./node.ts";
import { storedColumns } from "./table-columns.ts";
import type { Target } from "./targets.ts";

/** GROUP BY: its expressions, and which of them each grouping set has. */
export interface Groups {
  readonly exprs: readonly Expr[];
  readonly sets: readonly (readonly number[])[];
  readonly isGrouped: boolean;
}

/** More grouping sets are refused, as PostgreSQL does. */
const MOST_SETS = 4_096;

/** GROUP BY, with CUBE, ROLLUP and GROUPING SETS written out. */
export function bindGroups(
  scope: Scope,
  nodes: readonly Node[],
  targets: readonly Target[],
  isDistinct: boolean,
): Groups {
  const exprs: Expr[] = [];
  const indexOf = (node: Node): readonly number[] => {
    const parts = contentOf(node, "RowExpr")?.args;
    if (parts !== undefined) return parts.flatMap(indexOf);
    const expr = groupExpr(scope, node, targets);
    // Result columns that are named are groups each, also where they are the same.
    const isNamed = targets.some((target) => target.expr === expr);
    const known = isNamed ? exprs.indexOf(expr) : exprs.findIndex((each) => isSameExpr(each, expr));
    return [known >= 0 ? known : exprs.push(expr) - 1];
  };
  let sets: (readonly number[])[] = [[]];
  for (const node of nodes) {
    const own = setsOf(node, indexOf);
    sets = sets.flatMap((set) => own.map((more) => [...new Set([...set, ...more])]));
    if (sets.length > MOST_SETS) {
      throw new SqlError("54001", `too many grouping sets present (maximum ${MOST_SETS})`);
    }
  }
  const keyOf = (set: readonly number[]): string => [...set].sort((a, b) => a - b).join();
  const kept = isDistinct ? new Map(sets.map((set) => [keyOf(set), set])).values() : sets;
  return { exprs, sets: [...kept], isGrouped: nodes.length > 0 };
}

function setsOf(
  node: Node,
  indexOf: (node: Node) => readonly number[],
): readonly (readonly number[])[] {
  const set = contentOf(node, "GroupingSet");
  if (set === undefined) return [indexOf(node)];
  const { kind, content = [] } = set;
  switch (kind) {
    case "GROUPING_SET_EMPTY":
      return [[]];
    case "GROUPING_SET_ROLLUP": {
      const parts = content.map(indexOf);
      return [...parts.keys(), parts.length].reverse().map((n) => parts.slice(0, n).flat());
    }
    case "GROUPING_SET_CUBE": {
      const parts = content.map(indexOf);
      if (parts.length > 12) throw new SqlError("54011", "CUBE is limited to 12 elements");
      const count = 2 ** parts.length;
      return Array.from({ length: count }, (_, i) =>
        parts.filter((_part, p) => (((count - 1 - i) >> (parts.length - 1 - p)) & 1) === 1).flat(),
      );
    }
    case "GROUPING_SET_SETS":
      return content.flatMap((each) => setsOf(each, indexOf));
    default:
      return [content.flatMap(indexOf)];
  }
}

/** What GROUP BY names: an expression, the name of a result column, or its number. */
function groupExpr(scope: Scope, node: Node, targets: readonly Target[]): Expr {
  const constant = contentOf(node, "A_Const");
  const number = constant?.ival?.ival;
  const found = (): Expr => {
    if (number !== undefined) {
      const target = targets[number - 1];
      if (target !== undefined) return target.expr;
      const error = new SqlError("42P10", `GROUP BY position ${number} is not in select list`);
      throw error.at(scope.source.position(constant?.location));
    }
    const fields = contentOf(node, "ColumnRef")?.fields ?? [];
    const name = fields.length === 1 ? contentOf(fields[0], "String")?.sval : undefined;
    const isColumn = scope.tables.some(
      ({ columns, visible }) =>
        visible !== "qualified" && columns.some((each) => each.name === name),
    );
    const named = isColumn ? undefined : targets.find(({ column }) => column.name === name);
    return named?.expr ?? settled(scope, bindExpr(scope, node));
  };
  const expr = found();
  scope.trace?.group(expr, node);
  mapExpr(expr, (part) => {
    if (part.kind === "aggregate") {
      throw new SqlError("42803", "aggregate functions are not allowed in GROUP BY");
    }
    if (part.kind === "window") {
      throw new SqlError("42P20", "window functions are not allowed in GROUP BY");
    }
    return undefined;
  });
  return expr;
}

interface GroupParts {
  readonly env: PlanEnv;
  readonly scope: Scope;
  readonly from: From;
  readonly printer: ExprPrinter;
  readonly groups: Groups;
  readonly aggregates: readonly AggregateCall[];
  readonly having: Expr | undefined;
  /** What reads the groups. */
  readonly readers: readonly Expr[];
  readonly node: PlanNode;
  /** Slots of the query as places in the rows of `node`. */
  readonly place: (expr: Expr) => Expr;
}

/** A plan, and how expressions of the query read its rows. */
export interface Stage {
  readonly node: PlanNode;
  readonly lift: (expr: Expr) => Expr;
  readonly width: number;
}

/** Groups rows: they hold the groups' values, the aggregates, then what GROUPING says. */
export function groupStage(parts: GroupParts): Stage {
  const { scope, printer, aggregates, having, node, place, groups } = parts;
  const { types } = scope.functions;
  const exprs = [...groups.exprs];
  const sets = groups.sets.map((set) => [...set]);
  const groupings: (readonly number[])[] = [];
  const hasKey = keyTest(parts);
  /** A column that the groups' columns decide is one of them. */
  const added = (expr: Expr): number => {
    const at = exprs.push(expr) - 1;
    for (const set of sets) set.push(at);
    return at;
  };
  const lifted = (expr: Expr): Expr =>
    mapExpr(expr, (part) => {
      const { oid, typmod } = part;
      const column = (slot: string | number): Expr => ({
        kind: "column",
        oid,
        typmod,
        slot: Number(slot),
        name: printer.text(part),
      });
      const own = exprs.indexOf(part);
      if (part.kind === "const" && own < 0) return undefined;
      const at = own >= 0 ? own : exprs.findIndex((each) => isSameExpr(each, part));
      if (at >= 0) return column(at);
      if (part.kind === "aggregate") return column(AGGREGATES + part.index);
      if (part.kind === "grouping") {
        const args = part.args.map((arg) => exprs.findIndex((each) => isSameExpr(each, arg)));
        if (args.includes(-1)) {
          const message =
            "arguments to GROUPING must be grouping expressions of the associated query level";
          throw new SqlError("42803", message);
        }
        const known = groupings.findIndex((each) => each.join() === args.join());
        return column(GROUPINGS + (known >= 0 ? known : groupings.push(args) - 1));
      }
      if (part.kind !== "column") return undefined;
      if (hasKey(part.slot)) return column(added(part));
      throw ungrouped(scope, part);
    });
  // All is lifted once before the places behind the groups are known.
  for (const reader of parts.readers) lifted(reader);
  for (const { direct } of aggregates) for (const each of direct) lifted(each);
  const condition = having === undefined ? undefined : lifted(having);
  const settle = (expr: Expr): Expr =>
    mapExpr(expr, (part) => {
      if (part.kind !== "column" || part.slot < AGGREGATES) return undefined;
      const isAggregate = part.slot < GROUPINGS;
      const slot = isAggregate
        ? exprs.length + part.slot - AGGREGATES
        : exprs.length + aggregates.length + part.slot - GROUPINGS;
      return { ...part, slot };
    });
  const lift = (expr: Expr): Expr => settle(lifted(expr));
  const values = exprs.map(place).map(compile);
  const oids = exprs.map(({ oid }) => oid);
  const keyOf = rowKey(types, oids);
  const specs = aggregates.map((aggregate) => aggregateSpec(scope, aggregate, place, lift));
  const shown = (set: readonly number[]): string =>
    set.map((at) => printer.text(exprs[at] as Expr)).join(", ") || "()";
  const isPlain = groups.exprs.length === 0 && sets.length === 1;
  const title = isPlain ? "Aggregate" : sets.length > 1 ? "MixedAggregate" : "HashAggregate";
  const details = isPlain ? [] : sets.map((set) => `Group Key: ${shown(set)}`);
  const grouped = over(node, title, details, (source, run) => {
    // GROUPING is the same for all groups of a set: a bit for each argument that it lacks.
    const bits = sets.map((set) =>
      groupings.map((args) => args.reduce((all, at) => all * 2 + (set.includes(at) ? 0 : 1), 0)),
    );
    return new GroupedRows(source, run, { keys: values, keyOf, aggregates: specs, sets, bits });
  });
  const meets = condition === undefined ? undefined : compile(settle(condition));
  const filtered =
    meets === undefined || having === undefined
      ? grouped
      : {
          ...grouped,
          details: [...details, `Filter: ${printer.text(having)}`],
          open: async (...given: Parameters<PlanNode["open"]>) =>
            new MappedRows(await grouped.open(...given), given[0], meets, undefined),
        };
  return { node: filtered, lift, width: exprs.length + aggregates.length + groupings.length };
}

/** Places behind the groups while these are still counted. */
const AGGREGATES = 100_000;
const GROUPINGS = 200_000;

function ungrouped(scope: Scope, part: Extract<Expr, { kind: "column" }>): SqlError {
  const table = scope.tables.find(
    ({ columns, visible }) =>
      visible !== "unqualified" && columns.some((each) => each.slot === part.slot),
  );
  const own = table?.columns.find((each) => each.slot === part.slot);
  const name = table === undefined ? part.name : `${table.name}.${own?.name ?? part.name}`;
  return new SqlError(
    "42803",
    `column "${name}" must appear in the GROUP BY clause or be used in an aggregate function`,
  );
}

/** Whether a column is of a table whose whole primary key each of the sets has. */
function keyTest({ from, groups }: GroupParts): (slot: number) => boolean {
  const slots = new Set(
    groups.exprs.flatMap((expr, at) => {
      const column = bare(expr);
      if (!groups.sets.every((set) => set.includes(at))) return [];
      return column.kind === "column" ? [column.slot] : [];
    }),
  );
  const decided = relationsOf(from.tree).filter(({ relation: { use }, base }) => {
    if (use === undefined || use.descriptor.primaryKey.length === 0) return false;
    const stored = storedColumns(use.descriptor);
    return use.descriptor.primaryKey.every(({ columnId }) =>
      slots.has(base + stored.findIndex(({ id }) => id === columnId)),
    );
  });
  return (slot) =>
    decided.some(({ base, relation }) => slot >= base && slot < base + relation.width);
}
