import type { Maybe } from "../lsm/index.ts";
import type { Datum } from "./datum.ts";
import type {
  ColumnDescriptor,
  ForeignKeyDescriptor,
  IndexDescriptor,
  TableDescriptor,
} from "./descriptor.ts";
import { type Expressions, expressionsOf } from "./expressions.ts";

/** Names of the columns that a text reads; undefined: it may read any. */
export type ColumnsOf = (text: string) => readonly string[] | undefined;

export const readsAll: ColumnsOf = () => undefined;

/** Asks for all texts of a table at once; not a promise where nothing has to be waited for. */
export function columnsOfTexts(table: TableDescriptor, expressions: Expressions): Maybe<ColumnsOf> {
  const texts = [...new Set(expressionsOf(table).map(({ text }) => text))];
  if (expressions.columnsOf === undefined || texts.length === 0) return readsAll;
  const found = texts.map((text) => expressions.columnsOf?.(text));
  const made = (all: readonly (readonly string[] | undefined)[]): ColumnsOf => {
    const of = new Map(texts.map((text, i) => [text, all[i]]));
    return (text) => of.get(text);
  };
  if (found.some((one) => one instanceof Promise)) return Promise.all(found).then(made);
  return made(found as readonly (readonly string[] | undefined)[]);
}

/** What a table is made of, as far as it says who reads what. */
interface Parts {
  readonly table: TableDescriptor;
  readonly live: readonly ColumnDescriptor[];
  readonly domains: readonly { readonly place: number }[];
  readonly foreignKeys: readonly ForeignKeyDescriptor[];
  readonly indexes: readonly { readonly index: IndexDescriptor }[];
  readonly keyColumns: ReadonlySet<number>;
  readonly placeOf: (columnId: number) => number;
}

/** Which columns of a row work on it reads: the others may stay where they are stored. */
export class TableNeeds {
  /** Places of the columns that each index is made of, by its number. */
  readonly #places = new Map<number, readonly number[]>();
  readonly #ofIndex = new Map<number, ReadonlySet<number>>();
  /** Keys, checks, and what is computed. */
  readonly #always: ReadonlySet<number>;
  readonly #generated: readonly number[];
  readonly #indexes: readonly IndexDescriptor[];
  readonly #byChange = new Map<string, ReadonlySet<number>>();

  constructor(parts: Parts, columnsOf: ColumnsOf) {
    const { table, live, domains, placeOf } = parts;
    this.#indexes = parts.indexes.map(({ index }) => index);
    const ids = new Map(live.map(({ name, id }) => [name, id]));
    const read = (text: string | undefined): readonly number[] => {
      if (text === undefined) return [];
      const found = columnsOf(text)?.map((name) => ids.get(name));
      // A name that is not a column's is that of the whole row.
      if (found === undefined || found.includes(undefined)) return [...ids.values()];
      return found as number[];
    };
    const key = table.primaryKey.map(({ columnId }) => columnId);
    for (const { index } of parts.indexes) {
      const { id, include, predicate } = index;
      const of = index.parts.flatMap((part) =>
        "columnId" in part ? [part.columnId] : read(part.expression),
      );
      const all = new Set([...key, ...of, ...include, ...read(predicate)]);
      this.#ofIndex.set(id, all);
      this.#places.set(
        id,
        [...all].map((column) => placeOf(column)),
      );
    }
    this.#generated = live.flatMap(({ id, generated }) => (generated === undefined ? [] : [id]));
    const checks = table.constraints.flatMap((one) =>
      one.kind === "check" ? read(one.expression) : [],
    );
    const bounds = read(table.partitionOf?.constraint);
    const generated = live.flatMap((column) => read(column.generated));
    const foreign = parts.foreignKeys.flatMap(({ columns }) => columns);
    const checked = domains.map(({ place }) => live[place]?.id as number);
    const unique = parts.keyColumns;
    const computed = [...checks, ...bounds, ...generated];
    this.#always = new Set([...key, ...computed, ...foreign, ...checked, ...unique]);
  }

  /** Columns that entries of an index are made of. */
  ofIndex({ id }: IndexDescriptor): ReadonlySet<number> {
    return this.#ofIndex.get(id) as ReadonlySet<number>;
  }

  /** Columns of an old row that its removal or its replacement by another row reads. */
  get ofOldRow(): ReadonlySet<number> {
    return this.#of("", () => true);
  }

  /** Columns of an old row that a change of some of them reads. */
  ofChange(columns: Iterable<number>): ReadonlySet<number> {
    const changed = new Set([...columns, ...this.#generated]);
    return this.#of([...changed].join(), (of) => [...of].some((id) => changed.has(id)));
  }

  /** Whether a row's entries of an index are the same behind a change, which need not be made. */
  isUntouched(
    { id, state }: IndexDescriptor,
    old: readonly Datum[],
    row: readonly Datum[],
  ): boolean {
    if (state !== "public") return false;
    return (this.#places.get(id) ?? []).every((place) => old[place] === row[place]);
  }

  #of(name: string, isTouched: (of: ReadonlySet<number>) => boolean): ReadonlySet<number> {
    const known = this.#byChange.get(name);
    if (known !== undefined) return known;
    const needed = new Set(this.#always);
    for (const index of this.#indexes) {
      const of = this.ofIndex(index);
      if (index.state !== "public" || isTouched(of)) for (const id of of) needed.add(id);
    }
    this.#byChange.set(name, needed);
    return needed;
  }
}
