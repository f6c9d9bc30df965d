import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import { MAX_PATH_BYTES } from "./checks.ts";

/*
 * A payload file of the local store: the content, then a trailer that is read from its end.
 *
 *   bytes  what
 *   n      content
 *   p      path of the blob, UTF-8
 *   32     SHA-256 of the content
 *   2      p, big-endian
 *   6      "FIRNB1"
 *
 * Invariant: the etag is the SHA-256 in hex, and the path is the one that the file stands under.
 *
 * Example: content "ice" (3 bytes) under the path "a/b" is 46 bytes:
 *
 *   696365 612f62
 *   4cb0b250c6250d528f3e61d07d970892168db68bbff1ea5be4a851eda411adfb
 *   0003 4649524e4231
 */

const HASH_BYTES = 32;
const LENGTH_BYTES = 2;
const MAGIC = utf8("FIRNB1");
const FIXED_BYTES = HASH_BYTES + LENGTH_BYTES + MAGIC.length;

export const MAX_TRAILER_BYTES: number = MAX_PATH_BYTES + FIXED_BYTES;

export interface Trailer {
  readonly contentBytes: number;
  readonly etag: string;
  readonly path: string;
}

/** The bytes behind a blob's content: its path, its etag, their length and a magic number. */
export function encodeTrailer(path: string, etag: string): Uint8Array {
  const pathBytes = utf8(path);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(pathBytes.length);
  return Buffer.concat([pathBytes, Buffer.from(etag, "hex"), length, MAGIC]);
}

/**
 * Reads the trailer at the end of `tail`, the last bytes of a file of `fileBytes`.
 *
 * @throws FirnError `Corrupt`, code `BLOB_CORRUPT`.
 */
export function decodeTrailer(tail: Uint8Array, fileBytes: number): Trailer {
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.byteLength);
  const fixed = bytes.length - FIXED_BYTES;
  if (fixed < 0 || !bytes.subarray(-MAGIC.length).equals(MAGIC)) throw corrupt("no trailer");
  const pathBytes = bytes.readUInt16BE(fixed + HASH_BYTES);
  if (pathBytes > fixed) throw corrupt("trailer cut short");
  return {
    contentBytes: fileBytes - FIXED_BYTES - pathBytes,
    etag: bytes.toString("hex", fixed, fixed + HASH_BYTES),
    path: pathText(bytes.subarray(fixed - pathBytes, fixed)),
  };
}

/** `Corrupt`, code `BLOB_CORRUPT`, without the path: `damageOf` adds it. */
export function corrupt(what: string): FirnError {
  return new FirnError("Corrupt", "BLOB_CORRUPT", `stored blob: ${what}`);
}

/** The same with the blob that it is about, which who decodes does not know. */
export function damageOf(error: unknown, path: string): FirnError | undefined {
  if (!(error instanceof FirnError) || error.code !== "BLOB_CORRUPT") return undefined;
  const context = { path: path.slice(0, 200) };
  return new FirnError("Corrupt", "BLOB_CORRUPT", error.message, context, error);
}

function pathText(bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch {
    throw corrupt("path is not text");
  }
}
