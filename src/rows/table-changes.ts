import { assert } from "../base/assert.ts";
import { binaryText } from "../base/bytes.ts";
import type { TableId } from "../base/ids.ts";
import { encodeTablePrefix, rangeOfRelation } from "../keys/index.ts";
import { addPrimaryKey, type NewPrimaryKey } from "./add-primary-key.ts";
import {
  type ColumnChange,
  changedTable,
  type NewColumnType,
  named,
  type ReadsColumn,
  swapped,
  type TableChange,
} from "./alter.ts";
import { APART_INDEX } from "./apart-format.ts";
import { apartRanges, putRow } from "./apart-values.ts";
import type { RowScan } from "./batch.ts";
import { storedDatum } from "./check-datum.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { type ColumnDescriptor, sequenceOf, type TableDescriptor } from "./descriptor.ts";
import { dropPrimaryKey } from "./drop-primary-key.ts";
import { duplicate } from "./duplicate.ts";
import type { EngineView } from "./engine-view.ts";
import { FIRST_SHARD, rowError, shardNotFound } from "./errors.ts";
import { expressionsOf, withTexts } from "./expressions.ts";
import { numberedBy, toBeNumbered } from "./identity.ts";
import { forgetBuild } from "./index-builds.ts";
import { type RangeRequest, ROW_SPACE } from "./key-codec.ts";
import type { MoveHost } from "./move-rows.ts";
import { refuseWhileMoving } from "./moving.ts";
import { refuseBadRow } from "./row-checks.ts";
import { numberAs, type SequenceType, type TransactionSequences } from "./sequence.ts";
import { isWidened, setColumnType } from "./set-column-type.ts";
import { type ConstraintHost, TableConstraints } from "./table-constraints.ts";
import { changePartition, isPartitionChange, leaveParent } from "./table-partitions.ts";
import {
  type ColumnSpec,
  descriptorOf,
  type IndexSpec,
  indexOf,
  type TableSpec,
} from "./table-spec.ts";
import { isTemporaryId } from "./temporary/marks.ts";
import type { TransactionHost } from "./transaction-host.ts";

/** What changes of tables need of their transaction. */
export interface ChangeHost extends ConstraintHost {
  readonly host: TransactionHost;
  readonly sequences: TransactionSequences;
  readonly view: EngineView;
  readonly scan: (table: TableDescriptor, request: { columns: readonly number[] }) => RowScan;
}

/** How a column numbers its rows. */
interface Numbering {
  readonly sequence?: ColumnSpec["sequence"] | undefined;
  readonly serial?: boolean;
}

/** Changes of tables, in the transaction that changes rows. See `RowTransaction`. */
export class TableChanges {
  readonly #on: ChangeHost;
  readonly #constraints: TableConstraints;

  constructor(on: ChangeHost) {
    this.#on = on;
    this.#constraints = new TableConstraints(on);
  }

