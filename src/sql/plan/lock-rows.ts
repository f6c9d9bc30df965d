import type { Node } from "libpg-query";
import {
  type Datum,
  isTemporaryId,
  type LockMode,
  type RowLock,
  type RowTransaction,
  type TableDescriptor,
} from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { ExprPrinter } from "../bind/expr-text.ts";
import type { OrderPart } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import { BatchRows } from "../exec/join.ts";
import { CutRows, collect, ReadyRows } from "../exec/operators.ts";
import { type ExecRun, outerText, type Row, type RowSource, rowBytes } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { PlanEnv } from "./env.ts";
import { type From, type FromRelation, type FromTree, movedColumns, slotsOf } from "./from-tree.ts";
import { placesOf } from "./join-plan.ts";
import { openNode, over, type PlanNode } from "./node.ts";
import type { Limits } from "./order-limit.ts";
import { sortKey, sortNode } from "./output.ts";
import { type Place, type RowPlaces, rowPlaces } from "./partitions/row-places.ts";
import { projectNode } from "./project.ts";
import { asNumeric } from "./scan-node.ts";
import { storedColumns } from "./table-columns.ts";
import { alsoNeeds } from "./table-use.ts";

/** A table of FROM whose rows are locked. */
export interface TableLock {
  /** `FOR UPDATE` and its kin, as errors name it. */
  readonly word: string;
  readonly lock: RowLock;
  readonly relation: FromRelation;
  readonly table: TableDescriptor;
  readonly places: RowPlaces;
  /** All slots that are read for the lock. */
  readonly readSlots: readonly number[];
}

interface Clause {
  readonly word: string;
  readonly mode: LockMode;
  readonly wait: NonNullable<RowLock["wait"]>;
  readonly of: readonly NodeOf<"RangeVar">[] | undefined;
}

const STRENGTHS: Readonly<Record<string, readonly [string, LockMode]>> = {
  LCS_FORKEYSHARE: ["FOR KEY SHARE", "key share"],
  LCS_FORSHARE: ["FOR SHARE", "share"],
  LCS_FORNOKEYUPDATE: ["FOR NO KEY UPDATE", "no key update"],
  LCS_FORUPDATE: ["FOR UPDATE", "update"],
};
/** Weakest first. */
const MODES: readonly LockMode[] = Object.values(STRENGTHS).map(([, mode]) => mode);
/** Of several clauses for a table the later one here wins. */
const WAITS = ["wait", "skip locked", "nowait"] as const;

function clauseOf(node: Node): Clause {
  const { strength = "", waitPolicy, lockedRels } = contentOf(node, "LockingClause") ?? {};
  const [word, mode] = STRENGTHS[strength] as readonly [string, LockMode];
  const wait =
    waitPolicy === "LockWaitSkip"
      ? "skip locked"
      : waitPolicy === "LockWaitError"
        ? "nowait"
        : "wait";
  const of = lockedRels?.map((each) => contentOf(each, "RangeVar") ?? {});
  for (const { schemaname } of of ?? []) {
    if (schemaname !== undefined) {
      throw new SqlError("42601", `${word} must specify unqualified relation names`);
    }
  }
  return { word, mode, wait, of };
}

/** FROM, where clauses that lock reach into its subqueries. */
export function lockedBelow(locking: readonly Node[], from: readonly Node[]): readonly Node[] {
  if (locking.length === 0) return from;
  const clauses = locking.map((node) => ({ node, clause: clauseOf(node) }));
  const changed = (node: Node): Node => {
    if ("JoinExpr" in node) {
      const { larg, rarg } = node.JoinExpr;
      const sides = { larg: changed(larg as Node), rarg: changed(rarg as Node) };
      return { JoinExpr: { ...node.JoinExpr, ...sides } };
    }
    if (!("RangeSubselect" in node)) return node;
    const { subquery, alias } = node.RangeSubselect;
    const select = contentOf(subquery, "SelectStmt");
    const name = alias?.aliasname ?? "";
    const mine = clauses.filter(({ clause: { of } }) => of?.some(isNamed(name)) ?? true);
    if (select === undefined || mine.length === 0) return node;
    if (select.valuesLists !== undefined) {
      const named = mine.find(({ clause }) => clause.of !== undefined);
      if (named === undefined) return node;
      throw new SqlError("0A000", `${named.clause.word} cannot be applied to VALUES`);
    }
    const below = mine.map(({ node: each }): Node => {
      const { lockedRels: _, ...whole } = contentOf(each, "LockingClause") ?? {};
      return { LockingClause: whole };
    });
    const lockingClause = [...(select.lockingClause ?? []), ...below];
    const locked: Node = { SelectStmt: { ...select, lockingClause } };
    return { RangeSubselect: { ...node.RangeSubselect, subquery: locked } };
  };
  return from.map(changed);
}

