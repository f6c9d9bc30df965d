import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { tooOld } from "../errors.ts";
import { hashBytes } from "../format/bloom.ts";
import {
  assertKeyBytes,
  bytesOfKey,
  END_OF_KEYS,
  type Key,
  keyOfBytes,
  latin1Text,
  MERGE,
  plainKind,
  type Sequence,
} from "../format/entry.ts";
import type { Maybe } from "../maybe.ts";
import type { LsmTuning } from "../options.ts";
import { type Bounds, deletedBounds } from "../range.ts";
import type { Operators } from "../read/operators.ts";
import type { ReadView, SharedView } from "../read/read-view.ts";
import type { PackedScan } from "../read/scan.ts";
import { type CheckedScan, checkedScan, type RangeScan } from "../read/scan-request.ts";
import { type BatchOp, opBytes } from "../wal/batch.ts";
import type { Prepared } from "../write/prepared.ts";
import { assertExpiry, assertValue, type Written } from "../write/write-path.ts";
import type { Claims } from "./claims.ts";
import { BEHIND, ConflictSearch, type WrittenPlaces } from "./conflict-search.ts";
import { ownSequence, viewWithOwn } from "./own-view.ts";
import { type OwnMark, OwnWrites } from "./own-writes.ts";
import { ReadSet, readDownTo, readUpTo } from "./read-set.ts";
import type { EngineSnapshot } from "./snapshots.ts";
import { TrackedScan } from "./tracked-scan.ts";

/**
 * `snapshot`: of two transactions that write one key the second fails; a range that is deleted is
 * all keys in it. `serializable`: so does one whose reads, of keys or of ranges, others have
 * written to since it began.
 */
export type Isolation = "snapshot" | "serializable";

export interface TransactionOptions {
  /** `serializable` unless told otherwise. */
  readonly isolation?: Isolation;
  /** What it may write and remember of its reads, and for how long it may be open. */
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
}

/** As `PutOptions` of the engine. */
interface Expiring {
  readonly expiresAtMs?: number;
}

/** What a transaction had written at a moment. */
export interface Savepoint {
  readonly transaction: Transaction;
  readonly mark: OwnMark;
}

/** Reads of one of its states. @throws as `Transaction.get` and `Transaction.scan`. */
type TransactionReads = Pick<Transaction, "get" | "getMany" | "scan">;

/** How a transaction's scan is made. */
export interface ScanPlan extends CheckedScan {
  readonly sequence: Sequence;
}

/** What a transaction needs of its engine. */
export interface TransactionHost {
  readonly clock: Clock;
  readonly operators: Operators;
  readonly options: LsmTuning;
  readonly written: WrittenPlaces;
  readonly get: (view: ReadView, key: Key, sequence: Sequence) => Maybe<Uint8Array | undefined>;
  /** Whether nothing is stored under a key, as far as memory tells. */
  readonly isAbsent: (view: SharedView, key: Uint8Array) => boolean;
  readonly getMany: (
    view: ReadView,
    keys: readonly Key[],
    sequence: Sequence,
  ) => Maybe<readonly (Uint8Array | undefined)[]>;
  readonly scan: (view: ReadView, plan: ScanPlan) => PackedScan;
  readonly write: (batch: Prepared, check: () => void) => Maybe<Written>;
  readonly durable: (sequence: Sequence) => Maybe<void>;
  readonly assertOpen: () => void;
  /** @throws FirnError `Overloaded`, code `LSM_TRANSACTIONS_FULL`. */
  readonly assertRoom: () => void;
  /** It holds so many bytes more, or less. */
  readonly onMemory: (bytes: number) => void;
  /** It is over, whatever became of it. */
  readonly onEnd: (transaction: Transaction) => void;
}

/** Growth that is too little to be told. */
const STEP_BYTES = 4_096;

/**
 * An optimistic transaction: it reads the state of its beginning and its own writes, and is checked
 * when it commits, in the same synchronous step that writes. Used by one caller at a time.
 */
