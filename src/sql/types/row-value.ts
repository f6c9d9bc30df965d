import type { Datum } from "../../rows/datum.ts";

/** A row as one value. It is made for a function that takes rows, and stored nowhere. */
export interface RowValue {
  readonly fields: readonly Datum[];
  readonly columns: readonly RowColumn[];
}

export interface RowColumn {
  readonly name: string;
  readonly oid: number;
}
