import type {
  AccountId,
  CatalogId,
  ConnectorId,
  JobId,
  NamespaceId,
  PrincipalId,
  Revision,
  ShardId,
  StorageProfileId,
  StorageSecretId,
  TableId,
  TableUuid,
  ViewId,
  ViewUuid,
  WriterId,
} from "../base/ids.ts";

export type EntityType =
  | "account"
  | "catalog"
  | "namespace"
  | "table"
  | "view"
  | "connector"
  | "principal"
  | "storageProfile";
/** Kinds of payloads beside those of entities. */
export type PayloadType = "snapshot" | "change" | "report" | "statistics" | "constraints";
export type EntityState = "ACTIVE" | "DELETING" | "DROPPED" | "PURGING";
export type TableFormat = "ICEBERG" | "ROW" | "DELTA" | "HUDI" | "OTHER";
export type Properties = Readonly<Record<string, string>>;

/** Protobuf fields that a newer node wrote and this one does not know: kept by every update. */
export interface UnknownFields {
  readonly own: readonly Uint8Array[];
  readonly iceberg?: readonly Uint8Array[];
}

/** What every entity has. Times in milliseconds of wall time. */
interface EntityBase {
  readonly name: string;
  readonly description: string;
  readonly createdAtMs: number;
  readonly state: EntityState;
  /** Revision that last changed the name or the parent; proves names (see `resolve.ts`). */
  readonly nameRevision: Revision;
  /** Holds every privilege on it but `admin`; absent without sign-in. */
  readonly owner?: PrincipalId;
  readonly unknownFields?: UnknownFields;
}

export interface Account extends EntityBase, Droppable, Deletable {
  readonly type: "account";
  readonly id: AccountId;
  readonly tags: Properties;
  /**
   * The account of the operators who delete it, unless it is ACTIVE: among the jobs and the dropped
   * things of that one, not among its own, which go with it.
   */
  readonly operator?: AccountId;
  /** No credential of it is accepted. */
  readonly suspended?: true;
}

/** What is deleted with all that is in it, by a job. */
interface Deletable {
  /** While it is DELETING. */
  readonly deletingJob?: JobId;
}

/** Entities that can be dropped and kept for a while. `purgeAfterMs` is 0 while not dropped. */
interface Droppable {
  readonly protected: boolean;
  readonly purgeAfterMs: number;
}

/** A shard of row tables beside the first one of a catalog, which has the id of the catalog. */
export interface RowShardEntry {
  readonly id: ShardId;
  readonly name: string;
  /** 1 and up: tells the relations of its tables from those of other shards. */
  readonly number: number;
}

export interface Catalog extends EntityBase, Droppable, Deletable {
  readonly type: "catalog";
  readonly id: CatalogId;
  readonly properties: Properties;
  readonly guardGeneration: number;
  readonly defaultLocation: string;
  readonly allowedLocations: readonly string[];
  readonly defaultTableProperties: Properties;
  /** By name; absent where there is none. */
  readonly rowShards?: readonly RowShardEntry[];
}

/** `name` is the last element of `path`. */
export interface Namespace extends EntityBase, Droppable, Deletable {
  readonly type: "namespace";
  readonly id: NamespaceId;
  readonly path: readonly string[];
  readonly properties: Properties;
  readonly guardGeneration: number;
  readonly catalogId: CatalogId;
  readonly parentId: CatalogId | NamespaceId;
}

/** What the catalog knows of an Iceberg table; its metadata file is the truth about the rest. */
export interface IcebergTable {
  /** Absent only for a registered table of format version 1 that has none. */
  readonly tableUuid?: TableUuid;
  readonly metadataLocation: string;
  readonly currentSnapshotId?: bigint;
  readonly purgeRequested: boolean;
}

/** What the catalog knows of an Iceberg view; its metadata file is the truth about the rest. */
export interface IcebergView {
  readonly viewUuid: ViewUuid;
  readonly metadataLocation: string;
  readonly currentVersionId: number;
}

/** What tables and views have in common: they share the names of a namespace, and locations. */
interface RelationBase extends EntityBase, Droppable {
  readonly properties: Properties;
  readonly catalogId: CatalogId;
  readonly namespaceId: NamespaceId;
  readonly location: string;
}

