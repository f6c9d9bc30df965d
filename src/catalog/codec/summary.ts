import type Long from "long";
import protobuf from "protobufjs/minimal.js";
import { FirnError } from "../../base/error.ts";
import type { firn } from "../../gen/firn.js";
import type { Summary } from "../model.ts";
import {
  bytesBy,
  bytesOf,
  corruptOnThrow,
  ENTITY_TYPE,
  FORMAT,
  idOf,
  isEntityType,
  long,
  nameOf,
  STATE,
  safe,
  v1,
} from "./wire.ts";

/** A pointer's summary, in bytes. The caller keeps it within `LIMITS.summaryBytes`. */
export function encodeSummary(summary: Summary): Uint8Array {
  const message: firn.v1.PointerSummary.$Properties = {
    entityType: ENTITY_TYPE[summary.entityType],
    entityId: bytesOf(summary.entityId),
    name: summary.name,
    parentId: bytesOf(summary.parentId),
    catalogId: bytesOf(summary.catalogId),
    nameRevision: bytesOf(summary.nameRevision),
    revision: bytesOf(summary.revision),
    state: STATE[summary.state],
    format: summary.format === undefined ? 0 : FORMAT[summary.format],
    tableUuid: bytesOf(summary.tableUuid),
    metadataLocation: summary.metadataLocation ?? "",
    guardGeneration: summary.guardGeneration,
    protected: summary.protected,
    contentHash: summary.contentHash ?? new Uint8Array(),
    purgeAfterMs: long(summary.purgeAfterMs),
    heldUntilMs: long(summary.heldUntilMs ?? 0),
    ...(summary.owner !== undefined && { owner: bytesOf(summary.owner) }),
  };
  return bytesBy((writer) => v1.PointerSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeSummary(bytes: Uint8Array): Summary {
  return corruptOnThrow(() => {
    const m = v1.PointerSummary.decode(bytes);
    const heldUntilMs = safe(m.heldUntilMs as Long);
    const type = nameOf(ENTITY_TYPE, m.entityType);
    if (!isEntityType(type)) {
      throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "no pointer of an entity", { type });
    }
    return {
      entityType: type,
      entityId: idOf(m.entityId),
      name: m.name,
      nameRevision: idOf(m.nameRevision),
      revision: idOf(m.revision),
      state: nameOf(STATE, m.state),
      guardGeneration: m.guardGeneration,
      protected: m.protected,
      purgeAfterMs: safe(m.purgeAfterMs as Long),
      ...(m.parentId.length === 0 ? {} : { parentId: idOf(m.parentId) }),
      ...(m.catalogId.length === 0 ? {} : { catalogId: idOf(m.catalogId) }),
      ...(m.format === 0 ? {} : { format: nameOf(FORMAT, m.format) }),
      ...(m.tableUuid.length === 0 ? {} : { tableUuid: idOf(m.tableUuid) }),
      ...(m.metadataLocation === "" ? {} : { metadataLocation: m.metadataLocation }),
      ...(m.contentHash.length === 0 ? {} : { contentHash: m.contentHash }),
      ...(heldUntilMs === 0 ? {} : { heldUntilMs }),
      ...(m.owner.length === 0 ? {} : { owner: idOf(m.owner) }),
    };
  });
}

/** Wire types of numbers, and of what has a length. */
const VARINT = 0;
const DELIMITED = 2;

/** Field and wire type of the format, the first member of a summary after nine at most. */
const FORMAT_TAG = (9 << 3) | VARINT;

/**
 * The number of the table format in an encoded summary, 0 for none: what a long list asks of each
 * entry, at a fraction of the cost of decoding it.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`.
 */
export function formatIn(bytes: Uint8Array): number {
  return plainFormatIn(bytes) ?? corruptOnThrow(() => anyFormatIn(bytes));
}

/**
 * Of a summary as it mostly is: tags, numbers and lengths of one byte, in order. Undefined where it
 * is not.
 */
function plainFormatIn(bytes: Uint8Array): number | undefined {
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] as number;
    const next = bytes[at + 1];
    if (next === undefined || next > 0x7f) return undefined;
    if (tag === FORMAT_TAG) return next;
    if (tag > FORMAT_TAG) return 0;
    const wire = tag & 7;
    if (wire !== VARINT && wire !== DELIMITED) return undefined;
    at += wire === VARINT ? 2 : 2 + next;
  }
  return at === bytes.length ? 0 : undefined;
}

function anyFormatIn(bytes: Uint8Array): number {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === FORMAT_TAG) return reader.int32();
    if (tag > FORMAT_TAG) return 0;
    reader.skipType(tag & 7);
  }
  return 0;
}
