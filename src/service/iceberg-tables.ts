import { CatalogError } from "../base/error.ts";
import type { TableUuid } from "../base/ids.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { relationExists, tableNotFound } from "../catalog/errors.ts";
import { dotted } from "../catalog/names.ts";
import { etagOf } from "../catalog/revised.ts";
import type { TableRef as CatalogTableRef, TableDraft } from "../catalog/tables.ts";
import { newTableMetadata } from "../iceberg/create.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { checkRequirements } from "../iceberg/requirements.ts";
import { applyUpdates, type TableUpdate } from "../iceberg/updates.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import type {
  CommitTable,
  CreateTable,
  LoadedTable,
  LoadOptions,
  LoadResult,
  NamespaceRef,
  RegisterTable,
  RenameTable,
  RequestContext,
  SnapshotsMode,
  TableRef,
} from "./requests.ts";
import { CommitFiles, icebergOf } from "./table-commits.ts";
import { type CatalogPlaces, samePlaces, type TableLocations } from "./table-locations.ts";
import { Turns } from "./turns.ts";

const METADATA_DIRECTORY = "metadata";
const DATA_DIRECTORY = "data";

function refOf(ref: TableRef): CatalogTableRef {
  return { catalog: ref.catalog, path: ref.namespace, name: ref.table };
}

/** The answer changes with what is left out of it, so its tag does too. */
function tagOf(version: bigint, revision: string, snapshots: SnapshotsMode): string {
  return etagOf(version, revision, snapshots === "refs" ? "-refs" : "");
}

function answerOf(version: bigint, revision: string, file: MetadataFile): LoadedTable {
  return {
    etag: tagOf(version, revision, "all"),
    metadataLocation: file.location,
    metadata: file.bytes,
    config: {},
  };
}

/**
 * Work on a table that should exist. In this protocol it is the table that is missing, also where
 * its namespace is: engines look for the metadata table `ns.t.snapshots` under the namespace
 * `[ns, t]`, and only go on to load `ns.t` if they hear of a missing table.
 */
async function ofTable<T>(ref: TableRef, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const parentMissing =
      error instanceof CatalogError &&
      error.code === "NAMESPACE_NOT_FOUND" &&
      error.context["namespace"] === dotted(ref.namespace);
    throw parentMissing ? tableNotFound(ref.namespace, ref.table) : error;
  }
}

/** The table operations of the Iceberg REST protocol. */
export class IcebergTables {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #files: MetadataFiles;
  readonly #places: TableLocations;
  readonly #turns: Turns = new Turns();

