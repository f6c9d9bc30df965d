import { bytesEqual, inOnePiece } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError, invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { Prng } from "../base/prng.ts";
import { normalizeFileLocation, pathOfFileLocation } from "./file-location.ts";
import { LocalBlobStore } from "./local.ts";
import type { Blob, BlobStore } from "./port.ts";

/** A look whether a file stands where it did, answered at once where that takes no waiting. */
export type Watch = () => boolean | Promise<boolean>;

/**
 * Where the blobs of one allowed root are. `exists` and `watch` only where `head` would cost more,
 * `create` only where a put would; it answers whether nothing stood there.
 */
export interface LocationRoot {
  readonly store: BlobStore & {
    exists?(path: string): Promise<boolean>;
    watch?(path: string): () => boolean;
    create?(path: string, pieces: readonly Uint8Array[]): Promise<boolean>;
    makeDirectory?(path: string): Promise<void>;
  };
  /** Path, in that store, of a normalized location at or below the root; `""` is the root. */
  pathOf(location: string): string;
  /** Files that were read or written here are taken to stay: each look would be a request. */
  readonly unwatched?: boolean;
}

/** A location with its store, and its path there. */
type Resolved = LocationRoot & { readonly path: string; readonly location: string };

/** A file in a listing. */
export interface LocatedFile {
  /** Canonical. */
  readonly location: string;
  readonly size: number;
  readonly modifiedAtMs: number;
}

/** Paths that one request of a store may delete. */
const DELETE_MANY = 1_000;

/** What a URI scheme needs to be served. */
export interface LocationScheme {
  /** Canonical form. @throws FirnError `Invalid`, code `LOCATION_INVALID`. */
  normalize(uri: string): string;
  /** The store behind a normalized root: made once, when a root is first used. */
  open(root: string): LocationRoot;
}

export interface LocationsOptions {
  /** URIs that locations may lie at or below. */
  readonly allowedRoots: readonly string[];
  /** URIs that none may lie at or below, whatever is allowed: where Firn keeps its own files. */
  readonly reserved?: readonly string[];
  readonly clock: Clock;
  readonly prng: Prng;
  /** Whether a file is on the disk before its write is acknowledged (default true). */
  readonly durable?: boolean;
  /** Schemes other than `file`, by their lower-case name. */
  readonly schemes?: ReadonlyMap<string, LocationScheme>;
}

/**
 * Iceberg locations: which store and path a URI means, and nothing outside the allowed roots. Every
 * operation checks its URI itself, so no caller can forget to.
 *
 * Codes, all `Invalid`: `LOCATION_INVALID` (no canonical form), `LOCATION_UNSUPPORTED` (unknown
 * scheme), `LOCATION_NOT_ALLOWED` (outside the roots); also those of the store.
 */
export class Locations {
  readonly #schemes: ReadonlyMap<string, LocationScheme>;
  /** Longest first, so that the first one above a location is its innermost. */
  readonly #roots: string[] = [];
  readonly #reserved: readonly string[];
  readonly #opened = new Map<string, LocationRoot>();
  #learn: ((uri: string) => Promise<void>) | undefined;

  constructor(options: LocationsOptions) {
    this.#schemes = new Map([...(options.schemes ?? []), ["file", fileScheme(options)]]);
    this.#reserved = (options.reserved ?? []).map((uri) => this.normalize(uri));
    for (const root of options.allowedRoots) this.addRoot(root);
  }

  /** Canonical form of a location, the only one that is ever compared or claimed. */
  normalize(uri: string): string {
    return this.#schemeOf(uri).normalize(uri);
  }

  /**
   * Canonical form under the scheme as it was given, where several mean the same: `s3a:` stays. So
   * it is answered to clients, which may know one of them alone.
   */
  spelled(uri: string): string {
    const location = this.normalize(uri);
    const given = uri.slice(0, uri.indexOf(":")).toLowerCase();
    return location.startsWith(`${given}:`)
      ? location
      : `${given}${location.slice(location.indexOf(":"))}`;
  }

  /** @returns the canonical form. */
  assertAllowed(uri: string): string {
    const location = this.normalize(uri);
    this.#rootOf(location);
    return location;
  }

