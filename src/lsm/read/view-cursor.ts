import type { Cursor, MissingBlock } from "../format/cursor.ts";
import type { Sequence } from "../format/entry.ts";
import { commonPrefix } from "../format/prefix-filter.ts";
import type { RangeMap } from "../format/range-map.ts";
import type { Sst } from "../format/sst.ts";
import type { Bounds } from "../range.ts";
import { CoveredCursor, RangeCover } from "./covered-cursor.ts";
import { MergeCursor } from "./merge.ts";
import { isVisible, type ReadView } from "./read-view.ts";
import { RunCursor } from "./run-cursor.ts";
import type { SsTable } from "./ss-table.ts";

/** Which entries of a view a reader wants: those within bounds, as of a sequence. */
export interface Reading {
  readonly bounds: Bounds;
  readonly sequence: Sequence;
  readonly figures: PrefixFigures;
}

/** Filters of prefixes that were asked, and that said no. */
export interface PrefixFigures {
  prefixChecks: number;
  prefixNegatives: number;
}

/**
 * A cursor over all that a view holds within bounds, without what range tombstones delete as of the
 * sequence. Entries beyond the bounds may come as well.
 *
 * @returns the tails of tables whose range tombstones have to be known first, if some are not at
 *   hand: they are held until the reader ends, or its cursor is made.
 */
export function viewCursor(view: ReadView, reading: Reading): Cursor | readonly MissingBlock[] {
  const sources = new SortedSources(reading);
  for (const memtable of [view.active, ...view.frozen]) {
    sources.delete(memtable.ranges);
    if (memtable.entries > 0) sources.add(memtable.cursor(), memtable.maxSequence);
  }
  for (const table of view.l0) sources.addRun(reaching([table], reading));
  for (const { tables } of view.runs) sources.addRun(reaching(tables, reading));
  return sources.missing.length > 0 ? sources.missing : sources.cursor();
}

function reaching(tables: readonly SsTable[], { bounds, sequence }: Reading): readonly SsTable[] {
  return tables.filter((table) => {
    const { firstKey, lastKey } = table.meta.stats;
    const within = lastKey >= bounds.from && (bounds.to === undefined || firstKey < bounds.to);
    return within && isVisible(table, sequence);
  });
}

/** The sorted sources of a view, taken in from the newest to the oldest. */
class SortedSources {
  readonly missing: MissingBlock[] = [];
  readonly #reading: Reading;
  readonly #inputs: Cursor[] = [];
  /** Of the sources so far: what they delete is older, and lies in them or further down. */
  readonly #ranges: RangeMap[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  delete(ranges: RangeMap | undefined): void {
    if (ranges !== undefined) this.#ranges.push(ranges);
  }

  add(cursor: Cursor, maxSequence: Sequence): void {
    const input =
      this.#ranges.length === 0
        ? cursor
        : new CoveredCursor(
            cursor,
            new RangeCover([...this.#ranges], this.#reading.sequence),
            maxSequence,
          );
    this.#inputs.push(input);
  }

  /** Tables of one age. */
  addRun(tables: readonly SsTable[]): void {
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
    if (filled.length > 0) this.add(new RunCursor(filled, this.#skips), maxSequence);
  }

  /** Whether a table has no key with the prefix that all that is wanted has. */
  readonly #skips = ({ prefixes }: Sst): boolean => {
    if (prefixes === undefined) return false;
    const { bounds, figures } = this.#reading;
    const prefix = commonPrefix(prefixes.rule, bounds.from, bounds.to);
    if (prefix === undefined) return false;
    figures.prefixChecks++;
    if (prefixes.mayContain(prefix)) return false;
    figures.prefixNegatives++;
    return true;
  };

  cursor(): Cursor {
    return this.#inputs.length === 1 ? (this.#inputs[0] as Cursor) : new MergeCursor(this.#inputs);
  }
}
