import Long from "long";
import protobuf from "protobufjs/minimal.js";
import { assert } from "../base/assert.ts";
import { CatalogError } from "../base/error.ts";
import { type AnyId, idFromBytes, idToBytes, type JobId } from "../base/ids.ts";
import { firn } from "../gen/firn.js";
import type {
  Account,
  Catalog,
  ChangeRecord,
  Entity,
  EntityState,
  Envelope,
  Job,
  JobKind,
  Namespace,
  Receipt,
  Snapshot,
  SnapshotSummary,
  Summary,
  Table,
  TableFormat,
  UnknownFields,
  View,
} from "./model.ts";
import { sorted } from "./sorted.ts";

/*
 * The edge between the model and protobuf, and the only importer of generated code. What protobufjs
 * loses in silence is met here: int64 goes through `Long` both ways and becomes bigint or a checked
 * number, maps are written in key order so that equal content has equal bytes, and fields that a
 * newer node wrote are kept (`discardUnknown` is true by default, which would erase them).
 */
protobuf.Reader.discardUnknown = false;

const v1 = firn.v1;

/** Version of the payload schema that this code writes, and the oldest that may update it. */
export const SCHEMA_VERSION = 1;
export const MIN_WRITER_VERSION = 1;

const ENTITY_TYPE: Readonly<Record<Envelope["entityType"], firn.v1.EntityType>> = {
  account: v1.EntityType.ENTITY_TYPE_ACCOUNT,
  catalog: v1.EntityType.ENTITY_TYPE_CATALOG,
  namespace: v1.EntityType.ENTITY_TYPE_NAMESPACE,
  table: v1.EntityType.ENTITY_TYPE_TABLE,
  view: v1.EntityType.ENTITY_TYPE_VIEW,
  snapshot: v1.EntityType.ENTITY_TYPE_SNAPSHOT,
  change: v1.EntityType.ENTITY_TYPE_CHANGE,
  report: v1.EntityType.ENTITY_TYPE_REPORT,
};
const STATE: Readonly<Record<EntityState, firn.v1.EntityState>> = {
  ACTIVE: v1.EntityState.ENTITY_STATE_ACTIVE,
  DELETING: v1.EntityState.ENTITY_STATE_DELETING,
  DROPPED: v1.EntityState.ENTITY_STATE_DROPPED,
  PURGING: v1.EntityState.ENTITY_STATE_PURGING,
};
const FORMAT: Readonly<Record<TableFormat, firn.v1.TableFormat>> = {
  ICEBERG: v1.TableFormat.TABLE_FORMAT_ICEBERG,
  ROW: v1.TableFormat.TABLE_FORMAT_ROW,
  DELTA: v1.TableFormat.TABLE_FORMAT_DELTA,
  HUDI: v1.TableFormat.TABLE_FORMAT_HUDI,
  OTHER: v1.TableFormat.TABLE_FORMAT_OTHER,
};

function nameOf<Name extends string>(table: Readonly<Record<Name, number>>, value: number): Name {
  for (const name in table) if (table[name] === value) return name;
  throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "unknown enum value", { value });
}

function long(value: bigint | number): Long {
  if (typeof value === "number") {
    assert(Number.isSafeInteger(value), "a stored number is a safe integer");
    return Long.fromNumber(value);
  }
  assert(BigInt.asIntN(64, value) === value, "a stored integer fits 64 bits");
  return Long.fromBits(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

function big(value: Long): bigint {
  return (BigInt(value.getHighBits()) << 32n) | BigInt(value.getLowBitsUnsigned());
}

/** A stored time or count. @throws CatalogError `Corrupt` past 2^53. */
function safe(value: Long): number {
  const number = value.toNumber();
  if (!Number.isSafeInteger(number)) {
    throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "integer out of range");
  }
  return number;
}

const NO_BYTES = new Uint8Array();

function bytesOf(id: AnyId | string | undefined): Uint8Array {
  return id === undefined || id === "" ? NO_BYTES : idToBytes(id as AnyId);
}

type Writer = protobuf.Writer;

/** Encodes a message behind what a writer holds. */
type Encode = (writer: Writer) => Writer;

/** Few messages are longer; the memory of one that is goes with it. */
const KEPT_BYTES = 65_536;
/** The one that every message is written with, into memory that it keeps. */
let shared: Writer = protobuf.Writer.create();

/** The bytes of messages one behind the other, in an array of their own. */
function bytesBy(...messages: readonly Encode[]): Uint8Array {
  try {
    shared.reset();
    for (const encode of messages) encode(shared);
    const bytes = shared.finish();
    if (bytes.length > KEPT_BYTES) shared = protobuf.Writer.create();
    return bytes;
  } catch (error) {
    // It may be amid a nested message, which a reset would go back to.
    shared = protobuf.Writer.create();
    throw error;
  }
}

function idOf<Id extends AnyId>(bytes: Uint8Array): Id {
  if (bytes.length !== 16) throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "not an id");
  return idFromBytes<Id>(bytes);
}