  /**
   * As `assertAllowed`, once the roots that other nodes may have added are known here too.
   *
   * @throws FirnError also what asking for them throws.
   */
  async allowed(uri: string): Promise<string> {
    return (await this.#reach(uri)).location;
  }

  /** Allows a root; those that are there already stay. @returns the canonical form. */
  addRoot(uri: string): string {
    const root = this.normalize(uri);
    if (this.#roots.includes(root)) return root;
    this.#roots.push(root);
    this.#roots.sort((a, b) => b.length - a.length);
    return root;
  }

  /** Whether a place of Firn's own lies at, above or below a canonical location. */
  holdsReserved(location: string): boolean {
    return this.#reserved.some((own) => isWithin(own, location) || isWithin(location, own));
  }

  /** Whether a canonical location lies in a place of Firn's own. */
  isReserved(location: string): boolean {
    return this.#reserved.some((own) => isWithin(location, own));
  }

  /** `learn` adds the roots that others have made since; it is asked before a refusal. */
  learnRoots(learn: (uri: string) => Promise<void>): void {
    this.#learn = learn;
  }

  /** One request. @returns undefined where no file stands. */
  async read(uri: string): Promise<Blob | undefined> {
    const { store, path } = await this.#reach(uri);
    return path === "" ? undefined : store.get(path);
  }

  /** One request; for `file:` one `stat`. */
  async exists(uri: string): Promise<boolean> {
    const { store, path } = await this.#reach(uri);
    if (path === "") return false;
    return store.exists ? store.exists(path) : (await store.head(path)) !== undefined;
  }

  /** Of the bytes that stand there. One request. @returns undefined where no file stands. */
  async etagOf(uri: string): Promise<string | undefined> {
    const { store, path } = await this.#reachFile(uri);
    return (await store.head(path))?.etag;
  }

  /**
   * Looks after a file that was read or written here, for those who keep what is in it: each look
   * is one request, for `file:` one `lstat`. Its location has been checked then, and is not again.
   */
  watch(uri: string): Watch {
    return this.#watch(asFile(this.#resolve(uri)));
  }

  #watch({ store, path, unwatched, location }: Resolved): Watch {
    if (unwatched === true) return () => true;
    return store.watch?.(path) ?? (() => this.exists(location));
  }

  /** As one look of `watch`, at a file that was stored but perhaps never read here. */
  async stands(uri: string): Promise<boolean> {
    const { unwatched } = await this.#reach(uri);
    return unwatched === true || this.exists(uri);
  }

  /**
   * Writes a new file, whole or not at all: `content`, in one piece or several. One request.
   *
   * @returns what `watch` would.
   * @throws FirnError `Conflict`, code `LOCATION_TAKEN`: a file stands there.
   */
  async write(uri: string, content: Uint8Array | readonly Uint8Array[]): Promise<Watch> {
    const file = await this.#reachFile(uri);
    const { store, path, location } = file;
    const pieces = content instanceof Uint8Array ? [content] : content;
    const stored = store.create
      ? await store.create(path, pieces)
      : (await store.put(path, inOnePiece(pieces), "absent")).outcome === "stored";
    if (!stored) {
      throw new FirnError("Conflict", "LOCATION_TAKEN", "a file exists at the location", {
        location,
      });
    }
    return this.#watch(file);
  }

  /**
   * As `write`, under a name that no other process ever writes to: what stands there was left by an
   * earlier try of the same, whole or cut short. It is made whole, never deleted: a delete might be
   * late and take what came after it. Two requests, three where it was not whole.
   *
   * @throws FirnError `Unavailable`, code `BLOB_UNSETTLED`: an earlier try came in between.
   */
  async writeAgain(uri: string, content: Uint8Array | readonly Uint8Array[]): Promise<Watch> {
    const bytes = content instanceof Uint8Array ? content : inOnePiece(content);
    const file = await this.#reachFile(uri);
    const { store, path, location } = file;
    const found = await store.get(path);
    if (found !== undefined && bytesEqual(found.bytes, bytes)) return this.#watch(file);
    const condition = found === undefined ? "absent" : { etag: found.etag };
    const { outcome } = await store.put(path, bytes, condition);
    if (outcome === "stored") return this.#watch(file);
    throw new FirnError(
      "Unavailable",
      "BLOB_UNSETTLED",
      "other writers keep changing the blob: try again",
      {
        location,
      },
    );
  }

  /** Deletes a file; nothing there is fine. One request. */
  async delete(uri: string): Promise<void> {
    const { store, path } = await this.#reachFile(uri);
    await store.delete(path);
  }

  /** Deletes files; those that are not there are fine. One request a root and 1,000 files. */
  async deleteMany(uris: readonly string[]): Promise<void> {
    const byStore = new Map<LocationRoot["store"], string[]>();
    for (const uri of uris) {
      const { store, path } = await this.#reachFile(uri);
      const paths = byStore.get(store);
      if (paths === undefined) byStore.set(store, [path]);
      else paths.push(path);
    }
    for (const [store, paths] of byStore) {
      for (let at = 0; at < paths.length; at += DELETE_MANY) {
        await store.deleteMany(paths.slice(at, at + DELETE_MANY));
      }
    }
  }

  /** Files directly in a directory, by name. One request for 1,000 files at or below it. */
  async *list(uri: string): AsyncGenerator<LocatedFile> {
    const { store, path, location } = await this.#reach(uri);
    const prefix = path === "" ? "" : `${path}/`;
    for (let after = ""; ; ) {
      const page = await store.list(prefix, after === "" ? {} : { after });
      for (const { path: file, size, modifiedAtMs } of page) {
        const name = file.slice(prefix.length);
        if (!name.includes("/")) yield { location: `${location}/${name}`, size, modifiedAtMs };
      }
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.path;
    }
  }

  /** Makes a directory where the scheme knows directories, else does nothing. */
  async makeDirectory(uri: string): Promise<void> {
    const { store, path } = await this.#reach(uri);
    await store.makeDirectory?.(path);
  }

  async #reachFile(uri: string): Promise<Resolved> {
    return asFile(await this.#reach(uri));
  }

  /** As `#resolve`; a root that is unknown here may be one that another node has added. */
  async #reach(uri: string): Promise<Resolved> {
    try {
      return this.#resolve(uri);
    } catch (error) {
      const outside = error instanceof FirnError && error.code === "LOCATION_NOT_ALLOWED";
      if (!outside || this.#learn === undefined) throw error;
      await this.#learn(uri);
      return this.#resolve(uri);
    }
  }

  #resolve(uri: string): Resolved {
    const location = this.normalize(uri);
    const root = this.#rootOf(location);
    const opened = this.#opened.get(root) ?? this.#schemeOf(root).open(root);
    this.#opened.set(root, opened);
    return { ...opened, path: opened.pathOf(location), location };
  }

