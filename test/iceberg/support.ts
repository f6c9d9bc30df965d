import { expect } from "vitest";
import { type ErrorKind, FirnError } from "../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { newTableMetadata } from "../../src/iceberg/create.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { type ApplyOptions, applyUpdates, parseUpdates } from "../../src/iceberg/updates.ts";

export const UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1";
export const NOW_MS = 1_700_000_000_000;

export function column(id: number, name: string, type: JsonValue = "long"): JsonObject {
  return { id, name, required: false, type };
}

export function schemaOf(...fields: readonly JsonObject[]): JsonObject {
  return { type: "struct", "schema-id": 0, fields };
}

export const SCHEMA: JsonObject = schemaOf(
  { id: 1, name: "id", required: true, type: "long" },
  column(2, "ts", "timestamp"),
  column(3, "data", "string"),
);

export const DAY_SPEC: JsonObject = {
  "spec-id": 0,
  fields: [{ name: "ts_day", transform: "day", "source-id": 2, "field-id": 1000 }],
};

export function newTable(properties: Readonly<Record<string, string>> = {}): TableMetadata {
  return newTableMetadata({
    schema: SCHEMA,
    location: "s3://bucket/ns/tbl",
    properties,
    uuid: UUID,
    nowMs: NOW_MS,
  });
}

/** Applies updates as they come in a request, one second after the base. */
export function commit(
  base: TableMetadata | undefined,
  updates: readonly JsonObject[],
  options: Partial<ApplyOptions> = {},
): TableMetadata {
  const nowMs = (base?.lastUpdatedMs ?? NOW_MS) + 1_000;
  return applyUpdates(base, parseUpdates(updates), { nowMs, ...options });
}

/** Updates that append one snapshot to a branch. */
export function append(
  base: TableMetadata,
  snapshotId: bigint,
  more: JsonObject = {},
  ref = "main",
): readonly JsonObject[] {
  const parent = base.refs.get(ref)?.snapshotId;
  const snapshot: JsonObject = {
    "snapshot-id": snapshotId,
    ...(parent === undefined ? {} : { "parent-snapshot-id": parent }),
    "sequence-number": base.lastSequenceNumber + 1n,
    "timestamp-ms": base.lastUpdatedMs + 1_000,
    summary: { operation: "append" },
    "manifest-list": `s3://bucket/ns/tbl/metadata/snap-${snapshotId}.avro`,
    "schema-id": base.currentSchemaId,
    ...more,
  };
  return [{ action: "add-snapshot", snapshot }, setRef(ref, snapshotId)];
}

export function setRef(name: string, snapshotId: bigint, type = "branch"): JsonObject {
  return { action: "set-snapshot-ref", "ref-name": name, "snapshot-id": snapshotId, type };
}

/** Runs what has to fail with a `FirnError`, and gives that. */
export function failure(kind: ErrorKind, run: () => unknown): FirnError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(FirnError);
    expect((error as FirnError).kind).toBe(kind);
    return error as FirnError;
  }
  return expect.unreachable("it has to fail");
}