function isNamed(name: string): (range: NodeOf<"RangeVar">) => boolean {
  return ({ relname }) => relname === name;
}

interface LockedItem extends FromRelation {
  readonly isNullable: boolean;
}

function itemsOf(tree: FromTree, isNullable = false): readonly LockedItem[] {
  if (tree.kind === "relation") return [{ ...tree, isNullable }];
  const { type, left, right } = tree;
  return [
    ...itemsOf(left, isNullable || type === "full"),
    ...itemsOf(right, isNullable || type === "full" || type === "left"),
  ];
}

/** The tables that clauses lock. @throws SqlError 42P01, 42501, 0A000. */
export function bindLocks(
  env: PlanEnv,
  locking: readonly Node[],
  from: From,
): readonly TableLock[] {
  if (locking.length === 0) return [];
  const items = itemsOf(from.tree);
  const found = new Map<LockedItem, TableLock>();
  for (const { word, mode, wait, of } of locking.map(clauseOf)) {
    const named = of?.map(({ relname = "" }) => {
      const item = items.find(({ relation }) => relation.tables[0]?.name === relname);
      if (item !== undefined) return item;
      const isJoin = from.tables.some(({ name }) => name === relname);
      if (isJoin) throw new SqlError("0A000", `${word} cannot be applied to a join`);
      const message = `relation "${relname}" in ${word} clause not found in FROM clause`;
      throw new SqlError("42P01", message);
    });
    for (const item of named ?? items) {
      const { use } = item.relation;
      const table = use?.descriptor;
      if (use === undefined || table === undefined) {
        // A subquery has its own clause; of what is computed no row changes.
        continue;
      }
      if (table.materialized === true) {
        const message = `cannot lock rows in materialized view "${table.name}"`;
        throw new SqlError("42809", message);
      }
      // A lock keeps others from changing the row, as a change of it does.
      alsoNeeds(use, ["write-data"]);
      if (item.isNullable) {
        const message = `${word} cannot be applied to the nullable side of an outer join`;
        throw new SqlError("0A000", message);
      }
      const before = found.get(item);
      const places = rowPlaces(env, use);
      const keySlots = places.keySlots.map((slot) => slot + item.base);
      const own = slotsOf(item.relation.conditions ?? []);
      const readSlots = [...keySlots, ...[...own].map((slot) => slot + item.base)];
      const lock = before === undefined ? { mode, wait } : stronger(before.lock, { mode, wait });
      const at = { relation: item, table, places, readSlots };
      found.set(item, { word: before?.word ?? word, lock, ...at });
    }
  }
  return [...found.values()];
}

function stronger(a: RowLock, b: RowLock): RowLock {
  const [first, second] = [a.wait ?? "wait", b.wait ?? "wait"];
  return {
    mode: MODES.indexOf(a.mode) > MODES.indexOf(b.mode) ? a.mode : b.mode,
    wait: WAITS.indexOf(first) > WAITS.indexOf(second) ? first : second,
  };
}

/** The rows of a source, sorted before anything is computed of them. */
export function sortedSource(
  env: PlanEnv,
  printer: ExprPrinter,
  { node, slots }: { readonly node: PlanNode; readonly slots: readonly number[] },
  sorts: readonly OrderPart[],
): PlanNode {
  const place = placesOf(slots);
  const width = slots.length;
  const own = slots.map(
    (_, slot): Expr => ({ kind: "column", oid: OID.text, typmod: -1, slot, name: "" }),
  );
  const keyed = sorts.map((sort) => ({ ...sort, expr: place(sort.expr) }));
  const wide = projectNode(node, [...own, ...keyed.map(({ expr }) => expr)], width);
  const keys = keyed.map((sort, i) => sortKey(env.functions.types, sort, () => width + i));
  const sorted = sortNode(wide, printer, sorts, keys, undefined);
  return {
    ...sorted,
    open: async (run, observe) => new CutRows(await sorted.open(run, observe), width),
  };
}

