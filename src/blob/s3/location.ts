import { invalid } from "../../base/error.ts";
import { hasSplittingCharacter } from "../file-location.ts";

/**
 * `s3:` locations. The text after the bucket is the object's key **as it is**: nothing is
 * percent-decoded or encoded, as Iceberg's Java `S3FileIO`, PyArrow, Rust and DuckDB read it.
 *
 * They part ways at `?` and `#`, where some of them end the key, and at `.`, `..` and empty
 * segments, which some HTTP clients rewrite: such locations are refused, since two clients would
 * write to different objects.
 */

const PREFIX = "s3://";
/** Hadoop's names of the same: what lies there is one object, whatever it is called. */
const SPELLINGS = /^s3[an]?:\/\//i;

/** The schemes of such locations; the first is the canonical one. */
export const S3_SCHEMES = ["s3", "s3a", "s3n"] as const;
/** Names as S3 gives them today; an upper-case letter would be lost in a host name. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export function isBucketName(text: string): boolean {
  return BUCKET.test(text);
}

/**
 * `s3://bucket/a/b` of `S3://bucket/a/b/`, `s3a://bucket/a/b` and `s3n://bucket/a/b`.
 *
 * @throws FirnError `Invalid`, code `LOCATION_INVALID`.
 */
export function normalizeS3Location(uri: string): string {
  const prefix = SPELLINGS.exec(uri)?.[0];
  if (prefix === undefined) throw refused(uri, "does not begin with s3://");
  const rest = uri.slice(prefix.length);
  const [bucket = "", ...segments] = (rest.endsWith("/") ? rest.slice(0, -1) : rest).split("/");
  if (!BUCKET.test(bucket)) throw refused(uri, "names no bucket");
  if (!uri.isWellFormed() || hasSplittingCharacter(rest)) {
    throw refused(uri, "holds ?, # or a control character");
  }
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw refused(uri, "holds an empty segment, . or ..");
  }
  return PREFIX + [bucket, ...segments].join("/");
}

/** Bucket and key of a normalized location; the key is empty where it is the bucket itself. */
export function partsOfS3Location(location: string): {
  readonly bucket: string;
  readonly key: string;
} {
  const slash = location.indexOf("/", PREFIX.length);
  return slash < 0
    ? { bucket: location.slice(PREFIX.length), key: "" }
    : { bucket: location.slice(PREFIX.length, slash), key: location.slice(slash + 1) };
}

function refused(uri: string, why: string): Error {
  return invalid("LOCATION_INVALID", `s3 location ${why}`, { location: uri.slice(0, 200) });
}
