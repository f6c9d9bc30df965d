import { assert } from "../../base/assert.ts";
import { ENTRY, type Step } from "../format/cursor.ts";
import { END_OF_KEYS, latin1Text, MAX_SEQUENCE, type Sequence } from "../format/entry.ts";
import type { Memtable } from "../memtable/memtable.ts";
import type { Bounds } from "../range.ts";
import type { ReadViews } from "../read/read-view.ts";
import type { Claims, Clash } from "./claims.ts";

/**
 * What was written of late, for telling conflicts without a request: memtables hold every write
 * with its sequence, so those that are in use need no copy, and those that were flushed are kept as
 * long as a transaction is open that is older, within a bound. What is older lies in tables.
 */
export class RecentWrites {
  readonly #views: ReadViews;
  readonly #maxBytes: number;
  readonly #onBytes: (bytes: number) => void;
  /** Newest first. */
  #flushed: readonly Memtable[] = [];
  #floor: Sequence;

  /**
   * @param floor everything up to it lies in tables.
   * @param onBytes told whenever there is more or less of it.
   */
  constructor(
    views: ReadViews,
    maxBytes: number,
    floor: Sequence,
    onBytes: (bytes: number) => void,
  ) {
    this.#views = views;
    this.#maxBytes = maxBytes;
    this.#onBytes = onBytes;
    this.#floor = floor;
  }

  /** Above it every write is in memory; up to it, in tables. */
  get floor(): Sequence {
    return this.#floor;
  }

  get bytes(): number {
    return this.#flushed.reduce((sum, memtable) => sum + memtable.memoryBytes, 0);
  }

  /** Takes over a flushed memtable. `oldest`: where the oldest transaction began, if any. */
  add(memtable: Memtable, oldest: Sequence | undefined): void {
    const [newest] = this.#flushed;
    assert(memtable.frozen, "what is judged by takes no write");
    const isNewer = newest === undefined || memtable.minSequence > newest.maxSequence;
    assert(isNewer, "memtables are kept in their order, so that the first found is the newest");
    memtable.hold();
    this.#flushed = [memtable, ...this.#flushed];
    this.trim(oldest);
  }

  /** Drops what no open transaction can conflict with, and what exceeds the bound. */
  trim(oldest: Sequence | undefined): void {
    let { bytes } = this;
    while (this.#flushed.length > 0) {
      const last = this.#flushed.at(-1) as Memtable;
      const needed = oldest !== undefined && last.maxSequence > oldest;
      if (needed && bytes <= this.#maxBytes) break;
      bytes -= last.memoryBytes;
      this.#drop(last);
    }
    assert(bytes >= 0, "what goes was counted among what is kept");
    this.#onBytes(bytes);
  }

  /** Drops the oldest, needed or not: transactions that began before it are judged by tables. */
  forget(): void {
    const last = this.#flushed.at(-1);
    if (last !== undefined) this.#drop(last);
    this.#onBytes(this.bytes);
  }

  /** Tables hold writes up to a sequence that no memtable ever held: only they tell of them. */
  raise(sequence: Sequence): void {
    while (this.#flushed.length > 0) this.#drop(this.#flushed.at(-1) as Memtable);
    this.#floor = Math.max(this.#floor, sequence);
    this.#onBytes(0);
  }

  #drop(last: Memtable): void {
    this.#floor = Math.max(this.#floor, last.maxSequence);
    this.#flushed = this.#flushed.slice(0, -1);
    last.letGo();
  }

  /**
   * A write after a sequence to what is claimed, if there is one. Costs a look-up for each write
   * since, or for all that is claimed, whichever are fewer.
   */
  after(claims: Claims, sequence: Sequence): Clash | undefined {
    const memtables = this.#newerThan(sequence);
    const [newest] = memtables;
    if (newest === undefined) return undefined;
    const isPlain = memtables.every(({ ranges }) => ranges === undefined);
    const isShort = newest.maxSequence - sequence <= claims.size;
    return isPlain && isShort
      ? amongWrites(memtables, claims, sequence)
      : among(memtables, claims, sequence);
  }

  /** Newest first. */
  #newerThan(sequence: Sequence): readonly Memtable[] {
    const { active, frozen } = this.#views.current;
    return [active, ...frozen, ...this.#flushed].filter(
      (memtable) => !memtable.isEmpty && memtable.maxSequence > sequence,
    );
  }
}

/** Asks of each write that is newer whether it is claimed. */
function amongWrites(
  memtables: readonly Memtable[],
  claims: Claims,
  sequence: Sequence,
): Clash | undefined {
  let clash: Clash | undefined;
  for (const memtable of memtables) {
    memtable.someAfter(sequence, (source, from, to, found) => {
      if (!claims.holds(source, from, to)) return false;
      clash = { sequence: found, key: latin1Text(source, from, to) };
      return true;
    });
    if (clash !== undefined) return clash;
  }
  return undefined;
}

/** Asks of all that is claimed whether a newer write is there. */
function among(
  memtables: readonly Memtable[],
  { keys, ranges }: Claims,
  sequence: Sequence,
): Clash | undefined {
  for (const key of keys()) {
    for (const memtable of memtables) {
      const found = memtable.newestSequence(key);
      const newest = Math.max(found, memtable.ranges?.at(key, MAX_SEQUENCE) ?? 0);
      if (newest > sequence) return { sequence: newest, key };
      if (newest > 0) break;
    }
  }
  for (const range of ranges) {
    const found = within(memtables, range, sequence);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A write in a range after a sequence, if there is one: a key's, or a range's that meets it. */
function within(
  memtables: readonly Memtable[],
  { from, to }: Bounds,
  sequence: Sequence,
): Clash | undefined {
  for (const memtable of memtables) {
    const deleted = memtable.ranges?.after(from, to ?? END_OF_KEYS, sequence);
    if (deleted !== undefined) return { sequence: deleted, key: from };
    const cursor = memtable.cursor();
    let step: Step = from === "" ? cursor.first() : cursor.seek(from);
    for (; step === ENTRY && (to === undefined || cursor.key < to); step = cursor.next()) {
      if (cursor.sequence > sequence) return { sequence: cursor.sequence, key: cursor.key };
    }
  }
  return undefined;
}
