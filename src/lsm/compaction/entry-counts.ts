import { FirnError } from "../../base/error.ts";
import type { Ulid } from "../format/ulid.ts";
import type { SortedTables } from "./plan.ts";

/** Entries of a table that a merge has accounted for. */
export interface TableCount {
  readonly table: Ulid;
  readonly entries: number;
}

/**
 * Asserts that merges of neighbouring bounds, which cover all keys, have together seen every entry
 * that the tables count, and each once: so nothing is lost in silence, by the file or by the cut.
 *
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`, its context naming the `table`.
 */
export function assertAllSeen(
  inputs: readonly SortedTables[],
  counts: readonly TableCount[],
): void {
  const seen = new Map<Ulid, number>();
  for (const { table, entries } of counts) seen.set(table, (seen.get(table) ?? 0) + entries);
  for (const { id, stats } of inputs.flat()) {
    const found = seen.get(id) ?? 0;
    if (found === stats.entries) continue;
    const message = "the number of entries in a table differs from its count";
    const context = { table: id, found, expected: stats.entries };
    throw new FirnError("Corrupt", "LSM_FILE_CORRUPT", message, context);
  }
}
