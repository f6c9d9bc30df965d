import { IdSet } from "../base/id-map.ts";
import { DraftList, type DraftListRules } from "./draft-list.ts";
import { DraftRefs, DraftSnapshots } from "./draft-snapshots.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import type { FormatVersion, TableMetadata } from "./model.ts";
import { PartitionFieldIds } from "./partition-field-ids.ts";
import { type PartitionSpec, specDigest } from "./partition-spec.ts";
import { type Schema, schemaDigest } from "./schema.ts";
import type { SnapshotLogEntry } from "./snapshot.ts";
import { SnapshotList } from "./snapshot-list.ts";
import { orderDigest, type SortOrder } from "./sort-order.ts";
import type { StatisticsFile } from "./statistics.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Members that are one value; the log of metadata files and the time are set at the end. */
type Values = Mutable<
  Pick<
    TableMetadata,
    | "formatVersion"
    | "uuid"
    | "lastSequenceNumber"
    | "lastColumnId"
    | "currentSchemaId"
    | "defaultSpecId"
    | "lastPartitionId"
    | "defaultSortOrderId"
    | "currentSnapshotId"
    | "nextRowId"
  >
>;

/**
 * Table metadata while the updates of one request are applied to it, in place, so that many cost
 * what they change. The base is not touched. What was added in this request is remembered, since
 * later updates of it may mean "the last one added".
 */
export interface Draft extends Values {
  readonly base: TableMetadata | undefined;
  /** Time of this update, never before the base's own. */
  readonly updateMs: number;
  /** Whether anything differs from the base. */
  changed: boolean;
  location: string | undefined;
  /** The base's own until the first change. */
  properties: ReadonlyMap<string, string>;

  readonly schemas: DraftList<Schema>;
  readonly specs: DraftList<PartitionSpec>;
  readonly partitionFieldIds: PartitionFieldIds;
  readonly sortOrders: DraftList<SortOrder>;
  readonly snapshots: DraftSnapshots;
  readonly refs: DraftRefs;
  readonly encryptionKeys: DraftList<EncryptionKey>;
  readonly statistics: DraftList<StatisticsFile>;
  readonly partitionStatistics: DraftList<StatisticsFile>;
  /** What comes behind the base's snapshot log. */
  readonly addedLog: SnapshotLogEntry[];

  lastAddedSchemaId: number | undefined;
  lastAddedSpecId: number | undefined;
  lastAddedOrderId: number | undefined;
  readonly addedSnapshotIds: IdSet<bigint>;
  /** Snapshots that main was set to; of those added here, only the last one stays in the log. */
  readonly mainSnapshotIds: IdSet<bigint>;
  snapshotsRemoved: boolean;
}

/** A draft of existing metadata; without a base, of a table that these updates create. */
export function makeDraft(
  base: TableMetadata | undefined,
  nowMs: number,
  formatVersion: FormatVersion,
): Draft {
  const specs = new DraftList(base?.specs ?? [], SPECS);
  return {
    formatVersion: base?.formatVersion ?? formatVersion,
    uuid: base?.uuid,
    location: base?.location,
    lastSequenceNumber: base?.lastSequenceNumber ?? 0n,
    lastColumnId: base?.lastColumnId ?? 0,
    currentSchemaId: base?.currentSchemaId ?? 0,
    schemas: new DraftList(base?.schemas ?? [], SCHEMAS),
    defaultSpecId: base?.defaultSpecId ?? 0,
    specs,
    partitionFieldIds: new PartitionFieldIds(specs),
    lastPartitionId: base?.lastPartitionId ?? 0,
    defaultSortOrderId: base?.defaultSortOrderId ?? 0,
    sortOrders: new DraftList(base?.sortOrders ?? [], ORDERS),
    properties: base?.properties ?? new Map(),
    currentSnapshotId: base?.currentSnapshotId,
    nextRowId: base?.nextRowId ?? 0n,
    encryptionKeys: new DraftList(base?.encryptionKeys ?? [], ENCRYPTION_KEYS),
    refs: new DraftRefs(base?.refs ?? new Map()),
    snapshots: new DraftSnapshots(base?.snapshots ?? SnapshotList.of([])),
    statistics: new DraftList(base?.statistics ?? [], STATISTICS),
    partitionStatistics: new DraftList(base?.partitionStatistics ?? [], STATISTICS),
    addedLog: [],
    base,
    updateMs: Math.max(nowMs, base?.lastUpdatedMs ?? 0),
    changed: base === undefined,
    lastAddedSchemaId: undefined,
    lastAddedSpecId: undefined,
    lastAddedOrderId: undefined,
    addedSnapshotIds: new IdSet(),
    mainSnapshotIds: new IdSet(),
    snapshotsRemoved: false,
  };
}

/** How schemas are told apart and compared, of tables and of views. */
export const SCHEMAS: DraftListRules<Schema> = {
  idOf: ({ schemaId }) => schemaId,
  keyOf: ({ schemaId }) => String(schemaId),
  likenessOf: ({ byId, highestFieldId }) => `${byId.size} ${highestFieldId}`,
  digestOf: schemaDigest,
};

const SPECS: DraftListRules<PartitionSpec> = {
  idOf: ({ specId }) => specId,
  keyOf: ({ specId }) => String(specId),
  digestOf: specDigest,
};

const ORDERS: DraftListRules<SortOrder> = {
  idOf: ({ orderId }) => orderId,
  keyOf: ({ orderId }) => String(orderId),
  digestOf: orderDigest,
};

const STATISTICS: DraftListRules<StatisticsFile> = {
  keyOf: ({ snapshotId }) => String(snapshotId),
};

const ENCRYPTION_KEYS: DraftListRules<EncryptionKey> = { keyOf: ({ keyId }) => keyId };
