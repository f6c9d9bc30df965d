import { compareUtf8 } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { assertBlobPath, assertDeletable, assertRange, checkList } from "./checks.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

interface Stored extends Blob {
  readonly modifiedAtMs: number;
}

/**
 * The reference model of the port, and the store of the `memory` profile. Written for obviousness:
 * one map, no step between a condition and its write. Bytes are copied on their way in, so that
 * nobody can change what is stored; what `get` hands out is the stored array itself, read-only by
 * contract (a copy of every payload read would cost more than it guards).
 */
export class MemoryBlobStore implements BlobStore {
  readonly #clock: Clock;
  readonly #blobs = new Map<string, Stored>();
  /** Number of the last write, which is its etag: no two are alike, whatever they write. */
  #writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(path: string): Promise<Blob | undefined> {
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    return stored && { bytes: stored.bytes, etag: stored.etag };
  }

  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    assertRange(offset, length);
    const blob = await this.get(path);
    return blob && { bytes: blob.bytes.subarray(offset, offset + length), etag: blob.etag };
  }

  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    assertRange(length);
    const blob = await this.get(path);
    if (blob === undefined) return undefined;
    return { bytes: blob.bytes.subarray(Math.max(0, blob.bytes.length - length)), etag: blob.etag };
  }

  async head(path: string): Promise<BlobInfo | undefined> {
    assertBlobPath(path);
    const stored = this.#blobs.get(path);
    return stored && infoOf(stored);
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    assertBlobPath(path);
    const found = this.#blobs.get(path)?.etag;
    if (condition === "absent" && found !== undefined) return { outcome: "failed", etag: found };
    if (typeof condition === "object" && condition.etag !== found) {
      return { outcome: "failed", etag: found };
    }
    const copy = bytes.slice();
    const etag = `"${++this.#writes}"`;
    this.#blobs.set(path, { bytes: copy, etag, modifiedAtMs: this.#clock.nowMs() });
    return { outcome: "stored", etag };
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    assertBlobPath(path);
    const chunks: Uint8Array[] = [];
    for await (const chunk of source) chunks.push(chunk.slice());
    return this.put(path, Buffer.concat(chunks));
  }

  async delete(path: string): Promise<void> {
    assertBlobPath(path);
    this.#blobs.delete(path);
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    assertDeletable(paths);
    for (const path of paths) this.#blobs.delete(path);
  }

  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    const limit = checkList(prefix, options);
    const after = options?.after;
    return [...this.#blobs]
      .filter(([path]) => path.startsWith(prefix))
      .filter(([path]) => after === undefined || compareUtf8(path, after) > 0)
      .sort(([a], [b]) => compareUtf8(a, b))
      .slice(0, limit)
      .map(([path, stored]) => ({ path, ...infoOf(stored) }));
  }
}

function infoOf(stored: Stored): BlobInfo {
  return { size: stored.bytes.length, etag: stored.etag, modifiedAtMs: stored.modifiedAtMs };
}
