import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import type { TableUuid } from "../base/ids.ts";
import { settleAll } from "../base/settle-all.ts";
import { inTurns, type Steps } from "../base/steps.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Stored } from "../catalog/entities.ts";
import type { IcebergTable, Table } from "../catalog/model.ts";
import { write } from "../catalog/repository.ts";
import type { TableRef as CatalogTableRef } from "../catalog/tables.ts";
import {
  assertTransactionFits,
  commitTogether,
  type TableChange,
} from "../catalog/transactions.ts";
import { type TableCommit, tableCommitSteps } from "../iceberg/commit.ts";
import { newTableSteps } from "../iceberg/create.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import { refSnapshotSteps } from "../iceberg/refs.ts";
import { requirementChecks } from "../iceberg/requirements.ts";
import { applySteps, type TableUpdate } from "../iceberg/updates.ts";
import type { FileAccessNews } from "./access/file-access-news.ts";
import {
  directoriesOver,
  type RemoteSigning,
  type SignedRequest,
} from "./access/remote-signing.ts";
import type { VendMode } from "./access/session-policy.ts";
import { signRefused } from "./access/sign-refused.ts";
import type { AskedSignature } from "./access/sign-request.ts";
import {
  credentialConfig,
  modeOf,
  modeOfNew,
  storageCredential,
  type Vending,
} from "./access/vending.ts";
import type { Actor } from "./actor.ts";
import { afterCommit, type Described } from "./commit-files.ts";
import { CommitQueue } from "./commit-queue.ts";
import { ConflictPacer } from "./conflict-pacer.ts";
import { asDryRun, dryRunOf } from "./dry-run.ts";
import { assertIceberg } from "./iceberg-only.ts";
import { KnownHeads } from "./known-heads.ts";
import { LeftMetadata } from "./left-metadata.ts";
import { MetadataFile, type MetadataFiles } from "./metadata-files.ts";
import {
  type Change,
  CommitAttempt,
  type Committed,
  headOfRevised,
  type MetadataFactory,
  Registration,
  RelationCommits,
} from "./relation-commits.ts";
import { ofRelation } from "./relation-missing.ts";
import {
  ANY_TAG,
  type CommitOfTable,
  type CommitTable,
  type CreateTable,
  type Delegation,
  type DryRun,
  type DryRunOfTable,
  type LoadedTable,
  type LoadOptions,
  type LoadResult,
  type NamespaceRef,
  type Properties,
  type RegisterTable,
  type RenameTable,
  type SnapshotsMode,
  type StorageCredential,
  type TableOperations,
  type TableRef,
} from "./requests.ts";
import { FileOwners } from "./resources/file-owners.ts";
import { snapshotChange } from "./snapshot-changes.ts";
import type { TableConfigs } from "./table-config.ts";
import type { CatalogPlaces, TableLocations } from "./table-locations.ts";

const METADATA_DIRECTORY = "metadata";
const DATA_DIRECTORY = "data";

/** A location that a receipt has room for; a longer one is worked out again. */
const STAGED_LOCATION = 300;

/** What gives clients access to the files of tables; absent: their own credentials do. */
export interface FileAccess {
  readonly vending?: Vending | undefined;
  readonly signing?: RemoteSigning | undefined;
  readonly fileNews?: FileAccessNews | undefined;
}

/** What two answers to one staged create have in common. */
type Located = Pick<TableMetadata, "location" | "properties">;

interface Born {
  readonly uuid: TableUuid;
  readonly nowMs: number;
}

function refOf(ref: TableRef): CatalogTableRef {
  return { catalog: ref.catalog, path: ref.namespace, name: ref.table };
}

/**
 * The entity tag of a version, with its quotes. The revision is never used twice, so no later
 * incarnation of a name or id matches it. The answer changes with what is left out of it, so its
 * tag does too.
 */
function tagOf(version: bigint, revision: string, snapshots: SnapshotsMode): string {
  return `"${version}-${revision}${snapshots === "refs" ? "-refs" : ""}"`;
}

/** What the catalog is told of a table with this metadata. */
export function* describeTable(
  metadata: TableMetadata,
  base: TableMetadata | undefined,
): Steps<Described<Table>> {
  const iceberg: Omit<IcebergTable, "metadataLocation"> = {
    purgeRequested: false,
    ...(metadata.uuid === undefined ? {} : { tableUuid: metadata.uuid as TableUuid }),
    ...(metadata.currentSnapshotId === undefined
      ? {}
      : { currentSnapshotId: metadata.currentSnapshotId }),
  };
  const snapshots = yield* snapshotChange(base, metadata);
  return (metadataLocation) => ({
    iceberg: { metadataLocation, ...iceberg },
    ...(snapshots === undefined ? {} : { snapshots }),
  });
}

