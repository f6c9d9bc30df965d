import { invalid } from "../base/error.ts";

/**
 * `file:` locations. The text after the scheme is the path **as it is**: nothing is percent-decoded
 * or encoded, so `file:///a b/c%20d` means the directory `c%20d` in `a b`. That is how the clients
 * read it: Hadoop's `Path` (Java, Spark, Trino) and the file IOs of PyIceberg (PyArrow and fsspec),
 * DuckDB and Rust all cut the scheme off and hand the rest to the file system.
 *
 * They part ways at `?` and `#`, where Python's `urlparse` ends the path and Hadoop does not, and
 * at control characters, which `urlparse` removes: such locations are refused, since two clients
 * would write to different files.
 */

const PREFIX = "file://";
/** No authority, an empty one, or this machine: another host's file could only be mistaken. */
const LOCAL = /^file:(?:\/\/(?:localhost)?(?=\/)|(?!\/\/))(\/.*)$/is;

/**
 * `file:///a/b` of `file:/a/b`, `file:///a/b/`, `file://localhost/a//b`. Several slashes are one,
 * as for every file system; `.` and `..` are refused.
 *
 * @throws FirnError `Invalid`, code `LOCATION_INVALID`.
 */
export function normalizeFileLocation(uri: string): string {
  const path = LOCAL.exec(uri)?.[1];
  if (path === undefined) throw refused(uri, "has another host or no root");
  if (!path.isWellFormed() || hasSplittingCharacter(path)) {
    throw refused(uri, "holds ?, # or a control character");
  }
  const segments = path.split("/").filter((segment) => segment !== "");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    throw refused(uri, "holds . or ..");
  }
  return `${PREFIX}/${segments.join("/")}`;
}

/** The absolute path of a normalized location. */
export function pathOfFileLocation(location: string): string {
  return location.slice(PREFIX.length);
}

/** Whether clients would not agree where the path ends, or what it is. */
export function hasSplittingCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return text.includes("?") || text.includes("#");
}

function refused(uri: string, why: string): Error {
  return invalid("LOCATION_INVALID", `file location ${why}`, { location: uri.slice(0, 200) });
}
