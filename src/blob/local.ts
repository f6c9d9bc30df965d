import { createHash } from "node:crypto";
import { inOnePiece } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError, invalid } from "../base/error.ts";
import { sha256Hex } from "../base/hash.ts";
import type { Prng } from "../base/prng.ts";
import { assertBlobPath, assertDeletable, assertRange, checkList } from "./checks.ts";
import { PRIVATE, SHARED } from "./directories.ts";
import { LocalDirectory, parentOf } from "./local-directory.ts";
import { faultOf, writeUnknown } from "./local-fault.ts";
import { type OpenFile, writeFully, writePieces } from "./local-file.ts";
import { exactLayout, type LocalLayout, payloadLayout } from "./local-layout.ts";
import { LocalLister } from "./local-list.ts";
import { DirectoryLocks } from "./local-lock.ts";
import { damageOf } from "./local-trailer.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

export interface LocalBlobStoreOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  /**
   * `payload` (the default): Firn's own files, any path, cheap etags. `exact`: a file is its blob
   * under its very path, for files shared with other programs; what the file system cannot hold is
   * `Invalid`, code `BLOB_PATH_UNSUPPORTED`. Only the user of the process may open the files and
   * folders of the first; those of the second are made as its umask says.
   */
  readonly layout?: "payload" | "exact";
  /** Whether a write is on the disk before it is acknowledged (default true). */
  readonly durable?: boolean;
  /** Larger blobs are refused by `get` (not by ranges): `Invalid`, code `BLOB_TOO_LARGE`. */
  readonly maxGetBytes?: number;
}

const MAX_GET_BYTES = 1_073_741_824;

/**
 * Blobs in a directory of a local file system that knows hard links. Several processes of one
 * machine may share it: `absent` is decided by an exclusive link, everything that replaces or
 * removes takes its directory's lock, so that `{etag}` holds from its comparison to its rename.
 *
 * Unconditional and `{etag}` puts cost a file sync and a directory sync, like `absent`; a
 * `deleteMany` one directory sync for each directory it touches. A crash leaves at most temporary
 * files that no list shows, and that the next process to write into their directory removes.
 */
export class LocalBlobStore implements BlobStore {
  readonly #tree: LocalDirectory;
  readonly #layout: LocalLayout;
  readonly #lister: LocalLister;
  readonly #locks: DirectoryLocks;
  readonly #durable: boolean;
  readonly #maxGetBytes: number;

