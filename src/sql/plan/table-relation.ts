import { ExprPrinter } from "../bind/expr-text.ts";
import type { ScopeTable } from "../bind/scope.ts";
import type { VirtualRelation } from "../catalog/virtual.ts";
import { type AccessPath, type AccessWays, chooseAccess } from "./access-path.ts";
import type { PlanEnv } from "./env.ts";
import { partitionedRelation } from "./partitions/partitioned-relation.ts";
import type { Relation } from "./relation.ts";
import { scanNode, scanTuples } from "./scan-node.ts";
import { storedColumns } from "./table-columns.ts";
import type { TableUse } from "./table-use.ts";
import { virtualNode } from "./virtual-scan.ts";

/** Rows that a condition leaves, about, by what is known without statistics. */
function leftBy(path: AccessPath, rows: number, filters: number): number {
  if (path.isUnique) return 1;
  if (path.search !== undefined) {
    const { share, shown } = path.search;
    return Math.max(1, rows * share * 0.3 ** Math.max(0, filters - shown.length));
  }
  const byKey = path.conditions.reduce((left, { isPoints }) => left * (isPoints ? 0.01 : 0.3), 1);
  const rest = 0.3 ** Math.max(0, filters - path.shown.length);
  return Math.max(1, rows * byKey * rest);
}

/** The ways to read a table that the session allows. */
function accessWays({ setting }: PlanEnv): AccessWays {
  return {
    search: setting("enable_bitmapscan") !== "off",
    whole: setting("enable_seqscan") !== "off",
  };
}

export function tableRelation(env: PlanEnv, use: TableUse, table: ScopeTable): Relation {
  if (use.partitions !== undefined) return partitionedRelation(env, use, table, tableRelation);
  const { types } = env.functions;
  const printer = new ExprPrinter(types, env.bindContext);
  const { descriptor } = use;
  const rows = use.rows ?? 1_000;
  const width = storedColumns(descriptor).length;
  const slotsOf = (needed: ReadonlySet<number>): readonly number[] => {
    const slots = [...needed].sort((a, b) => a - b);
    return slots.length > 0 ? slots : [0];
  };
  const ways = accessWays(env);
  return {
    tables: [table],
    width,
    rows,
    use,
    plan: ({ filters, order, needed, limit, isCompact = false }) => {
      const path = chooseAccess(types, descriptor, filters, order, needed, ways);
      const own = path.isExact ? limit : undefined;
      const parts = { use, path, needed, limit: own, isCompact, mayReadWhole: ways.whole };
      const node = scanNode(printer, parts);
      const slots = isCompact ? slotsOf(needed) : undefined;
      return { node, path, slots, rows: leftBy(path, rows, filters.length) };
    },
    lookup: ({ filters, needed }, byKey) => {
      const path = chooseAccess(types, descriptor, [...byKey, ...filters], [], needed);
      const [first] = path.conditions;
      const used = byKey.filter((each) => path.shown.includes(each));
      if (first?.isPoints !== true || used.length === 0) return undefined;
      const parts = { use, path, needed, isCompact: true };
      return {
        path,
        slots: slotsOf(needed),
        node: scanNode(printer, parts),
        open: (run, tuples) => scanTuples(parts, run, tuples),
      };
    },
  };
}

export function virtualSource(virtual: VirtualRelation, table: ScopeTable): Relation {
  const rows = virtual.estimatedRows ?? 100;
  return {
    tables: [table],
    width: virtual.columns.length,
    rows,
    plan: ({ filters, needed }) => ({
      node: virtualNode(virtual, filters, needed),
      rows: Math.max(1, rows * 0.3 ** filters.length),
    }),
  };
}
