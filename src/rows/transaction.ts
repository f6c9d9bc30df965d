import { binaryText } from "../base/bytes.ts";
import { FirnError, invalid } from "../base/error.ts";
import type { AnyId, TableId } from "../base/ids.ts";
import type { Maybe } from "../lsm/index.ts";
import type { TableChange } from "./alter.ts";
import { apartRange, readRow, readRows, wholeRow } from "./apart-values.ts";
import type { RowScan } from "./batch.ts";
import { checkApart, type ValuesReport } from "./check-apart.ts";
import { type CheckHost, checkWholeIndex, IndexCheck, type IndexReport } from "./check-index.ts";
import { type CompiledTable, readerOf, type TableReader } from "./compiled-table.ts";
import { RowCompletion } from "./completion.ts";
import type { Datum } from "./datum.ts";
import { type Marks, type TableDescriptor, visibleColumns } from "./descriptor.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { decodeDescriptor } from "./descriptor-json.ts";
import { EngineView, type RowIsolation, type ScanReads, sameBytes } from "./engine-view.ts";
import {
  changedMeanwhile,
  conflictOf,
  isolationTooLow,
  tableChanged,
  transactionOver,
} from "./errors.ts";
import { type ExportedState, exportedState } from "./exported-state.ts";
import type { ExpressionContext } from "./expressions.ts";
import type { ConstraintName } from "./foreign-key-checks.ts";
import { ForeignKeys } from "./foreign-keys.ts";
import { givenKey } from "./given-key.ts";
import { IndexBuilds } from "./index-builds.ts";
import type { RangeRequest } from "./key-codec.ts";
import { RowLoad } from "./load.ts";
import type { LockOutcome, LockOwner } from "./locks.ts";
import { encodeAhead } from "./long-values.ts";
import { refuseWhileMoving } from "./moving.ts";
import { TransactionObjects } from "./objects.ts";
import { PastEngine } from "./past-engine.ts";
import { RowChanges } from "./row-changes.ts";
import type {
  BeginOptions,
  Inserted,
  InsertOptions,
  ReadRequest,
  RowLock,
  RowSavepoint,
  RowScanRequest,
  StatementOptions,
} from "./row-requests.ts";
import { RowWrites } from "./row-writes.ts";
import { LazyScan, openScan, type RowFilter, storedScan } from "./scan.ts";
import { scanHostOf } from "./scan-host.ts";
import { type SequenceDescriptor, TransactionSequences } from "./sequence.ts";
import type { SequenceValues } from "./sequence-values.ts";
import type { ScanHost } from "./stored-rows.ts";
import { TableChanges } from "./table-changes.ts";
import { refusePartitioned } from "./table-partitions.ts";
import type { IndexSpec, TableSpec } from "./table-spec.ts";
import { TransactionTables } from "./tables.ts";
import { discardTemporary, endTemporary, type TemporaryEnd } from "./temporary/end.ts";
import { isTemporaryId, isTemporaryKey } from "./temporary/marks.ts";
import type { TransactionHost } from "./transaction-host.ts";

const MICROS_A_MS = 1_000n;

/**
 * A transaction over the tables of one shard: it reads one state, or one for each statement, and
 * its own writes. Used by one caller at a time.
 */
export class RowTransaction implements LockOwner {
  readonly locks: string[] = [];
  readonly waiter: object | undefined;
  readonly tables: TransactionTables;
  readonly sequences: TransactionSequences;
  readonly objects: TransactionObjects;
  readonly isolation: RowIsolation;
  readonly #host: TransactionHost;
  readonly #view: EngineView;
  /** Whether it refuses changes. SQL may turn it on later, and off again. */
  readOnly: boolean;
  readonly #options: BeginOptions;
  #context: ExpressionContext;
  readonly #writes: RowWrites;
  readonly #changes: RowChanges;
  readonly #completion: RowCompletion;
  readonly #access: DescriptorAccess;
  readonly #checkHost: CheckHost;
  readonly #foreignKeys: ForeignKeys;
  #isStatementOpen = false;
  /** Descriptors that it relied on, as they were. */
  readonly #descriptors = new Map<string, { readonly key: Uint8Array; bytes: Uint8Array | null }>();
  /** Descriptors that are known to be those of their tables. */
  readonly #used = new Set<TableDescriptor>();
  #isOver = false;

