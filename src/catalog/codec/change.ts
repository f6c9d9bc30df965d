import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type Long from "long";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type { ChangeRecord, Envelope } from "../model.ts";
import { envelopeOf } from "./envelope.ts";
import { big, bytesBy, corruptOnThrow, long, safe, v1 } from "./wire.ts";

/** Keys of a batch and of what is written beside it: far above what both can be. */
const MAX_UNPACKED_BYTES = 1_048_576;

/** A change record without an envelope: short enough for a summary as often as it can be. */
export function encodeChange(record: ChangeRecord): Uint8Array {
  const message = { ...headOf(record), keys: keysOf(record) };
  return bytesBy((writer) => v1.ChangeRecord.encode(message, writer));
}

/** Encodes a change record with its keys compressed: each of many keys repeats most of the last. */
export function encodePackedChange(record: ChangeRecord): Uint8Array {
  const keys = bytesBy((writer) => v1.ChangedKeys.encode({ keys: keysOf(record) }, writer));
  const message = { ...headOf(record), packedKeys: zstdCompressSync(keys) };
  return bytesBy((writer) => v1.ChangeRecord.encode(message, writer));
}

function headOf(record: ChangeRecord): firn.v1.ChangeRecord.$Properties {
  const { requestId, principal, operation } = record;
  return { requestId, principal, timeMs: long(record.timeMs), operation };
}

function keysOf({ keys }: ChangeRecord): firn.v1.ChangedKey.$Properties[] {
  return keys.map((key) => ({
    key: key.key,
    versionFrom: long(key.versionFrom),
    versionTo: long(key.versionTo),
    blobFrom: key.blobFrom ?? new Uint8Array(),
    blobTo: key.blobTo ?? new Uint8Array(),
    deleted: key.deleted,
  }));
}

/** The keys as they stand in a record, or packed beside it. */
function storedKeys({ keys, packedKeys }: firn.v1.ChangeRecord): firn.v1.ChangedKey.$Properties[] {
  if (packedKeys.length === 0) return keys;
  const bytes = zstdDecompressSync(packedKeys, { maxOutputLength: MAX_UNPACKED_BYTES });
  return v1.ChangedKeys.decode(bytes).keys;
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeChange(bytes: Uint8Array): ChangeRecord {
  return corruptOnThrow(() => {
    const m = v1.ChangeRecord.decode(bytes);
    return {
      requestId: m.requestId,
      principal: m.principal,
      timeMs: safe(m.timeMs as Long),
      operation: m.operation,
      keys: storedKeys(m).map((raw) => {
        const key = v1.ChangedKey.create(raw);
        return {
          key: key.key,
          versionFrom: big(key.versionFrom as Long),
          versionTo: big(key.versionTo as Long),
          deleted: key.deleted,
          ...(key.blobFrom.length === 0 ? {} : { blobFrom: key.blobFrom }),
          ...(key.blobTo.length === 0 ? {} : { blobTo: key.blobTo }),
        };
      }),
    };
  });
}

/**
 * The envelope of a change record that has its own blob.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or not of a change record.
 */
export function decodeChangeEnvelope(bytes: Uint8Array): Envelope {
  const envelope = corruptOnThrow(() => envelopeOf(v1.ChangeRecord.decode(bytes).envelope));
  if (envelope.entityType === "change") return envelope;
  const { entityType } = envelope;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not a change record", { entityType });
}