export interface LockParts {
  readonly types: TypeRegistry;
  readonly locks: readonly TableLock[];
  readonly tree: FromTree;
  readonly where: readonly Expr[];
  /** The slots that rows of the source hold. */
  readonly slots: readonly number[];
  readonly most: Limits["most"];
  /** The source is read while rows are locked. */
  readonly isStreamed: boolean;
}

/** Locks each row, and judges it again where it has changed since it was read. */
export function lockNode(child: PlanNode, parts: LockParts): PlanNode {
  const place = placesOf(parts.slots);
  const plan: Locking = {
    ...parts,
    again: judge(
      parts.tree,
      parts.where.map((expr) => compile(place(expr))),
      parts.slots,
      place,
    ),
    targets: parts.locks.map((each) => targetOf(each, parts.slots)),
  };
  const node = over(child, "LockRows", [], (source) => source);
  return {
    ...node,
    open: async (run, observe) => {
      const source = lockedRows(plan, run, () => {
        const below = run.below(undefined);
        return openNode(child, below, observe);
      });
      return new BatchRows(source, () => undefined);
    },
  };
}

interface Target {
  readonly lock: RowLock;
  readonly table: TableDescriptor;
  readonly read: readonly { readonly at: number; readonly isNumeric: boolean }[];
  /** Ids of what is read, in the table of a place. */
  readonly idsOf: (place: Place) => readonly number[];
  /** Where a row of the source has its row of the table. */
  readonly placeOf: (row: Row) => Place;
}

function targetOf(
  { lock, table, relation: { base }, places }: TableLock,
  slots: readonly number[],
): Target {
  const stored = storedColumns(table);
  const found = slots.flatMap((slot, at) => {
    const own = slot - base;
    const column = stored[own];
    // Behind the columns of a partitioned table stand its partition and the key there.
    if (column === undefined || own >= places.columns) return [];
    return [{ at, slot: own, id: column.id, isNumeric: column.type.kind === "numeric" }];
  });
  const ids = found.map(({ id }) => id);
  const key = places.keySlots.map((slot) => [slot, slots.indexOf(slot + base)] as const);
  return {
    lock,
    table,
    read: found,
    idsOf: ({ leaf }) =>
      leaf === undefined ? ids : found.map(({ slot }) => leaf.ids[slot] as number),
    placeOf: (row) => {
      const own: Datum[] = [];
      for (const [slot, at] of key) own[slot] = row[at] as Datum;
      return places.placeOf(own);
    },
  };
}

interface Locking extends LockParts {
  readonly targets: readonly Target[];
  /** The row as it is now; undefined where it meets the conditions no more. */
  readonly again: (row: Row, run: ExecRun) => Row | undefined;
}

/** Conditions of a query's joins and its WHERE, for one row of all relations. */
function judge(
  tree: FromTree,
  where: readonly Evaluator[],
  slots: readonly number[],
  place: (expr: Expr) => Expr,
): Locking["again"] {
  const joined = judgeJoin(tree, slots, place);
  return (row, run) => {
    const seen = joined(row, run);
    if (seen === undefined) return undefined;
    return where.every((condition) => condition(seen, run.evaluation) === true) ? seen : undefined;
  };
}

function judgeJoin(
  tree: FromTree,
  slots: readonly number[],
  place: (expr: Expr) => Expr,
): Locking["again"] {
  if (tree.kind === "relation") {
    const own = (tree.relation.conditions ?? []).map((expr) =>
      compile(place(movedColumns(expr, (slot) => slot + tree.base))),
    );
    return (row, run) =>
      own.every((each) => each(row, run.evaluation) === true) ? row : undefined;
  }
  const [left, right] = [tree.left, tree.right].map((side) => judgeJoin(side, slots, place)) as [
    Locking["again"],
    Locking["again"],
  ];
  const on = tree.on.map((expr) => compile(place(expr)));
  const ofRight = itemsOf(tree.right);
  const isRight = (slot: number): boolean =>
    ofRight.some(({ base, relation }) => slot >= base && slot < base + relation.width);
  const inRight = slots.map(isRight);
  return (row, run) => {
    const first = left(row, run);
    if (first === undefined) return undefined;
    const both = right(first, run);
    const isMet = both !== undefined && on.every((each) => each(both, run.evaluation) === true);
    if (isMet) return both;
    if (tree.type === "inner") return undefined;
    return first.map((value, at) => (inRight[at] === true ? null : value));
  };
}

