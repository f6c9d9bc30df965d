import { assert } from "../base/assert.ts";

/** Bounds what an insertion moves; a million keys make a few thousand chunks. */
const CHUNK_KEYS = 512;

/**
 * A set of keys in byte order: sorted chunks under a sorted list of chunks, that is a B+tree of two
 * levels. A page costs two binary searches and its own length. Keys are ASCII (all else in them is
 * percent-encoded), so the engine's own comparison of texts is the order of their bytes.
 */
export class SortedKeys {
  readonly #chunks: string[][] = [];
  #size = 0;

  static of(key: string): SortedKeys {
    const keys = new SortedKeys();
    keys.add(key);
    return keys;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a key; one that is there stays. */
  add(key: string): void {
    const at = Math.max(0, this.#chunkOf(key));
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([key]);
      this.#size++;
      return;
    }
    const index = lowerBound(chunk, key);
    if (chunk[index] === key) return;
    chunk.splice(index, 0, key);
    this.#size++;
    if (chunk.length > CHUNK_KEYS) this.#split(at, index === chunk.length - 1);
  }

  /** Removes a key, if it is there. */
  delete(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    const index = lowerBound(chunk, key);
    if (chunk[index] !== key) return;
    chunk.splice(index, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Up to `limit` keys from `start` on, which counts itself if `inclusive`. */
  page(start: string, inclusive: boolean, limit: number): string[] {
    const out: string[] = [];
    let at = Math.max(0, this.#chunkOf(start));
    let chunk = this.#chunks[at];
    let index = chunk === undefined ? 0 : lowerBound(chunk, start);
    if (!inclusive && chunk?.[index] === start) index++;
    while (chunk !== undefined && out.length < limit) {
      const end = Math.min(chunk.length, index + limit - out.length);
      while (index < end) {
        const key = chunk[index++];
        assert(key !== undefined, "a chunk is dense");
        out.push(key);
      }
      chunk = this.#chunks[++at];
      index = 0;
    }
    return out;
  }

  /** A chunk that grew at its end grows so again (ids and times ascend): it is left full. */
  #split(at: number, grewAtEnd: boolean): void {
    const chunk = this.#chunks[at];
    assert(chunk !== undefined, "the chunk to split is there");
    const keep = grewAtEnd ? CHUNK_KEYS : CHUNK_KEYS >> 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(keep));
  }

  /** The last chunk whose first key is not greater than `key`; -1 before all of them. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.[0];
      assert(first !== undefined, "no chunk is empty");
      if (first <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Index of the first key that is not less than `key`. */
function lowerBound(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = chunk[middle];
    assert(found !== undefined, "a chunk is dense");
    if (found < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
