/** Bounds what an insertion moves: in a large table it must cost what it costs in a small one. */
const CHUNK_LENGTH = 512;

/**
 * Values in an order that its caller keeps: of any place that is asked for, all values behind it
 * are `isAfter`, and none before it. Sorted chunks under a list of chunks.
 */
export class OrderedList<T> {
  /** None is empty. */
  readonly #chunks: T[][] = [];

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** The first that `isAfter`. */
  first(isAfter: (each: T) => boolean): T | undefined {
    const chunk = this.#chunks[this.#chunkOf(isAfter)];
    return chunk?.[firstAfter(chunk, isAfter)];
  }

  /** Puts a value in front of the first that `isAfter`. */
  insert(value: T, isAfter: (each: T) => boolean): void {
    const at = Math.min(this.#chunkOf(isAfter), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([value]);
      return;
    }
    chunk.splice(firstAfter(chunk, isAfter), 0, value);
    if (chunk.length > CHUNK_LENGTH) {
      this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_LENGTH >> 1));
    }
  }

  /** Removes the first that `isAfter`, where there is one. */
  remove(isAfter: (each: T) => boolean): void {
    const at = this.#chunkOf(isAfter);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return;
    chunk.splice(firstAfter(chunk, isAfter), 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** From the first that `isAfter` on. */
  *from(isAfter: (each: T) => boolean): Generator<T> {
    let at = this.#chunkOf(isAfter);
    let index = firstAfter(this.#chunks[at] ?? [], isAfter);
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunks[at] as T[];
      for (; index < chunk.length; index++) yield chunk[index] as T;
    }
  }

  *[Symbol.iterator](): Generator<T> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  /** The first chunk that holds one that `isAfter`; behind all where none does. */
  #chunkOf(isAfter: (each: T) => boolean): number {
    return firstAfter(this.#chunks, (chunk) => isAfter(chunk.at(-1) as T));
  }
}

/** The index of the first that `isAfter`. */
function firstAfter<T>(all: readonly T[], isAfter: (each: T) => boolean): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(all[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
