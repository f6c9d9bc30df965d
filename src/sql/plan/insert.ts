import type { Node } from "libpg-query";
import { inTurns, type Steps } from "../../base/steps.ts";
import { type ColumnDescriptor, type Datum, visibleColumns } from "../../rows/index.ts";
import { bindExpr } from "../bind/bind-expression.ts";
import { coerceToBool } from "../bind/coerce.ts";
import { type Expr, someExpr } from "../bind/expr.ts";
import type { Scope, ScopeTable } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { ChangedRows } from "../exec/changed-rows.ts";
import { compile, type Evaluator } from "../exec/evaluate.ts";
import { type ExecRun, eachRow, NO_ROW, type Row } from "../exec/run.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { assertAssignable, assigned, assignedExpr } from "./assign.ts";
import type { ChangePlan } from "./change-plan.ts";
import { changeTarget } from "./change-target.ts";
import { type PlanEnv, scopeOf } from "./env.ts";
import { slotsOf } from "./from-tree.ts";
import { type Observe, openNode, type PlanNode, UNOBSERVED } from "./node.ts";
import { assertNoDefault, isBeside, type PartTarget, partTarget, withPart } from "./part-target.ts";
import { type RowPlaces, rowPlaces } from "./partitions/row-places.ts";
import { tableWriter, type Written } from "./partitions/table-writer.ts";
import { bindReturning } from "./returning.ts";
import { planSelect } from "./select.ts";
import { changeNeeds } from "./statement-needs.ts";
import type { TableUse } from "./table-use.ts";
import { unequalLists } from "./values.ts";
import { planWithin } from "./with.ts";

/** Rows that are given to the store at once. */
const ROWS = 500;

/** Values for the columns that INSERT names; undefined is a default. */
type Values = (Datum | undefined)[];
type ValuesOf = (run: ExecRun, observe: Observe) => AsyncGenerator<Values, void>;

interface InsertSource {
  readonly values: ValuesOf;
  /** Of a query. */
  readonly node?: PlanNode;
}

/** INSERT. */
export function planInsert(env: PlanEnv, insert: NodeOf<"InsertStmt">): Promise<ChangePlan> {
  return planWithin(env, insert.withClause, (inner) => planRows(inner, insert));
}

async function planRows(env: PlanEnv, insert: NodeOf<"InsertStmt">): Promise<ChangePlan> {
  const { relation, cols = [], returningClause } = insert;
  const isRead = returningClause !== undefined || insert.onConflictClause?.infer !== undefined;
  const { use, table, named, isView, check } = await changeTarget(
    env,
    relation ?? {},
    "insert into",
    changeNeeds(isRead),
  );
  if (isView && insert.onConflictClause !== undefined) {
    throw notSupported("ON CONFLICT of a view", "Insert into its table.");
  }
  const targets = insertTargets(env, named, cols);
  const fields = targets.map(({ field }) => field);
  const source = await insertSource(env, insert, fields, cols.length > 0);
  const { ids, joined } = joinedTargets(targets);
  const returning = bindReturning(env, [table], returningClause?.exprs);
  const write = tableWriter(env, use);
  const onConflict = planConflict(env, use, table, insert.onConflictClause);
  const isOverriding = insert.override === "OVERRIDING_SYSTEM_VALUE";
  return {
    word: "INSERT 0",
    title: `Insert on ${use.descriptor.name}`,
    children: source.node === undefined ? [] : [source.node],
    returning: returning?.columns,
    run: async (run, told, observe = UNOBSERVED) => {
      const rows = await run.transaction();
      let count = 0;
      const isNoted = onConflict?.update !== undefined;
      const changed = run.changed ?? (isNoted ? new ChangedRows((n) => run.keep(n)) : undefined);
      const put = async (batch: readonly Values[]): Promise<void> => {
        const inserted = await write(run, rows, batch, {
          columns: ids,
          ...(isOverriding && { overridesIdentity: true }),
          ...(onConflict && { onConflict: "nothing" as const, ...onConflict.target }),
        });
        for (const each of inserted) {
          const kept =
            each.conflict === undefined
              ? each.read
              : changed && (await onConflict?.update?.(run, each, changed));
          if (kept === undefined) continue;
          const name = each.conflict === undefined ? each.name : undefined;
          if (name !== undefined) changed?.add(name);
          if (check !== undefined) await check(kept, run);
          count++;
          if (returning !== undefined) told(await returning.row(kept, run));
        }
        await run.pause();
      };
      let batch: Values[] = [];
      for await (const values of source.values(run, observe)) {
        batch.push(joined(values));
        if (batch.length < ROWS) continue;
        await put(batch);
        batch = [];
      }
      if (batch.length > 0) await put(batch);
      return count;
    },
  };
}

