import { assert } from "../../base/assert.ts";
import { MemtableNodes, WIDTH } from "./nodes.ts";
import { type MemtableRows, NONE } from "./rows.ts";

/** A place in the tree: good until `changes` moves. `leaf` is `NONE` behind the last key. */
export interface Place {
  leaf: number;
  index: number;
}

/**
 * A B+tree from keys to the newest row of each, which only grows. A key is bytes [from, to) of an
 * array; the tree holds rows, and the heads of their keys.
 *
 * Invariant: child i of an inner node holds the keys from key i - 1 of it (included) to key i. So
 * all keys below it share what these two share, and a node compares what lies behind that.
 */
export class MemtableTree {
  readonly #rows: MemtableRows;
  readonly #leaves = new MemtableNodes("leaves");
  readonly #inner = new MemtableNodes("inner");
  #root: number;
  /** Inner nodes on the way to a leaf. */
  #height = 0;
  readonly #first: number;
  #last: number;
  #changes = 0;
  /** What all keys share: the first bytes of the first of them. */
  #prefix: Uint8Array | undefined;
  #prefixBytes = 0;
  /** The way down to the leaf of the last `set`: kept, as every write goes it; the root at 1. */
  readonly #path: number[] = [0];
  readonly #turns: number[] = [0];

  constructor(rows: MemtableRows) {
    this.#rows = rows;
    this.#root = this.#leaves.add();
    this.#first = this.#root;
    this.#last = this.#root;
    this.#leaves.next[this.#root] = NONE;
    this.#leaves.previous[this.#root] = NONE;
  }

  /** Counts the new keys, each of which may move others. */
  get changes(): number {
    return this.#changes;
  }

  get firstLeaf(): number {
    return this.#first;
  }

  get lastLeaf(): number {
    return this.#last;
  }

  get memoryBytes(): number {
    return this.#leaves.memoryBytes + this.#inner.memoryBytes;
  }

  /** Gives its memory back. Any caller that asks it anything later fails. */
  giveBack(): void {
    this.#leaves.giveBack();
    this.#inner.giveBack();
    // Else some keys would still be told to be absent.
    this.#prefixBytes = 0;
    this.#prefix = undefined;
  }

  /** Keys of a leaf. */
  count(leaf: number): number {
    return this.#leaves.counts[leaf] as number;
  }

  next(leaf: number): number {
    return this.#leaves.next[leaf] as number;
  }

  previous(leaf: number): number {
    return this.#leaves.previous[leaf] as number;
  }

  /** The newest row of the key at a place. */
  newest(leaf: number, index: number): number {
    return this.#leaves.rows[leaf * WIDTH + index] as number;
  }

  /** The newest row of a key, or `NONE`. */
  get(key: Uint8Array, from: number, to: number): number {
    if (this.#shared(key, from, to) < this.#prefixBytes) return NONE;
    const leaf = this.#leafOf(key, from, to);
    const index = this.#lowerBound(leaf, key, from, to);
    return this.#isAt(leaf, index, key, from, to) ? this.newest(leaf, index) : NONE;
  }

  /** Sets `place` to the first key at or after a key. */
  find(key: Uint8Array, from: number, to: number, place: Place): void {
    const shared = this.#shared(key, from, to);
    if (shared < this.#prefixBytes) {
      const below = from + shared >= to || (key[from + shared] as number) < this.#prefixAt(shared);
      place.leaf = below ? this.#first : NONE;
      place.index = 0;
      return;
    }
    const leaf = this.#leafOf(key, from, to);
    const index = this.#lowerBound(leaf, key, from, to);
    const inside = index < this.count(leaf);
    place.leaf = inside ? leaf : this.next(leaf);
    place.index = inside ? index : 0;
  }

  /** Keys from one place up to another, which is not before it: one step for each leaf. */
  between(from: Place, to: Place): number {
    let keys = -from.index;
    let leaf = from.leaf;
    for (; leaf !== to.leaf && leaf !== NONE; leaf = this.next(leaf)) keys += this.count(leaf);
    return leaf === NONE ? keys : keys + to.index;
  }

  /** Points the key of a row at it; answers the row it pointed at before, `NONE` for a new key. */
  set(row: number): number {
    const rows = this.#rows;
    const key = rows.source(row);
    const from = rows.keyStart(row);
    const to = rows.keyEnd(row);
    const shared = this.#shared(key, from, to);
    if (shared < this.#prefixBytes) this.#shorten(shared);
    else if (this.#prefix === undefined) this.#begin(key, from, to);
    const last = this.#last;
    const top = this.count(last) - 1;
    if (top >= 0 && top < WIDTH - 2) {
      const newest = this.newest(last, top);
      if (this.#compare(newest, key, from, to, this.#prefixBytes) < 0) {
        this.#changes++;
        this.#leaves.insert(last, top + 1, row, this.#headOf(last, key, from, to));
        return NONE;
      }
    }
    return this.#setBelow(row, key, from, to);
  }

  #begin(key: Uint8Array, from: number, to: number): void {
    this.#prefix = key.slice(from, to);
    this.#prefixBytes = to - from;
    this.#leaves.skips[this.#root] = this.#prefixBytes;
  }

  #prefixAt(index: number): number {
    return (this.#prefix as Uint8Array)[index] as number;
  }

  /** How many bytes of the common prefix a key has. */
  #shared(key: Uint8Array, from: number, to: number): number {
    const prefix = this.#prefix;
    if (prefix === undefined) return 0;
    const most = Math.min(this.#prefixBytes, to - from);
    let i = 0;
    while (i < most && key[from + i] === prefix[i]) i++;
    return i;
  }

  /** Keys share less from now on: nodes at the edges, whose keys have no bound, compare more. */
  #shorten(bytes: number): void {
    this.#prefixBytes = bytes;
    for (const last of [false, true]) {
      let node = this.#root;
      for (let level = this.#height; level > 0; level--) {
        this.#skip(this.#inner, node, bytes);
        node = this.#inner.child(node, last ? (this.#inner.counts[node] as number) : 0);
      }
      this.#skip(this.#leaves, node, bytes);
    }
  }

  #leafOf(key: Uint8Array, from: number, to: number): number {
    let node = this.#root;
    for (let level = this.#height; level > 0; level--) {
      node = this.#inner.child(node, this.#upperBound(node, key, from, to));
    }
    return node;
  }

