import { CoveredCursor, RangeCover } from "./covered-cursor.ts";
import type { Cursor, MissingBlock } from "./format/cursor.ts";
import type { Sequence } from "./format/entry.ts";
import type { RangeMap } from "./format/range-map.ts";
import { MergeCursor } from "./merge.ts";
import type { Bounds } from "./range.ts";
import { RunCursor } from "./run-cursor.ts";
import type { Table } from "./table.ts";
import { isVisible, type View } from "./view.ts";

/** Which entries of a view a reader wants: those within bounds, as of a sequence. */
export interface Reading {
  readonly bounds: Bounds;
  readonly sequence: Sequence;
}

/**
 * A cursor over all that a view holds within bounds, without what range tombstones delete as of the
 * sequence. Entries beyond the bounds may come as well.
 *
 * @returns the tails of tables whose range tombstones have to be known first, if some are not at
 *   hand: they are held until the reader ends, or its cursor is made.
 */
export function viewCursor(view: View, reading: Reading): Cursor | readonly MissingBlock[] {
  const places = new Places(reading.sequence);
  for (const memtable of [view.active, ...view.frozen]) {
    places.delete(memtable.ranges);
    if (memtable.entries > 0) places.add(memtable.cursor(), memtable.maxSequence);
  }
  for (const table of view.l0) places.addRun(reaching([table], reading));
  for (const { tables } of view.runs) places.addRun(reaching(tables, reading));
  return places.missing.length > 0 ? places.missing : places.cursor();
}

function reaching(tables: readonly Table[], { bounds, sequence }: Reading): readonly Table[] {
  return tables.filter((table) => {
    const { firstKey, lastKey } = table.meta.stats;
    const within = lastKey >= bounds.from && (bounds.to === undefined || firstKey < bounds.to);
    return within && isVisible(table, sequence);
  });
}

/** The sorted places of a view, taken in from the newest to the oldest. */
class Places {
  readonly missing: MissingBlock[] = [];
  readonly #sequence: Sequence;
  readonly #inputs: Cursor[] = [];
  /** Of the places so far: what they delete is older, and lies in them or further down. */
  readonly #ranges: RangeMap[] = [];

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
  }

  delete(ranges: RangeMap | undefined): void {
    if (ranges !== undefined) this.#ranges.push(ranges);
  }

  add(cursor: Cursor, maxSequence: Sequence): void {
    const input =
      this.#ranges.length === 0
        ? cursor
        : new CoveredCursor(cursor, new RangeCover([...this.#ranges], this.#sequence), maxSequence);
    this.#inputs.push(input);
  }

  /** Tables of one age. */
  addRun(tables: readonly Table[]): void {
    let maxSequence = 0;
    let hasBare = false;
    for (const table of tables) {
      const { stats } = table.meta;
      if (stats.maxSequence > maxSequence) maxSequence = stats.maxSequence;
      if (stats.entries === 0) hasBare = true;
      if (stats.ranges === 0) continue;
      if (table.open === undefined) this.missing.push(table.missingTail);
      else this.delete(table.open.sst.ranges);
    }
    const filled = hasBare ? tables.filter(({ meta }) => meta.stats.entries > 0) : tables;
    if (filled.length > 0) this.add(new RunCursor(filled), maxSequence);
  }

  cursor(): Cursor {
    return this.#inputs.length === 1 ? (this.#inputs[0] as Cursor) : new MergeCursor(this.#inputs);
  }
}
