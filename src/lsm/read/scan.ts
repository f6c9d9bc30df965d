import { FirnError, invalid } from "../../base/error.ts";
import { ENTRY, MISS, type MissingBlock, type Step } from "../format/cursor.ts";
import type { Key, Sequence } from "../format/entry.ts";
import { textInto } from "../format/key-bytes.ts";
import type { PackedRows } from "../format/packed-rows.ts";
import type { Maybe } from "../maybe.ts";
import type { Memtable } from "../memtable/memtable.ts";
import { type Bounds, boundsOf, type Range } from "../range.ts";
import { type EntrySemantics, semanticsAt } from "./entry-semantics.ts";
import type { Filling } from "./filling.ts";
import { STEPS_A_TURN, VisibleCursor } from "./merge-visible.ts";
import { PackedBatch } from "./packed-batch.ts";
import type { ReadView, ReadViews } from "./read-view.ts";
import type { TableCache } from "./table-cache.ts";
import { type PrefixFigures, viewCursor } from "./view-cursor.ts";

/** Never write to the bytes: they are views of what others read. They may be kept. */
export interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Deletions and older versions that a scan passed on its way to it; absent where none counts. */
  readonly passed?: number;
}

/**
 * Rows of a range in batches, in key order or against it. What is in memory is answered at once,
 * but others have the event loop after 2 ms of work, whether it has shown or passed rows.
 */
export interface Scan extends AsyncIterable<readonly Row[]> {
  /** The next rows, at least one; undefined behind the last. Not called while one is pending. */
  next(): Maybe<readonly Row[] | undefined>;
  /** What it passed since the last row that it gave, as `Row.passed`. */
  readonly passed?: number;
  /** Lets go of what it reads. Behind the last row it has done so itself. */
  close(): void;
}

/** A scan that packs its rows, and that can be moved. */
export interface PackedScan extends Scan {
  /**
   * As `next`, without an object or a text for each row. What is answered is good until the next
   * call of any method: its memory is used again.
   */
  nextPacked(): Maybe<PackedRows | undefined>;
  /**
   * Goes on at another place, either way: of the scan's range, what lies from `from` up to `to`,
   * with as many rows as the limit says. Not called while a batch is pending.
   *
   * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`: the bounds cross, or one is longer than
   *   any key; code `LSM_SCAN_CLOSED`: it was closed, or came to its end and is not `movable`.
   */
  seek(range: Pick<Range, "from" | "to">): void;
}

export interface ScanOptions {
  readonly bounds: Bounds;
  readonly sequence: Sequence;
  readonly reverse: boolean;
  /** At most so many rows in all, and in a batch. */
  readonly limit: number;
  readonly batchRows: number;
  /** Packed rows are to have no values. */
  readonly keysOnly?: boolean;
  /** Aborted, it closes; a batch that is pending fails, and so does the next one. */
  readonly signal?: AbortSignal | undefined;
  /** Behind its last row it stays open, for `seek`, until it is closed. */
  readonly movable?: boolean;
  /** The most that is read ahead, once the scan is seen to go on. */
  readonly readAheadBytes: number;
}

/** What a scan reads from; `assertReadable` throws where reads are over. */
export interface ScanSource {
  readonly tables: TableCache;
  readonly views: ReadViews;
  readonly semantics: EntrySemantics;
  readonly figures: PrefixFigures;
  readonly assertReadable: (sequence: Sequence) => void;
  /** Resolves once others have had the event loop. */
  readonly turn: () => Promise<void>;
}

/** What the first request reads beyond its block, where nothing says how far the scan will go. */
const FIRST_AHEAD_BYTES = 65_536;

/** Keys of so few bytes share memory with others: their own would cost more than all the rest. */
const MOST_POOLED_BYTES = 1_024;

/** So that a large limit makes no large room for a batch. */
const MOST_PACKED_ROWS = 4_096;

