import { invalid } from "../base/error.ts";
import { END_OF_KEYS, type Key, keyBound, latin1Text, prefixEnd } from "./format/entry.ts";
import { LSM_LIMITS } from "./limits.ts";

/** Which keys: all, unless something is said. Bounds are compared bytewise, as keys are. */
export interface Range {
  /** The first key, inclusive. */
  readonly from?: Uint8Array;
  /** The end, exclusive. */
  readonly to?: Uint8Array;
  /** Only keys that start with it; narrows the bounds. */
  readonly prefix?: Uint8Array;
}

/** Bounds as keys: from `from` (`""`: the start) up to `to` (undefined: the end). */
export interface Bounds {
  readonly from: Key;
  readonly to: Key | undefined;
}

/**
 * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`: a bound is longer than any key, or they
 *   cross.
 */
export function boundsOf({ from, to, prefix }: Range): Bounds {
  const start = from === undefined ? "" : boundOf(from);
  const end = to === undefined ? undefined : boundOf(to);
  if (end !== undefined && end < start) throw crossed();
  if (prefix === undefined) return { from: start, to: end };
  const least = boundOf(prefix);
  const most = prefixEnd(least);
  const low = start < least ? least : start;
  const high = end === undefined || (most !== undefined && most < end) ? most : end;
  return { from: low, to: high !== undefined && high < low ? low : high };
}

/**
 * Bounds of a deletion of the keys in [from, to), each a key at most, or the end of all keys.
 *
 * @throws FirnError `Invalid`, code `LSM_RANGE_INVALID`: as `boundsOf`.
 */
export function deletedBounds(from: Uint8Array, to: Uint8Array): { from: Key; to: Key } {
  const bounds = { from: fromOfBytes(from), to: toOfBytes(to) };
  if (bounds.to < bounds.from) throw crossed();
  return bounds;
}

/** Where a deletion of a range begins: of all keys, where it is empty. */
export function fromOfBytes(from: Uint8Array): Key {
  return from.length === 0 ? FIRST_KEY : keyBound(boundOf(from));
}

/** Where it ends: behind all keys, where it is empty. */
export function toOfBytes(to: Uint8Array): Key {
  return to.length === 0 ? END_OF_KEYS : keyBound(boundOf(to));
}

const FIRST_KEY: Key = "\0";

function crossed(): Error {
  return invalid("LSM_RANGE_INVALID", "invalid range: it ends before it starts");
}

/** One byte longer than a key, so that "just after this key" can be said of every key. */
function boundOf(bytes: Uint8Array): Key {
  if (bytes.length > LSM_LIMITS.keyBytes + 1) {
    throw invalid("LSM_RANGE_INVALID", "range bound too long", { bytes: bytes.length });
  }
  return latin1Text(bytes, 0, bytes.length);
}
