import { bytesEqual } from "../base/bytes.ts";
import type {
  Engine,
  Maybe,
  PackedScan,
  Row,
  Savepoint,
  Sequence,
  StateView,
  Transaction,
  TransactionOptions,
  Written,
} from "../lsm/index.ts";
import { isTemporaryKey } from "./temporary/marks.ts";
import type { TemporaryShard } from "./temporary/shard.ts";
import type { Tree } from "./temporary/tree.ts";
import { readsOf, type TemporaryView } from "./temporary/view.ts";
import type { PackedView, ViewReads, ViewScan } from "./view-scan.ts";

/** What a view needs of a transaction of the engine. */
export type EngineTransaction = Pick<
  Transaction,
  | "sequence"
  | "get"
  | "getMany"
  | "scan"
  | "asOfNow"
  | "lockForUpdate"
  | "getToPut"
  | "touch"
  | "put"
  | "delete"
  | "deleteRange"
  | "savepoint"
  | "rollbackTo"
  | "commit"
  | "rollback"
>;

/** What a view needs of an engine, or of one of its states. */
export type ViewedEngine = Pick<Engine, "get" | "scan" | "estimate" | "lastSequence"> & {
  transaction(options: TransactionOptions): EngineTransaction;
  readView(options: { readonly sequence: Sequence }): Pick<StateView, "scan" | "close">;
};

export type RowIsolation = "serializable" | "repeatable read" | "read committed";

type Op =
  | { readonly kind: "put"; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: "delete"; readonly key: Uint8Array }
  | { readonly kind: "deleteRange"; readonly from: Uint8Array; readonly to: Uint8Array }
  /** Read for its presence: others must not have changed it at the commit. */
  | { readonly kind: "touch"; readonly key: Uint8Array };

export interface ViewSavepoint {
  readonly count: number;
  readonly writes: number;
  readonly engine: Savepoint;
  /** Undefined where nothing temporary was touched by then. */
  readonly temporary: Tree | undefined;
}

/** What scans need of a view. */
export type ScanReads = ViewReads & Pick<EngineView, "estimate">;

/** What a statement reads all the time. */
interface HeldState {
  readonly transaction: EngineTransaction;
  readonly reads: ViewReads;
  readonly temporary: ViewReads | undefined;
}

export interface ViewOptions {
  readonly maxAgeMs?: number | undefined;
  readonly temporary?: TemporaryShard | undefined;
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}

/** Reads of a state of a shard, and of the temporary tables that go with it. */
function readsAt(reads: ViewReads, temporary: ViewReads | undefined): ViewReads {
  const at = (key: Uint8Array | undefined): ViewReads =>
    key !== undefined && isTemporaryKey(key) && temporary !== undefined ? temporary : reads;
  return {
    get: (key) => at(key).get(key),
    getMany: (keys) => at(keys[0]).getMany(keys),
    scan: (request) => at(request.from).scan(request),
  };
}

async function* each(scan: PackedScan): AsyncGenerator<Row, undefined> {
  for await (const rows of scan) yield* rows;
  return undefined;
}

/**
 * A transaction of the engine that can be renewed: begun again at a newer state, with what it has
 * written. READ COMMITTED renews it for each statement; each level does after a wait for a lock, if
 * it has shown nothing yet.
 *
 * Keys of temporary tables are read and written in the session's memory, where no other transaction
 * is: nothing of them is begun again.
 */
export class EngineView {
  readonly #engine: ViewedEngine;
  readonly #isolation: RowIsolation;
  readonly #maxAgeMs: number | undefined;
  readonly #shard: TemporaryShard | undefined;
  #transaction: EngineTransaction;
  /** Begun with the first temporary key. */
  #temporary: TemporaryView | undefined;
  /** What it wrote, of a level that may renew it behind its writes. */
  #log: Op[] = [];
  #writes = 0;
  /** Taken back or not. */
  #hasWritten = false;
  /** Of the other levels: how the engine's transaction was when it was begun again. */
  #renewed: Savepoint | undefined;
  #hasRead = false;
  #hasSavepoint = false;
  #held: HeldState | undefined;

  constructor(engine: ViewedEngine, isolation: RowIsolation, options: ViewOptions = {}) {
    this.#engine = engine;
    this.#isolation = isolation;
    this.#maxAgeMs = options.maxAgeMs;
    this.#shard = options.temporary;
    this.#transaction = this.#begin();
  }

  get sequence(): number {
    return this.#transaction.sequence;
  }

  get isReadCommitted(): boolean {
    return this.#isolation === "read committed";
  }

