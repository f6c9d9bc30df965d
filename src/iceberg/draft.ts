import { ChunkedList } from "./chunked-list.ts";
import type { FormatVersion, TableMetadata } from "./model.ts";
import { SnapshotList } from "./snapshot-list.ts";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What updates may change; the log of metadata files and the time are set when all are applied. */
type Parts = Mutable<Omit<TableMetadata, "location" | "lastUpdatedMs" | "metadataLog" | "layout">>;

/**
 * Table metadata while the updates of one request are applied to it. Its parts are the base's own
 * until they are replaced; nothing is changed in place. What was added in this request is
 * remembered, since later updates of it may mean "the last one added".
 */
export interface Draft extends Parts {
  readonly base: TableMetadata | undefined;
  /** Time of this update, never before the base's own. */
  readonly updateMs: number;
  /** Whether anything differs from the base. */
  changed: boolean;
  location: string | undefined;

  lastAddedSchemaId: number | undefined;
  lastAddedSpecId: number | undefined;
  lastAddedOrderId: number | undefined;
  readonly addedSnapshotIds: Set<bigint>;
  /** Snapshots that main was set to; of those added here, only the last one stays in the log. */
  readonly mainSnapshotIds: Set<bigint>;
  snapshotsRemoved: boolean;
}

/** A draft of existing metadata; without a base, of a table that these updates create. */
export function makeDraft(
  base: TableMetadata | undefined,
  nowMs: number,
  formatVersion: FormatVersion,
): Draft {
  return {
    ...(base ?? emptyParts(formatVersion)),
    location: base?.location,
    base,
    updateMs: Math.max(nowMs, base?.lastUpdatedMs ?? 0),
    changed: base === undefined,
    lastAddedSchemaId: undefined,
    lastAddedSpecId: undefined,
    lastAddedOrderId: undefined,
    addedSnapshotIds: new Set(),
    mainSnapshotIds: new Set(),
    snapshotsRemoved: false,
  };
}

function emptyParts(formatVersion: FormatVersion): Parts {
  return {
    formatVersion,
    uuid: undefined,
    lastSequenceNumber: 0n,
    lastColumnId: 0,
    currentSchemaId: 0,
    schemas: [],
    defaultSpecId: 0,
    specs: [],
    lastPartitionId: 0,
    defaultSortOrderId: 0,
    sortOrders: [],
    properties: new Map(),
    currentSnapshotId: undefined,
    nextRowId: 0n,
    encryptionKeys: [],
    refs: new Map(),
    snapshots: SnapshotList.of([]),
    statistics: [],
    partitionStatistics: [],
    snapshotLog: ChunkedList.of([]),
  };
}
