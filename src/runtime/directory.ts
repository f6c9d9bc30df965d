import { FirnError } from "../base/error.ts";

const FULL = "the disk is full: make room, or choose another --dir";
const DENIED =
  "this process may not write to it: give its user the directory, or choose another --dir";

/** What the operator can do, by the system's error code. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: FULL,
  EROFS: "it lies on a read-only file system: mount that for writing, or choose another --dir",
  EACCES: DENIED,
  EPERM: DENIED,
  ENOENT: "nothing can be made there: choose another --dir",
  ENOTDIR: "a file stands where a directory is due: move it away, or choose another --dir",
  EEXIST: "a file stands where a directory is due: move it away, or choose another --dir",
};

/**
 * An error of the start, in words that name the directory and the way out, where it was the system
 * that refused to work with the directory; any other as it is.
 */
export function directoryTrouble(dir: string, error: unknown): unknown {
  if (!(error instanceof FirnError) || error.kind === "Corrupt") return error;
  const errno = errnoBehind(error);
  if (errno === undefined) return error;
  const advice = ADVICE[errno] ?? "the system refuses to work with it";
  const message = `the directory cannot be used: ${advice}`;
  return new FirnError("Unavailable", "DIR_UNUSABLE", message, { dir, errno }, error);
}

/** What the system said, however often it was wrapped since. */
function errnoBehind(error: unknown): string | undefined {
  for (let at = error; at instanceof FirnError; at = at.cause) {
    const { errno } = at.context;
    if (typeof errno === "string") return errno;
  }
  return undefined;
}
