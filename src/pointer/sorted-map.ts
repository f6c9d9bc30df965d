import { assert } from "../base/assert.ts";

/** Bounds what an insertion moves; a million keys make a few thousand chunks. */
const CHUNK_KEYS = 512;

/** A run of keys in order, with the value of each at the same index: a page of either is a copy. */
interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map by keys in byte order: sorted chunks under a sorted list of chunks, that is a B+tree of two
 * levels. A page costs two binary searches and its own length. Keys are ASCII (all else in them is
 * percent-encoded), so the engine's own comparison of texts is the order of their bytes.
 */
export class SortedMap<V> {
  readonly #chunks: Chunk<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a key, or gives one that is there another value. */
  set(key: string, value: V): void {
    const at = Math.max(0, this.#chunkOf(key));
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push({ keys: [key], values: [value] });
      this.#size++;
      return;
    }
    const { keys, values } = chunk;
    const index = lowerBound(keys, key);
    if (keys[index] === key) {
      values[index] = value;
      return;
    }
    keys.splice(index, 0, key);
    values.splice(index, 0, value);
    this.#size++;
    if (keys.length > CHUNK_KEYS) this.#split(at, index === keys.length - 1);
  }

  /** Removes a key, if it is there. */
  delete(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const { keys, values } = chunk;
    const index = lowerBound(keys, key);
    if (keys[index] !== key) return;
    keys.splice(index, 1);
    values.splice(index, 1);
    this.#size--;
    if (keys.length === 0) this.#chunks.splice(at, 1);
  }

  /** Up to `limit` keys from `start` on, which counts itself if `inclusive`. */
  keys(start: string, inclusive: boolean, limit: number): string[] {
    return this.#page(start, inclusive, limit, ({ keys }) => keys);
  }

  /** The values of the same keys. */
  values(start: string, inclusive: boolean, limit: number): V[] {
    return this.#page(start, inclusive, limit, ({ values }) => values);
  }

  #page<T>(
    start: string,
    inclusive: boolean,
    limit: number,
    column: (chunk: Chunk<V>) => readonly T[],
  ): T[] {
    const parts: (readonly T[])[] = [];
    let left = limit;
    let at = Math.max(0, this.#chunkOf(start));
    let chunk = this.#chunks[at];
    let index = chunk === undefined ? 0 : lowerBound(chunk.keys, start);
    if (!inclusive && chunk?.keys[index] === start) index++;
    while (chunk !== undefined && left > 0) {
      const part = column(chunk).slice(index, index + left);
      parts.push(part);
      left -= part.length;
      chunk = this.#chunks[++at];
      index = 0;
    }
    return parts.flat() as T[];
  }

  /** A chunk that grew at its end grows so again (ids and times ascend): it is left full. */
  #split(at: number, grewAtEnd: boolean): void {
    const chunk = this.#chunks[at];
    assert(chunk !== undefined, "the chunk to split is there");
    const keep = grewAtEnd ? CHUNK_KEYS : CHUNK_KEYS >> 1;
    const right = { keys: chunk.keys.splice(keep), values: chunk.values.splice(keep) };
    this.#chunks.splice(at + 1, 0, right);
  }

  /** The last chunk whose first key is not greater than `key`; -1 before all of them. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.keys[0];
      assert(first !== undefined, "no chunk is empty");
      if (first <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Index of the first key that is not less than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = keys[middle];
    assert(found !== undefined, "a chunk is dense");
    if (found < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