/** A column of a table that has no Iceberg metadata file. */
export interface Column {
  readonly name: string;
  /** As the format spells it. */
  readonly type: string;
  readonly nullable: boolean;
  readonly comment: string;
  readonly fieldId?: number;
}

/** Where a table comes from. */
export interface Upstream {
  /** Absent where no connector brought it. */
  readonly connectorId?: ConnectorId;
  readonly uri: string;
  readonly path: string;
}

export interface Table extends RelationBase {
  readonly type: "table";
  readonly id: TableId;
  readonly format: TableFormat;
  readonly iceberg?: IcebergTable;
  /** Of other formats than Iceberg; absent where none was given. */
  readonly columns?: readonly Column[];
  readonly partitionKeys?: readonly string[];
  readonly upstream?: Upstream;
  /** Where the rows of a row table lie; absent: in the first shard of its catalog. */
  readonly shard?: ShardId;
}

export interface View extends RelationBase {
  readonly type: "view";
  readonly id: ViewId;
  readonly iceberg?: IcebergView;
}

export type ConnectorKind = "ICEBERG_REST" | "GLUE" | "DELTA" | "UNITY";

/** When a connector is imported from without being asked, and which of its namespaces. */
export interface ConnectorPolicy {
  readonly enabled: boolean;
  readonly intervalMs: number;
  /** Levels joined by dots; none means all. */
  readonly scope: readonly string[];
}

/** Another catalog that tables are imported from. It holds no secret, and a delete is final. */
export interface Connector extends EntityBase {
  readonly type: "connector";
  readonly id: ConnectorId;
  readonly kind: ConnectorKind;
  readonly uri: string;
  readonly options: Properties;
  readonly policy: ConnectorPolicy;
  readonly properties: Properties;
}

/** `LOCAL` signs in with API keys, `EXTERNAL` with tokens of an issuer, `ROLE` never. */
export type PrincipalKind = "LOCAL" | "EXTERNAL" | "ROLE";