  /** The innermost allowed root: the narrowest that says what its store may touch. */
  #rootOf(location: string): string {
    const innermost = this.#roots.find((root) => isWithin(location, root));
    if (innermost === undefined || this.#reserved.some((own) => isWithin(location, own))) {
      throw invalid("LOCATION_NOT_ALLOWED", "location outside the allowed roots", {
        location: location.slice(0, 200),
      });
    }
    return innermost;
  }

  #schemeOf(uri: string): LocationScheme {
    const colon = uri.indexOf(":");
    const name = uri.slice(0, Math.max(0, colon)).toLowerCase();
    const scheme = this.#schemes.get(name);
    if (scheme === undefined) {
      throw invalid("LOCATION_UNSUPPORTED", "unsupported location scheme", {
        location: uri.slice(0, 200),
      });
    }
    return scheme;
  }
}

function asFile(resolved: Resolved): Resolved {
  if (resolved.path !== "") return resolved;
  const { location } = resolved;
  throw invalid("LOCATION_INVALID", "an allowed root must not be a file", { location });
}

/** Whether a location is at or below a root, whole segments only: `/a/bc` is not below `/a/b`. */
export function isWithin(location: string, root: string): boolean {
  return location === root || location.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function fileScheme(options: LocationsOptions): LocationScheme {
  return {
    normalize: normalizeFileLocation,
    open(root) {
      const store = new LocalBlobStore(pathOfFileLocation(root), {
        clock: options.clock,
        prng: options.prng,
        layout: "exact",
        durable: options.durable ?? true,
        maxGetBytes: LIMITS.metadataFileBytes,
      });
      const skipped = root.endsWith("/") ? root.length : root.length + 1;
      return { store, pathOf: (location) => location.slice(skipped) };
    },
  };
}