  constructor(host: TransactionHost, options: BeginOptions = {}) {
    this.#host = host;
    this.isolation = options.isolation ?? "serializable";
    this.readOnly = options.readOnly === true;
    const { engine, past } = host;
    const viewed = past === undefined ? engine : new PastEngine(engine, past);
    this.#view = new EngineView(viewed, this.isolation, options);
    this.#options = options;
    this.waiter = options.waiter;
    this.#context = this.#newContext(BigInt(host.clock.nowMs()) * MICROS_A_MS);
    const read = async (key: Uint8Array): Promise<Uint8Array | undefined> => {
      this.#assertGoing();
      const bytes = await this.#view.getLocked(key);
      this.#descriptors.set(binaryText(key), { key, bytes: bytes ?? null });
      return bytes;
    };
    const write = (key: Uint8Array): void => {
      if (!isTemporaryKey(key)) this.assertWritable();
      this.#used.clear();
      this.#descriptors.delete(binaryText(key));
    };
    const access: DescriptorAccess = {
      get: read,
      put: (key, value) => {
        write(key);
        this.#view.put(key, value);
      },
      delete: (key) => {
        write(key);
        this.#view.delete(key);
      },
      values: async (from, to) => {
        this.#assertGoing();
        return await this.#view.values(from, to);
      },
    };
    this.#access = access;
    const onFound = (table: TableDescriptor): unknown => this.#used.add(table);
    this.tables = new TransactionTables(access, host.cache, onFound, options.temporary);
    this.sequences = new TransactionSequences(access, host.ids, options.temporary);
    this.#completion = new RowCompletion({
      ids: host.ids,
      context: () => this.#context,
      sequence: (id) => this.sequences.get(id),
      nextval: (sequence) => this.nextval(sequence),
    });
    this.objects = new TransactionObjects(access, host.ids, host.newRelation, options.temporary);
    const lock = (key: Uint8Array, asked: RowLock) => this.#lock(key, asked);
    const readLocked = (key: Uint8Array, asked: RowLock) => this.#read(key, asked);
    this.#foreignKeys = new ForeignKeys({
      isSerializable: this.isolation === "serializable",
      clock: host.clock,
      view: this.#view,
      tables: this.tables,
      use: (table) => this.#use(table),
      lock,
      read: readLocked,
      renew: () => this.#renew(),
      scan: (table, request) => this.#scan(table, request, () => this.#view),
      updateRow: (compiled, key, changes) => this.#changes.updateByAction(compiled, key, changes),
      deleteRow: (compiled, key) => this.#changes.delete(compiled, key, []),
    });
    const context = () => this.#context;
    this.#checkHost = { view: this.#view, context, lock, read: readLocked };
    const readToPut = (key: Uint8Array) => this.#readToPut(key);
    this.#writes = new RowWrites({ ...this.#checkHost, foreignKeys: this.#foreignKeys, readToPut });
    const parts = { view: this.#view, completion: this.#completion, writes: this.#writes };
    this.#changes = new RowChanges({ ...parts, clock: host.clock, lock, read: readLocked });
  }

  /** What it reads: everything up to this sequence. */
  get sequence(): number {
    return this.#view.sequence;
  }

  /** Whether it reads a state of the past. */
  get isOfPast(): boolean {
    return this.#host.past !== undefined;
  }

  /** The state that it reads, for others too. */
  readonly exportState = (): ExportedState => exportedState(this.#host.engine, this.#view);

  /** A table as the shard has it now, whatever state this reads. */
  async tableNow(id: TableId): Promise<TableDescriptor | undefined> {
    const bytes = await this.#host.engine.get(this.#host.cache.keyOf(id));
    return bytes && decodeDescriptor(bytes);
  }

  /** The context of expressions: what `now()` is. */
  get context(): ExpressionContext {
    return this.#context;
  }

  /** A statement begins: READ COMMITTED reads what has been committed by now. */
  async statement(options: StatementOptions = {}): Promise<void> {
    this.#assertGoing();
    this.#view.letGo();
    if (this.#isStatementOpen) await this.endStatement();
    this.#isStatementOpen = options.checksAtEnd === true;
    if (this.#options.session !== undefined)
      this.#context = this.#newContext(this.#context.transactionTime);
    if (this.#view.isReadCommitted && this.#view.isOvertaken) await this.#renew();
    if (options.holdsState === true) this.#view.hold();
  }

  /** The statement's writes are done. @throws FirnError `Conflict`, `ROW_FOREIGN_KEY` (23503). */
  async endStatement(): Promise<void> {
    this.#assertGoing();
    this.#view.letGo();
    this.#isStatementOpen = false;
    await this.#foreignKeys.checkStatement();
  }

  /** SET CONSTRAINTS: those that are deferrable wait for the commit, or are checked now. */
  async setConstraints(
    which: "all" | readonly ConstraintName[],
    isDeferred: boolean,
  ): Promise<void> {
    this.#assertGoing();
    await this.#foreignKeys.set(which, isDeferred);
  }

  /**
   * A row by its primary key. With `lock` it waits for those who write it; then the newest state is
   * read, if the level allows.
   */
  async get(
    table: TableDescriptor,
    key: readonly Datum[],
    { columns, lock }: ReadRequest = {},
  ): Promise<readonly Datum[] | undefined> {
    refusePartitioned(table);
    const compiled = await this.#use(table);
    const name = givenKey(compiled, key);
    if (lock !== undefined && (await this.#lock(name, lock)) === "skipped") return undefined;
    const value = await this.#read(name, lock);
    const state = lock === undefined ? this.#view.reads : this.#view;
    return value && readRow(state, readerOf(compiled, columns), name, value);
  }

  /** Nothing that it read has been used, and nothing was written: it may begin again. */
  get isFresh(): boolean {
    return this.#view.isFresh;
  }

  /** Begins again at the newest state, with its locks: what it has told is to be forgotten. */
  async restart(): Promise<void> {
    this.#assertGoing();
    this.#view.forget();
    await this.#renew();
  }

  /** Whether others have committed a change of a row since the state that this reads. */
  async isOvertaken(table: TableDescriptor, key: readonly Datum[]): Promise<boolean> {
    if (!this.#view.isOvertaken) return false;
    const from = givenKey(await this.#use(table), key);
    return !(await this.#view.isNewest({ from, to: Buffer.concat([from, Buffer.alloc(1)]) }));
  }

  /** Rows in the order of the keys; undefined where there is none. */
  async getMany(
    table: TableDescriptor,
    keys: readonly (readonly Datum[])[],
    { columns, lock }: ReadRequest = {},
  ): Promise<readonly (readonly Datum[] | undefined)[]> {
    if (lock !== undefined) {
      const rows: (readonly Datum[] | undefined)[] = [];
      for (const key of keys) {
        rows.push(await this.get(table, key, { ...(columns && { columns }), lock }));
      }
      return rows;
    }
    refusePartitioned(table);
    const compiled = await this.#use(table);
    const names = keys.map((key) => givenKey(compiled, key));
    this.#view.show();
    return await readRows(this.#view.reads, readerOf(compiled, columns), names);
  }

  /** Rows of a range, in key order or against it. */
  scan(table: TableDescriptor, request: RowScanRequest = {}): RowScan {
    refusePartitioned(table);
    return this.#scan(table, request, () => this.#view.reads);
  }

  #scan(table: TableDescriptor, request: RowScanRequest, readsOf: () => ScanReads): RowScan {
    this.#assertGoing();
    return new LazyScan(async () => {
      const compiled = await this.#use(table);
      const reads = readsOf();
      const { lock, columns } = request;
      const filter = lock && this.#filter(readerOf(compiled, columns), lock);
      return openScan(reads, compiled, request, this.#scanHost(reads, compiled), filter);
    });
  }

  /**
   * Inserts rows, in their order.
   *
   * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505); `Invalid`, codes
   *   `ROW_VALUE_INVALID`, `ROW_NULL` (23502), `ROW_CHECK_FAILED` (23514).
   */
  async insert(
    table: TableDescriptor,
    rows: readonly (readonly (Datum | undefined)[])[],
    options: InsertOptions = {},
  ): Promise<readonly Inserted[]> {
    this.#assertWritableOf(table);
    const compiled = await this.#use(table);
    const complete = this.#completion.of(compiled, options);
    const visible = visibleColumns(table).length;
    const inserted: Inserted[] = [];
    for (const values of rows) {
      const completed = complete(values);
      const row = completed instanceof Promise ? await completed : completed;
      const encoding = encodeAhead(this.#host.clock, compiled, row);
      if (encoding !== undefined) await encoding;
      const left = this.#writes.insert(compiled, row, options);
      const conflict = left instanceof Promise ? await left : left;
      // Its commit copies it again.
      if (encoding !== undefined) await this.#host.clock.sleep(0);
      const shown = row.length === visible ? row : row.slice(0, visible);
      inserted.push(conflict === undefined ? { row: shown } : { row: shown, conflict });
    }
    await this.#endOfCall();
    return inserted;
  }

  /**
   * Rows in full, as `insert` would write them: those of a partitioned table, which its partitions
   * are chosen by. Nothing is written.
   *
   * @returns all visible columns. @throws FirnError as `insert`, of a single value.
   */
  async complete(
    table: TableDescriptor,
    rows: readonly (readonly (Datum | undefined)[])[],
    options: Pick<InsertOptions, "columns" | "overridesIdentity"> = {},
  ): Promise<readonly (readonly Datum[])[]> {
    this.assertWritable();
    return await this.#completion.all(await this.#use(table), rows, options);
  }

  /** The plan of a caller rests on a table: it must not change before this has committed. */
  async rely(table: TableDescriptor): Promise<void> {
    await this.#use(table);
  }

  /**
   * Begins to load rows, instead of what this transaction has written and read so far, which is
   * forgotten. A load has its own commit: this transaction is over when its rows are there.
   *
   * @returns undefined where the table's rows have to be inserted: then nothing is forgotten.
   * @throws FirnError as `RowLoad.begin`.
   */
  async load(table: TableDescriptor): Promise<RowLoad | undefined> {
    this.#assertWritableOf(table);
    const compiled = await this.#use(table);
    if (isTemporaryId(table.id) || !RowLoad.isPossible(compiled)) return undefined;
    this.#view.forgetWrites();
    await this.#renew();
    const key = this.#host.cache.keyOf(table.id);
    const bytes = await this.#view.get(key);
    return await RowLoad.begin({
      engine: this.#host.engine,
      compiled,
      descriptor: { key, bytes },
      context: this.#context,
      completer: (options) => this.#completion.of(compiled, options),
    });
  }

  /** Inserts a row, or puts it in the place of the one with its key. */
  async put(
    table: TableDescriptor,
    values: readonly (Datum | undefined)[],
    options: Pick<InsertOptions, "columns"> = {},
  ): Promise<readonly Datum[]> {
    this.#assertWritableOf(table);
    const compiled = await this.#use(table);
    const row = await this.#completion.of(compiled, options)(values);
    await this.#changes.put(compiled, row);
    await this.#endOfCall();
    return row.slice(0, visibleColumns(table).length);
  }

  /**
   * Changes columns of a row, by id; `undefined` sets the default. Its key may change too.
   *
   * @param told ids of the columns that are returned; a long value that is neither told nor needed
   *   is not read. All visible ones where it is absent.
   * @returns these columns of the new row; undefined where there is none of that key.
   * @throws FirnError as `insert`.
   */
  async update(
    table: TableDescriptor,
    key: readonly Datum[],
    changes: ReadonlyMap<number, Datum | undefined>,
    told?: readonly number[],
  ): Promise<readonly Datum[] | undefined> {
    this.#assertWritableOf(table);
    const compiled = await this.#use(table);
    const row = await this.#changes.update(compiled, givenKey(compiled, key), changes, told);
    await this.#endOfCall();
    return row;
  }

  /** @returns columns of the row that was deleted, as `update`; undefined where there was none. */
  async delete(
    table: TableDescriptor,
    key: readonly Datum[],
    told?: readonly number[],
  ): Promise<readonly Datum[] | undefined> {
    this.#assertWritableOf(table);
    const compiled = await this.#use(table);
    const row = await this.#changes.delete(compiled, givenKey(compiled, key), told);
    await this.#endOfCall();
    return row;
  }

  /**
   * The next number of a sequence. It is given once, also where this is rolled back.
   *
   * @throws FirnError `Invalid`, code `ROW_SEQUENCE_EXHAUSTED` (2200H).
   */
  async nextval(sequence: SequenceDescriptor): Promise<bigint> {
    this.#assertWritableOf(sequence);
    const number = await this.#valuesOf(sequence.id).next(sequence);
    this.#options.onNumber?.(sequence.id, number);
    return number;
  }

  /** Sets a sequence at once, also where this is rolled back. @throws as `SequenceValues.set`. */
  async setval(sequence: SequenceDescriptor, value: bigint, isCalled = true): Promise<void> {
    this.#assertWritableOf(sequence);
    await this.#valuesOf(sequence.id).set(sequence, value, isCalled);
  }

  /** `last_value` and `is_called` of a sequence. */
  async sequenceState(
    sequence: SequenceDescriptor,
  ): Promise<{ readonly last: bigint; readonly isCalled: boolean }> {
    this.#assertGoing();
    return await this.#valuesOf(sequence.id).state(sequence);
  }

  #valuesOf(sequence: AnyId): SequenceValues {
    const temporary = isTemporaryId(sequence) ? this.#options.temporary : undefined;
    return (temporary ?? this.#host).valuesOf(sequence);
  }

  /** @throws FirnError `AlreadyExists`, code `ROW_TABLE_EXISTS`; `Invalid`, `ROW_TABLE_INVALID`. */
  createTable(spec: TableSpec): Promise<TableDescriptor> {
    return this.#changing(spec.id).createTable(spec);
  }

  /**
   * Drops a table and its rows: one range is deleted, however many there are.
   *
   * @param options `cascade`: foreign keys of other tables that refer to it go too.
   * @throws FirnError `Conflict`, code `ROW_TABLE_REFERENCED` (2BP01).
   */
  dropTable(id: TableId, options: { readonly cascade?: boolean } = {}): Promise<void> {
    return this.#changing(id).dropTable(id, options.cascade === true);
  }

  /**
   * Removes all rows of a table, as `dropTable` does.
   *
   * @param together tables that are truncated too. @throws FirnError as `dropTable` (0A000).
   */
  truncate(id: TableId, together: readonly TableId[] = []): Promise<TableDescriptor> {
    return this.#changing(id).truncate(id, together);
  }

  /** Drops all that is temporary. */
  async discardTemporary(): Promise<void> {
    await discardTemporary(this.#temporaryEnd);
  }

  /** As `endTemporary` of `temporary/end.ts`. */
  async endTemporary(): Promise<void> {
    await endTemporary(this.#temporaryEnd);
  }

  /** Deletes a range of rows, unread. @throws `ROW_RANGE_DELETE_UNSUPPORTED`, as `truncate`. */
  deleteRange(table: TableDescriptor, range: RangeRequest): Promise<void> {
    return this.#changing(table.id).deleteRange(table, range);
  }

  /**
   * Changes a table, most often its descriptor alone. The old descriptor is refused from now on.
   *
   * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`; `ROW_NULL` (23502): a row has NULL.
   */
  alter(id: TableId, change: TableChange): Promise<TableDescriptor> {
    return this.#changing(id).alter(id, change);
  }

  /**
   * Makes an index and fills it, in this transaction: for tables whose entries fit one. It has to
   * be serializable, so that no row escapes it. One that is `backfilling` is for `buildIndex`.
   *
   * @throws FirnError `AlreadyExists`, code `ROW_DUPLICATE` (23505): it was to be unique.
   */
  createIndex(
    id: TableId,
    spec: IndexSpec,
    state: "public" | "backfilling" = "public",
  ): Promise<TableDescriptor> {
    return this.#changing(id).createIndex(id, spec, state);
  }

  /** Drops an index, its constraint, and with `isCascade` the foreign keys that need it. */
  dropIndex(id: TableId, name: string, isCascade = false): Promise<TableDescriptor> {
    return this.#changing(id).dropIndex(id, name, isCascade);
  }

  /** Compares an index with the rows of one state: CHECK INDEX. */
  async checkIndex(table: TableDescriptor, index: number): Promise<IndexReport> {
    const compiled = await this.#use(table);
    const check = new IndexCheck(this.#checkHost, compiled, index);
    return await checkWholeIndex(check, compiled.index(index).index.name, this.#host.clock);
  }

  /** Reads all long values of a table. @returns the columns that are not right. */
  async checkValues(table: TableDescriptor): Promise<readonly ValuesReport[]> {
    return await checkApart(this.#view, await this.#use(table), this.#host.clock);
  }

  /** Steps of the builds and repairs of indexes. */
  get indexBuilds(): IndexBuilds {
    this.assertWritable();
    const { tables } = this;
    const use = (table: TableDescriptor) => this.#use(table);
    return new IndexBuilds({ ...this.#checkHost, tables, use, access: this.#access });
  }

  /** What it has written so far, to go back to. Locks stay. */
  savepoint(): RowSavepoint {
    this.#assertGoing();
    return { view: this.#view.savepoint(), foreignKeys: this.#foreignKeys.savepoint() };
  }

  rollbackTo({ view, foreignKeys }: RowSavepoint): void {
    this.#assertGoing();
    this.#isStatementOpen = false;
    this.#foreignKeys.rollbackTo(foreignKeys);
    this.#view.rollbackTo(view);
    this.#used.clear();
    this.sequences.forget();
  }

  /** Forgets a savepoint: what was written since stays. */
  release(_savepoint: RowSavepoint): void {
    this.#assertGoing();
  }

  /**
   * How much a range holds, about.
   *
   * @param index 0 is the primary key; `apart` are the long values of all rows.
   */
  async estimate(
    table: TableDescriptor,
    index: number | "apart",
    range: RangeRequest = {},
  ): Promise<{ readonly rows: number; readonly bytes: number }> {
    const compiled = await this.#use(table);
    const codec = index === 0 || index === "apart" ? compiled.key : compiled.index(index).key;
    const bounds = index === "apart" ? apartRange(compiled) : codec.range(range);
    const found = await this.#view.estimate(bounds);
    return { rows: found.entries, bytes: found.bytes };
  }

  /**
   * Writes all of it, or nothing, and lets go of its locks. It is over either way.
   *
   * @param options resolves once it survives a crash, unless told otherwise.
   * @throws FirnError `Conflict`, code `ROW_CONFLICT` (40001): begin again; and what the engine
   *   throws.
   */
  async commit(options: { readonly durable?: boolean } = {}): Promise<number> {
    const sequence = await this.#commitAll(options);
    if (this.tables.hasUnpublished) await this.#host.onUnpublished();
    return sequence;
  }

  async #commitAll(options: { readonly durable?: boolean }): Promise<number> {
    this.#assertGoing();
    this.#view.letGo();
    try {
      await this.#foreignKeys.checkAll();
      this.#isOver = true;
      const writes = this.#view.writes;
      const written = await this.#committed();
      // What it only read is answered if no other process had taken the shard over by then.
      if (writes === 0) await this.#host.engine.confirm();
      else if (options.durable !== false) await written.durable();
      return written.sequence;
    } catch (error) {
      // The engine's part is over where the engine's commit failed.
      if (!this.#isOver) this.#view.rollback();
      this.#isOver = true;
      throw conflictOf(error);
    } finally {
      this.#host.locks.release(this);
    }
  }

  /** Ends its wait for a lock, if it waits: the call that waits fails with `why`. */
  stopWaiting(why: unknown): void {
    this.#host.locks.leave(this, why);
  }

  /** Forgets it. Nothing happens to one that is over. */
  rollback(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#view.rollback();
    this.#host.locks.release(this);
  }

  /** READ COMMITTED meets values that were written again as they were, or ranges beside rows. */
  async #committed(): ReturnType<EngineView["commit"]> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#view.commit();
      } catch (error) {
        const isConflict = error instanceof FirnError && error.code === "LSM_CONFLICT";
        if (!isConflict || !this.#view.isReadCommitted || tries === RENEWALS) throw error;
        await this.#renew();
      }
    }
  }

  /** Each call is a statement, unless one of several calls was begun. */
  async #endOfCall(): Promise<void> {
    if (!this.#isStatementOpen) await this.#foreignKeys.checkStatement();
  }

  #newContext(transactionTime: bigint): ExpressionContext {
    return { transactionTime, session: this.#options.session?.() };
  }

  get #temporaryEnd(): TemporaryEnd {
    const { tables, sequences, objects } = this;
    const changing: TemporaryEnd["changing"] = (id, isOfCommit) => this.#changing(id, isOfCommit);
    return { tables, sequences, objects, foreignKeys: this.#foreignKeys, changing };
  }

  #changing(id: TableId, isOfCommit = false): TableChanges {
    const temporary = isTemporaryId(id) ? this.#options.temporary : undefined;
    if (!isOfCommit) this.assertWritable();
    const valuesOf = (sequence: AnyId): SequenceValues => this.#valuesOf(sequence);
    const newRelation = temporary && (async () => temporary.newRelation());
    return new TableChanges({
      host: { ...this.#host, valuesOf, ...(newRelation && { newRelation }) },
      tables: this.tables,
      sequences: this.sequences,
      view: this.#view,
      foreignKeys: this.#foreignKeys,
      context: this.#context,
      // No other transaction changes rows that are temporary.
      assertSerializable: () => temporary ?? this.#assertSerializable(),
      use: (table) => this.#use(table),
      storedRows: (compiled, reader) =>
        storedScan(this.#view, compiled, this.#scanHost(this.#view, compiled), reader),
      scan: (table, request) => this.#scan(table, request, () => this.#view.reads),
    });
  }

  #filter(reader: TableReader, lock: RowLock): RowFilter {
    return async ({ key }) => {
      if ((await this.#lock(key, lock)) === "skipped") return undefined;
      const now = await this.#read(key, lock);
      if (now === undefined) return undefined;
      return { key, value: await wholeRow(this.#view, reader, key, now) };
    };
  }

  #scanHost(reads: ScanReads, compiled: CompiledTable): ScanHost {
    return scanHostOf(this.#view, reads, compiled, () => {
      this.#assertGoing();
      this.#view.show();
    });
  }

  /** Waits for a row's lock; afterwards the newest state is read, where the level allows it. */
  #lock(key: Uint8Array | string, { mode, wait = "wait" }: RowLock): Maybe<LockOutcome> {
    if (typeof key !== "string" && isTemporaryKey(key)) return "held";
    const name = typeof key === "string" ? key : binaryText(key);
    // What is locked behind the end stays locked.
    this.#assertGoing();
    const asked = this.#host.locks.acquire(this, name, mode, wait);
    return asked instanceof Promise ? this.#waited(asked) : asked;
  }

  async #waited(asked: Promise<LockOutcome>): Promise<LockOutcome> {
    const outcome = await asked;
    this.#assertGoing();
    if (this.#view.isFresh || this.#view.isReadCommitted) await this.#renew();
    return outcome;
  }

  /** Waits for all that asked with this name before; to be called first. No key has U+2020. */
  async takeTurn(name: string): Promise<void> {
    await this.#lock(`\u2020${name}`, { mode: "update" });
  }

  /** The value of a key that is locked, as this level is to see it. */
  #read(key: Uint8Array, lock: RowLock | undefined): Maybe<Uint8Array | undefined> {
    if (lock === undefined) {
      this.#view.show();
      return this.#view.reads.get(key);
    }
    if (this.#mayBeOvertaken) return this.#readNewest(key);
    this.#view.show();
    return this.#view.getLocked(key);
  }

  /** The same of a key that is put next, which then claims it, or else is touched. */
  #readToPut(key: Uint8Array): Maybe<Uint8Array | undefined> {
    if (this.#mayBeOvertaken) return this.#readNewest(key);
    this.#view.show();
    return this.#view.getToPut(key);
  }

  get #mayBeOvertaken(): boolean {
    const isRenewable = this.#view.isReadCommitted || this.#view.isFresh;
    return isRenewable && this.#view.isOvertaken;
  }

  /** Another may have written the key, and ended, between our view and our lock. */
  async #readNewest(key: Uint8Array): Promise<Uint8Array | undefined> {
    let value = await this.#view.getLocked(key);
    const newest = await this.#view.newest(key);
    if (!sameBytes(value, newest)) {
      await this.#renew();
      value = await this.#view.getLocked(key);
    }
    this.#view.show();
    return value;
  }

  /** Begins again at the newest state. @throws FirnError as `commit`: a table has changed. */
  async #renew(): Promise<void> {
    this.#view.renew();
    for (const { key, bytes } of this.#descriptors.values()) {
      const now = await this.#view.getLocked(key);
      if (sameBytes(now, bytes ?? undefined)) continue;
      this.#view.rollback();
      throw changedMeanwhile();
    }
  }

  /**
   * A descriptor that a caller brings, perhaps of an earlier transaction: its table must not have
   * changed, and must not change before this one has committed.
   * @throws FirnError `NotFound`, code `ROW_TABLE_NOT_FOUND`; `Conflict`, code `ROW_TABLE_CHANGED`.
   */
  async #use(table: TableDescriptor): Promise<CompiledTable> {
    this.#assertGoing();
    if (!this.#used.has(table)) {
      const now = await this.tables.get(table.id);
      if (now.version !== table.version || now.relation !== table.relation) {
        throw tableChanged(table, now);
      }
      this.#used.add(table);
    }
    refuseWhileMoving("read", table);
    return await this.#host.compiled.of(table);
  }

  #assertGoing(): void {
    if (this.#isOver) throw transactionOver();
  }

  /** What it reads decides what others may have written: that has to hold at its commit. */
  #assertSerializable(): void {
    this.assertWritable();
    if (this.isolation !== "serializable") throw isolationTooLow();
  }

  /** A read-only transaction writes temporary tables too. @throws as `assertWritable`. */
  #assertWritableOf(
    of: Marks & Parameters<typeof refusePartitioned>[0] & { readonly id: AnyId },
  ): void {
    if (isTemporaryId(of.id)) this.#assertGoing();
    else this.assertWritable();
    refuseWhileMoving("write", of);
    refusePartitioned(of);
  }

  /** @throws FirnError `Invalid`, code `ROW_TRANSACTION_READ_ONLY` (25006). */
  assertWritable(): void {
    this.#assertGoing();
    if (!this.readOnly && !this.isOfPast) return;
    throw invalid("ROW_TRANSACTION_READ_ONLY", "the transaction is read-only", {
      sqlState: "25006",
    });
  }
}

/** How often a commit of READ COMMITTED begins again. */
const RENEWALS = 100;
