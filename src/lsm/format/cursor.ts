import type { Key, Kind, Sequence, ValueReference } from "./entry.ts";
import type { Drain } from "./packed-rows.ts";
import type { Ulid } from "./ulid.ts";

/** The cursor has run off either end; it moves again after a seek only. */
export const END = 0;
/** The cursor stands on an entry. */
export const ENTRY = 1;
/**
 * A block is not in memory, so that nothing can be said. Load what `missing` lists, then call the
 * same method again.
 */
export const MISS = 2;
export type Step = typeof END | typeof ENTRY | typeof MISS;

/** A block that a cursor waits for: a range of its file. */
export interface BlockHandle {
  /** A value lies in a separate file. */
  readonly kind: "data" | "index" | "value";
  readonly offset: number;
  /** As stored, frame included. */
  readonly bytes: number;
}

/** A block of one file that has to be loaded. `file` is whatever names the file to its owner. */
export interface MissingBlock extends BlockHandle {
  readonly file: unknown;
}

/** An entry as bytes, to copy it without an object or a text for it. */
export interface EntryBytes {
  readonly keySource: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly sequence: Sequence;
  readonly kind: Kind;
  /** Of a merge: the number of its operator; else anything. */
  readonly operator: number;
  /** Wall time, where the kind says that it expires; else anything. */
  readonly expiresAtMs: number;
  /** Empty for a deletion. */
  readonly valueSource: Uint8Array;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** A table, and the shard that it lies with, if that is not the one that is read. */
export interface Origin {
  readonly id: Ulid;
  readonly home?: string | undefined;
}

/**
 * Moves over entries in the engine's order: keys ascending, versions of one key newest first.
 * Synchronous: no method waits. Every (key, sequence) is there at most once.
 *
 * The fields below hold while the cursor stands on an entry. `key` and `value()` stay good for
 * ever: keys are texts, and the bytes of values lie in memory that is never written again. A kept
 * value keeps the whole block or arena chunk around it alive, so a caller that keeps values for
 * long copies them (`value().slice()`).
 */
export interface Cursor {
  readonly key: Key;
  readonly sequence: Sequence;
  readonly kind: Kind;
  /** As `EntryBytes` has them: of use where the kind says so. */
  readonly operator: number;
  readonly expiresAtMs: number;
  /** The table that the entry lies in, where it may refer to a value apart. */
  readonly origin?: Origin | undefined;
  /** Where the value lies, to copy it without an object for each entry. Empty for a deletion. */
  readonly valueSource: Uint8Array;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** The same as bytes: good until the cursor moves. */
  readonly entry: EntryBytes;
  /** A view of the value. */
  value(): Uint8Array;

  first(): Step;
  last(): Step;
  /** To the first entry at or after (key, sequence): the newest version that is not newer. */
  seek(key: Key, sequence?: Sequence): Step;
  /** To the last entry before (key, sequence), by default before every version of the key. */
  seekBefore(key: Key, sequence?: Sequence): Step;
  /** One entry on; only from an entry, or again after a miss. */
  next(): Step;
  /** One entry back; only from an entry, or again after a miss. */
  prev(): Step;
  /**
   * Packs what lies behind the entry, and stands on the last one that it passed. It may stop after
   * any of them, and where it is absent after none. Only going forward, and from an entry.
   */
  drain?(into: Drain): void;
  /** References to values that lie behind the entry, in the same block: for so many bytes. */
  ahead?(bytes: number): readonly ValueReference[];
  /** Adds the blocks that the last call lacked. */
  missing(into: MissingBlock[]): void;
}