function withUnknown<M extends { $unknowns?: Uint8Array[] }>(
  message: M,
  fields: readonly Uint8Array[] | undefined,
): M {
  if (fields !== undefined) message.$unknowns = [...fields];
  return message;
}

function unknownOf(
  message: { $unknowns?: Uint8Array[] },
  iceberg?: { $unknowns?: Uint8Array[] } | null,
): { unknownFields?: UnknownFields } {
  const own = message.$unknowns ?? [];
  const nested = iceberg?.$unknowns ?? [];
  if (own.length === 0 && nested.length === 0) return {};
  return { unknownFields: nested.length === 0 ? { own } : { own, iceberg: nested } };
}

function common(entity: Entity) {
  return {
    name: entity.name,
    description: entity.description,
    createdAtMs: long(entity.createdAtMs),
    state: STATE[entity.state],
    nameRevision: bytesOf(entity.nameRevision),
  };
}

function droppable(entity: Catalog | Namespace | Table | View) {
  return { protected: entity.protected, purgeAfterMs: long(entity.purgeAfterMs) };
}

function accountBody(entity: Account): Encode {
  const message: firn.v1.Account.$Properties = { ...common(entity), tags: sorted(entity.tags) };
  return (writer) => v1.Account.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

function catalogBody(entity: Catalog): Encode {
  const message: firn.v1.Catalog.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    guardGeneration: entity.guardGeneration,
    defaultLocation: entity.defaultLocation,
    allowedLocations: [...entity.allowedLocations],
    defaultTableProperties: sorted(entity.defaultTableProperties),
  };
  return (writer) => v1.Catalog.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

function namespaceBody(entity: Namespace): Encode {
  const { name: _name, ...rest } = common(entity);
  const message: firn.v1.Namespace.$Properties = {
    ...rest,
    ...droppable(entity),
    path: [...entity.path],
    properties: sorted(entity.properties),
    guardGeneration: entity.guardGeneration,
    catalogId: bytesOf(entity.catalogId),
    parentId: bytesOf(entity.parentId),
  };
  return (writer) => v1.Namespace.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

function icebergMessage(entity: Table): firn.v1.IcebergTable.$Properties | null {
  const iceberg = entity.iceberg;
  if (iceberg === undefined) return null;
  const message: firn.v1.IcebergTable.$Properties = {
    tableUuid: bytesOf(iceberg.tableUuid),
    metadataLocation: iceberg.metadataLocation,
    purgeRequested: iceberg.purgeRequested,
    ...(iceberg.currentSnapshotId === undefined
      ? {}
      : { currentSnapshotId: long(iceberg.currentSnapshotId) }),
  };
  return withUnknown(message, entity.unknownFields?.iceberg);
}

function tableBody(entity: Table): Encode {
  const message: firn.v1.Table.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    catalogId: bytesOf(entity.catalogId),
    namespaceId: bytesOf(entity.namespaceId),
    format: FORMAT[entity.format],
    location: entity.location,
    iceberg: icebergMessage(entity),
  };
  return (writer) => v1.Table.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

function viewBody(entity: View): Encode {
  const { iceberg, unknownFields } = entity;
  const icebergMessage: firn.v1.IcebergView.$Properties | null =
    iceberg === undefined
      ? null
      : {
          viewUuid: bytesOf(iceberg.viewUuid),
          metadataLocation: iceberg.metadataLocation,
          currentVersionId: iceberg.currentVersionId,
        };
  const message: firn.v1.View.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    catalogId: bytesOf(entity.catalogId),
    namespaceId: bytesOf(entity.namespaceId),
    location: entity.location,
    iceberg: icebergMessage && withUnknown(icebergMessage, unknownFields?.iceberg),
  };
  return (writer) => v1.View.encode(withUnknown(message, unknownFields?.own), writer);
}

function contentOf(entity: Entity): Encode {
  switch (entity.type) {
    case "account":
      return accountBody(entity);
    case "catalog":
      return catalogBody(entity);
    case "namespace":
      return namespaceBody(entity);
    case "table":
      return tableBody(entity);
    case "view":
      return viewBody(entity);
  }
}

function snapshotContent(snapshot: Snapshot): Encode {
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

/** The head of a payload. Field 1 of every message, so head and content simply join. */
function headOf(envelope: Envelope): Encode {
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

function payloadOf(envelope: Envelope, content: Encode): PayloadBytes {
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

/** The payload of an entity. */
export function encodePayload(envelope: Envelope, entity: Entity): PayloadBytes {
  return payloadOf(envelope, contentOf(entity));
}

/** The payload of a snapshot. The envelope names its table. */
export function encodeSnapshot(envelope: Envelope, snapshot: Snapshot): PayloadBytes {
  return payloadOf(envelope, snapshotContent(snapshot));
}

/** The content of a snapshot's payload: everything but its envelope. */
export function encodeSnapshotContent(snapshot: Snapshot): Uint8Array {
  return bytesBy(snapshotContent(snapshot));
}

/** The content of a report's payload: everything but its envelope. */
export function encodeReportContent(report: string): Uint8Array {
  return bytesBy((writer) => v1.MetricsReport.encode({ report }, writer));
}

/** The content of an entity's payload: everything but its envelope. */
export function encodeContent(entity: Entity): Uint8Array {
  return bytesBy(contentOf(entity));
}

/** The head of a payload, for content that was encoded apart. */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  return bytesBy(headOf(envelope));
}

/** A decoded payload: who wrote it when, and what it says. */
export interface Decoded<E extends Entity = Entity> {
  readonly envelope: Envelope;
  readonly entity: E;
}

function envelopeOf(message: firn.v1.Envelope.$Properties | null | undefined): Envelope {
  if (!message) throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "payload without envelope");
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

interface CommonMessage {
  description: string;
  createdAtMs: Long;
  state: number;
  nameRevision: Uint8Array;
}

function commonOf(message: CommonMessage, name: string) {
  return {
    name,
    description: message.description,
    createdAtMs: safe(message.createdAtMs),
    state: nameOf(STATE, message.state),
    nameRevision: idOf(message.nameRevision) as Entity["nameRevision"],
  };
}

function droppableOf(message: { protected: boolean; purgeAfterMs: Long }) {
  return { protected: message.protected, purgeAfterMs: safe(message.purgeAfterMs) };
}

function decodeAccount(bytes: Uint8Array): Decoded<Account> {
  const m = v1.Account.decode(bytes);
  const envelope = envelopeOf(m.envelope);
  const entity: Account = {
    type: "account",
    id: envelope.entityId as Account["id"],
    ...commonOf(m, m.name),
    tags: m.tags,
    ...unknownOf(m),
  };
  return { envelope, entity };
}

function decodeCatalog(bytes: Uint8Array): Decoded<Catalog> {
  const m = v1.Catalog.decode(bytes);
  const envelope = envelopeOf(m.envelope);
  const entity: Catalog = {
    type: "catalog",
    id: envelope.entityId as Catalog["id"],
    ...commonOf(m, m.name),
    ...droppableOf(m),
    properties: m.properties,
    guardGeneration: m.guardGeneration,
    defaultLocation: m.defaultLocation,
    allowedLocations: m.allowedLocations,
    defaultTableProperties: m.defaultTableProperties,
    ...unknownOf(m),
  };
  return { envelope, entity };
}

function decodeNamespace(bytes: Uint8Array): Decoded<Namespace> {
  const m = v1.Namespace.decode(bytes);
  const envelope = envelopeOf(m.envelope);
  const entity: Namespace = {
    type: "namespace",
    id: envelope.entityId as Namespace["id"],
    ...commonOf(m, m.path.at(-1) ?? ""),
    ...droppableOf(m),
    path: m.path,
    properties: m.properties,
    guardGeneration: m.guardGeneration,
    catalogId: idOf(m.catalogId),
    parentId: idOf(m.parentId),
    ...unknownOf(m),
  };
  return { envelope, entity };
}

function icebergOf(message: firn.v1.IcebergTable.$Properties): Table["iceberg"] {
  const has = Object.hasOwn(message, "currentSnapshotId") && message.currentSnapshotId != null;
  const m = v1.IcebergTable.create(message);
  return {
    ...(m.tableUuid.length === 0 ? {} : { tableUuid: idOf(m.tableUuid) }),
    metadataLocation: m.metadataLocation,
    purgeRequested: m.purgeRequested,
    ...(has ? { currentSnapshotId: big(m.currentSnapshotId as Long) } : {}),
  };
}

function decodeTable(bytes: Uint8Array): Decoded<Table> {
  const m = v1.Table.decode(bytes);
  const envelope = envelopeOf(m.envelope);
  const iceberg = m.iceberg ? icebergOf(m.iceberg) : undefined;
  const entity: Table = {
    type: "table",
    id: envelope.entityId as Table["id"],
    ...commonOf(m, m.name),
    ...droppableOf(m),
    properties: m.properties,
    catalogId: idOf(m.catalogId),
    namespaceId: idOf(m.namespaceId),
    format: nameOf(FORMAT, m.format),
    location: m.location,
    ...(iceberg === undefined ? {} : { iceberg }),
    ...unknownOf(m, m.iceberg),
  };
  return { envelope, entity };
}

function icebergViewOf(message: firn.v1.IcebergView.$Properties): View["iceberg"] {
  const m = v1.IcebergView.create(message);
  return {
    viewUuid: idOf(m.viewUuid),
    metadataLocation: m.metadataLocation,
    currentVersionId: m.currentVersionId,
  };
}

function decodeView(bytes: Uint8Array): Decoded<View> {
  const m = v1.View.decode(bytes);
  const envelope = envelopeOf(m.envelope);
  const iceberg = m.iceberg ? icebergViewOf(m.iceberg) : undefined;
  const entity: View = {
    type: "view",
    id: envelope.entityId as View["id"],
    ...commonOf(m, m.name),
    ...droppableOf(m),
    properties: m.properties,
    catalogId: idOf(m.catalogId),
    namespaceId: idOf(m.namespaceId),
    location: m.location,
    ...(iceberg === undefined ? {} : { iceberg }),
    ...unknownOf(m, m.iceberg),
  };
  return { envelope, entity };
}

/**
 * Reads a payload of the type that its path names.
 *
 * @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodePayload(type: Entity["type"], bytes: Uint8Array): Decoded {
  const decoded = corruptOnThrow(() => {
    switch (type) {
      case "account":
        return decodeAccount(bytes);
      case "catalog":
        return decodeCatalog(bytes);
      case "namespace":
        return decodeNamespace(bytes);
      case "table":
        return decodeTable(bytes);
      case "view":
        return decodeView(bytes);
    }
  });
  if (decoded.envelope.entityType !== type) {
    throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "payload of another type", { type });
  }
  return decoded;
}

/**
 * Reads the payload of a snapshot. The envelope names its table.
 *
 * @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodeSnapshot(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly snapshot: Snapshot;
} {
  const decoded = corruptOnThrow(() => {
    const m = v1.Snapshot.decode(bytes);
    const has = (name: "parentSnapshotId" | "schemaId") =>
      Object.hasOwn(m, name) && m[name] != null;
    const snapshot: Snapshot = {
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
  throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "not a snapshot", { entityType });
}

/**
 * Reads the payload of a metrics report. The envelope names its table.
 *
 * @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodeReport(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly report: string;
} {
  const decoded = corruptOnThrow(() => {
    const { envelope, report } = v1.MetricsReport.decode(bytes);
    return { envelope: envelopeOf(envelope), report };
  });
  const { entityType } = decoded.envelope;
  if (entityType === "report") return decoded;
  throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "not a report", { entityType });
}

function corruptOnThrow<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CatalogError) throw error;
    throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "undecodable bytes", {}, error);
  }
}

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
  };
  return bytesBy((writer) => v1.PointerSummary.encode(message, writer));
}

/** @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeSummary(bytes: Uint8Array): Summary {
  return corruptOnThrow(() => {
    const m = v1.PointerSummary.decode(bytes);
    const type = nameOf(ENTITY_TYPE, m.entityType);
    if (type === "change" || type === "snapshot" || type === "report") {
      throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "no pointer of an entity", { type });
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
    };
  });
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

/** @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`. */
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

/** A receipt, in bytes. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const message: firn.v1.ReceiptSummary.$Properties = {
    requestHash: receipt.requestHash,
    principal: receipt.principal,
    status: receipt.status,
    key: receipt.key,
    version: long(receipt.version),
    metadataLocation: receipt.metadataLocation,
    expiresAtMs: long(receipt.expiresAtMs),
    changeId: bytesOf(receipt.changeId),
    errorKind: receipt.error?.kind ?? "",
    errorCode: receipt.error?.code ?? "",
    errorFacts: receipt.error?.facts ?? "",
    detail: receipt.detail ?? "",
  };
  return bytesBy((writer) => v1.ReceiptSummary.encode(message, writer));
}

/** @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  return corruptOnThrow(() => {
    const m = v1.ReceiptSummary.decode(bytes);
    return {
      requestHash: m.requestHash,
      principal: m.principal,
      status: m.status,
      key: m.key,
      version: big(m.version as Long),
      metadataLocation: m.metadataLocation,
      expiresAtMs: safe(m.expiresAtMs as Long),
      ...(m.changeId.length === 0 ? {} : { changeId: idOf(m.changeId) }),
      ...(m.errorCode === ""
        ? {}
        : { error: { kind: m.errorKind, code: m.errorCode, facts: m.errorFacts } }),
      ...(m.detail === "" ? {} : { detail: m.detail }),
    };
  });
}

/** A change record without an envelope: short enough for a summary as often as it can be. */
export function encodeChange(record: ChangeRecord): Uint8Array {
  const message: firn.v1.ChangeRecord.$Properties = {
    requestId: record.requestId,
    principal: record.principal,
    timeMs: long(record.timeMs),
    operation: record.operation,
    keys: record.keys.map((key) => ({
      key: key.key,
      versionFrom: long(key.versionFrom),
      versionTo: long(key.versionTo),
      blobFrom: key.blobFrom ?? new Uint8Array(),
      blobTo: key.blobTo ?? new Uint8Array(),
      deleted: key.deleted,
    })),
  };
  return bytesBy((writer) => v1.ChangeRecord.encode(message, writer));
}

/** @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeChange(bytes: Uint8Array): ChangeRecord {
  return corruptOnThrow(() => {
    const m = v1.ChangeRecord.decode(bytes);
    return {
      requestId: m.requestId,
      principal: m.principal,
      timeMs: safe(m.timeMs as Long),
      operation: m.operation,
      keys: m.keys.map((raw) => {
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
 * The envelope of a change record that has a blob of its own.
 *
 * @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or not of a change record.
 */
export function decodeChangeEnvelope(bytes: Uint8Array): Envelope {
  const envelope = corruptOnThrow(() => envelopeOf(v1.ChangeRecord.decode(bytes).envelope));
  if (envelope.entityType === "change") return envelope;
  const { entityType } = envelope;
  throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "not a change record", { entityType });
}

const JOB_KINDS: ReadonlySet<string> = new Set<JobKind>(["purge"]);

/** What stands under a job's by-id pointer, in bytes. */
export function encodeJob(job: Job): Uint8Array {
  const message: firn.v1.JobSummary.$Properties = {
    kind: job.kind,
    subjectType: ENTITY_TYPE[job.subject.type],
    subjectId: bytesOf(job.subject.id),
    step: job.step,
    dueMs: long(job.dueMs),
    holder: bytesOf(job.holder),
    heldUntilMs: long(job.heldUntilMs),
    tries: job.tries,
    failures: job.failures,
    lastFailure: job.lastFailure ?? "",
  };
  return bytesBy((writer) => v1.JobSummary.encode(message, writer));
}

/** @throws CatalogError `Corrupt`, code `PAYLOAD_CORRUPT`: also for a kind of a newer node. */
export function decodeJob(id: JobId, bytes: Uint8Array): Job {
  return corruptOnThrow(() => {
    const m = v1.JobSummary.decode(bytes);
    const type = nameOf(ENTITY_TYPE, m.subjectType);
    const isEntity = type !== "change" && type !== "snapshot" && type !== "report";
    if (!isEntity || !JOB_KINDS.has(m.kind)) {
      throw new CatalogError("Corrupt", "PAYLOAD_CORRUPT", "a job of an unknown kind", {
        kind: m.kind,
      });
    }
    return {
      id,
      kind: m.kind as JobKind,
      subject: { type, id: idOf(m.subjectId) },
      step: m.step,
      dueMs: safe(m.dueMs as Long),
      heldUntilMs: safe(m.heldUntilMs as Long),
      tries: m.tries,
      failures: m.failures,
      ...(m.holder.length === 0 ? {} : { holder: idOf(m.holder) }),
      ...(m.lastFailure === "" ? {} : { lastFailure: m.lastFailure }),
    };
  });
}
