import type { JsonObject } from "../../src/base/json.ts";
import type { LoadedTable, LoadResult } from "../../src/service/requests.ts";

/** As much of table metadata as a client needs to append; ids below 2^53 are exact here. */
export interface ClientMetadata {
  readonly location: string;
  readonly "last-sequence-number": number;
  readonly "current-snapshot-id": number | null;
  readonly "table-uuid": string;
  readonly properties: Readonly<Record<string, string>>;
  readonly "metadata-log": readonly object[];
  readonly snapshots: readonly {
    readonly "snapshot-id": number;
    readonly "parent-snapshot-id"?: number;
  }[];
}

/** The metadata of a loaded table, as a client with doubles reads it. */
export function metadataOf(table: LoadResult | Pick<LoadedTable, "metadata">): ClientMetadata {
  if (table === "not-modified") throw new Error("not loaded");
  return JSON.parse(Buffer.concat(table.metadata).toString("utf8"));
}

/** An update that adds a snapshot on top of the current one; its time follows from its id. */
export function addSnapshot(
  base: ClientMetadata,
  snapshotId: bigint,
  more: JsonObject = {},
): JsonObject {
  const current = base["current-snapshot-id"] ?? -1;
  const snapshot = {
    "snapshot-id": snapshotId,
    ...(current < 0 ? {} : { "parent-snapshot-id": BigInt(current) }),
    "sequence-number": base["last-sequence-number"] + 1,
    "timestamp-ms": Number(snapshotId % 1_000n),
    summary: { operation: "append", "added-files": "1" },
    "manifest-list": `${base.location}/metadata/snap-${snapshotId}.avro`,
    "schema-id": 0,
    ...more,
  };
  return { action: "add-snapshot", snapshot };
}

export function setRef(name: string, snapshotId: bigint): JsonObject {
  return {
    action: "set-snapshot-ref",
    "ref-name": name,
    "snapshot-id": snapshotId,
    type: "branch",
  };
}
