import { assert } from "../../base/assert.ts";
import { BloomFilter, hashKey } from "./bloom.ts";
import { corrupt } from "./corrupt.ts";
import { type Key, prefixEnd } from "./entry.ts";

/*
 * Content of the section of a prefix filter: which prefixes the keys of a table have.
 *
 *   bytes  what
 *   1      rule: 1 the first bytes, 2 up to a separator
 *   2      1: how many, at least 1; 2: the separator's byte
 *   n      a Bloom filter of the prefixes (`bloom.ts`)
 *
 * A key that is shorter than the first bytes, or lacks the separator, has no prefix. That of any
 * other key ends with the last of the bytes, or with the first separator. The number has its lowest
 * byte first. A reader goes by the rule of the table, whatever its own would be.
 *
 * Example: prefixes up to "/" (2f), of which there is one, "a/", 19 bytes:
 *
 *   02 2f00
 *   01070000 40000000 3000064000080001
 */

/** Which part of a key is its prefix. */
export type PrefixRule =
  /** The first so many bytes. */
  | { readonly bytes: number }
  /** All up to the first byte of this value, that one included. */
  | { readonly separator: number };

export const MAX_PREFIX_BYTES = 255;
const HEAD_BYTES = 3;

/** Bytes of the prefix of the key in [from, to) of an array; 0: it has none. */
export function prefixBytes(rule: PrefixRule, key: Uint8Array, from: number, to: number): number {
  if ("bytes" in rule) return to - from >= rule.bytes ? rule.bytes : 0;
  for (let i = from; i < to; i++) if (key[i] === rule.separator) return i + 1 - from;
  return 0;
}

/** The same of a key as text; undefined: it has none. */
export function prefixOf(rule: PrefixRule, key: Key): Key | undefined {
  if ("bytes" in rule) return key.length >= rule.bytes ? key.slice(0, rule.bytes) : undefined;
  const end = key.indexOf(String.fromCharCode(rule.separator));
  return end < 0 ? undefined : key.slice(0, end + 1);
}

/** The prefix of every key in [from, to), if all have the same. */
export function commonPrefix(rule: PrefixRule, from: Key, to: Key | undefined): Key | undefined {
  const prefix = prefixOf(rule, from);
  if (prefix === undefined) return undefined;
  const end = prefixEnd(prefix);
  return end === undefined || (to !== undefined && to <= end) ? prefix : undefined;
}

/** The prefixes of a table's keys: "no" is certain. */
export class PrefixFilter {
  readonly rule: PrefixRule;
  readonly #filter: BloomFilter;

  constructor(rule: PrefixRule, filter: BloomFilter) {
    this.rule = rule;
    this.#filter = filter;
  }

  get weight(): number {
    return this.#filter.weight;
  }

  mayContain(prefix: Key): boolean {
    const { a, b } = hashKey(prefix);
    return this.#filter.mayContainHashed(a, b);
  }
}

/** @param filter the content of a Bloom filter. */
export function encodePrefixFilter(rule: PrefixRule, filter: Uint8Array): Uint8Array {
  const number = "bytes" in rule ? rule.bytes : rule.separator;
  const isRule = number <= MAX_PREFIX_BYTES && !("bytes" in rule && number === 0);
  assert(isRule, "a rule for prefixes fits its byte");
  const out = new Uint8Array(HEAD_BYTES + filter.length);
  out[0] = "bytes" in rule ? 1 : 2;
  out[1] = "bytes" in rule ? rule.bytes : rule.separator;
  out.set(filter, HEAD_BYTES);
  return out;
}

/** @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`. */
export function decodePrefixFilter(bytes: Uint8Array): PrefixFilter {
  const [rule = 0, number = 0, high = 0] = bytes;
  const isRight = bytes.length > HEAD_BYTES && high === 0 && (rule === 2 || number > 0);
  if (!isRight || (rule !== 1 && rule !== 2)) {
    throw corrupt("sst", "prefix filter", 0, "unknown rule");
  }
  const filter = new BloomFilter(bytes.subarray(HEAD_BYTES));
  return new PrefixFilter(rule === 1 ? { bytes: number } : { separator: number }, filter);
}
