import Long from "long";
import protobuf from "protobufjs/minimal.js";
import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import { type AnyId, idFromBytes, idToBytes } from "../../base/ids.ts";
import { firn } from "../../gen/firn.js";
import type {
  ConnectorKind,
  EntityState,
  EntityType,
  Envelope,
  PayloadType,
  PrincipalKind,
  StorageSecretKind,
  StorageSigning,
  TableFormat,
  UnknownFields,
} from "../model.ts";

/*
 * The edge between the model and protobuf: only this folder imports generated code. What protobufjs
 * loses in silence is met here: int64 goes through `Long` both ways and becomes bigint or a checked
 * number, maps are written in key order so that equal content has equal bytes, and fields that a
 * newer node wrote are kept (`discardUnknown` is true by default, which would erase them).
 */
protobuf.Reader.discardUnknown = false;

export const v1: typeof firn.v1 = firn.v1;

export const ENTITY_TYPE: Readonly<Record<Envelope["entityType"], firn.v1.EntityType>> = {
  account: v1.EntityType.ENTITY_TYPE_ACCOUNT,
  catalog: v1.EntityType.ENTITY_TYPE_CATALOG,
  namespace: v1.EntityType.ENTITY_TYPE_NAMESPACE,
  table: v1.EntityType.ENTITY_TYPE_TABLE,
  view: v1.EntityType.ENTITY_TYPE_VIEW,
  connector: v1.EntityType.ENTITY_TYPE_CONNECTOR,
  principal: v1.EntityType.ENTITY_TYPE_PRINCIPAL,
  storageProfile: v1.EntityType.ENTITY_TYPE_STORAGE_PROFILE,
  snapshot: v1.EntityType.ENTITY_TYPE_SNAPSHOT,
  change: v1.EntityType.ENTITY_TYPE_CHANGE,
  report: v1.EntityType.ENTITY_TYPE_REPORT,
  statistics: v1.EntityType.ENTITY_TYPE_TARGET_STATS,
  constraints: v1.EntityType.ENTITY_TYPE_CONSTRAINTS,
};

const PAYLOADS_ALONE: ReadonlySet<string> = new Set<PayloadType>([
  "snapshot",
  "change",
  "report",
  "statistics",
  "constraints",
]);

/** Whether a type is one of entities. */
export function isEntityType(type: Envelope["entityType"]): type is EntityType {
  return !PAYLOADS_ALONE.has(type);
}

export const STATE: Readonly<Record<EntityState, firn.v1.EntityState>> = {
  ACTIVE: v1.EntityState.ENTITY_STATE_ACTIVE,
  DELETING: v1.EntityState.ENTITY_STATE_DELETING,
  DROPPED: v1.EntityState.ENTITY_STATE_DROPPED,
  PURGING: v1.EntityState.ENTITY_STATE_PURGING,
};

export const FORMAT: Readonly<Record<TableFormat, firn.v1.TableFormat>> = {
  ICEBERG: v1.TableFormat.TABLE_FORMAT_ICEBERG,
  ROW: v1.TableFormat.TABLE_FORMAT_ROW,
  DELTA: v1.TableFormat.TABLE_FORMAT_DELTA,
  HUDI: v1.TableFormat.TABLE_FORMAT_HUDI,
  OTHER: v1.TableFormat.TABLE_FORMAT_OTHER,
};

export const CONNECTOR_KIND: Readonly<Record<ConnectorKind, firn.v1.ConnectorKind>> = {
  ICEBERG_REST: v1.ConnectorKind.CONNECTOR_KIND_ICEBERG_REST,
  GLUE: v1.ConnectorKind.CONNECTOR_KIND_GLUE,
  DELTA: v1.ConnectorKind.CONNECTOR_KIND_DELTA,
  UNITY: v1.ConnectorKind.CONNECTOR_KIND_UNITY,
};

export const PRINCIPAL_KIND: Readonly<Record<PrincipalKind, firn.v1.PrincipalKind>> = {
  LOCAL: v1.PrincipalKind.PRINCIPAL_KIND_LOCAL,
  EXTERNAL: v1.PrincipalKind.PRINCIPAL_KIND_EXTERNAL,
  ROLE: v1.PrincipalKind.PRINCIPAL_KIND_ROLE,
};

