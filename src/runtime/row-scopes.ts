import { FirnError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Listed } from "../catalog/listed.ts";
import {
  columnOf,
  type Datum,
  type IndexReport,
  type IndexSpec,
  type RowBatch,
  type RowScanRequest,
  type RowTransaction,
  type TableDescriptor,
  visibleColumns,
} from "../rows/index.ts";
import { OWN_ACTOR } from "../service/actor.ts";
import type { PageAsked, TokenPage } from "../service/resources/pages.ts";
import type { NamedRowTable } from "../service/rows/row-tables.ts";
import { requireRowVersion, shownRows } from "../service/rows/shown-rows.ts";
import type { Composition } from "./compose.ts";
import { PatternScope } from "./pattern-scopes.ts";
import type { KeyOf, NewRowOf, RowOf, SchemaColumn, TableSchema } from "./row-schema.ts";

type Shape = Readonly<Record<string, SchemaColumn>>;
type Parts = Pick<Composition, "catalogs" | "indexes" | "model" | "rows">;

/** What goes with a drop. */
export interface DropOptions {
  /** All that is in it too, each as an ordinary drop; otherwise it has to be empty. */
  readonly recursive?: boolean;
}

/** Where a table is made. */
export interface TablePlace {
  /** The name of a shard of the catalog; its first one unless told otherwise. */
  readonly shard?: string;
}

/** Which rows a scan reads: those whose first key columns equal `equal`, in key order. */
export interface ScanOptions<Row> {
  readonly equal?: readonly Datum[];
  readonly from?: Datum;
  readonly to?: Datum;
  /** Id of an index, in whose order they come. */
  readonly index?: number;
  readonly reverse?: boolean;
  readonly limit?: number;
  /** Only these are read. */
  readonly columns?: readonly (keyof Row & string)[];
}

/** What a write expects of the row that it replaces, changes or deletes. */
export interface WriteOptions {
  /**
   * The version that `getVersioned` or the HTTP API told: otherwise the write fails with
   * `ROW_CHANGED`.
   */
  readonly ifVersion?: string;
}

/** A row, and the version that `ifVersion` takes. */
export interface VersionedRow<Row> {
  readonly row: Row;
  readonly version: string;
}

/** Rows column by column: `columns[c][r]` is the value of row `r` in the column `names[c]`. */
export interface ColumnBatch extends RowBatch {
  readonly names: readonly string[];
}

/** The names of all pages of a list. */
async function namesOf(
  list: (page: PageAsked) => Promise<TokenPage<Listed>>,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (let pageToken: string | undefined; ; ) {
    const page = await list({ pageSize: LIMITS.pageSize, pageToken });
    names.push(...page.items.map(({ summary }) => summary.name));
    if (page.nextPageToken === undefined) return names;
    pageToken = page.nextPageToken;
  }
}

/** A catalog of an embedded Firn, by its name: nothing is asked before a method is called. */
export class CatalogScope {
  readonly #parts: Parts;
  readonly name: string;

  constructor(parts: Parts, name: string) {
    this.#parts = parts;
    this.name = name;
  }