  async createTable({ shard, ...spec }: TableSpec): Promise<TableDescriptor> {
    // Where a catalog has several shards, another one was asked before.
    if (shard !== undefined && shard !== FIRST_SHARD) throw shardNotFound(shard);
    const relation = await this.#on.host.newRelation();
    const made = descriptorOf(spec, relation, this.#on.host.account);
    const table = await this.#withSequences(made, spec.columns);
    await this.#on.host.compiled.of(table);
    if ((await this.#on.tables.find(table.id)) !== undefined) {
      const message = "a table of that id exists in the shard";
      throw rowError("AlreadyExists", "ROW_TABLE_EXISTS", "42P07", message, { table: table.name });
    }
    return await this.#constraints.create(table, spec.foreignKeys ?? []);
  }

  /** Drops a table and its rows: one range is deleted, however many there are. */
  async dropTable(id: TableId, isCascade: boolean): Promise<void> {
    const table = await this.#on.tables.get(id);
    await leaveParent(this.#on, table);
    await this.#constraints.dropTable(table, isCascade);
    this.#on.tables.remove(table);
    await this.#dropSequences(table.id);
    this.#deleteRows(table.relation);
  }

  /** Removes all rows of a temporary table, whose descriptor stays as it is. */
  async clear(table: TableDescriptor): Promise<void> {
    assert(isTemporaryId(table.id), "rows of other tables go with their relation");
    await this.#constraints.refuseTruncate(table, []);
    this.#deleteRows(table.relation);
  }

  /** Removes all rows of a table, as `dropTable` does. */
  async truncate(id: TableId, together: readonly TableId[]): Promise<TableDescriptor> {
    const table = await this.#on.tables.get(id);
    await this.#constraints.refuseTruncate(table, together);
    const relation = await this.#on.host.newRelation();
    const next = { ...table, relation, version: table.version + 1 };
    await this.#on.tables.put(next, table);
    this.#deleteRows(table.relation);
    return next;
  }

  /** Deletes a range of rows unread, where no index and no other table knows of them. */
  async deleteRange(table: TableDescriptor, range: RangeRequest): Promise<void> {
    const compiled = await this.#on.use(table);
    refuseWhileMoving("write", table);
    await this.#constraints.refuseTruncate(table, []);
    // Entries of an index are found by reading the rows.
    if (table.indexes.length > 0 || (table.referencedBy ?? []).length > 0) {
      const message = "a table with indexes has no deletes of ranges: delete its rows";
      const code = "ROW_RANGE_DELETE_UNSUPPORTED";
      throw rowError("Invalid", code, "0A000", message, { table: table.name });
    }
    const { from, to } = compiled.key.range(range);
    this.#on.view.deleteRange(from, to ?? this.#endOf(table.relation));
    for (const apart of apartRanges(table, from, to)) {
      this.#on.view.deleteRange(apart.from, apart.to);
    }
  }

  /**
   * Changes a table: its descriptor alone, whatever rows it has.
   *
   * @returns the new descriptor: the old one is refused from now on.
   * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`; `ROW_NULL` (23502): a row has NULL.
   */
  async alter(id: TableId, change: TableChange): Promise<TableDescriptor> {
    const table = await this.#on.tables.get(id);
    if (isPartitionChange(change)) return await changePartition(this.#on, table, change);
    switch (change.kind) {
      case "add check":
        return await this.#constraints.addCheck(table, change.name, change.expression);
      case "add foreign key":
        return await this.#constraints.addForeignKey(table, change.key);
      case "alter foreign key":
        return await this.#constraints.alterForeignKey(table, change);
      case "add primary key":
        return await this.#withPrimaryKey(table, change.key);
      case "drop primary key":
        return await this.#withoutPrimaryKey(table, change.cascade === true);
      case "set type":
        return await this.#withType(table, change.to);
      case "drop constraint":
        return await this.#constraints.drop(table, change.name);
      case "add identity": {
        const column = toBeNumbered(table, change.column);
        const numbered = await this.#numbered(table, column, change);
        return await this.#replace(table, { ...numbered, identity: change.identity });
      }
      case "drop identity": {
        const { identity: _, sequence: _own, ...column } = numberedBy(table, change.column);
        await this.#dropSequences(table.id, column.id);
        return await this.#replace(table, column);
      }
      default:
        return await this.#alterColumns(table, change);
    }
  }

  async #replace(table: TableDescriptor, column: ColumnDescriptor): Promise<TableDescriptor> {
    const next = { ...table, version: table.version + 1, columns: swapped(table, column) };
    await this.#on.host.compiled.of(next);
    await this.#on.tables.put(next, table);
    return next;
  }

  async #withPrimaryKey(table: TableDescriptor, key: NewPrimaryKey): Promise<TableDescriptor> {
    const next = await addPrimaryKey(this.#moving(), table, key);
    this.#deleteRows(table.relation);
    return next;
  }

  async #withoutPrimaryKey(table: TableDescriptor, isCascade: boolean): Promise<TableDescriptor> {
    const kept = await this.#constraints.dropReferences(table, "rows", isCascade);
    const next = await dropPrimaryKey({ ...this.#moving(), ids: this.#on.host.ids }, kept);
    this.#deleteRows(table.relation);
    return next;
  }

  async #withType(table: TableDescriptor, to: NewColumnType): Promise<TableDescriptor> {
    const reads = await this.#reads(table);
    const { expressions } = this.#on.host;
    const { column, type } = to;
    if (isWidened(table, to, reads)) {
      return await this.#alterColumns(table, { kind: "widen", column, type });
    }
    const next = await setColumnType({ ...this.#moving(), expressions }, table, to, reads);
    this.#deleteRows(table.relation);
    return next;
  }

  #moving(): MoveHost {
    const { host } = this.#on;
    return { ...this.#on, newRelation: () => host.newRelation(), clock: host.clock };
  }

  async #alterColumns(table: TableDescriptor, change: ColumnChange): Promise<TableDescriptor> {
    const added = change.kind === "add column" ? change.column : undefined;
    const isFilled = added !== undefined && (await this.#isOfEachRow(table, added));
    const missing = added === undefined || isFilled ? null : await this.#missingOf(table, added);
    const next = changedTable(
      await this.#renamed(table, change),
      change,
      missing,
      await this.#reads(table),
    );
    if (change.kind === "set not null") {
      await this.#refuseNulls(table, named(table, change.column).id, change.column);
    }
    if (isFilled) return await this.#filled(table, next, added);
    if (added?.nullable === false && missing === null) {
      await this.#refuseNulls(table, undefined, added.name);
    }
    await this.#on.host.compiled.of(next);
    await this.#on.tables.put(next, table);
    if (change.kind === "drop column") {
      await this.#dropSequences(table.id, named(table, change.column).id);
    }
    return next;
  }

  /** Whether the rows that are there get values of a new column, each its own. */
  async #isOfEachRow(table: TableDescriptor, column: ColumnSpec): Promise<boolean> {
    const { identity, serial, generated, type, default: given } = column;
    if (identity !== undefined || serial === true || generated !== undefined) return true;
    if (given?.kind !== "expression") return given?.kind === "sequence";
    const { expressions } = this.#on.host;
    return (await expressions.isVolatile?.(given.text, table, type, "default")) ?? true;
  }

  /** Adds a column, and writes all rows with their values of it: they have to fit a transaction. */
  async #filled(
    table: TableDescriptor,
    added: TableDescriptor,
    spec: ColumnSpec,
  ): Promise<TableDescriptor> {
    this.#on.assertSerializable();
    const column = added.columns.at(-1) as ColumnDescriptor;
    const isNumbered = spec.identity !== undefined || spec.serial === true;
    const made = isNumbered ? await this.#numbered(added, column, spec) : column;
    const next = { ...added, columns: [...added.columns.slice(0, -1), made] };
    await this.#on.host.compiled.of(next);
    await this.#on.tables.put(next, table);
    const compiled = await this.#on.use(next);
    const place = compiled.placeOf(made.id);
    const of = { table: table.name, column: made.name };
    const rows = this.#on.storedRows(compiled);
    for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
      for (const { key, value } of batch) {
        const row = compiled.rows.row(key, value);
        row[place] = storedDatum(made.type, await this.#valueOf(compiled, place, row), of);
        refuseBadRow(compiled, row, this.#on.context);
        putRow(this.#on.view, compiled, key, row, value);
      }
    }
    return next;
  }

  /** What a row that is there gets of a column: a number, or what its expression says. */
  async #valueOf(
    { live, generated, defaults }: CompiledTable,
    place: number,
    row: readonly Datum[],
  ): Promise<Datum> {
    const column = live[place] as ColumnDescriptor;
    const { context, host, sequences } = this.#on;
    const id = sequenceOf(column);
    if (id !== undefined) {
      const number = await host.valuesOf(id).next(await sequences.get(id));
      return numberAs(column.type, number);
    }
    return generated[place]?.(row, context) ?? defaults[place]?.([], context) ?? null;
  }

  /** Makes the sequences of columns that number their rows. */
  async #withSequences(
    table: TableDescriptor,
    specs: readonly ColumnSpec[],
  ): Promise<TableDescriptor> {
    const columns: ColumnDescriptor[] = [];
    for (const [i, column] of table.columns.entries()) {
      const spec = specs[i];
      const isNumbered = spec?.identity !== undefined || spec?.serial === true;
      columns.push(isNumbered ? await this.#numbered(table, column, spec) : column);
    }
    return { ...table, columns };
  }

  async #numbered(
    { id: table, name, namespace }: TableDescriptor,
    column: ColumnDescriptor,
    { sequence: options = {}, serial }: Numbering,
  ): Promise<ColumnDescriptor> {
    const { name: given, ...others } = options;
    const sequenceSpec = {
      type: column.type.kind as SequenceType,
      ...others,
      namespace,
      name: given ?? `${name}_${column.name}_seq`,
      ownedBy: { table, column: column.id },
    };
    const { sequences } = this.#on;
    const made =
      given === undefined
        ? await sequences.createNamed(sequenceSpec)
        : await sequences.create(sequenceSpec);
    const sequence = made.id;
    if (serial !== true) return { ...column, sequence };
    return { ...column, default: { kind: "sequence", sequence } };
  }

  /** Those that a table owns, or one of its columns. */
  async #dropSequences(table: TableId, column?: number): Promise<void> {
    for (const sequence of await this.#on.sequences.list()) {
      const { ownedBy } = sequence;
      const isOfColumn = column === undefined || ownedBy?.column === column;
      if (ownedBy?.table === table && isOfColumn) this.#on.sequences.drop(sequence);
    }
  }

  /**
   * Makes an index and fills it, in this transaction: for tables whose entries fit one. It has to
   * be serializable, so that no row escapes it.
   *
   * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505): it was to be unique.
   */
  async createIndex(
    id: TableId,
    spec: IndexSpec,
    state: "public" | "backfilling",
  ): Promise<TableDescriptor> {
    const isFilled = state === "public";
    if (isFilled) this.#on.assertSerializable();
    const table = await this.#on.tables.get(id);
    if (table.indexes.some(({ name }) => name === spec.name)) {
      const place = { table: table.name, index: spec.name };
      throw rowError("AlreadyExists", "ROW_INDEX_EXISTS", "42P07", "the index exists", place);
    }
    const last = table.lastIndexId ?? Math.max(0, ...table.indexes.map((index) => index.id));
    assert(last + 1 < APART_INDEX, "the last number is of no index");
    const index = indexOf(table, table.columns, spec, last + 1, state);
    const constraint = { kind: "unique", name: index.name, index: index.id } as const;
    const next: TableDescriptor = {
      ...table,
      version: table.version + 1,
      indexes: [...table.indexes, index],
      lastIndexId: index.id,
      constraints:
        index.unique && isFilled && index.isBare !== true
          ? [...table.constraints, constraint]
          : table.constraints,
    };
    await this.#on.tables.put(next, table);
    const compiled = await this.#on.use(next);
    if (isFilled) await this.#fillIndex(compiled, index.id);
    return next;
  }

  /**
   * Drops an index, and the constraint that it is of: one range is deleted.
   *
   * @param isCascade whether the foreign keys go that need it; they refuse the drop otherwise.
   */
  async dropIndex(id: TableId, name: string, isCascade: boolean): Promise<TableDescriptor> {
    const given = await this.#on.tables.get(id);
    const index = given.indexes.find((one) => one.name === name);
    if (index === undefined) {
      const place = { table: given.name, index: name };
      throw rowError("Invalid", "ROW_INDEX_UNKNOWN", "42704", "unknown index", place);
    }
    const table = await this.#constraints.dropReferences(given, index.id, isCascade);
    const last = table.lastIndexId ?? Math.max(...table.indexes.map((one) => one.id));
    const next: TableDescriptor = {
      ...table,
      version: table.version + 1,
      indexes: table.indexes.filter((one) => one.id !== index.id),
      lastIndexId: last,
      constraints: table.constraints.filter(
        (one) => one.kind !== "unique" || one.index !== index.id,
      ),
    };
    await this.#on.tables.put(next, table);
    forgetBuild(this.#on.view, table, index);
    const prefix = { space: ROW_SPACE, relation: table.relation };
    this.#on.view.deleteRange(
      encodeTablePrefix({ ...prefix, index: index.id }),
      encodeTablePrefix({ ...prefix, index: index.id + 1 }),
    );
    return next;
  }

  async #fillIndex(compiled: CompiledTable, id: number): Promise<void> {
    const index = compiled.index(id);
    const reader = compiled.lean(compiled.needs.ofIndex(index.index));
    const rows = this.#on.storedRows(compiled, reader);
    const seen = new Set<string>();
    for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
      for (const { key, value } of batch) {
        const row = reader.row(key, value);
        for (const entry of index.entries(row, this.#on.context)) {
          if (entry.isUnique) {
            const name = binaryText(entry.key);
            if (seen.has(name)) throw duplicate(compiled, index, row, this.#on.context);
            seen.add(name);
          }
          this.#on.view.put(entry.key, entry.value);
        }
      }
    }
  }

  /** Which columns the expressions of a table read. */
  async #reads(table: TableDescriptor): Promise<ReadsColumn> {
    const { expressions } = this.#on.host;
    const names = new Map<string, readonly string[] | undefined>();
    for (const { text } of expressionsOf(table)) {
      names.set(text, await expressions.columnsOf?.(text));
    }
    return (text, column) => names.get(text)?.includes(column) ?? true;
  }

  /** A table whose expressions name a column as it will be named. */
  async #renamed(table: TableDescriptor, change: ColumnChange): Promise<TableDescriptor> {
    if (change.kind !== "rename column") return table;
    const { expressions } = this.#on.host;
    const { column, name } = change;
    return await withTexts(table, async (text) => {
      if (expressions.renamed !== undefined) return await expressions.renamed(text, column, name);
      const message = `invalid change of table "${table.name}": an expression may name the column`;
      const place = { table: table.name, column };
      throw rowError("Invalid", "ROW_TABLE_INVALID", "0A000", message, place);
    });
  }

