import type { Cursor, EntryBytes } from "../format/cursor.ts";
import {
  bytesOfKey,
  DELETE,
  EXPIRES,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
} from "../format/entry.ts";
import { LastKey } from "../format/last-key.ts";
import type { RangeMap } from "../format/range-map.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { Operand, Operators } from "./operators.ts";

/** What decides which versions a reader can still read. */
export interface Retention {
  /** States that are read, ascending, each once. */
  readonly snapshots: readonly Sequence[];
  /** Nothing older than what is asked about lies anywhere below. */
  readonly dropTombstones: boolean;
  /** The range tombstones over what is asked about. */
  readonly ranges: RangeMap | undefined;
  readonly operators: Operators;
  /** What has expired by then has done so for every later reader. */
  readonly nowMs: number;
}

/**
 * Lets through the versions that a reader can still read: of each key the newest one, and for each
 * registered snapshot the newest that it sees. Told of them entry by entry, in the engine's order.
 *
 * Operands that no snapshot tells apart become one, or with what lies below them a put. An expired
 * put becomes a deletion, which goes on hiding what is older until that goes.
 *
 * Snapshots that are opened later see all that is kept: they lie at or above everything a flush or
 * a compaction reads.
 */
export class VersionFilter {
  readonly #retention: Retention;
  readonly #write: (entry: EntryBytes) => void;
  /** Of the version that was seen last, of whatever became of it. */
  readonly #last: LastKey = new LastKey();
  /** Snapshots below the version of this key that hides what has as many; -1: none does so yet. */
  #stripe = -1;
  /** Operands of one key that no snapshot tells apart, newest first. */
  #operands: Pending[] = [];
  #operandsKey: Key = "";
  #operandsStripe = -1;

  constructor(retention: Retention, write: (entry: EntryBytes) => void) {
    this.#retention = retention;
    this.#write = write;
  }

