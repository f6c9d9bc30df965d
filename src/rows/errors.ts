import { type ErrorContext, type ErrorKind, FirnError, invalid } from "../base/error.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { TableDescriptor } from "./descriptor.ts";

/** Where in the schema something went wrong; what is not known is left out. */
export interface Place {
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/**
 * An error of a row table: `context.sqlState` has its SQLSTATE, and `table`, `column` and
 * `constraint` say where.
 */
export function rowError(
  kind: ErrorKind,
  code: string,
  sqlState: string,
  message: string,
  place: Place & ErrorContext = {},
): FirnError {
  return new FirnError(kind, code, message, { sqlState, ...place });
}

/** What the shard is called that a catalog has from its first row table on. */
export const FIRST_SHARD = "default";

export function shardNotFound(name: string): FirnError {
  const message = `shard "${name}" does not exist in this catalog`;
  return rowError("NotFound", "ROW_SHARD_NOT_FOUND", "42704", message, { shard: name });
}

/** A table as the errors of its constraints name it. */
export function placeOf({ namespace, name }: TableDescriptor): Place & ErrorContext {
  return { schema: namespace.join("."), table: name };
}

/** A value that a constraint refused. */
export interface RefusedValue {
  /** The column, or the SQL of a part of an index. */
  readonly name: string;
  readonly type: ColumnType;
  readonly value: Datum;
}

/** Most bytes of one value where a whole row is shown: PostgreSQL's number. */
const SHOWN_BYTES = 64;

/**
 * A row that a constraint refused. Its context names the constraint, and not the values: who shows
 * them knows how values are written, and who may see them.
 */
/** Why a state of the past cannot be read, as SQL says it. */
export function pastError(error: unknown): unknown {
  if (!(error instanceof FirnError)) return error;
  const sqlState = PAST_STATES[error.code];
  if (sqlState === undefined) return error;
  return new FirnError(error.kind, error.code, error.message, { ...error.context, sqlState });
}

/** 72000 is PostgreSQL's `snapshot_too_old`. */
const PAST_STATES: Readonly<Record<string, string>> = {
  LSM_HISTORY_GONE: "72000",
  LSM_TIME_AHEAD: "22023",
};

export class RowViolation extends FirnError {
  readonly #values: readonly RefusedValue[];
  /** What follows the key; undefined where the whole row was refused. */
  readonly #saying: string | undefined;
  /** Tables that its message names. */
  readonly named: readonly TableDescriptor[];
  /** Tables whose rows its values tell of. */
  readonly told: readonly TableDescriptor[];

  constructor(
    error: FirnError,
    values: readonly RefusedValue[],
    { saying, named, told = named }: RowViolationParts,
  ) {
    super(error.kind, error.code, error.message, error.context);
    this.#values = values;
    this.#saying = saying;
    this.named = named;
    this.told = told;
  }

  /** The values as PostgreSQL's DETAIL tells them. @param show writes a value that is not NULL. */
  detail(show: (type: ColumnType, value: Datum) => string): string {
    const texts = this.#values.map(({ type, value }) =>
      value === null ? "null" : show(type, value),
    );
    if (this.#saying === undefined) {
      return `Failing row contains (${texts.map((text) => clipped(text)).join(", ")}).`;
    }
    const names = this.#values.map(({ name }) => name).join(", ");
    return `Key (${names})=(${texts.join(", ")}) ${this.#saying}.`;
  }
}

export interface RowViolationParts {
  readonly saying?: string;
  readonly named: readonly TableDescriptor[];
  readonly told?: readonly TableDescriptor[];
}

/** A table that cannot go or change because of another one, which the message names. */
export class TableReferenced extends FirnError {
  readonly named: readonly TableDescriptor[];

  constructor(error: FirnError, named: readonly TableDescriptor[]) {
    super(error.kind, error.code, error.message, error.context);
    this.named = named;
  }
}

/** A text of at most so many bytes, cut between characters. */
function clipped(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= SHOWN_BYTES) return text;
  let end = SHOWN_BYTES;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString("utf8", 0, end)}...`;
}

export function valueTooLong(bytes: number, most: number): FirnError {
  const message = `a value has at most ${most} bytes`;
  return rowError("Invalid", "ROW_VALUE_TOO_LONG", "54000", message, { bytes });
}

/** Stored bytes that no encoder wrote. */
export function corruptRow(what: string, context: ErrorContext = {}): FirnError {
  const message = `damaged row: ${what}`;
  return new FirnError("Corrupt", "ROW_CORRUPT", message, { sqlState: "XX001", ...context });
}

/** What the engine says of a conflict, in the words of SQL. */
export function conflictOf(error: unknown): unknown {
  if (!(error instanceof FirnError)) return error;
  const { code } = error;
  if (code !== "LSM_CONFLICT" && code !== "LSM_TRANSACTION_TOO_OLD") return error;
  const message =
    code === "LSM_CONFLICT"
      ? "another transaction changed what this one read or wrote: begin it again"
      : "the transaction was open for too long: begin it again";
  const context = { ...error.context, sqlState: "40001" };
  return new FirnError("Conflict", "ROW_CONFLICT", message, context, error);
}

export function transactionOver(): FirnError {
  return invalid("ROW_TRANSACTION_OVER", "the transaction has ended", { sqlState: "25P02" });
}

/** A table that a transaction relies on is another one by now. */
export function changedMeanwhile(): FirnError {
  const message = "a table was changed meanwhile: begin the transaction again";
  return rowError("Conflict", "ROW_CONFLICT", "40001", message);
}

/** A descriptor that its table has had, and has not any more. */
export function tableChanged(table: TableDescriptor, now: TableDescriptor): FirnError {
  const message = "the table has changed: read its descriptor again";
  const context = { table: table.name, version: table.version, now: now.version };
  return rowError("Conflict", "ROW_TABLE_CHANGED", "40001", message, context);
}

export function isolationTooLow(): FirnError {
  const message = "a change that reads the rows needs a serializable transaction";
  return rowError("Invalid", "ROW_ISOLATION_TOO_LOW", "0A000", message);
}