/** Metadata of a staged create, which says itself where it lies, and what its uuid is. */
function made(metadata: () => Steps<TableMetadata>): MetadataFactory<TableMetadata> {
  return { byDefault: false, uuidGiven: true, metadata };
}

/** As `ofRelation`, for every table that a transaction does not create. */
function ofTables<T>(changes: readonly TableChange[], work: () => Promise<T>): Promise<T> {
  const existing = changes.filter((change) => "update" in change);
  return existing.reduce(
    (inner, { ref }) =>
      () =>
        ofRelation("table", ref, inner),
    work,
  )();
}

function queueKeyOf(ref: TableRef): string {
  return JSON.stringify([ref.catalog, ref.namespace, ref.table]);
}

/** A name that was taken before a staged create came to its commit is a failed requirement. */
async function asRequirement<T>(commit: Promise<T>): Promise<T> {
  try {
    return await commit;
  } catch (error) {
    const taken = error instanceof FirnError && error.code === "TABLE_ALREADY_EXISTS";
    if (!taken) throw error;
    throw new FirnError("Conflict", "REQUIREMENT_FAILED", "table exists", {
      requirement: "table already exists",
    });
  }
}

/** The table operations of the Iceberg REST protocol. */
export class IcebergTables implements TableOperations {
  readonly #catalog: AccountCatalog;
  readonly #locations: Locations;
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #places: TableLocations;
  readonly #configs: TableConfigs;
  readonly #vending: Vending | undefined;
  readonly #signing: RemoteSigning | undefined;
  readonly #fileNews: FileAccessNews | undefined;
  readonly #owners: FileOwners;
  readonly #commits: RelationCommits<Table, TableMetadata>;
  readonly #queue: CommitQueue = new CommitQueue();
  readonly #pacer: ConflictPacer;
  readonly #heads: KnownHeads;
  readonly #left: LeftMetadata;

  constructor(
    catalog: AccountCatalog,
    locations: Locations,
    files: MetadataFiles<TableMetadata>,
    places: TableLocations,
    configs: TableConfigs,
    { vending, signing, fileNews }: FileAccess = {},
  ) {
    this.#catalog = catalog;
    this.#locations = locations;
    this.#files = files;
    this.#places = places;
    this.#configs = configs;
    this.#vending = vending;
    this.#signing = signing;
    this.#fileNews = fileNews;
    this.#owners = new FileOwners(catalog);
    const { context, tables: relations } = catalog;
    this.#pacer = new ConflictPacer(context.clock);
    this.#heads = new KnownHeads(files);
    this.#left = new LeftMetadata({ catalog, locations, files, places });
    const parts = {
      type: "table",
      relations,
      describe: describeTable,
      context,
      files,
      places,
    } as const;
    this.#commits = new RelationCommits<Table, TableMetadata>(parts);
  }