export const STORAGE_SIGNING: Readonly<Record<StorageSigning, firn.v1.StorageSigning>> = {
  OFF: v1.StorageSigning.STORAGE_SIGNING_OFF,
  READ: v1.StorageSigning.STORAGE_SIGNING_READ,
  WRITE: v1.StorageSigning.STORAGE_SIGNING_WRITE,
};

export const STORAGE_SECRET_KIND: Readonly<Record<StorageSecretKind, firn.v1.StorageSecretKind>> = {
  AMBIENT: v1.StorageSecretKind.STORAGE_SECRET_KIND_AMBIENT,
  FILE: v1.StorageSecretKind.STORAGE_SECRET_KIND_FILE,
  SEALED: v1.StorageSecretKind.STORAGE_SECRET_KIND_SEALED,
};

/** The name of an enum's number. @throws FirnError `Corrupt` for an unknown number. */
export function nameOf<Name extends string>(
  table: Readonly<Record<Name, number>>,
  value: number,
): Name {
  for (const name in table) if (table[name] === value) return name;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "unknown enum value", { value });
}

/** A 64-bit integer for protobuf. Asserts that the value fits. */
export function long(value: bigint | number): Long {
  if (typeof value === "number") {
    assert(Number.isSafeInteger(value), "a stored number is a safe integer");
    return Long.fromNumber(value);
  }
  assert(BigInt.asIntN(64, value) === value, "a stored integer fits 64 bits");
  return Long.fromBits(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

/** A signed 64-bit integer, lossless. */
export function big(value: Long): bigint {
  return (BigInt(value.getHighBits()) << 32n) | BigInt(value.getLowBitsUnsigned());
}

/** A stored time or count. @throws FirnError `Corrupt` past 2^53. */
export function safe(value: Long): number {
  const number = value.toNumber();
  if (!Number.isSafeInteger(number)) {
    throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "integer out of range");
  }
  return number;
}

const NO_BYTES = new Uint8Array();

/** The 16 bytes of an id; none where there is no id. */
export function bytesOf(id: AnyId | string | undefined): Uint8Array {
  return id === undefined || id === "" ? NO_BYTES : idToBytes(id as AnyId);
}

type Writer = protobuf.Writer;

/** Encodes a message behind what a writer holds. */
export type Encode = (writer: Writer) => Writer;

/** Few messages are longer; the memory of one that is goes with it. */
const KEPT_BYTES = 65_536;

/** The one that every message is written with, into memory that it keeps. */
let shared: Writer = protobuf.Writer.create();

/** The bytes of messages one behind the other, in an array of their own. */
export function bytesBy(...messages: readonly Encode[]): Uint8Array {
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

/** An id from its 16 bytes. @throws FirnError `Corrupt` for any other length. */
export function idOf<Id extends AnyId>(bytes: Uint8Array): Id {
  if (bytes.length !== 16) throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not an id");
  return idFromBytes<Id>(bytes);
}

/** Puts fields back that a newer version wrote and this one kept. */
export function withUnknown<M extends { $unknowns?: Uint8Array[] }>(
  message: M,
  fields: readonly Uint8Array[] | undefined,
): M {
  if (fields !== undefined) message.$unknowns = [...fields];
  return message;
}

/** Fields of a message, and of its Iceberg part, that this version does not know. */
export function unknownOf(
  message: { $unknowns?: Uint8Array[] },
  iceberg?: { $unknowns?: Uint8Array[] } | null,
): { unknownFields?: UnknownFields } {
  const own = message.$unknowns ?? [];
  const nested = iceberg?.$unknowns ?? [];
  if (own.length === 0 && nested.length === 0) return {};
  return { unknownFields: nested.length === 0 ? { own } : { own, iceberg: nested } };
}

/** Runs a decoder; whatever it throws becomes `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function corruptOnThrow<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof FirnError) throw error;
    throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload bytes cannot be decoded", {}, error);
  }
}
