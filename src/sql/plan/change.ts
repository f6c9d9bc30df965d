import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import {
  type Datum,
  type RowTransaction,
  type TableDescriptor,
  visibleColumns,
} from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerceToBool } from "../bind/coerce.ts";
import type { Expr } from "../bind/expr.ts";
import type { ScopeTable } from "../bind/scope.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import { collect } from "../exec/operators.ts";
import { type ExecRun, type Row, rowBytes } from "../exec/run.ts";
import type { NodeOf } from "../parse/statement.ts";
import type { ChangePlan } from "./change-plan.ts";
import { type ChangeTarget, changeTarget } from "./change-target.ts";
import { conjuncts } from "./conditions.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import { bindFrom } from "./from.ts";
import { exprsOf, slotsOf } from "./from-tree.ts";
import { bindSet } from "./insert.ts";
import { allOf, JoinPlanner } from "./join-plan.ts";
import { joinWays } from "./join-ways.ts";
import { type KeyNames, keyNames } from "./key-names.ts";
import { type Observe, openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import { bindReturning, reader } from "./returning.ts";
import { pulledUpSubqueries } from "./semi-join.ts";
import { changeNeeds, readsRows } from "./statement-needs.ts";
import { storedColumns } from "./table-columns.ts";
import type { TableUse } from "./table-use.ts";
import { planWithin } from "./with.ts";

/** The rows that a statement is to change, and the rows of FROM or USING beside them. */
interface Found {
  readonly use: TableUse;
  /** The table, then what stands beside it. */
  readonly tables: readonly ScopeTable[];
  readonly node: PlanNode;
  readonly where: Evaluator | undefined;
  /** A row of `node` by the slots of the statement. */
  readonly spread: (row: Row) => Datum[];
  readonly read: (row: Row) => Row;
  readonly keySlots: readonly number[];
  readonly names: KeyNames;
  readonly target: ChangeTarget;
  /** Slots that its conditions read of a row behind its lock. */
  readonly again: ReadonlySet<number>;
}

/** What a change reads of rows, by slots: of one before it, and of what has become of it. */
interface Reads {
  readonly before: ReadonlySet<number>;
  readonly behind: ReadonlySet<number> | "all";
}

/** Their keys are read before the first one is changed. */
async function planFound(
  env: PlanEnv,
  relation: NodeOf<"RangeVar">,
  beside: readonly Node[],
  whereClause: Node | undefined,
  needs: readonly Privilege[],
  word: "update" | "delete from",
): Promise<Found> {
  const target = await changeTarget(env, relation, word, needs);
  const { use, conditions } = target;
  const named = { ...env, target: { range: relation, needs } };
  const from = bindFrom(named, [{ RangeVar: relation }, ...beside]);
  const scope = scopeOf(env, from.tables, "WHERE");
  const where =
    whereClause === undefined
      ? undefined
      : coerceToBool(scope, bindExpr(scope, whereClause), "WHERE");
  const stored = storedColumns(use.descriptor);
  const keySlots = use.descriptor.primaryKey.map(({ columnId }) =>
    stored.findIndex(({ id }) => id === columnId),
  );
  const pulled = pulledUpSubqueries(from, conjuncts(where));
  const read: readonly Expr[] = [...(where ? [where] : []), ...pulled.filters];
  const needed = slotsOf([...read, ...exprsOf(pulled.tree)]);
  for (const slot of keySlots) needed.add(slot);
  // Values and RETURNING may name any column that stands beside the table.
  for (let slot = stored.length; slot < from.width; slot++) needed.add(slot);
  // Rows that have changed are to be rows of the view still.
  const again = [...conditions, ...(where ? [where] : [])];
  const planner = new JoinPlanner(env, { needed, order: [], ways: joinWays(env) });
  const placed = planner.plan(pulled.tree, pulled.filters);
  return {
    use,
    tables: from.tables,
    node: placed.node,
    target,
    again: slotsOf(again),
    where: again.length === 0 ? undefined : compile(allOf(again)),
    spread: (row) => {
      const all = new Array<Datum>(from.width).fill(null);
      for (const [place, slot] of placed.slots.entries()) {
        if (slot < from.width) all[slot] = row[place] as Datum;
      }
      return all;
    },
    read: reader(use.descriptor),
    keySlots,
    names: keyNames(env.functions.types, use.descriptor),
  };
}

/** A row that is to be changed, with what stands beside it. */
interface Locked<Change> {
  readonly key: Row;
  readonly name: string;
  readonly row: Row;
  readonly change: Change;
}

/**
 * Locks what was found and reads it again there; it is left alone where it no longer meets the
 * condition. All changes are computed before the first one is made: none sees another one.
 */
async function lockFound<Change>(
  found: Found,
  run: ExecRun,
  changeOf: (row: Row) => Change,
  before: ReadonlySet<number>,
  observe: Observe,
): Promise<readonly Locked<Change>[]> {
  const { use, where, read, keySlots, spread, names, again } = found;
  const { descriptor } = use;
  const columns = idsAt(descriptor, (slot) => before.has(slot) || again.has(slot));
  const rows = await run.transaction();
  const all = await collect(await openNode(found.node, run, observe), run);
  const visible = visibleColumns(descriptor).length;
  const seen = new Set<string>();
  const locked: Locked<Change>[] = [];
  for (const each of all) {
    const whole = spread(each);
    const key = keySlots.map((slot) => whole[slot] as Datum);
    // Of several rows beside it the first one counts.
    const name = names.ofKey(key);
    if (found.tables.length > 1 && seen.has(name)) continue;
    // Another part of the statement has changed it: that stays.
    if (run.changed?.has(name) === true) continue;
    const row = await rows.get(descriptor, key, { columns, lock: { mode: "update" } });
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (row === undefined) continue;
    const current = read(atSlots(descriptor, columns, row));
    for (let slot = 0; slot < visible; slot++) whole[slot] = current[slot] as Datum;
    if (where !== undefined) {
      const met = await run.evaluate(() => where(whole, run.evaluation));
      if (met !== true) continue;
    }
    seen.add(name);
    run.keep(rowBytes(whole));
    const change = await run.evaluate(() => changeOf(whole));
    locked.push({ key, name, row: whole, change });
  }
  return locked;
}

/** What RETURNING sees: the row as it is then, and what stands beside it. */
function changedRow(found: Found, row: Row, changed: Row): Row {
  const whole = [...row];
  const current = found.read(changed);
  const visible = visibleColumns(found.use.descriptor).length;
  for (let slot = 0; slot < visible; slot++) whole[slot] = current[slot] as Datum;
  return whole;
}

type Change<T> = (
  rows: RowTransaction,
  table: TableDescriptor,
  locked: Locked<T>,
  told: readonly number[],
) => Promise<Row | undefined>;

async function changeFound<T>(
  found: Found,
  run: ExecRun,
  changeOf: (row: Row) => T,
  change: Change<T>,
  reads: Reads,
  told: ((row: Row) => Promise<void>) | undefined,
  observe: Observe = UNOBSERVED,
): Promise<number> {
  const rows = await run.transaction();
  let count = 0;
  const { descriptor } = found.use;
  const { before, behind } = reads;
  const isTold = (slot: number): boolean =>
    behind === "all" || behind.has(slot) || found.keySlots.includes(slot);
  const columns = idsAt(descriptor, isTold);
  const locked = await lockFound(found, run, changeOf, before, observe);
  const changed: Row[] = [];
  for (const each of locked) {
    // What was computed of it may have run the other parts.
    if (run.changed?.add(each.name) === false) continue;
    const row = await change(rows, descriptor, each, columns);
    const done = row && atSlots(descriptor, columns, row);
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (done === undefined) continue;
    count++;
    noteMoved(found, run, done);
    if (told !== undefined) changed.push(changedRow(found, each.row, done));
  }
  for (const row of changed) await told?.(row);
  return count;
}

const NO_SLOTS: ReadonlySet<number> = new Set();

/** Ids of the visible columns at some slots. */
function idsAt(table: TableDescriptor, isAt: (slot: number) => boolean): readonly number[] {
  return visibleColumns(table).flatMap(({ id }, slot) => (isAt(slot) ? [id] : []));
}

/** Columns of a row at their slots; others are NULL. */
function atSlots(table: TableDescriptor, columns: readonly number[], row: Row): Row {
  const visible = visibleColumns(table);
  if (columns.length === visible.length) return row;
  let next = 0;
  return visible.map(({ id }) => (id === columns[next] ? (row[next++] as Datum) : null));
}

/** A row that has another key now is one that the statement has made. */
function noteMoved({ names, read }: Found, run: ExecRun, done: Row): void {
  const name = run.changed && names.ofRow(read(done));
  if (name !== undefined) run.changed?.add(name);
}

/** UPDATE. */
export function planUpdate(env: PlanEnv, update: NodeOf<"UpdateStmt">): Promise<ChangePlan> {
  return planWithin(env, update.withClause, async (inner) => {
    const { relation = {}, fromClause = [], whereClause } = update;
    const needs = changeNeeds(readsRows(update));
    const found = await planFound(inner, relation, fromClause, whereClause, needs, "update");
    const { check } = found.target;
    const scope = scopeOf(inner, found.tables, "UPDATE");
    const changes = bindSet(inner, scope, found.target.named, update.targetList ?? []);
    const returning = bindReturning(inner, found.tables, update.returningClause?.exprs);
    return {
      word: "UPDATE",
      title: `Update on ${found.use.descriptor.name}`,
      children: [found.node],
      returning: returning?.columns,
      run: (run, told, observe) =>
        changeFound(
          found,
          run,
          (row) => changes(row, run),
          async (rows, table, { key, change }, columns) => {
            const row = await rows.update(table, key, change, columns);
            // Where there is a check, all of a row is told.
            if (row !== undefined) await check?.(found.read(row), run);
            return row;
          },
          { before: changes.slots, behind: check ? "all" : (returning?.slots ?? NO_SLOTS) },
          returning && (async (row) => told(await returning.row(row, run))),
          observe,
        ),
    };
  });
}

/** DELETE. */
export function planDelete(env: PlanEnv, statement: NodeOf<"DeleteStmt">): Promise<ChangePlan> {
  return planWithin(env, statement.withClause, async (inner) => {
    const { relation = {}, usingClause = [], whereClause } = statement;
    const needs = changeNeeds(readsRows(statement));
    const found = await planFound(inner, relation, usingClause, whereClause, needs, "delete from");
    const returning = bindReturning(inner, found.tables, statement.returningClause?.exprs);
    return {
      word: "DELETE",
      title: `Delete on ${found.use.descriptor.name}`,
      children: [found.node],
      returning: returning?.columns,
      run: (run, told, observe) =>
        changeFound(
          found,
          run,
          () => undefined,
          (rows, table, { key }, columns) => rows.delete(table, key, columns),
          { before: NO_SLOTS, behind: returning?.slots ?? NO_SLOTS },
          returning && (async (row) => told(await returning.row(row, run))),
          observe,
        ),
    };
  });
}
