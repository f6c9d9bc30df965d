/** Entries of a leaf, and children of a branch, at most. */
const MOST = 64;
/** Memory of an entry beside its key and value, about. */
const ENTRY_BYTES = 160;

interface Leaf {
  readonly kind: "leaf";
  readonly keys: readonly Uint8Array[];
  readonly values: readonly Uint8Array[];
  readonly count: number;
  readonly bytes: number;
}

interface Branch {
  readonly kind: "branch";
  /** No key of a child is below its bound, and none of the child before reaches it. */
  readonly bounds: readonly Uint8Array[];
  readonly children: readonly Node[];
  readonly count: number;
  readonly bytes: number;
}

type Node = Leaf | Branch;

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Bytes under ordered keys. Immutable: a change copies the nodes on its way and shares all others,
 * so that a snapshot, a savepoint and a rollback cost nothing.
 */
export class Tree {
  readonly #root: Node;

  private constructor(root: Node) {
    this.#root = root;
  }

  static readonly EMPTY: Tree = new Tree(leafOf([], []));

  get count(): number {
    return this.#root.count;
  }

  /** Approximate memory of its entries. */
  get bytes(): number {
    return this.#root.bytes;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    let node = this.#root;
    while (node.kind === "branch") node = node.children[childAt(node, key)] as Node;
    const at = placeOf(node.keys, key);
    const found = node.keys[at];
    return found !== undefined && Buffer.compare(found, key) === 0 ? node.values[at] : undefined;
  }

