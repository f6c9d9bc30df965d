import type { Node } from "libpg-query";
import type {
  ArrayDatum,
  ColumnDescriptor,
  Datum,
  RowDatum,
  TableDescriptor,
} from "../../rows/index.ts";
import type { Scope } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import { contentOf, type NodeOf } from "../parse/statement.ts";
import { elementAt, withElement } from "../types/array-element.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { columnNamed } from "./assign.ts";

/** A column that a statement sets, or a part of it: the field `c.a`, the element `c[1]`. */
export interface PartTarget {
  readonly column: ColumnDescriptor;
  /** What is assigned to: the column, or the part as if it were one. */
  readonly field: ColumnDescriptor & { readonly isField?: boolean };
  /** From the column to the part; empty: the column itself. */
  readonly path: readonly Step[];
}

/** A field by its place, and how many there are; or an element by its subscripts. */
type Step =
  | { readonly place: number; readonly width: number }
  | { readonly subscripts: readonly number[] };

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
  for (const [i, node] of indirection.entries()) {
    if ("A_Indices" in node) {
      // All that stand together are subscripts of one array.
      if (i > 0 && "A_Indices" in (indirection[i - 1] as Node)) continue;
      const { element, kind } = field.type;
      if (kind === "jsonb") {
        throw notSupported("a part of a jsonb as a target", "jsonb_set() sets a part.");
      }
      if (element === undefined) {
        const shown = typeName(types, types.fromColumnType(field.type).oid);
        const message = `cannot subscript type ${shown} because it does not support subscripting`;
        throw new SqlError("42804", message).at(env.source.position(location));
      }
      path.push({ subscripts: subscriptsOf(indirection.slice(i)) });
      field = { ...column, name: field.name, type: element, isField: true };
      continue;
    }
    const part = contentOf(node, "String")?.sval ?? "";
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

/** @throws SqlError 0A000 unless they are numbers. */
function subscriptsOf(nodes: readonly Node[]): readonly number[] {
  const end = nodes.findIndex((node) => !("A_Indices" in node));
  return nodes.slice(0, end < 0 ? undefined : end).map((node) => {
    const { is_slice: isSlice, uidx } = contentOf(node, "A_Indices") ?? {};
    if (isSlice === true) throw notSupported("a slice of an array as a target");
    const constant = contentOf(uidx, "A_Const");
    const { ival } = constant ?? {};
    // Of 0 the tree has an empty object.
    if (ival === undefined) throw notSupported("a computed subscript of a target");
    return ival.ival ?? 0;
  });
}

/** A value of a column whose part at the end of a path is another one. */
export function withPart(before: Datum, path: readonly Step[], value: Datum): Datum {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if ("subscripts" in step) {
    const array = before as ArrayDatum | null;
    const inner = rest.length === 0 ? null : elementAt(array, step.subscripts);
    return withElement(array, step.subscripts, withPart(inner, rest, value));
  }
  const fields =
    before === null ? new Array<Datum>(step.width).fill(null) : [...(before as RowDatum).fields];
  fields[step.place] = withPart(fields[step.place] ?? null, rest, value);
  return { fields };
}

/** @throws SqlError 0A000: a part has no default. */
export function assertNoDefault({ path }: PartTarget, isDefault: boolean): void {
  if (!isDefault || path.length === 0) return;
  const isElement = "subscripts" in (path.at(-1) as Step);
  const what = isElement ? "an array element" : "a subfield";
  throw new SqlError("0A000", `cannot set ${what} to DEFAULT`);
}

/** Whether a target may stand beside another one of its column: both are parts. */
export function isBeside(one: PartTarget, other: PartTarget): boolean {
  return one.column.id !== other.column.id || (one.path.length > 0 && other.path.length > 0);
}
