import { createHash } from "node:crypto";
import { compareUtf8 } from "../../../src/base/bytes.ts";

/** One object, as it was written in one step. */
export interface StoredObject {
  readonly body: Uint8Array;
  /** Without quotes. */
  readonly etag: string;
  readonly modifiedMs: number;
  /** What came with it and goes back with it, under header names. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x-amz-checksum-*`, shown where it is asked for. */
  readonly checksums: Readonly<Record<string, string>>;
}

export interface Part {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** A multipart upload under way. */
export interface Upload {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, Part>;
}

/** What a bucket holds. Keys are in the order of their UTF-8 bytes whenever they are listed. */
export class Bucket {
  readonly region: string;
  readonly uploads: Map<string, Upload> = new Map();
  /** The lifecycle document, as it was put. */
  lifecycle: string | undefined;
  readonly #objects = new Map<string, StoredObject>();
  #sorted: string[] | undefined;

  constructor(region: string) {
    this.region = region;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  set(key: string, object: StoredObject): void {
    if (!this.#objects.has(key)) this.#sorted = undefined;
    this.#objects.set(key, object);
  }

  delete(key: string): void {
    if (this.#objects.delete(key)) this.#sorted = undefined;
  }

  keys(): readonly string[] {
    this.#sorted ??= [...this.#objects.keys()].sort(compareUtf8);
    return this.#sorted;
  }
}

/** The service's state: plain maps, changed only between two requests. */
export class S3Model {
  readonly buckets: Map<string, Bucket> = new Map();
  #uploads = 0;

  newUploadId(): string {
    return `upload-${++this.#uploads}`;
  }
}

export function md5(body: Uint8Array): Buffer {
  return createHash("md5").update(body).digest();
}

/** The etag of what was put in one piece. */
export function etagOf(body: Uint8Array): string {
  return md5(body).toString("hex");
}

/** The etag of what was put in parts: a hash of their hashes, and how many there were. */
export function etagOfParts(parts: readonly Part[]): string {
  const hashes = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, "hex")));
  return `${md5(hashes).toString("hex")}-${parts.length}`;
}