const BATCH = 256;

async function* lockedRows(
  plan: Locking,
  run: ExecRun,
  open: () => Promise<RowSource>,
): AsyncGenerator<readonly Row[], void> {
  const rows = await run.transaction();
  if (!plan.targets.every(({ table }) => isTemporaryId(table.id))) rows.assertWritable();
  const pass = new LockPass(plan, run, rows, rows.isFresh);
  const locked = await pass.all(open);
  for (let at = 0; at < locked.length; at += BATCH) yield locked.slice(at, at + BATCH);
}

/** Locks of one statement: all are held before the first row is shown. */
class LockPass {
  readonly #plan: Locking;
  readonly #run: ExecRun;
  readonly #rows: RowTransaction;
  /** Nothing was read before: the transaction may begin again behind a wait. */
  readonly #isFresh: boolean;
  readonly #most: number;
  #locked: Row[] = [];
  /** Rows that were judged, by their keys. */
  #judged = new Set<string>();

  constructor(plan: Locking, run: ExecRun, rows: RowTransaction, isFresh: boolean) {
    this.#plan = plan;
    this.#run = run;
    this.#rows = rows;
    this.#isFresh = isFresh;
    this.#most = plan.most?.(run) ?? Number.POSITIVE_INFINITY;
  }

  async all(open: () => Promise<RowSource>): Promise<readonly Row[]> {
    for (;;) {
      const source = await open();
      const isStreamed = this.#plan.isStreamed && this.#most !== Number.POSITIVE_INFINITY;
      const ready = isStreamed ? source : new ReadyRows(await collect(source, this.#run));
      const began = this.#rows.sequence;
      try {
        if (await this.#through(ready, () => isStreamed && this.#rows.sequence !== began)) {
          return this.#locked;
        }
      } finally {
        ready.close();
      }
    }
  }

  /** @returns whether the source was read to its end: it ends with the view that it reads. */
  async #through(source: RowSource, isStale: () => boolean): Promise<boolean> {
    while (this.#locked.length < this.#most) {
      const batch = await source.next();
      if (batch === undefined) return true;
      for (const row of batch) {
        if (this.#locked.length >= this.#most) return true;
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
        if (!(await this.#lock(row))) return false;
        if (isStale()) return false;
      }
    }
    return true;
  }

  /** @returns false where all begins again, at a newer state. */
  async #lock(row: Row): Promise<boolean> {
    const { targets, again } = this.#plan;
    const places = targets.map((target) => target.placeOf(row));
    const name = places.map((place) => place.name).join("/");
    if (this.#judged.has(name) && this.#plan.isStreamed) return true;
    let current: Datum[] | undefined;
    for (const [i, target] of targets.entries()) {
      const place = places[i] as Place;
      const { table, key } = place;
      const columns = target.idsOf(place);
      const { lock } = target;
      // Another part of the statement has changed it: as PostgreSQL, the row is left out.
      const isChanged = this.#run.changed?.has(place.name) === true;
      const now = isChanged ? undefined : await this.#rows.get(table, key, { columns, lock });
      if (now === undefined) {
        this.#judged.add(name);
        return true;
      }
      if (this.#rows.isolation !== "read committed" && (await this.#rows.isOvertaken(table, key))) {
        await this.#restart();
        return false;
      }
      for (const [c, { at, isNumeric }] of target.read.entries()) {
        const value = isNumeric ? asNumeric(now[c] as Datum) : (now[c] as Datum);
        if (outerText(value) === outerText(row[at] as Datum)) continue;
        current ??= [...row];
        current[at] = value;
      }
    }
    this.#judged.add(name);
    const changed = current;
    const kept =
      changed === undefined ? row : await this.#run.evaluate(() => again(changed, this.#run));
    if (kept === undefined) return true;
    this.#run.keep(rowBytes(kept) + name.length * 2);
    this.#locked.push(kept);
    return true;
  }

  /** @throws SqlError 40001 where what was read before is known outside. */
  async #restart(): Promise<void> {
    if (!this.#isFresh) {
      throw new SqlError("40001", "could not serialize access due to concurrent update");
    }
    await this.#rows.restart();
    this.#locked = [];
    this.#judged = new Set();
  }
}
