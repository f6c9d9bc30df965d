import { named, refused } from "./alter.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { NUMBERED } from "./table-spec.ts";

/** The column that is to number its rows. @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`. */
export function toBeNumbered(table: TableDescriptor, name: string): ColumnDescriptor {
  const column = named(table, name);
  const refuse = (what: string): Error =>
    refused(table, "55000", `column "${name}" of relation "${table.name}" ${what}`, name);
  if (!NUMBERED.has(column.type.kind)) {
    const what = "identity column type must be smallint, integer, or bigint";
    throw refused(table, "22023", what, name);
  }
  if (column.nullable) throw refuse("must be declared NOT NULL before identity can be added");
  if (column.identity !== undefined) throw refuse("is already an identity column");
  if (column.default !== undefined) throw refuse("already has a default value");
  if (column.generated !== undefined) throw refuse("is a generated column");
  return column;
}

/** A column that numbers its rows. @throws FirnError `Invalid`, code `ROW_TABLE_INVALID`. */
export function numberedBy(table: TableDescriptor, name: string): ColumnDescriptor {
  const column = named(table, name);
  if (column.identity !== undefined) return column;
  const what = `column "${name}" of relation "${table.name}" is not an identity column`;
  throw refused(table, "55000", what, name);
}
