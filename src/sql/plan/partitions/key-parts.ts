import type { ColumnType, PartitionKeyPart, TableDescriptor } from "../../../rows/index.ts";

export function partType(table: TableDescriptor, part: PartitionKeyPart): ColumnType {
  if ("type" in part) return part.type;
  const column = table.columns.find(({ id }) => id === part.columnId);
  return column?.type ?? { kind: "text" };
}

/** The name of a column of a key, or SQL of a part that is computed. */
export function partName(table: TableDescriptor, part: PartitionKeyPart): string {
  if ("expression" in part) return expressionPart(part.expression);
  return table.columns.find(({ id }) => id === part.columnId)?.name ?? "";
}

/** A call stands by itself, anything else in parentheses. */
function expressionPart(text: string): string {
  return /^[a-z_][\w.]*\(.*\)$/is.test(text) ? text : `(${text})`;
}
