import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import type { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { STRETCH_MS } from "../base/steps.ts";
import type { Maybe } from "../lsm/index.ts";
import { readRow } from "./apart-values.ts";
import type { RowScan } from "./batch.ts";
import type { ColumnType } from "./column-type.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { ForeignKeyDescriptor, KeyPart, TableDescriptor } from "./descriptor.ts";
import { refusedColumn } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import { placeOf, RowViolation, rowError } from "./errors.ts";
import type { Check, ConstraintName, Deferral, ForeignKeySavepoint } from "./foreign-key-checks.ts";
import { referencedKey } from "./foreign-key-spec.ts";
import { assignedKey, convertedKey, isRounded } from "./foreign-key-types.ts";
import { type CodecPart, KeyCodec, type RangeRequest } from "./key-codec.ts";
import { keyFormOf } from "./key-columns.ts";
import type { LockOutcome } from "./locks.ts";
import type { RowLock, RowScanRequest } from "./row-requests.ts";
import type { TransactionTables } from "./tables.ts";

/** What foreign keys need of their transaction. */
export interface ForeignKeyHost {
  readonly isSerializable: boolean;
  readonly clock: Clock;
  readonly view: EngineView;
  readonly tables: TransactionTables;
  readonly use: (table: TableDescriptor) => Promise<CompiledTable>;
  readonly lock: (key: Uint8Array, lock: RowLock) => Maybe<LockOutcome>;
  readonly read: (key: Uint8Array, lock: RowLock) => Maybe<Uint8Array | undefined>;
  /** READ COMMITTED begins again at the newest state. */
  readonly renew: () => Promise<void>;
  readonly scan: (table: TableDescriptor, request: RowScanRequest) => RowScan;
  readonly deleteRow: (compiled: CompiledTable, key: Uint8Array) => Promise<unknown>;
  readonly updateRow: (
    compiled: CompiledTable,
    key: Uint8Array,
    changes: ReadonlyMap<number, Datum | undefined>,
  ) => Promise<unknown>;
}

/**
 * Foreign keys of one transaction. What keeps them true at each isolation level:
 *
 * - Who writes a row that refers to another one holds KEY SHARE on the other's key until its end.
 *   Who removes or changes a key that rows may refer to holds UPDATE on it. So of two that are in
 *   each other's way one waits for the end of the other.
 * - Behind its wait each looks at the newest state: READ COMMITTED reads it, the others fail with
 *   40001 where what they read is not the newest. The check of a commit finds what a serializable
 *   transaction has read; REPEATABLE READ compares the rows that may refer to the key itself.
 */
export class ForeignKeys {
  readonly #on: ForeignKeyHost;
  #checks: Check[] = [];
  /** What waits for the end of the statement: changes of rows that referred to others. */
  #acts: (() => Promise<void>)[] = [];
  #deferral: Deferral = { all: undefined, named: new Map() };

  constructor(on: ForeignKeyHost) {
    this.#on = on;
  }

  savepoint(): ForeignKeySavepoint {
    return { checks: [...this.#checks], deferral: this.#deferral };
  }

  rollbackTo({ checks, deferral }: ForeignKeySavepoint): void {
    this.#checks = [...checks];
    this.#acts = [];
    this.#deferral = deferral;
  }

  /** Whether a check waits that knows a table's rows by their keys. */
  isPending(table: TableId): boolean {
    return this.#checks.some((check) => check.table === table);
  }

  /** SET CONSTRAINTS: all that are deferrable, or some of a table. What is due is checked. */
  async set(which: "all" | readonly ConstraintName[], isDeferred: boolean): Promise<void> {
    if (which === "all") this.#deferral = { all: isDeferred, named: new Map() };
    else {
      const named = new Map(this.#deferral.named);
      for (const { table, name } of which) named.set(`${table}/${name}`, isDeferred);
      this.#deferral = { ...this.#deferral, named };
    }
    if (!isDeferred) await this.checkStatement();
  }

  /** Called behind the write of a row. @param old the row that it took the place of. */
  wrote(
    compiled: CompiledTable,
    row: Uint8Array,
    values: readonly Datum[],
    old: readonly Datum[] | undefined,
  ): void {
    for (const key of compiled.foreignKeys) {
      const places = key.columns.map((id) => compiled.placeOf(id));
      if (old !== undefined && places.every((at) => old[at] === values[at])) continue;
      this.#checks.push({ kind: "child", table: compiled.table.id, key, row });
    }
  }

  /** Locks what rows may refer to, before it goes or changes. @param next the row that follows. */
  async lockReferenced(
    compiled: CompiledTable,
    old: readonly Datum[],
    next: readonly Datum[] | undefined,
  ): Promise<void> {
    for (const { key } of await this.#referencesTo(compiled.table)) {
      const before = referencedBytes(compiled, key, valuesOf(compiled, key, old));
      if (before === undefined) continue;
      const after = next && referencedBytes(compiled, key, valuesOf(compiled, key, next));
      if (after !== undefined && bytesEqual(before, after)) continue;
      await this.#on.lock(before, { mode: "update" });
    }
  }

  /** Called behind the removal of a row, or the change of its key, with its locks held. */
  async removed(
    compiled: CompiledTable,
    old: readonly Datum[],
    next: readonly Datum[] | undefined,
  ): Promise<void> {
    for (const { key, child } of await this.#referencesTo(compiled.table)) {
      const values = valuesOf(compiled, key, old);
      const before = referencedBytes(compiled, key, values);
      if (before === undefined) continue;
      const now = next && valuesOf(compiled, key, next);
      const after = now && referencedBytes(compiled, key, now);
      const action = next === undefined ? key.onDelete : key.onUpdate;
      if (after !== undefined && bytesEqual(before, after)) {
        // Equal values may look otherwise: -0 and 0, 1.0 and 1.00. Actions follow the looks.
        const isSeen = now?.some((value, i) => !isAlike(value, values[i] as Datum)) ?? false;
        if (action === "no action" || !isSeen) continue;
      }
      const { id: table } = compiled.table;
      if (action === "no action") {
        this.#checks.push({ kind: "parent", table, key, child: child.id, values });
        continue;
      }
      const act = () => this.#act(compiled.table, child, key, values, action, now);
      // The parts of one statement do not see what follows from each other.
      if (this.#on.view.isHeld) this.#acts.push(act);
      else await act();
    }
  }

  /** The end of a statement: all checks that are not deferred. @throws FirnError as `checkAll`. */
  async checkStatement(): Promise<void> {
    await this.#actAll();
    if (this.#checks.length === 0) return;
    const due = this.#checks.filter(({ key, ...check }) => !this.#isDeferred(check, key));
    if (due.length > 0) await this.#run(due);
  }

  /**
   * The end of the transaction.
   *
   * @throws FirnError `Conflict`, code `ROW_FOREIGN_KEY` (23503); `ROW_CONFLICT` (40001).
   */
  async checkAll(): Promise<void> {
    await this.#actAll();
    await this.#run(this.#checks);
  }

  /** Whether a row refers to one that is there, or to none. @throws as `checkAll`. */
  async checkRow(
    compiled: CompiledTable,
    key: ForeignKeyDescriptor,
    row: readonly Datum[],
  ): Promise<void> {
    const values = key.columns.map((id) => row[compiled.placeOf(id)] as Datum);
    const nulls = values.filter((value) => value === null).length;
    if (nulls === values.length) return;
    if (nulls > 0) {
      if (key.match === "simple") return;
      const detail = "MATCH FULL does not allow mixing of null and nonnull key values.";
      throw violated(writeOf(compiled.table), compiled.table, key, { detail });
    }
    const parent =
      key.references.table === compiled.table.id
        ? compiled
        : await this.#on.use(await this.#on.tables.get(key.references.table));
    const wanted = promoted(compiled, parent, key, values);
    const name = wanted && referencedBytes(parent, key, wanted);
    if (name !== undefined) {
      const lock: RowLock = { mode: "key share" };
      await this.#on.lock(name, lock);
      if ((await this.#on.read(name, lock)) !== undefined) return;
      await this.#refuseUnseen(name);
    }
    throw new RowViolation(
      violated(writeOf(compiled.table), compiled.table, key),
      key.columns.map((id) => refusedColumn(compiled, id, row)),
      {
        saying: `is not present in table "${parent.table.name}"`,
        named: [compiled.table],
        told: [compiled.table, parent.table],
      },
    );
  }

  async #actAll(): Promise<void> {
    for (let act = this.#acts.shift(); act !== undefined; act = this.#acts.shift()) await act();
  }

  /** One that fails stays due: no commit passes it. */
  async #run(due: readonly Check[]): Promise<void> {
    const { clock } = this.#on;
    let beganMs = clock.monotonicMs();
    for (const check of due) {
      if (check.kind === "child") await this.#checkChild(check);
      else await this.#checkParent(check);
      if (clock.monotonicMs() - beganMs < STRETCH_MS) continue;
      await clock.sleep(0);
      beganMs = clock.monotonicMs();
    }
    const done = new Set(due);
    this.#checks = this.#checks.filter((check) => !done.has(check));
  }

  async #checkChild({ table, key, row }: Check & { kind: "child" }): Promise<void> {
    const now = await this.#on.tables.find(table);
    if (now === undefined || !foreignKeysOf(now).some(({ name }) => name === key.name)) return;
    const compiled = await this.#on.use(now);
    const value = await this.#on.view.get(row);
    if (value === undefined) return;
    const reader = compiled.lean(new Set(key.columns));
    await this.checkRow(compiled, key, await readRow(this.#on.view, reader, row, value));
  }

  async #checkParent({ table, key, child, values }: Check & { kind: "parent" }): Promise<void> {
    const [parent, of] = [await this.#on.tables.find(table), await this.#on.tables.find(child)];
    if (parent === undefined || of === undefined) return;
    if (!foreignKeysOf(of).some(({ name }) => name === key.name)) return;
    const compiled = await this.#on.use(parent);
    const name = referencedBytes(compiled, key, values);
    // Another row may have the key by now.
    if (name === undefined || (await this.#on.view.get(name)) !== undefined) return;
    const [first] = await this.#referring(of, key, values, 1);
    if (first !== undefined) throw stillReferenced(compiled, of, key, values);
  }

  async #act(
    parent: TableDescriptor,
    child: TableDescriptor,
    key: ForeignKeyDescriptor,
    values: readonly Datum[],
    action: Exclude<ForeignKeyDescriptor["onDelete"], "no action">,
    next: readonly Datum[] | undefined,
  ): Promise<void> {
    if (action === "restrict") {
      const [first] = await this.#referring(child, key, values, 1);
      if (first === undefined) return;
      throw stillReferenced(await this.#on.use(parent), child, key, values);
    }
    const compiled = await this.#on.use(child);
    const types = (await this.#on.use(parent)).columnTypes(key.references.columns);
    const value = (id: number, i: number): Datum | undefined => {
      if (action === "set default") return undefined;
      if (action === "set null") return null;
      const now = (next as readonly Datum[])[i] as Datum;
      return assignedKey(now, types[i] as ColumnType, compiled.column(id).type);
    };
    const set = (next === undefined ? key.onDeleteColumns : undefined) ?? key.columns;
    for (const row of await this.#referring(child, key, values)) {
      if (action === "cascade" && next === undefined) await this.#on.deleteRow(compiled, row);
      else {
        const all = key.columns.map((id, i) => [id, value(id, i)] as const);
        await this.#on.updateRow(compiled, row, new Map(all.filter(([id]) => set.includes(id))));
      }
    }
    // The default may be what the row had: then no write is seen that would be checked.
    const { id: table } = parent;
    if (action === "set default") {
      await this.#checkParent({ kind: "parent", table, key, child: child.id, values });
    }
  }

  #isDeferred(
    { kind, ...check }: { readonly kind: string; table: TableId; child?: TableId },
    { name, deferrable, initiallyDeferred }: ForeignKeyDescriptor,
  ): boolean {
    if (!deferrable) return false;
    const table = kind === "child" ? check.table : check.child;
    const { all, named } = this.#deferral;
    return named.get(`${table}/${name}`) ?? all ?? initiallyDeferred;
  }

  /** Foreign keys of other tables, and its own, that refer to a table. */
  async #referencesTo(
    table: TableDescriptor,
  ): Promise<readonly { readonly key: ForeignKeyDescriptor; readonly child: TableDescriptor }[]> {
    const found: { key: ForeignKeyDescriptor; child: TableDescriptor }[] = [];
    for (const { table: id, constraint } of table.referencedBy ?? []) {
      const child = id === table.id ? table : await this.#on.tables.get(id);
      const key = foreignKeysOf(child).find(({ name }) => name === constraint);
      if (key !== undefined) found.push({ key, child });
    }
    return found;
  }

  /** Keys of the rows that refer to values. */
  async #referring(
    child: TableDescriptor,
    key: ForeignKeyDescriptor,
    values: readonly Datum[],
    limit?: number,
  ): Promise<readonly Uint8Array[]> {
    const compiled = await this.#on.use(child);
    const parent = await this.#on.use(await this.#on.tables.get(key.references.table));
    const way = wayTo(compiled, parent, key, values);
    if (way === undefined) return [];
    await this.#assertNewest(way.codec, way.range);
    const ids = [...compiled.table.primaryKey.map(({ columnId }) => columnId), ...key.columns];
    const found: Uint8Array[] = [];
    const scan = this.#on.scan(child, { index: way.index, columns: ids, ...way.range });
    for (let batch = await scan.nextBatch(); batch !== undefined; batch = await scan.nextBatch()) {
      for (let i = 0; i < batch.count && found.length < (limit ?? Infinity); i++) {
        const row = batch.columns.map((column) => column[i] as Datum);
        const parts = row.splice(0, compiled.keyPlaces.length);
        if (way.isMet(row)) found.push(compiled.key.encode(parts));
      }
      if (found.length === limit) break;
    }
    scan.close();
    return found;
  }

  /** Others may have written such rows, and ended, before the key was locked. */
  async #assertNewest(codec: KeyCodec, range: RangeRequest): Promise<void> {
    const { view, isSerializable } = this.#on;
    if (!view.isOvertaken) return;
    if (view.isReadCommitted) await this.#on.renew();
    // The commit of a serializable one finds it: the range is in its read set.
    else if (!isSerializable && !(await view.isNewest(codec.range(range)))) throw overtaken();
  }

  /** A row that is there now, though this transaction does not see it. */
  async #refuseUnseen(key: Uint8Array): Promise<void> {
    const { view } = this.#on;
    if (view.isReadCommitted || !view.isOvertaken) return;
    if ((await view.newest(key)) !== undefined) throw overtaken();
  }
}

export function foreignKeysOf(table: TableDescriptor): readonly ForeignKeyDescriptor[] {
  return table.constraints.filter((one) => one.kind === "foreign key");
}

/** How the rows that refer to values are found. */
interface Way {
  readonly index: number;
  readonly codec: KeyCodec;
  readonly range: RangeRequest;
  /** Whether a row refers to them, by its values of the foreign key's columns. */
  readonly isMet: (row: readonly Datum[]) => boolean;
}

/** By an index that begins with the columns, in any order, or by all rows. @param of the parent. */
function wayTo(
  compiled: CompiledTable,
  parent: CompiledTable,
  key: ForeignKeyDescriptor,
  of: readonly Datum[],
): Way | undefined {
  const { table } = compiled;
  const { columns, references } = key;
  const froms = parent.columnTypes(references.columns);
  const types = compiled.columnTypes(columns);
  if (types.some((type, i) => isRounded(type, froms[i] as ColumnType))) {
    const met = comparable(parent, references.columns, of);
    const isEqual = (row: readonly Datum[]): boolean => {
      const wanted = row.includes(null) ? undefined : promoted(compiled, parent, key, row);
      return (
        wanted !== undefined && bytesEqual(comparable(parent, references.columns, wanted), met)
      );
    };
    return { index: 0, codec: compiled.key, range: {}, isMet: isEqual };
  }
  const converted = of.map((value, i) =>
    convertedKey(value, froms[i] as ColumnType, types[i] as ColumnType),
  );
  if (converted.includes(undefined)) return undefined;
  const values = converted as readonly Datum[];
  const begins = (parts: readonly { readonly columnId?: number }[]): boolean => {
    const first = parts.slice(0, columns.length).map(({ columnId }) => columnId);
    return first.length === columns.length && columns.every((id) => first.includes(id));
  };
  const equal = (parts: readonly { readonly columnId?: number }[]): readonly Datum[] =>
    parts
      .slice(0, columns.length)
      .map(({ columnId }) => values[columns.indexOf(columnId as number)] as Datum);
  const isMet = (): boolean => true;
  const { key: codec, indexes } = compiled;
  if (begins(table.primaryKey)) {
    return { index: 0, codec, range: { equal: equal(table.primaryKey) }, isMet };
  }
  const found = indexes.find(
    ({ index }) =>
      index.state === "public" && index.predicate === undefined && begins(index.parts as KeyPart[]),
  );
  if (found !== undefined) {
    const range = { equal: equal(found.index.parts as KeyPart[]) };
    return { index: found.index.id, codec: found.key, range, isMet };
  }
  const wanted = comparable(compiled, columns, values);
  const isEqual = (row: readonly Datum[]): boolean =>
    !row.includes(null) && bytesEqual(comparable(compiled, columns, row), wanted);
  return { index: 0, codec, range: {}, isMet: isEqual };
}

/** Values of a row as the columns that it refers to have them; undefined where one has not. */
function promoted(
  child: CompiledTable,
  parent: CompiledTable,
  { columns, references }: ForeignKeyDescriptor,
  values: readonly Datum[],
): readonly Datum[] | undefined {
  const to = parent.columnTypes(references.columns);
  const wanted = child
    .columnTypes(columns)
    .map((from, i) => convertedKey(values[i] as Datum, from, to[i] as ColumnType));
  return wanted.includes(undefined) ? undefined : (wanted as readonly Datum[]);
}

/** Values as bytes that are equal where the values are. */
function comparable(
  compiled: CompiledTable,
  columns: readonly number[],
  values: readonly Datum[],
): Uint8Array {
  const parts = columns.map((id): CodecPart => {
    const { type, name } = compiled.column(id);
    return { form: keyFormOf(type, name), direction: "asc", nulls: undefined };
  });
  return new KeyCodec(compiled.table.relation, 0, parts).encode(values);
}

/** The key of the row, or of the unique entry, that has values; undefined where one is NULL. */
function referencedBytes(
  parent: CompiledTable,
  key: ForeignKeyDescriptor,
  values: readonly Datum[],
): Uint8Array | undefined {
  if (values.includes(null)) return undefined;
  const by = referencedKey(parent.table, key);
  assert(by !== undefined, "a referenced key has a unique index");
  const { columns } = key.references;
  const parts = by === "rows" ? parent.table.primaryKey : (by.parts as readonly KeyPart[]);
  const ordered = parts.map(({ columnId }) => values[columns.indexOf(columnId)] as Datum);
  return by === "rows" ? parent.key.encode(ordered) : parent.index(by.id).key.encodeStart(ordered);
}

/** Whether two equal values are shown alike. */
function isAlike(a: Datum, b: Datum): boolean {
  if (typeof a === "number" || typeof b === "number") return Object.is(a, b);
  const shown = (value: Datum): string =>
    JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  return a === b || shown(a) === shown(b);
}

/** The values of a row that others refer to. */
function valuesOf(
  parent: CompiledTable,
  { references }: ForeignKeyDescriptor,
  row: readonly Datum[],
): readonly Datum[] {
  return references.columns.map((id) => row[parent.placeOf(id)] as Datum);
}

function writeOf({ name }: TableDescriptor): string {
  return `insert or update on table "${name}"`;
}

function stillReferenced(
  parent: CompiledTable,
  child: TableDescriptor,
  key: ForeignKeyDescriptor,
  values: readonly Datum[],
): Error {
  const refused = key.references.columns.map((id, i) => {
    const { name, type } = parent.column(id);
    return { name, type, value: values[i] as Datum };
  });
  const write = `update or delete on table "${parent.table.name}"`;
  const error = violated(write, child, key, { of: ` on table "${child.name}"` });
  return new RowViolation(error, refused, {
    saying: `is still referenced from table "${child.name}"`,
    named: [parent.table, child],
  });
}

/** 23503; `table` is the one that has the constraint, as PostgreSQL tells it. */
function violated(
  write: string,
  child: TableDescriptor,
  key: ForeignKeyDescriptor,
  { detail, of = "" }: { readonly detail?: string; readonly of?: string } = {},
): FirnError {
  const message = `${write} violates foreign key constraint "${key.name}"${of}`;
  const names = key.columns.map((id) => child.columns.find((one) => one.id === id)?.name ?? "");
  return rowError("Conflict", "ROW_FOREIGN_KEY", "23503", message, {
    ...placeOf(child),
    constraint: key.name,
    column: names.join(", "),
    ...(detail !== undefined && { detail }),
  });
}

function overtaken(): Error {
  const message = "another transaction changed what a foreign key refers to: begin again";
  return rowError("Conflict", "ROW_CONFLICT", "40001", message);
}
