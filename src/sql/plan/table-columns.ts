import {
  type ColumnDescriptor,
  type ColumnSpec,
  type ColumnType,
  type TableDescriptor,
  visibleColumns,
} from "../../rows/index.ts";
import type { ScopeColumn, ScopeTable } from "../bind/scope.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import type { TableUse } from "./table-use.ts";

/** The columns that rows of a table are read as: those that are seen, then a hidden key. */
export function storedColumns(table: TableDescriptor): readonly ColumnDescriptor[] {
  const hidden = table.columns.filter(
    (column) => column.hidden === true && column.dropped !== true,
  );
  return [...visibleColumns(table), ...hidden];
}

/** What checks of a domain see: its value. */
export function valueTable(types: TypeRegistry, type: ColumnType): ScopeTable {
  const { domain: _, ...base } = type;
  const { oid, typmod } = types.fromColumnType(base);
  const column = { name: "value", oid, typmod, slot: 0, tableOid: 0, attribute: 1 };
  return { name: "", columns: [column] };
}

/** A table as names of a statement see it. */
export function scopeTable(types: TypeRegistry, use: TableUse, alias?: string): ScopeTable {
  const { descriptor, oid: tableOid } = use;
  const columns = visibleColumns(descriptor).map((column, slot): ScopeColumn => {
    const { oid, typmod } = types.fromColumnType(column.type);
    return { name: column.name, oid, typmod, slot, tableOid, attribute: column.id };
  });
  const schema = alias === undefined ? { schema: descriptor.namespace.join(".") } : {};
  const keys = new Set(descriptor.primaryKey.map(({ columnId }) => columnId));
  const isFilled = ({ id, nullable }: ColumnDescriptor) => !nullable || keys.has(id);
  const filled = visibleColumns(descriptor).findIndex(isFilled);
  const name = alias ?? descriptor.name;
  return {
    name,
    ...schema,
    columns,
    isStored: true,
    rowType: tableOid,
    ...(use.partitions !== undefined && { tableOid: oidColumn(columns.length) }),
    ...(filled >= 0 && { filled }),
  };
}

/** The OID of the partition that a row is in stands behind the columns. */
function oidColumn(slot: number): ScopeColumn {
  return { name: "tableoid", oid: OID.oid, typmod: -1, slot, tableOid: 0, attribute: 0 };
}

/** Columns of a table that is not there yet, as expressions see them. */
export function specTable(
  types: TypeRegistry,
  name: string,
  columns: readonly Pick<ColumnSpec, "name" | "type">[],
): ScopeTable {
  return {
    name,
    columns: columns.map((column, slot) => {
      const { oid, typmod } = types.fromColumnType(column.type);
      return { name: column.name, oid, typmod, slot, tableOid: 0, attribute: slot + 1 };
    }),
  };
}
