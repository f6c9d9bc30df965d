import { createHash } from "node:crypto";
import { utf8Length } from "../base/bytes.ts";
import { invalid } from "../base/error.ts";
import { sha256Hex } from "../base/hash.ts";
import { LIMITS } from "../base/limits.ts";
import type { OpenFile } from "./local-file.ts";
import { RESERVED_PREFIX } from "./local-temporaries.ts";
import { corrupt, decodeTrailer, encodeTrailer, MAX_TRAILER_BYTES } from "./local-trailer.ts";
import type { Blob } from "./port.ts";

/** What a file says of the blob in it. `path` only where the layout keeps it. */
export interface Described {
  readonly size: number;
  readonly etag: string;
  readonly path?: string;
}

/** How blobs lie in files: names, and what stands beside the content. Etag = its SHA-256. */
export interface LocalLayout {
  /** Relative file of a blob. @throws FirnError `Invalid`, code `BLOB_PATH_UNSUPPORTED`. */
  fileOf(path: string): string;
  /** Relative directory of the blobs whose paths begin with `path` and a slash. */
  directoryOf(path: string): string;
  /** The segment that a file or directory name stands for; undefined: only a file inside knows. */
  segmentOf(name: string, isDirectory: boolean): string | undefined;
  /** Whether a name can be a blob's or that of a directory of blobs. */
  holds(name: string, isDirectory: boolean): boolean;
  /** What follows the content of a blob in its file. `etag` is asked for only where it is kept. */
  trailerOf(path: string, etag: () => string): Uint8Array;
  describe(file: OpenFile): Promise<Described>;
  /** @throws FirnError `Corrupt`, code `BLOB_CORRUPT`, where the layout can tell. */
  read(file: OpenFile, path: string): Promise<Blob>;
}

/**
 * A file is exactly its blob, under exactly its path: what other programs read and write. There is
 * no place for an etag, so `head`, ranges and lists read whole files to hash them.
 */
export const exactLayout: LocalLayout = {
  fileOf(path) {
    if (path.split("/").some((segment) => segment.startsWith(RESERVED_PREFIX))) {
      throw invalid("BLOB_PATH_UNSUPPORTED", "a path segment is reserved", {
        path: path.slice(0, 200),
      });
    }
    return path;
  },
  directoryOf: (path) => path,
  segmentOf: (name) => name,
  holds: (name) => !name.startsWith(RESERVED_PREFIX),
  trailerOf: () => new Uint8Array(0),
  async describe(file) {
    const hash = createHash("sha256");
    for await (const chunk of file.chunks()) hash.update(chunk);
    return { size: file.size, etag: hash.digest("hex") };
  },
  async read(file) {
    // Hashed as it comes: for a large file that would be a long turn.
    const hash = createHash("sha256");
    const bytes = await file.read(0, file.size, (piece) => hash.update(piece));
    return { bytes, etag: hash.digest("hex") };
  },
};

const FILE_SUFFIX = ".blob";
const HASHED = "~";

/**
 * Firn's own files. Any path fits: a segment over 200 bytes, or one that would be mistaken for
 * something else, becomes `~` and the SHA-256 of its text; the suffix of files lets a blob `a`
 * stand beside a blob `a/b`. Each file ends in a trailer, so that `head`, ranges and lists cost one
 * small read, lists know the true path, and `get` notices damage (format: `local-trailer.ts`).
 */
export const payloadLayout: LocalLayout = {
  fileOf(path) {
    const slash = path.lastIndexOf("/");
    const leaf = encode(path.slice(slash + 1), false) + FILE_SUFFIX;
    return slash < 0 ? leaf : `${this.directoryOf(path.slice(0, slash))}/${leaf}`;
  },
  directoryOf: (path) =>
    path
      .split("/")
      .map((segment) => encode(segment, true))
      .join("/"),
  segmentOf(name, isDirectory) {
    if (name.startsWith(HASHED)) return undefined;
    return isDirectory ? name : name.slice(0, -FILE_SUFFIX.length);
  },
  holds: (name, isDirectory) => isDirectory !== name.endsWith(FILE_SUFFIX),
  trailerOf: (path, etag) => encodeTrailer(path, etag()),
  async describe(file) {
    const tail = await file.read(Math.max(0, file.size - MAX_TRAILER_BYTES), MAX_TRAILER_BYTES);
    const { contentBytes, ...described } = decodeTrailer(tail, file.size);
    return { size: contentBytes, ...described };
  },
  async read(file, expectedPath) {
    const bytes = await file.read(0, file.size);
    const { contentBytes, etag, path } = decodeTrailer(bytes, bytes.length);
    const content = bytes.subarray(0, contentBytes);
    if (sha256Hex(content) !== etag) throw corrupt("content does not match its hash");
    if (path !== expectedPath) throw corrupt("another blob's file stands there");
    return { bytes: content, etag };
  },
};

function encode(segment: string, isDirectory: boolean): string {
  const mistakable =
    segment.startsWith(HASHED) ||
    segment.startsWith(RESERVED_PREFIX) ||
    (isDirectory && segment.endsWith(FILE_SUFFIX));
  const tooLong = utf8Length(segment) > LIMITS.segmentBytes;
  return mistakable || tooLong ? HASHED + sha256Hex(segment) : segment;
}
