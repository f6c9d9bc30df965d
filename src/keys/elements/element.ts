import type { KeyReader } from "../reader.ts";
import type { KeyWriter } from "../writer.ts";

/**
 * One type of key column: its values as bytes that sort as the values do. No element is the start
 * of another one of its type, so that elements can follow each other.
 */
export interface Element<T> {
  /** @throws FirnError `Invalid` `KEY_VALUE_INVALID`, `KEY_TOO_LONG`. */
  readonly write: (out: KeyWriter, value: T) => void;
  /** @throws FirnError `Corrupt` `KEY_MALFORMED`. */
  readonly read: (input: KeyReader) => T;
  /** Where values have starts of their own type, such as texts: these, without their end. */
  readonly stem?: StemForm<T>;
}

/** An element without the bytes that end it. */
export interface StemForm<T> {
  /** What all values that start with `value` start with. */
  readonly write: (out: KeyWriter, value: T) => void;
  /** A value that ends where the key ends. */
  readonly read: (input: KeyReader) => T;
}