  /** The bytes are kept: they must not be written again. */
  put(key: Uint8Array, value: Uint8Array): Tree {
    const [first, second] = putIn(this.#root, key, value);
    if (second === undefined) return new Tree(first);
    return new Tree(branchOf([lowest(first), lowest(second)], [first, second]));
  }

  delete(key: Uint8Array): Tree {
    return this.deleteRange(key, Buffer.concat([key, Buffer.alloc(1)]));
  }

  /** Deletes from a key up to another one, in the time of one look-up for each bound. */
  deleteRange(from: Uint8Array, to: Uint8Array): Tree {
    const left = without(this.#root, from, to);
    if (left === this.#root) return this;
    let root = left ?? Tree.EMPTY.#root;
    while (root.kind === "branch" && root.children.length === 1) root = root.children[0] as Node;
    return new Tree(root);
  }

  /** Entries of a range, in key order or against it. */
  entries(from: Uint8Array, to?: Uint8Array, reverse = false): Generator<Entry, void> {
    return reverse ? descending(this.#root, from, to) : ascending(this.#root, from, to);
  }

  /** How much a range holds: whole nodes are counted unread. */
  estimate(from: Uint8Array, to?: Uint8Array): { entries: number; bytes: number } {
    const before = this.#below(from);
    const upTo = to === undefined ? this.#root : this.#below(to);
    const entries = upTo.count - before.count;
    if (entries <= 0) return { entries: 0, bytes: 0 };
    return { entries, bytes: Math.max(0, upTo.bytes - before.bytes) };
  }

  /** What lies below a key. */
  #below(key: Uint8Array): { readonly count: number; readonly bytes: number } {
    let [count, bytes] = [0, 0];
    let node = this.#root;
    while (node.kind === "branch") {
      const at = childAt(node, key);
      for (const child of node.children.slice(0, at)) {
        count += child.count;
        bytes += child.bytes;
      }
      node = node.children[at] as Node;
    }
    const at = placeOf(node.keys, key);
    return { count: count + at, bytes: bytes + (at / Math.max(1, node.count)) * node.bytes };
  }
}

function sizeOf(key: Uint8Array, value: Uint8Array): number {
  return ENTRY_BYTES + key.length + value.length;
}

function leafOf(keys: readonly Uint8Array[], values: readonly Uint8Array[]): Leaf {
  let bytes = 0;
  for (const [i, key] of keys.entries()) bytes += sizeOf(key, values[i] as Uint8Array);
  return { kind: "leaf", keys, values, count: keys.length, bytes };
}

function branchOf(bounds: readonly Uint8Array[], children: readonly Node[]): Branch {
  let [count, bytes] = [0, 0];
  for (const child of children) {
    count += child.count;
    bytes += child.bytes;
  }
  return { kind: "branch", bounds, children, count, bytes };
}

/** The place of the first key that is not below another. */
function placeOf(keys: readonly Uint8Array[], key: Uint8Array): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(keys[middle] as Uint8Array, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child that has a key, or would have it. */
function childAt({ bounds }: Branch, key: Uint8Array): number {
  const at = placeOf(bounds, key);
  const bound = bounds[at];
  const isAt = bound !== undefined && Buffer.compare(bound, key) === 0;
  return Math.max(0, isAt ? at : at - 1);
}

function lowest(node: Node): Uint8Array {
  const found = node.kind === "leaf" ? node.keys[0] : node.bounds[0];
  return found as Uint8Array;
}

/** Where to cut what is too long: behind what it had, where it only grows at its end. */
function cutOf(length: number, at: number): number {
  return at === length - 1 ? length - 1 : length >>> 1;
}

function putIn(node: Node, key: Uint8Array, value: Uint8Array): readonly [Node, Node?] {
  return node.kind === "leaf" ? putInLeaf(node, key, value) : putInBranch(node, key, value);
}

function putInLeaf(leaf: Leaf, key: Uint8Array, value: Uint8Array): readonly [Node, Node?] {
  const at = placeOf(leaf.keys, key);
  const found = leaf.keys[at];
  const values = leaf.values.slice();
  if (found !== undefined && Buffer.compare(found, key) === 0) {
    const grown = value.length - (values[at] as Uint8Array).length;
    values[at] = value;
    return [{ ...leaf, values, bytes: leaf.bytes + grown }];
  }
  const keys = leaf.keys.slice();
  keys.splice(at, 0, key);
  values.splice(at, 0, value);
  if (keys.length <= MOST) {
    const bytes = leaf.bytes + sizeOf(key, value);
    return [{ kind: "leaf", keys, values, count: keys.length, bytes }];
  }
  const cut = cutOf(keys.length, at);
  return [
    leafOf(keys.slice(0, cut), values.slice(0, cut)),
    leafOf(keys.slice(cut), values.slice(cut)),
  ];
}

function putInBranch(branch: Branch, key: Uint8Array, value: Uint8Array): readonly [Node, Node?] {
  const at = childAt(branch, key);
  const before = branch.children[at] as Node;
  const [first, second] = putIn(before, key, value);
  const children = branch.children.slice();
  children[at] = first;
  const isLower = Buffer.compare(key, branch.bounds[at] as Uint8Array) < 0;
  let bounds = branch.bounds;
  if (isLower) bounds = [key, ...bounds.slice(1)];
  if (second === undefined) {
    const count = branch.count + first.count - before.count;
    const bytes = branch.bytes + first.bytes - before.bytes;
    return [{ kind: "branch", bounds, children, count, bytes }];
  }
  const grown = bounds.slice();
  grown.splice(at + 1, 0, lowest(second));
  children.splice(at + 1, 0, second);
  if (children.length <= MOST) return [branchOf(grown, children)];
  const cut = cutOf(children.length, at + 1);
  return [
    branchOf(grown.slice(0, cut), children.slice(0, cut)),
    branchOf(grown.slice(cut), children.slice(cut)),
  ];
}

/** A node without a range; undefined where nothing is left of it. */
function without(node: Node, from: Uint8Array, to: Uint8Array): Node | undefined {
  if (node.kind === "leaf") {
    const [start, end] = [placeOf(node.keys, from), placeOf(node.keys, to)];
    if (start >= end) return node;
    if (end - start === node.count) return undefined;
    const kept = <T>(all: readonly T[]): readonly T[] => [
      ...all.slice(0, start),
      ...all.slice(end),
    ];
    return leafOf(kept(node.keys), kept(node.values));
  }
  const bounds: Uint8Array[] = [];
  const children: Node[] = [];
  let isSame = true;
  for (const [i, child] of node.children.entries()) {
    const [low, next] = [node.bounds[i] as Uint8Array, node.bounds[i + 1]];
    const isBehind = i > 0 && Buffer.compare(to, low) <= 0;
    const isBefore = next !== undefined && Buffer.compare(next, from) <= 0;
    const isInside =
      Buffer.compare(from, low) <= 0 && next !== undefined && Buffer.compare(next, to) <= 0;
    const left = isBehind || isBefore ? child : isInside ? undefined : without(child, from, to);
    if (left !== child) isSame = false;
    if (left === undefined) continue;
    bounds.push(low);
    children.push(left);
  }
  if (isSame) return node;
  return children.length === 0 ? undefined : branchOf(bounds, children);
}

function* ascending(node: Node, from: Uint8Array, to?: Uint8Array): Generator<Entry, void> {
  if (node.kind === "leaf") {
    const end = to === undefined ? node.count : placeOf(node.keys, to);
    for (let at = placeOf(node.keys, from); at < end; at++) yield entryAt(node, at);
    return;
  }
  for (let at = childAt(node, from); at < node.children.length; at++) {
    if (to !== undefined && at > 0 && Buffer.compare(to, node.bounds[at] as Uint8Array) <= 0)
      return;
    yield* ascending(node.children[at] as Node, from, to);
  }
}

function* descending(node: Node, from: Uint8Array, to?: Uint8Array): Generator<Entry, void> {
  if (node.kind === "leaf") {
    const start = placeOf(node.keys, from);
    const end = to === undefined ? node.count : placeOf(node.keys, to);
    for (let at = end - 1; at >= start; at--) yield entryAt(node, at);
    return;
  }
  const first = childAt(node, from);
  const last = to === undefined ? node.children.length - 1 : childAt(node, to);
  for (let at = last; at >= first; at--) yield* descending(node.children[at] as Node, from, to);
}

function entryAt(leaf: Leaf, at: number): Entry {
  return { key: leaf.keys[at] as Uint8Array, value: leaf.values[at] as Uint8Array };
}
