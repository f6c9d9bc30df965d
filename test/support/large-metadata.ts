/** How large a metadata file is to be. */
export interface MetadataSize {
  readonly snapshots?: number;
  readonly columns?: number;
  readonly schemas?: number;
  readonly properties?: number;
  readonly valueBytes?: number;
}

/** As Spark writes it: some 900 bytes. */
function snapshotOf(i: number, location: string): object {
  return {
    "sequence-number": i + 1,
    "snapshot-id": 8_000_000_000_000_000 + i,
    ...(i > 0 && { "parent-snapshot-id": 8_000_000_000_000_000 + i - 1 }),
    "timestamp-ms": 1_700_000_000_000 + i,
    summary: {
      operation: "append",
      "spark.app.id": "application_1700000000000_000001",
      "added-data-files": "4",
      "added-records": "100000",
      "added-files-size": "51200000",
      "changed-partition-count": "4",
      "total-records": String(100_000 * i),
      "total-files-size": String(51_200_000 * i),
      "total-data-files": String(4 * i),
      "total-delete-files": "0",
      "total-position-deletes": "0",
      "total-equality-deletes": "0",
      "engine-version": "3.5.1",
      "engine-name": "spark",
      "iceberg-version": "Apache Iceberg 1.6.1 (commit 8e9d59d299be42b0bca9461457cd1e95dbaad086)",
    },
    "manifest-list": `${location}/metadata/snap-${i}-1-0a1b2c3d-1111-4222-8333-444455556666.avro`,
    "schema-id": 0,
  };
}

function schemaOf(schemaId: number, columns: number): object {
  const fields = Array.from({ length: columns }, (_, i) => ({
    id: i + 1,
    name: `column_${schemaId}_${i}`,
    required: false,
    type: i % 3 === 0 ? "string" : "long",
    doc: "what the column holds",
  }));
  return { type: "struct", "schema-id": schemaId, fields };
}

/** The text of a table's metadata file that is large, and as real ones are. */
export function largeMetadata(location: string, size: MetadataSize): string {
  const { snapshots = 0, columns = 1, schemas = 1, properties = 0, valueBytes = 100 } = size;
  const log = Array.from({ length: snapshots }, (_, i) => ({
    "timestamp-ms": 1_700_000_000_000 + i,
    "snapshot-id": 8_000_000_000_000_000 + i,
  }));
  const last = 8_000_000_000_000_000 + snapshots - 1;
  return JSON.stringify({
    "format-version": 2,
    "table-uuid": "0a1b2c3d-1111-4222-8333-444455556666",
    location,
    "last-sequence-number": snapshots,
    "last-updated-ms": 1_800_000_000_000,
    "last-column-id": columns,
    "current-schema-id": 0,
    schemas: Array.from({ length: schemas }, (_, i) => schemaOf(i, columns)),
    "default-spec-id": 0,
    "partition-specs": [{ "spec-id": 0, fields: [] }],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{ "order-id": 0, fields: [] }],
    properties: Object.fromEntries(
      Array.from({ length: properties }, (_, i) => [`key.${i}`, "v".repeat(valueBytes)]),
    ),
    ...(snapshots > 0 && {
      "current-snapshot-id": last,
      refs: { main: { "snapshot-id": last, type: "branch" } },
    }),
    snapshots: Array.from({ length: snapshots }, (_, i) => snapshotOf(i, location)),
    "snapshot-log": log,
    "metadata-log": [],
  });
}
