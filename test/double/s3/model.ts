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
  /** Keys as of the last listing, and those that came since, which are sorted at the next. */
  #sorted: string[] = [];
  readonly #added = new Set<string>();
  #hasDeleted = false;

  constructor(region: string) {
    this.region = region;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  set(key: string, object: StoredObject): void {
    if (!this.#objects.has(key)) this.#added.add(key);
    this.#objects.set(key, object);
  }

  delete(key: string): void {
    if (!this.#objects.delete(key)) return;
    // One that came back since the last listing stands in both.
    this.#added.delete(key);
    this.#hasDeleted = true;
  }

  keys(): readonly string[] {
    if (this.#hasDeleted) {
      const kept = (key: string) => this.#objects.has(key) && !this.#added.has(key);
      this.#sorted = this.#sorted.filter(kept);
      this.#hasDeleted = false;
    }
    if (this.#added.size > 0) {
      this.#sorted = merged(this.#sorted, [...this.#added].sort(compareUtf8));
      this.#added.clear();
    }
    return this.#sorted;
  }
}

/** Two lists without a common key, each in order, as one. */
function merged(left: readonly string[], right: readonly string[]): string[] {
  const all: string[] = [];
  let at = 0;
  for (const key of left) {
    for (let next = right[at]; next !== undefined && compareUtf8(next, key) < 0; next = right[at]) {
      all.push(next);
      at++;
    }
    all.push(key);
  }
  return all.concat(right.slice(at));
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
