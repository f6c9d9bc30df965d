import { assert } from "../base/assert.ts";
import type { DataBlock } from "./format/data-block.ts";
import type { IndexBlock } from "./format/index-block.ts";
import type { SstBlocks } from "./format/sst-cursor.ts";

/** What knows the bytes of memory that it takes; and, if it gives them back, who has it. */
export interface Weighed {
  readonly weight: number;
  hold?(): void;
  letGo?(): void;
}

/** An entry in its list. `owner` is the map that finds it. */
interface Node<Value extends Weighed = Weighed> {
  readonly owner: Map<number, Node<Value>>;
  readonly offset: number;
  readonly value: Value;
  readonly bytes: number;
  readonly list: List;
  newer: Node | undefined;
  older: Node | undefined;
}

/** Least recently used order of one kind of block. */
interface List {
  newest: Node | undefined;
  oldest: Node | undefined;
  bytes: number;
}

export interface CacheFigures {
  readonly bytes: number;
  readonly metadataBytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

/**
 * Share of the budget up to which parts of indexes are never evicted for data: one of them saves
 * the reads of many others.
 */
const METADATA_SHARE = 0.5;

/**
 * Decoded blocks of all shards of a process, within one budget of bytes. What was used least
 * recently goes first: data as long as metadata keeps to half of the budget, else metadata. A block
 * heavier than the budget is not kept.
 */
export class BlockCache {
  #capacityBytes: number;
  readonly #metadata: List = { newest: undefined, oldest: undefined, bytes: 0 };
  readonly #data: List = { newest: undefined, oldest: undefined, bytes: 0 };
  #entries = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  /** A file's own part of the cache, so that a look-up needs no name. */
  file<Tail extends Weighed = Weighed>(): CachedFile<Tail> {
    return new CachedFile<Tail>({
      touch: (node) => this.#touch(node),
      add: (node) => this.#add(node),
      remove: (node) => this.#remove(node),
      metadata: this.#metadata,
      data: this.#data,
    });
  }

  /** Changes the budget; evicts at once what is above it. */
  resize(capacityBytes: number): void {
    this.#capacityBytes = capacityBytes;
    this.#evict();
  }

  get figures(): CacheFigures {
    return {
      bytes: this.#metadata.bytes + this.#data.bytes,
      metadataBytes: this.#metadata.bytes,
      entries: this.#entries,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    };
  }

  #touch(node: Node | undefined): void {
    if (node === undefined) {
      this.#misses++;
      return;
    }
    this.#hits++;
    if (node.list.newest === node) return;
    unlink(node);
    push(node);
  }

  #add(node: Node): void {
    push(node);
    this.#entries++;
    this.#evict();
  }

  #remove(node: Node): void {
    node.owner.delete(node.offset);
    unlink(node);
    this.#entries--;
    node.value.letGo?.();
  }

  #evict(): void {
    while (this.#metadata.bytes + this.#data.bytes > this.#capacityBytes) {
      const crowded = this.#metadata.bytes > this.#capacityBytes * METADATA_SHARE;
      const list = crowded || this.#data.oldest === undefined ? this.#metadata : this.#data;
      const victim = list.oldest;
      assert(victim !== undefined, "what has bytes has entries");
      this.#remove(victim);
      this.#evictions++;
    }
  }
}

/** What a file's part may do to the whole. */
interface Whole {
  readonly touch: (node: Node | undefined) => void;
  readonly add: (node: Node) => void;
  readonly remove: (node: Node) => void;
  readonly metadata: List;
  readonly data: List;
}

/** The cached blocks of one table, by the offsets of their frames. */
export class CachedFile<Tail extends Weighed = Weighed> implements SstBlocks {
  readonly #whole: Whole;
  readonly #data: Map<number, Node<DataBlock>> = new Map();
  readonly #index: Map<number, Node<IndexBlock>> = new Map();
  /** What was made of the table's tail, under the offset of it. */
  readonly #tail: Map<number, Node<Tail>> = new Map();

  /** Made by `BlockCache.file`. */
  constructor(whole: Whole) {
    this.#whole = whole;
  }

  data(offset: number): DataBlock | undefined {
    const node = this.#data.get(offset);
    this.#whole.touch(node);
    return node?.value;
  }

  index(offset: number): IndexBlock | undefined {
    const node = this.#index.get(offset);
    this.#whole.touch(node);
    return node?.value;
  }

  tail(offset: number): Tail | undefined {
    const node = this.#tail.get(offset);
    this.#whole.touch(node);
    return node?.value;
  }

  addData(offset: number, block: DataBlock): void {
    this.#add(this.#data, offset, block, this.#whole.data);
  }

  addIndex(offset: number, part: IndexBlock): void {
    this.#add(this.#index, offset, part, this.#whole.metadata);
  }

  addTail(offset: number, tail: Tail): void {
    this.#add(this.#tail, offset, tail, this.#whole.metadata);
  }

  /** The file is gone: so are its blocks. */
  clear(): void {
    for (const owner of [this.#data, this.#index, this.#tail]) {
      for (const node of owner.values()) this.#whole.remove(node);
    }
  }

  /** Replaces what stands there. */
  #add<Value extends Weighed>(
    owner: Map<number, Node<Value>>,
    offset: number,
    value: Value,
    list: List,
  ): void {
    value.hold?.();
    const before = owner.get(offset);
    if (before !== undefined) this.#whole.remove(before);
    const bytes = value.weight;
    const node = { owner, offset, value, bytes, list, newer: undefined, older: undefined };
    owner.set(offset, node);
    this.#whole.add(node);
  }
}

function push(node: Node): void {
  const { list } = node;
  node.older = list.newest;
  node.newer = undefined;
  if (list.newest !== undefined) list.newest.newer = node;
  list.newest = node;
  list.oldest ??= node;
  list.bytes += node.bytes;
}

function unlink(node: Node): void {
  const { list } = node;
  if (node.newer === undefined) list.newest = node.older;
  else node.newer.older = node.older;
  if (node.older === undefined) list.oldest = node.newer;
  else node.older.newer = node.newer;
  list.bytes -= node.bytes;
}
