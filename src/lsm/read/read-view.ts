import { assert } from "../../base/assert.ts";
import type { Key, Sequence } from "../format/entry.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import type { Memtable } from "../memtable/memtable.ts";
import type { SsTable } from "./ss-table.ts";

/** Tables whose key ranges do not overlap, in the order of their keys. */
export interface Run {
  readonly id: number;
  readonly tables: readonly SsTable[];
}

/** What reads ask of a memtable. */
export type ReadMemtable = Pick<
  Memtable,
  "entries" | "maxSequence" | "ranges" | "get" | "cursor" | "kept" | "has" | "hold" | "letGo"
>;

/**
 * All there is to read at one moment, newest first: what is in a memtable hides what is in the
 * frozen ones, those hide the tables of level 0, and those the sorted runs. Never changes, but that
 * the active memtable grows.
 */
export interface ReadView {
  readonly active: ReadMemtable;
  readonly frozen: readonly ReadMemtable[];
  readonly l0: readonly SsTable[];
  readonly runs: readonly Run[];
  /** The time that decides what has expired, of one that is read as it was then; else the clock. */
  readonly timeMs?: number;
}

/** What everybody reads; its active memtable takes the writes. */
export interface SharedView extends ReadView {
  readonly active: Memtable;
  readonly frozen: readonly Memtable[];
}

/** Of a view, what lies in the store. */
type Files = Pick<ReadView, "l0" | "runs">;

/** Index of the first table of a run that reaches up to a key; all of them if none does. */
export function firstReaching({ tables }: Run, key: Key): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tables[middle] as SsTable).meta.stats.lastKey < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The current view, and those before it that a reader still uses. They hold their memtables: who
 * reads one beyond the turn in which it was the current one pins it.
 */
export class ReadViews {
  #current: SharedView;
  readonly #pins = new Map<ReadView, number>();
  readonly #tablePins = new Set<Files>();

  constructor(first: SharedView) {
    assertInOrder(first);
    this.#current = first;
    hold(first);
  }

  get current(): SharedView {
    return this.#current;
  }

  replace(next: SharedView): void {
    assertInOrder(next);
    const before = this.#current;
    hold(next);
    this.#current = next;
    letGo(before);
  }

  /** Keeps files and memtables of a view, until what is answered is called. */
  pin(view: ReadView): () => void {
    const pins = this.#pins.get(view) ?? 0;
    if (pins === 0) hold(view);
    this.#pins.set(view, pins + 1);
    let pinned = true;
    return () => {
      if (!pinned) return;
      pinned = false;
      const left = (this.#pins.get(view) ?? 0) - 1;
      assert(left >= 0, "a view stays pinned until its last reader lets go");
      if (left > 0) this.#pins.set(view, left);
      else {
        this.#pins.delete(view);
        letGo(view);
      }
    };
  }

  /** Keeps its files alone: a compaction takes longer than memtables should be kept. */
  pinTables({ l0, runs }: ReadView): () => void {
    const pin = { l0, runs };
    this.#tablePins.add(pin);
    return () => void this.#tablePins.delete(pin);
  }

  /** Whether a reader still has a view, the current one or one before. */
  get arePinned(): boolean {
    return this.#pins.size > 0;
  }

  /** Whether the current view or a pinned one reads a table of another shard. */
  get areForeign(): boolean {
    return this.#inUse.some(isForeign);
  }

  /** Every table that the current view or a pinned one reads. */
  tables(): ReadonlySet<Ulid> {
    const ids = new Set<Ulid>();
    for (const files of this.#inUse) for (const table of tablesOf(files)) ids.add(table.meta.id);
    return ids;
  }

  /** What is known of each of them. */
  metas(): readonly SstMeta[] {
    return this.#inUse.flatMap(tablesOf).map(({ meta }) => meta);
  }

  get #inUse(): readonly Files[] {
    return [this.#current, ...this.#pins.keys(), ...this.#tablePins];
  }
}

/** Whether it reads a table that lies with another shard. */
function isForeign(files: Files): boolean {
  return tablesOf(files).some(({ meta }) => meta.home !== undefined);
}

/** What lies above hides what lies below, so the order is what every read rests on. */
function assertInOrder({ active, frozen, runs }: SharedView): void {
  assert(!active.frozen, "the active memtable takes writes");
  let newer = active;
  for (const memtable of frozen) {
    assert(memtable.frozen, "a memtable behind the active one takes no write");
    const isOlder = newer.isEmpty || memtable.maxSequence < newer.minSequence;
    assert(isOlder, "memtables come newest first and share no sequence");
    newer = memtable;
  }
  for (const { tables } of runs) {
    const isSorted = tables.every((table, i) => {
      const before = tables[i - 1]?.meta.stats;
      return before === undefined || before.lastKey <= table.meta.stats.firstKey;
    });
    assert(isSorted, "tables of a run do not overlap: a look-up ends at the first that fits");
  }
}

function hold({ active, frozen }: ReadView): void {
  for (const memtable of [active, ...frozen]) memtable.hold();
}

function letGo({ active, frozen }: ReadView): void {
  for (const memtable of [active, ...frozen]) memtable.letGo();
}

/** All tables of a view: level 0 first, then run by run. */
export function tablesOf({ l0, runs }: Files): readonly SsTable[] {
  return [...l0, ...runs.flatMap((run) => run.tables)];
}

/** Whether a table can hold a version that a read at `sequence` sees. */
export function isVisible(table: SsTable, sequence: Sequence): boolean {
  return table.meta.stats.minSequence <= sequence;
}
