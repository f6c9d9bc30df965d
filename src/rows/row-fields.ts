import type { CompositeField } from "./column-type.ts";
import { type TableDescriptor, visibleColumns } from "./descriptor.ts";

const known = new WeakMap<TableDescriptor, readonly CompositeField[]>();

/** The fields of the type that a table's rows have. */
export function rowFields(table: TableDescriptor): readonly CompositeField[] {
  const kept = known.get(table);
  if (kept !== undefined) return kept;
  const made = visibleColumns(table).map(({ id, name, type }) => ({ id, name, type }));
  known.set(table, made);
  return made;
}
