import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { tooOld } from "../errors.ts";
import {
  bytesOfKey,
  END_OF_KEYS,
  type Key,
  keyAfter,
  keyOfBytes,
  MAX_SEQUENCE,
  type Sequence,
} from "../format/entry.ts";
import { type Fragment, joinRanges, RangeMap } from "../format/range-map.ts";
import type { Maybe } from "../maybe.ts";
import type { LsmTuning } from "../options.ts";
import { type Bounds, boundsOf, deletedBounds, type Range } from "../range.ts";
import type { EntrySemantics } from "../read/entry-semantics.ts";
import type { Scan } from "../read/scan.ts";
import {
  assertExpiry,
  assertValue,
  type Prepared,
  prepare,
  type WriteOp,
  type Written,
} from "../write/write-path.ts";
import type { Claims } from "./claims.ts";
import { BEHIND, ConflictSearch, type WrittenPlaces } from "./conflict-search.ts";
import { OverlayScan, type OwnRow } from "./overlay-scan.ts";
import { OwnKey } from "./own-key.ts";
import type { EngineSnapshot } from "./snapshots.ts";

/**
 * `snapshot`: of two transactions that write one key the second fails; a range that is deleted is
 * all keys in it. `serializable`: so does one whose reads, of keys or of ranges, others have
 * written to since it began.
 */
export type Isolation = "snapshot" | "serializable";

export interface TransactionScan extends Range {
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly batchRows?: number;
}

/** As `PutOptions` of the engine. */
interface Expiring {
  readonly expiresAtMs?: number;
}

/** What a transaction needs of its engine. */
export interface TransactionHost {
  readonly clock: Clock;
  readonly semantics: EntrySemantics;
  readonly options: LsmTuning;
  readonly written: WrittenPlaces;
  readonly get: (key: Key, sequence: Sequence) => Maybe<Uint8Array | undefined>;
  /** Of all rows, in one direction, at a sequence. */
  readonly scan: (bounds: Bounds, reverse: boolean, sequence: Sequence) => Scan;
  readonly write: (batch: Prepared, check: () => void) => Maybe<Written>;
  readonly durable: (sequence: Sequence) => Maybe<void>;
  readonly assertOpen: () => void;
  /** It is over, whatever became of it. */
  readonly onEnd: (transaction: Transaction) => void;
}

function expiryOf({ expiresAtMs }: Expiring): Expiring {
  return expiresAtMs === undefined ? {} : { expiresAtMs };
}

/** A key, a deletion or a value: what a transaction holds beside its bytes. */
const ENTRY_BYTES = 64;

/**
 * An optimistic transaction: it reads the state of its beginning and its own writes, and is checked
 * when it commits, in the same synchronous step that writes. Used by one caller at a time.
 */
export class Transaction {
  readonly #host: TransactionHost;
  readonly #snapshot: EngineSnapshot;
  readonly #serializable: boolean;
  readonly #age: Stopwatch;
  /** By key; of those in a range that it deleted, only what it wrote after that. */
  readonly #writes = new Map<Key, OwnKey>();
  #deleted = new RangeMap();
  /** Scans and deletions of ranges. */
  #ranges = 0;
  readonly #readKeys = new Set<Key>();
  readonly #readRanges: { from: Key; to: Key | undefined }[] = [];
  #bytes = 0;
  #over = false;

  constructor(host: TransactionHost, snapshot: EngineSnapshot, isolation: Isolation) {
    this.#host = host;
    this.#snapshot = snapshot;
    this.#serializable = isolation === "serializable";
    this.#age = new Stopwatch(host.clock);
  }

  /** What it reads: everything up to this sequence. */
  get sequence(): Sequence {
    return this.#snapshot.sequence;
  }

  get expired(): boolean {
    return this.#age.elapsedMs() > this.#host.options.transactionMs;
  }

  /** The value of a key, its own writes included. @throws as `put`, of its reads. */
  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    this.#assertGoing();
    const name = keyOfBytes(key);
    const own = this.#writes.get(name);
    if (own?.isWhole === true) return own.over(undefined);
    if (this.#deleted.at(name, MAX_SEQUENCE) > 0) return own?.over(undefined);
    if (this.#serializable && !this.#readKeys.has(name)) {
      this.#grow(name.length + ENTRY_BYTES);
      this.#readKeys.add(name);
    }
    const stored = this.#host.get(name, this.sequence);
    if (own === undefined) return stored;
    return stored instanceof Promise ? stored.then(own.over) : own.over(stored);
  }

