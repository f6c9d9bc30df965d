import { utf8Length } from "../base/bytes.ts";
import { invalid } from "../base/error.ts";
import type { ListOptions } from "./port.ts";

/** The longest path that every store can hold: S3's bound on an object key. */
export const MAX_PATH_BYTES = 1_024;
export const MAX_LIST = 1_000;
export const MAX_DELETE = 1_000;

/**
 * Refuses what some store could not hold, with the same answer on every store. A path is relative:
 * one or more segments joined by `/`, none of them empty, `.` or `..`.
 *
 * @throws FirnError `Invalid`, code `BLOB_PATH_INVALID`.
 */
export function assertBlobPath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) {
    throw invalid("BLOB_PATH_INVALID", `blob path ${problem}`, { path: path.slice(0, 200) });
  }
}

function pathProblem(path: string): string | undefined {
  if (!path.isWellFormed()) return "is not well-formed unicode";
  if (path.includes("\0")) return "holds a zero byte";
  if (utf8Length(path) > MAX_PATH_BYTES) return "is too long";
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "has an unusable segment";
  }
  return undefined;
}

/** Whether some path could have this text as its leading segments. */
export function isPossiblePath(path: string): boolean {
  return pathProblem(path) === undefined;
}

/** @throws FirnError `Invalid`, code `BLOB_RANGE_INVALID`. */
export function assertRange(...numbers: readonly number[]): void {
  if (!numbers.every((n) => Number.isSafeInteger(n) && n >= 0)) {
    throw invalid("BLOB_RANGE_INVALID", "offset and length must be non-negative integers");
  }
}

/**
 * Checks a list's arguments and fills in its limit. Half a surrogate pair is not text: as a prefix
 * it would match or not, depending on how a store keeps its names.
 *
 * @throws FirnError `Invalid`, codes `BLOB_LIST_LIMIT_INVALID`, `BLOB_PATH_INVALID`.
 */
export function checkList(prefix: string, options: ListOptions | undefined): number {
  if (!prefix.isWellFormed() || options?.after?.isWellFormed() === false) {
    throw invalid("BLOB_PATH_INVALID", "list bounds are not well-formed unicode");
  }
  const limit = options?.limit ?? MAX_LIST;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIST) {
    throw invalid("BLOB_LIST_LIMIT_INVALID", "list limit out of range", { limit });
  }
  return limit;
}

/** @throws FirnError `Invalid`, codes `BLOB_DELETE_TOO_MANY`, `BLOB_PATH_INVALID`. */
export function assertDeletable(paths: readonly string[]): void {
  if (paths.length > MAX_DELETE) {
    const facts = { paths: paths.length, limit: MAX_DELETE };
    throw invalid("BLOB_DELETE_TOO_MANY", "too many paths in one delete", facts);
  }
  for (const path of paths) assertBlobPath(path);
}
