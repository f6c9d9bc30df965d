import type { Schema } from "./operation.ts";
import {
  COUNT,
  DESCRIPTION,
  FLAG,
  INT64,
  listOf,
  NAME,
  object,
  oneOf,
  PATH,
  PROPERTIES,
  TEXT,
  TIME,
  UUID,
} from "./schema.ts";

/*
 * Resources as JSON: a type for programs beside the schema that the answers are checked against.
 * Integers of 64 bits are decimal text, times RFC 3339.
 */

export type State = "ACTIVE" | "DELETING" | "DROPPED" | "PURGING";
export type Properties = Readonly<Record<string, string>>;

/** What every resource has. */
export interface ResourceBase {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly state: State;
  /** Of its canonical pointer; with the revision it makes the entity tag. */
  readonly version: string;
  readonly etag: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

export type ResourceType = "catalog" | "namespace" | "table" | "view";

const RESOURCE_TYPE = oneOf("catalog", "namespace", "table", "view");
/** Kinds that lists show: what can be dropped and brought back, and the others. */
const LISTED_TYPE = oneOf(
  "account",
  "catalog",
  "namespace",
  "table",
  "view",
  "connector",
  "storageProfile",
);
const STATE = oneOf("ACTIVE", "DELETING", "DROPPED", "PURGING");
const BASE: Readonly<Record<string, Schema>> = {
  id: UUID,
  name: TEXT,
  description: DESCRIPTION,
  state: STATE,
  version: INT64,
  etag: TEXT,
  createdAt: TIME,
  updatedAt: TIME,
  updatedBy: TEXT,
};

/** A tenant: nothing of one account is visible to another. */
export interface Account extends ResourceBase {
  readonly type: "account";
  readonly protected: boolean;
  /** No credential of it is accepted. */
  readonly suspended: boolean;
  readonly tags: Properties;
}

export const ACCOUNT: Schema = object({
  type: oneOf("account"),
  ...BASE,
  protected: FLAG,
  suspended: FLAG,
  tags: PROPERTIES,
});

export interface Catalog extends ResourceBase {
  readonly type: "catalog";
  readonly protected: boolean;
  readonly properties: Properties;
  readonly defaultLocation: string;
  readonly allowedLocations: readonly string[];
}

export const CATALOG: Schema = object({
  type: oneOf("catalog"),
  ...BASE,
  protected: FLAG,
  properties: PROPERTIES,
  defaultLocation: TEXT,
  allowedLocations: listOf(TEXT),
});

export interface Namespace extends ResourceBase {
  readonly type: "namespace";
  readonly catalog: string;
  readonly path: readonly string[];
  readonly protected: boolean;
  readonly properties: Properties;
}

export const NAMESPACE: Schema = object({
  type: oneOf("namespace"),
  ...BASE,
  catalog: TEXT,
  path: PATH,
  protected: FLAG,
  properties: PROPERTIES,
});

export type Format = "ICEBERG" | "ROW" | "DELTA" | "HUDI" | "OTHER";

const FORMAT = oneOf("ICEBERG", "ROW", "DELTA", "HUDI", "OTHER");

/** What the catalog knows of an Iceberg table or view; its metadata file has the rest. */
export interface IcebergPart {
  readonly uuid?: string;
  readonly metadataLocation: string;
  readonly currentSnapshotId?: string;
  readonly currentVersionId?: number;
}

const ICEBERG: Schema = object(
  { metadataLocation: TEXT },
  { uuid: TEXT, currentSnapshotId: INT64, currentVersionId: COUNT },
);

/** Formats that this API registers: Iceberg tables are made by the Iceberg protocol. */
export type OtherFormat = "DELTA" | "HUDI" | "OTHER";

export const OTHER_FORMAT: Schema = oneOf("DELTA", "HUDI", "OTHER");

/** A column of a table of another format than Iceberg. */
export interface Column {
  readonly name: string;
  /** As the format spells it. */
  readonly type: string;
  readonly nullable: boolean;
  readonly comment: string;
  readonly fieldId?: number;
}

const COLUMN: Schema = object(
  { name: TEXT, type: TEXT, nullable: FLAG, comment: TEXT },
  { fieldId: COUNT },
);

/** Where a table comes from. */
export interface Upstream {
  readonly connectorId?: string;
  readonly uri: string;
  readonly path: string;
}

const UPSTREAM: Schema = object({ uri: TEXT, path: TEXT }, { connectorId: UUID });

export interface Table extends ResourceBase {
  readonly type: "table";
  readonly catalog: string;
  readonly namespace: readonly string[];
  readonly protected: boolean;
  readonly properties: Properties;
  readonly location: string;
  readonly format: Format;
  readonly iceberg?: IcebergPart;
  /** Of other formats than Iceberg. */
  readonly columns?: readonly Column[];
  readonly partitionKeys?: readonly string[];
  readonly upstream?: Upstream;
}

/** What tables and views have in common. */
const RELATION: Readonly<Record<string, Schema>> = {
  ...BASE,
  catalog: TEXT,
  namespace: PATH,
  protected: FLAG,
  properties: PROPERTIES,
  location: TEXT,
};

export const TABLE: Schema = object(
  {
    type: oneOf("table"),
    ...RELATION,
    format: FORMAT,
  },
  { iceberg: ICEBERG, columns: listOf(COLUMN), partitionKeys: listOf(TEXT), upstream: UPSTREAM },
);

export interface View
  extends Omit<Table, "type" | "format" | "columns" | "partitionKeys" | "upstream"> {
  readonly type: "view";
}

export const VIEW: Schema = object(
  {
    type: oneOf("view"),
    ...RELATION,
  },
  { iceberg: ICEBERG },
);

export type ConnectorKind = "ICEBERG_REST" | "GLUE" | "DELTA" | "UNITY";

export const CONNECTOR_KIND: Schema = oneOf("ICEBERG_REST", "GLUE", "DELTA", "UNITY");

/** When a connector is imported from without being asked, and which of its namespaces. */
export interface ConnectorPolicy {
  readonly enabled: boolean;
  readonly intervalMs: number;
  readonly scope: readonly string[];
}

/** Another catalog that tables are imported from. */
export interface Connector extends ResourceBase {
  readonly type: "connector";
  readonly kind: ConnectorKind;
  readonly uri: string;
  readonly options: Properties;
  readonly policy: ConnectorPolicy;
  readonly properties: Properties;
}

export const CONNECTOR: Schema = object({
  type: oneOf("connector"),
  ...BASE,
  kind: CONNECTOR_KIND,
  uri: TEXT,
  options: PROPERTIES,
  policy: object({ enabled: FLAG, intervalMs: COUNT, scope: listOf(TEXT) }),
  properties: PROPERTIES,
});

export type StorageSigning = "OFF" | "READ" | "WRITE";
export const STORAGE_SIGNING: Schema = oneOf("OFF", "READ", "WRITE");

export type StorageSecretKind = "AMBIENT" | "FILE" | "SEALED";
export const STORAGE_SECRET_KIND: Schema = oneOf("AMBIENT", "FILE", "SEALED");

/** How the files below some roots are reached. It shows no secret. */
export interface StorageProfile extends ResourceBase {
  readonly type: "storageProfile";
  readonly roots: readonly string[];
  readonly region: string;
  readonly endpoint: string;
  readonly pathStyle: boolean;
  readonly roleArn: string;
  readonly stsEndpoint: string;
  readonly kmsKeys: readonly string[];
  readonly vend: boolean;
  readonly sign: StorageSigning;
  readonly secret: {
    readonly kind: StorageSecretKind;
    readonly file?: string;
    readonly setAt: string;
  };
  readonly properties: Properties;
}

export const STORAGE_PROFILE: Schema = object({
  type: oneOf("storageProfile"),
  ...BASE,
  roots: listOf(TEXT),
  region: TEXT,
  endpoint: TEXT,
  pathStyle: FLAG,
  roleArn: TEXT,
  stsEndpoint: TEXT,
  kmsKeys: listOf(TEXT),
  vend: FLAG,
  sign: STORAGE_SIGNING,
  secret: object({ kind: STORAGE_SECRET_KIND, setAt: TIME }, { file: TEXT }),
  properties: PROPERTIES,
});

export type Resource = Catalog | Namespace | Table | View | Connector;
export const RESOURCE: Schema = { anyOf: [CATALOG, NAMESPACE, TABLE, VIEW, CONNECTOR] };

/** A resource as a list shows it: what its pointer tells without a read of its payload. */
export interface Summary {
  readonly type: ResourceType | "account" | "connector" | "storageProfile";
  readonly id: string;
  readonly name: string;
  readonly etag: string;
  readonly protected: boolean;
  readonly path?: readonly string[];
  readonly format?: Format;
  readonly metadataLocation?: string;
}

export const SUMMARY: Schema = object(
  {
    type: LISTED_TYPE,
    id: UUID,
    name: TEXT,
    etag: TEXT,
    protected: FLAG,
  },
  {
    path: PATH,
    format: FORMAT,
    metadataLocation: TEXT,
  },
);

/** A name that a search has found. */
export interface Found {
  readonly type: ResourceType;
  readonly name: string;
  readonly catalog?: string;
  /** Of a namespace its own path. */
  readonly namespace?: readonly string[];
}

export const FOUND: Schema = object(
  { type: RESOURCE_TYPE, name: TEXT },
  { catalog: TEXT, namespace: PATH },
);

/** Something by its id. */
export interface Thing {
  readonly type: ResourceType;
  readonly id: string;
}

export const THING: Schema = object({ type: RESOURCE_TYPE, id: UUID });

/** Where something lies now. */
export interface FoundThing extends Found {
  readonly id: string;
}

export const FOUND_THING: Schema = object(
  { id: UUID, type: RESOURCE_TYPE, name: TEXT },
  { catalog: TEXT, namespace: PATH },
);

export interface Dropped {
  readonly id: string;
  readonly type: ResourceType | "account";
  readonly name: string;
  readonly catalog?: string;
  readonly namespace?: readonly string[];
  readonly purgeAfter: string;
  readonly purgeRequested: boolean;
}

export const DROPPED: Schema = object(
  {
    id: UUID,
    type: oneOf("account", "catalog", "namespace", "table", "view"),
    name: TEXT,
    purgeAfter: TIME,
    purgeRequested: FLAG,
  },
  { catalog: TEXT, namespace: listOf(NAME) },
);

export interface Snapshot {
  readonly snapshotId: string;
  readonly parentSnapshotId?: string;
  readonly timestamp: string;
  readonly sequenceNumber: string;
  readonly schemaId?: number;
  readonly manifestList: string;
  readonly operation: string;
  readonly summary: Properties;
}

export const SNAPSHOT: Schema = object(
  {
    snapshotId: INT64,
    timestamp: TIME,
    sequenceNumber: INT64,
    manifestList: TEXT,
    operation: TEXT,
    summary: PROPERTIES,
  },
  { parentSnapshotId: INT64, schemaId: { type: "integer" } },
);

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly target: { readonly type: string; readonly id: string };
  readonly state: "waiting" | "due" | "running" | "failed" | "over";
  readonly due: string;
  readonly nextTry: string;
  readonly tries: number;
  readonly leftUndone: number;
  readonly progress?: { readonly done: number; readonly total?: number; readonly unit: string };
  readonly ended?: string;
  readonly cancelled?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

export const JOB: Schema = object(
  {
    id: TEXT,
    kind: TEXT,
    target: object({ type: TEXT, id: UUID }),
    state: oneOf("waiting", "due", "running", "failed", "over"),
    due: TIME,
    nextTry: TIME,
    tries: COUNT,
    leftUndone: COUNT,
  },
  {
    progress: object({ done: COUNT, unit: TEXT }, { total: COUNT }),
    ended: TIME,
    cancelled: FLAG,
    error: object({ code: TEXT, message: TEXT }),
  },
);

/** One version of a resource: the resource as it was, and which change made it so. */
export interface Version {
  readonly resource: Resource;
  readonly requestId: string;
  /** Absent where the change record is past its retention. */
  readonly operation?: string;
  readonly changeId?: string;
}

export const VERSION: Schema = object(
  { resource: RESOURCE, requestId: TEXT },
  { operation: TEXT, changeId: UUID },
);

/** What differs between two versions of a resource: members by JSON pointer. */
export interface Diff {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly {
    readonly pointer: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
}

export const DIFF: Schema = object({
  from: INT64,
  to: INT64,
  changes: listOf(object({ pointer: TEXT }, { before: {}, after: {} })),
});

export interface Change {
  readonly id: string;
  readonly time: string;
  readonly principal: string;
  readonly requestId: string;
  readonly operation: string;
  readonly entities: readonly {
    readonly type: string;
    readonly id: string;
    readonly versionFrom: string;
    readonly versionTo: string;
    readonly deleted: boolean;
  }[];
}

export const CHANGE: Schema = object({
  id: UUID,
  time: TIME,
  principal: TEXT,
  requestId: TEXT,
  operation: TEXT,
  entities: listOf(
    object({ type: TEXT, id: UUID, versionFrom: INT64, versionTo: INT64, deleted: FLAG }),
  ),
});

/** A page of the change feed. Delivered at least once: tell repeats by `id`. */
export interface ChangePage {
  readonly items: readonly Change[];
  /** Where the next read goes on; always there. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

export const CHANGE_PAGE: Schema = object({ items: listOf(CHANGE), cursor: TEXT, hasMore: FLAG });

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string;
}

export interface Info {
  readonly name: "firn";
  readonly version: string;
  readonly account: string;
  /** Where PostgreSQL clients connect; absent: nowhere. */
  readonly postgresPort?: number;
}

export const INFO: Schema = object(
  { name: oneOf("firn"), version: TEXT, account: TEXT },
  { postgresPort: COUNT },
);

/** An error (RFC 9457). `errors` names every problem of a request that is wrong in several ways. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly kind: string;
  readonly context: Readonly<Record<string, string | number | boolean>>;
  readonly errors?: readonly {
    /** Where in the body, as a JSON pointer. */
    readonly pointer?: string;
    /** Which query parameter or header. */
    readonly parameter?: string;
    readonly code: string;
    readonly detail: string;
  }[];
  readonly retryAfterMs?: number;
}

export const PROBLEM: Schema = object(
  {
    type: TEXT,
    title: TEXT,
    status: COUNT,
    detail: TEXT,
    code: TEXT,
    kind: TEXT,
    context: { type: "object" },
  },
  {
    errors: listOf(object({ code: TEXT, detail: TEXT }, { pointer: TEXT, parameter: TEXT })),
    retryAfterMs: COUNT,
  },
);
