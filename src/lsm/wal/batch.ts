/**
 * The payload of a batch: its operations one after the other, each with a sequence of its own,
 * little-endian.
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 1 | kind: 1 put, 2 delete, 3 merge, 4 delete range; plus 128: it expires |
 * | 1 | 1 | merge: which operator; else 0 |
 * | 2 | 2 | length of the key |
 * | 4 | 4 | length of the value |
 * | 8 | 8 | only where it expires: ms since the epoch, above 0 |
 * | | | key; of a range: its first key |
 * | | | value; of a merge: the operand; of a range: the first key after it; of a delete: empty |
 *
 * Invariant: the operations fill the payload, as many as the batch has sequences. Only puts and
 * merges expire. A key is 1 to 65,535 bytes; a range's end comes after its first key, or is empty:
 * no end.
 *
 * Example: put `k1` = `v` expiring at 1,000, then delete `k2`:
 *
 * ```hex
 * 81 00 02 00 01 00 00 00 e8 03 00 00 00 00 00 00
 * 6b 31 76 02 00 02 00 00 00 00 00 6b 32
 * ```
 */
import { assert } from "../../base/assert.ts";
import { CatalogError } from "../../base/error.ts";
import { bufferOf, readUint53, writeUint53 } from "./integers.ts";

export type BatchOp =
  | {
      readonly op: "put";
      readonly key: Uint8Array;
      readonly value: Uint8Array;
      readonly expiresAtMs?: number;
    }
  | { readonly op: "delete"; readonly key: Uint8Array }
  | {
      readonly op: "merge";
      readonly key: Uint8Array;
      /** 0 to 255: of the operators that the engine has registered. */
      readonly operator: number;
      readonly value: Uint8Array;
      readonly expiresAtMs?: number;
    }
  /** [from, to); up to the end where `to` is empty. */
  | { readonly op: "deleteRange"; readonly from: Uint8Array; readonly to: Uint8Array };

const KINDS = { put: 1, delete: 2, merge: 3, deleteRange: 4 } as const;
const EXPIRES = 0x80;
/** Before the key of an operation that does not expire. */
export const HEAD_BYTES = 8;
export const EXPIRY_BYTES = 8;
const MAX_KEY_BYTES = 65_535;
const EMPTY = new Uint8Array(0);
const SHORT_COPY = 48;

/** The payload of operations whose keys and values the caller has bounded. */
export function encodeBatch(ops: readonly BatchOp[]): Uint8Array {
  const out = Buffer.allocUnsafe(batchBytes(ops));
  writeBatch(out, 0, ops);
  return out;
}

/** Bytes of the payload. */
export function batchBytes(ops: readonly BatchOp[]): number {
  let bytes = 0;
  for (const op of ops) bytes += bytesOf(op);
  return bytes;
}

/** Writes the payload, for which there is room, at an offset. */
export function writeBatch(out: Buffer, offset: number, ops: readonly BatchOp[]): void {
  let at = offset;
  for (const op of ops) at = writeOp(out, at, op);
}

function keyOf(op: BatchOp): Uint8Array {
  return op.op === "deleteRange" ? op.from : op.key;
}

function contentOf(op: BatchOp): Uint8Array {
  if (op.op === "deleteRange") return op.to;
  return op.op === "delete" ? EMPTY : op.value;
}

function expiryOf(op: BatchOp): number | undefined {
  return op.op === "put" || op.op === "merge" ? op.expiresAtMs : undefined;
}

function bytesOf(op: BatchOp): number {
  const expiryBytes = expiryOf(op) === undefined ? 0 : EXPIRY_BYTES;
  return HEAD_BYTES + expiryBytes + keyOf(op).length + contentOf(op).length;
}

