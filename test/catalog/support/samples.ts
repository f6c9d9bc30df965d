import type {
  AccountId,
  CatalogId,
  NamespaceId,
  Revision,
  TableId,
  TableUuid,
  ViewId,
  ViewUuid,
} from "../../../src/base/ids.ts";
import type {
  Account,
  Catalog,
  ChangeRecord,
  Envelope,
  Namespace,
  Receipt,
  SnapshotSummary,
  Summary,
  Table,
  TableSnapshot,
  View,
} from "../../../src/catalog/model.ts";

const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

export const ACCOUNT_ID = id(1) as AccountId;
export const REVISION = id(9) as Revision;

export const ENVELOPE: Envelope = {
  schemaVersion: 1,
  minWriterVersion: 1,
  entityType: "table",
  accountId: ACCOUNT_ID,
  entityId: id(4),
  revision: REVISION,
  updatedAtMs: 1_767_225_600_000,
  updatedBy: "alice",
  requestId: "req-1",
};

const BASE = {
  description: "what it is",
  createdAtMs: 1_767_225_600_001,
  state: "ACTIVE",
  nameRevision: id(8) as Revision,
} as const;

export const ACCOUNT: Account = {
  ...BASE,
  type: "account",
  protected: false,
  purgeAfterMs: 0,
  id: ACCOUNT_ID,
  name: "default",
  tags: { team: "snow", "10": "ten", "9": "nine" },
};

export const CATALOG: Catalog = {
  ...BASE,
  type: "catalog",
  id: id(2) as CatalogId,
  name: "lake",
  properties: { b: "2", a: "1" },
  guardGeneration: 3,
  protected: true,
  purgeAfterMs: 0,
  defaultLocation: "s3://bucket/lake",
  allowedLocations: ["s3://other", "file:///w"],
  defaultTableProperties: { "write.format.default": "parquet" },
};

export const NAMESPACE: Namespace = {
  ...BASE,
  type: "namespace",
  id: id(3) as NamespaceId,
  name: "größe",
  path: ["a.b", "größe"],
  properties: { owner: "me", "\u{1f9ca}": "ice", "\uffff": "last of the plane" },
  guardGeneration: 1,
  protected: false,
  purgeAfterMs: 1_767_830_400_000,
  catalogId: id(2) as CatalogId,
  parentId: id(7) as NamespaceId,
};

export const TABLE: Table = {
  ...BASE,
  type: "table",
  id: id(4) as TableId,
  name: "events",
  properties: {},
  protected: false,
  purgeAfterMs: 0,
  catalogId: id(2) as CatalogId,
  namespaceId: id(3) as NamespaceId,
  format: "ICEBERG",
  location: "s3://bucket/lake/events-1",
  iceberg: {
    tableUuid: id(5) as TableUuid,
    metadataLocation: "s3://bucket/lake/events-1/metadata/00001-x.metadata.json",
    currentSnapshotId: 9_007_199_254_740_993n,
    purgeRequested: true,
  },
};

export const VIEW: View = {
  ...BASE,
  type: "view",
  id: id(10) as ViewId,
  name: "daily",
  properties: { k: "v" },
  protected: true,
  purgeAfterMs: 1_767_830_400_000,
  catalogId: id(2) as CatalogId,
  namespaceId: id(3) as NamespaceId,
  location: "s3://bucket/lake/daily-1",
  iceberg: {
    viewUuid: id(11) as ViewUuid,
    metadataLocation: "s3://bucket/lake/daily-1/metadata/00001-x.metadata.json",
    currentVersionId: 2_147_483_647,
  },
};

export const SUMMARY: Summary = {
  entityType: "table",
  entityId: TABLE.id,
  name: "events",
  parentId: TABLE.namespaceId,
  catalogId: TABLE.catalogId,
  nameRevision: TABLE.nameRevision,
  revision: REVISION,
  state: "DROPPED",
  format: "ICEBERG",
  tableUuid: id(5) as TableUuid,
  metadataLocation: "s3://bucket/lake/events-1/metadata/00001-x.metadata.json",
  guardGeneration: 2,
  protected: true,
  contentHash: new Uint8Array(32).fill(7),
  purgeAfterMs: 1_767_830_400_000,
};

/** Whose ids do not fit a double. */
export const SNAPSHOT: TableSnapshot = {
  snapshotId: 9_223_372_036_854_775_807n,
  parentSnapshotId: 9_007_199_254_740_993n,
  sequenceNumber: 34n,
  timestampMs: 1_767_225_600_000,
  schemaId: 0,
  manifestList: "s3://bucket/lake/events-1/metadata/snap-1.avro",
  operation: "append",
  summary: { "added-records": "10", "10": "ten" },
};

export const SNAPSHOT_SUMMARY: SnapshotSummary = {
  snapshotId: 9_223_372_036_854_775_807n,
  timestampMs: 1_767_225_600_000,
  tableVersion: 41n,
  contentHash: new Uint8Array(32).fill(7),
};

export const RECEIPT: Receipt = {
  principal: "alice",
  status: 200,
  key: "/accounts/a/tables/by-id/t",
  version: 9_223_372_036_854_775_807n,
  metadataLocation: "",
  expiresAtMs: 1_767_227_400_000,
  changeId: id(6),
  requestHash: new Uint8Array(32).fill(1),
};

export const CHANGE: ChangeRecord = {
  requestId: "req-1",
  principal: "alice",
  timeMs: 1_767_225_600_000,
  operation: "commit-table",
  keys: [
    {
      key: "tables/by-id/t",
      versionFrom: 41n,
      versionTo: 42n,
      blobFrom: new Uint8Array(32).fill(2),
      blobTo: new Uint8Array(32).fill(3),
      deleted: false,
    },
    { key: "dropped/1/t", versionFrom: 0n, versionTo: 1n, deleted: true },
  ],
};