/** The columns that INSERT names, or fields of them. @throws SqlError 42701, 42703. */
function insertTargets(
  env: PlanEnv,
  { descriptor }: TableUse,
  cols: readonly Node[],
): readonly PartTarget[] {
  if (cols.length === 0) {
    return visibleColumns(descriptor).map((column) => ({ column, field: column, path: [] }));
  }
  const targets: PartTarget[] = [];
  for (const node of cols) {
    const named = contentOf(node, "ResTarget") ?? {};
    const target = partTarget(env, descriptor, named);
    if (!targets.every((other) => isBeside(other, target))) {
      const error = new SqlError(
        "42701",
        `column "${target.column.name}" specified more than once`,
      );
      throw error.at(env.source.position(named.location));
    }
    targets.push(target);
  }
  return targets;
}

/** The columns of INSERT in MERGE. @throws SqlError 42701, 42703, 0A000. */
export function insertColumns(
  env: PlanEnv,
  use: TableUse,
  cols: readonly Node[],
): readonly ColumnDescriptor[] {
  return insertTargets(env, use, cols).map(({ column, path }) => {
    if (path.length > 0) throw notSupported("a part of a column as a target of MERGE");
    return column;
  });
}

/** Values of targets as values of their columns: the fields that are not named are NULL. */
function joinedTargets(targets: readonly PartTarget[]): {
  readonly ids: readonly number[];
  readonly joined: (values: Values) => Values;
} {
  const ids = [...new Set(targets.map(({ column }) => column.id))];
  if (targets.every(({ path }) => path.length === 0)) return { ids, joined: (values) => values };
  const places = targets.map(({ column }) => ids.indexOf(column.id));
  const joined = (values: Values): Values => {
    const row: Values = [];
    for (const [i, target] of targets.entries()) {
      const place = places[i] as number;
      assertNoDefault(target, values[i] === undefined);
      row[place] =
        target.path.length === 0
          ? values[i]
          : withPart(row[place] ?? null, target.path, values[i] ?? null);
    }
    return row;
  };
  return { ids, joined };
}

async function insertSource(
  env: PlanEnv,
  { selectStmt }: NodeOf<"InsertStmt">,
  columns: readonly ColumnDescriptor[],
  isNamed: boolean,
): Promise<InsertSource> {
  if (selectStmt === undefined) {
    const values: ValuesOf = async function* none() {
      yield columns.map(() => undefined);
    };
    return { values };
  }
  const select = contentOf(selectStmt, "SelectStmt") ?? {};
  const isPlain = select.sortClause === undefined && select.limitCount === undefined;
  if (select.valuesLists !== undefined && isPlain && select.limitOffset === undefined) {
    const rows = valuesRows(env, select.valuesLists, columns, isNamed);
    return { values: evaluatedRows(await inTurns(env.clock, rows)) };
  }
  return await insertQuery(env, select, columns, isNamed);
}

function checkWidth(width: number, columns: readonly ColumnDescriptor[], isNamed: boolean): void {
  if (width > columns.length) {
    throw new SqlError("42601", "INSERT has more expressions than target columns");
  }
  if (width < columns.length && isNamed) {
    throw new SqlError("42601", "INSERT has more target columns than expressions");
  }
}

type ValuesRow = readonly (Evaluator | undefined)[];

