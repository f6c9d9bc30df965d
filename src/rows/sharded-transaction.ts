import { FirnError } from "../base/error.ts";
import type { AnyId, TableId } from "../base/ids.ts";
import type { TableChange } from "./alter.ts";
import type { RowScan } from "./batch.ts";
import type { ValuesReport } from "./check-apart.ts";
import type { IndexReport } from "./check-index.ts";
import type { Datum } from "./datum.ts";
import type { TableDescriptor } from "./descriptor.ts";
import type { RowIsolation } from "./engine-view.ts";
import { rowError, shardNotFound } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { ConstraintName } from "./foreign-key-checks.ts";
import type { RangeRequest } from "./key-codec.ts";
import type { RowLoad } from "./load.ts";
import type {
  Inserted,
  InsertOptions,
  ReadRequest,
  RowSavepoint,
  RowScanRequest,
  StatementOptions,
} from "./row-requests.ts";
import type { RowTransaction } from "./row-transaction.ts";
import { LazyScan } from "./scan.ts";
import type { SequenceDescriptor } from "./sequence.ts";
import { shardedObjects, shardedSequences, shardedTables } from "./sharded-objects.ts";
import type { IndexSpec, TableSpec } from "./table-spec.ts";
import { isTemporaryId } from "./temporary/marks.ts";
import type { RowTransaction as ShardTransaction } from "./transaction.ts";

/** A shard, by its id and as people name it. */
export interface NamedShard {
  readonly id: string;
  readonly name: string;
}

export interface ShardedParts {
  /** Where the transaction begins, and where it makes what is given no other place. */
  readonly home: NamedShard;
  /** The others of its catalog. */
  readonly others: readonly NamedShard[];
  /**
   * Begins a transaction on another shard.
   *
   * @throws FirnError code `ROW_SHARD_ELSEWHERE`: another node serves its rows.
   */
  readonly open: (shard: NamedShard) => Promise<ShardTransaction>;
  /** The shard of a table; undefined for none that the catalog knows. */
  readonly placeOf: (table: TableId) => Promise<string | undefined>;
}

type Row = readonly Datum[];

interface Mark {
  readonly writes: NamedShard | undefined;
  readonly marks: ReadonlyMap<string, RowSavepoint>;
}

/**
 * A transaction over the shards of one catalog. It reads any of them, each as of a state of its
 * own, and writes one: a shard commits by itself.
 */
export class ShardedTransaction implements RowTransaction {
  readonly tables: RowTransaction["tables"];
  readonly sequences: RowTransaction["sequences"];
  readonly objects: RowTransaction["objects"];
  readonly isolation: RowIsolation;
  readonly #home: ShardTransaction;
  readonly #parts: ShardedParts;
  readonly #others = new Map<string, ShardTransaction>();
  readonly #opening = new Map<string, Promise<ShardTransaction>>();
  /** Where the rows of others began: what a savepoint of before goes back to. */
  readonly #begins = new Map<string, RowSavepoint>();
  /** Which shard has a table or a sequence that this has met. */
  readonly #places = new Map<string, NamedShard>();
  readonly #marks = new WeakMap<RowSavepoint, Mark>();
  #writes: NamedShard | undefined;
  #statement: StatementOptions | undefined;
  #readOnly: boolean;
  #isOver = false;

  constructor(home: ShardTransaction, parts: ShardedParts) {
    this.#home = home;
    this.#parts = parts;
    this.isolation = home.isolation;
    this.#readOnly = home.readOnly;
    const host = {
      home,
      at: (id: AnyId) => this.#at(id),
      all: () => this.#all(),
      writing: (id: AnyId | undefined) => this.#writing(id),
      dropping: (id: AnyId | undefined) => this.#dropping(id),
      met: (id: AnyId, tx: ShardTransaction) => this.#met(id, tx),
      assertTogether: async (id: AnyId, other: AnyId) =>
        await this.#assertBeside(other, await this.#placeOf(id)),
    };
    this.tables = shardedTables(host);
    this.sequences = shardedSequences(host);
    this.objects = shardedObjects(host);
  }

  get readOnly(): boolean {
    return this.#readOnly;
  }

