import type { ForeignKeyAction } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import type { NewForeignKey } from "../../catalog/catalog-changes.ts";
import { notSupported, SqlError } from "../../error.ts";
import { type DdlPorts, type DdlRun, madeName, tableOf } from "./ddl-run.ts";
import type { Given } from "./elements.ts";

const ACTIONS: Readonly<Record<string, ForeignKeyAction>> = {
  a: "no action",
  r: "restrict",
  c: "cascade",
  n: "set null",
  d: "set default",
};

/**
 * A FOREIGN KEY constraint.
 *
 * @param table that has it; one that is being made may reference itself.
 * @throws SqlError 42P01.
 */
export async function foreignKeySpec(
  on: DdlRun,
  ports: DdlPorts,
  table: string,
  { constraint, column }: Given,
  isTaken: (name: string) => boolean,
): Promise<NewForeignKey> {
  const { conname, fk_attrs, pk_attrs = [], pktable = {}, deferrable, initdeferred } = constraint;
  const { fk_del_set_cols: set = [] } = constraint;
  const columns = column === undefined ? textsOf(fk_attrs) : [column];
  // The key tells which rows are there, and keeps them from being deleted.
  const needs = ["read-data", "alter"] as const;
  const found = await ports.find(on.rows, pktable, needs);
  const isOwn = found === undefined && pktable.relname === table;
  if (found?.table.materialized === true) {
    throw new SqlError("42809", `referenced relation "${found.table.name}" is not a table`);
  }
  if (found?.table.partitioned !== undefined) {
    throw referencesParted();
  }
  if (!isOwn && found === undefined) await tableOf(on, ports, pktable, false, needs);
  return {
    name: conname ?? madeName(table, columns, "fkey", isTaken),
    columns,
    references: {
      ...(found !== undefined && { table: found.table.id }),
      ...(pk_attrs.length > 0 && { columns: textsOf(pk_attrs) }),
    },
    onDelete: ACTIONS[constraint.fk_del_action ?? "a"] ?? "no action",
    ...(set.length > 0 && { onDeleteColumns: textsOf(set) }),
    onUpdate: ACTIONS[constraint.fk_upd_action ?? "a"] ?? "no action",
    match: constraint.fk_matchtype === "f" ? "full" : "simple",
    deferrable: deferrable === true,
    initiallyDeferred: initdeferred === true,
  };
}

export function referencesParted(): SqlError {
  return notSupported(
    "a foreign key that references a partitioned table",
    "Reference a table that is not partitioned.",
  );
}
