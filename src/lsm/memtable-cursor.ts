import { type Cursor, END, ENTRY, type MissingBlock, type Step } from "./format/cursor.ts";
import { type Key, type Kind, MAX_SEQUENCE, type Sequence } from "./format/entry.ts";
import type { Leaf, MemtableTree, Place } from "./memtable-tree.ts";
import { type MemtableVersions, NONE } from "./memtable-versions.ts";

/**
 * Moves over all versions of a memtable. Stable under writes: it stands on a version, which never
 * moves, and looks its key up again where keys were added since.
 */
export class MemtableCursor implements Cursor {
  readonly #tree: MemtableTree;
  readonly #versions: MemtableVersions;
  readonly #place: Place = { leaf: undefined, index: 0 };
  #changes = 0;
  #key: Key = "";
  #version = NONE;

  constructor(tree: MemtableTree, versions: MemtableVersions) {
    this.#tree = tree;
    this.#versions = versions;
  }

  get key(): Key {
    return this.#key;
  }

  get sequence(): Sequence {
    return this.#versions.sequence(this.#version);
  }

  get kind(): Kind {
    return this.#versions.kind(this.#version);
  }

  get valueSource(): Uint8Array {
    return this.#versions.source(this.#version);
  }

  get valueStart(): number {
    return this.#versions.start(this.#version);
  }

  get valueEnd(): number {
    return this.#versions.end(this.#version);
  }

  value(): Uint8Array {
    return this.#versions.value(this.#version);
  }

  first(): Step {
    const leaf = this.#tree.firstLeaf;
    return this.#enter(leaf.keys.length === 0 ? undefined : leaf, 0, "newest");
  }

  last(): Step {
    const leaf = this.#tree.lastLeaf;
    const { length } = leaf.keys;
    return this.#enter(length === 0 ? undefined : leaf, length - 1, "oldest");
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const place = this.#place;
    this.#tree.find(key, place);
    const step = this.#enter(place.leaf, place.index, "newest");
    if (step === END || this.#key !== key) return step;
    const version = this.#versions.atOrBefore(this.#version, sequence);
    if (version === NONE) return this.#nextKey();
    this.#version = version;
    return ENTRY;
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const place = this.#place;
    this.#tree.find(key, place);
    const { leaf, index } = place;
    if (leaf === undefined) return this.last();
    if (leaf.keys[index] === key) {
      const newest = leaf.newest[index] as number;
      const at = this.#versions.atOrBefore(newest, sequence);
      const newer = at === NONE ? this.#versions.oldest(newest) : this.#versions.newer(at);
      if (newer !== NONE) return this.#stand(leaf, index, newer);
    }
    return this.#before(leaf, index);
  }

  next(): Step {
    const older = this.#versions.older(this.#version);
    if (older === NONE) return this.#nextKey();
    this.#version = older;
    return ENTRY;
  }

  prev(): Step {
    const newer = this.#versions.newer(this.#version);
    if (newer === NONE) {
      this.#refresh();
      return this.#before(this.#place.leaf as Leaf, this.#place.index);
    }
    this.#version = newer;
    return ENTRY;
  }

  /** All of it is in memory. */
  missing(_into: MissingBlock[]): void {}

  #nextKey(): Step {
    this.#refresh();
    const leaf = this.#place.leaf as Leaf;
    const index = this.#place.index + 1;
    if (index < leaf.keys.length) return this.#enter(leaf, index, "newest");
    return this.#enter(leaf.next, 0, "newest");
  }

  /** To the oldest version of the key before a place. */
  #before(leaf: Leaf, index: number): Step {
    if (index > 0) return this.#enter(leaf, index - 1, "oldest");
    const { previous } = leaf;
    return this.#enter(previous, (previous?.keys.length ?? 0) - 1, "oldest");
  }

  #enter(leaf: Leaf | undefined, index: number, version: "newest" | "oldest"): Step {
    if (leaf === undefined) return END;
    const newest = leaf.newest[index] as number;
    return this.#stand(leaf, index, version === "newest" ? newest : this.#versions.oldest(newest));
  }

  #stand(leaf: Leaf, index: number, version: number): Step {
    this.#place.leaf = leaf;
    this.#place.index = index;
    this.#changes = this.#tree.changes;
    this.#key = leaf.keys[index] as Key;
    this.#version = version;
    return ENTRY;
  }

  /** Keys were added: finds the place of the key again. */
  #refresh(): void {
    if (this.#changes === this.#tree.changes) return;
    this.#tree.find(this.#key, this.#place);
    this.#changes = this.#tree.changes;
  }
}
