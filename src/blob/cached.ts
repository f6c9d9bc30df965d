import { LruMap } from "../base/lru.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import { DiskCache, type DiskCacheOptions } from "./cached-disk.ts";
import { assertBlobPath, assertRange } from "./checks.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

export interface CachedBlobStoreOptions {
  /**
   * Which paths are kept: those that are written once, so that any caller that reads one always
   * reads the same. Others are passed through.
   */
  readonly isImmutable: (path: string) => boolean;
  readonly memoryBytes: number;
  /** A larger blob is passed through (default: an eighth of the memory). */
  readonly maxBlobBytes?: number;
  readonly disk?: DiskCacheOptions;
  readonly metrics: Metrics;
}

/** What an entry costs apart from its bytes: a map's node, the path, the objects around it. */
const ENTRY_BYTES = 200;
const HASHED = /(?:^|\/)[0-9a-f]{64}(?:\.\w+)?$/;

/** Whether a path ends in the hash of its content, so that no other content can stand there. */
export function isContentHashed(path: string): boolean {
  return HASHED.test(path);
}

/** A read under way. `stale`: written to meanwhile, so what it brings may be older. */
interface Freshness {
  stale: boolean;
}

interface Load {
  readonly blob: Promise<Blob | undefined>;
  readonly freshness: Freshness;
}

/**
 * Keeps blobs that never change in memory and on a disk, each bounded in bytes. What is kept is
 * served without asking the store: also after another process deleted it, which is harmless as long
 * as no caller asks for what nothing leads to. `head` and `list` always ask.
 *
 * Writes through this store are seen at once, also of a path that was said not to change: a read
 * that was under way while its path was written is not kept.
 */
export class CachedBlobStore implements BlobStore {
  readonly #inner: BlobStore;
  readonly #isImmutable: (path: string) => boolean;
  readonly #maxBlobBytes: number;
  readonly #memory: LruMap<string, Blob>;
  readonly #disk: DiskCache | undefined;
  readonly #reads: Counts;
  /** Reads under way, which others of the same path join. */
  readonly #loads = new Map<string, Load>();
  /** How many writes of a path are under way. */
  readonly #writing = new Map<string, number>();

