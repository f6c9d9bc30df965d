import { assert } from "../../base/assert.ts";
import type { DataBlock } from "../format/data-block.ts";
import type { IndexBlock } from "../format/index-block.ts";
import type { SstBlocks } from "../format/sst-cursor.ts";

/** What knows the bytes of memory that it takes; and, if it gives them back, who has it. */
export interface Cacheable {
  readonly weight: number;
  hold?(): void;
  letGo?(): void;
}

/** Where a file finds its entries of one kind. */
interface Owner<Value extends Cacheable> {
  get(offset: number): Node<Value> | undefined;
  set(offset: number, node: Node<Value>): void;
  delete(offset: number): void;
  values(): Iterable<Node<Value>>;
}

/** An entry in its list. `owner` is what finds it. */
interface Node<Value extends Cacheable = Cacheable> {
  readonly owner: Owner<Value>;
  readonly offset: number;
  readonly value: Value;
  readonly bytes: number;
  readonly list: List;
  /** Since it came, or since it was last spared. */
  used: boolean;
  newer: Node | undefined;
  older: Node | undefined;
}

/** The order in which blocks of one kind came, or were spared. */
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
 * Share of the budget up to which parts of indexes and filters are never evicted for data: one of
 * them saves the reads of a hundred blocks of data. They come near to it only where data is a
 * hundred times the budget.
 */
const METADATA_SHARE = 0.75;

/** So many used ones are spared for one that goes, so that no read waits for a long list. */
const MOST_SPARED = 64;

/**
 * Decoded blocks of all shards of a process, within one budget of bytes. The oldest that was not
 * used goes first: data as long as metadata keeps to its share of the budget, else metadata. A
 * block heavier than the budget is not kept.
 *
 * What is used is only marked, and spared once when its turn comes: a list in the order of use
 * would have to be linked anew by every look-up, at the price of five places in memory that are in
 * no cache of the processor.
 */
export class BlockCache {
  #capacityBytes: number;
  readonly #metadata: List = { newest: undefined, oldest: undefined, bytes: 0 };
  readonly #data: List = { newest: undefined, oldest: undefined, bytes: 0 };
  readonly #looks: Looks = { hits: 0, misses: 0 };
  #entries = 0;
  #evictions = 0;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  /** A file's own part of the cache, so that a look-up needs no name. */
  file<Tail extends Cacheable = Cacheable>(): CachedFile<Tail> {
    return new CachedFile<Tail>({
      looks: this.#looks,
      add: (node) => this.#add(node),
      remove: (node) => this.#remove(node),
      metadata: this.#metadata,
      data: this.#data,
    });
  }

  /** Changes the budget; evicts at once what is above it. */
  resize(capacityBytes: number): void {
    assert(capacityBytes >= 0, "the rest of a budget is not negative");
    this.#capacityBytes = capacityBytes;
    this.#evict(0);
  }

  get figures(): CacheFigures {
    return {
      bytes: this.#metadata.bytes + this.#data.bytes,
      metadataBytes: this.#metadata.bytes,
      entries: this.#entries,
      ...this.#looks,
      evictions: this.#evictions,
    };
  }

  /** Makes room first, or what is new would go where all that is there was used. */
  #add(node: Node): void {
    if (node.bytes > this.#capacityBytes) {
      node.owner.delete(node.offset);
      node.value.letGo?.();
      return;
    }
    this.#evict(node.bytes);
    push(node);
    this.#entries++;
  }

  #remove(node: Node): void {
    node.owner.delete(node.offset);
    unlink(node);
    this.#entries--;
    assert(this.#entries >= 0, "an entry is removed once");
    node.value.letGo?.();
  }

  #evict(room: number): void {
    while (this.#metadata.bytes + this.#data.bytes + room > this.#capacityBytes) {
      const crowded = this.#metadata.bytes > this.#capacityBytes * METADATA_SHARE;
      const list = crowded || this.#data.oldest === undefined ? this.#metadata : this.#data;
      this.#remove(oldestUnused(list));
      this.#evictions++;
    }
  }
}

interface Looks {
  hits: number;
  misses: number;
}

/** What a file's part may do to the whole. */
interface Whole {
  readonly looks: Looks;
  readonly add: (node: Node) => void;
  readonly remove: (node: Node) => void;
  readonly metadata: List;
  readonly data: List;
}

/** The cached blocks of one table, by the offsets of their frames. */
export class CachedFile<Tail extends Cacheable = Cacheable> implements SstBlocks {
  readonly #whole: Whole;
  readonly #data: Map<number, Node<DataBlock>> = new Map();
  readonly #index: Map<number, Node<IndexBlock>> = new Map();
  /** What was made of the table's tail, under the offset of it. */
  readonly #tail = new Place<Tail>();

  /** Made by `BlockCache.file`. */
  constructor(whole: Whole) {
    this.#whole = whole;
  }

  data(offset: number): DataBlock | undefined {
    return this.#use(this.#data.get(offset));
  }

  index(offset: number): IndexBlock | undefined {
    return this.#use(this.#index.get(offset));
  }

  tail(offset: number): Tail | undefined {
    return this.#use(this.#tail.get(offset));
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

  #use<Value extends Cacheable>(node: Node<Value> | undefined): Value | undefined {
    const { looks } = this.#whole;
    if (node === undefined) {
      looks.misses++;
      return undefined;
    }
    looks.hits++;
    node.used = true;
    return node.value;
  }

  /** Replaces what stands there. */
  #add<Value extends Cacheable>(
    owner: Owner<Value>,
    offset: number,
    value: Value,
    list: List,
  ): void {
    assert(value.weight > 0, "what is cached weighs something, or the cache has no bound");
    value.hold?.();
    const before = owner.get(offset);
    if (before !== undefined) this.#whole.remove(before);
    const bytes = value.weight;
    const free = { used: false, newer: undefined, older: undefined };
    const node: Node<Value> = { owner, offset, value, bytes, list, ...free };
    owner.set(offset, node);
    this.#whole.add(node);
  }
}

/** The one entry that a file has of a kind. */
class Place<Value extends Cacheable> implements Owner<Value> {
  #node: Node<Value> | undefined;

  get(offset: number): Node<Value> | undefined {
    return this.#node?.offset === offset ? this.#node : undefined;
  }

  set(_offset: number, node: Node<Value>): void {
    this.#node = node;
  }

  delete(): void {
    this.#node = undefined;
  }

  values(): Iterable<Node<Value>> {
    return this.#node === undefined ? [] : [this.#node];
  }
}

/** The oldest that was not used since its last turn; used ones before it begin anew. */
function oldestUnused(list: List): Node {
  for (let spared = 0; ; spared++) {
    const node = list.oldest;
    assert(node !== undefined, "what has bytes has entries");
    if (!node.used || spared === MOST_SPARED) return node;
    node.used = false;
    unlink(node);
    push(node);
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
  assert(list.bytes >= 0, "a list gives back what it was charged");
}