/** VALUES of INSERT: each value is read as its column's type. A turn binds some of the rows. */
function* valuesRows(
  env: PlanEnv,
  lists: readonly Node[],
  columns: readonly ColumnDescriptor[],
  isNamed: boolean,
): Steps<readonly ValuesRow[]> {
  const scope = scopeOf(env, [], "VALUES");
  const rows: ValuesRow[] = [];
  const width = contentOf(lists[0], "List")?.items?.length;
  for (const list of lists) {
    const items = contentOf(list, "List")?.items ?? [];
    if (items.length !== width) throw unequalLists();
    checkWidth(items.length, columns, isNamed);
    const row = columns.map((column, i): Evaluator | undefined => {
      const item = items[i];
      if (item === undefined) return undefined;
      const expr = assigned(scope, column, item, undefined);
      if (expr !== undefined && someExpr(expr, isSet)) {
        throw notSupported("a set of rows in VALUES of INSERT", "Use INSERT … SELECT.");
      }
      assertAssignable(column, expr === undefined, "cannot insert a non-DEFAULT value into");
      return expr === undefined ? undefined : compile(expr);
    });
    rows.push(row);
    yield;
  }
  return rows;
}

function isSet(part: Expr): boolean {
  return part.kind === "call" && part.returnsSet;
}

function evaluatedRows(rows: readonly ValuesRow[]): ValuesOf {
  return async function* values(run) {
    for (const row of rows) {
      yield await run.evaluate(() => row.map((value) => value?.(NO_ROW, run.evaluation)));
    }
  };
}

/**
 * Whether literals of the list are of the columns' types: a set operation, DISTINCT or an ORDER BY
 * of a place has made them text before.
 */
function hasOpenLiterals({ op, distinctClause, sortClause = [] }: NodeOf<"SelectStmt">): boolean {
  const isPlace = (node: Node): boolean => {
    const { node: key } = contentOf(node, "SortBy") ?? {};
    return key !== undefined && "A_Const" in key;
  };
  return op === "SETOP_NONE" && distinctClause === undefined && !sortClause.some(isPlace);
}

async function insertQuery(
  env: PlanEnv,
  select: NodeOf<"SelectStmt">,
  columns: readonly ColumnDescriptor[],
  isNamed: boolean,
): Promise<InsertSource> {
  const { types } = env.functions;
  const unknownAs = columns.map(({ type }) => types.fromColumnType(type).oid);
  const query = await planSelect(env, select, hasOpenLiterals(select) ? { unknownAs } : {});
  checkWidth(query.columns.length, columns, isNamed);
  const scope = scopeOf(env, [], "SELECT");
  const targets = query.columns.map(({ oid, typmod, name }, slot) => {
    const column = columns[slot] as ColumnDescriptor;
    assertAssignable(column, false, "cannot insert a non-DEFAULT value into");
    const expr: Expr = { kind: "column", oid, typmod, slot, name };
    return compile(assignedExpr(scope, column, expr, undefined));
  });
  const values: ValuesOf = async function* rowsOf(run, observe) {
    // What it inserts is not seen by what it reads: all is read before.
    const rows: Values[] = [];
    for await (const row of eachRow(await openNode(query.node, run, observe), run)) {
      const given = targets.map((target) => target(row, run.evaluation));
      run.keep(64 + given.length * 24);
      rows.push(columns.map((_, i) => (i < given.length ? (given[i] as Datum) : undefined)));
    }
    yield* rows;
  };
  return { values, node: query.node };
}

interface Conflict {
  /** Which index it is meant for; absent: any. */
  readonly target: { readonly conflictIndex?: number };
  /** DO UPDATE: the row as it is then; undefined where it is left as it is. */
  readonly update?:
    | ((run: ExecRun, excluded: Written, changed: ChangedRows) => Promise<Row | undefined>)
    | undefined;
}

