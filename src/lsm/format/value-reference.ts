import { sha256Bytes } from "../../base/hash.ts";
import { type Compression, FRAME_BYTES, fileSeed, openFrame, writeFrame } from "./block-frame.ts";
import { corrupt } from "./corrupt.ts";
import type { EntryBytes } from "./cursor.ts";
import type { Kind, ValueReference } from "./entry.ts";
import { bytesOfUlid, ULID_BYTES, type Ulid, ulidOfBytes } from "./ulid.ts";
import { readU32, writeU32 } from "./varint.ts";

/*
 * A long value lies in an object apart, `values/{id}` of the shard that its table lies with. Its
 * entry (flag 0x20 of the kind) has a reference instead, which compactions copy:
 *
 *   bytes  what
 *   16     id of the object, which is one frame (`block-frame.ts`) of the value at offset 0, its
 *          file seed made of this id
 *   4      bytes of the value, lowest first
 *   16     the first half of its SHA-256
 *
 * The table names its values again, in its statistics: that keeps them from being collected.
 *
 * Example: a value "firn", id 01JD4Y0Q3Z8K6V5T2R1P0NMHGF, 36 bytes:
 *
 *   019349e05c7f44cdb2e8580d815a460f 04000000 9faf0311ed038e53dc8716254511d2d5
 */

const HASH_BYTES = 16;
const HASH_AT = ULID_BYTES + 4;
const REFERENCE_BYTES: number = HASH_AT + HASH_BYTES;

/** The reference to a value. */
export function referenceTo(id: Ulid, value: Uint8Array): Uint8Array {
  return encodeReference({ id, bytes: value.length, hash: hashOf(value) });
}

function encodeReference({ id, bytes, hash }: ValueReference): Uint8Array {
  const reference = Buffer.alloc(REFERENCE_BYTES);
  reference.set(bytesOfUlid(id));
  writeU32(reference, ULID_BYTES, bytes);
  reference.set(hash, HASH_AT);
  return reference;
}

/** The reference of an entry. @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`. */
export function decodeReference({
  valueSource,
  valueStart,
  valueEnd,
}: Pick<EntryBytes, "valueSource" | "valueStart" | "valueEnd">): ValueReference {
  if (valueEnd - valueStart !== REFERENCE_BYTES) {
    throw corrupt("sst", "value reference", valueStart, "another length");
  }
  return {
    id: ulidOfBytes(valueSource.subarray(valueStart, valueStart + ULID_BYTES)),
    bytes: readU32(valueSource, valueStart + ULID_BYTES),
    hash: valueSource.slice(valueStart + HASH_AT, valueEnd),
  };
}

/** The entry of a value as it stands with another value or a reference in its place. */
export function withValue(entry: EntryBytes, kind: Kind, value: Uint8Array): EntryBytes {
  const { keySource, keyStart, keyEnd, sequence, operator, expiresAtMs } = entry;
  const key = { keySource, keyStart, keyEnd, sequence, kind, operator, expiresAtMs };
  return { ...key, valueSource: value, valueStart: 0, valueEnd: value.length };
}

/** The entry as it refers to another object of the same value. */
export function movedTo(id: Ulid, entry: EntryBytes, reference: ValueReference): EntryBytes {
  return withValue(entry, entry.kind, encodeReference({ ...reference, id }));
}

/** The object of a value. */
export function encodeValue(id: Ulid, value: Uint8Array, compression: Compression): Uint8Array {
  const out = Buffer.allocUnsafeSlow(value.length + FRAME_BYTES);
  const end = writeFrame(out, 0, value, compression, fileSeed(bytesOfUlid(id)), 0);
  return out.subarray(0, end);
}

/** The value in an object. @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`. */
export function decodeValue(object: Uint8Array, { id, bytes, hash }: ValueReference): Uint8Array {
  const value = openFrame(object, fileSeed(bytesOfUlid(id)), 0, "value");
  const isMeant = value.length === bytes && hashOf(value).equals(hash);
  if (!isMeant) throw corrupt("sst", "value", 0, "another value than its table refers to");
  return value;
}

function hashOf(value: Uint8Array): Buffer {
  return Buffer.from(sha256Bytes(value).subarray(0, HASH_BYTES));
}
