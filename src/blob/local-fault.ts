import { type ErrorContext, FirnError, invalid } from "../base/error.ts";

/** The `errno` name of a failed system call, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return "syscall" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Nothing is stored under such a path, nor could it be: a file stands where a directory is due. */
export function isAbsence(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}

/** No room: space, the account's share of it, or the largest file that it may have. */
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** The path itself is at fault: another disk would not help, another path would. */
const PATH_FAULTS = new Set(["ENAMETOOLONG", "ENOTDIR", "EISDIR", "ELOOP", "EINVAL", "EILSEQ"]);

/**
 * What a failed system call means to the caller. `applied` says what is known of the write: before
 * its bytes got their name "nothing" happened, after it they may be lost again ("maybe").
 *
 * Codes: `BLOB_PATH_UNSUPPORTED` (Invalid), `DISK_FULL`, `DISK_READ_ONLY` and
 * `BLOB_STORE_UNAVAILABLE` (Unavailable: forbidden, out of descriptors …), `BLOB_WRITE_UNKNOWN`
 * (Unknown).
 */
export function faultOf(error: unknown, path: string, applied: "nothing" | "maybe"): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const context = { path: path.slice(0, 200), errno };
  if (applied === "maybe") return writeUnknown(error, context);
  if (PATH_FAULTS.has(errno)) {
    return invalid("BLOB_PATH_UNSUPPORTED", `the file system refuses the path: ${errno}`, context);
  }
  if (FULL.has(errno)) {
    return new FirnError("Unavailable", "DISK_FULL", "the disk is full", context, error);
  }
  if (errno === "EROFS") {
    const message = "the disk is read-only";
    return new FirnError("Unavailable", "DISK_READ_ONLY", message, context, error);
  }
  const message = `the file system refuses: ${errno}`;
  return new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", message, context, error);
}

/** Some of a write may have happened, or may be lost again. */
export function writeUnknown(cause: unknown, context: ErrorContext = {}): FirnError {
  return new FirnError(
    "Unknown",
    "BLOB_WRITE_UNKNOWN",
    "the write failed midway: it may have happened",
    context,
    cause,
  );
}
