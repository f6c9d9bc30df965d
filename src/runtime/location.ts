import { posix, resolve } from "node:path";

/**
 * A storage location as clients are told it: `s3://bucket/path` or `file:///path`, without a slash
 * at the end. A path is taken relative to `cwd`. Clients read the text after the scheme as it is,
 * some of them as a URI, so characters that only one of the two readings keeps are refused.
 *
 * @throws RangeError that says what is wrong.
 */
export function parseLocation(text: string, cwd: string): string {
  if (hasUnsafeCharacter(text)) throw new RangeError("must not hold ?, #, % or control characters");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return fileUri(resolve(cwd, text));
  const rest = text.slice(scheme.length + 1);
  if (scheme === "file") return parseFileUri(rest);
  if (scheme === "s3") return parseS3Uri(rest);
  throw new RangeError("must be a path, a file: or an s3: URI");
}

/** The `file:` URI of an absolute path. */
export function fileUri(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  return `file://${slashed.startsWith("/") ? slashed : `/${slashed}`}`;
}

function parseFileUri(rest: string): string {
  const path = rest.startsWith("//") ? rest.slice(2).replace(/^localhost(?=\/)/i, "") : rest;
  if (!path.startsWith("/")) throw new RangeError("must be an absolute file: URI without a host");
  const normal = posix.normalize(path.replace(/^\/+/, "/"));
  return fileUri(normal === "/" ? normal : normal.replace(/\/+$/, ""));
}

function parseS3Uri(rest: string): string {
  const match = /^\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[^/]+)*)\/?$/.exec(rest);
  if (match === null) throw new RangeError("must be s3://bucket or s3://bucket/path");
  const path = match[2] ?? "";
  if (path.split("/").some((part) => part === "." || part === "..")) {
    throw new RangeError("must not hold . or .. in its path");
  }
  return `s3://${match[1]}${path}`;
}

function hasUnsafeCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return /[?#%]/.test(text);
}
