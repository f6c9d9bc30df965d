import type Long from "long";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type { Envelope, SnapshotSummary, TableSnapshot } from "../model.ts";
import { sorted } from "../sorted.ts";
import { envelopeOf, type PayloadBytes, payloadOf } from "./envelope.ts";
import { big, bytesBy, corruptOnThrow, type Encode, long, safe, v1 } from "./wire.ts";

function snapshotContent(snapshot: TableSnapshot): Encode {
  const { parentSnapshotId, schemaId } = snapshot;
  const message: firn.v1.Snapshot.$Properties = {
    snapshotId: long(snapshot.snapshotId),
    sequenceNumber: long(snapshot.sequenceNumber),
    timestampMs: long(snapshot.timestampMs),
    manifestList: snapshot.manifestList,
    operation: snapshot.operation,
    summary: sorted(snapshot.summary),
    ...(parentSnapshotId === undefined ? {} : { parentSnapshotId: long(parentSnapshotId) }),
    ...(schemaId === undefined ? {} : { schemaId }),
  };
  return (writer) => v1.Snapshot.encode(message, writer);
}

/** The payload of a snapshot. The envelope names its table. */
export function encodeSnapshot(envelope: Envelope, snapshot: TableSnapshot): PayloadBytes {
  return payloadOf(envelope, snapshotContent(snapshot));
}

/** The content of a snapshot's payload: everything but its envelope. */
export function encodeSnapshotContent(snapshot: TableSnapshot): Uint8Array {
  return bytesBy(snapshotContent(snapshot));
}

/**
 * Reads the payload of a snapshot. The envelope names its table.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodeSnapshot(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly snapshot: TableSnapshot;
} {
  const decoded = corruptOnThrow(() => {
    const m = v1.Snapshot.decode(bytes);
    const has = (name: "parentSnapshotId" | "schemaId") =>
      Object.hasOwn(m, name) && m[name] != null;
    const snapshot: TableSnapshot = {
      snapshotId: big(m.snapshotId as Long),
      timestampMs: safe(m.timestampMs as Long),
      sequenceNumber: big(m.sequenceNumber as Long),
      manifestList: m.manifestList,
      operation: m.operation,
      summary: m.summary,
      ...(has("parentSnapshotId") ? { parentSnapshotId: big(m.parentSnapshotId as Long) } : {}),
      ...(has("schemaId") ? { schemaId: m.schemaId as number } : {}),
    };
    return { envelope: envelopeOf(m.envelope), snapshot };
  });
  const { entityType } = decoded.envelope;
  if (entityType === "snapshot") return decoded;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not a snapshot", { entityType });
}

/** The summary of a snapshot's pointers, in bytes. */
export function encodeSnapshotSummary(summary: SnapshotSummary): Uint8Array {
  const message: firn.v1.SnapshotSummary.$Properties = {
    snapshotId: long(summary.snapshotId),
    timestampMs: long(summary.timestampMs),
    tableVersion: long(summary.tableVersion),
    contentHash: summary.contentHash,
  };
  return bytesBy((writer) => v1.SnapshotSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeSnapshotSummary(bytes: Uint8Array): SnapshotSummary {
  return corruptOnThrow(() => {
    const m = v1.SnapshotSummary.decode(bytes);
    return {
      snapshotId: big(m.snapshotId as Long),
      timestampMs: safe(m.timestampMs as Long),
      tableVersion: big(m.tableVersion as Long),
      contentHash: m.contentHash,
    };
  });
}