/** What SCRAM-SHA-256 (RFC 5802) verifies a password with, without knowing it. */
export interface ScramVerifier {
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

/** A key that a principal signs in with. Its secret is stored nowhere. */
export interface ApiKey {
  readonly id: string;
  /** SHA-256. */
  readonly secretHash: Uint8Array;
  readonly createdAtMs: number;
  /** 0: never. */
  readonly expiresAtMs: number;
  readonly description: string;
  readonly scram: ScramVerifier;
}

/** Privileges on one object, as bits in the order of `PRIVILEGES`. */
export interface Grant {
  readonly objectType: EntityType;
  readonly objectId: string;
  /** Ids of what it lay in when the grant was given, outermost first, without the account. */
  readonly path: readonly string[];
  readonly privileges: number;
}

/** Who may sign in, or a role. A delete is final, and its id never returns. */
export interface Principal extends EntityBase {
  readonly type: "principal";
  readonly id: PrincipalId;
  readonly kind: PrincipalKind;
  readonly suspended: boolean;
  readonly keys: readonly ApiKey[];
  readonly grants: readonly Grant[];
  /** Ids of the roles that it is a member of. */
  readonly roles: readonly PrincipalId[];
  readonly properties: Properties;
}

/** Which requests to a store are signed for clients. */
export type StorageSigning = "OFF" | "READ" | "WRITE";

/** Where the credentials for a store come from: the process, a file of its machine, or a user. */
export type StorageSecretKind = "AMBIENT" | "FILE" | "SEALED";

/** How the files below some roots are reached. It holds no secret, and a delete is final. */
export interface StorageProfile extends EntityBase {
  readonly type: "storageProfile";
  readonly id: StorageProfileId;
  /** Canonical `s3:` locations. */
  readonly roots: readonly string[];
  /** Empty: asked of the store. */
  readonly region: string;
  /** Empty: AWS. */
  readonly endpoint: string;
  readonly pathStyle: boolean;
  /** Role whose sessions are lent to clients. */
  readonly roleArn: string;
  readonly stsEndpoint: string;
  readonly kmsKeys: readonly string[];
  readonly vend: boolean;
  readonly sign: StorageSigning;
  readonly secretKind: StorageSecretKind;
  /** Path of the file of `FILE`. */
  readonly secretFile: string;
  /** Of `SEALED`: where the sealed credentials are. Never shown. */
  readonly secretId?: StorageSecretId;
  readonly secretSetAtMs: number;
  readonly properties: Properties;
}

export type Relation = Table | View;
export type Entity =
  | Account
  | Catalog
  | Namespace
  | Relation
  | Connector
  | Principal
  | StorageProfile;
/** What can be dropped, and brought back for a while. */
export type DroppableEntity = Account | Catalog | Namespace | Relation;

export function isDroppable(entity: Entity): entity is DroppableEntity {
  return "purgeAfterMs" in entity;
}

/** Names one snapshot of a table: an id may come back, at another time. */
export interface SnapshotKey {
  readonly snapshotId: bigint;
  readonly timestampMs: number;
}

/** A snapshot of a table. Of an Iceberg table it is derived: the metadata file is the truth. */
export interface TableSnapshot extends SnapshotKey {
  readonly parentSnapshotId?: bigint;
  /** 0 where the format has none. */
  readonly sequenceNumber: bigint;
  readonly schemaId?: number;
  /** Empty where the snapshot lists its manifests itself. */
  readonly manifestList: string;
  /** Empty where the writer gave none. */
  readonly operation: string;
  /** What the writer says of the operation, without its name. */
  readonly summary: Properties;
}

/** What a pointer to a snapshot says of it without a read of the payload. */
export interface SnapshotSummary extends SnapshotKey {
  /** Version of the table's by-id pointer that the writer had read; 0 for a new table. */
  readonly tableVersion: bigint;
  readonly contentHash: Uint8Array;
}

export type TargetKind = "TABLE" | "COLUMN" | "EXPRESSION" | "FILE";

/** What statistics are about. */
export type StatsTarget =
  | { readonly kind: "TABLE" }
  | { readonly kind: "COLUMN"; readonly fieldId: number }
  /** An expression, normalised, of an engine. */
  | { readonly kind: "EXPRESSION"; readonly engine: string; readonly expression: string }
  | { readonly kind: "FILE"; readonly path: string };

/** Number of distinct values: exact, or an estimate with its relative error. */
export interface DistinctValues {
  readonly count: bigint;
  readonly exact: boolean;
  readonly error?: number;
  /** A theta sketch. */
  readonly theta?: Uint8Array;
}

/** Statistics of one target in one snapshot. */
export interface TargetStats {
  readonly target: StatsTarget;
  readonly rowCount?: bigint;
  readonly nullCount?: bigint;
  readonly nanCount?: bigint;
  /** As JSON, in the form that Iceberg gives single values. */
  readonly min?: string;
  readonly max?: string;
  /** In bytes. */
  readonly averageWidth?: number;
  readonly distinct?: DistinctValues;
  /** As JSON, in the producer's form. */
  readonly histogram?: string;
  /** A KLL sketch. */
  readonly kll?: Uint8Array;
  readonly producer: string;
  /** Whether all rows were looked at; else `coverage` is the share of them. */
  readonly complete: boolean;
  readonly coverage?: number;
  readonly properties: Properties;
}

export type ConstraintKind = "PRIMARY_KEY" | "FOREIGN_KEY" | "UNIQUE" | "CHECK" | "NOT_NULL";

/** `id`: the field id, 0 where there is none. */
export interface ConstraintColumn {
  readonly id: number;
  readonly name: string;
  readonly ordinal: number;
}

/** What a foreign key refers to. The rules are empty where nothing was said. */
export interface Reference {
  readonly table: string;
  readonly columns: readonly ConstraintColumn[];
  readonly match: string;
  readonly onUpdate: string;
  readonly onDelete: string;
}

export interface Constraint {
  readonly name: string;
  readonly kind: ConstraintKind;
  readonly columns: readonly ConstraintColumn[];
  /** Of a check; else empty. */
  readonly expression: string;
  readonly reference?: Reference;
  /** Whether the engines refuse rows that violate it. */
  readonly enforced: boolean;
}

/** What a pointer to statistics or constraints of a snapshot says without a read of the payload. */
export interface PartSummary {
  readonly snapshotId: bigint;
  readonly contentHash: Uint8Array;
  readonly revision: Revision;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
  /** Where statistics lie in their payload; of constraints the whole is meant. */
  readonly offset: number;
  readonly length: number;
}

/** Stands at the head of every payload; everything about a write that is not content. */
export interface Envelope {
  readonly schemaVersion: number;
  readonly minWriterVersion: number;
  readonly entityType: EntityType | PayloadType;
  readonly accountId: AccountId;
  readonly entityId: string;
  readonly revision: Revision;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
  readonly requestId: string;
}

/** What a pointer tells of its entity without a read of the payload. */
export interface Summary {
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly name: string;
  readonly parentId?: string;
  readonly catalogId?: CatalogId;
  readonly nameRevision: Revision;
  readonly revision: Revision;
  readonly state: EntityState;
  readonly format?: TableFormat;
  readonly tableUuid?: TableUuid;
  /** Absent where it did not fit: then it is read from the payload. */
  readonly metadataLocation?: string;
  readonly guardGeneration: number;
  readonly protected: boolean;
  readonly contentHash?: Uint8Array;
  readonly owner?: PrincipalId;
  readonly purgeAfterMs: number;
  /** Of a location that is held, and not claimed yet: see `holds.ts`. */
  readonly heldUntilMs?: number;
}

export interface Receipt {
  readonly principal: string;
  readonly status: number;
  readonly key: string;
  readonly version: bigint;
  readonly metadataLocation: string;
  readonly expiresAtMs: number;
  /** Absent for a refusal. */
  readonly changeId?: string;
  readonly requestHash: Uint8Array;
  /** Of a refusal; `facts` is a JSON object. */
  readonly error?: { readonly kind: string; readonly code: string; readonly facts: string };
  /** What an answer needs and the current state does not tell, as JSON. */
  readonly detail?: string;
}

export interface ChangedKey {
  /** Relative to the account. */
  readonly key: string;
  readonly versionFrom: bigint;
  readonly versionTo: bigint;
  readonly blobFrom?: Uint8Array;
  readonly blobTo?: Uint8Array;
  readonly deleted: boolean;
}

export interface ChangeRecord {
  readonly requestId: string;
  readonly principal: string;
  readonly timeMs: number;
  readonly operation: string;
  readonly keys: readonly ChangedKey[];
}

/**
 * `purge` ends the life of a dropped entity once its retention is over; `delete` drops a thing with
 * all that is in it; `build-index` fills an index of a row table, `move-table` brings one to
 * another shard, `delete-shard` deletes an empty one; the others collect what is left of the
 * account.
 */
export type JobKind =
  | "purge"
  | "delete"
  | "import"
  | "build-index"
  | "move-table"
  | "delete-shard"
  | "forget-tombstones"
  | "collect-garbage";

/** Long work that any node takes up, one at a time. */
export interface Job {
  readonly id: JobId;
  readonly kind: JobKind;
  readonly subject: { readonly type: EntityType; readonly id: string };
  /** Where it stands, in the words of its kind; `""` before its first step. */
  readonly step: string;
  /** Not before this time. Part of a key. Of a job that is over: how long its record stays. */
  readonly dueMs: number;
  /** Whose work it is until `heldUntilMs`. Without a holder it waits until then. */
  readonly holder?: WriterId;
  readonly heldUntilMs: number;
  /** How often it was taken up since it last came a step further. */
  readonly tries: number;
  /** What it had to leave undone, and the code of the last such failure. */
  readonly failures: number;
  readonly lastFailure?: string;
  /** The text of that failure, cut short when it is stored. */
  readonly lastMessage?: string;
  /** How many things are done, of how many; absent where that is not known. */
  readonly done?: number;
  readonly total?: number;
  /** When it was over. */
  readonly endedMs?: number;
  /** A caller asked that it end, and take back what it can. */
  readonly cancelled?: true;
}
