import { isPossiblePath, MAX_PATH_BYTES } from "../../blob/checks.ts";

/** What the names of a shard's files take behind its prefix, and more. */
const NAMES_BYTES = 64;

/**
 * Whether a shard may lie there: relative segments with a slash behind each of them, none of them
 * empty, `.` or `..`; or nothing at all, the root of the store.
 */
export function isHome(prefix: string): boolean {
  if (prefix === "") return true;
  const bytes = Buffer.byteLength(prefix);
  const isShort = bytes <= MAX_PATH_BYTES - NAMES_BYTES;
  return isShort && prefix.endsWith("/") && isPossiblePath(prefix.slice(0, -1));
}
