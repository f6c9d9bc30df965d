import { copyInto } from "../../base/bytes.ts";
import {
  type Cursor,
  END,
  ENTRY,
  type EntryBytes,
  type MissingBlock,
  type Step,
} from "../format/cursor.ts";
import { type Key, type Kind, MAX_SEQUENCE, PUT, type Sequence } from "../format/entry.ts";
import { keyScratch } from "../format/key-bytes.ts";
import type { Drain } from "../format/packed-rows.ts";
import { type MemtableRows, NONE } from "./rows.ts";
import type { MemtableTree, Place } from "./tree.ts";

/** What it costs to pass an entry that lies anywhere in memory, in entries of a block. */
const STEP_COST = 4;

/**
 * Moves over all versions of a memtable. Stable under writes: it stands on a version, which never
 * moves, and looks its key up again where keys were added since.
 */
export class MemtableCursor implements Cursor, EntryBytes {
  readonly #tree: MemtableTree;
  readonly #rows: MemtableRows;
  readonly #place: Place = { leaf: NONE, index: 0 };
  #changes = 0;
  #row = NONE;
  /** Of the row, once a caller asked for it. */
  #key: Key | undefined;

  constructor(tree: MemtableTree, rows: MemtableRows) {
    this.#tree = tree;
    this.#rows = rows;
  }

  get key(): Key {
    this.#key ??= this.#rows.key(this.#row);
    return this.#key;
  }

  get sequence(): Sequence {
    return this.#rows.sequence(this.#row);
  }

  get kind(): Kind {
    return this.#rows.kind(this.#row);
  }

  get operator(): number {
    return this.#rows.operator(this.#row);
  }

  get expiresAtMs(): number {
    return this.#rows.expiresAtMs(this.#row);
  }

  get entry(): EntryBytes {
    return this;
  }

  get keySource(): Uint8Array {
    return this.#rows.source(this.#row);
  }

  get keyStart(): number {
    return this.#rows.keyStart(this.#row);
  }

  get keyEnd(): number {
    return this.#rows.keyEnd(this.#row);
  }

  get valueSource(): Uint8Array {
    return this.#rows.source(this.#row);
  }

  get valueStart(): number {
    return this.#rows.keyEnd(this.#row);
  }

  get valueEnd(): number {
    return this.#rows.valueEnd(this.#row);
  }

  value(): Uint8Array {
    return this.#rows.value(this.#row);
  }

  first(): Step {
    const leaf = this.#tree.firstLeaf;
    return this.#enter(this.#tree.count(leaf) === 0 ? NONE : leaf, 0, "newest");
  }

  last(): Step {
    const leaf = this.#tree.lastLeaf;
    const count = this.#tree.count(leaf);
    return this.#enter(count === 0 ? NONE : leaf, count - 1, "oldest");
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const place = this.#find(key);
    const step = this.#enter(place.leaf, place.index, "newest");
    if (step === END || this.key !== key) return step;
    const row = this.#rows.atOrBefore(this.#row, sequence);
    if (row === NONE) return this.#nextKey();
    this.#row = row;
    return ENTRY;
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const { leaf, index } = this.#find(key);
    if (leaf === NONE) return this.last();
    const newest = this.#tree.newest(leaf, index);
    if (this.#rows.key(newest) === key) {
      const at = this.#rows.atOrBefore(newest, sequence);
      const newer = at === NONE ? this.#rows.oldest(newest) : this.#rows.newer(at);
      if (newer !== NONE) return this.#stand(leaf, index, newer);
    }
    return this.#before(leaf, index);
  }

  next(): Step {
    const older = this.#rows.older(this.#row);
    if (older === NONE) return this.#nextKey();
    this.#row = older;
    return ENTRY;
  }

  /** Packs newest versions key by key, without a text of any: see `Cursor.drain`. */
  drain(into: Drain): void {
    const tree = this.#tree;
    const table = this.#rows;
    const place = this.#place;
    const { rows, skips, snapshot, deletedAt, before, keep } = into;
    const most = skips ? Number.POSITIVE_INFINITY : into.most;
    this.#refresh();
    let { steps, isDecided } = into;
    const mostSteps = into.mostSteps / STEP_COST;
    while (rows.count < most && steps < mostSteps) {
      let { leaf, index } = place;
      let row = table.older(this.#row);
      if (row === NONE) {
        isDecided = false;
        if (++index === tree.count(leaf)) {
          leaf = tree.next(leaf);
          index = 0;
          if (leaf === NONE) break;
        }
        row = tree.newest(leaf, index);
        if (before !== undefined && !table.isBefore(row, before)) break;
      }
      const kind = table.kind(row);
      const sequence = table.sequence(row);
      const isSeen = !isDecided && sequence <= snapshot;
      const isRow = isSeen && kind === PUT && sequence > deletedAt;
      if (kind > PUT || (skips && isRow)) break;
      place.leaf = leaf;
      place.index = index;
      this.#row = row;
      steps++;
      isDecided ||= isSeen;
      into.isDecided = isDecided;
      if (!isRow) continue;
      const at = rows.keyBytes;
      const from = table.keyStart(row);
      const to = table.keyEnd(row);
      const after = at + to - from;
      const source = table.source(row);
      copyInto(rows.reserveKeys(after), at, source, from, to);
      const packed = rows.count++;
      rows.keyEnds[packed] = after;
      rows.valueStarts[packed] = to;
      rows.valueEnds[packed] = table.valueEnd(row);
      if (keep !== undefined) keep(packed, source);
    }
    if (steps === into.steps) return;
    into.steps = steps;
    into.stepCost = STEP_COST;
    into.isKept = true;
    this.#key = undefined;
  }

  prev(): Step {
    const newer = this.#rows.newer(this.#row);
    if (newer === NONE) {
      this.#refresh();
      return this.#before(this.#place.leaf, this.#place.index);
    }
    this.#row = newer;
    return ENTRY;
  }

  /** All of it is in memory. */
  missing(_into: MissingBlock[]): void {}

  #find(key: Key): Place {
    const place = this.#place;
    // No key at all: nothing has a place.
    if (this.#rows.count === 0) place.leaf = NONE;
    else this.#tree.find(keyScratch(key), 0, key.length, place);
    return place;
  }

  #nextKey(): Step {
    this.#refresh();
    const { leaf } = this.#place;
    const index = this.#place.index + 1;
    if (index < this.#tree.count(leaf)) return this.#enter(leaf, index, "newest");
    return this.#enter(this.#tree.next(leaf), 0, "newest");
  }

  /** To the oldest version of the key before a place. */
  #before(leaf: number, index: number): Step {
    if (index > 0) return this.#enter(leaf, index - 1, "oldest");
    const previous = this.#tree.previous(leaf);
    return this.#enter(previous, previous === NONE ? 0 : this.#tree.count(previous) - 1, "oldest");
  }

  #enter(leaf: number, index: number, version: "newest" | "oldest"): Step {
    if (leaf === NONE) return END;
    const newest = this.#tree.newest(leaf, index);
    return this.#stand(leaf, index, version === "newest" ? newest : this.#rows.oldest(newest));
  }

  #stand(leaf: number, index: number, row: number): Step {
    this.#place.leaf = leaf;
    this.#place.index = index;
    this.#changes = this.#tree.changes;
    this.#row = row;
    this.#key = undefined;
    return ENTRY;
  }

  /** Keys were added: finds the place of the key again. */
  #refresh(): void {
    if (this.#changes === this.#tree.changes) return;
    const { key } = this;
    this.#tree.find(keyScratch(key), 0, key.length, this.#place);
    this.#changes = this.#tree.changes;
  }
}
