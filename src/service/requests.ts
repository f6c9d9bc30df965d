import type { JsonObject } from "../base/json.ts";
import type { GivenCommit } from "../iceberg/commit.ts";
import type { SignedRequest } from "./access/remote-signing.ts";
import type { AskedSignature } from "./access/sign-request.ts";
import type { Actor } from "./actor.ts";

/** The catalog that requests without a warehouse mean. Made at the first start. */
export const DEFAULT_CATALOG = "default";

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
  /** The client takes credentials for the table's files. */
  readonly delegation?: Delegation | undefined;
}

export interface RegisterTable {
  readonly name: string;
  readonly metadataLocation: string;
  readonly overwrite: boolean;
  /** As in `CreateTable`. */
  readonly delegation?: Delegation | undefined;
}

/** Requirements and updates as they stand in the request: `iceberg/` parses and validates them. */
export interface CommitTable extends GivenCommit {}

/** One table's share of a transaction. */
export interface CommitOfTable extends CommitTable {
  readonly namespace: readonly string[];
  readonly table: string;
}

export type SnapshotsMode = "all" | "refs";

export interface LoadOptions {
  readonly snapshots: SnapshotsMode;
  /** The client takes credentials for the table's files. */
  readonly delegation?: Delegation | undefined;
  /** The entity tags of `If-None-Match`, quotes and all, or `ANY_TAG`. */
  readonly ifNoneMatch?: readonly string[] | undefined;
}

/** In place of a tag: whatever stands there (RFC 9110, 13.1.2). */
export const ANY_TAG = "*";

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
  /** Where the client asked for them, and they can be lent. */
  readonly credentials?: readonly StorageCredential[];
}

/** How a client wants to reach the files of a table, beside its own credentials. */
export interface Delegation {
  /** It takes credentials, and renews them there: relative to the URI of the catalog. */
  readonly refreshEndpoint: string;
  /** It asks there for signatures of its requests to the store; absent: it does not. */
  readonly signEndpoint?: string | undefined;
  /** Whether it takes credentials; absent: it does. */
  readonly credentials?: boolean | undefined;
}

/** Settings of a client for all files at a prefix. */
export interface StorageCredential {
  readonly prefix: string;
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

/** As `CommitTable`. */
export interface CommitView extends GivenCommit {}

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

/** What a client is told of a catalog. */
export interface CatalogConfig {
  readonly catalog: string;
  /** `table-default.*`: properties of new tables that name no others. */
  readonly defaults: Properties;
  /** `table-override.*`: properties that new tables have in any case. */
  readonly overrides: Properties;
}

/** Namespaces, and the names in them. */
export interface NamespaceOperations {
  /** The catalog's name for a `warehouse` parameter; absent or empty means `default`. */
  config(actor: Actor, warehouse: string | undefined): Promise<CatalogConfig>;

  listNamespaces(
    actor: Actor,
    catalog: string,
    parent: readonly string[],
    page: PageRequest,
  ): Promise<Page<readonly string[]>>;
  createNamespace(actor: Actor, ref: NamespaceRef, properties: Properties): Promise<NamespaceInfo>;
  loadNamespace(actor: Actor, ref: NamespaceRef): Promise<NamespaceInfo>;
  /** @throws FirnError `NotFound` where it is not. */
  namespaceExists(actor: Actor, ref: NamespaceRef): Promise<void>;
  dropNamespace(actor: Actor, ref: NamespaceRef): Promise<void>;
  updateNamespace(
    actor: Actor,
    ref: NamespaceRef,
    update: PropertiesUpdate,
  ): Promise<PropertiesUpdated>;

  listTables(actor: Actor, ref: NamespaceRef, page: PageRequest): Promise<Page<string>>;
  listViews(actor: Actor, ref: NamespaceRef, page: PageRequest): Promise<Page<string>>;
}

/** Tables, alone and several at once. */
export interface TableOperations {
  createTable(actor: Actor, ref: NamespaceRef, request: CreateTable): Promise<LoadedTable>;
  registerTable(actor: Actor, ref: NamespaceRef, request: RegisterTable): Promise<LoadedTable>;
  loadTable(actor: Actor, ref: TableRef, options: LoadOptions): Promise<LoadResult>;
  /** Credentials for a table's files, anew; none where they cannot be lent. */
  loadCredentials(
    actor: Actor,
    ref: TableRef,
    delegation: Delegation,
  ): Promise<readonly StorageCredential[]>;
  /** Signs a client's request to the store. @throws FirnError `Forbidden` `SIGN_REFUSED`. */
  signRequest(actor: Actor, ref: TableRef, asked: AskedSignature): Promise<SignedRequest>;
  /** @throws FirnError `NotFound` where it is not. */
  tableExists(actor: Actor, ref: TableRef): Promise<void>;
  commitTable(actor: Actor, ref: TableRef, request: CommitTable): Promise<LoadedTable>;
  /** Refused as the commit would be; an idempotency key is neither read nor left behind. */
  dryRunTable(actor: Actor, ref: TableRef, request: CommitTable): Promise<DryRun>;
  dropTable(
    actor: Actor,
    ref: TableRef,
    options: { readonly purgeRequested: boolean },
  ): Promise<void>;
  /** Lets go of a table whose files stay; answers its last metadata. */
  unregisterTable(actor: Actor, ref: TableRef): Promise<LoadedTable>;
  renameTable(actor: Actor, request: RenameTable): Promise<void>;
  /** Commits to several tables as one: all or nothing. */
  commitTransaction(
    actor: Actor,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<void>;
  dryRunTransaction(
    actor: Actor,
    catalog: string,
    changes: readonly CommitOfTable[],
  ): Promise<readonly DryRunOfTable[]>;
}

/** Reports of clients. */
export interface ReportOperations {
  /** Takes a scan or commit report of an existing table; it is stored behind the answer. */
  reportMetrics(actor: Actor, ref: TableRef, report: JsonObject): Promise<void>;
}

/** Views. */
export interface ViewOperations {
  createView(actor: Actor, ref: NamespaceRef, request: CreateView): Promise<LoadedView>;
  registerView(actor: Actor, ref: NamespaceRef, request: RegisterView): Promise<LoadedView>;
  loadView(actor: Actor, ref: ViewRef): Promise<LoadedView>;
  /** @throws FirnError `NotFound` where it is not. */
  viewExists(actor: Actor, ref: ViewRef): Promise<void>;
  commitView(actor: Actor, ref: ViewRef, request: CommitView): Promise<LoadedView>;
  dryRunView(actor: Actor, ref: ViewRef, request: CommitView): Promise<DryRun>;
  dropView(actor: Actor, ref: ViewRef): Promise<void>;
  renameView(actor: Actor, request: RenameView): Promise<void>;
}

/**
 * The Iceberg REST operations as protocols call them: names in, answers out, every failure a
 * `FirnError`. `icebergOperations` makes it of its parts.
 */
export interface IcebergService
  extends NamespaceOperations,
    TableOperations,
    ReportOperations,
    ViewOperations {}