/** A scan of one view as of one sequence and one time: nothing that happens meanwhile shows. */
export class ViewScan implements PackedScan {
  readonly #source: ScanSource;
  readonly #options: ScanOptions;
  readonly #view: ReadView;
  /** By which what expires is judged: while blocks are awaited, a clock would go on. */
  readonly #timeMs: number;
  #bounds: Bounds;
  /** Undefined until the tails are in memory that have to be known first. */
  #cursor: VisibleCursor | undefined;
  #tails: readonly MissingBlock[] = [];
  readonly #unpin: () => void;
  #left: number;
  #keysOnly = false;
  #started = false;
  /** The move to the first row has begun: it may go on midway. */
  #seeking = false;
  /** The cursor stands on a row that the batch before had to end at. */
  #standing = false;
  /** Behind the last row of its bounds. */
  #ended = false;
  #closed = false;
  #aheadBytes: number;
  /** Lets go of values that were loaded with the last one that was missing: they come next. */
  #letGoOfValues: (() => void) | undefined;
  /** The cursor's steps when it gave the last row, that one included. */
  #stepsBefore = 0;
  #packed: PackedBatch | undefined;

  constructor(source: ScanSource, view: ReadView, options: ScanOptions) {
    this.#source = source;
    this.#options = options;
    this.#bounds = options.bounds;
    this.#left = options.limit;
    this.#unpin = source.views.pin(view);
    this.#view = view;
    this.#timeMs = view.timeMs ?? source.semantics.nowMs();
    this.#cursor = this.#begin();
    this.#aheadBytes = Math.min(options.readAheadBytes, firstAhead(view, options.limit));
  }