  #setBelow(row: number, key: Uint8Array, from: number, to: number): number {
    let node = this.#root;
    for (let depth = 1; depth <= this.#height; depth++) {
      const turn = this.#upperBound(node, key, from, to);
      this.#path[depth] = node;
      this.#turns[depth] = turn;
      node = this.#inner.child(node, turn);
    }
    const leaves = this.#leaves;
    const index = this.#lowerBound(node, key, from, to);
    if (this.#isAt(node, index, key, from, to)) {
      const older = this.newest(node, index);
      leaves.rows[node * WIDTH + index] = row;
      return older;
    }
    this.#changes++;
    leaves.insert(node, index, row, this.#headOf(node, key, from, to));
    if (leaves.counts[node] === WIDTH) this.#split(node, index);
    return NONE;
  }

  /** @param newest where the key was put that filled the leaf. */
  #split(leaf: number, newest: number): void {
    const leaves = this.#leaves;
    // Keys that arrive in order fill their leaves: the last one keeps all but the newest key.
    const appended = leaf === this.#last && newest === WIDTH - 1;
    const right = leaves.add();
    leaves.move(leaf, appended ? WIDTH - 1 : WIDTH / 2, right);
    const next = this.next(leaf);
    leaves.next[right] = next;
    leaves.previous[right] = leaf;
    leaves.next[leaf] = right;
    if (next === NONE) this.#last = right;
    else leaves.previous[next] = right;
    const separator = this.newest(right, 0);
    this.#skipHalves(leaves, leaf, right, separator, this.#height);
    this.#raise(separator, leaf, right);
  }

  /** Puts a new right neighbour into the parents, splitting those that are full. */
  #raise(separator: number, left: number, right: number): void {
    const inner = this.#inner;
    let row = separator;
    let old = left;
    let added = right;
    for (let depth = this.#height; depth > 0; depth--) {
      const parent = this.#path[depth] as number;
      const turn = this.#turns[depth] as number;
      assert(inner.child(parent, turn) === old, "the path leads to the node that was split");
      inner.insert(parent, turn, row, this.#headOfRow(row, inner.skips[parent] as number));
      inner.insertChild(parent, turn + 1, added);
      if ((inner.counts[parent] as number) < WIDTH) return;
      const half = turn === WIDTH - 1 ? WIDTH - 2 : WIDTH / 2;
      const other = inner.add();
      inner.move(parent, half + 1, other);
      row = inner.rows[parent * WIDTH + half] as number;
      inner.counts[parent] = half;
      this.#skipHalves(inner, parent, other, row, depth - 1);
      old = parent;
      added = other;
    }
    const root = inner.add();
    inner.skips[root] = this.#prefixBytes;
    inner.insert(root, 0, row, this.#headOfRow(row, this.#prefixBytes));
    inner.children[root * (WIDTH + 1)] = old;
    inner.children[root * (WIDTH + 1) + 1] = added;
    this.#root = root;
    this.#height++;
  }

  /** What the keys of two halves share, by the separators around them on the way to `depth`. */
  #skipHalves(
    nodes: MemtableNodes,
    left: number,
    right: number,
    separator: number,
    depth: number,
  ): void {
    let low = NONE;
    let high = NONE;
    for (let level = depth; level > 0 && (low === NONE || high === NONE); level--) {
      const base = (this.#path[level] as number) * WIDTH;
      const turn = this.#turns[level] as number;
      const count = this.#inner.counts[this.#path[level] as number] as number;
      if (low === NONE && turn > 0) low = this.#inner.rows[base + turn - 1] as number;
      if (high === NONE && turn < count) high = this.#inner.rows[base + turn] as number;
    }
    this.#skip(nodes, left, this.#sharedBy(low, separator));
    this.#skip(nodes, right, this.#sharedBy(separator, high));
  }

  #skip(nodes: MemtableNodes, node: number, bytes: number): void {
    if (nodes.skips[node] === bytes) return;
    nodes.skips[node] = bytes;
    const base = node * WIDTH;
    const end = base + (nodes.counts[node] as number);
    for (let i = base; i < end; i++) {
      nodes.heads[i] = this.#headOfRow(nodes.rows[i] as number, bytes);
    }
  }

  /** What all keys between those of two rows share; `NONE`: there is no such bound. */
  #sharedBy(low: number, high: number): number {
    if (low === NONE || high === NONE) return this.#prefixBytes;
    const rows = this.#rows;
    const a = rows.source(low);
    const b = rows.source(high);
    const aStart = rows.keyStart(low);
    const bStart = rows.keyStart(high);
    const most = Math.min(rows.keyEnd(low) - aStart, rows.keyEnd(high) - bStart);
    let i = this.#prefixBytes;
    while (i < most && a[aStart + i] === b[bStart + i]) i++;
    return i;
  }

  #headOf(leaf: number, key: Uint8Array, from: number, to: number): number {
    return headAt(key, from + (this.#leaves.skips[leaf] as number), to);
  }

  #headOfRow(row: number, skip: number): number {
    const rows = this.#rows;
    return headAt(rows.source(row), rows.keyStart(row) + skip, rows.keyEnd(row));
  }

  #isAt(leaf: number, index: number, key: Uint8Array, from: number, to: number): boolean {
    if (index >= this.count(leaf)) return false;
    if (this.#leaves.heads[leaf * WIDTH + index] !== this.#headOf(leaf, key, from, to))
      return false;
    const skip = this.#leaves.skips[leaf] as number;
    return this.#compare(this.newest(leaf, index), key, from, to, skip) === 0;
  }

  /** The first index of a leaf whose key is at or after a key. */
  #lowerBound(leaf: number, key: Uint8Array, from: number, to: number): number {
    const { heads, rows, counts, skips } = this.#leaves;
    const skip = skips[leaf] as number;
    const head = headAt(key, from + skip, to);
    const base = leaf * WIDTH;
    let low = base;
    let high = base + (counts[leaf] as number);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = heads[middle] as number;
      const before =
        other < head ||
        (other === head && this.#compare(rows[middle] as number, key, from, to, skip) < 0);
      if (before) low = middle + 1;
      else high = middle;
    }
    return low - base;
  }

  /** The first index of an inner node whose key is after a key. */
  #upperBound(node: number, key: Uint8Array, from: number, to: number): number {
    const { heads, rows, counts, skips } = this.#inner;
    const skip = skips[node] as number;
    const head = headAt(key, from + skip, to);
    const base = node * WIDTH;
    let low = base;
    let high = base + (counts[node] as number);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = heads[middle] as number;
      const after =
        other > head ||
        (other === head && this.#compare(rows[middle] as number, key, from, to, skip) > 0);
      if (after) high = middle;
      else low = middle + 1;
    }
    return low - base;
  }

  /** Order of a row's key and another that shares its first `skip` bytes. */
  #compare(row: number, key: Uint8Array, from: number, to: number, skip: number): number {
    const rows = this.#rows;
    const bytes = rows.source(row);
    const end = rows.keyEnd(row);
    let at = rows.keyStart(row) + skip;
    let other = from + skip;
    for (; at < end && other < to; at++, other++) {
      const difference = (bytes[at] as number) - (key[other] as number);
      if (difference !== 0) return difference;
    }
    return end - at - (to - other);
  }
}

/** Four bytes as a number in their order; what is missing counts as zeros. */
function headAt(key: Uint8Array, at: number, to: number): number {
  if (at + 4 <= to) {
    const high = ((key[at] as number) << 24) | ((key[at + 1] as number) << 16);
    return (high | ((key[at + 2] as number) << 8) | (key[at + 3] as number)) >>> 0;
  }
  let head = 0;
  for (let i = at; i < at + 4; i++) head = (head << 8) | (i < to ? (key[i] as number) : 0);
  return head >>> 0;
}
