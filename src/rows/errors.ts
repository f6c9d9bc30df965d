import { type ErrorContext, type ErrorKind, FirnError } from "../base/error.ts";

/** Where in the schema something went wrong; what is not known is left out. */
export interface Place {
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
