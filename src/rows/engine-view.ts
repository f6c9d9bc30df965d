import { bytesEqual } from "../base/bytes.ts";
import type {
  Engine,
  Maybe,
  PackedScan,
  Row,
  Savepoint,
  Transaction,
  Written,
} from "../lsm/index.ts";

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
}

export interface ViewScan {
  readonly from: Uint8Array;
  readonly to?: Uint8Array;
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly batchRows?: number;
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}

async function* each(scan: PackedScan): AsyncGenerator<Row, undefined> {
  for await (const rows of scan) yield* rows;
  return undefined;
}

/**
 * A transaction of the engine that can be renewed: begun again at a newer state, with what it has
 * written. READ COMMITTED renews it for each statement; each level does after a wait for a lock, if
 * it has shown nothing yet.
 */
export class EngineView {
  readonly #engine: Engine;
  readonly #isolation: RowIsolation;
  readonly #maxAgeMs: number | undefined;
  #transaction: Transaction;
  /** What it wrote, of a level that may renew it behind its writes. */
  #log: Op[] = [];
  #writes = 0;
  /** Taken back or not. */
  #hasWritten = false;
  /** Of the other levels: how the engine's transaction was when it was begun again. */
  #renewed: Savepoint | undefined;
  #hasRead = false;
  #hasSavepoint = false;

  constructor(engine: Engine, isolation: RowIsolation, maxAgeMs?: number) {
    this.#engine = engine;
    this.#isolation = isolation;
    this.#maxAgeMs = maxAgeMs;
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
    return this.#transaction.get(key);
  }

  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    return this.#transaction.getMany(keys);
  }

  /** The newest value of a key, whatever this reads: to see whether it was overtaken. */
  newest(key: Uint8Array): Maybe<Uint8Array | undefined> {
    return this.#engine.get(key);
  }

  /** Whether anything at all was written since it began. */
  get isOvertaken(): boolean {
    return this.#engine.lastSequence > this.#transaction.sequence;
  }

  /** Whether the rows of a range are still those that it began with, its own writes apart. */
  async isNewest({ from, to }: Pick<ViewScan, "from" | "to">): Promise<boolean> {
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

  scan(request: ViewScan): PackedScan {
    return this.#transaction.scan(request);
  }

  /** Reads a key that others must not change before this commits. */
  getLocked(key: Uint8Array): Maybe<Uint8Array | undefined> {
    this.#keep({ kind: "touch", key });
    return this.#transaction.lockForUpdate(key);
  }

  /** As `getLocked`, of a key that is put next, or else touched. */
  getToPut(key: Uint8Array): Maybe<Uint8Array | undefined> {
    // What is put behind a savepoint may be taken back, and has been read all the same.
    return this.#hasSavepoint ? this.getLocked(key) : this.#transaction.getToPut(key);
  }

  touch(key: Uint8Array): void {
    this.#keep({ kind: "touch", key });
    this.#transaction.touch(key);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#transaction.put(key, value);
    this.#wrote();
    this.#keep({ kind: "put", key, value });
  }

  delete(key: Uint8Array): void {
    this.#transaction.delete(key);
    this.#wrote();
    this.#keep({ kind: "delete", key });
  }

  deleteRange(from: Uint8Array, to: Uint8Array): void {
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
    return { count: this.#log.length, writes: this.#writes, engine };
  }

  rollbackTo({ count, writes, engine }: ViewSavepoint): void {
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

  /** Begins again at the newest state. Only where `isFresh` or READ COMMITTED. */
  renew(): void {
    this.#replay();
    if (!this.isReadCommitted) this.#renewed = this.#transaction.savepoint();
  }

  commit(): Promise<Written> {
    return this.#transaction.commit();
  }

  rollback(): void {
    this.#transaction.rollback();
  }

  #begin(): Transaction {
    const isolation = this.#isolation === "serializable" ? "serializable" : "snapshot";
    const maxAgeMs = this.#maxAgeMs;
    return this.#engine.transaction({ isolation, ...(maxAgeMs !== undefined && { maxAgeMs }) });
  }

  #replay(): void {
    const next = this.#begin();
    this.#transaction.rollback();
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
