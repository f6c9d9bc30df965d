import type { Datum } from "../../../rows/index.ts";
import { type Expr, mapExpr, someExpr } from "../../bind/expr.ts";
import type { ScopeTable } from "../../bind/scope.ts";
import type { SortKey } from "../../exec/operators.ts";
import { OID } from "../../types/oids.ts";
import type { AccessPath, WantedOrder } from "../access-path.ts";
import type { PlanEnv } from "../env.ts";
import type { PlanNode } from "../node.ts";
import { orderingOf } from "../output.ts";
import type { PlannedRelation, Relation, Wanted } from "../relation.ts";
import { scopeTable, storedColumns } from "../table-columns.ts";
import type { TableUse } from "../table-use.ts";
import { AppendRows, MergedRows, type Part } from "./append-rows.ts";
import { type Leaf, type PartitionTree, partitionTree } from "./leaves.ts";
import { prunerOf } from "./pruning.ts";

/** How one table is read. */
type TableRelation = (env: PlanEnv, use: TableUse, table: ScopeTable) => Relation;

/** A row of a partitioned table: its columns, the OID of its partition, and its key there. */
export interface PartitionedLayout {
  readonly oidSlot: number;
  readonly keySlots: readonly number[];
  readonly width: number;
}

export function layoutOf({ top, leaves }: PartitionTree): PartitionedLayout {
  const oidSlot = top.fromTop.length;
  const longest = Math.max(0, ...leaves.map(({ use }) => use.descriptor.primaryKey.length));
  const keySlots = Array.from({ length: longest }, (_, i) => oidSlot + 1 + i);
  return { oidSlot, keySlots, width: oidSlot + 1 + longest };
}

/** The rows of all partitions. */
export function partitionedRelation(
  env: PlanEnv,
  use: TableUse,
  table: ScopeTable,
  tableRelation: TableRelation,
): Relation {
  const tree = partitionTree(env, use);
  const layout = layoutOf(tree);
  const rows = tree.leaves.reduce((sum, leaf) => sum + (leaf.use.rows ?? 1_000), 0);
  const plan = (wanted: Wanted): PlannedRelation =>
    planAll({ env, use, tree, layout, tableRelation, wanted });
  return { tables: [table], width: layout.width, rows, use, plan };
}

interface Planning {
  readonly env: PlanEnv;
  readonly use: TableUse;
  readonly tree: PartitionTree;
  readonly layout: PartitionedLayout;
  readonly tableRelation: TableRelation;
  readonly wanted: Wanted;
}

interface Planned {
  readonly leaf: Leaf;
  readonly planned: PlannedRelation;
  readonly part: Part;
}

function planAll(planning: Planning): PlannedRelation {
  const { env, use, tree, layout, wanted } = planning;
  const { needed, order, isCompact = false } = wanted;
  const known = constantFilters(wanted.filters);
  const evaluation = { sql: env.bindContext, parameters: [] };
  const seen = prunerOf(tree.top, known)(evaluation);
  const slots = isCompact
    ? needed.size > 0
      ? [...needed].sort((a, b) => a - b)
      : [0]
    : Array.from({ length: layout.width }, (_, slot) => slot);
  const kept = tree.leaves.filter((leaf) => seen.has(leaf));
  const all = kept.map((leaf) => planLeaf(planning, leaf, slots));
  const isOrdered =
    order.length > 0 &&
    all.every(({ planned }) => planned.path?.isOrdered === true) &&
    order.every(({ slot }) => slots.includes(slot));
  const keys = isOrdered && all.length > 1 ? mergeKeys(planning, slots) : undefined;
  const prune =
    wanted.filters.length > known.length ? prunerOf(tree.top, wanted.filters) : undefined;
  const rows = all.reduce((sum, { planned }) => sum + planned.rows, 0);
  const node = appendNode(use, all, prune, keys);
  const path = isOrdered ? ORDERED : undefined;
  return { node, path, slots: isCompact ? slots : undefined, rows: Math.max(1, rows) };
}

/** What the caller asks of a path of rows that are in order already. */
const ORDERED: AccessPath = {
  index: 0,
  name: "",
  conditions: [],
  shown: [],
  reverse: false,
  isOrdered: true,
  isExact: false,
  isUnique: false,
  ranges: () => [{}],
};