  constructor(
    catalog: AccountCatalog,
    locations: Locations,
    files: MetadataFiles,
    places: TableLocations,
  ) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#files = files;
    this.#places = places;
  }

  /** Warm: one batch read of pointers and, for a `file:` table, one `stat`. */
  async load(ref: TableRef, options: LoadOptions): Promise<LoadResult> {
    const link = await ofTable(ref, this.#catalog.tables.find(refOf(ref)));
    const { item, summary } = link;
    const location =
      summary.metadataLocation ??
      (await this.#catalog.tables.read(link, refOf(ref))).entity.iceberg?.metadataLocation;
    if (location === undefined) throw tableNotFound(ref.namespace, ref.table);
    const etag = tagOf(item.version, summary.revision, options.snapshots);
    if (options.ifNoneMatch?.includes(etag) === true) {
      await this.#files.assertThere(location);
      return "not-modified";
    }
    const file = await this.#files.load(location);
    const metadata = options.snapshots === "refs" ? file.refs : file.bytes;
    return { etag, metadataLocation: location, metadata, config: {} };
  }

  async assertExists(ref: TableRef): Promise<void> {
    await ofTable(ref, this.#catalog.tables.find(refOf(ref)));
  }

  /**
   * Works out a table without making it: nothing is stored but its directories, since some clients
   * write there before they commit.
   */
  async stage(ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    const table = { ...ref, table: request.name };
    await this.#assertFree(table);
    const places = await this.#places.of(ref.catalog);
    const metadata = await this.#newMetadata(places, table, request, this.#mintUuid());
    const location = places.locationOf(metadata);
    for (const directory of [METADATA_DIRECTORY, DATA_DIRECTORY]) {
      await this.#locations.makeDirectory(`${location}/${directory}`);
    }
    const { bytes } = this.#files.render(location, metadata);
    return { etag: undefined, metadataLocation: undefined, metadata: bytes, config: {} };
  }

  async create(ctx: RequestContext, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    const table = { ...ref, table: request.name };
    const uuid = this.#mintUuid();
    return this.#createWith(ctx, table, (places) =>
      this.#newMetadata(places, table, request, uuid),
    );
  }

  /** Commits of one table are taken in turn; a lost race between nodes is applied again. */
  async commit(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<LoadedTable> {
    const updates = request.updates.map((update) => this.#canonical(update));
    const key = JSON.stringify([ref.catalog, ref.namespace, ref.table]);
    return this.#turns.take(key, () =>
      request.requirements.some(({ type }) => type === "assert-create")
        ? this.#commitCreate(ctx, ref, { ...request, updates })
        : ofTable(ref, this.#commitUpdate(ctx, ref, { ...request, updates })),
    );
  }

  async register(
    ctx: RequestContext,
    ref: NamespaceRef,
    request: RegisterTable,
  ): Promise<LoadedTable> {
    const table = { catalog: ref.catalog, path: ref.namespace, name: request.name };
    const draft = async () => {
      const places = await this.#places.of(ref.catalog);
      const where = places.allowed(request.metadataLocation);
      const file = await this.#files.load(where);
      const location = places.locationOf(file.metadata);
      return { location, iceberg: icebergOf(file.metadata, where) };
    };
    const { entity, version, revision } = request.overwrite
      ? await this.#registerOver(ctx, table, draft)
      : await this.#catalog.tables.create(ctx, "register-table", table, draft);
    const location = entity.iceberg?.metadataLocation ?? request.metadataLocation;
    return answerOf(version, revision, await this.#registered(ctx, table, location));
  }

  async drop(
    ctx: RequestContext,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    await ofTable(ref, this.#catalog.tables.drop(ctx, refOf(ref), options));
  }

  async rename(ctx: RequestContext, { catalog, from, to }: RenameTable): Promise<void> {
    const target = { path: to.namespace, name: to.table };
    const source = { ...from, catalog };
    await ofTable(source, this.#catalog.tables.rename(ctx, refOf(source), target));
  }

  /** The file is looked at once more after the commit: a purge may have taken it meanwhile. */
  async #registered(
    ctx: RequestContext,
    table: CatalogTableRef,
    location: string,
  ): Promise<MetadataFile> {
    try {
      return await this.#files.load(location);
    } catch (error) {
      const gone = error instanceof CatalogError && error.code === "METADATA_FILE_MISSING";
      if (gone) await this.#catalog.tables.drop(ctx, table, { purgeRequested: false });
      throw error;
    }
  }

  async #registerOver(
    ctx: RequestContext,
    table: CatalogTableRef,
    draft: () => Promise<TableDraft>,
  ) {
    const { tables } = this.#catalog;
    try {
      return await tables.create(ctx, "register-table", table, draft);
    } catch (error) {
      const taken = error instanceof CatalogError && error.code === "TABLE_ALREADY_EXISTS";
      if (!taken) throw error;
      return tables.update(ctx, "register-table", table, draft);
    }
  }

  async #commitUpdate(
    ctx: RequestContext,
    ref: TableRef,
    request: CommitTable,
  ): Promise<LoadedTable> {
    const { context, tables } = this.#catalog;
    const files = new CommitFiles(context, this.#files, this.#places);
    return files.cleanAfter(async () => {
      let kept: MetadataFile | undefined;
      const done = await tables.update(ctx, "commit-table", refOf(ref), async ({ entity }) => {
        const baseLocation = entity.iceberg?.metadataLocation;
        if (baseLocation === undefined) throw tableNotFound(ref.namespace, ref.table);
        const base = await this.#files.load(baseLocation);
        kept = base;
        checkRequirements(request.requirements, base.metadata);
        const nowMs = context.clock.nowMs();
        const next = applyUpdates(base.metadata, request.updates, { nowMs, baseLocation });
        if (next === base.metadata) return undefined;
        // Where nothing moves, the places were allowed when the table came to them.
        const location = samePlaces(base.metadata, next)
          ? entity.location
          : (await this.#places.of(ref.catalog)).locationOf(next);
        const drafted = files.draft(location, next, baseLocation);
        kept = drafted.file;
        return drafted.draft;
      });
      if (kept === undefined) throw tableNotFound(ref.namespace, ref.table);
      return { kept, value: answerOf(done.version, done.revision, kept) };
    });
  }

  /** The commit of a staged create: its updates build the table from nothing. */
  async #commitCreate(
    ctx: RequestContext,
    ref: TableRef,
    request: CommitTable,
  ): Promise<LoadedTable> {
    checkRequirements(request.requirements, undefined);
    const nowMs = this.#catalog.context.clock.nowMs();
    const uuid = this.#mintUuid();
    const metadata = applyUpdates(undefined, request.updates, { nowMs, uuid });
    try {
      return await this.#createWith(ctx, ref, async () => metadata);
    } catch (error) {
      const taken = error instanceof CatalogError && error.code === "TABLE_ALREADY_EXISTS";
      if (!taken) throw error;
      throw new CatalogError("Conflict", "REQUIREMENT_FAILED", "table exists", {
        requirement: "table already exists",
      });
    }
  }

  async #createWith(
    ctx: RequestContext,
    ref: TableRef,
    metadataOf: (places: CatalogPlaces) => Promise<TableMetadata>,
  ): Promise<LoadedTable> {
    const { context, tables } = this.#catalog;
    const files = new CommitFiles(context, this.#files, this.#places);
    return files.cleanAfter(async () => {
      let kept: MetadataFile | undefined;
      const done = await tables.create(ctx, "create-table", refOf(ref), async () => {
        const places = await this.#places.of(ref.catalog);
        const metadata = await metadataOf(places);
        const drafted = files.draft(places.locationOf(metadata), metadata, undefined);
        kept = drafted.file;
        return drafted.draft;
      });
      if (kept === undefined) throw tableNotFound(ref.namespace, ref.table);
      return { kept, value: answerOf(done.version, done.revision, kept) };
    });
  }

  async #newMetadata(
    places: CatalogPlaces,
    ref: TableRef,
    request: CreateTable,
    uuid: TableUuid,
  ): Promise<TableMetadata> {
    const { context } = this.#catalog;
    const location =
      request.location === undefined
        ? await this.#places.defaultFor(places, ref.namespace, request.name, uuid)
        : places.allowed(request.location);
    return newTableMetadata({
      schema: request.schema,
      ...(request.partitionSpec === undefined ? {} : { partitionSpec: request.partitionSpec }),
      ...(request.writeOrder === undefined ? {} : { writeOrder: request.writeOrder }),
      location,
      properties: { ...places.catalog.defaultTableProperties, ...request.properties },
      uuid,
      nowMs: context.clock.nowMs(),
    });
  }

  /** @throws CatalogError `AlreadyExists`, or `NotFound` for the namespace. */
  async #assertFree(ref: TableRef): Promise<void> {
    try {
      await this.#catalog.tables.find(refOf(ref));
    } catch (error) {
      if (error instanceof CatalogError && error.code === "TABLE_NOT_FOUND") return;
      throw error;
    }
    throw relationExists("table", ref.namespace, ref.table);
  }

  #canonical(update: TableUpdate): TableUpdate {
    if (update.action !== "set-location") return update;
    return { ...update, location: this.#locations.normalize(update.location) };
  }

  #mintUuid(): TableUuid {
    return this.#catalog.context.ids.mint<TableUuid>();
  }
}
