/*
 * V8 hashes numbers and bigints without a seed, so a stranger can choose ids that all fall into one
 * bucket of a `Map`: 30,000 of them took 1.5 s. It hashes texts with a seed of the process, as long
 * as they are not the digits of a small number and have at most 16,383 characters.
 */

type Id = number | bigint;

function keyOf(id: Id): string {
  return `#${id}`;
}

/** A map whose keys are ids that strangers choose. */
export class IdMap<K extends Id, V> {
  readonly #values: Map<string, V> = new Map();

  get size(): number {
    return this.#values.size;
  }

  get(id: K): V | undefined {
    return this.#values.get(keyOf(id));
  }

  has(id: K): boolean {
    return this.#values.has(keyOf(id));
  }

  set(id: K, value: V): this {
    this.#values.set(keyOf(id), value);
    return this;
  }

  delete(id: K): boolean {
    return this.#values.delete(keyOf(id));
  }

  /** In the order in which their ids first came. */
  values(): IterableIterator<V> {
    return this.#values.values();
  }
}

/** A set of ids that strangers choose, in the order in which they first came. */
export class IdSet<K extends Id> implements Iterable<K> {
  readonly #ids: Map<string, K> = new Map();

  constructor(ids: Iterable<K> = []) {
    for (const id of ids) this.add(id);
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: K): boolean {
    return this.#ids.has(keyOf(id));
  }

  add(id: K): this {
    const key = keyOf(id);
    if (!this.#ids.has(key)) this.#ids.set(key, id);
    return this;
  }

  delete(id: K): boolean {
    return this.#ids.delete(keyOf(id));
  }

  [Symbol.iterator](): IterableIterator<K> {
    return this.#ids.values();
  }
}
