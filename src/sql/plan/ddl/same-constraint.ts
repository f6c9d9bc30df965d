import type { ConstraintDescriptor, TableDescriptor } from "../../../rows/index.ts";

/** Whether a constraint of a partition is there because its parent has one. */
export function isSameConstraint(
  parent: TableDescriptor,
  above: ConstraintDescriptor,
  table: TableDescriptor,
  own: ConstraintDescriptor | undefined,
): boolean {
  if (own === undefined || own.kind !== above.kind) return false;
  if (own.kind === "primary key") return true;
  if (own.kind !== "foreign key" || above.kind !== "foreign key") return own.name === above.name;
  return foreignKeyShape(parent, above) === foreignKeyShape(table, own);
}

function foreignKeyShape(
  { columns }: TableDescriptor,
  key: Extract<ConstraintDescriptor, { readonly kind: "foreign key" }>,
): string {
  const names = (ids: readonly number[] = []): readonly (string | undefined)[] =>
    ids.map((id) => columns.find((column) => column.id === id)?.name);
  const { references, onDelete, onUpdate, match, deferrable, initiallyDeferred } = key;
  const set = names(key.onDeleteColumns);
  const how = [onDelete, onUpdate, match, deferrable, initiallyDeferred];
  return JSON.stringify([names(key.columns), references, set, how]);
}
