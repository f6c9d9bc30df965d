import type { ColumnDomain, ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { valueReader } from "./value-reader.ts";
import { ValueWriter } from "./value-writer.ts";

/** A change of a type of SQL, for the columns that have a copy of it. */
export interface TypeChange {
  readonly typeId: number;
  readonly type: ColumnType;
  /** A label of an enum that has another name now. */
  readonly label?: { readonly from: string; readonly to: string };
}

/** Whether a type is the one of an id, rests on it, or has elements of it. */
export function isOfType(type: ColumnType, typeId: number): boolean {
  for (let domain = type.domain; domain !== undefined; domain = domain.base) {
    if (domain.typeId === typeId) return true;
  }
  if (type.element !== undefined) return isOfType(type.element, typeId);
  return type.typeId === typeId;
}

/** As `isOfType`, or whether it has a field that is so. */
export function mentionsType(type: ColumnType, typeId: number): boolean {
  if (isOfType(type, typeId)) return true;
  if (type.element !== undefined) return mentionsType(type.element, typeId);
  return type.fields?.some((field) => mentionsType(field.type, typeId)) === true;
}

/** A type behind a change of one that it is, rests on, or has elements of. */
export function retyped(type: ColumnType, change: TypeChange): ColumnType {
  if (!mentionsType(type, change.typeId)) return type;
  const { domain, element, fields } = type;
  if (domain === undefined) {
    if (element !== undefined) return { ...type, element: retyped(element, change) };
    if (type.typeId === change.typeId || fields === undefined) return change.type;
    const changed = fields.map((field) => ({ ...field, type: retyped(field.type, change) }));
    return { ...type, fields: changed };
  }
  if (domain.typeId === change.typeId) return change.type;
  const { base: _, ...own } = domain;
  const below = retyped(bare(type, domain.base), change);
  const { domain: base, ...plain } = below;
  return { ...plain, domain: { ...own, ...(base && { base }) } };
}

function bare({ domain: _, ...type }: ColumnType, domain: ColumnDomain | undefined): ColumnType {
  return domain === undefined ? type : { ...type, domain };
}

/** A value as a row would have stored it before the change, read behind it. */
function restored(datum: Datum, from: ColumnType, to: ColumnType): Datum {
  if (datum === null) return null;
  const writer = new ValueWriter();
  writer.write(from, datum);
  return valueReader(to)(writer.bytes, 0, writer.length);
}

/** A table whose columns, defaults and indexes know a type as it is now. */
export function retypedTable(table: TableDescriptor, change: TypeChange): TableDescriptor {
  const column = (one: ColumnDescriptor): ColumnDescriptor => {
    if (!mentionsType(one.type, change.typeId)) return one;
    const { default: given, missing } = one;
    const type = retyped(one.type, change);
    const value = (datum: Datum): Datum => {
      const { label } = change;
      if (typeof datum === "object") return restored(datum, one.type, type);
      return label !== undefined && datum === label.from ? label.to : datum;
    };
    return {
      ...one,
      type,
      ...(missing !== undefined && { missing: value(missing) }),
      ...(given?.kind === "constant" && { default: { ...given, value: value(given.value) } }),
    };
  };
  return {
    ...table,
    columns: table.columns.map(column),
    indexes: table.indexes.map((index) => ({
      ...index,
      parts: index.parts.map((part) =>
        "expression" in part ? { ...part, type: retyped(part.type, change) } : part,
      ),
    })),
  };
}