  /** Warm: one batch read of pointers and, for a `file:` table, one `stat`. */
  async loadTable(actor: Actor, ref: TableRef, options: LoadOptions): Promise<LoadResult> {
    const where = refOf(ref);
    const found = await ofRelation("table", where, () => this.#commits.find(where));
    const { location, version, revision } = found;
    const etag = tagOf(version, revision, options.snapshots);
    const { delegation } = options;
    const isLent =
      delegation !== undefined && (this.#vending?.isOn === true || this.#signing?.isOn === true);
    // What is lent ends before the table changes: it is answered anew each time.
    if (!isLent && options.ifNoneMatch?.some((tag) => tag === etag || tag === ANY_TAG) === true) {
      await this.#files.assertThere(found);
      return "not-modified";
    }
    const kept = this.#files.at(found);
    const file = kept instanceof MetadataFile ? kept : await kept;
    const { clock } = this.#catalog.context;
    const pieces =
      options.snapshots === "refs" ? file.shorter(clock, refSnapshotSteps) : file.pieces;
    const metadata = pieces instanceof Promise ? await pieces : pieces;
    const known = this.#configs.of(file.metadata);
    const config = known instanceof Promise ? await known : known;
    const loaded = { etag, metadataLocation: location, metadata, config };
    if (!isLent) return loaded;
    return this.#withCredentials(
      actor,
      ref,
      { ...loaded, etag: undefined },
      file.metadata,
      delegation,
    );
  }

  async loadCredentials(
    actor: Actor,
    ref: TableRef,
    delegation: Delegation,
  ): Promise<readonly StorageCredential[]> {
    const where = refOf(ref);
    const found = await ofRelation("table", where, () => this.#commits.find(where));
    const { metadata } = await this.#files.load(found);
    return this.#lend(actor, ref, metadata, delegation, await this.#configs.of(metadata));
  }

  /** The same in `config`, for clients that read only that. */
  async #withCredentials(
    actor: Actor,
    ref: TableRef,
    loaded: LoadedTable,
    metadata: Located,
    delegation: Delegation | undefined,
    mode = modeOf(actor, ref),
  ): Promise<LoadedTable> {
    if (delegation === undefined) return loaded;
    const credentials =
      delegation.credentials === false
        ? []
        : await this.#lend(actor, ref, metadata, delegation, loaded.config, mode);
    if (credentials.length === 0) {
      return this.#withSigning(ref, loaded, metadata, delegation, mode);
    }
    return { ...loaded, credentials, config: { ...loaded.config, ...credentials[0]?.config } };
  }

  /** Settings that make the client ask for signatures, where it does and may read. */
  async #withSigning(
    { catalog }: TableRef,
    loaded: LoadedTable,
    metadata: Located,
    { signEndpoint }: Delegation,
    mode: VendMode | undefined,
  ): Promise<LoadedTable> {
    if (this.#signing === undefined || signEndpoint === undefined || mode === undefined) {
      return loaded;
    }
    const places = () => this.#places.of(catalog);
    const config = await this.#signing.configFor(metadata, signEndpoint, places);
    return config === undefined ? loaded : { ...loaded, config: { ...loaded.config, ...config } };
  }

