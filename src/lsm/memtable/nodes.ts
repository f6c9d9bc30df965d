import { giveBack } from "../../base/bytes.ts";

/** Keys of a node. So many heads lie in four lines of the processor's cache. */
export const WIDTH = 64;

/**
 * Nodes of one kind in typed arrays. Of each key a node has its row and its head: four bytes behind
 * those that all keys of the node share, so that a search reads next to nothing but heads.
 */
export class MemtableNodes {
  #count = 0;
  #memoryBytes = 0;
  /** Of node n from n times `WIDTH` on. */
  rows: Int32Array = new Int32Array(0);
  heads: Uint32Array = new Uint32Array(0);
  /** Keys in a node; bytes that all of them share, and every key that belongs there does. */
  counts: Int32Array = new Int32Array(0);
  skips: Int32Array = new Int32Array(0);
  /** Inner nodes: child i of node n stands at n times `WIDTH` + n + i, one more than keys. */
  children: Int32Array = new Int32Array(0);
  /** Leaves: their neighbours. */
  next: Int32Array = new Int32Array(0);
  previous: Int32Array = new Int32Array(0);
  readonly #kind: "leaves" | "inner";

  constructor(kind: "leaves" | "inner") {
    this.#kind = kind;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Gives its memory back. Any caller that asks it anything later fails. */
  giveBack(): void {
    for (const list of this.#lists) giveBack(list);
    const gone = undefined as never;
    this.rows = gone;
    this.heads = gone;
    this.counts = gone;
    this.skips = gone;
    this.children = gone;
    this.next = gone;
    this.previous = gone;
  }

  /** A new node, empty. */
  add(): number {
    if (this.#count === this.counts.length) this.#grow();
    return this.#count++;
  }

  /** Makes room at an index. */
  insert(node: number, index: number, row: number, head: number): void {
    const { rows, heads, counts } = this;
    const base = node * WIDTH;
    const count = counts[node] as number;
    for (let i = base + count; i > base + index; i--) {
      rows[i] = rows[i - 1] as number;
      heads[i] = heads[i - 1] as number;
    }
    rows[base + index] = row;
    heads[base + index] = head;
    counts[node] = count + 1;
  }

  insertChild(node: number, index: number, child: number): void {
    const { children } = this;
    const base = node * (WIDTH + 1);
    // Its key is in already.
    const count = this.counts[node] as number;
    for (let i = base + count; i > base + index; i--) children[i] = children[i - 1] as number;
    children[base + index] = child;
  }

  child(node: number, index: number): number {
    return this.children[node * (WIDTH + 1) + index] as number;
  }

  /** Moves the keys from an index on, and the children behind them if any, to an empty node. */
  move(node: number, from: number, to: number): void {
    const base = node * WIDTH;
    const count = this.counts[node] as number;
    this.rows.copyWithin(to * WIDTH, base + from, base + count);
    this.heads.copyWithin(to * WIDTH, base + from, base + count);
    this.skips[to] = this.skips[node] as number;
    this.counts[to] = count - from;
    this.counts[node] = from;
    if (this.#kind === "leaves") return;
    const first = node * (WIDTH + 1);
    this.children.copyWithin(to * (WIDTH + 1), first + from, first + count + 1);
  }

  #grow(): void {
    const nodes = Math.max(1, 2 * this.counts.length);
    this.rows = grown(this.rows, new Int32Array(nodes * WIDTH));
    this.heads = grown(this.heads, new Uint32Array(nodes * WIDTH));
    this.counts = grown(this.counts, new Int32Array(nodes));
    this.skips = grown(this.skips, new Int32Array(nodes));
    if (this.#kind === "inner") {
      this.children = grown(this.children, new Int32Array(nodes * (WIDTH + 1)));
    } else {
      this.next = grown(this.next, new Int32Array(nodes));
      this.previous = grown(this.previous, new Int32Array(nodes));
    }
    this.#memoryBytes = this.#lists.reduce((sum, list) => sum + list.byteLength, 0);
  }

  get #lists(): readonly (Int32Array | Uint32Array)[] {
    const { rows, heads, counts, skips, children, next, previous } = this;
    return [rows, heads, counts, skips, children, next, previous];
  }
}

/** Takes over what is in an array that nothing refers to any more. */
function grown<T extends Int32Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  giveBack(from);
  return to;
}
