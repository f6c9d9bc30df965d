import { FirnError } from "../../base/error.ts";

/** The `errno` name of a failed system call. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** No room: space, the account's share of it, or the largest file that it may have. */
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What a failed system call means to the caller: room is wanted, or the disk does not serve. */
export function diskFault(error: unknown, file: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const context = { file, errno };
  if (FULL.has(errno)) {
    return new FirnError("Unavailable", "DISK_FULL", "the disk is full", context, error);
  }
  return errno === "EROFS"
    ? new FirnError("Unavailable", "DISK_READ_ONLY", "the disk is read-only", context, error)
    : new FirnError("Unavailable", "DISK_FAILED", "the disk failed", context, error);
}
