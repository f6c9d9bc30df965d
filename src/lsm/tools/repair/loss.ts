import { assert } from "../../../base/assert.ts";
import { FirnError } from "../../../base/error.ts";
import { ALL_KEYS, type KeyBounds } from "../../compaction/bounds.ts";
import {
  END_OF_KEYS,
  type Key,
  keyAfter,
  MAX_SEQUENCE,
  type Sequence,
} from "../../format/entry.ts";
import type { SstStats } from "../../format/sst-meta.ts";

/** Something that a repair could not read. */
export interface Loss {
  readonly file: string;
  /** In the file; undefined: all of it. */
  readonly offset: number | undefined;
  readonly what: string;
  /**
   * Keys of which rows may be lost. What the repair found of them elsewhere may be older than what
   * was lost, or may have been deleted by it. Undefined: no row is concerned.
   */
  readonly keys: KeyBounds | undefined;
  /** The newest write that may have been lost here. */
  readonly newest: Sequence;
  /** Rows of the repaired shard that may be older than what was lost, or deleted by it. */
  doubtful: number;
}

/** Of a damage that concerns no row: what it held is known from elsewhere, or made anew. */
export function harmless(file: string, what: string, offset?: number): Loss {
  return { file, offset, what, keys: undefined, newest: 0, doubtful: 0 };
}

/** Of writes that may have been to any key. */
export function ofAnyKey(file: string, what: string, offset?: number): Loss {
  return { file, offset, what, keys: ALL_KEYS, newest: MAX_SEQUENCE, doubtful: 0 };
}

/** Of a part of a table, or of all of it. */
export function ofTable(
  file: string,
  what: string,
  stats: Pick<SstStats, "firstKey" | "lastKey" | "maxSequence">,
  offset?: number,
): Loss {
  const { firstKey, lastKey, maxSequence } = stats;
  assert(firstKey <= lastKey, "the keys of a loss have a first and a last one");
  const keys = { from: firstKey, to: upTo(lastKey) };
  return { file, offset, what, keys, newest: maxSequence, doubtful: 0 };
}

/** The bound directly behind a key. */
export function upTo(lastKey: Key): Key {
  return lastKey === END_OF_KEYS ? END_OF_KEYS : keyAfter(lastKey);
}

/** What a repair goes on after. @throws every other error. */
export function damageText(error: unknown): string {
  if (!(error instanceof FirnError)) throw error;
  const isDamage = error.kind === "Corrupt" || error.code === "LSM_FORMAT_UNSUPPORTED";
  if (!isDamage) throw error;
  return error.message;
}
