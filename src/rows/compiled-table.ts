import { assert } from "../base/assert.ts";
import type { Maybe } from "../lsm/index.ts";
import { APART_BYTES, type ApartValue } from "./apart-format.ts";
import { type ColumnType, domainsOf, type TypeWithin, typesWithin } from "./column-type.ts";
import { CompiledIndex } from "./compiled-index.ts";
import type { Datum } from "./datum.ts";
import {
  type ColumnDescriptor,
  type ForeignKeyDescriptor,
  liveColumns,
  sequenceOf,
  type TableDescriptor,
  visibleColumns,
} from "./descriptor.ts";
import { rowError } from "./errors.ts";
import {
  type CompiledExpression,
  compiledExpressions,
  type Expressions,
  type ExpressionText,
  type ExpressionUse,
} from "./expressions.ts";
import { type CodecPart, KeyCodec } from "./key-codec.ts";
import { keyFormOf } from "./key-columns.ts";
import { RowReader } from "./row-reader.ts";
import { type EncodedValue, type KeptValues, RowWriter } from "./row-writer.ts";
import { type ColumnsOf, columnsOfTexts, readsAll, TableNeeds } from "./table-needs.ts";

/** Where the values of a column of rows come from. */
interface Source {
  readonly id: number;
  /** Its place among the parts of the key; -1 where it stands in the value. */
  readonly keyPlace: number;
}

/** A column as errors name it. */
export interface ShownColumn {
  readonly table: string;
  readonly column: string;
}

/** A CHECK, compiled. */
interface Check {
  readonly name: string;
  readonly holds: CompiledExpression;
}

/** A domain of a column or of a part of it, compiled: its checks take the value as their row. */
interface CheckedDomain {
  readonly place: number;
  /** From the column's value to those of the domain. */
  readonly path: TypeWithin["path"];
  readonly name: string;
  readonly notNull: boolean;
  readonly checks: readonly Check[];
}

/**
 * All that is made once for a descriptor: codecs of keys and rows, its indexes, its expressions.
 * Rows are arrays of the values of `live`, in its order.
 */
export class CompiledTable {
  readonly table: TableDescriptor;
  readonly live: readonly ColumnDescriptor[];
  /** Of each column of `live`. */
  readonly shown: readonly ShownColumn[];
  readonly key: KeyCodec;
  /** Places in `live` of the parts of the primary key. */
  readonly keyPlaces: readonly number[];
  readonly indexes: readonly CompiledIndex[];
  readonly hasUniqueIndex: boolean;
  /** What work on a row reads of it. */
  readonly needs: TableNeeds;
  /** Whether rows may have values that are stored apart: some types are never long. */
  readonly mayBeApart: boolean;
  /** Places in `live` of the columns whose values may be. */
  readonly longPlaces: readonly number[];
  readonly checks: readonly Check[];
  /** Of a partition: whether it may have a row. */
  readonly holdsRow: CompiledExpression | undefined;
  readonly domains: readonly CheckedDomain[];
  readonly foreignKeys: readonly ForeignKeyDescriptor[];
  /** Columns whose change is one of a key: of the primary key or a unique index. */
  readonly keyColumns: ReadonlySet<number>;
  readonly generated: readonly (CompiledExpression | undefined)[];
  readonly defaults: readonly (CompiledExpression | undefined)[];
  readonly #places: ReadonlyMap<number, number>;
  /** Places in `live` of the columns that stand in values. */
  readonly #stored: readonly number[];
  readonly #writer: RowWriter;
  readonly #numbered: readonly number[];
  readonly #readers = new Map<string, TableReader>();

