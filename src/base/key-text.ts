import { assert } from "./assert.ts";
import { utf8Length } from "./bytes.ts";
import { invalid } from "./error.ts";
import { sha256Hex } from "./hash.ts";
import { LIMITS } from "./limits.ts";

const PLAIN_SEGMENT = /^[A-Za-z0-9._-][A-Za-z0-9._~-]*$/;

/**
 * A segment as stored: percent-encoded UTF-8 in upper-case hex, unreserved `A-Z a-z 0-9 - . _ ~`
 * kept, a leading `~` encoded, since `~` and a hash stand for a text over 200 encoded bytes.
 *
 * @throws FirnError `Invalid`, code `KEY_SEGMENT_EMPTY`.
 */
export function encodeSegment(text: string, maxBytes: number = LIMITS.segmentBytes): string {
  if (text === "") throw invalid("KEY_SEGMENT_EMPTY", "empty key segment");
  // Most segments are ids and plain names, which stand for themselves.
  if (text.length <= maxBytes && PLAIN_SEGMENT.test(text)) return text;
  assert(text.isWellFormed(), "a key segment is well-formed unicode");
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const encoded = escaped.startsWith("~") ? `%7E${escaped.slice(1)}` : escaped;
  return encoded.length > maxBytes ? `~${sha256Hex(text)}` : encoded;
}

/** The text of a stored segment, or undefined for one that is kept as its hash. */
export function decodeSegment(segment: string): string | undefined {
  if (segment.startsWith("~")) return undefined;
  return segment.includes("%") ? decodeURIComponent(segment) : segment;
}

/** Splits a key into the directory that lists it and its leaf. */
export function splitKey(key: string): { readonly directory: string; readonly leaf: string } {
  const slash = key.lastIndexOf("/");
  return { directory: key.slice(0, slash), leaf: key.slice(slash + 1) };
}

/**
 * Refuses a key that some store could not hold, with the same answer on every store.
 *
 * @throws FirnError `Invalid`, code `KEY_TOO_LONG`.
 */
export function assertKeyFits(key: string): void {
  assert(key.startsWith("/") && !key.endsWith("/"), "a key is absolute and names a leaf");
  // No character takes more than three bytes for each unit of its text.
  if (key.length * 3 <= LIMITS.leafBytes) return;
  const bytes = utf8Length(key);
  if (bytes > LIMITS.keyBytes) {
    throw invalid("KEY_TOO_LONG", "key too long", { bytes, limit: LIMITS.keyBytes });
  }
  const leafBytes = utf8Length(splitKey(key).leaf);
  if (leafBytes > LIMITS.leafBytes) {
    const facts = { bytes: leafBytes, limit: LIMITS.leafBytes };
    throw invalid("KEY_TOO_LONG", "last key segment too long", facts);
  }
}