  get passed(): number {
    return (this.#cursor?.steps ?? 0) - this.#stepsBefore;
  }

  next(): Maybe<readonly Row[] | undefined> {
    this.#assertWanted();
    if (this.#closed || this.#ended) return undefined;
    this.#source.assertReadable(this.#options.sequence);
    const batch = new Batch(this.#view);
    const most = Math.min(this.#options.batchRows, this.#left);
    this.#lookUpValues(true);
    return this.#fill(batch, most, this.#step()) ? this.#finish(batch) : this.#wait(batch, most);
  }

  nextPacked(): Maybe<PackedRows | undefined> {
    this.#assertWanted();
    if (this.#closed || this.#ended) return undefined;
    this.#source.assertReadable(this.#options.sequence);
    const { batchRows, limit, keysOnly = false } = this.#options;
    const room = Math.min(batchRows, limit, MOST_PACKED_ROWS);
    this.#packed ??= new PackedBatch(this.#view, room, keysOnly);
    const batch = this.#packed;
    this.#lookUpValues(!keysOnly);
    const most = Math.min(room, this.#left);
    batch.begin(most);
    const cursor = this.#cursor;
    const goesOn = this.#started && !this.#standing && cursor?.isMidway === false;
    if (goesOn) batch.fill(cursor);
    if (batch.length === most) return this.#finish(batch);
    return this.#fill(batch, most, this.#step()) ? this.#finish(batch) : this.#wait(batch, most);
  }

  seek(range: Pick<Range, "from" | "to">): void {
    if (this.#closed) {
      throw invalid("LSM_SCAN_CLOSED", "the scan is closed: open another, or a movable one");
    }
    this.#bounds = within(boundsOf(range), this.#options.bounds);
    if (this.#cursor !== undefined) this.#cursor.end = this.#bounds.to;
    this.#started = false;
    this.#seeking = false;
    this.#standing = false;
    this.#ended = this.#bounds.from === this.#bounds.to;
    this.#left = this.#options.limit;
    this.#aheadBytes = Math.min(this.#options.readAheadBytes, firstAhead(this.#view, this.#left));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unpin();
    this.#keepValues(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Row[]> {
    try {
      for (let rows = await this.next(); rows !== undefined; rows = await this.next()) yield rows;
    } finally {
      this.close();
    }
  }

  /** @throws FirnError `Unavailable`, code `LSM_SCAN_ABORTED`. */
  #assertWanted(): void {
    if (this.#options.signal?.aborted !== true) return;
    this.close();
    throw aborted();
  }

  #begin(): VisibleCursor | undefined {
    const { bounds, sequence } = this.#options;
    const made = viewCursor(this.#view, { bounds, sequence, figures: this.#source.figures });
    if ("seek" in made) {
      const semantics = semanticsAt(this.#source.semantics, this.#timeMs);
      return new VisibleCursor(made, sequence, semantics, STEPS_A_TURN, this.#bounds.to);
    }
    this.#tails = made;
    return undefined;
  }

  /** Whether the rows that come are to have their values. */
  #lookUpValues(isWanted: boolean): void {
    this.#keysOnly = !isWanted;
    if (this.#cursor !== undefined) this.#cursor.keysOnly = !isWanted;
  }

  /** Keeps what was read ahead, in place of what was before: a small cache would lose it. */
  #keepValues(letGo: (() => void) | undefined): void {
    this.#letGoOfValues?.();
    this.#letGoOfValues = letGo;
  }

  #step(): Step {
    const { reverse } = this.#options;
    const { from, to } = this.#bounds;
    this.#cursor ??= this.#begin();
    const cursor = this.#cursor;
    if (cursor === undefined) return MISS;
    cursor.keysOnly = this.#keysOnly;
    if (this.#standing) {
      this.#standing = false;
      return ENTRY;
    }
    if (this.#started) {
      if (cursor.isMidway) return cursor.resume();
      return reverse ? cursor.prev() : cursor.next();
    }
    if (cursor.isMidway && this.#seeking) return cursor.resume();
    this.#seeking = true;
    if (!reverse) return from === "" ? cursor.first() : cursor.seek(from);
    return to === undefined ? cursor.last() : cursor.seekBefore(to);
  }

  /** @returns false where blocks are missing, or others are to have the event loop. */
  #fill<Rows>(batch: Filling<Rows>, most: number, first: Step): boolean {
    const { reverse } = this.#options;
    const { from, to } = this.#bounds;
    const cursor = this.#cursor as VisibleCursor;
    for (let step = first; step !== MISS; step = reverse ? cursor.prev() : cursor.next()) {
      this.#started = true;
      const { key } = cursor;
      const inside = step === ENTRY && (reverse ? key >= from : to === undefined || key < to);
      if (!inside) {
        this.#end();
        return true;
      }
      const { steps } = cursor;
      if (!batch.add(cursor, reverse ? 0 : steps - this.#stepsBefore - 1)) {
        this.#standing = true;
        return true;
      }
      if (batch.length < most) batch.fill(cursor);
      this.#stepsBefore = cursor.steps;
      if (batch.length === most) return true;
      if (cursor.isPaused) return false;
    }
    return false;
  }

  async #wait<Rows>(batch: Filling<Rows>, most: number): Promise<Rows | undefined> {
    const { tables, assertReadable, turn } = this.#source;
    const { reverse, readAheadBytes, sequence, signal } = this.#options;
    const held: (() => void)[] = [];
    let ahead: (() => void) | undefined;
    const letGo = (): void => {
      for (const release of held.splice(0)) release();
    };
    try {
      for (;;) {
        const missing: MissingBlock[] = [];
        if (this.#cursor === undefined) missing.push(...this.#tails);
        else this.#cursor.missing(missing, reverse ? 0 : this.#aheadBytes);
        if (this.#cursor?.isPaused) {
          await turn();
          this.#cursor.refresh();
        }
        this.#assertWanted();
        const loading = tables.load(missing, { bytes: this.#aheadBytes, reverse });
        const loaded = await unlessAborted(loading, signal);
        held.push(loaded);
        if (missing.some(({ kind }) => kind === "value")) ahead = loaded;
        this.#aheadBytes = Math.min(readAheadBytes, 2 * this.#aheadBytes);
        this.#assertWanted();
        if (this.#closed) return undefined;
        assertReadable(sequence);
        const step = this.#step();
        // The other blocks that a step needed are needed again when it is repeated.
        if (step === MISS) continue;
        if (ahead !== undefined) this.#keepValues(held.splice(held.indexOf(ahead), 1)[0]);
        ahead = undefined;
        letGo();
        if (this.#fill(batch, most, step)) return this.#finish(batch);
      }
    } catch (error) {
      this.close();
      throw error;
    } finally {
      letGo();
    }
  }

  #end(): void {
    this.#ended = true;
    if (this.#options.movable !== true) this.close();
  }

  #finish<Rows>(batch: Filling<Rows>): Rows | undefined {
    this.#left -= batch.length;
    if (this.#left === 0) this.#end();
    return batch.length === 0 ? undefined : batch.rows();
  }
}

/** Rows on their way out: their keys are texts until their number is known. */
class Batch implements Filling<readonly Row[]> {
  readonly #view: ReadView;
  /** What the value before lay in, if that was not a memtable. */
  #block: ArrayBufferLike | undefined;
  readonly #keys: Key[] = [];
  readonly #values: Uint8Array[] = [];
  readonly #passed: number[] = [];
  #keyBytes = 0;

  constructor(view: ReadView) {
    this.#view = view;
  }

  get length(): number {
    return this.#keys.length;
  }

  add({ key, valueSource, valueStart, valueEnd }: VisibleCursor, passed: number): true {
    this.#passed.push(passed);
    this.#keys.push(key);
    this.#keyBytes += key.length;
    this.#values.push(this.#kept(valueSource, valueStart, valueEnd));
    return true;
  }

  /** Each row comes by itself. */
  fill(): void {}

  /** What a memtable holds is copied: it is given back when it is flushed. Blocks are lent. */
  #kept(source: Uint8Array, from: number, to: number): Uint8Array {
    const { buffer } = source;
    if (buffer !== this.#block) {
      const { active, frozen } = this.#view;
      let copy = active.kept(source, from, to);
      for (let i = 0; copy === undefined && i < frozen.length; i++) {
        copy = (frozen[i] as Memtable).kept(source, from, to);
      }
      if (copy !== undefined) return copy;
      this.#block = buffer;
    }
    return new Uint8Array(buffer, source.byteOffset + from, to - from);
  }

  rows(): readonly Row[] {
    const most = this.#keyBytes;
    const bytes =
      most > MOST_POOLED_BYTES ? Buffer.allocUnsafeSlow(most) : Buffer.allocUnsafe(most);
    const rows: Row[] = [];
    let at = 0;
    for (let i = 0; i < this.#keys.length; i++) {
      const key = this.#keys[i] as Key;
      const start = at;
      at += textInto(bytes, at, key);
      rows.push({
        key: new Uint8Array(bytes.buffer, bytes.byteOffset + start, key.length),
        value: this.#values[i] as Uint8Array,
        passed: this.#passed[i] as number,
      });
    }
    return rows;
  }
}

function aborted(): Error {
  return new FirnError("Unavailable", "LSM_SCAN_ABORTED", "the scan was aborted by its caller");
}

/** What is loaded; who has aborted does not wait for it. */
async function unlessAborted(
  loading: Promise<() => void>,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  if (signal === undefined) return await loading;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(aborted());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([loading, promise]);
  } catch (error) {
    void loading.then(
      (letGo) => letGo(),
      () => undefined,
    );
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The bounds of a range, as far as they lie within others. */
export function within({ from, to }: Bounds, outer: Bounds): Bounds {
  const low = from < outer.from ? outer.from : from;
  const isLess = to !== undefined && (outer.to === undefined || to < outer.to);
  const high = isLess ? to : outer.to;
  return { from: low, to: high !== undefined && high < low ? low : high };
}

/** What a scan of so few rows reads of the widest table, or a little of an unbounded one. */
function firstAhead(view: ReadView, limit: number): number {
  if (limit === Number.POSITIVE_INFINITY) return FIRST_AHEAD_BYTES;
  const stats = view.l0[0]?.meta.stats ?? view.runs[0]?.tables[0]?.meta.stats;
  if (stats === undefined || stats.entries === 0) return 0;
  return Math.ceil((limit * stats.rawBytes) / stats.entries);
}
