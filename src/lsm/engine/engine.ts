import type { FirnError } from "../../base/error.ts";
import { type Key, keyOfBytes, type Sequence } from "../format/entry.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { Maybe } from "../maybe.ts";
import { boundsOf, type Range } from "../range.ts";
import type { RangeEstimate } from "../read/estimate.ts";
import type { ReadView } from "../read/read-view.ts";
import { type PackedScan, ViewScan } from "../read/scan.ts";
import { type AbortableScan, assertCount, checkedScan } from "../read/scan-request.ts";
import type { NamedState } from "../states/checkpoints.ts";
import type { Subscription } from "../subscribe/subscription.ts";
import { ConditionalWrite, type WriteCondition } from "../transaction/conditional-write.ts";
import { type EngineSnapshot, Snapshots } from "../transaction/snapshots.ts";
import type { Transaction, TransactionOptions } from "../transaction/transaction.ts";
import type { Throttle } from "../write/throttles.ts";
import { prepare, type WriteOp, type Written } from "../write/write-path.ts";
import { Core } from "./core.ts";
import { type OpenOptions, openShard } from "./open.ts";
import { openPast, type PastState } from "./past-state.ts";
import type { StateView } from "./state-view.ts";
import type { HotGroups, LsmStats } from "./stats.ts";

/**
 * Which state a read sees: everything that was applied in this process (`memory`, the default), or
 * what survives a crash (`durable`). Both are the owner's; see `Engine.confirm`.
 */
export type ReadLevel = "memory" | "durable";

export interface ReadOptions {
  readonly level?: ReadLevel;
  /** Reads as of a snapshot; then the level says nothing. */
  readonly snapshot?: EngineSnapshot;
}

export interface WriteOptions {
  /** Resolves when it survives a crash. */
  readonly durable?: boolean;
  /**
   * Conditions that are judged in the very step of the write: nothing is written where one does not
   * hold. A row that must be new: `[{ key, is: "absent" }]`, without transaction or snapshot.
   */
  readonly check?: readonly WriteCondition[];
}

export interface PutOptions {
  readonly durable?: boolean;
  /** Wall time, ms since the epoch, from which on it counts no more: see `WriteOp`. */
  readonly expiresAtMs?: number;
}

export interface ScanRequest extends AbortableScan, ReadOptions {}

export interface EstimateRequest extends Range {
  /** What `distinctPrefixes` counts; nothing where it is absent. */
  readonly prefixBytes?: number;
}

/**
 * An ordered, transactional key-value engine over a blob store: one shard, one writer. Keys are
 * opaque bytes, compared bytewise.
 *
 * What can be answered from memory is answered on the spot (`Maybe`): `await` it always. Every
 * method may throw `Unavailable`: `LSM_CLOSED`, `LSM_FENCED` (another process took over), or
 * `LSM_FAILED` (a write to the log failed: open the shard again to learn what survived). Reads of
 * what was durable by then go on (`readsOn`).
 */
export class Engine {
  readonly #core: Core;
  readonly #parts: OpenOptions;

  private constructor(core: Core, parts: OpenOptions) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Takes the shard over. @throws as `openShard`. */
  static async open(parts: OpenOptions): Promise<Engine> {
    return new Engine(new Core(await openShard(parts)), parts);
  }

