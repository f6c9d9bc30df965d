import type { AnyId, IdSource } from "../base/ids.ts";
import type { TableDescriptor } from "./descriptor.ts";
import { placeOf, rowError } from "./errors.ts";
import { type MoveHost, moveRows } from "./move-rows.ts";
import { hiddenKey } from "./table-spec.ts";

/**
 * Drops the primary key: rows move to a new relation, under a hidden `rowid`, as `moveRows` does.
 * Its columns stay NOT NULL. No foreign key may refer to it any more.
 *
 * @throws FirnError `Invalid`, code `ROW_TABLE_INVALID` (42704); `Conflict`, code
 *   `ROW_TABLE_IN_USE` (55006).
 */
export async function dropPrimaryKey(
  on: MoveHost & { readonly ids: IdSource },
  table: TableDescriptor,
): Promise<TableDescriptor> {
  on.assertSerializable();
  if (!table.constraints.some(({ kind }) => kind === "primary key")) {
    const message = `table "${table.name}" has no primary key`;
    throw rowError("Invalid", "ROW_TABLE_INVALID", "42704", message, placeOf(table));
  }
  const hidden = hiddenKey(Math.max(0, ...table.columns.map(({ id }) => id)) + 1);
  const next: TableDescriptor = {
    ...table,
    relation: await on.newRelation(),
    version: table.version + 1,
    primaryKey: [{ columnId: hidden.id, direction: "asc", nulls: "last" }],
    columns: [...table.columns, hidden],
    constraints: table.constraints.filter(({ kind }) => kind !== "primary key"),
  };
  await moveRows(on, table, next, (row) => [...row, on.ids.mintNext<AnyId>()]);
  return next;
}
