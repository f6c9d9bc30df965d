import { resolve } from "node:path";
import { CatalogError } from "../base/error.ts";
import { normalizeFileLocation } from "../blob/file-location.ts";

/**
 * A storage location as clients are told it: `s3://bucket/path` or `file:///path`, without a slash
 * at the end. A path is taken relative to `cwd`.
 *
 * @throws RangeError that says what is wrong.
 */
export function parseLocation(text: string, cwd: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return fileUri(resolve(cwd, text));
  if (scheme === "file") return parseFileUri(text);
  if (scheme === "s3") return parseS3Uri(text);
  throw new RangeError("must be a path, a file: or an s3: URI");
}

/** The `file:` URI of an absolute path. @throws RangeError */
export function fileUri(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  return parseFileUri(`file://${slashed.startsWith("/") ? slashed : `/${slashed}`}`);
}

function parseFileUri(uri: string): string {
  try {
    return normalizeFileLocation(uri);
  } catch (error) {
    if (error instanceof CatalogError) throw new RangeError(error.message);
    throw error;
  }
}

function parseS3Uri(uri: string): string {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[^/]+)*)\/?$/i.exec(uri);
  if (match === null) throw new RangeError("must be s3://bucket or s3://bucket/path");
  const path = match[2] ?? "";
  if (path.split("/").some((part) => part === "." || part === "..")) {
    throw new RangeError("must not hold . or .. in its path");
  }
  return `s3://${match[1]}${path}`;
}