  private constructor(
    inner: BlobStore,
    options: CachedBlobStoreOptions,
    disk: DiskCache | undefined,
  ) {
    this.#inner = inner;
    this.#isImmutable = options.isImmutable;
    this.#maxBlobBytes = options.maxBlobBytes ?? options.memoryBytes / 8;
    this.#memory = new LruMap(options.memoryBytes, ({ bytes }) => bytes.length + ENTRY_BYTES);
    this.#disk = disk;
    this.#reads = new Counts(options.metrics, {
      name: "firn_blob_cache_reads_total",
      help: "Reads of immutable blobs, by where they were found; damaged: a file on the disk was.",
      labels: ["found"],
    });
  }

  /** Opens the disk's part, if there is one: one `stat` a blob that is kept there. */
  static async open(inner: BlobStore, options: CachedBlobStoreOptions): Promise<CachedBlobStore> {
    const disk = options.disk === undefined ? undefined : await DiskCache.open(options.disk);
    return new CachedBlobStore(inner, options, disk);
  }

  /** Resolves when the disk has caught up with what was read and written. */
  async settled(): Promise<void> {
    await this.#disk?.settled();
  }

  /** No request where it is kept, or being read; else one. */
  async get(path: string): Promise<Blob | undefined> {
    assertBlobPath(path);
    if (!this.#isImmutable(path)) return this.#inner.get(path);
    const kept = this.#memory.get(path);
    if (kept !== undefined) {
      this.#reads.add(1, "memory");
      return kept;
    }
    const joined = this.#loads.get(path) ?? this.#load(path);
    return joined.blob;
  }

  /** No request where the whole is kept; else one, of which nothing is. */
  async getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    assertRange(offset, length);
    const kept = await this.#kept(path);
    if (kept === undefined) return this.#inner.getRange(path, offset, length);
    return { bytes: kept.bytes.subarray(offset, offset + length), etag: kept.etag };
  }

  /** As `getRange`. */
  async getSuffix(path: string, length: number): Promise<Blob | undefined> {
    assertRange(length);
    const kept = await this.#kept(path);
    if (kept === undefined) return this.#inner.getSuffix(path, length);
    const from = Math.max(0, kept.bytes.length - length);
    return { bytes: kept.bytes.subarray(from), etag: kept.etag };
  }

  head(path: string): Promise<BlobInfo | undefined> {
    return this.#inner.head(path);
  }

  list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    return this.#inner.list(prefix, options);
  }

  /** What was stored is kept: its writer often reads it next. */
  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    const end = this.#beginWrite([path]);
    let result: PutResult | undefined;
    try {
      result = await this.#inner.put(path, bytes, condition);
      return result;
    } finally {
      end();
      const isLast = this.#isImmutable(path) && !this.#writing.has(path);
      if (result?.outcome === "stored" && isLast && bytes.length <= this.#maxBlobBytes) {
        this.#keep(path, { bytes: Uint8Array.from(bytes), etag: result.etag });
      }
    }
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    const end = this.#beginWrite([path]);
    try {
      return await this.#inner.putStream(path, source);
    } finally {
      end();
    }
  }

  async delete(path: string): Promise<void> {
    const end = this.#beginWrite([path]);
    try {
      await this.#inner.delete(path);
    } finally {
      end();
    }
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    const end = this.#beginWrite(paths);
    try {
      await this.#inner.deleteMany(paths);
    } finally {
      end();
    }
  }

  #load(path: string): Load {
    const freshness = { stale: this.#writing.has(path) };
    const load: Load = { blob: this.#find(path, freshness), freshness };
    this.#loads.set(path, load);
    const ended = (): void => {
      if (this.#loads.get(path) === load) this.#loads.delete(path);
    };
    load.blob.then(ended, ended);
    return load;
  }

  async #find(path: string, freshness: Freshness): Promise<Blob | undefined> {
    const onDisk = await this.#disk?.read(path);
    if (onDisk === "damaged") this.#reads.add(1, "damaged");
    else if (onDisk !== undefined && onDisk !== "absent") {
      this.#reads.add(1, "disk");
      if (!freshness.stale) this.#keepInMemory(path, onDisk);
      return onDisk;
    }
    const blob = await this.#inner.get(path);
    this.#reads.add(1, blob === undefined ? "nowhere" : "store");
    if (blob !== undefined && !freshness.stale) this.#keep(path, blob);
    return blob;
  }

  /** The whole blob, if it is kept already. */
  async #kept(path: string): Promise<Blob | undefined> {
    assertBlobPath(path);
    if (!this.#isImmutable(path) || this.#writing.has(path)) return undefined;
    const inMemory = this.#memory.get(path);
    if (inMemory !== undefined) {
      this.#reads.add(1, "memory");
      return inMemory;
    }
    const onDisk = await this.#disk?.read(path);
    if (onDisk === undefined || typeof onDisk === "string") return undefined;
    this.#reads.add(1, "disk");
    return onDisk;
  }

  /** Forgets the paths before a write and after it. @returns what ends it. */
  #beginWrite(paths: readonly string[]): () => void {
    const kept = paths.filter((path) => this.#isImmutable(path));
    for (const path of kept) {
      this.#writing.set(path, (this.#writing.get(path) ?? 0) + 1);
      this.#forget(path);
    }
    return () => {
      for (const path of kept) {
        const left = (this.#writing.get(path) ?? 1) - 1;
        if (left === 0) this.#writing.delete(path);
        else this.#writing.set(path, left);
        this.#forget(path);
      }
    };
  }

  #forget(path: string): void {
    const load = this.#loads.get(path);
    if (load !== undefined) load.freshness.stale = true;
    this.#loads.delete(path);
    this.#memory.delete(path);
    this.#disk?.delete(path);
  }

  #keep(path: string, blob: Blob): void {
    if (blob.bytes.length > this.#maxBlobBytes) return;
    this.#memory.set(path, blob);
    this.#disk?.write(path, blob);
  }

  #keepInMemory(path: string, blob: Blob): void {
    if (blob.bytes.length <= this.#maxBlobBytes) this.#memory.set(path, blob);
  }
}
