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
