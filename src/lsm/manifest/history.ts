import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { BlobEntry, BlobStore } from "../../blob/port.ts";
import { inFile } from "../format/corrupt.ts";
import { decodeGcBoundary, encodeGcBoundary, type GcBoundary } from "../format/gc-boundary.ts";
import type { Manifest } from "../format/manifest.ts";
import { boundaryPath, manifestPath } from "./objects.ts";
import { readManifest } from "./read-manifest.ts";

/** One object with a number for a name. */
export interface Numbered extends BlobEntry {
  readonly id: number;
}

const PAGE = 1_000;
const NAME = /^(\d{20})\.(?:manifest|boundary)$/;

/** Every object under a prefix, in order. A request for each thousand. */
export async function listAll(store: BlobStore, prefix: string): Promise<readonly BlobEntry[]> {
  const found: BlobEntry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.list(prefix, after === undefined ? {} : { after });
    found.push(...page);
    const last = page.at(-1)?.path;
    assert(last === undefined || last > (after ?? ""), "a list goes on behind its last page");
    after = last;
    if (page.length < PAGE) return found;
  }
}

/** The manifests of a shard as objects, older ones among them, and how far they may be gone. */
export class ManifestHistory {
  readonly #store: BlobStore;
  readonly #prefix: string;
  readonly #clock: Clock;

  constructor(store: BlobStore, prefix: string, clock: Clock) {
    this.#store = store;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** Manifests that are stored, oldest first. */
  list(): Promise<readonly Numbered[]> {
    return this.#numbered("manifest/");
  }

  /** Undefined where it is gone. @throws FirnError `Corrupt`, naming `path`. */
  read(id: number): Promise<Manifest | undefined> {
    return readManifest(this.#store, manifestPath(this.#prefix, id), id, this.#clock);
  }

  /** The boundary in force; undefined where nothing was ever deleted. @throws as `read`. */
  async boundary(): Promise<GcBoundary | undefined> {
    for (;;) {
      const last = (await this.#numbered("gc/")).at(-1);
      if (last === undefined) return undefined;
      const blob = await this.#store.get(last.path);
      // Replaced since it was listed, by a higher one.
      if (blob !== undefined) return inFile(last.path, () => decodeGcBoundary(blob.bytes));
    }
  }

  /**
   * Says, for good, that manifests up to an id may be gone: before the first of them is deleted.
   *
   * @returns false where another collector was faster: then nothing may be deleted.
   */
  async raise(manifestThrough: number): Promise<boolean> {
    assert(manifestThrough > 0, "the boundary is raised for a manifest that is to go");
    const before = await this.boundary();
    const id = (before?.id ?? 0) + 1;
    const boundary: GcBoundary = {
      id,
      walThrough: before?.walThrough ?? 0,
      manifestThrough: Math.max(before?.manifestThrough ?? 0, manifestThrough),
      raisedAtMs: this.#clock.nowMs(),
      optionalFeatures: before?.optionalFeatures ?? 0,
      unknown: before?.unknown ?? [],
    };
    const path = boundaryPath(this.#prefix, id);
    const put = await this.#store.put(path, encodeGcBoundary(boundary), "absent");
    if (put.outcome === "failed") return false;
    // A boundary is a numbered object too: where there is a higher one, this number was free only
    // because what stood under it has been deleted.
    const all = await this.#numbered("gc/");
    if (all.at(-1)?.id !== id) return false;
    const older = all.slice(0, -1).map((entry) => entry.path);
    for (let at = 0; at < older.length; at += PAGE) {
      await this.#store.deleteMany(older.slice(at, at + PAGE));
    }
    return true;
  }

  async #numbered(directory: string): Promise<readonly Numbered[]> {
    const prefix = this.#prefix + directory;
    const found: Numbered[] = [];
    for (const entry of await listAll(this.#store, prefix)) {
      const digits = NAME.exec(entry.path.slice(prefix.length))?.[1];
      if (digits !== undefined) found.push({ ...entry, id: Number(digits) });
    }
    return found;
  }
}