  /** What rows are to have that are there already. */
  async #missingOf(table: TableDescriptor, column: ColumnSpec): Promise<Datum> {
    const { default: given, type, name } = column;
    if (given === undefined) return null;
    const place = { table: table.name, column: name };
    if (given.kind === "constant") return storedDatum(type, given.value, place);
    assert(given.kind === "expression", "rows get the numbers of a sequence one by one");
    const { expressions } = this.#on.host;
    const compute = await expressions.compile(given.text, table, type, "default");
    return storedDatum(type, compute([], this.#on.context), place);
  }

  /** @param columnId absent: any row at all is in the way. */
  async #refuseNulls(
    table: TableDescriptor,
    columnId: number | undefined,
    name: string,
  ): Promise<void> {
    this.#on.assertSerializable();
    const columns = columnId === undefined ? [] : [columnId];
    const scan = this.#on.scan(table, { columns });
    for (let batch = await scan.nextBatch(); batch !== undefined; batch = await scan.nextBatch()) {
      if (columnId !== undefined && batch.columns[0]?.includes(null) !== true) continue;
      scan.close();
      const place = { table: table.name, column: name };
      const message = `column "${name}" contains null values`;
      throw rowError("Invalid", "ROW_NULL", "23502", message, place);
    }
  }

  #deleteRows(relation: number): void {
    const { from } = rangeOfRelation(ROW_SPACE, relation);
    this.#on.view.deleteRange(from, this.#endOf(relation));
  }

  #endOf(relation: number): Uint8Array {
    const { to } = rangeOfRelation(ROW_SPACE, relation);
    return to ?? encodeTablePrefix({ space: 2, relation: 0, index: 0 });
  }
}