  /** The version that a cursor stands on. */
  take(cursor: Cursor): void {
    const { sequence, kind, entry } = cursor;
    const { snapshots, ranges } = this.#retention;
    const stripe = stripeOf(snapshots, sequence);
    const isSameKey = this.#sees(entry);
    if (this.#operands.length > 0 && (!isSameKey || stripe !== this.#operandsStripe)) {
      this.#endOperands(isSameKey);
    }
    if (!isSameKey) this.#stripe = -1;
    if (stripe === this.#stripe) return;
    if (ranges !== undefined && this.#isDeleted(ranges, cursor.key, sequence, stripe)) {
      if (this.#operands.length > 0) this.#endOperandsOver(undefined);
      return;
    }
    if (kind <= PUT && this.#operands.length === 0) {
      if (this.#decide(stripe, kind)) this.#write(entry);
    } else this.#takeOther(cursor, stripe);
  }

  /** Whether an entry is of the same key as the one that was taken last. */
  isSameKey({ keySource, keyStart, keyEnd }: EntryBytes): boolean {
    const { length } = this.#last;
    if (length !== keyEnd - keyStart) return false;
    return this.#last.shared(keySource, keyStart, keyEnd) === length;
  }

  /** The key that was taken last. */
  get lastKey(): Key {
    return this.#last.text;
  }

  /** As `isSameKey`; from then on it is the one that was taken last. */
  #sees({ keySource, keyStart, keyEnd }: EntryBytes): boolean {
    const length = keyEnd - keyStart;
    const shared = this.#last.shared(keySource, keyStart, keyEnd);
    if (shared === length && shared === this.#last.length) return true;
    this.#last.keep(keySource, keyStart, keyEnd, shared);
    return false;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#operands.length > 0) this.#endOperands(false);
  }

  #takeOther(cursor: Cursor, stripe: number): void {
    const { kind, expiresAtMs } = cursor;
    const isOver = (kind & EXPIRES) !== 0 && expiresAtMs <= this.#retention.nowMs;
    if (plainKind(kind) === MERGE) {
      // Above a snapshot it still tells a transaction that the key was written.
      if (isOver && stripe === 0) return;
      this.#operandsKey = cursor.key;
      this.#operandsStripe = stripe;
      this.#operands.push(pendingOf(cursor));
      return;
    }
    const version = isOver ? deletionOf(cursor) : cursor.entry;
    if (this.#operands.length > 0) this.#endOperandsOver(version);
    else if (this.#decide(stripe, version.kind)) this.#write(version);
  }

  /** A put or deletion that no newer one in its stripe hides; hides what is older in it. */
  #decide(stripe: number, kind: Kind): boolean {
    this.#stripe = stripe;
    // A tombstone above a snapshot still hides what that snapshot sees.
    return !(this.#retention.dropTombstones && kind === DELETE && stripe === 0);
  }

  /** By a tombstone that no snapshot sees without it. */
  #isDeleted(ranges: RangeMap, key: Key, sequence: Sequence, stripe: number): boolean {
    return ranges.at(key, this.#retention.snapshots[stripe] ?? MAX_SEQUENCE) > sequence;
  }

  /** No version came that says what they are based on. */
  #endOperands(goesOn: boolean): void {
    const isAll = !goesOn && this.#retention.dropTombstones;
    if (isAll || this.#isCut()) this.#endOperandsOver(undefined);
    else this.#writeOperands(this.#operands.splice(0));
  }

  /** Whether a range tombstone lies directly below them, from which no snapshot parts them. */
  #isCut(): boolean {
    const { ranges, snapshots } = this.#retention;
    const oldest = this.#operands.at(-1);
    if (ranges === undefined || oldest === undefined) return false;
    const deletedAt = ranges.at(this.#operandsKey, oldest.sequence);
    return deletedAt > 0 && stripeOf(snapshots, deletedAt) === this.#operandsStripe;
  }

  /** Folds them over a version, or over nothing; what is older in their stripe is hidden. */
  #endOperandsOver(base: EntryBytes | undefined): void {
    this.#stripe = this.#operandsStripe;
    const left = this.#operands.splice(0);
    // What expires later is not a base: without it the operands are based on nothing.
    let folded = base === undefined || base.kind <= PUT ? putValue(base) : undefined;
    let put: Pending | undefined;
    const mayFold = base === undefined || base.kind <= PUT;
    while (mayFold && left.at(-1)?.kind === MERGE) {
      const step = this.#foldOldest(folded, runOf(left));
      if (step === undefined) break;
      folded = step.value;
      put = step;
      left.length -= step.count;
    }
    this.#writeOperands(left);
    const { dropTombstones } = this.#retention;
    const isGone = base?.kind === DELETE && dropTombstones && this.#stripe === 0;
    if (put !== undefined) this.#write(bytesOf(this.#operandsKey, put));
    else if (base !== undefined && !isGone) this.#write(base);
  }

  /**
   * Folds as many as fit a value of the oldest operands, all of one operator, over what they are
   * based on. Undefined: not one of them.
   */
  #foldOldest(
    base: Uint8Array | undefined,
    run: readonly Pending[],
  ): (Pending & { readonly count: number }) | undefined {
    const { operators } = this.#retention;
    for (let count = run.length; count > 0; count >>= 1) {
      const some = run.slice(run.length - count);
      const newest = some[0] as Pending;
      const value = operators.apply(base, newest.operator, valuesOf(some));
      if (value === undefined) return undefined;
      if (fits(value)) return { ...newest, kind: PUT, value, count };
    }
    return undefined;
  }

  /** Neighbours of one operator, of which none expires, become one. */
  #writeOperands(operands: readonly Pending[]): void {
    let end = 0;
    for (let start = 0; start < operands.length; start = end) {
      const first = operands[start] as Pending;
      end = start + 1;
      while (first.kind === MERGE && isLike(operands[end], first)) end++;
      for (const operand of this.#combine(operands.slice(start, end))) {
        this.#write(bytesOf(this.#operandsKey, operand));
      }
    }
  }

  /** A run of one operator as one operand; as several, where that is too large for a value. */
  #combine(run: readonly Pending[]): Pending[] {
    const [newest] = run;
    if (newest === undefined || run.length === 1) return [...run];
    const { value } = this.#retention.operators.combine(newest.operator, valuesOf(run));
    if (fits(value)) return [{ ...newest, value }];
    const middle = run.length >> 1;
    return [...this.#combine(run.slice(0, middle)), ...this.#combine(run.slice(middle))];
  }
}

/** A version that waits for those below it: its value is its own. */
interface Pending extends Operand {
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly expiresAtMs: number;
}

/** The oldest of operands, newest first, as far as they are of one operator and none expires. */
function runOf(operands: readonly Pending[]): readonly Pending[] {
  const oldest = operands.at(-1);
  return operands.slice(operands.findLastIndex((operand) => !isLike(operand, oldest)) + 1);
}

function isLike(operand: Pending | undefined, other: Pending | undefined): boolean {
  return operand?.kind === MERGE && operand.operator === other?.operator;
}

/** The oldest first. */
function valuesOf(operands: readonly Pending[]): readonly Uint8Array[] {
  return operands.map(({ value }) => value).reverse();
}

function pendingOf(cursor: Cursor): Pending {
  const { sequence, kind, operator, expiresAtMs } = cursor;
  return { sequence, kind, operator, expiresAtMs, value: new Uint8Array(cursor.value()) };
}

function bytesOf(key: Key, { value, sequence, kind, operator, expiresAtMs }: Pending): EntryBytes {
  const keyBytes = { keySource: bytesOfKey(key), keyStart: 0, keyEnd: key.length };
  const valueBytes = { valueSource: value, valueStart: 0, valueEnd: value.length };
  return { ...keyBytes, sequence, kind, operator, expiresAtMs, ...valueBytes };
}

function deletionOf({ entry }: Cursor): EntryBytes {
  const { keySource, keyStart, keyEnd, sequence, valueSource, valueStart } = entry;
  const keyBytes = { keySource, keyStart, keyEnd };
  const nothing = { valueSource, valueStart, valueEnd: valueStart };
  return { ...keyBytes, sequence, kind: DELETE, operator: 0, expiresAtMs: 0, ...nothing };
}

function putValue(entry: EntryBytes | undefined): Uint8Array | undefined {
  if (entry?.kind !== PUT) return undefined;
  return entry.valueSource.subarray(entry.valueStart, entry.valueEnd);
}

function fits(value: Uint8Array): boolean {
  return value.length <= LSM_LIMITS.valueBytes;
}

/**
 * Snapshots, ascending, below a sequence. No snapshot sees one without the other of two sequences
 * that have as many.
 */
export function stripeOf(snapshots: readonly Sequence[], sequence: Sequence): number {
  let count = 0;
  while (count < snapshots.length && (snapshots[count] as number) < sequence) count++;
  return count;
}

/**
 * Of range tombstones over one stretch of keys, newest first, those that a reader can still read.
 *
 * @param dropTombstones nothing older lies anywhere below: what no snapshot precedes goes, too.
 */
export function keptRanges(
  sequences: readonly Sequence[],
  snapshots: readonly Sequence[],
  dropTombstones: boolean,
): readonly Sequence[] {
  let above = -1;
  return sequences.filter((sequence) => {
    const stripe = stripeOf(snapshots, sequence);
    const isHidden = stripe === above;
    above = stripe;
    return !isHidden && !(dropTombstones && stripe === 0);
  });
}
