import { type Datum, type TableDescriptor, visibleColumns } from "../../rows/index.ts";
import type { Row } from "../exec/run.ts";

/** Ids of the visible columns at some slots: what a change asks the store for. */
export function idsAt(table: TableDescriptor, isAt: (slot: number) => boolean): readonly number[] {
  return visibleColumns(table).flatMap(({ id }, slot) => (isAt(slot) ? [id] : []));
}

/** Columns of a row at their slots; others are NULL. */
export function atSlots(table: TableDescriptor, columns: readonly number[], row: Row): Row {
  const visible = visibleColumns(table);
  if (columns.length === visible.length) return row;
  let next = 0;
  return visible.map(({ id }) => (id === columns[next] ? (row[next++] as Datum) : null));
}