  /**
   * Judged is the table that owns what the request names: PyIceberg asks for all tables of a
   * process where it was told to for one of them. What has no owner is refused as a request
   * for `ref` that reaches outside of it. Warm: a load and one batch read, and no request for the
   * signature itself.
   */
  async signRequest(actor: Actor, ref: TableRef, asked: AskedSignature): Promise<SignedRequest> {
    const find = (at: TableRef) =>
      ofRelation("table", refOf(at), () => this.#commits.find(refOf(at)));
    const owner = this.#signing && (await this.#owners.of(directoriesOver(asked), find));
    const { ref: judged, found } = owner ?? { ref, found: await find(ref) };
    if (this.#signing === undefined) throw signRefused("the server signs no requests");
    const { metadata } = await this.#files.load(found);
    const places = () => this.#places.of(judged.catalog);
    const signed = await this.#signing.sign(asked, metadata, places);
    this.#fileNews?.signed(actor, judged, signed.writes ? "write" : "read");
    return signed;
  }

  async #lend(
    actor: Actor,
    ref: TableRef,
    metadata: Located,
    { refreshEndpoint }: Delegation,
    store: Properties,
    mode = modeOf(actor, ref),
  ): Promise<readonly StorageCredential[]> {
    if (this.#vending === undefined || mode === undefined) return [];
    const places = () => this.#places.of(ref.catalog);
    const lent = await this.#vending.lend(actor, mode, metadata, places);
    if (lent === undefined) return [];
    this.#fileNews?.lent(actor, ref, mode);
    return [storageCredential(metadata.location, credentialConfig(lent, store, refreshEndpoint))];
  }

  /** A table that its caller has just made: credentials by what it holds on that. */
  async #made(
    actor: Actor,
    ref: TableRef,
    done: Committed<TableMetadata>,
    delegation: Delegation | undefined,
  ): Promise<LoadedTable> {
    const loaded = await this.#answer(done);
    if (delegation === undefined || (this.#vending ?? this.#signing) === undefined) return loaded;
    try {
      await this.#find(ref);
    } catch (error) {
      // An earlier request of the key made it, and it is gone since.
      if (error instanceof FirnError && error.kind === "NotFound") return loaded;
      throw error;
    }
    return this.#withCredentials(actor, ref, loaded, done.file.metadata, delegation);
  }

  async tableExists(_actor: Actor, ref: TableRef): Promise<void> {
    const where = refOf(ref);
    const { summary } = await ofRelation("table", where, () => this.#catalog.tables.find(where));
    assertIceberg(summary, where);
  }

  /**
   * Works out a table without making it: nothing is stored but its directories, since some clients
   * write there before they commit, and under a client's key what answers the same again.
   */
  async #stage(actor: Actor, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    const loaded = await this.#staging(actor, ref, request);
    // Where its client chose the place, another table may come to lie there first.
    if (request.location !== undefined || request.delegation === undefined) return loaded.loaded;
    // A request for a table that is not there yet cannot be judged, so it is not signed.
    if (request.delegation.credentials === false) return loaded.loaded;
    const table = { ...ref, table: request.name };
    const mode = modeOfNew(actor, ref);
    const { metadata } = loaded;
    return this.#withCredentials(actor, table, loaded.loaded, metadata, request.delegation, mode);
  }

  async #staging(actor: Actor, ref: NamespaceRef, request: CreateTable) {
    const { context, tables } = this.#catalog;
    const table = { ...ref, table: request.name };
    const born = { uuid: this.#mintUuid(), nowMs: context.clock.nowMs() };
    const plan = async () => {
      const [, staged] = await settleAll([
        tables.assertFree(refOf(table)),
        this.#stageAs(table, request, born),
      ]);
      const { location } = staged;
      const short = location.length <= STAGED_LOCATION ? { ...born, location } : born;
      return { unchanged: staged, primary: "", detail: JSON.stringify(short) };
    };
    return write(context, actor, "stage-table", plan, async ({ detail = "{}" }) => {
      const { location, ...first } = JSON.parse(detail) as Born & { readonly location?: string };
      const again = location === undefined ? request : { ...request, location };
      return this.#stageAs(table, again, first);
    });
  }

  async #stageAs(table: TableRef, request: CreateTable, born: Born) {
    const { byDefault, metadata: make } = this.#factoryOf(table, request, born);
    const places = await this.#places.of(table.catalog, byDefault ? table.namespace : [], true);
    const { clock } = this.#catalog.context;
    const metadata = await inTurns(clock, make(places));
    const location = places.locationOf(metadata);
    for (const directory of [METADATA_DIRECTORY, DATA_DIRECTORY]) {
      await this.#locations.makeDirectory(`${location}/${directory}`);
    }
    const { pieces } = await this.#files.renderInTurns(location, metadata);
    const config = await this.#configs.of(metadata);
    const loaded = { etag: undefined, metadataLocation: undefined, metadata: pieces, config };
    return { location, loaded, metadata };
  }

  async createTable(actor: Actor, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable> {
    if (request.stageCreate) return this.#stage(actor, ref, request);
    const table = { ...ref, table: request.name };
    const factory = this.#factoryOf(table, request);
    const made = await this.#commits.create(actor, refOf(table), factory);
    return this.#made(actor, table, made, request.delegation);
  }

  /**
   * Commits of one table are taken in turn; a lost race between nodes is applied again. What cannot
   * win is refused before it waits for a turn, and in its turn before anything is done for it.
   */
  async commitTable(actor: Actor, ref: TableRef, request: CommitTable): Promise<LoadedTable> {
    const key = queueKeyOf(ref);
    const commit = await this.#read(request);
    return this.#pacer.paced(key, async () => {
      // Who need not wait is judged by the commit itself, which reads no more for a refusal.
      const waits = this.#queue.isTaken(key);
      if (waits) await this.#assertMayWin(actor, ref, commit);
      return this.#queue.take(key, async () => {
        if (waits) await this.#assertMayWin(actor, ref, commit);
        const committed = await this.#commit(actor, ref, commit);
        this.#heads.saw(key, committed.head.id);
        this.#left.committed(refOf(ref), committed);
        return this.#answer(committed);
      });
    });
  }

  #read(request: CommitTable): Promise<TableCommit> {
    return inTurns(this.#catalog.context.clock, tableCommitSteps(request));
  }

  /** Under a key of its client's it may have won before, of which its receipt tells. */
  async #assertMayWin(
    { idempotency }: Actor,
    ref: TableRef,
    { requirements, creates }: TableCommit,
  ): Promise<void> {
    if (idempotency !== undefined || creates) return;
    await this.#heads.assertMayWin(queueKeyOf(ref), requirements, () => this.#find(ref));
  }

  /** Where the head is now. Warm: one batch read. */
  async #find(ref: TableRef) {
    const where = refOf(ref);
    const found = await ofRelation("table", where, () => this.#commits.find(where));
    this.#heads.saw(queueKeyOf(ref), found.id);
    return found;
  }

  /** What a commit would come to now. Warm: one batch read and, for a `file:` table, one `stat`. */
  async dryRunTable(actor: Actor, ref: TableRef, request: CommitTable): Promise<DryRun> {
    const { file, base } = await this.#commit(asDryRun(actor), ref, await this.#read(request));
    return dryRunOf(this.#catalog.context.clock, this.#files, file, base);
  }

  async #answer({ head, file }: Committed<TableMetadata>): Promise<LoadedTable> {
    return {
      etag: tagOf(head.version, head.revision, "all"),
      metadataLocation: file.location,
      metadata: file.pieces,
      config: await this.#configs.of(file.metadata),
    };
  }

  #commit(actor: Actor, ref: TableRef, commit: TableCommit) {
    return commit.creates
      ? this.#commitCreate(actor, refOf(ref), commit)
      : ofRelation("table", refOf(ref), () => this.#commitUpdate(actor, refOf(ref), commit));
  }

  /** Commits to several tables as one, after the turn of each. */
  async commitTransaction(
    actor: Actor,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<void> {
    const { context, tables } = this.#catalog;
    const { files, attempts, planned } = await this.#planTogether(catalog, changes);
    const keys = changes.map(({ namespace, table }) => queueKeyOf({ catalog, namespace, table }));
    await this.#queue.takeAll(keys, () =>
      files.cleanAfter(
        () =>
          ofTables(planned, () => asRequirement(commitTogether(context, tables, actor, planned))),
        // Where another request under the same key was faster, the batch names no file of ours.
        (done = []) => done.flatMap((table) => headOfRevised(table) ?? []),
      ),
    );
    if (actor.idempotency?.replayed === true) return;
    for (const [i, { ref }] of planned.entries()) this.#left.committed(ref, attempts[i] ?? {});
  }

  /** What a transaction would come to now: each of its tables, or the refusal of all. */
  async dryRunTransaction(
    actor: Actor,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<readonly DryRunOfTable[]> {
    const { context, tables } = this.#catalog;
    const { attempts, planned } = await this.#planTogether(catalog, changes);
    const work = () => asRequirement(commitTogether(context, tables, asDryRun(actor), planned));
    await ofTables(planned, work);
    const tried: DryRunOfTable[] = [];
    for (const [i, { namespace, table }] of changes.entries()) {
      const { file, base } = attempts[i] ?? {};
      assert(file !== undefined, "every table of a transaction was looked at");
      const dryRun = await dryRunOf(context.clock, this.#files, file, base);
      tried.push({ namespace, table, ...dryRun });
    }
    return tried;
  }

  async #planTogether(catalog: string, changes: readonly CommitOfTable[]) {
    const commits: (Omit<TableRef, "catalog"> & TableCommit)[] = [];
    for (const { namespace, table, ...request } of changes) {
      commits.push({ namespace, table, ...(await this.#read(request)) });
    }
    const creates = commits.filter((commit) => commit.creates).length;
    assertTransactionFits(changes.length, creates);
    const files = this.#commits.commitFiles();
    const attempts: CommitAttempt<Table, TableMetadata>[] = [];
    const planned = commits.map(({ table, namespace, ...commit }): TableChange => {
      const ref = refOf({ catalog, namespace, table });
      const attempt = new CommitAttempt<Table, TableMetadata>();
      attempts.push(attempt);
      if (!commit.creates) {
        return { ref, update: this.#commits.changing(files, ref, this.#change(commit), attempt) };
      }
      const metadata = this.#staged(commit);
      return { ref, create: this.#commits.creating(files, ref, made(metadata), attempt) };
    });
    return { files, attempts, planned };
  }

  async registerTable(
    actor: Actor,
    ref: NamespaceRef,
    request: RegisterTable,
  ): Promise<LoadedTable> {
    const { tables } = this.#catalog;
    const table = refOf({ ...ref, table: request.name });
    const registration = new Registration<Table, TableMetadata>();
    const draft = (before?: Stored<Table>) =>
      this.#commits.registered(table, request.metadataLocation, registration, before);
    const done = request.overwrite
      ? await tables.createOrUpdate(actor, "register-table", table, draft)
      : await tables.create(actor, "register-table", table, () => draft());
    const made = await this.#commits.confirm(actor, done, table, registration);
    return this.#made(actor, { ...ref, table: request.name }, made, request.delegation);
  }

  async dropTable(
    actor: Actor,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void> {
    const where = refOf(ref);
    const expect = ({ entity }: Stored<Table>) => assertIceberg(entity, where);
    await ofRelation("table", where, () =>
      this.#catalog.tables.drop(actor, where, options, expect),
    );
  }

  async unregisterTable(actor: Actor, ref: TableRef): Promise<LoadedTable> {
    const { tables } = this.#catalog;
    let read: MetadataFile<TableMetadata> | undefined;
    const unregister = () =>
      tables.unregister(actor, refOf(ref), async (table) => {
        assertIceberg(table, refOf(ref));
        const { iceberg } = table;
        read = await this.#files.peek(iceberg?.metadataLocation ?? "");
      });
    const { entity } = await ofRelation("table", refOf(ref), unregister);
    const last = entity.iceberg?.metadataLocation ?? "";
    const file = read?.location === last ? read : await afterCommit(this.#files.peek(last));
    const { location, pieces, metadata } = file;
    const config = await this.#configs.of(metadata);
    return { etag: undefined, metadataLocation: location, metadata: pieces, config };
  }

  async renameTable(actor: Actor, { catalog, from, to }: RenameTable): Promise<void> {
    const target = { path: to.namespace, name: to.table };
    const source = refOf({ ...from, catalog });
    const expect = ({ entity }: Stored<Table>) => assertIceberg(entity, source);
    await ofRelation("table", source, () =>
      this.#catalog.tables.rename(actor, source, target, expect),
    );
  }

  #commitUpdate(actor: Actor, ref: CatalogTableRef, commit: TableCommit) {
    return this.#commits.update(actor, ref, this.#change(commit));
  }

  #commitCreate(actor: Actor, ref: CatalogTableRef, commit: TableCommit) {
    const metadata = this.#staged(commit);
    return asRequirement(this.#commits.create(actor, ref, made(metadata)));
  }

  /** What a commit makes of a table's metadata, as long as its requirements hold. */
  #change({ requirements, updates }: TableCommit): Change<TableMetadata> {
    const canonical = updates.map((update) => this.#canonical(update));
    const { clock } = this.#catalog.context;
    const { reserved } = this.#configs;
    return function* (base, baseLocation) {
      yield* requirementChecks(requirements, base);
      const next = yield* applySteps(base, canonical, { nowMs: clock.nowMs(), baseLocation });
      reserved.assertUnset(next.properties, base.properties);
      return next;
    };
  }

  /** The metadata that the commit of a staged create builds from nothing. */
  #staged({ requirements, updates }: TableCommit): () => Steps<TableMetadata> {
    const canonical = updates.map((update) => this.#canonical(update));
    const nowMs = this.#catalog.context.clock.nowMs();
    const uuid = this.#mintUuid();
    const { reserved } = this.#configs;
    return function* () {
      yield* requirementChecks(requirements, undefined);
      const made = yield* applySteps(undefined, canonical, { nowMs, uuid });
      reserved.assertUnset(made.properties);
      return made;
    };
  }

  #factoryOf(ref: TableRef, request: CreateTable, given?: Born): MetadataFactory<TableMetadata> {
    this.#configs.reserved.assertUnset(new Map(Object.entries(request.properties)));
    const born = given ?? { uuid: this.#mintUuid() };
    const metadata = (places: CatalogPlaces) => this.#newMetadata(places, ref, request, born);
    return { byDefault: request.location === undefined, metadata };
  }

  #newMetadata(
    places: CatalogPlaces,
    ref: TableRef,
    request: CreateTable,
    { uuid, nowMs = this.#catalog.context.clock.nowMs() }: Partial<Born> & Pick<Born, "uuid">,
  ): Steps<TableMetadata> {
    const location =
      request.location === undefined
        ? places.defaultFor(ref.namespace, request.name, uuid)
        : places.spelled(request.location);
    return newTableSteps({
      schema: request.schema,
      ...(request.partitionSpec === undefined ? {} : { partitionSpec: request.partitionSpec }),
      ...(request.writeOrder === undefined ? {} : { writeOrder: request.writeOrder }),
      location,
      properties: { ...places.catalog.defaultTableProperties, ...request.properties },
      uuid,
      nowMs,
    });
  }

  #canonical(update: TableUpdate): TableUpdate {
    if (update.action !== "set-location") return update;
    return { ...update, location: this.#locations.spelled(update.location) };
  }

  #mintUuid(): TableUuid {
    return this.#catalog.context.ids.mint<TableUuid>();
  }
}