/** ON CONFLICT. */
function planConflict(
  env: PlanEnv,
  use: TableUse,
  table: ScopeTable,
  clause: NodeOf<"InsertStmt">["onConflictClause"],
): Conflict | undefined {
  if (clause === undefined) return undefined;
  const isUpdate = clause.action === "ONCONFLICT_UPDATE";
  if (isUpdate && clause.infer === undefined) {
    const message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
    throw new SqlError("42601", message, { hint: "For example, ON CONFLICT (column_name)." });
  }
  assertInferred(use, clause.infer);
  const changed = isUpdate ? bindConflict(env, use, table, clause) : undefined;
  const index = conflictIndex(use, clause.infer);
  const target = index === undefined ? {} : { conflictIndex: index };
  if (changed === undefined) return { target };
  return { target, update: conflictUpdate(rowPlaces(env, use), table, changed) };
}

/** What DO UPDATE computes, of a row and the one that was to be inserted behind it. */
interface ConflictChange {
  readonly changes: Changes;
  readonly where: Evaluator | undefined;
}

function bindConflict(
  env: PlanEnv,
  use: TableUse,
  table: ScopeTable,
  clause: NonNullable<NodeOf<"InsertStmt">["onConflictClause"]>,
): ConflictChange {
  const width = table.columns.length;
  const excluded: ScopeTable = {
    name: "excluded",
    columns: table.columns.map((column) => ({ ...column, slot: column.slot + width })),
  };
  const scope = scopeOf(env, [table, excluded], "ON CONFLICT");
  const own = scopeOf(env, [table, excluded], "ON CONFLICT WHERE");
  const changes = bindSet(env, scope, use, clause.targetList ?? []);
  const where =
    clause.whereClause === undefined
      ? undefined
      : compile(coerceToBool(own, bindExpr(own, clause.whereClause), "WHERE"));
  return { changes, where };
}

function conflictUpdate(
  places: RowPlaces,
  table: ScopeTable,
  { changes, where }: ConflictChange,
): Conflict["update"] {
  const width = table.columns.length;
  return async (run, { read, conflict = [], use }, changed) => {
    const rows = await run.transaction();
    const place = places.conflictAt(use, conflict);
    const before = await rows.get(place.table, place.key, { lock: { mode: "update" } });
    if (before === undefined) return undefined;
    if (!changed.add(place.name)) {
      const message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
      throw new SqlError("21000", message, {
        hint:
          "Ensure that no rows proposed for insertion within the same command have " +
          "duplicate constrained values.",
      });
    }
    const row = place.read(before);
    const both = [...row.slice(0, width), ...read.slice(0, width)];
    const isMet = await run.evaluate(() => where?.(both, run.evaluation) ?? where === undefined);
    if (isMet !== true) return undefined;
    const change = await run.evaluate(() => changes(both, run));
    return (await places.update(run, { ...place, isPinned: true }, row, change))?.row;
  };
}

type Infer = NonNullable<NodeOf<"InsertStmt">["onConflictClause"]>["infer"];

/** The columns of ON CONFLICT are there. @throws SqlError 42703. */
function assertInferred({ descriptor }: TableUse, infer: Infer): void {
  for (const node of infer?.indexElems ?? []) {
    const { name, expr } = contentOf(node, "IndexElem") ?? {};
    if (expr !== undefined) continue;
    if (visibleColumns(descriptor).some((column) => column.name === name)) continue;
    throw new SqlError("42703", `column "${name}" does not exist`);
  }
}

