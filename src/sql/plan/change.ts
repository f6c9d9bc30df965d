import type { Node } from "libpg-query";
import type { Privilege } from "../../api/privileges.ts";
import { type Datum, visibleColumns } from "../../rows/index.ts";
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
import { type Observe, openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import { type Changed, type Place, type RowPlaces, rowPlaces } from "./partitions/row-places.ts";
import { bindReturning } from "./returning.ts";
import { pulledUpSubqueries } from "./semi-join.ts";
import { changeNeeds, readsRows } from "./statement-needs.ts";
import type { TableUse } from "./table-use.ts";
import { atSlots } from "./told-columns.ts";
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
  readonly places: RowPlaces;
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
  const places = rowPlaces(env, use);
  const pulled = pulledUpSubqueries(from, conjuncts(where));
  const read: readonly Expr[] = [...(where ? [where] : []), ...pulled.filters];
  const needed = slotsOf([...read, ...exprsOf(pulled.tree)]);
  for (const slot of places.keySlots) needed.add(slot);
  // Values and RETURNING may name any column that stands beside the table.
  for (let slot = places.width; slot < from.width; slot++) needed.add(slot);
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
    places,
  };
}

/** A row that is to be changed, with what stands beside it. */
interface Locked<Change> {
  readonly place: Place;
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
  const { use, where, places, spread, again } = found;
  const columns = places.idsAt((slot) => before.has(slot) || again.has(slot));
  const rows = await run.transaction();
  const all = await collect(await openNode(found.node, run, observe), run);
  const visible = visibleColumns(use.descriptor).length;
  const seen = new Set<string>();
  const locked: Locked<Change>[] = [];
  for (const each of all) {
    const whole = spread(each);
    const place = places.placeOf(whole);
    // Of several rows beside it the first one counts.
    const { name } = place;
    if (found.tables.length > 1 && seen.has(name)) continue;
    // Another part of the statement has changed it: that stays.
    if (run.changed?.has(name) === true) continue;
    const asked = { ...(columns && { columns }), lock: { mode: "update" } } as const;
    const row = await rows.get(place.table, place.key, asked);
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (row === undefined) continue;
    const current = place.read(columns ? atSlots(place.table, columns, row) : row);
    for (let slot = 0; slot < visible; slot++) whole[slot] = current[slot] as Datum;
    if (where !== undefined) {
      const met = await run.evaluate(() => where(whole, run.evaluation));
      if (met !== true) continue;
    }
    seen.add(name);
    run.keep(rowBytes(whole));
    const change = await run.evaluate(() => changeOf(whole));
    locked.push({ place, row: whole, change });
  }
  return locked;
}

/** What RETURNING sees: the row as it is then, and what stands beside it. */
function changedRow(row: Row, { row: current }: Changed): Row {
  const whole = [...row];
  for (const [slot, value] of current.entries()) whole[slot] = value;
  return whole;
}

type Change<T> = (
  locked: Locked<T>,
  told: readonly number[] | undefined,
) => Promise<Changed | undefined>;

async function changeFound<T>(
  found: Found,
  run: ExecRun,
  changeOf: (row: Row) => T,
  change: Change<T>,
  { before, behind }: Reads,
  told: ((row: Row) => Promise<void>) | undefined,
  observe: Observe = UNOBSERVED,
): Promise<number> {
  let count = 0;
  const { keySlots } = found.places;
  const columns = found.places.idsAt(
    (slot) => behind === "all" || behind.has(slot) || keySlots.includes(slot),
  );
  const locked = await lockFound(found, run, changeOf, before, observe);
  const changed: Row[] = [];
  for (const each of locked) {
    // What was computed of it may have run the other parts.
    if (run.changed?.add(each.place.name) === false) continue;
    const done = await change(each, columns);
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (done === undefined) continue;
    count++;
    // A row that has another key now is one that the statement has made.
    if (done.name !== undefined) run.changed?.add(done.name);
    if (told !== undefined) changed.push(changedRow(each.row, done));
  }
  for (const row of changed) await told?.(row);
  return count;
}

const NO_SLOTS: ReadonlySet<number> = new Set();

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
          async ({ place, row, change }, columns) => {
            const done = await found.places.update(run, place, row, change, columns);
            // Where there is a check, all of a row is told.
            if (done !== undefined) await check?.(done.row, run);
            return done;
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
          ({ place }, columns) => found.places.delete(run, place, columns),
          { before: NO_SLOTS, behind: returning?.slots ?? NO_SLOTS },
          returning && (async (row) => told(await returning.row(row, run))),
          observe,
        ),
    };
  });
}