  constructor(
    table: TableDescriptor,
    expressions: ReadonlyMap<ExpressionText, CompiledExpression>,
    apartBytes: number,
    columnsOf: ColumnsOf = readsAll,
  ) {
    this.table = table;
    this.live = liveColumns(table);
    this.shown = this.live.map(({ name }) => ({ table: table.name, column: name }));
    this.#places = new Map(this.live.map(({ id }, place) => [id, place]));
    const parts = table.primaryKey.map(({ columnId, direction }): CodecPart => {
      const column = this.column(columnId);
      return { form: keyFormOf(column.type, column.name), direction, nulls: undefined };
    });
    this.key = new KeyCodec(table.relation, 0, parts);
    this.keyPlaces = table.primaryKey.map(({ columnId }) => this.placeOf(columnId));
    const inKey = new Set(this.keyPlaces.filter((_, i) => parts[i]?.form.isLossy === false));
    this.#stored = this.live.map((_, place) => place).filter((place) => !inKey.has(place));
    const stored = this.#stored.map((place) => this.live[place] as ColumnDescriptor);
    this.#writer = new RowWriter(stored, table.version, table.owner, this.#stored, apartBytes);
    this.longPlaces = this.#stored.filter(
      (place) => !isShort(this.live[place]?.type as ColumnType),
    );
    this.mayBeApart = this.longPlaces.length > 0;
    const all = [...expressions];
    const compile = (text: string, use: ExpressionUse, type?: ColumnType): CompiledExpression => {
      const found = all.find(([one]) => one.text === text && one.use === use && one.type === type);
      assert(found !== undefined, "every expression of a table is compiled before the table");
      return found[1];
    };
    this.checks = table.constraints
      .filter((constraint) => constraint.kind === "check")
      .map(({ name, expression }) => ({ name, holds: compile(expression, "check") }));
    const bounds = table.partitionOf?.constraint;
    this.holdsRow = bounds === undefined ? undefined : compile(bounds, "partition");
    this.domains = this.live.flatMap(({ type: whole }, place) =>
      typesWithin(whole).flatMap(({ type, path }) =>
        domainsOf(type).map(({ name, notNull = false, checks = [] }) => ({
          place,
          path,
          name,
          notNull,
          checks: checks.map((check) => ({
            name: check.name,
            holds: compile(check.expression, "domain", type),
          })),
        })),
      ),
    );
    this.foreignKeys = table.constraints.filter((one) => one.kind === "foreign key");
    const unique = table.indexes.filter((index) => index.unique).flatMap(({ parts }) => parts);
    this.keyColumns = new Set(
      [...table.primaryKey, ...unique].flatMap((part) =>
        "columnId" in part ? [part.columnId] : [],
      ),
    );
    this.generated = this.live.map(({ generated, type }) =>
      generated === undefined ? undefined : compile(generated, "generated", type),
    );
    this.defaults = this.live.map(({ default: given, type }) =>
      given?.kind === "expression" ? compile(given.text, "default", type) : undefined,
    );
    this.#numbered = this.live.flatMap((column, place) =>
      sequenceOf(column) === undefined ? [] : [place],
    );
    this.indexes = table.indexes
      .filter(({ state }) => state !== "dropping")
      .map((index) => new CompiledIndex(this, index, compile));
    const placeOf = (id: number): number => this.placeOf(id);
    this.needs = new TableNeeds({ ...this, placeOf }, columnsOf);
    this.hasUniqueIndex = this.indexes.some(({ index }) => index.unique);
  }

  /** @throws FirnError `Invalid`, code `ROW_COLUMN_UNKNOWN`. */
  placeOf(columnId: number): number {
    const place = this.#places.get(columnId);
    if (place !== undefined) return place;
    throw rowError("Invalid", "ROW_COLUMN_UNKNOWN", "42703", "the table has no such column", {
      table: this.table.name,
      column: String(columnId),
    });
  }

  column(columnId: number): ColumnDescriptor {
    return this.live[this.placeOf(columnId)] as ColumnDescriptor;
  }

  columnTypes(columnIds: readonly number[]): readonly ColumnType[] {
    return columnIds.map((id) => this.column(id).type);
  }

  /** @throws FirnError `Invalid`, code `ROW_INDEX_UNKNOWN`. */
  index(id: number): CompiledIndex {
    const found = this.indexes.find(({ index }) => index.id === id);
    if (found !== undefined) return found;
    throw rowError("Invalid", "ROW_INDEX_UNKNOWN", "42704", "the table has no such index", {
      table: this.table.name,
      index: id,
    });
  }

  keyOf(row: readonly Datum[]): readonly Datum[] {
    return this.keyPlaces.map((place) => row[place] as Datum);
  }

  /** As `RowWriter.write`. */
  encode(
    row: readonly Datum[],
    apart?: ApartValue[],
    kept?: KeptValues,
    ahead?: readonly EncodedValue[],
  ): Uint8Array {
    return this.#writer.write(row, apart, kept, ahead);
  }

  /** A reader of some columns, in the order that is asked for. */
  reader(columnIds: readonly number[]): TableReader {
    const name = columnIds.join();
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      reader = new TableReader(this, columnIds);
      this.#readers.set(name, reader);
    }
    return reader;
  }

  /**
   * A reader of whole rows that leaves long values `UNREAD` where they are stored apart.
   *
   * @param needed columns whose values it reads all the same.
   */
  lean(needed: ReadonlySet<number>): TableReader {
    const long = this.live.filter(({ id, type }) => needed.has(id) && !isShort(type));
    const name = `lean ${long.map(({ id }) => id).join()}`;
    let reader = this.#readers.get(name);
    if (reader === undefined) {
      const all = this.live.map(({ id }) => id);
      reader = new TableReader(this, all, new Set(long.map(({ id }) => id)));
      this.#readers.set(name, reader);
    }
    return reader;
  }

  /** Places of the columns that number their rows. */
  get numbered(): readonly number[] {
    return this.#numbered;
  }

  /** A reader of whole rows. */
  get rows(): TableReader {
    return this.reader(this.live.map(({ id }) => id));
  }

  /** Where a column's values come from. */
  source(id: number): Source {
    const place = this.placeOf(id);
    const keyPlace = this.keyPlaces.indexOf(place);
    const isInKey = keyPlace >= 0 && this.key.parts[keyPlace]?.form.isLossy === false;
    return { id, keyPlace: isInKey ? keyPlace : -1 };
  }
}

