import { isWider, type NewColumnType, named, type ReadsColumn, refused } from "./alter.ts";
import { storedDatum } from "./check-datum.ts";
import type { Datum } from "./datum.ts";
import type {
  ColumnDescriptor,
  IndexDescriptor,
  IndexPart,
  TableDescriptor,
} from "./descriptor.ts";
import type { Expressions } from "./expressions.ts";
import { keyFormOf } from "./key-columns.ts";
import { type MoveHost, moveRows } from "./move-rows.ts";
import { refuseBadRow } from "./row-checks.ts";

/** Whether no row has to be written. */
export function isWidened(
  table: TableDescriptor,
  { column, type, isPlain }: NewColumnType,
  reads: ReadsColumn,
): boolean {
  return isPlain && isWider(table, named(table, column), type, reads);
}

/**
 * Rows are written anew, as `moveRows` does.
 *
 * @throws FirnError `Invalid`, codes `ROW_TABLE_INVALID` (0A000), `ROW_NULL` (23502),
 *   `ROW_CHECK_FAILED` (23514), `ROW_VALUE_INVALID`; and as `moveRows`.
 */
export async function setColumnType(
  on: MoveHost & { readonly expressions: Expressions },
  table: TableDescriptor,
  change: NewColumnType,
  reads: ReadsColumn,
): Promise<TableDescriptor> {
  on.assertSerializable();
  const { column } = change;
  const retyped = retypedColumn(table, change, reads, await on.newRelation());
  const next = { ...retyped, indexes: await indexesOf(on.expressions, retyped, column, reads) };
  const { id } = named(table, change.column);
  const of = { table: table.name, column: change.column };
  await moveRows(on, table, next, (given, to) => {
    const row: Datum[] = [...given];
    const value = change.value(given, on.context);
    row[to.placeOf(id)] = storedDatum(change.type, value, of);
    refuseBadRow(to, row, on.context);
    return row;
  });
  return next;
}

function retypedColumn(
  table: TableDescriptor,
  { column: name, type, default: given }: NewColumnType,
  reads: ReadsColumn,
  relation: number,
): TableDescriptor {
  const column = named(table, name);
  const user = computedOf(table, column, reads);
  if (user !== undefined) {
    const what = `"${user}" computes with the column: drop that first`;
    throw refused(table, "0A000", what, name);
  }
  if (isInForeignKey(table, column)) {
    throw refused(table, "0A000", "a foreign key may have the column: drop that first", name);
  }
  if (isInKey(table, column)) keyFormOf(type, name);
  const { default: _, missing: __, ...rest } = column;
  const next = { ...rest, type, ...(given !== undefined && { default: given }) };
  return {
    ...table,
    relation,
    version: table.version + 1,
    columns: table.columns.map((one) => (one.id === column.id ? next : one)),
  };
}

/** A generated column that would have other values. */
function computedOf(
  table: TableDescriptor,
  { generated, name }: ColumnDescriptor,
  reads: ReadsColumn,
): string | undefined {
  if (generated !== undefined) return name;
  const other = table.columns.find(
    (one) => one.generated !== undefined && one.dropped !== true && reads(one.generated, name),
  );
  return other?.name;
}

/** The indexes of a table, with the types that their expressions have now. */
async function indexesOf(
  expressions: Expressions,
  table: TableDescriptor,
  column: string,
  reads: ReadsColumn,
): Promise<readonly IndexDescriptor[]> {
  const partOf = async (part: IndexPart): Promise<IndexPart> => {
    if (!("expression" in part) || !reads(part.expression, column)) return part;
    if (expressions.typeOf === undefined) {
      throw refused(table, "0A000", "an index computes with the column: drop that first", column);
    }
    return { ...part, type: await expressions.typeOf(part.expression, table, "index part") };
  };
  return await Promise.all(
    table.indexes.map(async (index) => ({
      ...index,
      parts: await Promise.all(index.parts.map(partOf)),
    })),
  );
}

function isInForeignKey(table: TableDescriptor, column: ColumnDescriptor): boolean {
  const isOf = table.constraints.some(
    (one) => one.kind === "foreign key" && one.columns.includes(column.id),
  );
  return isOf || ((table.referencedBy ?? []).length > 0 && isInKey(table, column, true));
}

function isInKey(
  { primaryKey, indexes }: TableDescriptor,
  { id }: ColumnDescriptor,
  unique = false,
): boolean {
  const ordered = indexes.filter((one) => one.method === undefined && (one.unique || !unique));
  const keys = [primaryKey, ...ordered.map(({ parts }) => parts)];
  return keys.flat().some((part) => "columnId" in part && part.columnId === id);
}
