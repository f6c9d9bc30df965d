import { assert } from "../base/assert.ts";
import { CatalogError } from "../base/error.ts";
import type { TableUuid } from "../base/ids.ts";
import { settleAll } from "../base/settle.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Stored } from "../catalog/entities.ts";
import type { IcebergTable, Table } from "../catalog/model.ts";
import { etagOf } from "../catalog/revised.ts";
import type { TableRef as CatalogTableRef, TableDraft } from "../catalog/tables.ts";
import { commitTogether, type TableChange } from "../catalog/transactions.ts";
import { newTableMetadata } from "../iceberg/create.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { snapshotsOfRefs } from "../iceberg/refs.ts";
import { checkRequirements, isCreate } from "../iceberg/requirements.ts";
import { applyUpdates, type TableUpdate } from "../iceberg/updates.ts";
import { afterCommit } from "./commit-files.ts";
import { asDryRun, dryRunOf } from "./dry-run.ts";
import { MetadataFile, type MetadataFiles } from "./metadata-files.ts";
import {
  type Change,
  type Committed,
  Look,
  type Making,
  Registration,
  RelationCommits,
} from "./relation-commits.ts";
import { ofRelation } from "./relation-missing.ts";
import type {
  CommitOfTable,
  CommitTable,
  CreateTable,
  DryRun,
  DryRunOfTable,
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
import { snapshotChange } from "./snapshot-changes.ts";
import type { CatalogPlaces, TableLocations } from "./table-locations.ts";
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

/** What the catalog is told of a table with this metadata. */
function describe(
  metadata: TableMetadata,
  metadataLocation: string,
  base: TableMetadata | undefined,
): Pick<TableDraft, "iceberg" | "snapshots"> {
  const iceberg: IcebergTable = {
    metadataLocation,
    purgeRequested: false,
    ...(metadata.uuid === undefined ? {} : { tableUuid: metadata.uuid as TableUuid }),
    ...(metadata.currentSnapshotId === undefined
      ? {}
      : { currentSnapshotId: metadata.currentSnapshotId }),
  };
  const snapshots = snapshotChange(base, metadata);
  return snapshots === undefined ? { iceberg } : { iceberg, snapshots };
}

function answerOf({ version, revision, file }: Committed<TableMetadata>): LoadedTable {
  return {
    etag: tagOf(version, revision, "all"),
    metadataLocation: file.location,
    metadata: file.pieces,
    config: {},
  };
}

/** Metadata that is there already, wherever it lies. */
function made(metadata: TableMetadata): Making<TableMetadata> {
  return { byDefault: false, metadata: () => metadata };
}

/** As `ofRelation`, for every table that a transaction does not create. */
function ofTables<T>(changes: readonly TableChange[], work: Promise<T>): Promise<T> {
  const existing = changes.filter((change) => "update" in change);
  return existing.reduce((done, { ref }) => ofRelation("table", ref, done), work);
}

function filesOf(
  looks: readonly Look<Table, TableMetadata>[],
): readonly MetadataFile<TableMetadata>[] {
  return looks.flatMap(({ file }) => (file === undefined ? [] : [file]));
}

function turnOf(ref: TableRef): string {
  return JSON.stringify([ref.catalog, ref.namespace, ref.table]);
}

/** A name that was taken before a staged create came to its commit is a failed requirement. */
async function asRequirement<T>(commit: Promise<T>): Promise<T> {
  try {
    return await commit;
  } catch (error) {
    const taken = error instanceof CatalogError && error.code === "TABLE_ALREADY_EXISTS";
    if (!taken) throw error;
    throw new CatalogError("Conflict", "REQUIREMENT_FAILED", "table exists", {
      requirement: "table already exists",
    });
  }
}

/** The table operations of the Iceberg REST protocol. */
export class IcebergTables {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #places: TableLocations;
  readonly #commits: RelationCommits<Table, TableMetadata>;
  readonly #turns: Turns = new Turns();

  constructor(
    catalog: AccountCatalog,
    locations: Locations,
    files: MetadataFiles<TableMetadata>,
    places: TableLocations,
  ) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#files = files;
    this.#places = places;
    const { context, tables: relations } = catalog;
    const parts = { type: "table", relations, describe, context, files, places } as const;
    this.#commits = new RelationCommits<Table, TableMetadata>(parts);
  }

  /** Warm: one batch read of pointers and, for a `file:` table, one `stat`. */
  async load(ref: TableRef, options: LoadOptions): Promise<LoadResult> {
    const where = refOf(ref);
    const found = await ofRelation("table", where, this.#commits.find(where));
    const { location, version, revision } = found;
    const etag = tagOf(version, revision, options.snapshots);
    if (options.ifNoneMatch?.includes(etag) === true) {
      await this.#files.assertThere(location);
      return "not-modified";
    }
    const look = this.#files.at(location);
    const file = look instanceof MetadataFile ? look : await look;
    const metadata = options.snapshots === "refs" ? file.shorter(snapshotsOfRefs) : file.pieces;
    return { etag, metadataLocation: location, metadata, config: {} };
  }

  async assertExists(ref: TableRef): Promise<void> {
    await ofRelation("table", refOf(ref), this.#catalog.tables.find(refOf(ref)));
  }

  /**
   * Works out a table without making it: nothing is stored but its directories, since some clients
   * write there before they commit.
   */
  async stage(ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    const table = { ...ref, table: request.name };
    const { byDefault, metadata: make } = this.#making(table, request);
    const [, places] = await settleAll([
      this.#catalog.tables.assertFree(refOf(table)),
      this.#places.of(ref.catalog, byDefault ? ref.namespace : []),
    ]);
    const metadata = make(places);
    const location = places.locationOf(metadata);
    for (const directory of [METADATA_DIRECTORY, DATA_DIRECTORY]) {
      await this.#locations.makeDirectory(`${location}/${directory}`);
    }
    const { pieces } = this.#files.render(location, metadata);
    return { etag: undefined, metadataLocation: undefined, metadata: pieces, config: {} };
  }

  async create(ctx: RequestContext, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    const table = { ...ref, table: request.name };
    const making = this.#making(table, request);
    return answerOf(await this.#commits.create(ctx, refOf(table), making));
  }

  /** Commits of one table are taken in turn; a lost race between nodes is applied again. */
  async commit(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<LoadedTable> {
    return this.#turns.take(turnOf(ref), async () =>
      answerOf(await this.#commit(ctx, ref, request)),
    );
  }

  /** What a commit would come to now. Warm: one batch read and, for a `file:` table, one `stat`. */
  async dryRun(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<DryRun> {
    const { file, base } = await this.#commit(asDryRun(ctx), ref, request);
    return dryRunOf(file, base);
  }

  #commit(ctx: RequestContext, ref: TableRef, request: CommitTable) {
    return isCreate(request.requirements)
      ? this.#commitCreate(ctx, refOf(ref), request)
      : ofRelation("table", refOf(ref), this.#commitUpdate(ctx, refOf(ref), request));
  }

  /** Commits to several tables as one, after the turn of each. */
  async commitTogether(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<void> {
    const { context, tables } = this.#catalog;
    const { files, looks, planned } = this.#planTogether(catalog, changes);
    const keys = changes.map(({ namespace, table }) => turnOf({ catalog, namespace, table }));
    await this.#turns.takeAll(keys, () =>
      files.cleanAfter(
        () => ofTables(planned, asRequirement(commitTogether(context, tables, ctx, planned))),
        // Where another request under the same key was faster, the batch names no file of ours.
        () => (ctx.idempotency?.replayed === true ? [] : filesOf(looks)),
      ),
    );
  }

  /** What a transaction would come to now: each of its tables, or the refusal of all. */
  async dryRunTogether(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<readonly DryRunOfTable[]> {
    const { context, tables } = this.#catalog;
    const { looks, planned } = this.#planTogether(catalog, changes);
    const work = asRequirement(commitTogether(context, tables, asDryRun(ctx), planned));
    await ofTables(planned, work);
    return changes.map(({ namespace, table }, i) => {
      const { file, base } = looks[i] ?? {};
      assert(file !== undefined, "every table of a transaction was looked at");
      return { namespace, table, ...dryRunOf(file, base) };
    });
  }

  #planTogether(catalog: string, changes: readonly CommitOfTable[]) {
    const files = this.#commits.commitFiles();
    const looks: Look<Table, TableMetadata>[] = [];
    const planned = changes.map(({ table, namespace, ...request }): TableChange => {
      const ref = refOf({ catalog, namespace, table });
      const look = new Look<Table, TableMetadata>();
      looks.push(look);
      if (!isCreate(request.requirements)) {
        return { ref, update: this.#commits.changing(files, ref, this.#change(request), look) };
      }
      const metadata = this.#staged(request);
      return { ref, create: this.#commits.creating(files, ref, made(metadata), look) };
    });
    return { files, looks, planned };
  }

  async register(
    ctx: RequestContext,
    ref: NamespaceRef,
    request: RegisterTable,
  ): Promise<LoadedTable> {
    const { tables } = this.#catalog;
    const table = refOf({ ...ref, table: request.name });
    const look = new Registration<Table, TableMetadata>();
    const draft = (before?: Stored<Table>) =>
      this.#commits.registered(ref.catalog, request.metadataLocation, look, before);
    const done = request.overwrite
      ? await tables.createOrUpdate(ctx, "register-table", table, draft)
      : await tables.create(ctx, "register-table", table, () => draft());
    return answerOf(await this.#commits.confirm(ctx, done, table, look));
  }

  async drop(
    ctx: RequestContext,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    await ofRelation("table", refOf(ref), this.#catalog.tables.drop(ctx, refOf(ref), options));
  }

  async unregister(ctx: RequestContext, ref: TableRef): Promise<LoadedTable> {
    const load = ({ iceberg }: Table) => this.#files.load(iceberg?.metadataLocation ?? "");
    const { tables } = this.#catalog;
    const gone = tables.unregister(ctx, refOf(ref), async (table) => void (await load(table)));
    const { entity } = await ofRelation("table", refOf(ref), gone);
    const { location, pieces } = await afterCommit(load(entity));
    return { etag: undefined, metadataLocation: location, metadata: pieces, config: {} };
  }

  async rename(ctx: RequestContext, { catalog, from, to }: RenameTable): Promise<void> {
    const target = { path: to.namespace, name: to.table };
    const source = refOf({ ...from, catalog });
    await ofRelation("table", source, this.#catalog.tables.rename(ctx, source, target));
  }

  #commitUpdate(ctx: RequestContext, ref: CatalogTableRef, request: CommitTable) {
    return this.#commits.update(ctx, ref, this.#change(request));
  }

  #commitCreate(ctx: RequestContext, ref: CatalogTableRef, request: CommitTable) {
    const metadata = this.#staged(request);
    return asRequirement(this.#commits.create(ctx, ref, made(metadata)));
  }

  /** What a commit makes of a table's metadata, as long as its requirements hold. */
  #change({ requirements, updates }: CommitTable): Change<TableMetadata> {
    const canonical = updates.map((update) => this.#canonical(update));
    const { clock } = this.#catalog.context;
    return (base, baseLocation) => {
      checkRequirements(requirements, base);
      return applyUpdates(base, canonical, { nowMs: clock.nowMs(), baseLocation });
    };
  }

  /** The metadata that the commit of a staged create builds from nothing. */
  #staged({ requirements, updates }: CommitTable): TableMetadata {
    checkRequirements(requirements, undefined);
    const canonical = updates.map((update) => this.#canonical(update));
    const nowMs = this.#catalog.context.clock.nowMs();
    return applyUpdates(undefined, canonical, { nowMs, uuid: this.#mintUuid() });
  }

  #making(ref: TableRef, request: CreateTable): Making<TableMetadata> {
    const uuid = this.#mintUuid();
    const metadata = (places: CatalogPlaces) => this.#newMetadata(places, ref, request, uuid);
    return { byDefault: request.location === undefined, metadata };
  }

  #newMetadata(
    places: CatalogPlaces,
    ref: TableRef,
    request: CreateTable,
    uuid: TableUuid,
  ): TableMetadata {
    const { context } = this.#catalog;
    const location =
      request.location === undefined
        ? places.defaultFor(ref.namespace, request.name, uuid)
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

  #canonical(update: TableUpdate): TableUpdate {
    if (update.action !== "set-location") return update;
    return { ...update, location: this.#locations.normalize(update.location) };
  }

  #mintUuid(): TableUuid {
    return this.#catalog.context.ids.mint<TableUuid>();
  }
}
