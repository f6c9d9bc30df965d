import {
  type Cursor,
  END,
  ENTRY,
  type EntryBytes,
  MISS,
  type MissingBlock,
  type Origin,
  type Step,
} from "../format/cursor.ts";
import {
  type Key,
  type Kind,
  MAX_SEQUENCE,
  type Sequence,
  type ValueReference,
} from "../format/entry.ts";
import type { Drain } from "../format/packed-rows.ts";
import type { Sst } from "../format/sst.ts";
import { type SstBlocks, SstCursor } from "../format/sst-cursor.ts";
import { lowerBound, type SstMeta } from "../format/sst-meta.ts";

/** A table whose missing parts the caller loads. */
export interface RunTable extends SstBlocks {
  readonly meta: SstMeta;
  /** Undefined while its tail is not in memory. */
  readonly open: { readonly sst: Sst } | undefined;
  readonly missingTail: MissingBlock;
}

/** @param bound the first key of the table that is read; empty: all are. */
type Move = (cursor: SstCursor, bound: Key) => Step;

/**
 * Moves over tables whose ranges do not overlap as over one, opening each when it is entered. A
 * table of level 0 is a run of one. What a table holds below its bound is passed over: a compaction
 * has taken it.
 */
export class RunCursor implements Cursor {
  readonly #tables: readonly RunTable[];
  readonly #skips: (sst: Sst) => boolean;
  #at = -1;
  #cursor: SstCursor | undefined;
  /** Of the table that it stands in. */
  #bound: Key = "";
  /** The step on or back that missed: it goes on in the table that was being entered. */
  #entering: Move | undefined;
  #missing: MissingBlock | undefined;

  /** @param skips asked of each open table: whether nothing in it is wanted. */
  constructor(tables: readonly RunTable[], skips: (sst: Sst) => boolean = never) {
    this.#tables = tables;
    this.#skips = skips;
  }

  /** The table that it stands in, or is about to enter. */
  get table(): RunTable | undefined {
    return this.#tables[this.#at];
  }

  get key(): Key {
    return this.#standing().key;
  }

  get sequence(): Sequence {
    return this.#standing().sequence;
  }

  get kind(): Kind {
    return this.#standing().kind;
  }

  get origin(): Origin | undefined {
    return this.table?.meta;
  }

  get valueSource(): Uint8Array {
    return this.#standing().valueSource;
  }

  get valueStart(): number {
    return this.#standing().valueStart;
  }

  get valueEnd(): number {
    return this.#standing().valueEnd;
  }

  get operator(): number {
    return this.#standing().operator;
  }

  get expiresAtMs(): number {
    return this.#standing().expiresAtMs;
  }

  get entry(): EntryBytes {
    return this.#standing().entry;
  }

  value(): Uint8Array {
    return this.#standing().value();
  }

  first(): Step {
    return this.#enterOn(0, first, 1);
  }

  last(): Step {
    return this.#enterOn(this.#tables.length - 1, last, -1);
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    // Versions of one key may go on in the next table: the first may hold only newer ones.
    const move: Move = (cursor, bound) =>
      key < bound ? cursor.seek(bound) : cursor.seek(key, sequence);
    return this.#enterOn(this.#firstReaching(key), move, 1);
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const move: Move = (cursor, bound) => within(cursor, cursor.seekBefore(key, sequence), bound);
    return this.#enterOn(this.#lastBeginning(key), move, -1);
  }

  next(): Step {
    const entering = this.#entering;
    if (entering !== undefined) return this.#enterOn(this.#at, entering, 1);
    const step = this.#standing().next();
    return step === END ? this.#enterOn(this.#at + 1, first, 1) : step;
  }

  prev(): Step {
    const entering = this.#entering;
    if (entering !== undefined) return this.#enterOn(this.#at, entering, -1);
    const cursor = this.#standing();
    const step = within(cursor, cursor.prev(), this.#bound);
    return step === END ? this.#enterOn(this.#at - 1, last, -1) : step;
  }

  drain(into: Drain): void {
    if (this.#entering === undefined) this.#standing().drain(into);
  }

  ahead(bytes: number): readonly ValueReference[] {
    return this.#standing().ahead(bytes);
  }

  missing(into: MissingBlock[]): void {
    if (this.#missing !== undefined) into.push(this.#missing);
    else this.#cursor?.missing(into);
  }

  /** The first table that reaches up to a key. */
  #firstReaching(key: Key): number {
    return firstIndex(this.#tables, (table) => table.meta.stats.lastKey >= key);
  }

  /** The last table that begins at or below a key. */
  #lastBeginning(key: Key): number {
    return firstIndex(this.#tables, (table) => table.meta.stats.firstKey > key) - 1;
  }

  /** Into a table, or the first one behind it, or before it, where the move comes to an entry. */
  #enterOn(from: number, move: Move, direction: 1 | -1): Step {
    for (let index = from; ; index += direction) {
      const step = this.#enter(index, move);
      if (step !== END || this.#tables[index] === undefined) return step;
    }
  }

  #enter(index: number, move: Move): Step {
    const table = this.#tables[index];
    this.#entering = undefined;
    this.#missing = undefined;
    if (table === undefined) return END;
    if (index !== this.#at || this.#cursor === undefined) {
      this.#at = index;
      this.#cursor = undefined;
      const { open } = table;
      if (open === undefined) {
        this.#missing = table.missingTail;
        this.#entering = move;
        return MISS;
      }
      if (this.#skips(open.sst)) return END;
      this.#cursor = new SstCursor(open.sst, table);
      this.#bound = lowerBound(table.meta);
    }
    const step = move(this.#cursor, this.#bound);
    if (step === MISS) this.#entering = move;
    return step;
  }

  #standing(): SstCursor {
    return this.#cursor as SstCursor;
  }
}

const never = (): boolean => false;
const first: Move = (cursor, bound) => (bound === "" ? cursor.first() : cursor.seek(bound));
const last: Move = (cursor, bound) => within(cursor, cursor.last(), bound);

/** Going back, a table ends at its bound. */
function within(cursor: SstCursor, step: Step, bound: Key): Step {
  return bound !== "" && step === ENTRY && cursor.key < bound ? END : step;
}

/** The first index of which something holds that then holds of all that follow. */
function firstIndex(tables: readonly RunTable[], holds: (table: RunTable) => boolean): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(tables[middle] as RunTable)) high = middle;
    else low = middle + 1;
  }
  return low;
}
