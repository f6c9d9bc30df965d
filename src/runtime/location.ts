import { resolve } from "node:path";
import { FirnError } from "../base/error.ts";
import { normalizeFileLocation } from "../blob/file-location.ts";
import { normalizeS3Location, S3_SCHEMES } from "../blob/s3/location.ts";

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
  if (S3_SCHEMES.some((each) => each === scheme)) return parseBy(normalizeS3Location, text);
  throw new RangeError("must be a path, a file: or an s3: URI");
}

/** The `file:` URI of an absolute path. @throws RangeError */
export function fileUri(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  return parseFileUri(`file://${slashed.startsWith("/") ? slashed : `/${slashed}`}`);
}

function parseFileUri(uri: string): string {
  return parseBy(normalizeFileLocation, uri);
}

function parseBy(normalize: (uri: string) => string, uri: string): string {
  try {
    return normalize(uri);
  } catch (error) {
    if (error instanceof FirnError) throw new RangeError(error.message);
    throw error;
  }
}

/** The bucket of an `s3:` URI; undefined of any other. */
export function bucketOf(uri: string): string | undefined {
  return /^s3:\/\/([^/]+)/.exec(uri)?.[1];
}
