import { CatalogError } from "../base/error.ts";
import type { Revision } from "../base/ids.ts";
import type { Actor, CatalogContext } from "../catalog/context.ts";
import { relationNotFound } from "../catalog/errors.ts";
import type { Relation } from "../catalog/model.ts";
import type { RelationDraft, RelationRef, Relations } from "../catalog/relations.ts";
import type { Revised } from "../catalog/revised.ts";
import type { Version } from "../pointer/port.ts";
import { CommitFiles, type Describe } from "./commit-files.ts";
import type { Metadata, MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { type CatalogPlaces, samePlaces, type TableLocations } from "./table-locations.ts";

/** What a commit came to: the file that it names, or that was named already. */
export interface Committed<M extends Metadata> {
  readonly file: MetadataFile<M>;
  readonly version: Version;
  readonly revision: Revision;
}

/** What relations of one type are made of, and how. */
interface Parts<E extends Relation, M extends Metadata> {
  readonly type: E["type"];
  readonly relations: Relations<E>;
  readonly describe: Describe<E, M>;
  readonly context: CatalogContext;
  readonly files: MetadataFiles<M>;
  readonly places: TableLocations;
}

/**
 * Commits of tables or of views whose truth is a metadata file. What is to be written is worked out
 * anew at every look at the catalog, and only the file of the look that won stays.
 */
export class RelationCommits<E extends Relation, M extends Metadata> {
  readonly #parts: Parts<E, M>;

  constructor(parts: Parts<E, M>) {
    this.#parts = parts;
  }

  /** Location of the current metadata file. Warm: one batch read. */
  async find(
    ref: RelationRef,
  ): Promise<{ location: string; version: Version; revision: Revision }> {
    const { relations } = this.#parts;
    const link = await relations.find(ref);
    const { item, summary } = link;
    const location =
      summary.metadataLocation ??
      (await relations.read(link, ref)).entity.iceberg?.metadataLocation;
    if (location === undefined) throw this.#missing(ref);
    return { location, version: item.version, revision: summary.revision };
  }

  async create(
    actor: Actor,
    ref: RelationRef,
    metadataOf: (places: CatalogPlaces) => Promise<M>,
  ): Promise<Committed<M>> {
    const { relations, type } = this.#parts;
    const files = this.#commitFiles();
    return files.cleanAfter(async () => {
      let file: MetadataFile<M> | undefined;
      const done = await relations.create(actor, `create-${type}` as const, ref, async () => {
        const places = await this.#parts.places.of(ref.catalog);
        const metadata = await metadataOf(places);
        const drafted = files.draft(places.locationOf(metadata), metadata, undefined);
        file = drafted.file;
        return drafted.draft;
      });
      return committed(done, file ?? (await this.#current(done, ref)));
    });
  }

  /** `change` gives the base itself where nothing is to be written. */
  async update(
    actor: Actor,
    ref: RelationRef,
    change: (base: M, baseLocation: string) => M,
  ): Promise<Committed<M>> {
    const { relations, type } = this.#parts;
    const files = this.#commitFiles();
    return files.cleanAfter(async () => {
      let file: MetadataFile<M> | undefined;
      const commit = `commit-${type}` as const;
      const done = await relations.update(actor, commit, ref, async ({ entity }) => {
        const baseLocation = entity.iceberg?.metadataLocation;
        if (baseLocation === undefined) throw this.#missing(ref);
        const base = await this.#parts.files.load(baseLocation);
        file = base;
        const next = change(base.metadata, baseLocation);
        if (next === base.metadata) return undefined;
        // Where nothing moves, the places were allowed when the relation came to them.
        const location = samePlaces(base.metadata, next)
          ? entity.location
          : (await this.#parts.places.of(ref.catalog)).locationOf(next);
        const drafted = files.draft(location, next, baseLocation);
        file = drafted.file;
        return drafted.draft;
      });
      return committed(done, file ?? (await this.#current(done, ref)));
    });
  }

  /**
   * A draft of what a metadata file holds, wherever it lies within the catalog's roots.
   *
   * @throws CatalogError `METADATA_FILE_MISSING`, `METADATA_INVALID`, `LOCATION_NOT_ALLOWED`.
   */
  async registered(catalog: string, metadataLocation: string): Promise<RelationDraft<E>> {
    const { files, describe } = this.#parts;
    const places = await this.#parts.places.of(catalog);
    const where = places.allowed(metadataLocation);
    const { metadata } = await files.load(where);
    return { location: places.locationOf(metadata), iceberg: describe(metadata, where) };
  }

  /**
   * What was registered. The file is looked at once more after the commit: a purge may have taken
   * it meanwhile, and then `undo` drops what names it.
   */
  async confirm(
    done: Revised<E>,
    ref: RelationRef,
    undo: () => Promise<void>,
  ): Promise<Committed<M>> {
    try {
      return committed(done, await this.#current(done, ref));
    } catch (error) {
      const gone = error instanceof CatalogError && error.code === "METADATA_FILE_MISSING";
      if (gone) await undo();
      throw error;
    }
  }

  #current({ entity }: Revised<E>, ref: RelationRef): Promise<MetadataFile<M>> {
    const location = entity.iceberg?.metadataLocation;
    if (location === undefined) throw this.#missing(ref);
    return this.#parts.files.load(location);
  }

  #commitFiles(): CommitFiles<E, M> {
    const { context, files, places, describe } = this.#parts;
    return new CommitFiles(context, files, places, describe);
  }

  #missing(ref: RelationRef): CatalogError {
    return relationNotFound(this.#parts.type, ref.path, ref.name);
  }
}

function committed<M extends Metadata>(
  { version, revision }: Pick<Committed<M>, "version" | "revision">,
  file: MetadataFile<M>,
): Committed<M> {
  return { file, version, revision };
}