  /** The value of a key; undefined where there is none. Never write to it. */
  get(key: Uint8Array, options?: ReadOptions): Maybe<Uint8Array | undefined> {
    const core = this.#core;
    const sequence = this.#sequenceOf(options);
    core.assertReadable(sequence);
    return core.reads.lookups.get(this.#viewOf(options), keyOfBytes(key), sequence);
  }

  /** The values of keys, in their order, of one state; what is missing is read at once. */
  getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Maybe<readonly (Uint8Array | undefined)[]> {
    const core = this.#core;
    const sequence = this.#sequenceOf(options);
    core.assertReadable(sequence);
    const names: Key[] = keys.map(keyOfBytes);
    return core.reads.lookups.getMany(this.#viewOf(options), names, sequence);
  }

  /** Rows of a range of one state, in batches. Close it, or read it to its end. */
  scan(request: ScanRequest = {}): PackedScan {
    const core = this.#core;
    const sequence = this.#sequenceOf(request);
    core.assertReadable(sequence);
    const { scanBatchRows, readAheadBytes } = core.options;
    const scan = checkedScan(request, scanBatchRows);
    core.reads.lookups.samples.note(scan.bounds.from);
    const { signal } = request;
    const options = { ...scan, sequence, signal, readAheadBytes };
    return new ViewScan(core.reads.source, this.#viewOf(request), options);
  }

  /**
   * How much a range holds, about, from the memtables, the index of each table, and the two blocks
   * of it that the range begins and ends in: two requests a table where they are not in memory.
   * Exact where the range lies in one block, or holds whole tables. Keys in several places, as
   * after updates that no compaction has merged yet, count more than once.
   *
   * `distinctPrefixes` tells how many values the first `prefixBytes` bytes of its keys have.
   *
   * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`.
   */
  estimate(range: EstimateRequest = {}): Maybe<RangeEstimate> {
    const { reads } = this.#core;
    const { prefixBytes = 0 } = range;
    if (prefixBytes !== 0) assertCount(prefixBytes);
    this.#core.assertReadable(this.lastSequence);
    return reads.estimates.estimate(reads.views.current, boundsOf(range), prefixBytes);
  }

  /**
   * Applies a batch, whole and in order; of operations on one key the last wins. Answered at once,
   * or after a delay where writes outrun the flushes; durable once the handle says so, or, with
   * `durable`, when this resolves. It costs no extra request: writes share the log's.
   *
   * @throws FirnError `Invalid` (`LSM_KEY_INVALID`, `LSM_VALUE_TOO_LARGE`, `LSM_EXPIRY_INVALID`,
   *   `LSM_OPERATOR_INVALID`, `LSM_OPERAND_INVALID`, `LSM_RANGE_INVALID`, `WAL_BATCH_TOO_LARGE`)
   *   and `Overloaded` (`LSM_OVERLOADED`, `LSM_THROTTLED`, with `retryAfterMs`): nothing
   *   happened; with `durable` as `Written.durable` in addition. With `check`: `Conflict`, code
   *   `LSM_CONDITION_FAILED`; `Invalid`, code `LSM_CONDITION_INVALID`; `NotFound`, code
   *   `LSM_HISTORY_GONE`: nothing happened either.
   */
  write(ops: readonly WriteOp[], options?: WriteOptions): Maybe<Written> {
    const { writes, reads, conditions } = this.#core;
    const batch = prepare(ops, reads.operators);
    const check = options?.check;
    const written =
      check === undefined || check.length === 0
        ? writes.write(batch)
        : new ConditionalWrite(conditions, batch, check).run();
    return options?.durable === true ? durably(written) : written;
  }

  put(key: Uint8Array, value: Uint8Array, options?: PutOptions): Maybe<Written> {
    const expiresAtMs = options?.expiresAtMs;
    if (expiresAtMs === undefined) return this.write([{ op: "put", key, value }], options);
    return this.write([{ op: "put", key, value, expiresAtMs }], options);
  }

  /**
   * Combines an operand with the value of a key without reading it: by `add`, `max` (`int64Bytes`)
   * or `set-union` (`setBytes`). Reads combine all operands since the last put or deletion,
   * compactions what no snapshot tells apart.
   *
   * A read throws `Invalid`, code `LSM_MERGE_MISMATCH`, where a value has not the operator's form.
   *
   * @throws FirnError as `write`.
   */
  merge(
    key: Uint8Array,
    operand: Uint8Array,
    operator: string,
    options?: PutOptions,
  ): Maybe<Written> {
    const expiresAtMs = options?.expiresAtMs;
    const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
    return this.write([{ op: "merge", key, operator, value: operand, ...expiry }], options);
  }

  delete(key: Uint8Array, options?: { readonly durable?: boolean }): Maybe<Written> {
    return this.write([{ op: "delete", key }], options);
  }

  /**
   * Deletes every key in [from, to) at the cost of one operation, however many there are. An empty
   * `from` is the first key, an empty `to` the end of all; where they are equal nothing happens.
   *
   * @throws FirnError as `write`; `Invalid`, code `LSM_RANGE_INVALID`: the bounds cross, or one
   *   is longer than any key.
   */
  deleteRange(
    from: Uint8Array,
    to: Uint8Array,
    options?: { readonly durable?: boolean },
  ): Maybe<Written> {
    return this.write([{ op: "deleteRange", from, to }], options);
  }

  /**
   * Begins to write many rows beside the log, in tables of their own: for loads of thousands of
   * rows or more. They appear at once when it is committed, or never. It conflicts with every write
   * to its ranges from now on.
   *
   * @param options the ranges that all keys lie within: all keys, unless told otherwise. One for
   *   each relation makes it faster: rows that come in their order are then not merged with others.
   * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`.
   */
  ingest(options: { readonly ranges?: readonly Range[] } = {}): Ingest {
    return this.#core.ingest(options.ranges ?? [{}]);
  }

  /** The state at this moment, to be read until it is closed. */
  snapshot(level: ReadLevel = "memory"): EngineSnapshot {
    const sequence = this.#sequenceOf({ level });
    this.#core.assertReadable(sequence);
    return this.#core.snapshots.open(sequence);
  }

  /** @throws FirnError `Invalid`, code `LSM_OPTION_INVALID`: limits are positive integers. */
  transaction(options: TransactionOptions = {}): Transaction {
    return this.#core.transactions.begin(options);
  }

  /**
   * Reads of one state, for a statement: no read set, no end to wait for. Close it.
   *
   * @param options the sequence: of now, unless told otherwise. Older ones are kept as far back as
   *   writes are in memory, and where a snapshot or a view of the same sequence is open.
   * @throws FirnError `NotFound`, code `LSM_HISTORY_GONE`: `openReader` may still find it;
   *   `Invalid`, code `LSM_SEQUENCE_AHEAD`.
   */
  readView(options: { readonly sequence?: Sequence } = {}): StateView {
    return this.#core.stateView(options.sequence ?? this.lastSequence);
  }

  /**
   * The state of a time, as far back as `historyMs` says, or what else keeps files. Close it.
   *
   * Since the engine was opened a time is exact to the millisecond, whose end is meant; before that
   * the state may be some seconds earlier. A state that is not in memory costs the requests of
   * `openReader`.
   *
   * @throws FirnError `NotFound`, code `LSM_HISTORY_GONE`; `Invalid`, code `LSM_TIME_AHEAD`; as
   *   `openReader`.
   */
  async stateAt(timeMs: number): Promise<PastState> {
    return await openPast(this.#core, this.#parts, timeMs);
  }

  /** Sequence of the last operation that was applied. */
  get lastSequence(): Sequence {
    return this.#core.writes.lastSequence;
  }

  /** Settles when everything up to a sequence, or all so far, survives a crash. */
  durable(sequence: Sequence = this.lastSequence): Maybe<void> {
    this.#core.health.assertOpen();
    return this.#core.writes.durable(sequence);
  }

  /**
   * Settles when what was read so far may be answered as linearizable: no other process had taken
   * the shard over when it was read, and it is durable, which what was read at level `durable` is
   * anyway. At most one request in `leaseMs`, and none where nothing is read.
   */
  confirm(level: ReadLevel = "memory"): Maybe<void> {
    const { published, writes, health } = this.#core;
    health.assertReadable(level === "durable");
    const durable = level === "durable" ? undefined : writes.durable(writes.lastSequence);
    const owner = published.lease.confirm();
    return durable === undefined && owner === undefined ? undefined : both(durable, owner);
  }

  /** What ended it, if something did: then it is to be closed, and the shard to be opened again. */
  get failure(): FirnError | undefined {
    return this.#core.health.failure;
  }

  /** Whether reads of what is durable go on although it ended: only the log has failed. */
  get readsOn(): boolean {
    return this.#core.health.readsOn;
  }

  /**
   * Committed batches in their order, each once and as soon as it survives a crash, from the one
   * that holds a sequence: 1 for all, `nextSequence` of an earlier subscription to go on where that
   * ended, also after the shard was opened again or taken over. Writers wait for no subscriber. Its
   * batches may be gone by then: `logRetentionMs` and `logRetentionBytes` say what is kept.
   *
   * One who keeps up asks no store; one who lags reads the log.
   *
   * @throws FirnError `Invalid`, code `LSM_SEQUENCE_AHEAD`: it is not durable, nor the next one.
   */
  subscribe(from: Sequence): Subscription {
    return this.#core.subscribe(from);
  }

  /** Brings everything that was written so far into tables. */
  async flush(): Promise<void> {
    this.#core.health.assertOpen();
    await this.#core.flush();
  }

  /**
   * Brings everything that was written so far into one sorted run, without what no snapshot needs.
   *
   * @throws FirnError `Corrupt`, naming `path` and offset of what cannot be read: then nothing
   *   is changed. `Unavailable`: `LSM_COMPACTOR_FENCED`, `LSM_COMPACTION_STOPPED`.
   */
  async compact(): Promise<void> {
    await this.flush();
    await this.#core.jobs.compactAll();
  }

  /** Deletes files that nothing refers to, as far as they are old enough. */
  async collectGarbage(): Promise<void> {
    this.#core.health.assertOpen();
    await this.#core.jobs.collect();
  }

  /**
   * Keeps the state of this moment under a name: everything that was written so far is brought into
   * tables, and these stay, whatever is written and compacted later. Two requests in addition.
   *
   * @param options how long it is kept; until it is deleted, unless that is said.
   * @throws FirnError as `Checkpoints.create`.
   */
  async checkpoint(name: string, options: { readonly ttlMs?: number } = {}): Promise<NamedState> {
    await this.flush();
    return await this.#core.published.checkpoints.create(name, options.ttlMs);
  }

  /** Named states that are kept, in the order of their making. */
  checkpoints(): readonly NamedState[] {
    this.#core.health.assertOpen();
    return this.#core.published.checkpoints.list();
  }

  /** @throws FirnError as `Checkpoints.delete`. */
  async deleteCheckpoint(name: string): Promise<void> {
    this.#core.health.assertOpen();
    await this.#core.published.checkpoints.delete(name);
  }

  /**
   * Announces that `close` is to follow: any caller that wants the shard waits for it, instead of
   * giving up. Reads and writes go on until then. Two requests.
   *
   * @throws FirnError `Unavailable`, code `LSM_FENCED`; what the store throws.
   */
  async drain(): Promise<void> {
    this.#core.health.assertOpen();
    await this.#core.published.announce({ state: "DRAINING" });
  }

  /** Says where others may ask whether this process lives. @throws as `drain`. Two requests. */
  async advertise(url: string): Promise<void> {
    this.#core.health.assertOpen();
    await this.#core.published.announce({ url });
  }

  /**
   * Holds writes below a prefix back for a while, so that others are served: batches beyond the
   * rate are refused with `LSM_THROTTLED`. In this process only, in place of what was said of the
   * same prefix before; `forMs` 0 ends it. `stats().throttles` tells what is in force.
   *
   * @throws FirnError `Invalid`, code `LSM_THROTTLE_INVALID`: beyond a day, a million a second,
   *   or 64 of them.
   */
  throttle(throttle: Throttle): void {
    this.#core.health.assertOpen();
    this.#core.writes.throttles.set(throttle);
  }

  stats(): LsmStats {
    return this.#core.stats();
  }

  /**
   * What the latest reads and writes met, by the first so many bytes of their keys: by samples, the
   * largest share first; nothing while too little is done.
   */
  hotBelow(bytes: number): HotGroups {
    return this.#core.hotBelow(bytes);
  }

  /**
   * Flushes, as far as the store lets it (the log has everything), and releases the shard, so that
   * the next owner need not wait. @throws FirnError where the release did not reach the store.
   */
  close(): Promise<void> {
    return this.#core.close();
  }

  #sequenceOf(options: ReadOptions | undefined): Sequence {
    const { writes } = this.#core;
    if (options === undefined) return writes.lastSequence;
    const { level, snapshot } = options;
    if (snapshot === undefined) {
      return level === "durable" ? writes.durableSequence : writes.lastSequence;
    }
    Snapshots.assertOpen(snapshot);
    return snapshot.sequence;
  }

  /** What has expired is decided by the time of a snapshot, if one is read. */
  #viewOf(options: ReadOptions | undefined): ReadView {
    const { current } = this.#core.reads.views;
    const snapshot = options?.snapshot;
    return snapshot === undefined ? current : { ...current, timeMs: snapshot.timeMs };
  }
}

async function durably(writing: Maybe<Written>): Promise<Written> {
  const written = await writing;
  await written.durable();
  return written;
}

async function both(one: Maybe<void>, other: Maybe<void>): Promise<void> {
  await Promise.all([one, other]);
}
