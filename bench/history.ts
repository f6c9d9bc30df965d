import { mkdirSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../src/base/json.ts";

/** Columns of every table that is measured, as a create request and a metadata file hold them. */
export const SCHEMA: JsonObject = {
  type: "struct",
  "schema-id": 0,
  fields: [
    { id: 1, name: "id", required: true, type: "long" },
    { id: 2, name: "at", required: false, type: "timestamptz" },
    { id: 3, name: "city", required: false, type: "string" },
    { id: 4, name: "amount", required: false, type: "decimal(18, 4)" },
  ],
};
const LAST_COLUMN_ID = 4;

/** As engines make them: random, and beyond what a JavaScript number holds. */
const FIRST_ID = 3_051_729_675_574_597_004n;
const ID_STEP = 7_919_000_003n;
/** Between two snapshots of a prepared history. */
const COMMIT_INTERVAL_MS = 60_000;

let idsTaken = 0n;

/** An id that no other snapshot of this process has. */
export function nextSnapshotId(): bigint {
  idsTaken++;
  return FIRST_ID + idsTaken * ID_STEP;
}

/** The head of a branch, as a writer needs it to build on. */
export interface Head {
  /** Undefined before the first snapshot. */
  readonly snapshotId: bigint | undefined;
  readonly sequenceNumber: number;
}

export const NO_HEAD: Head = { snapshotId: undefined, sequenceNumber: 0 };

export interface NewSnapshot {
  readonly id: bigint;
  readonly parent: bigint | undefined;
  /** Undefined for a table of format version 1. */
  readonly sequenceNumber: number | undefined;
  readonly timestampMs: number;
  readonly root: string;
}

/** JSON text of a snapshot, with the summary that Spark writes for an append. */
export function snapshotText(snapshot: NewSnapshot): string {
  const { id, parent, sequenceNumber, timestampMs, root } = snapshot;
  const sequence = sequenceNumber === undefined ? "" : `"sequence-number":${sequenceNumber},`;
  const parentId = parent === undefined ? "" : `"parent-snapshot-id":${parent},`;
  const total = sequenceNumber ?? 1;
  const summary = {
    operation: "append",
    "spark.app.id": "application_1719999999999_0042",
    "added-data-files": "4",
    "added-records": "120000",
    "added-files-size": "8812344",
    "changed-partition-count": "1",
    "total-records": String(120_000 * total),
    "total-files-size": String(8_812_344 * total),
    "total-data-files": String(4 * total),
    "total-delete-files": "0",
    "total-position-deletes": "0",
    "total-equality-deletes": "0",
  };
  return (
    `{${sequence}"snapshot-id":${id},${parentId}"timestamp-ms":${timestampMs},` +
    `"summary":${JSON.stringify(summary)},` +
    `"manifest-list":"${root}/metadata/snap-${id}-1-0f9e5b0a-64a4-4a37-9d35-9a7c2f1f6d1e.avro",` +
    `"schema-id":0}`
  );
}

/** A linear history of `count` snapshots, the newest made just now. */
export function linearHistory(count: number, root: string): readonly NewSnapshot[] {
  const firstMs = Date.now() - count * COMMIT_INTERVAL_MS;
  const history: NewSnapshot[] = [];
  for (let i = 0; i < count; i++) {
    history.push({
      id: nextSnapshotId(),
      parent: history.at(-1)?.id,
      sequenceNumber: i + 1,
      timestampMs: firstMs + i * COMMIT_INTERVAL_MS,
      root,
    });
  }
  return history;
}

/** A table whose metadata file stands on disk, ready to be registered. */
export interface PreparedTable {
  readonly metadataLocation: string;
  readonly bytes: number;
  readonly head: Head;
}

/** Writes the metadata file of a table of format version 2 at `directory`. */
export function prepareTable(directory: string, snapshots: number): PreparedTable {
  const root = `file://${directory}`;
  const history = linearHistory(snapshots, root);
  const text = metadataText(root, history);
  const file = `${directory}/metadata/00000-${crypto.randomUUID()}.metadata.json`;
  mkdirSync(`${directory}/metadata`, { recursive: true });
  writeFileSync(file, text);
  const head = { snapshotId: history.at(-1)?.id, sequenceNumber: snapshots };
  return { metadataLocation: `file://${file}`, bytes: Buffer.byteLength(text), head };
}

function metadataText(location: string, history: readonly NewSnapshot[]): string {
  const head = history.at(-1);
  const main = head === undefined ? "" : `"main":{"snapshot-id":${head.id},"type":"branch"}`;
  const log = history.map(
    ({ id, timestampMs }) => `{"timestamp-ms":${timestampMs},"snapshot-id":${id}}`,
  );
  const front = JSON.stringify({
    "format-version": 2,
    "table-uuid": crypto.randomUUID(),
    location,
    "last-sequence-number": history.length,
    "last-updated-ms": head?.timestampMs ?? Date.now(),
    "last-column-id": LAST_COLUMN_ID,
    "current-schema-id": 0,
    schemas: [SCHEMA],
    "default-spec-id": 0,
    "partition-specs": [{ "spec-id": 0, fields: [] }],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{ "order-id": 0, fields: [] }],
    properties: { owner: "bench", "write.parquet.compression-codec": "zstd" },
  });
  return (
    `${front.slice(0, -1)},"current-snapshot-id":${head?.id ?? -1},"refs":{${main}},` +
    `"snapshots":[${history.map(snapshotText).join(",")}],"statistics":[],` +
    `"partition-statistics":[],"snapshot-log":[${log.join(",")}],"metadata-log":[]}`
  );
}
