import type Long from "long";
import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type { Envelope } from "../model.ts";
import {
  bytesBy,
  bytesOf,
  ENTITY_TYPE,
  type Encode,
  idOf,
  long,
  nameOf,
  safe,
  v1,
} from "./wire.ts";

/** Version of the payload schema that this code writes, and the oldest that may update it. */
export const SCHEMA_VERSION = 1;

export const MIN_WRITER_VERSION = 1;

/** The head of a payload. Field 1 of every message, so head and content simply join. */
function headOf(envelope: Envelope): Encode {
  const { schemaVersion, minWriterVersion } = envelope;
  assert(minWriterVersion <= schemaVersion, "who writes a payload may write to it again");
  const message: firn.v1.Envelope.$Properties = {
    schemaVersion: envelope.schemaVersion,
    minWriterVersion: envelope.minWriterVersion,
    entityType: ENTITY_TYPE[envelope.entityType],
    accountId: bytesOf(envelope.accountId),
    entityId: bytesOf(envelope.entityId),
    revision: bytesOf(envelope.revision),
    updatedAtMs: long(envelope.updatedAtMs),
    updatedBy: envelope.updatedBy,
    requestId: envelope.requestId,
  };
  // Every payload type has its envelope as field 1: one of them stands for all.
  return (writer) => v1.Account.encode({ envelope: message }, writer);
}

/** A payload: envelope and content. */
export interface PayloadBytes {
  readonly bytes: Uint8Array;
  /** All but the envelope, in the same memory. Equal content has equal bytes. */
  readonly content: Uint8Array;
}

/** Encodes a payload: its envelope, then its content. */
export function payloadOf(envelope: Envelope, content: Encode): PayloadBytes {
  let headBytes = 0;
  const head = headOf(envelope);
  const measured: Encode = (writer) => {
    head(writer);
    headBytes = writer.pos;
    return writer;
  };
  const bytes = bytesBy(measured, content);
  return { bytes, content: bytes.subarray(headBytes) };
}

/** The head of a payload, for content that was encoded apart. */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  return bytesBy(headOf(envelope));
}

/** Reads an envelope. @throws FirnError `Corrupt` where it is missing or malformed. */
export function envelopeOf(message: firn.v1.Envelope.$Properties | null | undefined): Envelope {
  if (!message) throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload without envelope");
  const full = v1.Envelope.create(message);
  return {
    schemaVersion: full.schemaVersion,
    minWriterVersion: full.minWriterVersion,
    entityType: nameOf(ENTITY_TYPE, full.entityType),
    accountId: idOf(full.accountId),
    entityId: idOf(full.entityId),
    revision: idOf(full.revision),
    updatedAtMs: safe(full.updatedAtMs as Long),
    updatedBy: full.updatedBy,
    requestId: full.requestId,
  };
}