/** The index that the columns or the name of ON CONFLICT mean; 0 is the primary key. */
function conflictIndex(use: TableUse, infer: Infer): number | undefined {
  const { descriptor } = use;
  if (infer === undefined) return undefined;
  const { conname, indexElems = [] } = infer;
  if (conname !== undefined && conname !== "") {
    const found = descriptor.constraints.find(({ name }) => name === conname);
    if (found?.kind === "primary key") return 0;
    if (found?.kind === "unique") return found.index;
    const message = `constraint "${conname}" for table "${descriptor.name}" does not exist`;
    throw new SqlError("42704", message);
  }
  const isOfExpression = indexElems.some((node) => contentOf(node, "IndexElem")?.expr);
  const hasExpressions = descriptor.indexes.some(
    (each) => each.unique && each.parts.some((part) => !("columnId" in part)),
  );
  if (isOfExpression && hasExpressions) {
    throw notSupported("ON CONFLICT of an expression", "Leave the target out: DO NOTHING.");
  }
  const names = new Set(indexElems.map((node) => contentOf(node, "IndexElem")?.name ?? ""));
  const ids = [...names].map(
    (name) => visibleColumns(descriptor).find((each) => each.name === name)?.id,
  );
  const isSame = (parts: readonly (number | undefined)[]): boolean =>
    parts.length === ids.length && ids.every((id) => id !== undefined && parts.includes(id));
  if (isSame(descriptor.primaryKey.map(({ columnId }) => columnId))) return 0;
  const matching = descriptor.indexes.filter(
    (each) =>
      each.unique &&
      isWhole(use, each.id) &&
      isSame(each.parts.map((part) => ("columnId" in part ? part.columnId : undefined))),
  );
  const index = matching.find(({ predicate }) => predicate === undefined);
  if (index !== undefined) return index.id;
  if (infer.whereClause !== undefined && matching.length > 0) {
    throw notSupported("ON CONFLICT of a partial index", "Leave the target out: DO NOTHING.");
  }
  const message =
    "there is no unique or exclusion constraint matching the ON CONFLICT specification";
  throw new SqlError("42P10", message);
}

/** Whether each partition has its part of an index: one that is made by ONLY finds no conflict. */
function isWhole({ partitions }: TableUse, index: number): boolean {
  return (partitions?.members ?? []).every(({ use }) => {
    const part = use.descriptor.indexes.find(({ partOf }) => partOf === index);
    return part !== undefined && isWhole(use, part.id);
  });
}

type Changes = (row: Row, run: ExecRun) => ReadonlyMap<number, Datum | undefined>;

/** SET of UPDATE and of DO UPDATE. */
export function bindSet(
  env: PlanEnv,
  scope: Scope,
  use: TableUse,
  list: readonly Node[],
): Changes & { readonly slots: ReadonlySet<number> } {
  const slots = new Set<number>();
  const targets: PartTarget[] = [];
  const sets = list.map((node) => {
    const named = contentOf(node, "ResTarget") ?? {};
    const { val, location } = named;
    const target = partTarget(env, use.descriptor, named);
    const { column, field, path } = target;
    if (!targets.every((other) => isBeside(other, target))) {
      throw new SqlError("42601", `multiple assignments to same column "${column.name}"`);
    }
    targets.push(target);
    const expr = assigned(scope, field, rowPart(val as Node), location);
    assertNoDefault(target, expr === undefined);
    assertAssignable(column, expr === undefined, "can only be updated to DEFAULT:");
    const slot = path.length === 0 ? -1 : slotOf(scope, column);
    for (const read of [slot, ...slotsOf(expr === undefined ? [] : [expr])]) slots.add(read);
    return { id: column.id, value: expr === undefined ? undefined : compile(expr), path, slot };
  });
  const changesOf: Changes = (row, run) => {
    const changes = new Map<number, Datum | undefined>();
    for (const { id, value, path, slot } of sets) {
      const given = value?.(row, run.evaluation);
      const before = changes.has(id) ? changes.get(id) : row[slot];
      changes.set(id, path.length === 0 ? given : withPart(before ?? null, path, given ?? null));
    }
    return changes;
  };
  return Object.assign(changesOf, { slots });
}

/** Where rows have a column of the table that is changed. */
function slotOf({ tables }: Scope, { name }: ColumnDescriptor): number {
  return tables[0]?.columns.find((each) => each.name === name)?.slot ?? -1;
}

/** `(a, b) = (1, 2)`: each column's part. */
function rowPart(node: Node): Node {
  if (!("MultiAssignRef" in node)) return node;
  const { source, colno = 1 } = node.MultiAssignRef;
  const args = contentOf(source, "RowExpr")?.args;
  const isStar = (arg: Node): boolean =>
    contentOf(arg, "ColumnRef")?.fields?.some((field) => "A_Star" in field) === true;
  if (args?.some(isStar) === true) throw notSupported("SET of several columns from ROW(x.*)");
  const part = args?.[colno - 1];
  if (part === undefined) throw notSupported("SET of several columns from a subquery");
  return part;
}
