import { invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { type Key, latin1Text, prefixEnd } from "./format/entry.ts";

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
 * @throws CatalogError `Invalid`, code `LSM_RANGE_INVALID`: a bound is longer than any key, or they
 *   cross.
 */
export function boundsOf({ from, to, prefix }: Range): Bounds {
  const start = from === undefined ? "" : boundOf(from);
  const end = to === undefined ? undefined : boundOf(to);
  if (end !== undefined && end < start) {
    throw invalid("LSM_RANGE_INVALID", "a range ends before it starts");
  }
  if (prefix === undefined) return { from: start, to: end };
  const least = boundOf(prefix);
  const most = prefixEnd(least);
  const low = start < least ? least : start;
  const high = end === undefined || (most !== undefined && most < end) ? most : end;
  return { from: low, to: high !== undefined && high < low ? low : high };
}

/** One byte longer than a key, so that "just after this key" can be said of every key. */
function boundOf(bytes: Uint8Array): Key {
  if (bytes.length > LIMITS.lsmKeyBytes + 1) {
    throw invalid("LSM_RANGE_INVALID", "a bound is longer than any key", { bytes: bytes.length });
  }
  return latin1Text(bytes, 0, bytes.length);
}
