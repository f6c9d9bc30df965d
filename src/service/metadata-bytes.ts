import { gunzipSync } from "node:zlib";
import { utf8Text } from "../base/bytes.ts";
import { FirnError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { isGzipMetadata } from "../iceberg/file-name.ts";

export function metadataTooLarge(location: string): FirnError {
  const limit = LIMITS.metadataFileBytes;
  return invalid(
    "METADATA_INVALID",
    `metadata file of more than ${limit} bytes: expire snapshots or drop properties`,
    { location, limit },
  );
}

/**
 * The bytes of a metadata file, unpacked where its name says that it is gzip.
 *
 * @returns undefined where there are more than `mostBytes`, of which no more is unpacked.
 * @throws FirnError `Invalid` `METADATA_INVALID`.
 */
export function unpackMetadata(
  location: string,
  bytes: Uint8Array,
  mostBytes: number,
): Uint8Array | undefined {
  if (bytes.length > mostBytes) return undefined;
  if (!isGzipMetadata(location)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes });
  } catch (error) {
    const isLarge = error instanceof Error && "code" in error && error.code === TOO_LARGE;
    if (isLarge) return undefined;
    throw new FirnError("Invalid", "METADATA_INVALID", "not gzip", { location }, error);
  }
}

const TOO_LARGE = "ERR_BUFFER_TOO_LARGE";

/** @throws FirnError `Invalid` `METADATA_INVALID`: not UTF-8. */
export function metadataText(location: string, bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw new FirnError("Invalid", "METADATA_INVALID", "not utf-8", { location }, error);
  }
}
