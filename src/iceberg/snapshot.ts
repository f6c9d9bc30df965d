import type { JsonObject } from "../base/json.ts";
import {
  arrayOf,
  asMillis,
  asString,
  asStringMap,
  optionalInt,
  optionalLong,
  optionalMember,
  requireLong,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";

/** A snapshot. What its summary holds, and members not known here, are kept in the fragment. */
export interface Snapshot {
  readonly snapshotId: bigint;
  readonly parentSnapshotId: bigint | undefined;
  /** 0 where the format version has none. */
  readonly sequenceNumber: bigint;
  readonly timestampMs: number;
  readonly schemaId: number | undefined;
  /** Undefined for a snapshot of format version 1 that lists its manifests itself. */
  readonly manifestList: string | undefined;
  readonly firstRowId: bigint | undefined;
  readonly addedRows: bigint | undefined;
  readonly fragment: Fragment;
}

/**
 * A snapshot as metadata or a request holds it.
 *
 * @throws FirnError `Invalid`: `SNAPSHOT_INVALID`, or a `FIELD_…` code.
 */
export function parseSnapshot(object: JsonObject, at: string): Snapshot {
  const firstRowId = optionalLong(object, "first-row-id", at);
  const addedRows = optionalLong(object, "added-rows", at);
  const sequenceNumber = optionalLong(object, "sequence-number", at) ?? 0n;
  if (sequenceNumber < 0n || (firstRowId ?? 0n) < 0n || (addedRows ?? 0n) < 0n) {
    throw modelInvalid("SNAPSHOT_INVALID", "negative count", { path: at });
  }
  if (firstRowId !== undefined && addedRows === undefined) {
    throw modelInvalid("SNAPSHOT_INVALID", "first-row-id without added-rows", { path: at });
  }
  optionalMember(object, "summary", asStringMap, at);
  const manifestList = optionalMember(object, "manifest-list", asString, at);
  if (manifestList === undefined) requireMember(object, "manifests", arrayOf(asString), at);
  return {
    snapshotId: requireLong(object, "snapshot-id", at),
    parentSnapshotId: optionalLong(object, "parent-snapshot-id", at),
    sequenceNumber,
    timestampMs: requireMember(object, "timestamp-ms", asMillis, at),
    schemaId: optionalInt(object, "schema-id", at),
    manifestList,
    firstRowId,
    addedRows,
    fragment: new Fragment(object),
  };
}

/** An entry of the snapshot log: which snapshot was current from when on. */
export interface SnapshotLogEntry {
  readonly timestampMs: number;
  readonly snapshotId: bigint;
  readonly fragment: Fragment;
}

/** An entry of the metadata log: a file that was current before, and when it was written. */
export interface MetadataLogEntry {
  readonly timestampMs: number;
  readonly metadataFile: string;
  readonly fragment: Fragment;
}

/** @throws FirnError `Invalid`, a `FIELD_…` code. */
export function parseSnapshotLogEntry(object: JsonObject, at: string): SnapshotLogEntry {
  return {
    timestampMs: requireMember(object, "timestamp-ms", asMillis, at),
    snapshotId: requireLong(object, "snapshot-id", at),
    fragment: new Fragment(object),
  };
}

export function makeSnapshotLogEntry(timestampMs: number, snapshotId: bigint): SnapshotLogEntry {
  const fragment = new Fragment({ "timestamp-ms": timestampMs, "snapshot-id": snapshotId });
  return { timestampMs, snapshotId, fragment };
}

/** @throws FirnError `Invalid`, a `FIELD_…` code. */
export function parseMetadataLogEntry(object: JsonObject, at: string): MetadataLogEntry {
  return {
    timestampMs: requireMember(object, "timestamp-ms", asMillis, at),
    metadataFile: requireString(object, "metadata-file", at),
    fragment: new Fragment(object),
  };
}

export function makeMetadataLogEntry(timestampMs: number, metadataFile: string): MetadataLogEntry {
  const fragment = new Fragment({ "timestamp-ms": timestampMs, "metadata-file": metadataFile });
  return { timestampMs, metadataFile, fragment };
}