  /** Values in the order of the keys, at once where all are in memory. @throws as `get`. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    const values: Maybe<Uint8Array | undefined>[] = [];
    let waits = false;
    for (const key of keys) {
      const value = this.get(key);
      waits ||= value instanceof Promise;
      values.push(value);
    }
    return waits ? Promise.all(values) : (values as (Uint8Array | undefined)[]);
  }

  /** Rows of a range, with what it has written up to this call. */
  scan(options: TransactionScan = {}): Scan {
    this.#assertGoing();
    const bounds = boundsOf(options);
    const reverse = options.reverse ?? false;
    const range = this.#serializable ? this.#readRange(bounds, reverse) : undefined;
    const base = this.#host.scan(bounds, reverse, this.sequence);
    const deleted = this.#deleted.isEmpty ? undefined : RangeMap.of(this.#deletedRanges());
    const { limit = Number.POSITIVE_INFINITY, batchRows } = options;
    return new OverlayScan(base, this.#ownRows(bounds, reverse), {
      reverse,
      limit,
      batchRows: batchRows ?? this.#host.options.scanBatchRows,
      hides: (key) => deleted !== undefined && deleted.at(key, MAX_SEQUENCE) > 0,
      onRead: (key) => {
        this.#assertGoing();
        if (range === undefined) return;
        if (key === undefined) Object.assign(range, bounds);
        else if (reverse) range.from = key;
        else range.to = keyAfter(key);
      },
    });
  }

  /**
   * @throws FirnError `Invalid`, code `LSM_TRANSACTION_TOO_LARGE`; `Conflict`, code
   *   `LSM_TRANSACTION_TOO_OLD`: it has been open for longer than it may be.
   */
  put(key: Uint8Array, value: Uint8Array, options: Expiring = {}): void {
    this.#assertGoing();
    assertValue(value);
    assertExpiry(options.expiresAtMs);
    const copies = { key: Uint8Array.from(key), value: Uint8Array.from(value) };
    this.#own(key, value.length).replace({ op: "put", ...copies, ...expiryOf(options) });
  }

  /** @throws as `put`. */
  putMany(rows: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): void {
    for (const { key, value } of rows) this.put(key, value);
  }

  /** @throws as `put`. */
  delete(key: Uint8Array): void {
    this.#assertGoing();
    this.#own(key, 0).replace({ op: "delete", key: Uint8Array.from(key) });
  }

  /** As `Engine.merge`: a write, and no read. @throws as that and `put`. */
  merge(key: Uint8Array, operand: Uint8Array, operator: string, options: Expiring = {}): void {
    this.#assertGoing();
    assertValue(operand);
    assertExpiry(options.expiresAtMs);
    const number = this.#host.semantics.operators.numberFor(operator, operand);
    const copies = { key: Uint8Array.from(key), value: Uint8Array.from(operand) };
    const expiry = expiryOf(options);
    this.#own(key, operand.length).merge({ op: "merge", ...copies, operator, ...expiry }, number);
  }

  /** Deletes every key in [from, to), as `Engine.deleteRange` does. @throws as that and `put`. */
  deleteRange(from: Uint8Array, to: Uint8Array): void {
    this.#assertGoing();
    const bounds = deletedBounds(from, to);
    if (bounds.from === bounds.to) return;
    this.#addRange(bounds.from.length + (bounds.to === END_OF_KEYS ? 0 : bounds.to.length));
    for (const key of this.#writes.keys()) {
      if (key >= bounds.from && key < bounds.to) this.#writes.delete(key);
    }
    // Only whether something covers a key matters, so any numbers that ascend will do.
    this.#deleted.add(bounds.from, bounds.to, this.#ranges);
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
    const host = this.#host;
    try {
      if (this.#writes.size === 0 && this.#deleted.isEmpty) return this.#readOnly();
      return await this.#write(prepare(this.#ops(), host.semantics.operators));
    } catch (error) {
      if (error instanceof FirnError && error.code === "LSM_CONFLICT") {
        await host.durable(Number(error.context["sequence"]));
      }
      throw error;
    } finally {
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
  async #write(batch: Prepared): Promise<Written> {
    const search = new ConflictSearch(this.#host.written, this.#claims(), this.sequence);
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

  #claims(): Claims {
    const [writes, reads] = [this.#writes, this.#readKeys];
    return {
      *keys() {
        yield* writes.keys();
        yield* reads;
      },
      ranges: joined([...this.#deletedRanges(), ...this.#readRanges]),
    };
  }

  /** Grows as rows are read, from nothing. */
  #readRange({ from, to }: Bounds, reverse: boolean): { from: Key; to: Key | undefined } {
    const range = reverse ? { from: to ?? END_OF_KEYS, to } : { from, to: from };
    this.#addRange(from.length + (to?.length ?? 0));
    this.#readRanges.push(range);
    return range;
  }

  #ownRows({ from, to }: Bounds, reverse: boolean): readonly OwnRow[] {
    const rows = [...this.#writes]
      .filter(([key]) => key >= from && (to === undefined || key < to))
      .sort(([a], [b]) => (a < b === reverse ? 1 : -1))
      .map(([key, own]) => ({ key, over: own.frozen() }));
    return rows;
  }

  /** Ranges first: what was written to their keys before is forgotten. */
  #ops(): readonly WriteOp[] {
    const deletions = this.#deletedRanges().map(({ from, to }): WriteOp => {
      const end = to === END_OF_KEYS ? new Uint8Array(0) : bytesOfKey(to);
      return { op: "deleteRange", from: bytesOfKey(from), to: end };
    });
    return [...deletions, ...[...this.#writes.values()].flatMap((own) => own.ops)];
  }

  /** In order, without two that meet. */
  #deletedRanges(): readonly Fragment[] {
    return joinRanges([this.#deleted.fragments()], () => [1]);
  }

  #addRange(bytes: number): void {
    const { transactionRanges } = this.#host.options;
    if (this.#ranges === transactionRanges) {
      const facts = { ranges: transactionRanges };
      throw invalid("LSM_TRANSACTION_TOO_LARGE", "too many ranges in one transaction", facts);
    }
    this.#grow(bytes + ENTRY_BYTES);
    this.#ranges++;
  }

  /** What it has written to a key, to be added to. */
  #own(bytes: Uint8Array, more: number): OwnKey {
    const key = keyOfBytes(bytes);
    this.#grow(key.length + more + ENTRY_BYTES);
    const own = this.#writes.get(key) ?? new OwnKey(this.#host.semantics);
    this.#writes.set(key, own);
    return own;
  }

  #grow(bytes: number): void {
    const { transactionBytes } = this.#host.options;
    if (this.#bytes + bytes > transactionBytes) {
      const facts = { bytes: transactionBytes };
      throw invalid("LSM_TRANSACTION_TOO_LARGE", "too much data in one transaction", facts);
    }
    this.#bytes += bytes;
  }

  #assertGoing(): void {
    this.#host.assertOpen();
    if (this.#over) throw invalid("LSM_TRANSACTION_OVER", "the transaction has ended");
    this.#assertYoung();
  }

  #assertYoung(): void {
    const { transactionMs } = this.#host.options;
    if (this.#snapshot.closed || this.expired) throw tooOld(this.sequence, transactionMs);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#snapshot.close();
    this.#host.onEnd(this);
  }

  /** Gives up its snapshot, so that nothing is kept for a transaction that never ends. */
  expire(): void {
    this.#snapshot.close();
    this.#host.onEnd(this);
  }
}

/** Ranges in order, those that meet as one. */
function joined(ranges: readonly Bounds[]): readonly Bounds[] {
  const all: { from: Key; to: Key | undefined }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (to !== undefined && to <= from) continue;
    const last = all.at(-1);
    if (last === undefined || (last.to !== undefined && last.to < from)) all.push({ from, to });
    else if (last.to !== undefined && (to === undefined || to > last.to)) last.to = to;
  }
  return all;
}
