/** An entry between its neighbours in the order of use. */
interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly weight: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * A map bounded by the weight of its entries (their count, unless `weigh` says more): the least
 * recently used one goes first.
 *
 * The order is a list through the entries, so that a look at what is there takes one look-up and
 * leaves no hole in the map, as taking a key out and putting it in again would.
 */
export class LruMap<K, V> {
  readonly #entries: Map<K, Entry<K, V>> = new Map();
  readonly #capacity: number;
  readonly #weigh: (value: V) => number;
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;
  #weight = 0;

  constructor(capacity: number, weigh: (value: V) => number = () => 1) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Whether a key is there; it does not count as a use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }

  /** An entry heavier than the whole map is not kept. */
  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#capacity) return;
    const entry = { key, value, weight, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += weight;
    while (this.#weight > this.#capacity && this.#oldest !== undefined) this.#drop(this.#oldest);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#drop(entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  #drop(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#unlink(entry);
    this.#weight -= entry.weight;
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
