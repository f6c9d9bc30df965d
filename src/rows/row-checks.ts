import { assert } from "../base/assert.ts";
import type { FirnError } from "../base/error.ts";
import type { AnyId, IdSource } from "../base/ids.ts";
import { storedDatum } from "./check-datum.ts";
import type { TypeWithin } from "./column-type.ts";
import type { CompiledTable, ShownColumn } from "./compiled-table.ts";
import type { ArrayDatum, Datum, RowDatum } from "./datum.ts";
import { type ColumnDescriptor, visibleColumns } from "./descriptor.ts";
import { refusedColumn } from "./duplicate.ts";
import { placeOf, RowViolation, rowError } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";

/**
 * A row in full: values that were given, the old row's or defaults for the others, then the columns
 * that are computed.
 *
 * @param places of the values that are given; one that is `undefined` is to have its default.
 * @param old of a row that is updated.
 * @throws FirnError `Invalid`, codes `ROW_VALUE_INVALID`, `ROW_COLUMN_GENERATED` (428C9).
 */
export function completedRow(
  compiled: CompiledTable,
  places: readonly number[],
  values: readonly (Datum | undefined)[],
  context: ExpressionContext,
  ids: IdSource | undefined,
  options: {
    readonly overridesIdentity?: boolean;
    /** The next number of a column, by its place. */
    readonly numbers?: ReadonlyMap<number, Datum>;
  },
  old?: readonly Datum[],
): readonly Datum[] {
  const { live, table } = compiled;
  if (values.length !== places.length) {
    const message = `a row of ${places.length} columns has ${values.length} values`;
    throw rowError("Invalid", "ROW_VALUES_MISSING", "42601", message, { table: table.name });
  }
  const row: (Datum | undefined)[] = old === undefined ? new Array(live.length) : [...old];
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number;
    const column = live[place] as ColumnDescriptor;
    const value = values[i];
    if (value === undefined) {
      row[place] = undefined;
      continue;
    }
    refuseGiven(table.name, column, options.overridesIdentity === true);
    row[place] = storedDatum(column.type, value, compiled.shown[place] as ShownColumn);
  }
  for (let place = 0; place < live.length; place++) {
    if (row[place] !== undefined) continue;
    row[place] = options.numbers?.get(place) ?? defaultOf(compiled, place, context, ids);
  }
  const full = row as Datum[];
  for (let place = 0; place < live.length; place++) {
    const compute = compiled.generated[place];
    if (compute === undefined) continue;
    const { type } = live[place] as ColumnDescriptor;
    full[place] = storedDatum(type, compute(full, context), compiled.shown[place] as ShownColumn);
  }
  return full;
}

function refuseGiven(table: string, column: ColumnDescriptor, overridesIdentity: boolean): void {
  const isComputed = column.generated !== undefined;
  if (!isComputed && (column.identity !== "always" || overridesIdentity)) return;
  const message = "a generated column takes no value but DEFAULT";
  const place = { table, column: column.name };
  throw rowError("Invalid", "ROW_COLUMN_GENERATED", "428C9", message, place);
}

function defaultOf(
  compiled: CompiledTable,
  place: number,
  context: ExpressionContext,
  ids: IdSource | undefined,
): Datum {
  const column = compiled.live[place] as ColumnDescriptor;
  if (column.hidden === true && ids !== undefined) return ids.mintNext<AnyId>();
  const { default: given } = column;
  if (given === undefined) return null;
  if (given.kind === "constant") return given.value;
  assert(given.kind === "expression", "the numbers of sequences are taken before");
  const at = { table: compiled.table.name, column: column.name };
  const compute = compiled.defaults[place];
  assert(compute !== undefined, "a default that is not a constant was compiled");
  return storedDatum(column.type, compute([], context), at);
}

/** The parts of a value at the end of a path; none of what is NULL before its end. */
function valuesAt(value: Datum, path: TypeWithin["path"]): readonly Datum[] {
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  if (value === null) return [];
  if (step !== "elements") return valuesAt((value as RowDatum).fields[step] ?? null, rest);
  return (value as ArrayDatum).elements.flatMap((element) => valuesAt(element, rest));
}

export function domainNull(domain: string): string {
  return `domain ${domain} does not allow null values`;
}

export function domainCheck(domain: string, check: string): string {
  return `value for domain ${domain} violates check constraint "${check}"`;
}

/**
 * Domains, NOT NULL and CHECK of a row. A check that is NULL holds.
 *
 * @throws FirnError `Invalid`, codes `ROW_NULL` (23502), `ROW_CHECK_FAILED` (23514).
 */
export function refuseBadRow(
  compiled: CompiledTable,
  row: readonly Datum[],
  context: ExpressionContext,
): void {
  const { live, table, checks, domains } = compiled;
  for (const { place, path, name, notNull, checks: own } of domains) {
    const at = { table: table.name, column: live[place]?.name ?? "" };
    for (const value of valuesAt(row[place] as Datum, path)) {
      if (value === null && notNull) {
        throw rowError("Invalid", "ROW_NULL", "23502", domainNull(name), at);
      }
      const failed = own.find(({ holds }) => holds([value], context) === false);
      if (failed === undefined) continue;
      const message = domainCheck(name, failed.name);
      const where = { ...at, constraint: failed.name };
      throw rowError("Invalid", "ROW_CHECK_FAILED", "23514", message, where);
    }
  }
  for (let place = 0; place < live.length; place++) {
    const column = live[place] as ColumnDescriptor;
    if (column.nullable || row[place] !== null) continue;
    const message = `null value in column "${column.name}" violates not-null constraint`;
    const at = { ...placeOf(table), column: column.name };
    throw badRow(compiled, row, rowError("Invalid", "ROW_NULL", "23502", message, at));
  }
  for (const { name, holds } of checks) {
    if (holds(row, context) !== false) continue;
    const message = `new row violates check constraint "${name}"`;
    const at = { ...placeOf(table), constraint: name };
    throw badRow(compiled, row, rowError("Invalid", "ROW_CHECK_FAILED", "23514", message, at));
  }
  refuseOutside(compiled, row, context);
}

/** @throws FirnError `Invalid`, code `ROW_OUTSIDE_PARTITION` (23514). */
export function refuseOutside(
  compiled: CompiledTable,
  row: readonly Datum[],
  context: ExpressionContext,
): void {
  const { table, holdsRow } = compiled;
  if (holdsRow === undefined || holdsRow(row, context) !== false) return;
  const message = `new row for relation "${table.name}" violates partition constraint`;
  const error = rowError("Invalid", "ROW_OUTSIDE_PARTITION", "23514", message, placeOf(table));
  throw badRow(compiled, row, error);
}

function badRow(compiled: CompiledTable, row: readonly Datum[], error: FirnError): FirnError {
  const shown = visibleColumns(compiled.table);
  return new RowViolation(
    error,
    shown.map(({ id }) => refusedColumn(compiled, id, row)),
    { named: [compiled.table] },
  );
}
