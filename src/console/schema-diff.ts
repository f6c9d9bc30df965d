import type { PageField } from "../api/page-operations.ts";

/** What became of one field between two schemas. */
export interface FieldChange {
  readonly id: number;
  readonly before: PageField | undefined;
  readonly after: PageField | undefined;
  readonly kind: "added" | "dropped" | "changed" | "same";
}

/** Fields are told apart by their ids: a renamed field is the same field. */
export function schemaDiff(
  before: readonly PageField[],
  after: readonly PageField[],
): readonly FieldChange[] {
  const was = new Map(before.map((field) => [field.id, field]));
  const is = new Map(after.map((field) => [field.id, field]));
  const ids = [...new Set([...was.keys(), ...is.keys()])].sort((a, b) => a - b);
  return ids.map((id) => {
    const [old, now] = [was.get(id), is.get(id)];
    return { id, before: old, after: now, kind: kindOf(old, now) };
  });
}

function kindOf(before: PageField | undefined, after: PageField | undefined): FieldChange["kind"] {
  if (before === undefined) return "added";
  if (after === undefined) return "dropped";
  return fieldText(before) === fieldText(after) ? "same" : "changed";
}

export function fieldText({ name, type, required }: PageField): string {
  return `${name} ${type}${required ? " not null" : ""}`;
}