  /** Creates a namespace; a catalog that is absent is created first. Await it, or go on with it. */
  createNamespace(...path: readonly string[]): PendingNamespace {
    const create = async (): Promise<void> => {
      const { catalogs, model } = this.#parts;
      await catalogs.ensure(OWN_ACTOR, this.name);
      await model.namespaces.create(OWN_ACTOR, { catalog: { name: this.name } }, path, {});
    };
    return new PendingNamespace(this.#parts, this.name, path, create());
  }

  /** Makes another shard for row tables. @throws FirnError `ROW_SHARD_EXISTS`. */
  async createShard(name: string): Promise<void> {
    const place = { catalog: { name: this.name } };
    await this.#parts.model.rowShards.create(OWN_ACTOR, place, name);
  }

  /**
   * Deletes an empty shard: its name is free at once, its files go within minutes.
   *
   * @throws FirnError `ROW_SHARD_NOT_FOUND`, `ROW_SHARD_NOT_EMPTY`; `ROW_SHARD_INVALID`: the
   *   first one.
   */
  async dropShard(name: string): Promise<void> {
    const place = { catalog: { name: this.name } };
    await this.#parts.model.rowShards.drop(OWN_ACTOR, place, name);
  }

  namespace(...path: readonly string[]): NamespaceScope {
    return new NamespaceScope(this.#parts, this.name, path);
  }

  /** Names of the namespaces at its top. */
  async listNamespaces(): Promise<readonly string[]> {
    return await childrenOf(this.#parts, this.name, []);
  }

  /** @throws FirnError `NAMESPACE_NOT_FOUND`, `NAMESPACE_NOT_EMPTY`. */
  async dropNamespace(path: string | readonly string[], options: DropOptions = {}): Promise<void> {
    await dropNamespace(this.#parts, this.name, [path].flat(), options);
  }
}

async function childrenOf(
  { model }: Parts,
  catalog: string,
  path: readonly string[],
): Promise<readonly string[]> {
  const place = { catalog: { name: catalog } };
  return await namesOf((page) => model.namespaces.list(OWN_ACTOR, place, path, page));
}

async function dropNamespace(
  parts: Parts,
  catalog: string,
  path: readonly string[],
  { recursive = false }: DropOptions,
): Promise<void> {
  const place = { catalog: { name: catalog }, namespace: { path } };
  if (recursive) {
    for (const child of await childrenOf(parts, catalog, path)) {
      await dropNamespace(parts, catalog, [...path, child], { recursive });
    }
    for (const relations of [parts.model.tables, parts.model.views]) {
      const names = await namesOf((page) => relations.list(OWN_ACTOR, place, page));
      for (const name of names) await relations.drop(OWN_ACTOR, { ...place, relation: { name } });
    }
  }
  await parts.model.namespaces.drop(OWN_ACTOR, place);
}

/** Drops a catalog. @throws FirnError `CATALOG_NOT_FOUND`, `CATALOG_NOT_EMPTY`. */
export async function dropCatalog(
  parts: Parts,
  name: string,
  { recursive = false }: DropOptions,
): Promise<void> {
  if (recursive) {
    for (const path of await childrenOf(parts, name, [])) {
      await dropNamespace(parts, name, [path], { recursive });
    }
  }
  await parts.model.catalogs.drop(OWN_ACTOR, { catalog: { name } });
}

/** A namespace, by its path. */
export class NamespaceScope {
  readonly #parts: Parts;
  readonly catalog: string;
  readonly path: readonly string[];

  constructor(parts: Parts, catalog: string, path: readonly string[]) {
    this.#parts = parts;
    this.catalog = catalog;
    this.path = path;
  }

  /**
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`, `ROW_TABLE_INVALID`,
   *   `ROW_SHARD_NOT_FOUND`.
   */
  async createTable<S extends Shape, K extends keyof S & string>(
    name: string,
    schema: TableSchema<S, K>,
    place: TablePlace = {},
  ): Promise<RowTable<S, K>> {
    const columns = Object.entries(schema.columns).map(([column, given]) => ({
      name: column,
      type: given.type,
      nullable: given.isNullable,
      ...(given.fallback !== undefined && {
        default: { kind: "constant" as const, value: given.fallback },
      }),
    }));
    const parts = schema.primaryKey.map((part) =>
      typeof part === "string" ? { column: part } : part,
    );
    const ref = { catalog: this.catalog, path: this.path };
    const { indexes = [] } = schema;
    const request = { name, columns, primaryKey: { parts }, indexes, ...place };
    const { rows, indexes: builds } = this.#parts;
    let isMade = false;
    const open = async (): Promise<NamedRowTable> => {
      if (isMade) return await rows.open(OWN_ACTOR, { ...ref, name });
      const made = await rows.create(OWN_ACTOR, ref, request);
      isMade = true;
      return made;
    };
    return await new RowTable<S, K>(open, builds).opened();
  }

  /** A table that is there. @throws FirnError at its first call: `TABLE_NOT_FOUND`. */
  table<S extends Shape, K extends keyof S & string>(
    name: string,
    _schema: TableSchema<S, K>,
  ): RowTable<S, K> {
    const ref = { catalog: this.catalog, path: this.path, name };
    const open = () => this.#parts.rows.open(OWN_ACTOR, ref);
    return new RowTable(open, this.#parts.indexes);
  }

  /** Leases, queues, logs and other patterns, each over a row table of this namespace. */
  get patterns(): PatternScope {
    const { rows, model } = this.#parts;
    return new PatternScope(rows, model.patterns, { catalog: this.catalog, path: this.path });
  }

  /** Names of its tables, of every format. */
  async listTables(): Promise<readonly string[]> {
    const place = { catalog: { name: this.catalog }, namespace: { path: this.path } };
    return await namesOf((page) => this.#parts.model.tables.list(OWN_ACTOR, place, page));
  }

  /** Drops a table; its rows go when its retention is over. @throws FirnError `TABLE_NOT_FOUND`. */
  async dropTable(name: string): Promise<void> {
    const place = { catalog: { name: this.catalog }, namespace: { path: this.path } };
    await this.#parts.model.tables.drop(OWN_ACTOR, { ...place, relation: { name } });
  }
}

/** A namespace that is being created: what is asked of it waits for that. */
export class PendingNamespace implements PromiseLike<NamespaceScope> {
  readonly #scope: NamespaceScope;
  readonly #created: Promise<void>;

  constructor(parts: Parts, catalog: string, path: readonly string[], created: Promise<void>) {
    this.#scope = new NamespaceScope(parts, catalog, path);
    this.#created = created;
    // Heard of by who awaits it, or what is asked of it.
    created.catch(() => undefined);
  }

  /** As of the namespace. */
  async createTable<S extends Shape, K extends keyof S & string>(
    name: string,
    schema: TableSchema<S, K>,
    place: TablePlace = {},
  ): Promise<RowTable<S, K>> {
    await this.#created;
    return await this.#scope.createTable(name, schema, place);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited, or gone on with.
  then<A = NamespaceScope, B = never>(
    onDone?: ((scope: NamespaceScope) => A | PromiseLike<A>) | null,
    onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#created.then(() => this.#scope).then(onDone, onFailed);
  }
}

/**
 * A row table, typed by the schema that it was opened with. Each call is one transaction, unless it
 * is of one that is given.
 */
export class RowTable<S extends Shape, K extends keyof S & string> {
  readonly #open: () => Promise<NamedRowTable>;
  readonly #indexes: Parts["indexes"];
  readonly #tx: RowTransaction | undefined;
  #opened: Promise<NamedRowTable> | undefined;

  constructor(open: () => Promise<NamedRowTable>, indexes: Parts["indexes"], tx?: RowTransaction) {
    this.#open = open;
    this.#indexes = indexes;
    this.#tx = tx;
  }

  /**
   * Runs `work` in one serializable transaction over the tables of the catalog, and again from its
   * beginning where others were in its way: it must have no effect outside.
   * Durable when it resolves.
   */
  async transaction<T>(work: (tx: RowTransaction) => Promise<T>): Promise<T> {
    const { store } = await this.#rows();
    return await store.run(work);
  }

  /** This table, in a transaction of its catalog. */
  in(tx: RowTransaction): RowTable<S, K> {
    return new RowTable<S, K>(() => this.#rows(), this.#indexes, tx);
  }

  /** Itself, once it is known to be there. */
  async opened(): Promise<this> {
    await this.#rows();
    return this;
  }

  /**
   * Inserts a row, or puts it in the place of the one with its key. Durable when it resolves.
   *
   * @throws FirnError `Conflict`, code `ROW_CHANGED`: there is no row of `ifVersion`.
   */
  async put(row: NewRowOf<S>, options: WriteOptions = {}): Promise<void> {
    await this.#run(async (tx, table) => {
      await this.#requireVersion(tx, table, row, options);
      const ids = visibleColumns(table).map(({ id }) => id);
      await tx.put(table, valuesOf(table, row), { columns: ids });
    });
  }

  /** Inserts rows, all or none. @throws FirnError `ROW_DUPLICATE`. */
  async insert(...rows: readonly NewRowOf<S>[]): Promise<void> {
    await this.#run(async (tx, table) => {
      await tx.insert(
        table,
        rows.map((row) => valuesOf(table, row)),
      );
    });
  }

  /** The row of a key; undefined where there is none. */
  async get(key: KeyOf<S, K>): Promise<RowOf<S> | undefined> {
    return await this.#run(async (tx, table) => {
      const row = await tx.get(table, keyValues(table, key));
      return row === undefined ? undefined : (rowOf(table, row) as RowOf<S>);
    }, true);
  }

  /** As `get`, with the version of the row: a hash of all of its values. */
  async getVersioned(key: KeyOf<S, K>): Promise<VersionedRow<RowOf<S>> | undefined> {
    const { jsonRows } = await this.#rows();
    const json = await jsonRows();
    return await this.#run(async (tx, table) => {
      const row = await tx.get(table, keyValues(table, key));
      if (row === undefined) return undefined;
      const { version = "" } = shownRows(json, table, undefined, true).write(row);
      return { row: rowOf(table, row) as RowOf<S>, version };
    }, true);
  }

