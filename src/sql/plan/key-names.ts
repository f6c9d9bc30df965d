import type { Datum, TableDescriptor } from "../../rows/index.ts";
import { rowKey } from "../exec/row-key.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { asNumeric } from "./scan-node.ts";
import { storedColumns } from "./table-columns.ts";

/** Names of rows by their keys, different for rows of different tables. */
export interface KeyNames {
  readonly ofKey: (key: readonly Datum[]) => string;
  /** Of a row by its visible columns; undefined where the key is hidden. */
  readonly ofRow: (row: readonly Datum[]) => string | undefined;
}

export function keyNames(types: TypeRegistry, table: TableDescriptor): KeyNames {
  const stored = storedColumns(table);
  const slots = table.primaryKey.map(({ columnId }) =>
    stored.findIndex(({ id }) => id === columnId),
  );
  const columns = slots.map((slot) => stored[slot] as (typeof stored)[number]);
  const keyOf = rowKey(
    types,
    columns.map(({ type }) => types.fromColumnType(type).oid),
  );
  const read = (value: Datum, i: number): Datum =>
    columns[i]?.type.kind === "numeric" ? asNumeric(value) : value;
  const isHidden = columns.some(({ hidden }) => hidden === true);
  const ofKey = (key: readonly Datum[]): string => `${table.id}/${keyOf(key.map(read))}`;
  return {
    ofKey,
    ofRow: (row) => (isHidden ? undefined : ofKey(slots.map((slot) => row[slot] as Datum))),
  };
}