/** Reads some columns of rows, whether they stand in keys or in values. */
export class TableReader {
  readonly #table: CompiledTable;
  readonly #sources: readonly Source[];
  readonly #values: RowReader;
  readonly #isKeyRead: boolean;
  /** Columns that stand in values, those apart that it leaves there excepted. */
  readonly #stored: ReadonlySet<number>;
  /** Whether rows may have values of those apart. */
  readonly mayBeApart: boolean;

  /** @param joined those of values apart that it reads; others are `UNREAD`. All, if absent. */
  constructor(table: CompiledTable, columnIds: readonly number[], joined?: ReadonlySet<number>) {
    this.#table = table;
    this.#sources = columnIds.map((id) => table.source(id));
    this.#isKeyRead = this.#sources.some(({ keyPlace }) => keyPlace >= 0);
    const wanted = this.#sources
      .filter(({ keyPlace }) => keyPlace < 0)
      .map(({ id }) => {
        const { type, missing = null } = table.column(id);
        return { id, type, missing };
      });
    const read = wanted.filter(({ id }) => joined?.has(id) ?? true);
    this.#stored = new Set(read.map(({ id }) => id));
    this.mayBeApart = read.some(({ type }) => !isShort(type));
    this.#values = new RowReader(wanted, table.table.owner, joined !== undefined);
  }

  get columns(): number {
    return this.#sources.length;
  }

  /** Whether it reads a column that may stand apart. */
  isStored(columnId: number): boolean {
    return this.#stored.has(columnId);
  }

  /** Whether it reads keys at all. */
  get isKeyRead(): boolean {
    return this.#isKeyRead;
  }

  /** Whether keys alone have all that it reads. */
  get isOfKeys(): boolean {
    return this.#sources.every(({ keyPlace }) => keyPlace >= 0);
  }

  /** The vectors of `out` that stand in values: what `RowReader.read` fills. */
  vectors(out: readonly Datum[][]): readonly Datum[][] {
    return out.filter((_, i) => (this.#sources[i] as Source).keyPlace < 0);
  }

  /**
   * Puts one row at `at` of each column.
   *
   * @param vectors those of `out` that come from values: made once for a batch.
   */
  read(
    key: Uint8Array,
    bytes: Uint8Array,
    from: number,
    to: number,
    out: readonly Datum[][],
    vectors: readonly Datum[][],
    at: number,
  ): void {
    this.#values.read(bytes, from, to, vectors, at);
    if (!this.#isKeyRead) return;
    const parts = this.#table.key.decode(key);
    for (let i = 0; i < out.length; i++) {
      const { keyPlace } = this.#sources[i] as Source;
      if (keyPlace >= 0) (out[i] as Datum[])[at] = parts[keyPlace] as Datum;
    }
  }

  /** One row as an array. */
  row(key: Uint8Array, value: Uint8Array): Datum[] {
    return this.columnsOf(key, value).map((column) => column[0] as Datum);
  }

  /** As `row`: each column of it alone. */
  columnsOf(key: Uint8Array, value: Uint8Array): Datum[][] {
    const out: Datum[][] = this.#sources.map(() => []);
    this.read(key, value, 0, value.length, out, this.vectors(out), 0);
    return out;
  }
}

const SHORT: ReadonlySet<ColumnType["kind"]> = new Set([
  "bool",
  "int2",
  "int4",
  "int8",
  "float4",
  "float8",
  "date",
  "time",
  "timetz",
  "timestamp",
  "timestamptz",
  "interval",
  "uuid",
]);

/** Whether values of a type have a few bytes, whatever they are. */
export function isShort({ kind }: ColumnType): boolean {
  return SHORT.has(kind);
}

/** Compiled once for each descriptor, as long as that is in use. */
export class CompiledTables {
  readonly #expressions: Expressions;
  readonly #apartBytes: number;
  readonly #made = new WeakMap<TableDescriptor, CompiledTable>();

  constructor(expressions: Expressions, apartBytes: number = APART_BYTES) {
    this.#expressions = expressions;
    this.#apartBytes = apartBytes;
  }

  /** Not a promise where it was compiled before, or has no expressions that have to be loaded. */
  of(table: TableDescriptor): Maybe<CompiledTable> {
    const made = this.#made.get(table);
    if (made !== undefined) return made;
    const expressions = compiledExpressions(table, this.#expressions);
    const columns = columnsOfTexts(table, this.#expressions);
    return expressions instanceof Promise || columns instanceof Promise
      ? Promise.all([expressions, columns]).then((both) => this.#make(table, ...both))
      : this.#make(table, expressions, columns);
  }

  #make(
    table: TableDescriptor,
    expressions: ReadonlyMap<ExpressionText, CompiledExpression>,
    columnsOf: ColumnsOf,
  ): CompiledTable {
    const made = new CompiledTable(table, expressions, this.#apartBytes, columnsOf);
    this.#made.set(table, made);
    return made;
  }
}

/** A reader of columns, by id; of all that are seen where none are named. */
export function readerOf(
  compiled: CompiledTable,
  columns: readonly number[] | undefined,
): TableReader {
  return compiled.reader(columns ?? visibleColumns(compiled.table).map(({ id }) => id));
}
