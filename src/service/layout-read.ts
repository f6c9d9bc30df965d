import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { Locations } from "../blob/locations.ts";
import type { ListedManifest } from "../iceberg/manifest.ts";
import {
  addFigures,
  emptyFigures,
  type FigureColumn,
  type FigureField,
  type ManifestFigures,
} from "../iceberg/manifest-figures.ts";
import type { Lanes } from "./lanes.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { Reading } from "./reading.ts";

/** A snapshot's manifests, as its metadata tells where they are. */
export interface ManifestSource {
  /** Absent: a snapshot of format version 1 that lists its manifests itself. */
  readonly manifestList: string | undefined;
  readonly manifests: readonly string[];
  readonly specs: ReadonlyMap<number, readonly FigureField[]>;
  /** Absent: no figures of columns. */
  readonly columns?: readonly FigureColumn[] | undefined;
}

export interface LayoutReadParts {
  readonly locations: Pick<Locations, "read">;
  readonly reading: Reading;
  readonly clock: Clock;
  /** Manifests that all requests together read at once: each is in memory whole. */
  readonly lanes: Lanes;
}

/**
 * The figures of one snapshot, added up manifest by manifest. A call goes on for as long as a
 * request may; the next one goes on from there, so that a table of any size is read in the end.
 */
export class LayoutRead {
  readonly figures: ManifestFigures = emptyFigures();
  readonly #parts: LayoutReadParts;
  readonly #source: ManifestSource;
  #manifests: readonly ListedManifest[] | undefined;
  #read = 0;
  #underWay: Promise<void> | undefined;

  constructor(parts: LayoutReadParts, source: ManifestSource) {
    this.#parts = parts;
    this.#source = source;
  }

  get manifests(): readonly ListedManifest[] {
    return this.#manifests ?? [];
  }

  /** Manifests whose files are in the figures. */
  get read(): number {
    return this.#read;
  }

  get isComplete(): boolean {
    return this.#manifests !== undefined && this.#read === this.#manifests.length;
  }

  /** What it takes to keep: some megabytes at most. */
  get weight(): number {
    const { partitions, columns } = this.figures;
    return 4_096 + this.manifests.length * 300 + partitions.size * 400 + columns.length * 400;
  }

  /**
   * Reads on until all is read or the time is over. One request a file.
   *
   * @throws FirnError `NotFound` `MANIFEST_MISSING`; `Invalid`: `MANIFEST_INVALID`,
   *   `LOCATION_NOT_ALLOWED`, and as `Workers.run`; what the store throws.
   */
  advance(): Promise<void> {
    this.#underWay ??= this.#advance().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #advance(): Promise<void> {
    const { clock, lanes } = this.#parts;
    const endMs = clock.monotonicMs() + SERVICE_LIMITS.layoutMs;
    this.#manifests ??= await lanes.run(() => this.#list());
    while (!this.isComplete && clock.monotonicMs() < endMs) {
      const manifest = this.manifests[this.#read];
      if (manifest === undefined) return;
      await lanes.run(() => this.#add(manifest));
      this.#read++;
    }
  }

  async #list(): Promise<readonly ListedManifest[]> {
    const { manifestList, manifests } = this.#source;
    if (manifestList === undefined) {
      const unknown = { bytes: 0n, specId: 0, content: "data" } as const;
      return manifests.map((path) => ({ path, ...unknown }));
    }
    const found: ListedManifest[] = [];
    const bytes = await this.#bytesAt(manifestList);
    try {
      for await (const some of this.#parts.reading.run("listedManifests", { bytes })) {
        found.push(...some);
        if (found.length > SERVICE_LIMITS.layoutManifests) throw tooMany();
      }
    } catch (error) {
      throw located(error, manifestList);
    }
    return found;
  }

  async #add({ path, specId }: ListedManifest): Promise<void> {
    const { reading } = this.#parts;
    const { specs, columns } = this.#source;
    const bytes = await this.#bytesAt(path);
    const asked = { specId, fields: specs.get(specId) ?? [], columns };
    try {
      for await (const figures of reading.run("manifestFigures", { bytes, asked })) {
        addFigures(this.figures, figures, columns);
      }
    } catch (error) {
      throw located(error, path);
    }
  }

  async #bytesAt(location: string): Promise<Uint8Array> {
    const found = await this.#parts.locations.read(location);
    if (found !== undefined) return found.bytes;
    const message = "a manifest of the snapshot is missing";
    throw new FirnError("NotFound", "MANIFEST_MISSING", message, { location });
  }
}

function tooMany(): FirnError {
  return new FirnError("Invalid", "MANIFEST_INVALID", "too many manifests: rewrite them", {
    limit: SERVICE_LIMITS.layoutManifests,
  });
}

/** Says which file is at fault. */
function located(error: unknown, location: string): unknown {
  if (!(error instanceof FirnError) || error.kind !== "Invalid") return error;
  const { kind, code, message, context } = error;
  return new FirnError(kind, code, message, { ...context, location }, error);
}
