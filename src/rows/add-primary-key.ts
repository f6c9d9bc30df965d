import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { visibleColumns } from "./descriptor.ts";
import { placeOf, rowError } from "./errors.ts";
import { keyFormOf } from "./key-columns.ts";
import { type MoveHost, moveRows } from "./move-rows.ts";

/** A primary key for a table that has none: its rows move to a new relation, under the new key. */
export interface NewPrimaryKey {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Rows are written anew, as `moveRows` does.
 *
 * @throws FirnError `Invalid`, codes `ROW_TABLE_INVALID`, `ROW_NULL` (23502); `AlreadyExists`, code
 *   `ROW_DUPLICATE` (23505); `Conflict`, code `ROW_TABLE_IN_USE` (55006).
 */
export async function addPrimaryKey(
  on: MoveHost,
  table: TableDescriptor,
  key: NewPrimaryKey,
): Promise<TableDescriptor> {
  on.assertSerializable();
  const next = keyedTable(table, key, await on.newRelation());
  await moveRows(on, table, next, (given, to) => {
    // The hidden column stands behind the visible ones.
    const row = given.slice(0, to.live.length);
    refuseNulls(to, row);
    return row;
  });
  return next;
}

function refuseNulls(to: CompiledTable, row: readonly Datum[]): void {
  for (const place of to.keyPlaces) {
    if (row[place] !== null) continue;
    const { name } = to.live[place] as ColumnDescriptor;
    const message = `column "${name}" of relation "${to.table.name}" contains null values`;
    const at = { ...placeOf(to.table), column: name };
    throw rowError("Invalid", "ROW_NULL", "23502", message, at);
  }
}

function keyedTable(
  table: TableDescriptor,
  { name, columns }: NewPrimaryKey,
  relation: number,
): TableDescriptor {
  const refused = (sqlState: string, message: string): Error =>
    rowError("Invalid", "ROW_TABLE_INVALID", sqlState, message, placeOf(table));
  if (table.constraints.some(({ kind }) => kind === "primary key")) {
    const message = `multiple primary keys for table "${table.name}" are not allowed`;
    throw refused("42P16", message);
  }
  const ids = columns.map((each) => {
    const column = visibleColumns(table).find((one) => one.name === each);
    if (column === undefined)
      throw refused("42703", `column "${each}" named in key does not exist`);
    keyFormOf(column.type, column.name);
    return column.id;
  });
  const twice = columns.find((each, i) => columns.indexOf(each) < i);
  if (twice !== undefined) {
    throw refused("42701", `column "${twice}" appears twice in primary key constraint`);
  }
  return {
    ...table,
    relation,
    version: table.version + 1,
    primaryKey: ids.map((columnId) => ({ columnId, direction: "asc", nulls: "last" })),
    columns: table.columns.map((column) => {
      if (ids.includes(column.id)) return { ...column, nullable: false };
      return column.hidden === true ? { ...column, dropped: true } : column;
    }),
    constraints: [{ kind: "primary key", name }, ...table.constraints],
  };
}
