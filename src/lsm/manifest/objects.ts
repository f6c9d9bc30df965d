import { assert } from "../../base/assert.ts";
import { bytesEqual } from "../../base/bytes.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { BlobStore } from "../../blob/port.ts";
import { inFile } from "../format/corrupt.ts";
import { decodeGcBoundary } from "../format/gc-boundary.ts";
import { encodeManifest, faultOf, type Manifest, tablesIn } from "../format/manifest.ts";
import { readManifest } from "./read-manifest.ts";
import type { ManifestState, ManifestStore } from "./store.ts";

export interface ManifestObjectsOptions {
  readonly store: BlobStore;
  readonly clock: Clock;
  /** Of the shard, with a slash at its end; or empty. */
  readonly prefix: string;
  /** Nothing younger is ever deleted. */
  readonly gcMinAgeMs: number;
}

const PAGE = 1_000;
/** A state with more tables takes milliseconds to judge. */
const MANY_TABLES = 5_000;
/** States that are looked for one after the other. */
const FAR = 16;
/** Of the least age of what is deleted: an absence that is younger than that proves itself. */
const MARGIN_SHARE = 0.5;

/** Name of the object that holds a state: byte order of names is order of ids. */
export function manifestPath(prefix: string, id: number): string {
  return `${prefix}manifest/${String(id).padStart(20, "0")}.manifest`;
}

export function boundaryPath(prefix: string, id: number): string {
  return `${prefix}gc/${String(id).padStart(20, "0")}.boundary`;
}

/** States as numbered objects of any blob store that knows a put of what is absent. */
export class ManifestObjects implements ManifestStore {
  readonly #store: BlobStore;
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #gcMinAgeMs: number;

  constructor({ store, clock, prefix, gcMinAgeMs }: ManifestObjectsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#gcMinAgeMs = gcMinAgeMs;
  }

