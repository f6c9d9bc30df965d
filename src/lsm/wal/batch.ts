/**
 * The payload of a batch: its operations one after the other, each with its own sequence,
 * little-endian.
 *
 * | at | bytes | field |
 * |---|---|---|
 * | 0 | 1 | kind: 1 put, 2 delete, 3 merge, 4 delete range, 5 ingest; plus 128: it expires |
 * | 1 | 1 | merge: which operator; else 0 |
 * | 2 | 2 | length of the key |
 * | 4 | 4 | length of the value |
 * | 8 | 8 | only where it expires: ms since the epoch, above 0 |
 * | | | key; of a range: its first key |
 * | | | value; of a merge: the operand; of a range: the first key after it; else empty |
 *
 * An ingest writes its rows to tables, which a manifest publishes: here it keeps its sequence, no
 * more. Its key is its id.
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
import { FirnError } from "../../base/error.ts";
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
  /** Tables that a manifest holds, or nothing where none does. */
  | { readonly op: "ingest"; readonly key: Uint8Array }
  /** [from, to); up to the end where `to` is empty. */
  | { readonly op: "deleteRange"; readonly from: Uint8Array; readonly to: Uint8Array };

export const KINDS = { put: 1, delete: 2, merge: 3, deleteRange: 4, ingest: 5 } as const;
const EXPIRES = 0x80;
/** Before the key of an operation that does not expire. */
const HEAD_BYTES = 8;
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
  for (const op of ops) bytes += opBytes(op);
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
  return op.op === "delete" || op.op === "ingest" ? EMPTY : op.value;
}

function expiryOf(op: BatchOp): number | undefined {
  return op.op === "put" || op.op === "merge" ? op.expiresAtMs : undefined;
}

/** Bytes of one operation. */
export function opBytes(op: BatchOp): number {
  const expiryBytes = expiryOf(op) === undefined ? 0 : EXPIRY_BYTES;
  return HEAD_BYTES + expiryBytes + keyOf(op).length + contentOf(op).length;
}

/** Writes one operation, for which there is room; answers the offset behind it. */
export function writeOp(out: Buffer, at: number, op: BatchOp): number {
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
    assert(
      Number.isSafeInteger(expiresAtMs) && expiresAtMs > 0,
      "invalid expiry: it must be a positive integer",
    );
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
 * Goes through the operations of a payload where they lie, without an object for each. What it says
 * is of the operation that `next` came to.
 */
export class BatchWalk {
  /** Of `KINDS`. */
  kind = 0;
  expires = false;
  operator = 0;
  /** The key, or the first one of a range, and right behind it the value, or the range's end. */
  keyAt = 0;
  valueAt = 0;
  end: number;
  readonly #bytes: Uint8Array;
  readonly #from: number;
  readonly #to: number;

  /** Of a payload at [from, to). */
  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    this.end = from;
  }

  /**
   * @returns false behind the last operation.
   * @throws FirnError `Corrupt`, code `WAL_BATCH_CORRUPT`.
   */
  next(): boolean {
    const bytes = this.#bytes;
    const at = this.end;
    const to = this.#to;
    if (at === to) return false;
    if (at + HEAD_BYTES > to) throw this.corrupt(at, "an operation is cut short");
    const tag = bytes[at] as number;
    this.kind = tag & ~EXPIRES;
    this.expires = tag >= EXPIRES;
    this.operator = bytes[at + 1] as number;
    this.keyAt = at + HEAD_BYTES + (this.expires ? EXPIRY_BYTES : 0);
    this.valueAt = this.keyAt + ((bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8));
    const high = ((bytes[at + 6] as number) << 16) | ((bytes[at + 7] as number) << 24);
    const valueBytes = ((bytes[at + 4] as number) | ((bytes[at + 5] as number) << 8) | high) >>> 0;
    this.end = this.valueAt + valueBytes;
    if (this.end > to) throw this.corrupt(at, "an operation is cut short");
    if (this.valueAt === this.keyAt) throw this.corrupt(at, "a key is empty");
    if (this.kind !== KINDS.put || this.expires || this.operator !== 0) this.#assertKnown(at);
    return true;
  }

  /** @param at of what is wrong. */
  corrupt(at: number, what: string): FirnError {
    const offset = at - this.#from;
    return new FirnError("Corrupt", "WAL_BATCH_CORRUPT", `batch: ${what}`, { offset, what });
  }

  #assertKnown(at: number): void {
    const bytes = this.#bytes;
    const { kind, keyAt, valueAt, end } = this;
    if (this.expires && !(readUint53(bufferOf(bytes), at + HEAD_BYTES) > 0)) {
      throw this.corrupt(at, "no time of expiry");
    }
    const writes = kind === KINDS.put || kind === KINDS.merge;
    let known = (this.operator === 0 || kind === KINDS.merge) && (writes || !this.expires);
    if (kind === KINDS.deleteRange) {
      const [key, value] = [bytes.subarray(keyAt, valueAt), bytes.subarray(valueAt, end)];
      known &&= value.length === 0 || Buffer.compare(key, value) < 0;
    } else {
      const hasNone = kind === KINDS.delete || kind === KINDS.ingest;
      known &&= writes || (hasNone && valueAt === end);
    }
    if (!known) throw this.corrupt(at, "no operation that is known");
  }
}

/**
 * The operations of a payload, as views into it.
 *
 * @param count how many there must be.
 * @throws FirnError `Corrupt`, code `WAL_BATCH_CORRUPT`.
 */
export function decodeBatch(payload: Uint8Array, count: number): readonly BatchOp[] {
  const bytes = bufferOf(payload);
  const walk = new BatchWalk(bytes, 0, bytes.length);
  const ops: BatchOp[] = [];
  while (walk.next()) ops.push(opAt(bytes, walk));
  if (ops.length !== count) throw walk.corrupt(walk.end, WRONG_COUNT);
  return ops;
}

/** Whether a payload is that of an ingest, which is the only operation of its batch. */
export function isIngest(payload: Uint8Array): boolean {
  return payload[0] === KINDS.ingest;
}

/** As `decodeBatch`, for who reads the operations where they lie. */
export function checkBatch(payload: Uint8Array, count: number): void {
  const walk = new BatchWalk(payload, 0, payload.length);
  let found = 0;
  while (walk.next()) found++;
  if (found !== count) throw walk.corrupt(walk.end, WRONG_COUNT);
}

const WRONG_COUNT = "another number of operations is due";

function opAt(bytes: Buffer, { kind, expires, operator, keyAt, valueAt, end }: BatchWalk): BatchOp {
  const key = bytes.subarray(keyAt, valueAt);
  const value = bytes.subarray(valueAt, end);
  if (kind === KINDS.delete) return { op: "delete", key };
  if (kind === KINDS.ingest) return { op: "ingest", key };
  if (kind === KINDS.deleteRange) return { op: "deleteRange", from: key, to: value };
  const expiry = expires ? { expiresAtMs: readUint53(bytes, keyAt - EXPIRY_BYTES) } : {};
  if (kind === KINDS.merge) return { op: "merge", key, operator, value, ...expiry };
  return { op: "put", key, value, ...expiry };
}
