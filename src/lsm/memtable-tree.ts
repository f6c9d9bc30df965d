import { assert } from "../base/assert.ts";
import type { Key } from "./format/entry.ts";
import { NONE } from "./memtable-versions.ts";

/** Entries of a node. Arrays this wide are searched and shifted faster than a list is followed. */
const WIDTH = 64;

/** Keys in order with the newest version of each; linked to its neighbours. */
export interface Leaf {
  readonly keys: Key[];
  readonly newest: number[];
  previous: Leaf | undefined;
  next: Leaf | undefined;
}

/** Child i holds keys below `keys[i]`, which is the smallest key of child i + 1. */
interface Inner {
  readonly keys: Key[];
  readonly children: (Inner | Leaf)[];
}

/** A place in the tree: good until `changes` moves. */
export interface Place {
  leaf: Leaf | undefined;
  index: number;
}

/** A B+tree from keys to numbers that only grows. */
export class MemtableTree {
  #root: Inner | Leaf;
  readonly #first: Leaf;
  #last: Leaf;
  #changes = 0;
  /** The way down to the leaf of the last `#setBelow`: kept, as every write goes it. */
  readonly #path: Inner[] = [];
  readonly #turns: number[] = [];

  constructor() {
    const leaf: Leaf = { keys: [], newest: [], previous: undefined, next: undefined };
    this.#root = leaf;
    this.#first = leaf;
    this.#last = leaf;
  }

  /** Counts the new keys, each of which may move others. */
  get changes(): number {
    return this.#changes;
  }

  get firstLeaf(): Leaf {
    return this.#first;
  }

  get lastLeaf(): Leaf {
    return this.#last;
  }

  get(key: Key): number {
    const leaf = this.#leafOf(key);
    const index = lowerBound(leaf.keys, key);
    return leaf.keys[index] === key ? (leaf.newest[index] as number) : NONE;
  }

  /** Points a key at a version; answers the one it pointed at before, or `NONE` for a new key. */
  set(key: Key, version: number): number {
    const last = this.#last;
    const { keys } = last;
    const top = keys.length - 1;
    if (top >= 0 && key > (keys[top] as Key) && keys.length < WIDTH) {
      keys.push(key);
      last.newest.push(version);
      this.#changes++;
      return NONE;
    }
    return this.#setBelow(key, version);
  }

  /** Sets `place` to the first key at or after `key`; its leaf is undefined where there is none. */
  find(key: Key, place: Place): void {
    const leaf = this.#leafOf(key);
    const index = lowerBound(leaf.keys, key);
    const inside = index < leaf.keys.length;
    place.leaf = inside ? leaf : leaf.next;
    place.index = inside ? index : 0;
  }

  #leafOf(key: Key): Leaf {
    let node = this.#root;
    while ("children" in node) {
      node = node.children[upperBound(node.keys, key)] as Inner | Leaf;
    }
    return node;
  }

  #setBelow(key: Key, version: number): number {
    let depth = 0;
    let node = this.#root;
    while ("children" in node) {
      const turn = upperBound(node.keys, key);
      this.#path[depth] = node;
      this.#turns[depth++] = turn;
      node = node.children[turn] as Inner | Leaf;
    }
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) {
      const older = node.newest[index] as number;
      node.newest[index] = version;
      return older;
    }
    this.#changes++;
    insertAt(node.keys, index, key);
    insertAt(node.newest, index, version);
    if (node.keys.length > WIDTH) this.#split(node, depth);
    return NONE;
  }

  /** @param depth inner nodes on the way to the leaf. */
  #split(leaf: Leaf, depth: number): void {
    // Keys that arrive in order fill their leaves: the last one keeps all but the newest key.
    const appended = leaf === this.#last;
    const half = appended ? WIDTH : WIDTH / 2;
    const right: Leaf = {
      keys: leaf.keys.splice(half),
      newest: leaf.newest.splice(half),
      previous: leaf,
      next: leaf.next,
    };
    if (leaf.next === undefined) this.#last = right;
    else leaf.next.previous = right;
    leaf.next = right;
    this.#raise(right.keys[0] as Key, leaf, right, depth);
  }

  /** Puts a new right neighbour into the parents, splitting those that are full. */
  #raise(separator: Key, left: Inner | Leaf, right: Inner | Leaf, depth: number): void {
    let key = separator;
    let old = left;
    let added = right;
    for (let level = depth - 1; level >= 0; level--) {
      const parent = this.#path[level] as Inner;
      const turn = this.#turns[level] as number;
      assert(parent.children[turn] === old, "the path leads to the node that was split");
      insertAt(parent.keys, turn, key);
      insertAt(parent.children, turn + 1, added);
      if (parent.children.length <= WIDTH) return;
      const half = turn + 1 === parent.keys.length ? WIDTH - 2 : WIDTH / 2;
      key = parent.keys[half] as Key;
      added = { keys: parent.keys.splice(half + 1), children: parent.children.splice(half + 1) };
      parent.keys.length = half;
      old = parent;
    }
    this.#root = { keys: [key], children: [old, added] };
  }
}

/** Shifts by hand: `splice` makes an array for what it removes. */
function insertAt<T>(list: T[], index: number, item: T): void {
  for (let i = list.length; i > index; i--) list[i] = list[i - 1] as T;
  list[index] = item;
}

/** The first index whose key is at or after `key`. */
function lowerBound(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as Key) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose key is after `key`. */
function upperBound(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as Key) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