  /**
   * Changes columns of a row; false where there is none of that key.
   *
   * @throws FirnError as `put`.
   */
  async update(
    key: KeyOf<S, K>,
    changes: Partial<RowOf<S>>,
    options: WriteOptions = {},
  ): Promise<boolean> {
    return await this.#run(async (tx, table) => {
      await this.#requireVersion(tx, table, key, options);
      const changed = new Map<number, Datum | undefined>();
      for (const [name, value] of Object.entries(changes)) {
        changed.set(idOf(table, name), value as Datum | undefined);
      }
      return (await tx.update(table, keyValues(table, key), changed, [])) !== undefined;
    });
  }

  /** Deletes a row; false where there was none of that key. @throws FirnError as `put`. */
  async delete(key: KeyOf<S, K>, options: WriteOptions = {}): Promise<boolean> {
    return await this.#run(async (tx, table) => {
      await this.#requireVersion(tx, table, key, options);
      return (await tx.delete(table, keyValues(table, key), [])) !== undefined;
    });
  }

  /**
   * Builds an index while others write; it can be scanned when this resolves.
   *
   * @returns its id, for `scan`.
   * @throws FirnError `ROW_INDEX_EXISTS`; `ROW_DUPLICATE`: two rows have one key, and the index is
   *   dropped.
   */
  async createIndex(spec: IndexSpec): Promise<number> {
    const open = await this.#rows();
    await this.#indexes.build(OWN_ACTOR, open, spec);
    const find = async (tx: RowTransaction) => await tx.tables.get(open.id);
    const { indexes } = await open.store.run(find, { readOnly: true });
    return indexes.find(({ name }) => name === spec.name)?.id ?? 0;
  }

  /** @throws FirnError `ROW_INDEX_UNKNOWN`. */
  async dropIndex(name: string): Promise<void> {
    const { store, id } = await this.#rows();
    await store.run(async (tx) => await tx.dropIndex(id, name));
  }

  /** Compares its indexes with the rows of one state: CHECK INDEX. */
  async checkIndexes(index?: string): Promise<readonly IndexReport[]> {
    return await this.#checked(index, false);
  }

  /** Mends the indexes that disagree, while others write; tells how they were: REPAIR INDEX. */
  async repairIndexes(index?: string): Promise<readonly IndexReport[]> {
    return await this.#checked(index, true);
  }

  async #checked(index: string | undefined, repair: boolean): Promise<readonly IndexReport[]> {
    const asked = { repair, ...(index !== undefined && { index }) };
    return await this.#indexes.check(OWN_ACTOR, await this.#rows(), asked);
  }

  /** Rows of one state, in key order or an index's. */
  async *scan(options: ScanOptions<RowOf<S>> = {}): AsyncGenerator<RowOf<S>> {
    for await (const { names, count, columns } of this.batches(options)) {
      const make = rowMaker(names);
      for (let i = 0; i < count; i++) yield make(columns, i) as RowOf<S>;
    }
  }

  /** As `scan`, column by column: for programs that read many rows and few columns. */
  async *batches(options: ScanOptions<RowOf<S>> = {}): AsyncGenerator<ColumnBatch> {
    const { store, id } = await this.#rows();
    const own = { isolation: "repeatable read", readOnly: true } as const;
    const tx = this.#tx ?? (await store.begin(own));
    try {
      const table = await tx.tables.get(id);
      const shown = options.columns?.map((name) => columnOf(table, idOf(table, name)));
      const columns = shown ?? visibleColumns(table);
      const names = columns.map((column) => column?.name ?? "");
      const ids = columns.map((one) => one?.id ?? 0);
      const scan = tx.scan(table, requestOf(options, ids));
      try {
        for (;;) {
          const batch = await scan.nextBatch();
          if (batch === undefined) break;
          yield { names, ...batch };
        }
      } finally {
        scan.close();
      }
      if (this.#tx === undefined) await tx.commit();
    } finally {
      if (this.#tx === undefined) tx.rollback();
    }
  }

  /** Locks the row, so that it stays what it was compared as. */
  async #requireVersion(
    tx: RowTransaction,
    table: TableDescriptor,
    key: object,
    { ifVersion }: WriteOptions,
  ): Promise<void> {
    if (ifVersion === undefined) return;
    const { jsonRows } = await this.#rows();
    const compared = { json: await jsonRows(), tx, table };
    await requireRowVersion(compared, { key: keyValues(table, key), ifVersion });
  }

  async #run<T>(
    work: (tx: RowTransaction, table: TableDescriptor) => Promise<T>,
    readOnly = false,
  ): Promise<T> {
    const opened = await this.#rows();
    if (this.#tx !== undefined) return await work(this.#tx, await this.#tx.tables.get(opened.id));
    const options = readOnly ? ({ isolation: "repeatable read", readOnly } as const) : {};
    const within = ({ store, id }: NamedRowTable): Promise<T> =>
      store.run(async (tx) => await work(tx, await tx.tables.get(id)), options);
    try {
      return await within(opened);
    } catch (error) {
      if (!hasLeft(error)) throw error;
      // It may be in another shard by now.
      this.#opened = undefined;
      const again = await this.#rows();
      if (again.store === opened.store || again.id !== opened.id) throw error;
      return await within(again);
    }
  }

  #rows(): Promise<NamedRowTable> {
    if (this.#opened === undefined) {
      this.#opened = this.#open();
      this.#opened.catch(() => {
        this.#opened = undefined;
      });
    }
    return this.#opened;
  }
}

