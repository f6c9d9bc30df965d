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
  const values = index?.refused(row, context) ?? primaryKeyOf(compiled, compiled.keyOf(row));
  return violation(compiled, index, values);
}

/**
 * Two rows that were written together have the same key. One that is cut off tells no values.
 *
 * @param key of the table, or of an entry of one of its unique indexes.
 */
export function duplicateKey(compiled: CompiledTable, key: Uint8Array): FirnError {
  const index = compiled.indexes.find(({ key: codec }) => {
    const { from, to } = codec.range({});
    return Buffer.compare(key, from) >= 0 && (to === undefined || Buffer.compare(key, to) < 0);
  });
  try {
    const values = index?.refusedKey(key) ?? primaryKeyOf(compiled, compiled.key.decode(key));
    return violation(compiled, index, values);
  } catch {
    return plain(compiled, index);
  }
}

function violation(
  compiled: CompiledTable,
  index: CompiledIndex | undefined,
  values: readonly RefusedValue[],
): FirnError {
  const parts = { saying: "already exists", named: [compiled.table] };
  return new RowViolation(plain(compiled, index), values, parts);
}

function plain(compiled: CompiledTable, index: CompiledIndex | undefined): FirnError {
  const { constraints, name } = compiled.table;
  const key = constraints.find(({ kind }) => kind === "primary key");
  const constraint = index?.index.name ?? key?.name ?? `${name}_pkey`;
  const message = `duplicate key value violates unique constraint "${constraint}"`;
  const place = { ...placeOf(compiled.table), constraint };
  return rowError("AlreadyExists", "ROW_DUPLICATE", "23505", message, place);
}

function primaryKeyOf(compiled: CompiledTable, key: readonly Datum[]): readonly RefusedValue[] {
  return compiled.table.primaryKey.map(({ columnId }, i) => {
    const { name, type } = compiled.column(columnId);
    return { name, type, value: key[i] as Datum };
  });
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
