import { assert } from "../base/assert.ts";
import { LIMITS } from "../base/limits.ts";
import type { Cursor } from "./format/cursor.ts";
import {
  assertSequence,
  DELETE,
  type Key,
  type Kind,
  MAX_SEQUENCE,
  PUT,
  type Sequence,
} from "./format/entry.ts";
import { MemtableCursor } from "./memtable-cursor.ts";
import { MemtableTree } from "./memtable-tree.ts";
import { MemtableVersions, NONE } from "./memtable-versions.ts";

/** Rough heap cost of a key in the tree: the text's header, its places in two arrays. */
const KEY_OVERHEAD = 40;

/** A version as `get` answers it. `value` is a view that is never written again. */
export interface Found {
  readonly sequence: Sequence;
  readonly kind: Kind;
  readonly value: Uint8Array;
}

/**
 * The newest writes of a shard in memory: a B+tree over keys, a chain of versions behind each, the
 * bytes of values in an arena off the heap. One writer; cursors may read while it writes.
 */
export class Memtable {
  readonly #tree: MemtableTree = new MemtableTree();
  readonly #versions: MemtableVersions = new MemtableVersions();
  #keyBytes = 0;
  #rawBytes = 0;
  #keys = 0;
  #deletions = 0;
  #minSequence: Sequence = MAX_SEQUENCE;
  #maxSequence: Sequence = 0;
  #frozen = false;

  /**
   * Adds a version, copying `value[from, to)`. Its sequence is above that of every version of the
   * key; a deletion has no value; nothing is added once frozen. Asserted: the caller's own fault.
   */
  add(
    key: Key,
    sequence: Sequence,
    kind: Kind,
    value: Uint8Array,
    from = 0,
    to: number = value.length,
  ): void {
    assert(!this.#frozen, "a frozen memtable takes no write");
    assert(key.length > 0 && key.length <= LIMITS.lsmKeyBytes, "a key has 1 to 65,535 bytes");
    assert(to - from >= 0 && to - from <= LIMITS.lsmValueBytes, "a value has up to 16 MiB");
    assert(kind === PUT || (kind === DELETE && to === from), "a deletion has no value");
    assertSequence(sequence);
    const version = this.#versions.add(sequence, kind, value, from, to);
    const older = this.#tree.set(key, version);
    if (older === NONE) {
      this.#keys++;
      this.#keyBytes += key.length + KEY_OVERHEAD;
    } else this.#versions.link(version, older);
    if (kind === DELETE) this.#deletions++;
    this.#rawBytes += key.length + to - from;
    if (sequence < this.#minSequence) this.#minSequence = sequence;
    if (sequence > this.#maxSequence) this.#maxSequence = sequence;
  }

  /** The newest version of a key that is not newer than `sequence`; a deletion is one too. */
  get(key: Key, sequence: Sequence = MAX_SEQUENCE): Found | undefined {
    const versions = this.#versions;
    const version = versions.atOrBefore(this.#tree.get(key), sequence);
    if (version === NONE) return undefined;
    return {
      sequence: versions.sequence(version),
      kind: versions.kind(version),
      value: versions.value(version),
    };
  }

  /**
   * A cursor over all versions. It sees what is written while it lives: an entry ahead of it is
   * met, one behind is not. Bounded by a sequence (`VisibleCursor`), it reads a snapshot.
   */
  cursor(): Cursor {
    return new MemtableCursor(this.#tree, this.#versions);
  }

  /** No write any more; reads go on. */
  freeze(): void {
    this.#frozen = true;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  get entries(): number {
    return this.#versions.count;
  }

  get keys(): number {
    return this.#keys;
  }

  get deletions(): number {
    return this.#deletions;
  }

  /** Smallest and largest sequence; only where there are entries. */
  get minSequence(): Sequence {
    return this.#minSequence;
  }

  get maxSequence(): Sequence {
    return this.#maxSequence;
  }

  /** Bytes of keys and values as given. */
  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Memory that it holds, on and off the heap; what a budget counts. */
  get memoryBytes(): number {
    return this.#keyBytes + this.#versions.memoryBytes;
  }
}
