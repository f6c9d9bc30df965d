import { FirnError } from "../../base/error.ts";
import { END_OF_KEYS, type Key } from "../format/entry.ts";
import { cutBelow, type SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import type { SortedTables } from "./plan.ts";

/** Entries of a table that a merge has accounted for. */
export interface TableCount {
  readonly table: Ulid;
  readonly entries: number;
  /** Range tombstones delete all of it: it was not read, and counts as a whole. */
  readonly isCovered: boolean;
}

/** Of one table, over all subranges. */
interface Seen {
  entries: number;
  isCovered: boolean;
}

/**
 * Asserts that merges of neighbouring bounds, which cover all keys below an end, have together seen
 * every entry that the tables count, and each once: so nothing is lost in silence, by the file or
 * by the cut. Of a table that reaches beyond the end some are left.
 *
 * @returns inputs of which something is left, as it is from now on.
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`, its context naming the `table`.
 */
export function assertAllSeen(
  inputs: readonly SortedTables[],
  counts: readonly TableCount[],
  end: Key = END_OF_KEYS,
): readonly SstMeta[] {
  const seen = new Map<Ulid, Seen>();
  for (const { table, entries, isCovered } of counts) {
    const one = seen.get(table) ?? { entries: 0, isCovered: false };
    seen.set(table, {
      entries: one.entries + entries,
      isCovered: one.isCovered || isCovered,
    });
  }
  const left: SstMeta[] = [];
  for (const meta of inputs.flat()) {
    const { id, stats } = meta;
    const { entries: found, isCovered } = seen.get(id) ?? { entries: 0, isCovered: false };
    // Range tombstones without an end reach up to `END_OF_KEYS`.
    const isTaken = stats.lastKey < end || end === END_OF_KEYS || isCovered;
    if (stats.firstKey >= end) {
      if (found > 0) throw miscounted(meta, found, 0);
      left.push(meta);
    } else if (isTaken) {
      if (found !== stats.entries) throw miscounted(meta, found, stats.entries);
    } else {
      const rest = stats.entries - found;
      // Its last key lies beyond the end: that of an entry, unless range tombstones reach there.
      if (rest < 0 || (rest === 0 && stats.ranges === 0)) {
        throw miscounted(meta, found, stats.entries);
      }
      left.push(cutBelow(meta, end, rest));
    }
  }
  return left;
}

function miscounted({ id }: SstMeta, found: number, expected: number): FirnError {
  const message = "the number of entries in a table differs from its count";
  return new FirnError("Corrupt", "LSM_FILE_CORRUPT", message, { table: id, found, expected });
}
