import type { Node } from "libpg-query";
import type { Datum, RowTransaction } from "../../rows/index.ts";
import { visibleColumns } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerceToBool } from "../bind/coerce.ts";
import type { ScopeTable } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import { collect } from "../exec/operators.ts";
import { type ExecRun, type Row, rowBytes } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { assertAssignable, assigned } from "./assign.ts";
import type { ChangePlan } from "./change-plan.ts";
import { conjuncts } from "./conditions.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import { bindFrom, planTable } from "./from.ts";
import { exprsOf, type FromJoin, type FromTree, slotsOf } from "./from-tree.ts";
import { bindSet, insertColumns } from "./insert.ts";
import { JoinPlanner } from "./join-plan.ts";
import { joinWays } from "./join-ways.ts";
import { type Observe, openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import { type Place, type RowPlaces, rowPlaces } from "./partitions/row-places.ts";
import { type TableWriter, tableWriter } from "./partitions/table-writer.ts";
import { changeNeeds } from "./statement-needs.ts";
import type { TableUse } from "./table-use.ts";
import { planWithin } from "./with.ts";

type Clause = NodeOf<"MergeWhenClause">;

/** What a clause does with a row: the columns of an update or an insert are by their ids. */
type Action =
  | { readonly kind: "nothing" }
  | { readonly kind: "delete" }
  | { readonly kind: "update"; readonly changes: ReadonlyMap<number, Datum | undefined> }
  | {
      readonly kind: "insert";
      readonly columns: readonly number[];
      readonly values: readonly (Datum | undefined)[];
      readonly overridesIdentity: boolean;
    };

interface When {
  readonly isMatched: boolean;
  readonly condition: Evaluator | undefined;
  readonly action: (row: Row, run: ExecRun) => Action;
}

interface Merge {
  readonly use: TableUse;
  readonly node: PlanNode;
  /** The condition of the join, for rows that have changed. */
  readonly on: Evaluator;
  readonly whens: readonly When[];
  readonly spread: (row: Row) => Datum[];
  readonly places: RowPlaces;
  readonly write: TableWriter;
}

/** MERGE. @throws SqlError. */
export function planMerge(env: PlanEnv, merge: NodeOf<"MergeStmt">): Promise<ChangePlan> {
  if ((merge.returningClause?.exprs ?? []).length > 0) {
    throw new SqlError("42601", "MERGE has no RETURNING in PostgreSQL 15");
  }
  if (merge.withClause?.recursive === true) {
    throw new SqlError("42601", "WITH RECURSIVE is not supported for MERGE statement");
  }
  return planWithin(env, merge.withClause, async (inner) => {
    const planned = await bindMerge(inner, merge);
    return {
      word: "MERGE",
      title: `Merge on ${planned.use.descriptor.name}`,
      children: [planned.node],
      returning: undefined,
      run: (run, _told, observe = UNOBSERVED) => runMerge(planned, run, observe),
    };
  });
}

async function bindMerge(env: PlanEnv, merge: NodeOf<"MergeStmt">): Promise<Merge> {
  const { relation = {}, sourceRelation, joinCondition, mergeWhenClauses = [] } = merge;
  const needs = changeNeeds(true);
  const { use: target } = await planTable(env, relation, needs);
  const use = target as TableUse;
  const named = { ...env, target: { range: relation, needs } };
  const from = bindFrom(named, [{ RangeVar: relation }, sourceRelation as Node]);
  const [table, ...source] = from.tables as [ScopeTable, ...ScopeTable[]];
  const scope = scopeOf(env, from.tables, "MERGE");
  const on = coerceToBool(scope, bindExpr(scope, joinCondition as Node), "ON");
  const whens = bindWhens(env, use, table, source, mergeWhenClauses);
  const both = from.tree as FromJoin;
  const tree: FromTree = {
    kind: "join",
    type: "left",
    left: both.right,
    right: both.left,
    on: conjuncts(on),
  };
  const places = rowPlaces(env, use);
  const needed = slotsOf(exprsOf(tree));
  for (const slot of places.keySlots) needed.add(slot);
  // Clauses may name any column of the source; those of the table are read under their lock.
  for (let slot = places.width; slot < from.width; slot++) needed.add(slot);
  const planner = new JoinPlanner(env, { needed, order: [], ways: joinWays(env) });
  const placed = planner.plan(tree, []);
  return {
    use,
    node: placed.node,
    on: compile(on),
    whens,
    places,
    write: tableWriter(env, use),
    spread: (row) => {
      const all = new Array<Datum>(from.width).fill(null);
      for (const [place, slot] of placed.slots.entries()) {
        if (slot < from.width) all[slot] = row[place] as Datum;
      }
      return all;
    },
  };
}

function bindWhens(
  env: PlanEnv,
  use: TableUse,
  table: ScopeTable,
  source: readonly ScopeTable[],
  clauses: readonly Node[],
): readonly When[] {
  const open = new Set<boolean>();
  return clauses.map((node) => {
    const clause = contentOf(node, "MergeWhenClause") ?? {};
    if (clause.matchKind === "MERGE_WHEN_NOT_MATCHED_BY_SOURCE") {
      throw notSupported("WHEN NOT MATCHED BY SOURCE", "PostgreSQL has it from 17 on.");
    }
    const isMatched = clause.matchKind === "MERGE_WHEN_MATCHED";
    if (open.has(isMatched)) {
      const message = "unreachable WHEN clause specified after unconditional WHEN clause";
      throw new SqlError("42601", message);
    }
    const scope = scopeOf(env, isMatched ? [table, ...source] : source, "MERGE WHEN");
    const condition =
      clause.condition === undefined
        ? undefined
        : compile(coerceToBool(scope, bindExpr(scope, clause.condition), "WHEN"));
    if (condition === undefined) open.add(isMatched);
    return { isMatched, condition, action: bindAction(env, use, scope, clause) };
  });
}

function bindAction(
  env: PlanEnv,
  use: TableUse,
  scope: ReturnType<typeof scopeOf>,
  { commandType, targetList = [], values = [], override }: Clause,
): When["action"] {
  switch (commandType) {
    case "CMD_UPDATE": {
      const changes = bindSet(env, scope, use, targetList);
      return (row, run) => ({ kind: "update", changes: changes(row, run) });
    }
    case "CMD_DELETE":
      return () => ({ kind: "delete" });
    case "CMD_INSERT": {
      const columns = insertColumns(env, use, targetList);
      if (values.length > columns.length) {
        throw new SqlError("42601", "INSERT has more expressions than target columns");
      }
      if (values.length > 0 && targetList.length > 0 && values.length < columns.length) {
        throw new SqlError("42601", "INSERT has more target columns than expressions");
      }
      const compiled = columns.map((column, i) => {
        const node = values[i];
        const expr = node === undefined ? undefined : assigned(scope, column, node, undefined);
        assertAssignable(column, expr === undefined, "cannot insert a non-DEFAULT value into");
        return expr === undefined ? undefined : compile(expr);
      });
      const ids = columns.map(({ id }) => id);
      const overridesIdentity = override === "OVERRIDING_SYSTEM_VALUE";
      return (row, run) => ({
        kind: "insert",
        columns: ids,
        values: compiled.map((value) => value?.(row, run.evaluation)),
        overridesIdentity,
      });
    }
    default:
      return () => ({ kind: "nothing" });
  }
}

/** A row of the target, or of none, with what is to be done. */
interface Decided {
  readonly place: Place | undefined;
  readonly row: Row;
  readonly action: Action;
}

async function runMerge(merge: Merge, run: ExecRun, observe: Observe): Promise<number> {
  const rows = await run.transaction();
  // All is decided before the first change: no clause sees another one's.
  const decided = await decide(merge, run, rows, observe);
  const { places, write } = merge;
  const note = (name: string | undefined): void => {
    if (name !== undefined) run.changed?.add(name);
  };
  let count = 0;
  for (const { place, row, action } of decided) {
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (action.kind === "nothing") continue;
    if (action.kind === "insert") {
      const { columns, values, overridesIdentity } = action;
      const options = { columns, ...(overridesIdentity && { overridesIdentity }) };
      const [made] = await write(run, rows, [values], options);
      note(made?.name);
      count++;
    } else if (place !== undefined) {
      if (run.changed?.add(place.name) === false) throw changedTwice();
      const done =
        action.kind === "delete"
          ? await places.delete(run, place)
          : await places.update(run, place, row, action.changes);
      note(done?.name);
      if (done !== undefined) count++;
    }
  }
  return count;
}

async function decide(
  merge: Merge,
  run: ExecRun,
  rows: RowTransaction,
  observe: Observe,
): Promise<readonly Decided[]> {
  const { use, places, spread, whens, on } = merge;
  const visible = visibleColumns(use.descriptor).length;
  const [firstKey = 0] = places.keySlots;
  const changed = new Set<string>();
  const decided: Decided[] = [];
  const all = await collect(await openNode(merge.node, run, observe), run);
  for (const each of all) {
    const pause = run.pause();
    if (pause !== undefined) await pause;
    const whole = spread(each);
    const place = whole[firstKey] === null ? undefined : places.placeOf(whole);
    let isMatched = place !== undefined;
    const name = place?.name ?? "";
    if (isMatched && run.changed?.has(name) === true) throw changedTwice();
    if (place !== undefined) {
      const row = await rows.get(place.table, place.key, { lock: { mode: "update" } });
      const current = row === undefined ? undefined : place.read(row);
      for (let slot = 0; slot < visible; slot++) whole[slot] = current?.[slot] ?? null;
      // Another may have changed it since it was read.
      isMatched =
        current !== undefined && (await run.evaluate(() => on(whole, run.evaluation))) === true;
    }
    const action = await run.evaluate(() => chosen(whens, isMatched, whole, run));
    if (action === undefined) continue;
    if (isMatched && action.kind !== "nothing") {
      if (changed.has(name)) throw changedTwice();
      changed.add(name);
    }
    run.keep(rowBytes(whole));
    decided.push({ place: isMatched ? place : undefined, row: whole, action });
  }
  return decided;
}

function changedTwice(): SqlError {
  return new SqlError("21000", "MERGE command cannot affect row a second time", {
    hint: "Ensure that not more than one source row matches any one target row.",
  });
}

/** What the first clause says whose condition holds. */
function chosen(
  whens: readonly When[],
  isMatched: boolean,
  row: Row,
  run: ExecRun,
): Action | undefined {
  for (const when of whens) {
    if (when.isMatched !== isMatched) continue;
    if (when.condition !== undefined && when.condition(row, run.evaluation) !== true) continue;
    return when.action(row, run);
  }
  return undefined;
}
