import {
  type Cursor,
  ENTRY,
  type EntryBytes,
  MISS,
  type MissingBlock,
  type Origin,
  type Step,
} from "../format/cursor.ts";
import {
  DELETE,
  END_OF_KEYS,
  type Key,
  type Kind,
  type Sequence,
  type ValueReference,
} from "../format/entry.ts";
import type { Drain } from "../format/packed-rows.ts";
import type { RangeMap, Stretch } from "../format/range-map.ts";

/**
 * What the range tombstones of several places delete as of a snapshot, as a reader that moves asks
 * for it: the stretch of keys that it is in is looked up once. What is added to a map meanwhile is
 * newer than the snapshot, and changes nothing.
 */
export class RangeCover implements Stretch {
  readonly #maps: readonly RangeMap[];
  readonly #snapshot: Sequence;
  /** The stretch of the last key that was asked for. */
  from: Key = "";
  to: Key = "";
  sequence: Sequence = 0;

  constructor(maps: readonly RangeMap[], snapshot: Sequence) {
    this.#maps = maps;
    this.#snapshot = snapshot;
  }

  /** The newest tombstone over a key; 0: there is none. */
  over(key: Key): Sequence {
    if (key >= this.from && key < this.to) return this.sequence;
    this.from = "";
    this.to = END_OF_KEYS;
    this.sequence = 0;
    for (const map of this.#maps) map.narrow(key, this.#snapshot, this);
    return this.sequence;
  }
}

/** Stretches that are passed with one seek each, before others may have the event loop. */
const MOST_SEEKS = 256;

/**
 * A cursor that shows the entries that range tombstones delete as deletions. Where a tombstone is
 * newer than all that lies below the cursor, what it covers is passed with one seek, and its blocks
 * are not read. It passes nothing one by one: who reads it may pause between two deletions.
 *
 * A miss while it passes something is resumed by the same `next` or `prev`; a seek starts over.
 */
export class CoveredCursor implements Cursor {
  readonly #below: Cursor;
  readonly #cover: RangeCover;
  readonly #maxSequence: Sequence;
  #pending: (() => Step) | undefined;
  #isDead = false;

  /** @param maxSequence nothing below that the snapshot sees is newer. */
  constructor(below: Cursor, cover: RangeCover, maxSequence: Sequence) {
    this.#below = below;
    this.#cover = cover;
    this.#maxSequence = maxSequence;
  }

  get key(): Key {
    return this.#below.key;
  }

  get sequence(): Sequence {
    return this.#below.sequence;
  }

  get kind(): Kind {
    return this.#isDead ? DELETE : this.#below.kind;
  }

  get operator(): number {
    return this.#below.operator;
  }

  get expiresAtMs(): number {
    return this.#below.expiresAtMs;
  }

  get entry(): EntryBytes {
    const { entry } = this.#below;
    return this.#isDead ? deletionOf(entry) : entry;
  }

  get origin(): Origin | undefined {
    return this.#below.origin;
  }

  get valueSource(): Uint8Array {
    return this.#below.valueSource;
  }

  get valueStart(): number {
    return this.#below.valueStart;
  }

  get valueEnd(): number {
    return this.#isDead ? this.#below.valueStart : this.#below.valueEnd;
  }

  value(): Uint8Array {
    const value = this.#below.value();
    return this.#isDead ? value.subarray(0, 0) : value;
  }

  first(): Step {
    return this.#onward(() => this.#below.first());
  }

  last(): Step {
    return this.#backward(() => this.#below.last());
  }

  seek(key: Key, sequence?: Sequence): Step {
    return this.#onward(() => this.#below.seek(key, sequence));
  }

  seekBefore(key: Key, sequence?: Sequence): Step {
    return this.#backward(() => this.#below.seekBefore(key, sequence));
  }

  next(): Step {
    return this.#onward(this.#pending ?? this.#next);
  }

  prev(): Step {
    return this.#backward(this.#pending ?? this.#prev);
  }

  /** Within one stretch, which it is known to be in. */
  drain(into: Drain): void {
    if (this.#pending !== undefined || this.#below.drain === undefined) return;
    const cover = this.#cover;
    const deletedAt = cover.over(this.#below.key);
    into.deletedAt = Math.max(into.deletedAt, deletedAt);
    if (cover.to !== END_OF_KEYS) into.narrow(cover.to);
    const before = into.steps;
    this.#below.drain(into);
    if (into.steps > before) this.#isDead = this.#below.sequence <= deletedAt;
  }

  ahead(bytes: number): readonly ValueReference[] {
    return this.#below.ahead?.(bytes) ?? [];
  }

  missing(into: MissingBlock[]): void {
    this.#below.missing(into);
  }

  readonly #next = (): Step => this.#below.next();
  readonly #prev = (): Step => this.#below.prev();

  #onward(move: () => Step): Step {
    let call = move;
    for (let seeks = 0; ; seeks++) {
      const step = call();
      if (step !== ENTRY || !this.#isAllDead() || seeks === MOST_SEEKS)
        return this.#answer(step, call);
      const { to } = this.#cover;
      call = () => this.#below.seek(to);
    }
  }

  #backward(move: () => Step): Step {
    let call = move;
    for (let seeks = 0; ; seeks++) {
      const step = call();
      if (step !== ENTRY || !this.#isAllDead() || seeks === MOST_SEEKS)
        return this.#answer(step, call);
      const { from } = this.#cover;
      call = () => this.#below.seekBefore(from);
    }
  }

  #answer(step: Step, call: () => Step): Step {
    this.#pending = step === MISS ? call : undefined;
    this.#isDead = step === ENTRY && this.#below.sequence <= this.#cover.over(this.#below.key);
    return step;
  }

  /** Whether everything below is that lies in the stretch of the entry. */
  #isAllDead(): boolean {
    return this.#maxSequence <= this.#cover.over(this.#below.key);
  }
}

function deletionOf({ keySource, keyStart, keyEnd, sequence, ...value }: EntryBytes): EntryBytes {
  const { valueSource, valueStart } = value;
  const nothing = { valueSource, valueStart, valueEnd: valueStart };
  const keyBytes = { keySource, keyStart, keyEnd };
  return { ...keyBytes, sequence, kind: DELETE, operator: 0, expiresAtMs: 0, ...nothing };
}