  /**
   * A list, one get, and one more that finds nothing; two for the boundary where that took long, or
   * what is young may be deleted.
   */
  async latest(): Promise<Manifest | undefined> {
    for (;;) {
      const began = new Stopwatch(this.#clock);
      const last = await this.#lastIn("manifest/", ".manifest");
      if (last === 0) return undefined;
      const listed = await this.#read(last);
      // Collected since it was listed: there are newer ones.
      if (listed === undefined) continue;
      const next = await this.#follow(last);
      return (await this.#orNewer(last, next, began.elapsedMs())) ?? listed;
    }
  }

  async newerThan(id: number, sinceMs: number): Promise<Manifest | undefined> {
    const began = new Stopwatch(this.#clock);
    const next = await this.#follow(id, FAR);
    assert(next === undefined || next.id > id, "a newer state has a higher id");
    // Readers publish too: after a long time a list is sooner there than one look after the other.
    if (next !== undefined && next.id === id + FAR) return await this.latest();
    return await this.#orNewer(id, next, sinceMs + began.elapsedMs());
  }

  /**
   * `next`, found behind `id`, where that is the newest state for sure; else the one that is.
   *
   * @param ageMs how long before the last look `id` was known to be the newest. Long after that,
   *   successors may have come and gone again, and an object put in their place since is not a
   *   state. The boundary was raised before the first of them was deleted.
   */
  async #orNewer(
    id: number,
    next: Manifest | undefined,
    ageMs: number,
  ): Promise<Manifest | undefined> {
    if (ageMs < this.#gcMinAgeMs * MARGIN_SHARE) return next;
    for (let newest = next; ; ) {
      const through = await this.#boundary();
      if (through < (newest?.id ?? id)) return newest;
      const above = await this.#follow(through);
      if (above === undefined && through === (await this.#boundary())) {
        throw manifestLost(manifestPath(this.#prefix, through + 1));
      }
      newest = above ?? newest;
    }
  }

  /** A put and a list; a get where the put's answer was lost. @throws as the port; `Corrupt`. */
  async publish(state: ManifestState, previous: number): Promise<Manifest | undefined> {
    assert(previous >= 0, "a state follows one that is stored, or none");
    const fault = faultOf(state);
    assert(fault === undefined, `a state is published that readers accept: ${fault}`);
    const id = previous + 1;
    const manifest: Manifest = { ...state, id, writtenAtMs: this.#clock.nowMs() };
    // To judge a state and to encode it are a turn each.
    if (tablesIn(state).length > MANY_TABLES) await this.#clock.sleep(0);
    if (!(await this.#create(manifestPath(this.#prefix, id), encodeManifest(manifest)))) {
      return undefined;
    }
    try {
      return (await this.#isCollected(id)) ? undefined : manifest;
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind === "Corrupt") throw error;
      const message = "the manifest is stored, but may not be current";
      throw new FirnError("Unknown", "LSM_MANIFEST_UNKNOWN", message, { manifest: id }, error);
    }
  }

  /** Whether a free id was used before and collected: an object that is put there is no state. */
  async #isCollected(id: number): Promise<boolean> {
    for (let through = await this.#boundary(); ; ) {
      if (through < id) return false;
      // It is not above what may have been deleted: others stood under it once, and the first that
      // was kept follows the boundary, unless that has been raised meanwhile.
      if ((await this.#read(through + 1)) !== undefined) return true;
      const raised = await this.#boundary();
      if (raised === through) throw manifestLost(manifestPath(this.#prefix, through + 1));
      through = raised;
    }
  }

  /** @throws FirnError of kind `Unknown` where it may have been stored; what the store throws. */
  async #create(path: string, bytes: Uint8Array): Promise<boolean> {
    let unknown: FirnError | undefined;
    try {
      const put = await this.#store.put(path, bytes, "absent");
      if (put.outcome === "stored") return true;
    } catch (error) {
      if (!(error instanceof FirnError) || error.kind !== "Unknown") throw error;
      unknown = error;
    }
    // Taken; perhaps by ourselves, where an answer is lost or a store sends a request again.
    const found = await this.#store.get(path).catch((error: unknown) => {
      const message = "whether the manifest is stored is not known";
      throw unknown ?? new FirnError("Unknown", "LSM_MANIFEST_UNKNOWN", message, { path }, error);
    });
    if (found === undefined && unknown !== undefined) throw unknown;
    return found !== undefined && bytesEqual(found.bytes, bytes);
  }

  /** The last of the unbroken line of states that begins behind `id`, or the one after `most`. */
  async #follow(id: number, most = Number.POSITIVE_INFINITY): Promise<Manifest | undefined> {
    let newest: Manifest | undefined;
    for (let next = id + 1; next <= id + most; next++) {
      const manifest = await this.#read(next);
      if (manifest === undefined) return newest;
      newest = manifest;
    }
    return newest;
  }

  #read(id: number): Promise<Manifest | undefined> {
    return readManifest(this.#store, manifestPath(this.#prefix, id), id, this.#clock);
  }

  /** The last manifest that may have been deleted. */
  async #boundary(): Promise<number> {
    for (;;) {
      const last = await this.#lastIn("gc/", ".boundary");
      if (last === 0) return 0;
      const path = boundaryPath(this.#prefix, last);
      const blob = await this.#store.get(path);
      if (blob !== undefined)
        return inFile(path, () => decodeGcBoundary(blob.bytes)).manifestThrough;
    }
  }

  /** The highest id below a directory, 0 where it is empty. */
  async #lastIn(directory: string, extension: string): Promise<number> {
    const prefix = `${this.#prefix}${directory}`;
    let last = 0;
    for (let after: string | undefined; ; ) {
      const page = await this.#store.list(prefix, after === undefined ? {} : { after });
      for (const { path } of page) {
        const name = path.slice(prefix.length);
        if (/^\d{20}\./.test(name) && name.endsWith(extension)) last = Number(name.slice(0, 20));
      }
      after = page.at(-1)?.path;
      if (page.length < PAGE) return last;
    }
  }
}

/** No collector deletes the newest state, nor the first one above its boundary. */
function manifestLost(path: string): FirnError {
  const facts = { path, offset: 0 };
  return new FirnError("Corrupt", "LSM_MANIFEST_LOST", "the newest manifest is missing", facts);
}