function writeOp(out: Buffer, at: number, op: BatchOp): number {
  const key = keyOf(op);
  const value = contentOf(op);
  const expiresAtMs = expiryOf(op);
  assert(key.length > 0 && key.length <= MAX_KEY_BYTES, "a key is 1 to 65,535 bytes");
  out[at] = KINDS[op.op] | (expiresAtMs === undefined ? 0 : EXPIRES);
  out[at + 1] = op.op === "merge" ? op.operator : 0;
  out[at + 2] = key.length;
  out[at + 3] = key.length >>> 8;
  out[at + 4] = value.length;
  out[at + 5] = value.length >>> 8;
  out[at + 6] = value.length >>> 16;
  out[at + 7] = value.length >>> 24;
  let position = at + HEAD_BYTES;
  if (expiresAtMs !== undefined) {
    assert(Number.isSafeInteger(expiresAtMs) && expiresAtMs > 0, "an expiry is a positive integer");
    writeUint53(out, expiresAtMs, position);
    position += EXPIRY_BYTES;
  }
  copyInto(out, position, key);
  copyInto(out, position + key.length, value);
  return position + key.length + value.length;
}

/** A call to copy a few bytes costs more than to copy them. */
function copyInto(out: Buffer, at: number, bytes: Uint8Array): void {
  if (bytes.length > SHORT_COPY) out.set(bytes, at);
  else for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i] as number;
}

/**
 * The operations of a payload, as views into it.
 *
 * @param count how many there must be.
 * @throws CatalogError `Corrupt`, code `WAL_BATCH_CORRUPT`.
 */
export function decodeBatch(payload: Uint8Array, count: number): readonly BatchOp[] {
  const bytes = bufferOf(payload);
  const ops: BatchOp[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { op, end } = readOp(bytes, at);
    ops.push(op);
    at = end;
  }
  if (ops.length !== count) throw corruptBatch(at, "another number of operations is due");
  return ops;
}

function readOp(bytes: Buffer, at: number): { readonly op: BatchOp; readonly end: number } {
  if (at + HEAD_BYTES > bytes.length) throw corruptBatch(at, "an operation is cut short");
  const kind = bytes.readUInt8(at);
  const expires = (kind & EXPIRES) !== 0;
  const keyAt = at + HEAD_BYTES + (expires ? EXPIRY_BYTES : 0);
  const valueAt = keyAt + bytes.readUInt16LE(at + 2);
  const end = valueAt + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) throw corruptBatch(at, "an operation is cut short");
  if (valueAt === keyAt) throw corruptBatch(at, "a key is empty");
  const expiresAtMs = expires ? readUint53(bytes, at + HEAD_BYTES) : undefined;
  if (expiresAtMs !== undefined && !(expiresAtMs > 0)) throw corruptBatch(at, "no time of expiry");
  const key = bytes.subarray(keyAt, valueAt);
  const value = bytes.subarray(valueAt, end);
  const operator = bytes.readUInt8(at + 1);
  const op = opOf(kind & ~EXPIRES, operator, key, value, expiresAtMs);
  if (op === undefined) throw corruptBatch(at, "no operation that is known");
  return { op, end };
}

function opOf(
  kind: number,
  operator: number,
  key: Uint8Array,
  value: Uint8Array,
  expiresAtMs: number | undefined,
): BatchOp | undefined {
  const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
  if (kind === KINDS.merge) return { op: "merge", key, operator, value, ...expiry };
  if (operator !== 0) return undefined;
  if (kind === KINDS.put) return { op: "put", key, value, ...expiry };
  if (expiresAtMs !== undefined) return undefined;
  if (kind === KINDS.deleteRange) {
    const ends = value.length === 0 || Buffer.compare(key, value) < 0;
    return ends ? { op: "deleteRange", from: key, to: value } : undefined;
  }
  return kind === KINDS.delete && value.length === 0 ? { op: "delete", key } : undefined;
}

function corruptBatch(offset: number, what: string): CatalogError {
  return new CatalogError("Corrupt", "WAL_BATCH_CORRUPT", `batch: ${what}`, { offset, what });
}
