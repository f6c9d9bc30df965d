import { assert } from "../../base/assert.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { Ulid } from "./ulid.ts";

/**
 * A key as the engine holds it: a text whose every unit is one byte (latin1), so that `<` is byte
 * order and V8 stores one byte a unit. 1 to 65,535 units.
 */
export type Key = string;

/**
 * Order of writes: a whole number from 0 to 2^52 - 1, so that the difference of two, with its sign,
 * is exact as well; one for each written entry. Stored in 64 bits: the format outlives the number
 * type.
 */
export type Sequence = number;

export const MAX_SEQUENCE: Sequence = 2 ** 52 - 1;

/** What an entry does to its key. The numbers are stored. */
export const DELETE = 0;
export const PUT = 1;
/** Its value is an operand (`../operators.ts`). */
export const MERGE = 2;
/** Added to a put or a merge that is over at some time. */
export const EXPIRES = 0x10;
/** Added to a put whose value is an object apart: the entry holds `value-reference.ts` instead. */
export const APART = 0x20;
export type Kind = 0 | 1 | 2 | 0x11 | 0x12 | 0x21 | 0x31;

/** What the entry of a value apart holds: which object has it (`value-reference.ts`). */
export interface ValueReference {
  readonly id: Ulid;
  /** Of the value. */
  readonly bytes: number;
  readonly hash: Uint8Array;
}

/** Without its flags. */
export function plainKind(kind: Kind): typeof DELETE | typeof PUT | typeof MERGE {
  return (kind & 0x0f) as typeof DELETE;
}

export function isKind(kind: number): kind is Kind {
  if (kind === DELETE || kind === PUT || kind === MERGE) return true;
  return kind === 0x11 || kind === 0x12 || kind === 0x21 || kind === 0x31;
}

/**
 * The key of some bytes. Copies them.
 *
 * @throws FirnError `Invalid`, code `LSM_KEY_INVALID`: empty, or over `LSM_LIMITS.keyBytes`.
 */
export function keyOfBytes(bytes: Uint8Array): Key {
  assertKeyBytes(bytes);
  return latin1Text(bytes, 0, bytes.length);
}

/** @throws FirnError `Invalid`, code `LSM_KEY_INVALID`: empty, or over `LSM_LIMITS.keyBytes`. */
export function assertKeyBytes(bytes: Uint8Array): void {
  if (bytes.length === 0 || bytes.length > LSM_LIMITS.keyBytes) throw keyInvalid(bytes.length);
}

export function keyInvalid(bytes: number): FirnError {
  return invalid("LSM_KEY_INVALID", "invalid key: it must have 1 to 65,535 bytes", { bytes });
}

/** The bytes of a key, in an array of their own. */
export function bytesOfKey(key: Key): Uint8Array {
  return Buffer.from(key, "latin1");
}

/** Bytes [from, to) as a text of one byte a unit. */
export function latin1Text(bytes: Uint8Array, from: number, to: number): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("latin1", from, to);
}

/** The smallest key above `key`; used as a bound only, so it may be one byte longer than a key. */
export function keyAfter(key: Key): Key {
  return `${key}\0`;
}

/**
 * The smallest bound above every key that starts with `prefix`, or undefined where there is none:
 * the prefix is empty or consists of 0xff alone.
 */
export function prefixEnd(prefix: Key): Key | undefined {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end--;
  if (end === 0) return undefined;
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}

/** Behind every key: the end of a range that has none. No bound but this one is as long. */
export const END_OF_KEYS: Key = "\xff".repeat(LSM_LIMITS.keyBytes + 1);

/** The same bound for keys, no longer than a key; or the end of all keys. */
export function keyBound(bound: Key): Key {
  if (bound.length <= LSM_LIMITS.keyBytes) return bound;
  return prefixEnd(bound.slice(0, LSM_LIMITS.keyBytes)) ?? END_OF_KEYS;
}

/** Asserts that a number can be a sequence. */
export function assertSequence(sequence: number): asserts sequence is Sequence {
  const fits = Number.isInteger(sequence) && sequence >= 0 && sequence <= MAX_SEQUENCE;
  // A text for each entry that is written would cost more than the entry.
  assert(fits, "a sequence is a whole number in its range");
}

/** Whether (key, sequence) comes before another in the engine's order: newest version first. */
export function isBefore(key: Key, sequence: Sequence, than: Key, thanSequence: Sequence): boolean {
  return key < than || (key === than && sequence > thanSequence);
}
