import { FirnError, invalid } from "../base/error.ts";
import type { TableUuid } from "../base/ids.ts";
import type { Steps } from "../base/steps.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Table, View } from "../catalog/model.ts";
import type { RelationRef, Relations } from "../catalog/relations.ts";
import { ChunkedList } from "../iceberg/chunked-list.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { applySteps } from "../iceberg/updates.ts";
import type { ViewMetadata } from "../iceberg/view-metadata.ts";
import { applyViewSteps } from "../iceberg/view-updates.ts";
import type { Actor } from "./actor.ts";
import { describeTable } from "./iceberg-tables.ts";
import { describeView } from "./iceberg-views.ts";
import type { Metadata, MetadataFiles } from "./metadata-files.ts";
import { RelationCommits } from "./relation-commits.ts";
import { type CatalogPlaces, type TableLocations, WRITE_PATHS } from "./table-locations.ts";

/** What copies are made with. */
export interface CopyParts {
  readonly catalog: AccountCatalog;
  readonly locations: Locations;
  readonly tables: MetadataFiles<TableMetadata>;
  readonly views: MetadataFiles<ViewMetadata>;
  readonly places: TableLocations;
}

/**
 * Copies of tables and views: relations that begin with what a metadata file says, which belongs to
 * another one and stays as it is. A copy has its own location and its own metadata files there; the
 * data files that it starts with are the other's.
 *
 * It keeps the uuid: by that a purge of either finds the other, and leaves the files (see
 * `sharesFiles`). It gets `gc.enabled` = `false`, so that engines that expire its snapshots leave
 * them as well. It has no metadata log, since the older files are not its own to delete.
 */
export class RelationCopies {
  readonly #parts: CopyParts;
  readonly #tables: RelationCommits<Table, TableMetadata>;
  readonly #views: RelationCommits<View, ViewMetadata>;

  constructor(parts: CopyParts) {
    this.#parts = parts;
    const { catalog, places } = parts;
    const { context, tables, views } = catalog;
    const common = { context, places };
    this.#tables = new RelationCommits<Table, TableMetadata>({
      type: "table",
      relations: tables,
      describe: describeTable,
      files: parts.tables,
      ...common,
    });
    this.#views = new RelationCommits<View, ViewMetadata>({
      type: "view",
      relations: views,
      describe: describeView,
      files: parts.views,
      ...common,
    });
  }

  /**
   * Makes a table from a metadata file. One that was made under this name before stays.
   *
   * @param uuid of the table that is copied.
   * @throws FirnError `NotFound` `METADATA_FILE_MISSING`; `Invalid`: `METADATA_INVALID`,
   *   `LOCATION_NOT_ALLOWED`, `TABLE_UUID_MISSING`; `AlreadyExists` `TABLE_ALREADY_EXISTS`:
   *   another table has the name.
   */
  async table(actor: Actor, ref: RelationRef, from: string, uuid?: string): Promise<void> {
    const { catalog, tables: files } = this.#parts;
    const there = await found(catalog.tables, ref);
    if (there !== undefined && there.iceberg?.tableUuid === uuid) return;
    const source = (await files.peek(from)).metadata;
    if (source.uuid === undefined) {
      const message = "a table without uuid cannot be copied: a purge would not find the copy";
      throw invalid("TABLE_UUID_MISSING", message, { metadataLocation: from });
    }
    const metadata = (places: CatalogPlaces): Steps<TableMetadata> =>
      this.#tableCopy(source, this.#homeOf(places, ref));
    await this.#tables.create(actor, ref, { byDefault: true, metadata });
  }

  /** As `table`, of a view. */
  async view(actor: Actor, ref: RelationRef, from: string, uuid: string): Promise<void> {
    const { catalog, views: files } = this.#parts;
    const there = await found(catalog.views, ref);
    if (there !== undefined && there.iceberg?.viewUuid === uuid) return;
    const source = (await files.peek(from)).metadata;
    const nowMs = catalog.context.clock.nowMs();
    const metadata = (places: CatalogPlaces): Steps<ViewMetadata> => {
      const updates = [
        { action: "set-location", location: this.#homeOf(places, ref) },
        { action: "remove-properties", removals: pathsIn(source) },
      ] as const;
      return applyViewSteps(source, updates, nowMs);
    };
    await this.#views.create(actor, ref, { byDefault: true, metadata });
  }

  /** Takes a copy back, if it is still the one that was made. */
  async takeBack(actor: Actor, ref: RelationRef, uuid: string): Promise<void> {
    const { tables } = this.#parts.catalog;
    const there = await found(tables, ref);
    if (there?.iceberg?.tableUuid === uuid) await tables.takeBack(actor, ref, there.id);
  }

  /** Whether a file is still there. */
  async isThere(location: string): Promise<boolean> {
    return (await this.#parts.locations.etagOf(location)) !== undefined;
  }

  /** A location that nothing had before: the uuid at its end is minted for it. */
  #homeOf(places: CatalogPlaces, { path, name }: RelationRef): string {
    return places.defaultFor(path, name, this.#parts.catalog.context.ids.mint<TableUuid>());
  }

  *#tableCopy(source: TableMetadata, location: string): Steps<TableMetadata> {
    const nowMs = this.#parts.catalog.context.clock.nowMs();
    const updates = [
      { action: "set-location", location },
      { action: "remove-properties", removals: pathsIn(source) },
      { action: "set-properties", updates: new Map([[GC_ENABLED, "false"]]) },
    ] as const;
    const made = yield* applySteps(source, updates, { nowMs });
    return { ...made, metadataLog: ChunkedList.of([]) };
  }
}

const GC_ENABLED = "gc.enabled";

/** What says where the original is written to. */
function pathsIn({ properties }: Metadata): ReadonlySet<string> {
  return new Set(WRITE_PATHS.filter((property) => properties.has(property)));
}

async function found<E extends Table | View>(
  relations: Relations<E>,
  ref: RelationRef,
): Promise<E | undefined> {
  try {
    return (await relations.get(ref)).entity;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "NotFound") return undefined;
    throw error;
  }
}
