import type { Node } from "libpg-query";
import type { ColumnDescriptor, Datum, RowDatum, TableDescriptor } from "../../rows/index.ts";
import type { Scope } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { columnNamed } from "./assign.ts";

/** A column that a statement sets, or a field of it: `c.a`. */
export interface PartTarget {
  readonly column: ColumnDescriptor;
  /** What is assigned to: the column, or the field as if it were one. */
  readonly field: ColumnDescriptor & { readonly isField?: boolean };
  /** From the column to the field; empty: the column itself. */
  readonly path: readonly Step[];
}

/** A field by its place, and how many there are. */
interface Step {
  readonly place: number;
  readonly width: number;
}

/** @throws SqlError 42703, 42804, 0A000. */
export function partTarget(
  env: Pick<Scope, "source"> & { readonly functions: { readonly types: TypeRegistry } },
  table: TableDescriptor,
  { name = "", location, indirection = [] }: NodeOf<"ResTarget">,
): PartTarget {
  const column = columnNamed(table, name, env, location);
  const { types } = env.functions;
  const path: Step[] = [];
  let field: PartTarget["field"] = column;
  for (const node of indirection) {
    const part = fieldName(node);
    const { oid } = types.fromColumnType(field.type);
    const refused = `cannot assign to field "${part}" of column "${field.name}" because`;
    const fail = (sqlState: string, why: string): SqlError =>
      new SqlError(sqlState, `${refused} ${why}`).at(env.source.position(location));
    const { fields } = types.get(types.baseOf(oid));
    const shown = typeName(types, oid);
    if (fields === undefined) throw fail("42804", `its type ${shown} is not a composite type`);
    const place = fields.findIndex((each) => each.name === part);
    const found = fields[place];
    if (found === undefined) throw fail("42703", `there is no such column in data type ${shown}`);
    path.push({ place, width: fields.length });
    field = { ...column, name: part, type: found.type, isField: true };
  }
  return { column, field, path };
}

function fieldName(node: Node): string {
  const name = contentOf(node, "String")?.sval;
  if (name === undefined) throw notSupported("an element of an array as a target");
  return name;
}

/** A value of a column whose field at the end of a path is another one. */
export function withPart(before: Datum, path: readonly Step[], value: Datum): Datum {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const fields =
    before === null ? new Array<Datum>(step.width).fill(null) : [...(before as RowDatum).fields];
  fields[step.place] = withPart(fields[step.place] ?? null, rest, value);
  return { fields };
}

/** @throws SqlError 0A000: a field has no default. */
export function assertNoDefault({ path }: PartTarget, isDefault: boolean): void {
  if (!isDefault || path.length === 0) return;
  throw new SqlError("0A000", "cannot set a subfield to DEFAULT");
}

/** Whether a target may stand beside another one of its column: both are fields. */
export function isBeside(one: PartTarget, other: PartTarget): boolean {
  return one.column.id !== other.column.id || (one.path.length > 0 && other.path.length > 0);
}