  /** Operations that it would write. */
  get writes(): number {
    return this.#writes;
  }

  /** Nothing that it read has been shown, and nothing was written: it may begin again. */
  get isFresh(): boolean {
    return !this.#hasRead && !this.#hasWritten;
  }

  /** From now on what it read is known outside. */
  show(): void {
    this.#hasRead = true;
  }

  /** What it read is forgotten: it may begin again. */
  forget(): void {
    this.#hasRead = false;
  }

  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    return (this.#temporaryOf(key) ?? this.#transaction).get(key);
  }

  /** Of one table or index. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    const temporary = keys[0] && this.#temporaryOf(keys[0]);
    if (temporary !== undefined) return keys.map((key) => temporary.get(key));
    return this.#transaction.getMany(keys);
  }

  /** Reads of what is seen now, whatever is written later. Not to be used behind a renewal. */
  asOfNow(): ViewReads {
    return readsAt(this.#transaction.asOfNow(), this.#temporaryNow());
  }

  #temporaryNow(): ViewReads | undefined {
    return this.#temporary?.asOfNow() ?? (this.#shard && readsOf(this.#shard.committed));
  }

  /** The newest value of a key, whatever this reads: to see whether it was overtaken. */
  newest(key: Uint8Array): Maybe<Uint8Array | undefined> {
    return (this.#temporaryOf(key) ?? this.#engine).get(key);
  }

  /** Whether anything at all was written since it began. */
  get isOvertaken(): boolean {
    return this.#engine.lastSequence > this.#transaction.sequence;
  }

  /** Whether the rows of a range are still those that it began with, its own writes apart. */
  async isNewest({ from, to }: Pick<ViewScan, "from" | "to">): Promise<boolean> {
    if (isTemporaryKey(from)) return true;
    const range = to === undefined ? { from } : { from, to };
    const begun = this.#engine.readView({ sequence: this.sequence });
    const before = begun.scan(range);
    const now = this.#engine.scan(range);
    const [theirs, ours] = [each(now), each(before)];
    try {
      for (;;) {
        const [a, b] = [(await ours.next()).value, (await theirs.next()).value];
        if (a === undefined || b === undefined) return a === b;
        if (!bytesEqual(a.key, b.key) || !bytesEqual(a.value, b.value)) return false;
      }
    } finally {
      before.close();
      now.close();
      begun.close();
    }
  }

  /**
   * From now on `reads` is of what is seen now: not of what is written later, nor of what others
   * have written where READ COMMITTED begins again.
   */
  hold(): void {
    this.letGo();
    const temporary = this.#temporaryNow();
    const transaction = this.#transaction;
    this.#held = { transaction, reads: transaction.asOfNow(), temporary };
  }

  letGo(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && held.transaction !== this.#transaction) held.transaction.rollback();
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Reads of the state that is held; where none is, of what is seen. */
  get reads(): ScanReads {
    const held = this.#held;
    if (held === undefined) return this;
    const { reads, temporary } = held;
    return { ...readsAt(reads, temporary), estimate: (range) => this.estimate(range) };
  }

  scan(request: ViewScan): PackedView {
    return (this.#temporaryOf(request.from) ?? this.#transaction).scan(request);
  }

  async values(from: Uint8Array, to: Uint8Array): Promise<readonly Uint8Array[]> {
    const values: Uint8Array[] = [];
    for await (const rows of this.scan({ from, to })) {
      for (const { value } of rows) values.push(value);
    }
    return values;
  }

  /** How much a range holds, about. */
  async estimate(range: Pick<ViewScan, "from" | "to">): Promise<{
    readonly entries: number;
    readonly bytes: number;
  }> {
    const temporary = this.#temporaryOf(range.from);
    if (temporary !== undefined) return temporary.estimate(range.from, range.to);
    return await this.#engine.estimate(range);
  }

  /** Reads a key that others must not change before this commits. */
  getLocked(key: Uint8Array): Maybe<Uint8Array | undefined> {
    const temporary = this.#temporaryOf(key);
    if (temporary !== undefined) return temporary.get(key);
    this.#keep({ kind: "touch", key });
    return this.#transaction.lockForUpdate(key);
  }

  /** As `getLocked`, of a key that is put next, or else touched. */
  getToPut(key: Uint8Array): Maybe<Uint8Array | undefined> {
    // What is put behind a savepoint may be taken back, and has been read all the same.
    const isRead = this.#hasSavepoint || isTemporaryKey(key);
    return isRead ? this.getLocked(key) : this.#transaction.getToPut(key);
  }

  touch(key: Uint8Array): void {
    if (isTemporaryKey(key)) return;
    this.#keep({ kind: "touch", key });
    this.#transaction.touch(key);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const temporary = this.#writing(key);
    if (temporary !== undefined) {
      temporary.put(key, value);
      return;
    }
    this.#transaction.put(key, value);
    this.#wrote();
    this.#keep({ kind: "put", key, value });
  }

  delete(key: Uint8Array): void {
    const temporary = this.#writing(key);
    if (temporary !== undefined) {
      temporary.delete(key);
      return;
    }
    this.#transaction.delete(key);
    this.#wrote();
    this.#keep({ kind: "delete", key });
  }

  deleteRange(from: Uint8Array, to: Uint8Array): void {
    const temporary = this.#writing(from);
    if (temporary !== undefined) {
      temporary.deleteRange(from, to);
      return;
    }
    this.#transaction.deleteRange(from, to);
    this.#wrote();
    this.#keep({ kind: "deleteRange", from, to });
  }

  #wrote(): void {
    this.#writes++;
    this.#hasWritten = true;
  }

  savepoint(): ViewSavepoint {
    const engine = this.#transaction.savepoint();
    this.#hasSavepoint = true;
    const temporary = this.#temporary?.savepoint();
    return { count: this.#log.length, writes: this.#writes, engine, temporary };
  }

  rollbackTo({ count, writes, engine, temporary }: ViewSavepoint): void {
    this.letGo();
    this.#temporary?.rollbackTo(temporary);
    this.#writes = writes;
    if (this.isReadCommitted) {
      // What it read and locked meanwhile stays so.
      const later = this.#log.slice(count).filter(({ kind }) => kind === "touch");
      this.#log = [...this.#log.slice(0, count), ...later];
      this.#replay();
      return;
    }
    // One of before it was renewed: it had written nothing by then.
    const isOlder = engine.transaction !== this.#transaction;
    this.#transaction.rollbackTo(isOlder ? (this.#renewed ?? engine) : engine);
  }

  /** What it has written is taken back, for `renew` to begin without it. */
  forgetWrites(): void {
    this.#log = this.#log.filter(({ kind }) => kind === "touch");
    this.#writes = 0;
    this.#hasWritten = false;
    this.#hasRead = false;
  }

  /** Begins again at the newest state. Only where `isFresh` or READ COMMITTED. */
  renew(): void {
    this.#replay();
    if (this.isReadCommitted) return;
    this.#renewed = this.#transaction.savepoint();
    // Nothing of the state before has been shown.
    if (this.#held !== undefined) this.hold();
  }

  /** What is temporary follows the rest, and cannot fail. */
  async commit(): Promise<Written> {
    this.letGo();
    try {
      const written = await this.#transaction.commit();
      this.#temporary?.commit();
      return written;
    } catch (error) {
      // It lets go of its memory; one that is tried again takes it back.
      this.#temporary?.rollback();
      throw error;
    }
  }

  rollback(): void {
    this.letGo();
    this.#temporary?.rollback();
    this.#transaction.rollback();
  }

  /** Undefined for a key of the shard. */
  #temporaryOf(key: Uint8Array): TemporaryView | undefined {
    if (!isTemporaryKey(key)) return undefined;
    this.#temporary ??= this.#shard?.view();
    return this.#temporary;
  }

  /** As `#temporaryOf`, for a write: the transaction cannot begin again behind it. */
  #writing(key: Uint8Array): TemporaryView | undefined {
    const temporary = this.#temporaryOf(key);
    if (temporary !== undefined) this.#hasWritten = true;
    return temporary;
  }

  #begin(): EngineTransaction {
    const isolation = this.#isolation === "serializable" ? "serializable" : "snapshot";
    const maxAgeMs = this.#maxAgeMs;
    return this.#engine.transaction({ isolation, ...(maxAgeMs !== undefined && { maxAgeMs }) });
  }

  #replay(): void {
    const next = this.#begin();
    if (this.#held?.transaction !== this.#transaction) this.#transaction.rollback();
    this.#transaction = next;
    for (const op of this.#log) {
      if (op.kind === "put") next.put(op.key, op.value);
      else if (op.kind === "delete") next.delete(op.key);
      else if (op.kind === "deleteRange") next.deleteRange(op.from, op.to);
      else next.touch(op.key);
    }
  }

  /** Of the other levels only touches are kept: they are renewed before they write, if at all. */
  #keep(op: Op): void {
    if (this.isReadCommitted || op.kind === "touch") this.#log.push(op);
  }
}
