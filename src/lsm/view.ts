import type { Key, Sequence } from "./format/entry.ts";
import type { Ulid } from "./format/ulid.ts";
import type { Memtable } from "./memtable.ts";
import type { Table } from "./table.ts";

/** Tables whose key ranges do not overlap, in the order of their keys. */
export interface Run {
  readonly id: number;
  readonly tables: readonly Table[];
}

/**
 * All there is to read at one moment, newest first: what is in a memtable hides what is in the
 * frozen ones, those hide the tables of level 0, and those the sorted runs. Never changes, but that
 * the active memtable grows.
 */
export interface View {
  readonly active: Memtable;
  readonly frozen: readonly Memtable[];
  readonly l0: readonly Table[];
  readonly runs: readonly Run[];
}

/** Index of the first table of a run that reaches up to a key; all of them if none does. */
export function firstReaching({ tables }: Run, key: Key): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tables[middle] as Table).meta.stats.lastKey < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The current view, and those before it that a reader still uses. */
export class Views {
  #current: View;
  readonly #pins = new Map<View, number>();

  constructor(first: View) {
    this.#current = first;
  }

  get current(): View {
    return this.#current;
  }

  replace(next: View): void {
    this.#current = next;
  }

  /** Keeps the files of a view from being deleted, until what is answered is called. */
  pin(view: View): () => void {
    this.#pins.set(view, (this.#pins.get(view) ?? 0) + 1);
    let pinned = true;
    return () => {
      if (!pinned) return;
      pinned = false;
      const left = (this.#pins.get(view) ?? 0) - 1;
      if (left > 0) this.#pins.set(view, left);
      else this.#pins.delete(view);
    };
  }

  /** Whether somebody still reads a view, the current one or one before. */
  get arePinned(): boolean {
    return this.#pins.size > 0;
  }

  /** Whether the current view or a pinned one reads a table of another shard. */
  get areForeign(): boolean {
    return [this.#current, ...this.#pins.keys()].some(isForeign);
  }

  /** Every table that the current view or a pinned one reads. */
  tables(): ReadonlySet<Ulid> {
    const ids = new Set<Ulid>();
    for (const view of [this.#current, ...this.#pins.keys()]) {
      for (const table of tablesOf(view)) ids.add(table.meta.id);
    }
    return ids;
  }
}

/** Whether it reads a table that lies with another shard. */
function isForeign(view: View): boolean {
  return tablesOf(view).some(({ meta }) => meta.home !== undefined);
}

export function tablesOf(view: View): readonly Table[] {
  return [...view.l0, ...view.runs.flatMap((run) => run.tables)];
}

/** Whether a table can hold a version that a read at `sequence` sees. */
export function isVisible(table: Table, sequence: Sequence): boolean {
  return table.meta.stats.minSequence <= sequence;
}