  /** @param root absolute path of a directory, made by the first write. */
  constructor(root: string, options: LocalBlobStoreOptions) {
    this.#durable = options.durable ?? true;
    this.#tree = new LocalDirectory(root, {
      durable: this.#durable,
      clock: options.clock,
      modes: options.layout === "exact" ? SHARED : PRIVATE,
    });
    this.#layout = options.layout === "exact" ? exactLayout : payloadLayout;
    this.#lister = new LocalLister(this.#tree, this.#layout);
    this.#locks = new DirectoryLocks(options.clock, options.prng);
    this.#maxGetBytes = options.maxGetBytes ?? MAX_GET_BYTES;
  }

  get(path: string): Promise<Blob | undefined> {
    return this.#reading(path, async (file) => {
      if (file.size > this.#maxGetBytes) {
        const facts = { path: path.slice(0, 200), bytes: file.size, limit: this.#maxGetBytes };
        throw invalid("BLOB_TOO_LARGE", "blob too large", facts);
      }
      return await this.#layout.read(file, path);
    });
  }

  getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    assertRange(offset, length);
    return this.#reading(path, async (file) => {
      const { size, etag } = await this.#layout.describe(file);
      const bytes = await file.read(offset, Math.max(0, Math.min(length, size - offset)));
      return { bytes, etag, own: true };
    });
  }

  /**
   * Bytes [offset, offset + length) of the file that holds a blob, content first, whatever its
   * trailer says: for a repair of files that have their own checksums. Undefined without a file.
   */
  readDamaged(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    assertRange(offset, length);
    return this.#reading(path, async (file) => {
      return await file.read(offset, Math.max(0, Math.min(length, file.size - offset)));
    });
  }

  getSuffix(path: string, length: number): Promise<Blob | undefined> {
    assertRange(length);
    return this.#reading(path, async (file) => {
      const { size, etag } = await this.#layout.describe(file);
      const offset = Math.max(0, size - length);
      return { bytes: await file.read(offset, size - offset), etag };
    });
  }

  head(path: string): Promise<BlobInfo | undefined> {
    return this.#reading(path, async (file) => {
      const { size, etag } = await this.#layout.describe(file);
      return { size, etag, modifiedAtMs: file.modifiedAtMs };
    });
  }

  /** Whether a blob stands there, by one `stat`: cheaper than `head`, which must find the etag. */
  async exists(path: string): Promise<boolean> {
    assertBlobPath(path);
    return this.#tree.stat(this.#layout.fileOf(path))?.isFile() === true;
  }

  /** As `exists`, each time it is called, for a blob that was read or written: see the tree's. */
  watch(path: string): () => boolean {
    assertBlobPath(path);
    return this.#tree.watch(this.#layout.fileOf(path));
  }

  /**
   * As a put of what is absent, without the etag, for which all bytes would have to be hashed.
   * Where nothing is durable, the file is written in its place: no crash leaves a process that
   * knows of it, and before it is whole no caller is told its name.
   */
  async create(path: string, pieces: readonly Uint8Array[]): Promise<boolean> {
    assertBlobPath(path);
    const file = this.#layout.fileOf(path);
    const trailer = this.#layout.trailerOf(path, () => sha256Hex(inOnePiece(pieces)));
    const write = (fd: number) => writePieces(fd, [...pieces, trailer]);
    return this.#durable
      ? this.#publishNew(await this.#tree.stage(file, write), path, file)
      : this.#isNew(await this.#tree.create(file, write), path, file);
  }

  async put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    assertBlobPath(path);
    const file = this.#layout.fileOf(path);
    const etag = sha256Hex(bytes);
    const staged = await this.#tree.stage(file, async (fd) => {
      await writeFully(fd, bytes);
      await writeFully(
        fd,
        this.#layout.trailerOf(path, () => etag),
      );
    });
    if (condition === "absent") return this.#publishAbsent(staged, path, file, etag);
    return this.#publishOver(staged, path, file, etag, condition?.etag);
  }

  async putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    assertBlobPath(path);
    const file = this.#layout.fileOf(path);
    let etag = "";
    let broken: { readonly error: unknown } | undefined;
    const watched = noticing(source, (error) => {
      broken = { error };
    });
    const staging = this.#tree.stage(file, async (fd) => {
      const hash = createHash("sha256");
      for await (const chunk of watched) {
        hash.update(chunk);
        await writeFully(fd, chunk);
      }
      etag = hash.digest("hex");
      await writeFully(
        fd,
        this.#layout.trailerOf(path, () => etag),
      );
    });
    const staged = await staging.catch((error: unknown) => {
      throw broken === undefined ? error : broken.error;
    });
    return this.#publishOver(staged, path, file, etag, undefined);
  }

  delete(path: string): Promise<void> {
    return this.deleteMany([path]);
  }

  async deleteMany(paths: readonly string[]): Promise<void> {
    assertDeletable(paths);
    const files = paths.map((path) => this.#layout.fileOf(path));
    let begun = false;
    try {
      for (const [directory, group] of Map.groupBy(files, parentOf)) {
        await this.#locked(directory, async () => {
          for (const file of group) {
            this.#tree.remove(file);
            begun = true;
          }
        });
        await this.#tree.syncDirectory(directory);
      }
    } catch (error) {
      // "Nothing happened" is true of the one that failed, not of those before it.
      throw begun ? writeUnknown(error) : error;
    }
  }

  async list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    const limit = checkList(prefix, options);
    return this.#lister.list({ prefix, after: options?.after, limit });
  }

  /** Makes the directory of the blobs under `path` (`""`: the root), durably. */
  async makeDirectory(path: string): Promise<void> {
    if (path !== "") assertBlobPath(path);
    try {
      await this.#tree.ensure(path === "" ? "" : this.#layout.directoryOf(path));
    } catch (error) {
      throw faultOf(error, path, "nothing");
    }
  }

  async #publishAbsent(
    staged: string,
    path: string,
    file: string,
    etag: string,
  ): Promise<PutResult> {
    const stored = await this.#publishNew(staged, path, file);
    if (stored) return { outcome: "stored", etag };
    return { outcome: "failed", etag: (await this.head(path))?.etag };
  }

  /** @returns false where something stands there already. */
  async #publishNew(staged: string, path: string, file: string): Promise<boolean> {
    return this.#isNew(await this.#tree.publishAbsent(staged, file), path, file);
  }

  #isNew(outcome: "published" | "taken", path: string, file: string): boolean {
    if (outcome === "published") return true;
    if (this.#tree.stat(file)?.isDirectory()) {
      throw invalid("BLOB_PATH_UNSUPPORTED", "the path is a directory", {
        path: path.slice(0, 200),
      });
    }
    return false;
  }

  async #publishOver(
    staged: string,
    path: string,
    file: string,
    etag: string,
    expected: string | undefined,
  ): Promise<PutResult> {
    let published = false;
    let found: string | undefined;
    try {
      await this.#locked(parentOf(file), async () => {
        found = expected === undefined ? undefined : (await this.head(path))?.etag;
        if (found !== expected) return;
        this.#tree.publishOver(staged, file);
        published = true;
      });
    } finally {
      if (!published) this.#tree.discard(staged);
    }
    if (!published && expected === undefined) throw directoryGone(path);
    await this.#tree.syncDirectory(parentOf(file));
    return published ? { outcome: "stored", etag } : { outcome: "failed", etag: found };
  }

  async #locked(directory: string, body: () => Promise<void>): Promise<void> {
    const absolute = this.#tree.locate(directory);
    // No directory, no names in it to guard: no process can have compared anything there.
    if (absolute === undefined || !this.#tree.stat(directory)?.isDirectory()) return;
    try {
      await this.#locks.run(absolute, body);
    } catch (error) {
      throw faultOf(error, directory, "nothing");
    }
  }

  async #reading<T>(path: string, read: (file: OpenFile) => Promise<T>): Promise<T | undefined> {
    assertBlobPath(path);
    const file = this.#tree.open(this.#layout.fileOf(path));
    if (file === undefined) return undefined;
    try {
      return await read(file);
    } catch (error) {
      throw damageOf(error, path) ?? faultOf(error, path, "nothing");
    } finally {
      file.close();
    }
  }
}

/** Tells a failure of the source, a socket's say, from the file system's. */
async function* noticing(
  source: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

/** Another process took the directory away while a blob was written into it. */
function directoryGone(path: string): FirnError {
  const context = { path: path.slice(0, 200) };
  const message = "the directory of the blob is gone";
  return new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", message, context);
}