/** Whether the shard that was asked has a table no more, or soon. */
function hasLeft(error: unknown): boolean {
  const codes = ["ROW_TABLE_MOVING", "ROW_TABLE_NOT_FOUND"];
  return error instanceof FirnError && codes.includes(error.code);
}

function requestOf(options: ScanOptions<never>, columns: readonly number[]): RowScanRequest {
  const { equal, from, to, index, reverse, limit } = options;
  return {
    columns,
    ...(equal && { equal }),
    ...(from !== undefined && { lower: { value: from, inclusive: true } }),
    ...(to !== undefined && { upper: { value: to, inclusive: false } }),
    ...(index !== undefined && { index }),
    ...(reverse !== undefined && { reverse }),
    ...(limit !== undefined && { limit }),
  };
}

/** Makes row `i` of a batch: objects of one shape, whatever the columns are named. */
function rowMaker(
  names: readonly string[],
): (columns: readonly (readonly Datum[])[], i: number) => object {
  // A name that is the prototype's own stays a property, as a name with any other text.
  const fields = names.map((name, c) => `[${JSON.stringify(name)}]: c[${c}][i]`);
  return new Function("c", "i", `return {${fields.join(",")}};`) as ReturnType<typeof rowMaker>;
}

function idOf(table: TableDescriptor, name: string): number {
  const column = visibleColumns(table).find((one) => one.name === name);
  if (column !== undefined) return column.id;
  const context = { sqlState: "42703", table: table.name, column: name };
  throw invalid("ROW_COLUMN_UNKNOWN", "the table has no such column", context);
}

function valuesOf(table: TableDescriptor, row: object): readonly (Datum | undefined)[] {
  const given = new Map(Object.entries(row) as [string, Datum | undefined][]);
  for (const name of given.keys()) idOf(table, name);
  return visibleColumns(table).map(({ name }) => given.get(name));
}

function keyValues(table: TableDescriptor, key: object): readonly Datum[] {
  const given = new Map(Object.entries(key) as [string, Datum][]);
  return table.primaryKey.map(({ columnId }) => {
    const name = columnOf(table, columnId)?.name ?? "";
    const value = given.get(name);
    if (value !== undefined) return value;
    const context = { sqlState: "22023", table: table.name, column: name };
    throw new FirnError("Invalid", "ROW_KEY_INVALID", "the key lacks a column", context);
  });
}

function rowOf(table: TableDescriptor, row: readonly Datum[]): object {
  return Object.fromEntries(visibleColumns(table).map(({ name }, i) => [name, row[i]]));
}
