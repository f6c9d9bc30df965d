import type { ColumnDomain, ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";

/** A change of a type of SQL, for the columns that have a copy of it. */
export interface TypeChange {
  readonly typeId: number;
  readonly type: ColumnType;
  /** A label of an enum that has another name now. */
  readonly label?: { readonly from: string; readonly to: string };
}

/** Whether a type is the one of an id, rests on it, or has elements of it. */
export function mentionsType(type: ColumnType, typeId: number): boolean {
  for (let domain = type.domain; domain !== undefined; domain = domain.base) {
    if (domain.typeId === typeId) return true;
  }
  if (type.element !== undefined) return mentionsType(type.element, typeId);
  return type.kind === "enum" && type.typeId === typeId;
}

/** A type behind a change of one that it is, rests on, or has elements of. */
export function retyped(type: ColumnType, change: TypeChange): ColumnType {
  if (!mentionsType(type, change.typeId)) return type;
  const { domain, element } = type;
  if (domain === undefined) {
    return element === undefined ? change.type : { ...type, element: retyped(element, change) };
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

/** A table whose columns, defaults and indexes know a type as it is now. */
export function retypedTable(table: TableDescriptor, change: TypeChange): TableDescriptor {
  const column = (one: ColumnDescriptor): ColumnDescriptor => {
    if (!mentionsType(one.type, change.typeId)) return one;
    const { default: given, missing } = one;
    const value = (datum: Datum): Datum => {
      const { label } = change;
      return label !== undefined && datum === label.from ? label.to : datum;
    };
    return {
      ...one,
      type: retyped(one.type, change),
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
