import { type ErrorContext, type ErrorKind, FirnError } from "../../base/error.ts";

/** What is stored is not what was written, or a part of it is missing. */
export function corrupt(file: string, offset: number, what: string): FirnError {
  const context = { file, offset, what };
  return new FirnError("Corrupt", "WAL_CORRUPT", `write-ahead log: ${what}`, context);
}

/** Damage that was found in what a file holds, by who does not know the file: with its name. */
export function inLogFile(file: string, error: unknown): unknown {
  if (!(error instanceof FirnError) || error.kind !== "Corrupt") return error;
  const { kind, code, message, context } = error;
  return "file" in context
    ? error
    : new FirnError(kind, code, message, { ...context, file }, error);
}

/** @param kind `Unknown` of a group that is written already: its new owner may have read it. */
export function fenced(file: string, kind: Extract<ErrorKind, "Unknown" | "Unavailable">): Error {
  const message = "another writer took over";
  if (kind === "Unknown") return new FirnError("Unknown", "WAL_FENCED", message, { file });
  return new FirnError("Unavailable", "WAL_FENCED", message, { file });
}

/** Of a take-over: a file is of a writer whose epoch is not below its own. */
export function outranked(file: string, epoch: number): FirnError {
  const message = "another writer took over";
  return new FirnError("Unavailable", "WAL_FENCED", message, { file, epoch });
}

/** A write or its sync failed: no later call says whether it is on the disk. */
export function writeUnknown(file: string, cause: unknown): FirnError {
  const message = "a log write failed midway: it may have happened";
  return new FirnError("Unknown", "WAL_WRITE_UNKNOWN", message, contextOf(file, cause), cause);
}

/** Certainly not written: the log could not be made ready for it. */
export function unwritten(file: string, cause: unknown): FirnError {
  if (cause instanceof FirnError && NOTHING_HAPPENED.has(cause.code)) return cause;
  const message = "the log could not be written to";
  return new FirnError("Unavailable", "WAL_UNWRITTEN", message, contextOf(file, cause), cause);
}

const NOTHING_HAPPENED = new Set(["DISK_FULL", "DISK_READ_ONLY", "WAL_FENCED"]);

/** What came after the failure that ended a log: certainly not written. */
export function dead(cause: unknown): FirnError {
  if (cause instanceof FirnError && cause.code === "WAL_FENCED") {
    const { message, context } = cause;
    return new FirnError("Unavailable", "WAL_FENCED", message, context, cause);
  }
  const message = "the log stopped after an earlier failure";
  return new FirnError("Unavailable", "WAL_DEAD", message, contextOf("", cause), cause);
}

function contextOf(file: string, cause: unknown): ErrorContext {
  const code = cause instanceof FirnError ? { cause: cause.code } : {};
  return { ...(file !== "" && { file }), ...code };
}
