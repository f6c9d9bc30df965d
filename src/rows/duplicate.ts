import type { FirnError } from "../base/error.ts";
import type { CompiledIndex } from "./compiled-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { placeOf, type RefusedValue, RowViolation, rowError } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";

/** A row whose key another one has. @param index undefined: the primary key's. */
export function duplicate(
  compiled: CompiledTable,
  index: CompiledIndex | undefined,
  row: readonly Datum[],
  context: ExpressionContext,
): FirnError {
  const { constraints, name } = compiled.table;
  const key = constraints.find(({ kind }) => kind === "primary key");
  const constraint = index?.index.name ?? key?.name ?? `${name}_pkey`;
  const message = `duplicate key value violates unique constraint "${constraint}"`;
  const place = { ...placeOf(compiled.table), constraint };
  const error = rowError("AlreadyExists", "ROW_DUPLICATE", "23505", message, place);
  const values = index?.refused(row, context) ?? primaryKeyOf(compiled, row);
  return new RowViolation(error, values, { saying: "already exists", named: [compiled.table] });
}

function primaryKeyOf(compiled: CompiledTable, row: readonly Datum[]): readonly RefusedValue[] {
  return compiled.table.primaryKey.map(({ columnId }) => refusedColumn(compiled, columnId, row));
}

/** The value of a column in a row that was refused. */
export function refusedColumn(
  compiled: CompiledTable,
  columnId: number,
  row: readonly Datum[],
): RefusedValue {
  const { name, type } = compiled.column(columnId);
  return { name, type, value: row[compiled.placeOf(columnId)] as Datum };
}
