/** What is known of a blob without reading it. `size` in bytes, `modifiedAtMs` in wall time. */
export interface BlobInfo {
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
}

/** `bytes` may be the stored array itself: never write to it, unless it is the caller's `own`. */
export interface Blob {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Nothing else holds the array, nor anything else of its buffer, which may change hands. */
  readonly own?: true;
}

export interface BlobEntry extends BlobInfo {
  readonly path: string;
}

/** Write only where nothing is stored, or only over the bytes with that etag. */
export type PutCondition = "absent" | { readonly etag: string };

/** A failed condition is an answer, not an exception: `etag` is what stands there, if anything. */
export type PutResult =
  | { readonly outcome: "stored"; readonly etag: string }
  | { readonly outcome: "failed"; readonly etag: string | undefined };

export interface ListOptions {
  /** Only paths greater than this one, whether it exists or not. */
  readonly after?: string;
  /** 1 to 1,000; 1,000 if absent. */
  readonly limit?: number;
}

/**
 * Objects under string paths, immutable by convention. A path is relative: segments joined by `/`,
 * none empty, `.` or `..` (else `Invalid`, see `checks.ts`). Strongly consistent throughout. One
 * request a call; every method may throw `Unavailable` (nothing happened), `Overloaded` (did not
 * happen: the store throttles), `Unknown` (may have happened), `Corrupt`, or `Invalid` for a path
 * that the store cannot hold. Contract: `test/contract/describe-blob-store.ts`.
 */
export interface BlobStore {
  get(path: string): Promise<Blob | undefined>;
  /** Bytes [offset, offset + length), fewer at the end of the blob. */
  getRange(path: string, offset: number, length: number): Promise<Blob | undefined>;
  /** The last `length` bytes, or all of a shorter blob. */
  getSuffix(path: string, length: number): Promise<Blob | undefined>;
  head(path: string): Promise<BlobInfo | undefined>;
  put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult>;
  /** Unbounded content; visible whole or, on an error of the source or the store, not at all. */
  putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult>;
  /** Deleting what is not there is fine. */
  delete(path: string): Promise<void>;
  /** Up to 1,000 paths. */
  deleteMany(paths: readonly string[]): Promise<void>;
  /** Paths that start with `prefix`, in UTF-8 byte order. */
  list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]>;
}
