import type { ChunkedList } from "./chunked-list.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import { changedLayout, type LayoutEntry } from "./layout.ts";
import type { PartitionSpec } from "./partition-spec.ts";
import type { Schema } from "./schema.ts";
import type { MetadataLogEntry, SnapshotLogEntry } from "./snapshot.ts";
import type { SnapshotList } from "./snapshot-list.ts";
import type { SnapshotRef } from "./snapshot-ref.ts";
import type { SortOrder } from "./sort-order.ts";
import type { StatisticsFile } from "./statistics.ts";

export type FormatVersion = 1 | 2 | 3;

/** The version of a new table whose request names none. */
export const DEFAULT_FORMAT_VERSION: FormatVersion = 2;
export const MAX_FORMAT_VERSION: FormatVersion = 3;
/** From here on sequence numbers order snapshots. */
export const SEQUENCE_NUMBERS_VERSION = 2;
/** From here on every row has an id. */
export const ROW_LINEAGE_VERSION = 3;

/**
 * Table metadata of any format version. Immutable: a commit makes a new one that shares every part
 * it did not change, each with the text it was once printed as.
 */
export interface TableMetadata {
  readonly formatVersion: FormatVersion;
  /** Only a table of format version 1 may have none. */
  readonly uuid: string | undefined;
  /** Without a trailing slash. */
  readonly location: string;
  readonly lastSequenceNumber: bigint;
  readonly lastUpdatedMs: number;
  readonly lastColumnId: number;
  readonly currentSchemaId: number;
  readonly schemas: readonly Schema[];
  readonly defaultSpecId: number;
  readonly specs: readonly PartitionSpec[];
  readonly lastPartitionId: number;
  readonly defaultSortOrderId: number;
  readonly sortOrders: readonly SortOrder[];
  readonly properties: ReadonlyMap<string, string>;
  readonly currentSnapshotId: bigint | undefined;
  readonly nextRowId: bigint;
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly refs: ReadonlyMap<string, SnapshotRef>;
  readonly snapshots: SnapshotList;
  readonly statistics: readonly StatisticsFile[];
  readonly partitionStatistics: readonly StatisticsFile[];
  readonly snapshotLog: ChunkedList<SnapshotLogEntry>;
  readonly metadataLog: ChunkedList<MetadataLogEntry>;
  /** How it is printed: as it was read, else in the order of Iceberg's own writers. */
  readonly layout: readonly LayoutEntry[];
}

/** Members of the format in the order of Iceberg's own writers, with the versions of each. */
const MEMBERS: readonly (readonly [string, readonly FormatVersion[]])[] = [
  ["format-version", [1, 2, 3]],
  ["table-uuid", [1, 2, 3]],
  ["location", [1, 2, 3]],
  ["last-sequence-number", [2, 3]],
  ["last-updated-ms", [1, 2, 3]],
  ["last-column-id", [1, 2, 3]],
  ["schema", [1]],
  ["current-schema-id", [1, 2, 3]],
  ["schemas", [1, 2, 3]],
  ["partition-spec", [1]],
  ["default-spec-id", [1, 2, 3]],
  ["partition-specs", [1, 2, 3]],
  ["last-partition-id", [1, 2, 3]],
  ["default-sort-order-id", [1, 2, 3]],
  ["sort-orders", [1, 2, 3]],
  ["properties", [1, 2, 3]],
  ["current-snapshot-id", [1, 2, 3]],
  ["next-row-id", [3]],
  ["encryption-keys", [1, 2, 3]],
  ["refs", [1, 2, 3]],
  ["snapshots", [1, 2, 3]],
  ["statistics", [1, 2, 3]],
  ["partition-statistics", [1, 2, 3]],
  ["snapshot-log", [1, 2, 3]],
  ["metadata-log", [1, 2, 3]],
];

const KNOWN: ReadonlySet<string> = new Set(MEMBERS.map(([name]) => name));

function membersOf(formatVersion: FormatVersion): readonly LayoutEntry[] {
  const members = MEMBERS.filter(([, versions]) => versions.includes(formatVersion));
  return members.map(([name]) => ({ name }));
}

const LAYOUTS: Readonly<Record<FormatVersion, readonly LayoutEntry[]>> = {
  1: membersOf(1),
  2: membersOf(2),
  3: membersOf(3),
};

/** The layout of changed metadata: the format's members, then those that it does not know. */
export function canonicalLayout(
  formatVersion: FormatVersion,
  base: readonly LayoutEntry[],
): readonly LayoutEntry[] {
  return changedLayout(LAYOUTS[formatVersion], KNOWN, base);
}

export function currentSchema(metadata: TableMetadata): Schema | undefined {
  return metadata.schemas.find((schema) => schema.schemaId === metadata.currentSchemaId);
}

export function defaultSpec(metadata: TableMetadata): PartitionSpec | undefined {
  return metadata.specs.find((spec) => spec.specId === metadata.defaultSpecId);
}

/** A location as it is joined with names: without trailing slashes, save a bare authority's. */
export function stripTrailingSlash(location: string): string {
  let end = location.length;
  while (end > 0 && location[end - 1] === "/" && !location.endsWith("://", end)) end--;
  return location.slice(0, end);
}