/** Those whose values planning knows. */
function constantFilters(filters: readonly Expr[]): readonly Expr[] {
  const isOpen = (part: Expr): boolean =>
    part.kind === "param" ||
    part.kind === "outer" ||
    part.kind === "subquery" ||
    (part.kind === "call" && (part.isVolatile || part.isStable === true)) ||
    (part.kind === "cast" && part.cast.isStable);
  return filters.filter((filter) => !someExpr(filter, isOpen));
}

function planLeaf(
  { env, layout, tableRelation, wanted }: Planning,
  leaf: Leaf,
  slots: readonly number[],
): Planned {
  const { use } = leaf;
  const { types } = env.functions;
  const stored = storedColumns(use.descriptor);
  const key = use.descriptor.primaryKey.map(({ columnId }) =>
    stored.findIndex(({ id }) => id === columnId),
  );
  const own = (slot: number): number | undefined =>
    slot < layout.oidSlot ? leaf.slots[slot] : key[slot - layout.oidSlot - 1];
  const filters = wanted.filters.map((filter) => ofLeaf(filter, leaf, layout));
  const order = wanted.order.map((each): WantedOrder => ({ ...each, slot: own(each.slot) ?? -1 }));
  const needed = new Set<number>();
  for (const slot of wanted.isCompact === true ? slots : wanted.needed) {
    const at = own(slot);
    if (at !== undefined) needed.add(at);
  }
  for (const slot of key) if (isKeyNeeded(wanted, layout)) needed.add(slot);
  const relation = tableRelation(env, use, scopeTable(types, use));
  const { limit } = wanted;
  const planned = relation.plan({ filters, order, needed, isCompact: true, limit });
  const places = slots.map((slot) => {
    const at = own(slot);
    return at === undefined ? -1 : (planned.slots ?? []).indexOf(at);
  });
  const oidAt = slots.indexOf(layout.oidSlot);
  const map = (row: readonly Datum[]): readonly Datum[] => {
    const made = places.map((place) => (place < 0 ? null : (row[place] as Datum)));
    if (oidAt >= 0) made[oidAt] = use.oid;
    return made;
  };
  const isSame = oidAt < 0 && places.every((place, i) => place === i);
  const same = isSame && places.length === (planned.slots ?? []).length;
  return { leaf, planned, part: { node: planned.node, map: same ? undefined : map } };
}

function isKeyNeeded({ needed }: Wanted, { keySlots }: PartitionedLayout): boolean {
  return keySlots.some((slot) => needed.has(slot));
}

/** A condition by the columns of a leaf, whose OID is known. */
function ofLeaf(filter: Expr, { use, slots }: Leaf, { oidSlot }: PartitionedLayout): Expr {
  return mapExpr(filter, (part) => {
    if (part.kind !== "column") return undefined;
    if (part.slot !== oidSlot) return { ...part, slot: slots[part.slot] as number };
    return { kind: "const", oid: OID.oid, typmod: -1, value: use.oid };
  });
}

function mergeKeys({ env, tree, wanted }: Planning, slots: readonly number[]): readonly SortKey[] {
  const { types } = env.functions;
  const columns = scopeTable(types, tree.top.use).columns;
  return wanted.order.map(({ slot, isDescending, isNullsFirst }): SortKey => {
    const column = columns[slot] as (typeof columns)[0];
    const compare = orderingOf(types, column.oid);
    return { slot: slots.indexOf(slot), compare, isDescending, isNullsFirst };
  });
}

function appendNode(
  use: TableUse,
  all: readonly Planned[],
  prune: ReturnType<typeof prunerOf> | undefined,
  keys: readonly SortKey[] | undefined,
): PlanNode {
  const [only] = all;
  const isAlone = all.length === 1 && only !== undefined;
  const title = isAlone
    ? only.part.node.title
    : all.length === 0
      ? "Result"
      : keys === undefined
        ? "Append"
        : "Merge Append";
  return {
    title,
    details: isAlone ? only.part.node.details : all.length === 0 ? ["One-Time Filter: false"] : [],
    children: isAlone ? only.part.node.children : all.map(({ part }) => part.node),
    open: async (run, observe) => {
      const rows = await run.transaction();
      // A partition that comes or goes meanwhile makes the statement begin again.
      await rows.rely(use.descriptor);
      const left = prune?.(run.evaluation);
      const parts = all.flatMap(({ leaf, part }) =>
        left === undefined || left.has(leaf) ? [part] : [],
      );
      const watched = isAlone ? (_node: PlanNode, source: never) => source : observe;
      return keys === undefined
        ? new AppendRows(parts, run, watched as typeof observe)
        : new MergedRows(parts, run, observe, keys);
    },
  };
}
