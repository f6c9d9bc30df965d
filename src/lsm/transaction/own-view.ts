import { assert } from "../../base/assert.ts";
import { type Cursor, END, ENTRY, type EntryBytes, type Step } from "../format/cursor.ts";
import { type Key, type Kind, keyAfter, type Sequence } from "../format/entry.ts";
import type { RangeMap } from "../format/range-map.ts";
import type { Found, Memtable } from "../memtable/memtable.ts";
import { CoveredCursor, RangeCover } from "../read/covered-cursor.ts";
import type { ReadMemtable, ReadView } from "../read/read-view.ts";
import type { OwnWrites } from "./own-writes.ts";

/**
 * Where own writes stand between what a transaction sees and what comes later. Sequences are whole,
 * below 2^52: there is room for a half.
 */
const ABOVE = 0.5;

/** The sequence by which a transaction with own writes reads: later writes of others are hidden. */
export function ownSequence(snapshot: Sequence): Sequence {
  return snapshot + ABOVE;
}

/**
 * A view with what a transaction has written, up to an operation, on top of it, as a memtable that
 * is newer than all that its snapshot sees. Read as of `ownSequence`.
 */
export function viewWithOwn(
  view: ReadView,
  own: OwnWrites,
  snapshot: Sequence,
  through: number,
): ReadView {
  const active = new OwnMemtable(own, snapshot, through);
  return { ...view, active, frozen: [view.active, ...view.frozen] };
}

/** What a transaction has written up to a moment, as reads see it. */
class OwnMemtable implements ReadMemtable {
  readonly #memtable: Memtable;
  /** The newest operation that is seen: what is written during a scan is not. */
  readonly #through: number;
  readonly maxSequence: Sequence;
  /** What it deletes by ranges is all that the snapshot sees of them. */
  readonly ranges: RangeMap | undefined;

  constructor(own: OwnWrites, snapshot: Sequence, through: number) {
    assert(through <= own.count, "what is read has been written");
    this.#memtable = own.memtable;
    this.#through = through;
    this.maxSequence = ownSequence(snapshot);
    assert(this.maxSequence > snapshot, "own writes hide what the snapshot sees");
    this.ranges = own.deletedAt(snapshot, through);
  }

  get entries(): number {
    return this.#memtable.entries;
  }

  get(key: Key, _sequence?: Sequence): Found | undefined {
    const memtable = this.#memtable;
    const found = memtable.get(key, this.#through);
    const deletedAt = memtable.ranges?.at(key, this.#through) ?? 0;
    if (found === undefined || found.sequence <= deletedAt) return undefined;
    return { ...found, sequence: this.maxSequence };
  }

  cursor(): Cursor {
    const memtable = this.#memtable;
    const all = memtable.cursor();
    const { ranges } = memtable;
    const cover = ranges && new RangeCover([ranges], this.#through);
    const live = cover ? new CoveredCursor(all, cover, memtable.maxSequence) : all;
    return new OwnCursor(live, this.#through, this.maxSequence);
  }

  kept(source: Uint8Array, from: number, to: number): Uint8Array | undefined {
    return this.#memtable.kept(source, from, to);
  }

  has(buffer: ArrayBufferLike): boolean {
    return this.#memtable.has(buffer);
  }

  hold(): void {
    this.#memtable.hold();
  }

  letGo(): void {
    this.#memtable.letGo();
  }
}

/**
 * Own writes up to one, all of them at one sequence above what the snapshot sees: versions of a key
 * come newest first, as they were written. All of it is in memory.
 */
class OwnCursor implements Cursor {
  readonly #below: Cursor;
  readonly #through: number;
  readonly sequence: Sequence;

  constructor(below: Cursor, through: number, sequence: Sequence) {
    this.#below = below;
    this.#through = through;
    this.sequence = sequence;
  }

  get key(): Key {
    return this.#below.key;
  }

  get kind(): Kind {
    return this.#below.kind;
  }

  get operator(): number {
    return this.#below.operator;
  }

  get expiresAtMs(): number {
    return this.#below.expiresAtMs;
  }

  get entry(): EntryBytes {
    return { ...this.#below.entry, sequence: this.sequence };
  }

  get valueSource(): Uint8Array {
    return this.#below.valueSource;
  }

  get valueStart(): number {
    return this.#below.valueStart;
  }

  get valueEnd(): number {
    return this.#below.valueEnd;
  }

  value(): Uint8Array {
    return this.#below.value();
  }

  first(): Step {
    return this.#onward(this.#below.first());
  }

  last(): Step {
    return this.#back(this.#below.last());
  }

  seek(key: Key, sequence: Sequence = this.sequence): Step {
    return this.#onward(this.#below.seek(sequence < this.sequence ? keyAfter(key) : key));
  }

  seekBefore(key: Key, sequence: Sequence = this.sequence): Step {
    return this.#back(this.#below.seekBefore(sequence < this.sequence ? keyAfter(key) : key));
  }

  next(): Step {
    return this.#onward(this.#below.next());
  }

  prev(): Step {
    return this.#back(this.#below.prev());
  }

  missing(): void {}

  #onward(from: Step): Step {
    let step = from;
    while (step === ENTRY && this.#below.sequence > this.#through) step = this.#below.next();
    return step === ENTRY ? ENTRY : END;
  }

  #back(from: Step): Step {
    let step = from;
    while (step === ENTRY && this.#below.sequence > this.#through) step = this.#below.prev();
    return step === ENTRY ? ENTRY : END;
  }
}
