import { assert } from "../base/assert.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type {
  ColumnDescriptor,
  IndexDescriptor,
  IndexPart,
  TableDescriptor,
} from "./descriptor.ts";
import type { RefusedValue } from "./errors.ts";
import type { CompiledExpression, ExpressionContext, ExpressionUse } from "./expressions.ts";
import { type IndexForm, indexFormOf, type TypedPart } from "./index-form.ts";
import { type CodecPart, KeyCodec } from "./key-codec.ts";
import { RowReader } from "./row-reader.ts";
import { RowWriter, type StoredColumn } from "./row-writer.ts";

/** An entry of an index, as it is stored. */
export interface IndexEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** No other row may have this key. */
  readonly isUnique: boolean;
}

/** What an index needs of its table. */
interface IndexedTable {
  readonly table: TableDescriptor;
  readonly live: readonly ColumnDescriptor[];
  readonly key: KeyCodec;
  readonly keyPlaces: readonly number[];
  placeOf(columnId: number): number;
  column(columnId: number): ColumnDescriptor;
}

const NOTHING = new Uint8Array(0);

/** Where a column of an index-only read comes from. */
type EntrySource = { readonly part: number } | { readonly value: number };

/** Reads some values of entries, each from where it stands: found once for all entries. */
export class EntryReader {
  readonly #sources: readonly EntrySource[];
  readonly #key: KeyCodec;
  readonly #reader: RowReader;
  readonly #stored: number;
  /** Parts of the key that are decoded, and whether the value is. */
  readonly #parts: number;
  readonly #readsValue: boolean;

  constructor(sources: readonly EntrySource[], key: KeyCodec, reader: RowReader, stored: number) {
    this.#sources = sources;
    this.#key = key;
    this.#reader = reader;
    this.#stored = stored;
    this.#parts = Math.max(0, ...sources.map((one) => ("part" in one ? one.part + 1 : 0)));
    this.#readsValue = sources.some((one) => "value" in one);
  }

  get columns(): number {
    return this.#sources.length;
  }

