import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { utf8, utf8Text } from "../base/bytes.ts";
import { sha256Hex } from "../base/hash.ts";
import { makeDirectories, PRIVATE_FILE, PRIVATE_FOLDER } from "./directories.ts";
import { faultOf } from "./local-fault.ts";
import type { Blob } from "./port.ts";

/*
 * One file a blob, named by the hash of its path, in 256 folders:
 *
 *   offset  bytes
 *        0     32  SHA-256 of all that follows
 *       32      4  length of the header, big-endian
 *       36      n  header: JSON, {"path": …, "etag": …}
 *   36 + n         content
 *
 * Nothing is synced: a file that a power cut left half written fails its digest and is one miss.
 */
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
const NAME = /^[0-9a-f]{64}$/;
/** What waits for the disk, in writes and in bytes; what comes while there is more is not kept. */
const MAX_WAITING = 64;
const MAX_WAITING_BYTES = 33_554_432;

export interface DiskCacheOptions {
  /** This process's own; made if absent. */
  readonly directory: string;
  readonly bytes: number;
}

export type DiskRead = Blob | "absent" | "damaged";

/** Blobs on a local disk, bounded in bytes: the least recently used goes first. */
export class DiskCache {
  readonly #directory: string;
  readonly #capacityBytes: number;
  /** Size of each file, by name; the least recently used first. */
  readonly #files = new Map<string, number>();
  #bytes = 0;
  #waiting = 0;
  #waitingBytes = 0;
  /** The newest write that waits for each name, so that one that was forgotten leaves nothing. */
  readonly #writes = new Map<string, Uint8Array>();
  #last: Promise<void> = Promise.resolve();

  private constructor({ directory, bytes }: DiskCacheOptions) {
    this.#directory = directory;
    this.#capacityBytes = bytes;
  }

  /**
   * Finds what an earlier process left. One `stat` a file.
   *
   * @throws FirnError `Unavailable`, code `BLOB_STORE_UNAVAILABLE`.
   */
  static async open(options: DiskCacheOptions): Promise<DiskCache> {
    const cache = new DiskCache(options);
    try {
      for (const { name, bytes } of await filesIn(options.directory)) cache.#enter(name, bytes);
    } catch (error) {
      throw faultOf(error, options.directory, "nothing");
    }
    cache.#evict();
    return cache;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What is kept of a path, proven whole; what is not is removed. */
  async read(path: string): Promise<DiskRead> {
    const name = sha256Hex(path);
    if (!this.#files.has(name)) return "absent";
    const file = await readFile(this.#fileOf(name)).catch(() => undefined);
    const bytes = this.#files.get(name);
    // Forgotten meanwhile, or taken away by another process.
    if (bytes === undefined || file === undefined) {
      this.#drop(name);
      return "absent";
    }
    const blob = decode(file, path);
    if (blob === undefined) {
      this.delete(path);
      return "damaged";
    }
    this.#files.delete(name);
    this.#files.set(name, bytes);
    return blob;
  }

  /** Keeps a blob, some time after. A failing disk keeps less, and no caller learns of it. */
  write(path: string, blob: Blob): void {
    const { length } = blob.bytes;
    // One alone may always wait, however large it is.
    const isFull = this.#waitingBytes > 0 && this.#waitingBytes + length > MAX_WAITING_BYTES;
    if (length > this.#capacityBytes || this.#waiting >= MAX_WAITING || isFull) return;
    const file = encode(path, blob);
    if (file.length > this.#capacityBytes) return;
    const name = sha256Hex(path);
    this.#writes.set(name, file);
    this.#waitingBytes += length;
    this.#later(async () => {
      try {
        if (this.#writes.get(name) === file) await this.#store(name, file);
      } finally {
        this.#waitingBytes -= length;
        if (this.#writes.get(name) === file) this.#writes.delete(name);
      }
    });
  }

  async #store(name: string, file: Uint8Array): Promise<void> {
    const target = this.#fileOf(name);
    const temporary = `${target}.tmp`;
    await mkdir(join(this.#directory, name.slice(0, 2)), { recursive: true, mode: PRIVATE_FOLDER });
    try {
      await writeFile(temporary, file, { mode: PRIVATE_FILE });
      await rename(temporary, target);
    } catch (error) {
      // Half of it takes room on a disk that has none.
      await rm(temporary, { force: true });
      throw error;
    }
    // Forgotten meanwhile, or written anew.
    if (this.#writes.get(name) !== file) return;
    this.#enter(name, file.length);
    this.#evict();
  }

  /** Forgets a path at once, and its file some time after. */
  delete(path: string): void {
    const name = sha256Hex(path);
    const isThere = this.#files.has(name) || this.#writes.delete(name);
    this.#drop(name);
    if (!isThere) return;
    // In turn with the writes: one of the same path may have begun, or come next.
    this.#later(async () => {
      if (!this.#files.has(name)) await rm(this.#fileOf(name), { force: true });
    });
  }

  /** Resolves when the disk has caught up. */
  async settled(): Promise<void> {
    // What is written may send away what was used least.
    for (let last: Promise<void> | undefined; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
  }

  #later(work: () => Promise<void>): void {
    this.#waiting++;
    this.#last = this.#last
      .then(work)
      .catch(() => undefined)
      .finally(() => {
        this.#waiting--;
      });
  }

  #enter(name: string, bytes: number): void {
    this.#drop(name);
    this.#files.set(name, bytes);
    this.#bytes += bytes;
  }

  #drop(name: string): void {
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
  }

  #evict(): void {
    for (const name of this.#files.keys()) {
      if (this.#bytes <= this.#capacityBytes) return;
      this.#drop(name);
      this.#later(() => rm(this.#fileOf(name), { force: true }));
    }
  }

  #fileOf(name: string): string {
    return join(this.#directory, name.slice(0, 2), name);
  }
}

interface KeptFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** What an earlier process left, the oldest first; what it did not finish is removed. */
async function filesIn(directory: string): Promise<readonly KeptFile[]> {
  makeDirectories(directory, PRIVATE_FOLDER);
  const found: KeptFile[] = [];
  for (const folder of await readdir(directory)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await readdir(join(directory, folder))) {
      const file = join(directory, folder, name);
      if (NAME.test(name)) {
        const { size, mtimeMs } = await stat(file);
        found.push({ name, bytes: size, modifiedMs: mtimeMs });
      } else await rm(file, { force: true });
    }
  }
  return found.sort((a, b) => a.modifiedMs - b.modifiedMs);
}

function encode(path: string, { bytes, etag }: Blob): Uint8Array {
  const header = utf8(JSON.stringify({ path, etag }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(header.length);
  const rest = Buffer.concat([length, header, bytes]);
  return Buffer.concat([hash("sha256", rest, "buffer"), rest]);
}

function decode(file: Buffer, path: string): Blob | undefined {
  if (file.length < DIGEST_BYTES + LENGTH_BYTES) return undefined;
  const rest = file.subarray(DIGEST_BYTES);
  if (!hash("sha256", rest, "buffer").equals(file.subarray(0, DIGEST_BYTES))) return undefined;
  const content = LENGTH_BYTES + rest.readUInt32BE(0);
  const header: unknown = JSON.parse(utf8Text(rest.subarray(LENGTH_BYTES, content)));
  const { path: of, etag } = header as { readonly path: string; readonly etag: string };
  return of === path ? { bytes: rest.subarray(content), etag } : undefined;
}
