import type { Datum } from "./datum.ts";

/**
 * Rows column by column: `columns[c][r]` is the value of row `r` in column `c`, in the order in
 * which columns were asked for. The caller may keep it.
 */
export interface RowBatch {
  readonly count: number;
  readonly columns: readonly (readonly Datum[])[];
}

/** One row of a batch. */
export function rowAt({ columns }: RowBatch, at: number): readonly Datum[] {
  return columns.map((column) => column[at] as Datum);
}

/** What a scan of an index without an order did, as EXPLAIN ANALYZE shows it. */
export type SearchFacts = {
  readonly entries: number;
  /** Rows that were fetched. */
  readonly rows: number;
  /** The rows were read by the primary key instead. */
  readonly isWhole: boolean;
} & (
  | {
      readonly kind: "lists";
      /** Posting lists that were read, and those of the condition. */
      readonly lists: number;
      readonly ofLists: number;
    }
  | { readonly kind: "box"; readonly ranges: number }
);

/** A scan in batches: at least one row in each; undefined behind the last. */
export interface RowScan {
  nextBatch(): Promise<RowBatch | undefined>;
  /** Lets go of what it reads. Behind the last row it has done so itself. */
  close(): void;
  /** Of a scan by an index without an order: what it has read so far. */
  found?(): SearchFacts | undefined;
}
