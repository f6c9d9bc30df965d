import type { ColumnSpec, IndexSpec } from "../../../rows/index.ts";
import type { NewTable } from "../../catalog/view.ts";
import type { NodeOf } from "../../parse/statement.ts";

/** The columns and constraints of a table that is being made or changed. */
export interface Elements {
  readonly columns: ColumnSpec[];
  readonly indexes: IndexSpec[];
  readonly checks: { readonly name: string; readonly expression: string }[];
  readonly foreignKeys: Given[];
  primaryKey: NewTable["primaryKey"];
}

export function noElements(): Elements {
  return { columns: [], indexes: [], checks: [], foreignKeys: [], primaryKey: undefined };
}

/** A constraint that stands behind a column, or by itself. */
export interface Given {
  readonly constraint: NodeOf<"Constraint">;
  readonly column: string | undefined;
}
