import type { JsonObject } from "../base/json.ts";
import type { Actor } from "../catalog/context.ts";
import type { TableRequirement } from "../iceberg/requirements.ts";
import type { TableUpdate } from "../iceberg/updates.ts";
import type { ViewRequirement, ViewUpdate } from "../iceberg/view-updates.ts";

/**
 * Who asks, under which id it is logged and recorded, and under which key it may be asked again.
 */
export type RequestContext = Actor;

/** A namespace of a catalog: one or more names. */
export interface NamespaceRef {
  readonly catalog: string;
  readonly namespace: readonly string[];
}

export interface TableRef extends NamespaceRef {
  readonly table: string;
}

export interface ViewRef extends NamespaceRef {
  readonly view: string;
}

/** `pageToken` undefined = everything at once; "" = start paging. */
export interface PageRequest {
  readonly pageToken?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken: string | null;
}

export type Properties = Readonly<Record<string, string>>;

export interface NamespaceInfo {
  readonly namespace: readonly string[];
  readonly properties: Properties;
}

export interface PropertiesUpdate {
  readonly removals: readonly string[];
  readonly updates: Properties;
}

export interface PropertiesUpdated {
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly missing: readonly string[];
}

/** Schema, spec and order as they stand in the request: `iceberg/` parses and validates them. */
export interface CreateTable {
  readonly name: string;
  readonly location?: string | undefined;
  readonly schema: JsonObject;
  readonly partitionSpec?: JsonObject | undefined;
  readonly writeOrder?: JsonObject | undefined;
  readonly properties: Properties;
  readonly stageCreate: boolean;
}

export interface RegisterTable {
  readonly name: string;
  readonly metadataLocation: string;
  readonly overwrite: boolean;
}

export interface CommitTable {
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
}

/** One table's share of a transaction. */
export interface CommitOfTable extends CommitTable {
  readonly namespace: readonly string[];
  readonly table: string;
}

export type SnapshotsMode = "all" | "refs";

export interface LoadOptions {
  readonly snapshots: SnapshotsMode;
  /** The entity tags of `If-None-Match`, quotes and all. */
  readonly ifNoneMatch?: readonly string[] | undefined;
}

/**
 * A table as answered: metadata is JSON text in pieces that belong one behind the other, spliced
 * unparsed into the response.
 */
export interface LoadedTable {
  /** Absent for a staged table. With its quotes. */
  readonly etag: string | undefined;
  readonly metadataLocation: string | undefined;
  readonly metadata: readonly Uint8Array[];
  readonly config: Properties;
}

export type LoadResult = LoadedTable | "not-modified";

export interface RenameTable {
  readonly catalog: string;
  readonly from: Omit<TableRef, "catalog">;
  readonly to: Omit<TableRef, "catalog">;
}

/** Schema and version as they stand in the request: `iceberg/` parses and validates them. */
export interface CreateView {
  readonly name: string;
  readonly location?: string | undefined;
  readonly schema: JsonObject;
  readonly version: JsonObject;
  readonly properties: Properties;
}

export interface RegisterView {
  readonly name: string;
  readonly metadataLocation: string;
}

export interface CommitView {
  readonly requirements: readonly ViewRequirement[];
  readonly updates: readonly ViewUpdate[];
}

/** A view as answered. The protocol has no entity tags of views: clients compare locations. */
export interface LoadedView {
  readonly metadataLocation: string;
  readonly metadata: readonly Uint8Array[];
  readonly config: Properties;
}

/** What a commit would come to, of which nothing is stored. */
export interface DryRun {
  /** The metadata file that it would follow; absent for a table that it would create. */
  readonly baseMetadataLocation: string | undefined;
  /** The metadata's own members that would differ, in their order; none where nothing would. */
  readonly changed: readonly string[];
  /** JSON text, as the commit would answer it; times and minted ids are those of the dry run. */
  readonly metadata: readonly Uint8Array[];
}

/** One table's share of a transaction's dry run. */
export interface DryRunOfTable extends DryRun {
  readonly namespace: readonly string[];
  readonly table: string;
}

export interface RenameView {
  readonly catalog: string;
  readonly from: Omit<ViewRef, "catalog">;
  readonly to: Omit<ViewRef, "catalog">;
}

/**
 * The Iceberg REST operations as `http/iceberg/` calls them: names in, answers out, every failure
 * a `CatalogError`. Implemented in `service/iceberg.ts`.
 */
export interface IcebergService {
  /** The catalog's name for a `warehouse` parameter; absent or empty means `default`. */
  config(ctx: RequestContext, warehouse: string | undefined): Promise<{ catalog: string }>;

  listNamespaces(
    ctx: RequestContext,
    catalog: string,
    parent: readonly string[],
    page: PageRequest,
  ): Promise<Page<readonly string[]>>;
  createNamespace(
    ctx: RequestContext,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<NamespaceInfo>;
  loadNamespace(ctx: RequestContext, ref: NamespaceRef): Promise<NamespaceInfo>;
  dropNamespace(ctx: RequestContext, ref: NamespaceRef): Promise<void>;
  updateNamespace(
    ctx: RequestContext,
    ref: NamespaceRef,
    update: PropertiesUpdate,
  ): Promise<PropertiesUpdated>;

  listTables(ctx: RequestContext, ref: NamespaceRef, page: PageRequest): Promise<Page<string>>;
  createTable(ctx: RequestContext, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable>;
  registerTable(
    ctx: RequestContext,
    ref: NamespaceRef,
    request: RegisterTable,
  ): Promise<LoadedTable>;
  loadTable(ctx: RequestContext, ref: TableRef, options: LoadOptions): Promise<LoadResult>;
  /** @throws CatalogError `NotFound` where it is not. */
  tableExists(ctx: RequestContext, ref: TableRef): Promise<void>;
  commitTable(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<LoadedTable>;
  /** Refused as the commit would be; an idempotency key is neither read nor left behind. */
  dryRunTable(ctx: RequestContext, ref: TableRef, request: CommitTable): Promise<DryRun>;
  dropTable(
    ctx: RequestContext,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void>;
  /** Lets go of a table whose files stay; answers its last metadata. */
  unregisterTable(ctx: RequestContext, ref: TableRef): Promise<LoadedTable>;
  renameTable(ctx: RequestContext, request: RenameTable): Promise<void>;
  /** Commits to several tables as one: all or nothing. */
  commitTransaction(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<void>;
  dryRunTransaction(
    ctx: RequestContext,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<readonly DryRunOfTable[]>;
  /** Takes a scan or commit report of an existing table; it is stored behind the answer. */
  reportMetrics(ctx: RequestContext, ref: TableRef, report: JsonObject): Promise<void>;

  listViews(ctx: RequestContext, ref: NamespaceRef, page: PageRequest): Promise<Page<string>>;
  createView(ctx: RequestContext, ref: NamespaceRef, request: CreateView): Promise<LoadedView>;
  registerView(ctx: RequestContext, ref: NamespaceRef, request: RegisterView): Promise<LoadedView>;
  loadView(ctx: RequestContext, ref: ViewRef): Promise<LoadedView>;
  /** @throws CatalogError `NotFound` where it is not. */
  viewExists(ctx: RequestContext, ref: ViewRef): Promise<void>;
  commitView(ctx: RequestContext, ref: ViewRef, request: CommitView): Promise<LoadedView>;
  dryRunView(ctx: RequestContext, ref: ViewRef, request: CommitView): Promise<DryRun>;
  dropView(ctx: RequestContext, ref: ViewRef): Promise<void>;
  renameView(ctx: RequestContext, request: RenameView): Promise<void>;
}