export class Transaction {
  readonly #host: TransactionHost;
  readonly #snapshot: EngineSnapshot;
  readonly #serializable: boolean;
  readonly #age: Stopwatch;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  /** From the first write on. */
  #own: OwnWrites | undefined;
  readonly #reads = new ReadSet();
  /** Deletions of ranges. */
  #deletions = 0;
  /** What everybody reads, as of its time. */
  #base: { readonly of: SharedView; readonly view: SharedView } | undefined;
  /** What reads go through that own writes have a say in, and what it was made of. */
  #made: { readonly base: ReadView; readonly count: number; readonly view: ReadView } | undefined;
  #toldBytes = 0;
  /** Bytes of writes from which on more is looked at than their number. */
  #lookAt = 0;
  /** The same of what it has read. */
  #lookAtReads = 0;
  #committing = false;
  #hasSavepoint = false;
  #over = false;

  constructor(host: TransactionHost, snapshot: EngineSnapshot, options: TransactionOptions) {
    const { transactionBytes, transactionMs } = host.options;
    const { isolation = "serializable", maxBytes, maxAgeMs } = options;
    this.#host = host;
    this.#snapshot = snapshot;
    this.#serializable = isolation === "serializable";
    this.#maxBytes = maxBytes ?? transactionBytes;
    this.#maxAgeMs = maxAgeMs ?? transactionMs;
    this.#age = new Stopwatch(host.clock);
  }

  /** What it reads: everything up to this sequence. */
  get sequence(): Sequence {
    return this.#snapshot.sequence;
  }

  get expired(): boolean {
    return this.#age.elapsedMs() > this.#maxAgeMs;
  }