  /** Where the values of a batch are decoded to, before they go to their columns. */
  room(count: number): Datum[][] {
    if (!this.#readsValue) return [];
    return Array.from({ length: this.#stored }, () => new Array<Datum>(count));
  }

  /** Puts one entry, whose value lies in [from, to) of bytes, at `at` of each column. */
  read(
    key: Uint8Array,
    bytes: Uint8Array,
    from: number,
    to: number,
    out: readonly Datum[][],
    room: readonly Datum[][],
    at: number,
  ): void {
    if (this.#readsValue) this.#reader.read(bytes, from, to, room, at);
    const parts = this.#parts === 0 ? NO_PARTS : this.#key.decode(key, this.#parts);
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i] as EntrySource;
      (out[i] as Datum[])[at] = (
        "part" in source ? parts[source.part] : (room[source.value] as Datum[])[at]
      ) as Datum;
    }
  }

  row(key: Uint8Array, bytes: Uint8Array, from: number, to: number): readonly Datum[] {
    const out = this.#sources.map((): Datum[] => []);
    this.read(key, bytes, from, to, out, this.room(1), 0);
    return out.map(([value]) => value as Datum);
  }
}

const NO_PARTS: readonly Datum[] = [];
const NO_ENTRIES: readonly IndexEntry[] = [];

/**
 * An index's entries. A non-unique one has the columns of the primary key that it lacks behind its
 * parts, so that no two rows share a key; a unique one has them in the value, and in both where a
 * part is NULL, unless NULLS NOT DISTINCT says that NULLs are equal.
 */
export class CompiledIndex {
  readonly index: IndexDescriptor;
  /** Its parts or what stands for them, then the parts of the primary key that it lacks. */
  readonly key: KeyCodec;
  readonly #form: IndexForm;
  readonly #table: IndexedTable;
  /** Places of its parts among the row's columns; -1 for an expression. */
  readonly #places: readonly number[];
  readonly #compiled: readonly (CompiledExpression | undefined)[];
  readonly #predicate: CompiledExpression | undefined;
  /** Places among the row's columns of what follows its parts in the key. */
  readonly #suffix: readonly number[];
  /** Places of the columns that stand in the value. */
  readonly #stored: readonly number[];
  readonly #writer: RowWriter;
  readonly #reader: RowReader;
  /** Reads the parts of the primary key. */
  readonly #keys: EntryReader;

  constructor(
    table: IndexedTable,
    index: IndexDescriptor,
    compile: (text: string, use: ExpressionUse, type?: ColumnType) => CompiledExpression,
  ) {
    this.index = index;
    this.#table = table;
    this.#places = index.parts.map((part) =>
      "columnId" in part ? table.placeOf(part.columnId) : -1,
    );
    this.#compiled = index.parts.map((part) =>
      "expression" in part ? compile(part.expression, "index part", part.type) : undefined,
    );
    this.#predicate =
      index.predicate === undefined ? undefined : compile(index.predicate, "predicate");
    const exact = new Map<number, number>();
    this.#form = indexFormOf(
      index,
      index.parts.map((part) => this.#typed(part)),
    );
    const { lead } = this.#form;
    if (index.method === undefined) {
      for (const [i, part] of index.parts.entries()) {
        const isExact = "columnId" in part && lead[i]?.form.isLossy === false;
        if (isExact) exact.set(table.placeOf(part.columnId), i);
      }
    }
    const lacking = table.keyPlaces.filter((place) => !exact.has(place));
    this.#suffix = lacking;
    const suffix = lacking.map((place): CodecPart => {
      const at = table.keyPlaces.indexOf(place);
      return table.key.parts[at] as CodecPart;
    });
    this.key = new KeyCodec(table.table.relation, index.id, [...lead, ...suffix]);
    const stored = new Set<number>();
    for (const place of lacking) {
      const isLossy = table.key.parts[table.keyPlaces.indexOf(place)]?.form.isLossy === true;
      if (index.unique || isLossy) stored.add(place);
    }
    for (const id of index.include) stored.add(table.placeOf(id));
    this.#stored = [...stored];
    const columns: readonly StoredColumn[] = this.#stored.map((place) => {
      const { id, type } = table.live[place] as StoredColumn;
      return { id, type };
    });
    const { version, owner } = table.table;
    this.#writer = new RowWriter(columns, version, owner);
    const wanted = columns.map((column) => ({ ...column, missing: null }));
    this.#reader = new RowReader(wanted, owner);
    const keys = table.keyPlaces.map((place) => this.#sourceOf(place) as EntrySource);
    this.#keys = new EntryReader(keys, this.key, this.#reader, this.#stored.length);
  }

  /** The entries of a row; none where its predicate leaves the row out. */
  entries(row: readonly Datum[], context: ExpressionContext): readonly IndexEntry[] {
    if (this.#predicate !== undefined && this.#predicate(row, context) !== true) return NO_ENTRIES;
    const parts = this.#parts(row, context);
    const isUnique = this.index.unique && (this.index.nullsNotDistinct || !parts.includes(null));
    const suffix = this.#suffix.map((place) => row[place] as Datum);
    const value =
      this.#stored.length === 0
        ? NOTHING
        : this.#writer.write(this.#stored.map((place) => row[place] as Datum));
    if (isUnique) return [{ key: this.key.encodeStart(parts), value, isUnique }];
    return this.#form.leads(parts).map((lead) => {
      return { key: this.key.encode([...lead, ...suffix]), value, isUnique };
    });
  }

  /** Whether entries have a column, so that a read of it needs no row. */
  covers(columnId: number): boolean {
    return this.#sourceOf(this.#table.placeOf(columnId)) !== undefined;
  }

  /** The primary key of the row that an entry is of. */
  keyOf(key: Uint8Array, value: Uint8Array): readonly Datum[] {
    return this.#keys.row(key, value, 0, value.length);
  }

  /** As `keyOf`, of an entry whose value lies in [from, to) of bytes. */
  keyIn(key: Uint8Array, bytes: Uint8Array, from: number, to: number): readonly Datum[] {
    return this.#keys.row(key, bytes, from, to);
  }

  /** Columns that the index covers, of one entry. */
  columns(ids: readonly number[], key: Uint8Array, value: Uint8Array): readonly Datum[] {
    return this.reader(ids).row(key, value, 0, value.length);
  }

  /** Reads columns that the index covers, of many entries. */
  reader(ids: readonly number[]): EntryReader {
    const sources = ids.map((id) => this.#sourceOf(this.#table.placeOf(id)) as EntrySource);
    return new EntryReader(sources, this.key, this.#reader, this.#stored.length);
  }

  #sourceOf(place: number): EntrySource | undefined {
    const value = this.#stored.indexOf(place);
    if (value >= 0) return { value };
    const { id } = this.#table.live[place] as StoredColumn;
    const isOrdered = this.index.method === undefined;
    const part = this.index.parts.findIndex((one) => "columnId" in one && one.columnId === id);
    if (isOrdered && part >= 0) {
      return this.key.parts[part]?.form.isLossy === false ? { part } : undefined;
    }
    const suffix = this.#suffix.indexOf(place);
    return suffix < 0 ? undefined : { part: this.#form.lead.length + suffix };
  }

  #typed(part: IndexPart): TypedPart {
    if ("expression" in part) return { ...part, name: part.expression };
    const { type, name } = this.#table.column(part.columnId);
    return { ...part, type, name };
  }

  /** The values of its parts, for the error of a row that it refused. */
  refused(row: readonly Datum[], context: ExpressionContext): readonly RefusedValue[] {
    return this.#named(this.#parts(row, context));
  }

  /** The same of the key of an entry. */
  refusedKey(key: Uint8Array): readonly RefusedValue[] {
    return this.#named(this.key.decode(key, this.index.parts.length));
  }

  #named(values: readonly Datum[]): readonly RefusedValue[] {
    return this.index.parts.map((part, i) => {
      const value = values[i] as Datum;
      if ("expression" in part) return { name: part.expression, type: part.type, value };
      const { name, type } = this.#table.column(part.columnId);
      return { name, type, value };
    });
  }

  #parts(row: readonly Datum[], context: ExpressionContext): readonly Datum[] {
    return this.index.parts.map((_, i) => {
      const place = this.#places[i] as number;
      if (place >= 0) return row[place] as Datum;
      const compiled = this.#compiled[i];
      assert(compiled !== undefined, "a part is a column or an expression");
      return compiled(row, context);
    });
  }
}