  set readOnly(value: boolean) {
    this.#readOnly = value;
    for (const tx of this.#open()) tx.readOnly = value;
  }

  /** Moves with each of its states: a sum of numbers that only grow. */
  get sequence(): number {
    return this.#open().reduce((sum, tx) => sum + tx.sequence, 0);
  }

  get isOfPast(): boolean {
    return this.#home.isOfPast;
  }

  /** @throws FirnError `Conflict`, code `ROW_SHARDS_APART` (0A000): no one state is of all. */
  readonly exportState = (): never => {
    const message = "a transaction over several shards exports no snapshot";
    throw rowError("Conflict", "ROW_SHARDS_APART", "0A000", message);
  };

  /** As its shard of now has it: in the past it may have lain in another one. */
  async tableNow(id: TableId): Promise<TableDescriptor | undefined> {
    const { home, others, placeOf } = this.#parts;
    const place = await placeOf(id);
    const shard = others.find((one) => one.id === place) ?? home;
    return await (await this.#in(shard)).tableNow(id);
  }

  get context(): ExpressionContext {
    return this.#home.context;
  }

  get isFresh(): boolean {
    return this.#open().every((tx) => tx.isFresh);
  }

  async statement(options: StatementOptions = {}): Promise<void> {
    this.#statement = options;
    for (const tx of this.#open()) await tx.statement(options);
  }

  async endStatement(): Promise<void> {
    this.#statement = undefined;
    for (const tx of this.#open()) await tx.endStatement();
  }

  async setConstraints(which: "all" | readonly ConstraintName[], deferred: boolean): Promise<void> {
    for (const tx of this.#open()) await tx.setConstraints(which, deferred);
  }

  async get(
    table: TableDescriptor,
    key: readonly Datum[],
    request: ReadRequest = {},
  ): Promise<Row | undefined> {
    return await (await this.#at(table.id)).get(table, key, request);
  }

  async getMany(
    table: TableDescriptor,
    keys: readonly (readonly Datum[])[],
    request: ReadRequest = {},
  ): Promise<readonly (Row | undefined)[]> {
    return await (await this.#at(table.id)).getMany(table, keys, request);
  }

  async restart(): Promise<void> {
    for (const tx of this.#open()) await tx.restart();
  }

  async isOvertaken(table: TableDescriptor, key: readonly Datum[]): Promise<boolean> {
    return await (await this.#at(table.id)).isOvertaken(table, key);
  }

  scan(table: TableDescriptor, request: RowScanRequest = {}): RowScan {
    const known = this.#known(table.id);
    if (known !== undefined) return known.scan(table, request);
    return new LazyScan(async () => (await this.#at(table.id)).scan(table, request));
  }

  async insert(
    table: TableDescriptor,
    rows: readonly (readonly (Datum | undefined)[])[],
    options: InsertOptions = {},
  ): Promise<readonly Inserted[]> {
    return await (await this.#writing(table.id)).insert(table, rows, options);
  }

  async complete(
    table: TableDescriptor,
    rows: readonly (readonly (Datum | undefined)[])[],
    options: Pick<InsertOptions, "columns" | "overridesIdentity"> = {},
  ): Promise<readonly Row[]> {
    return await (await this.#at(table.id)).complete(table, rows, options);
  }

  async rely(table: TableDescriptor): Promise<void> {
    await (await this.#at(table.id)).rely(table);
  }

  /** What was read of other shards is forgotten by none: only the table's own one writes. */
  async load(table: TableDescriptor): Promise<RowLoad | undefined> {
    return await (await this.#writing(table.id)).load(table);
  }

  async put(
    table: TableDescriptor,
    values: readonly (Datum | undefined)[],
    options: Pick<InsertOptions, "columns"> = {},
  ): Promise<Row> {
    return await (await this.#writing(table.id)).put(table, values, options);
  }

  async update(
    table: TableDescriptor,
    key: readonly Datum[],
    changes: ReadonlyMap<number, Datum | undefined>,
    told?: readonly number[],
  ): Promise<Row | undefined> {
    return await (await this.#writing(table.id)).update(table, key, changes, told);
  }

  async delete(
    table: TableDescriptor,
    key: Row,
    told?: readonly number[],
  ): Promise<Row | undefined> {
    return await (await this.#writing(table.id)).delete(table, key, told);
  }

  /** Not part of the transaction, so of any shard. */
  async nextval(sequence: SequenceDescriptor): Promise<bigint> {
    return await (await this.#at(sequence.id)).nextval(sequence);
  }

  async setval(sequence: SequenceDescriptor, value: bigint, isCalled = true): Promise<void> {
    await (await this.#at(sequence.id)).setval(sequence, value, isCalled);
  }

  async sequenceState(
    sequence: SequenceDescriptor,
  ): Promise<{ readonly last: bigint; readonly isCalled: boolean }> {
    return await (await this.#at(sequence.id)).sequenceState(sequence);
  }

  /** @throws FirnError as of one shard; `ROW_SHARD_NOT_FOUND` (42704), `ROW_SHARDS_APART`. */
  async createTable({ shard, ...spec }: TableSpec): Promise<TableDescriptor> {
    const place = isTemporaryId(spec.id) ? this.#parts.home : this.#named(shard);
    for (const { references } of spec.foreignKeys ?? []) {
      if (references.table !== spec.id) await this.#assertBeside(references.table, place);
    }
    for (const column of spec.columns) {
      if (column.default?.kind === "sequence") {
        await this.#assertBeside(column.default.sequence, place);
      }
    }
    this.#claim(place);
    const tx = await this.#in(place);
    const table = await tx.createTable(spec);
    this.#places.set(table.id, place);
    return table;
  }

  async dropTable(id: TableId, options: { readonly cascade?: boolean } = {}): Promise<void> {
    await (await this.#writing(id)).dropTable(id, options);
  }

  async truncate(id: TableId, together: readonly TableId[] = []): Promise<TableDescriptor> {
    return await (await this.#writing(id)).truncate(id, together);
  }

  async discardTemporary(): Promise<void> {
    await this.#home.discardTemporary();
  }

  async endTemporary(): Promise<void> {
    await this.#home.endTemporary();
  }

  async deleteRange(table: TableDescriptor, range: RangeRequest): Promise<void> {
    await (await this.#writing(table.id)).deleteRange(table, range);
  }

  async alter(id: TableId, change: TableChange): Promise<TableDescriptor> {
    const tx = await this.#writing(id);
    const place = this.#places.get(id) ?? this.#parts.home;
    if (change.kind === "add foreign key") {
      await this.#assertBeside(change.key.references.table, place);
    }
    if (change.kind === "add column" && change.column.default?.kind === "sequence") {
      await this.#assertBeside(change.column.default.sequence, place);
    }
    return await tx.alter(id, change);
  }

  async createIndex(
    id: TableId,
    spec: IndexSpec,
    state: "public" | "backfilling" = "public",
  ): Promise<TableDescriptor> {
    return await (await this.#writing(id)).createIndex(id, spec, state);
  }

  async dropIndex(id: TableId, name: string, isCascade = false): Promise<TableDescriptor> {
    return await (await this.#writing(id)).dropIndex(id, name, isCascade);
  }

  async checkIndex(table: TableDescriptor, index: number): Promise<IndexReport> {
    return await (await this.#at(table.id)).checkIndex(table, index);
  }

  async checkValues(table: TableDescriptor): Promise<readonly ValuesReport[]> {
    return await (await this.#at(table.id)).checkValues(table);
  }

  savepoint(): RowSavepoint {
    const own = this.#home.savepoint();
    const marks = new Map([...this.#others].map(([id, tx]) => [id, tx.savepoint()]));
    this.#marks.set(own, { writes: this.#writes, marks });
    return own;
  }

  rollbackTo(savepoint: RowSavepoint): void {
    const mark = this.#marks.get(savepoint);
    this.#home.rollbackTo(savepoint);
    for (const [id, tx] of this.#others) {
      const to = mark?.marks.get(id) ?? this.#begins.get(id);
      if (to !== undefined) tx.rollbackTo(to);
    }
    this.#writes = mark?.writes;
  }

  release(savepoint: RowSavepoint): void {
    this.#home.release(savepoint);
  }

  async estimate(
    table: TableDescriptor,
    index: number | "apart",
    range: RangeRequest = {},
  ): Promise<{ readonly rows: number; readonly bytes: number }> {
    return await (await this.#at(table.id)).estimate(table, index, range);
  }

  /** What was only read is confirmed first: then the one shard that was written decides. */
  async commit(options: { readonly durable?: boolean } = {}): Promise<number> {
    const last = this.#opened(this.#writes ?? this.#parts.home);
    try {
      for (const tx of this.#open()) if (tx !== last) await tx.commit(options);
      return await last.commit(options);
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  stopWaiting(why: unknown): void {
    for (const tx of this.#open()) tx.stopWaiting(why);
  }

  rollback(): void {
    this.#isOver = true;
    for (const tx of this.#open()) tx.rollback();
  }

  async takeTurn(name: string): Promise<void> {
    await this.#home.takeTurn(name);
  }

  assertWritable(): void {
    this.#home.assertWritable();
  }

  shardOf(table: TableId): string | undefined {
    return this.#places.get(table)?.id;
  }

  #open(): ShardTransaction[] {
    return [this.#home, ...this.#others.values()];
  }

  #opened({ id }: NamedShard): ShardTransaction {
    return this.#others.get(id) ?? this.#home;
  }

  /** @throws FirnError `ROW_SHARD_NOT_FOUND` (42704). */
  #named(name: string | undefined): NamedShard {
    const { home, others } = this.#parts;
    if (name === undefined) return home;
    const found = [home, ...others].find((one) => one.name === name);
    if (found !== undefined) return found;
    throw shardNotFound(name);
  }

  async #in(shard: NamedShard): Promise<ShardTransaction> {
    if (shard.id === this.#parts.home.id) return this.#home;
    let opening = this.#opening.get(shard.id);
    if (opening === undefined) {
      opening = this.#begin(shard);
      this.#opening.set(shard.id, opening);
      opening.catch(() => this.#opening.delete(shard.id));
    }
    return await opening;
  }

  async #begin(shard: NamedShard): Promise<ShardTransaction> {
    const tx = await this.#parts.open(shard);
    tx.readOnly = this.#readOnly;
    this.#begins.set(shard.id, tx.savepoint());
    this.#others.set(shard.id, tx);
    // What ended while it began here would hold its locks for ever: its calls are refused.
    if (this.#isOver) tx.rollback();
    if (this.#statement !== undefined) await tx.statement(this.#statement);
    return tx;
  }

  /** Those of its catalog that this process may use. */
  async #all(): Promise<readonly ShardTransaction[]> {
    const found = [this.#home];
    for (const shard of this.#parts.others) {
      const tx = await this.#in(shard).catch((error: unknown) => {
        if (isElsewhere(error) || isDeleted(error)) return undefined;
        throw error;
      });
      if (tx !== undefined) found.push(tx);
    }
    return found;
  }

  #known(id: AnyId): ShardTransaction | undefined {
    if (isTemporaryId(id)) return this.#home;
    const place = this.#places.get(id);
    if (place === undefined) return undefined;
    return place.id === this.#parts.home.id ? this.#home : this.#others.get(place.id);
  }

  async #at(id: AnyId): Promise<ShardTransaction> {
    return this.#known(id) ?? (await this.#in(await this.#placeOf(id)));
  }

  async #placeOf(id: AnyId): Promise<NamedShard> {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const { home, others } = this.#parts;
    const place = await this.#parts.placeOf(id as TableId);
    const found = others.find((one) => one.id === place) ?? home;
    this.#places.set(id, found);
    return found;
  }

  #met(id: AnyId, tx: ShardTransaction): void {
    this.#places.set(id, this.#shardOf(tx));
  }

  #shardOf(tx: ShardTransaction): NamedShard {
    const { home, others } = this.#parts;
    return others.find((one) => this.#others.get(one.id) === tx) ?? home;
  }

  /** The transaction on the shard of a table that is about to be written. */
  async #writing(id: AnyId | undefined): Promise<ShardTransaction> {
    if (id === undefined) {
      this.#claim(this.#parts.home);
      return this.#home;
    }
    const tx = await this.#at(id);
    // Temporary tables are written with whatever else is.
    if (!isTemporaryId(id)) this.#claim(this.#places.get(id) ?? this.#parts.home);
    return tx;
  }

  #dropping(id: AnyId | undefined): ShardTransaction {
    const tx = (id === undefined ? undefined : this.#known(id)) ?? this.#home;
    if (id === undefined || !isTemporaryId(id)) this.#claim(this.#shardOf(tx));
    return tx;
  }

  /** @throws FirnError `Invalid`, code `ROW_SHARDS_APART` (0A000). */
  #claim(shard: NamedShard): void {
    this.#writes ??= shard;
    if (this.#writes.id === shard.id) return;
    const shards = `"${this.#writes.name}" and "${shard.name}"`;
    throw apart(`a transaction writes one shard: it would write ${shards}`);
  }

  async #assertBeside(id: AnyId, place: NamedShard): Promise<void> {
    await this.#at(id);
    const other = this.#places.get(id) ?? this.#parts.home;
    if (other.id === place.id) return;
    const shards = `"${place.name}" and "${other.name}"`;
    throw apart(`what tables refer to lies in their shard: this would join ${shards}`);
  }
}

function isElsewhere(error: unknown): boolean {
  return error instanceof FirnError && error.code === "ROW_SHARD_ELSEWHERE";
}

/** A shard that was deleted since the transaction began was empty. */
function isDeleted(error: unknown): boolean {
  return error instanceof FirnError && error.code === "ROW_SHARD_NOT_FOUND";
}

function apart(message: string): FirnError {
  const hint = "Use one transaction for each shard, or make the tables in one shard.";
  return rowError("Invalid", "ROW_SHARDS_APART", "0A000", message, { hint });
}