  /** The value of a key, its own writes included. @throws as `put`, of its reads. */
  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    this.#assertGoing();
    const name = keyOfBytes(key);
    this.#noteRead(name);
    return this.#read(name);
  }

  /** Values in the order of the keys; what is missing is read at once. @throws as `get`. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    this.#assertGoing();
    return this.#getMany(keys, this.#view(), this.#sequenceWith(this.#written));
  }

  /**
   * Reads of what it sees now: they do not see what it writes later. Not to be used behind a
   * `rollbackTo`. They are reads of the transaction, and end with it.
   */
  asOfNow(): TransactionReads {
    const through = this.#written;
    const sequence = this.#sequenceWith(through);
    let made: { readonly base: ReadView; readonly view: ReadView } | undefined;
    const view = (): ReadView => {
      this.#assertGoing();
      const base = this.#timed();
      const own = this.#own;
      if (own === undefined || through === 0) return base;
      if (made?.base !== base) {
        made = { base, view: viewWithOwn(base, own, this.sequence, through) };
      }
      return made.view;
    };
    return {
      get: (key) => {
        const seen = view();
        const name = keyOfBytes(key);
        this.#noteRead(name);
        return this.#host.get(seen, name, sequence);
      },
      getMany: (keys) => this.#getMany(keys, view(), sequence),
      scan: (options = {}) => this.#scan(options, view(), sequence),
    };
  }

  #getMany(
    keys: readonly Uint8Array[],
    view: ReadView,
    sequence: Sequence,
  ): Maybe<readonly (Uint8Array | undefined)[]> {
    const names = keys.map(keyOfBytes);
    for (const name of names) this.#noteRead(name);
    return this.#host.getMany(view, names, sequence);
  }

  /**
   * As `get`, of a key that others must not write to until this transaction has committed, whether
   * or not it writes to it itself: also where it is not serializable.
   */
  lockForUpdate(key: Uint8Array): Maybe<Uint8Array | undefined> {
    this.#assertGoing();
    const name = keyOfBytes(key);
    this.#addRead(name);
    return this.#read(name);
  }

  /**
   * As `lockForUpdate`, of a key that is put next, which claims it, or else has to be touched. Most
   * such keys are nowhere, which memory alone tells.
   */
  getToPut(key: Uint8Array): Maybe<Uint8Array | undefined> {
    if (this.#hasSavepoint) return this.lockForUpdate(key);
    this.#host.assertOpen();
    this.#assertRoom(this.#own?.bytes ?? 0);
    assertKeyBytes(key);
    const { a } = hashBytes(key, 0, key.length);
    const isOwn = this.#own?.mayHoldHashed(a) === true;
    if (!isOwn && this.#host.isAbsent(this.#timed(), key)) return undefined;
    return this.#read(keyOfBytes(key));
  }

  /** As `lockForUpdate`, without a read. */
  touch(key: Uint8Array): void {
    this.#assertGoing();
    this.#addRead(keyOfBytes(key));
  }

  /**
   * Rows of a range, with what it has written up to this call.
   *
   * @throws as `put`, of its reads; FirnError `Invalid`, code `LSM_RANGE_INVALID`.
   */
  scan(options: RangeScan = {}): PackedScan {
    this.#assertGoing();
    return this.#scan(options, this.#view(), this.#sequenceWith(this.#written));
  }

  #scan(options: RangeScan, view: ReadView, sequence: Sequence): PackedScan {
    const scan = checkedScan(options, this.#host.options.scanBatchRows);
    const { bounds, reverse, limit, movable } = scan;
    const reads = this.#serializable ? this.#reads : undefined;
    if (reads !== undefined) this.#assertRanges();
    const plan = { ...scan, sequence };
    let range = reads?.begin(bounds, reverse);
    let within = bounds;
    return new TrackedScan(this.#host.scan(view, plan), bounds, limit, {
      assertGoing: () => this.#assertGoing(),
      begin: (next) => {
        if (reads === undefined || range === undefined || next === bounds) return;
        reads.end(range);
        this.#assertRanges();
        range = reads.begin(next, reverse);
        within = next;
      },
      onRead: (key) => {
        if (range !== undefined) (reverse ? readDownTo : readUpTo)(range, key, within);
      },
      onEnd: () => {
        if (range !== undefined && !movable) reads?.end(range);
      },
    });
  }

  /**
   * @throws FirnError `Invalid`, code `LSM_TRANSACTION_TOO_LARGE`; `Overloaded`, code
   *   `LSM_TRANSACTIONS_FULL`: all open ones together; `Conflict`, code `LSM_TRANSACTION_TOO_OLD`:
   *   it has been open for longer than it may be; as `Engine.put`.
   */
  put(key: Uint8Array, value: Uint8Array, options: Expiring = {}): void {
    const { expiresAtMs } = options;
    assertKeyBytes(key);
    assertValue(value);
    assertExpiry(expiresAtMs);
    if (expiresAtMs === undefined) this.#add({ op: "put", key, value });
    else this.#add({ op: "put", key, value, expiresAtMs });
  }

  /** @throws as `put`. */
  putMany(rows: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): void {
    for (const { key, value } of rows) this.put(key, value);
  }

  /**
   * Puts a key that has no value; answers false, and writes nothing, where it has one. The answer
   * holds when the transaction commits. @throws as `put`.
   */
  insert(key: Uint8Array, value: Uint8Array, options?: Expiring): Maybe<boolean> {
    if (!this.#hasSavepoint && this.#insertNew(key, value, options)) return true;
    this.#assertGoing();
    const name = keyOfBytes(key);
    const stored = this.#read(name);
    const decide = (found: Uint8Array | undefined): boolean => {
      // The put claims the key, unless it is rolled back.
      if (found !== undefined || this.#hasSavepoint) this.#noteRead(name);
      if (found === undefined) this.put(key, value, options);
      return found === undefined;
    };
    return stored instanceof Promise ? stored.then(decide) : decide(stored);
  }

  /** Most keys that are inserted are nowhere, which memory alone tells. @returns else false. */
  #insertNew(key: Uint8Array, value: Uint8Array, options?: Expiring): boolean {
    this.#host.assertOpen();
    this.#assertRoom(this.#own?.bytes ?? 0);
    assertKeyBytes(key);
    const { a } = hashBytes(key, 0, key.length);
    if (this.#own?.mayHoldHashed(a) === true) return false;
    if (!this.#host.isAbsent(this.#timed(), key)) return false;
    this.put(key, value, options);
    this.#own?.hasPut(a);
    return true;
  }

  /** @throws as `put`. */
  delete(key: Uint8Array): void {
    assertKeyBytes(key);
    this.#add({ op: "delete", key });
  }

  /** As `Engine.merge`: a write, and no read. @throws as that and `put`. */
  merge(key: Uint8Array, operand: Uint8Array, operator: string, options: Expiring = {}): void {
    const { expiresAtMs } = options;
    assertKeyBytes(key);
    assertValue(operand);
    assertExpiry(expiresAtMs);
    const number = this.#host.operators.numberFor(operator, operand);
    const op = { op: "merge", key, operator: number, value: operand } as const;
    this.#add(expiresAtMs === undefined ? op : { ...op, expiresAtMs });
  }

  /** Deletes every key in [from, to), as `Engine.deleteRange` does. @throws as that and `put`. */
  deleteRange(from: Uint8Array, to: Uint8Array): void {
    this.#assertGoing();
    const bounds = deletedBounds(from, to);
    if (bounds.from === bounds.to) return;
    this.#assertRanges();
    const end = bounds.to === END_OF_KEYS ? NO_BYTES : bytesOfKey(bounds.to);
    this.#add({ op: "deleteRange", from: bytesOfKey(bounds.from), to: end });
    this.#deletions++;
  }

  /** What it has written so far, to go back to. */
  savepoint(): Savepoint {
    this.#assertGoing();
    this.#hasSavepoint = true;
    return { transaction: this, mark: this.#own?.mark ?? { count: 0, bytes: 0 } };
  }

  /**
   * Forgets what it wrote after a savepoint, which stays one; later ones are no more. What it has
   * read and locked since stays so. Costs what was written before.
   *
   * @throws FirnError `Invalid`, code `LSM_SAVEPOINT_INVALID`.
   */
  rollbackTo({ transaction, mark }: Savepoint): void {
    this.#assertGoing();
    if (transaction !== this || mark.count > (this.#own?.count ?? 0)) {
      throw invalid("LSM_SAVEPOINT_INVALID", "the savepoint is not one of this transaction");
    }
    this.#own?.rollbackTo(mark);
    this.#lookAt = 0;
    this.#made = undefined;
    this.#tell();
  }

  /**
   * Writes all of it in one step, or nothing. Over either way. A conflict is answered once what it
   * saw is durable: no caller learns of a write that a crash could undo.
   *
   * Where what others wrote since it began was flushed meanwhile, tables are read first.
   *
   * @throws FirnError `Conflict`, codes `LSM_CONFLICT` (begin again; `key` in hexadecimal) and
   *   `LSM_TRANSACTION_TOO_OLD`; what `Engine.write` and `Engine.get` throw.
   */
  async commit(): Promise<Written> {
    this.#assertGoing();
    const own = this.#own;
    this.#committing = true;
    try {
      if (own === undefined || own.count === 0) return this.#readOnly();
      return await this.#write(own);
    } catch (error) {
      if (error instanceof FirnError && error.code === "LSM_CONFLICT") {
        await this.#host.durable(Number(error.context["sequence"]));
      }
      throw error;
    } finally {
      this.#committing = false;
      this.#end();
    }
  }

  /** Forgets it. Nothing happens to one that is over. */
  rollback(): void {
    this.#end();
  }

  /** It read one state and wrote nothing: it happened when it began. */
  #readOnly(): Written {
    const { sequence } = this;
    const { durable } = this.#host;
    return { sequence, durable: async () => await durable(sequence) };
  }

  /** As often as flushes overtake it; each time only what they brought is left to be judged. */
  async #write(own: OwnWrites): Promise<Written> {
    const search = new ConflictSearch(this.#host.written, this.#claims(own), this.sequence);
    const batch = own.batch();
    for (;;) {
      if (search.isBehind) await search.readTables();
      this.#assertYoung();
      try {
        return await this.#host.write(batch, () => {
          this.#assertYoung();
          search.check();
        });
      } catch (error) {
        if (error !== BEHIND) throw error;
      }
    }
  }

  #claims(own: OwnWrites): Claims {
    const reads = this.#reads;
    const ranges = reads.with(this.#deletions > 0 ? own.deletedRanges() : []);
    return {
      *keys() {
        yield* own.keys();
        yield* reads.keys;
      },
      size: own.count + reads.keys.size + ranges.length,
      holds: (source, from, to) => {
        if (own.memtable.holds(source, from, to)) return true;
        if (reads.keys.size === 0 && ranges.length === 0) return false;
        const key = latin1Text(source, from, to);
        return reads.keys.has(key) || isWithin(ranges, key);
      },
      ranges,
    };
  }

  #noteRead(key: Key): void {
    if (this.#serializable && !this.#wrote(key)) this.#addRead(key);
  }

  /** Whether what is stored says nothing of a key: it put or deleted it. */
  #wrote(key: Key): boolean {
    const own = this.#own;
    if (own === undefined || own.count === 0 || !own.mayHold(key)) return false;
    const { memtable } = own;
    const found = memtable.get(key);
    const deletedAt = memtable.ranges?.at(key, own.count) ?? 0;
    if (found === undefined || found.sequence < deletedAt) return deletedAt > 0;
    return plainKind(found.kind) !== MERGE;
  }

  #addRead(key: Key): void {
    this.#assertRoom(this.#own?.bytes ?? 0);
    if (this.#reads.bytes >= this.#lookAtReads) {
      this.#host.assertRoom();
      this.#lookAtReads = this.#reads.bytes + STEP_BYTES;
      this.#tell();
    }
    this.#reads.add(key);
  }

  /** The value of a key: what it has written is put in order only where it may say something. */
  #read(key: Key): Maybe<Uint8Array | undefined> {
    const isOwn = this.#own?.mayHold(key) === true;
    if (!isOwn) return this.#host.get(this.#timed(), key, this.sequence);
    return this.#host.get(this.#view(), key, this.#sequenceWith(this.#written));
  }

  /** What everybody reads, as of its time. */
  #timed(): SharedView {
    const base = this.#host.written.views.current;
    if (this.#base?.of !== base) {
      this.#base = { of: base, view: { ...base, timeMs: this.#snapshot.timeMs } };
    }
    return this.#base.view;
  }

  /** The same below what it has written. */
  #view(): ReadView {
    const base = this.#timed();
    const own = this.#own;
    if (own === undefined || own.count === 0) return base;
    const { count } = own;
    if (this.#made?.base !== base || this.#made.count !== count) {
      this.#made = { base, count, view: viewWithOwn(base, own, this.sequence, count) };
      this.#tell();
    }
    return this.#made.view;
  }

  /** Operations that it has written so far. */
  get #written(): number {
    return this.#own?.count ?? 0;
  }

  /** By which a view with so many operations is read. */
  #sequenceWith(written: number): Sequence {
    return written > 0 ? ownSequence(this.sequence) : this.sequence;
  }

  #add(op: BatchOp): void {
    const bytes = opBytes(op);
    const own = this.#own ?? new OwnWrites();
    this.#assertRoom(own.bytes + bytes);
    own.add(op, bytes);
    this.#own = own;
    if (own.bytes >= this.#lookAt) this.#look(own.bytes);
  }

  /** @param written bytes of its writes that there are to be. */
  #assertRoom(written: number): void {
    if (this.#over || this.#snapshot.closed || written >= this.#lookAt) {
      this.#assertGoing();
      this.#host.assertRoom();
    }
    if (written + this.#reads.bytes <= this.#maxBytes) return;
    const facts = { bytes: this.#maxBytes };
    throw invalid("LSM_TRANSACTION_TOO_LARGE", "too much data in one transaction", facts);
  }

  /** Its age and the room of all are looked at now and then: a look costs as much as a put. */
  #look(written: number): void {
    this.#lookAt = written + STEP_BYTES;
    this.#tell();
  }

  #assertRanges(): void {
    const { transactionRanges } = this.#host.options;
    if (this.#deletions + this.#reads.ranges < transactionRanges) return;
    this.#reads.join();
    this.#deletions = this.#own?.deletedRanges().length ?? 0;
    if (this.#deletions + this.#reads.ranges < transactionRanges) return;
    const facts = { ranges: transactionRanges };
    throw invalid("LSM_TRANSACTION_TOO_LARGE", "too many ranges in one transaction", facts);
  }

  #tell(): void {
    const bytes = (this.#own?.memoryBytes ?? 0) + this.#reads.bytes;
    if (Math.abs(bytes - this.#toldBytes) < STEP_BYTES) return;
    this.#host.onMemory(bytes - this.#toldBytes);
    this.#toldBytes = bytes;
  }

  #assertGoing(): void {
    this.#host.assertOpen();
    if (this.#over) throw invalid("LSM_TRANSACTION_OVER", "the transaction has ended");
    this.#assertYoung();
  }

  #assertYoung(): void {
    if (this.#snapshot.closed || this.expired) throw tooOld(this.sequence, this.#maxAgeMs);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.expire();
  }

  /** Gives up its snapshot and its memory: nothing is kept for one that is never finished. */
  expire(): void {
    this.#snapshot.close();
    this.#host.onEnd(this);
    // Its commit still reads them.
    if (this.#committing) return;
    this.#own?.end();
    this.#own = undefined;
    this.#base = undefined;
    this.#made = undefined;
    this.#host.onMemory(-this.#toldBytes);
    this.#toldBytes = 0;
  }
}

const NO_BYTES = new Uint8Array(0);

/** Whether a key lies in one of ranges that are in order. */
function isWithin(ranges: readonly Bounds[], key: Key): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] as Bounds).from <= key) low = middle + 1;
    else high = middle;
  }
  const before = ranges[low - 1];
  return before !== undefined && (before.to === undefined || key < before.to);
}
