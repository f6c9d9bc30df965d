import { utf8 } from "../base/bytes.ts";
import type { Fragment } from "./fragment.ts";

/**
 * Parts of one chunk at most. An append copies half of it on average and prints all of it, an
 * answer gathers as many pieces as there are chunks.
 */
const CHUNK = 64;

/** Something with a text of its own, such as a snapshot. */
export interface Part {
  readonly fragment: Fragment;
}

/** Parts that follow each other. Never changed, so its bytes stand for it wherever it is shared. */
export class Chunk<T extends Part> {
  readonly items: readonly T[];
  #bytes: Uint8Array | undefined;

  constructor(items: readonly T[]) {
    this.items = items;
  }

  get isFull(): boolean {
    return this.items.length >= CHUNK;
  }

  /** UTF-8 of the parts, with a comma before each: the same array at every call. */
  get bytes(): Uint8Array {
    this.#bytes ??= utf8(`,${this.items.map(({ fragment }) => fragment.text).join(",")}`);
    return this.#bytes;
  }
}

/**
 * A long list that grows at its end with each commit, and now and then loses something anywhere.
 * Lists that are made from each other share every chunk that stays as it was, so a change costs one
 * chunk for each place of it, and a look at the chunks. Immutable.
 */
export class ChunkedList<T extends Part> implements Iterable<T> {
  readonly chunks: readonly Chunk<T>[];
  readonly length: number;
  /** Index of the first part of each chunk. */
  readonly #starts: readonly number[];

  private constructor(chunks: readonly Chunk<T>[]) {
    const starts: number[] = [];
    let length = 0;
    for (const { items } of chunks) {
      starts.push(length);
      length += items.length;
    }
    this.chunks = chunks;
    this.length = length;
    this.#starts = starts;
  }

  static of<T extends Part>(items: readonly T[]): ChunkedList<T> {
    return new ChunkedList(chunksOf(items));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const { items } of this.chunks) yield* items;
  }

  /** As of an array: from the end where the index is negative, undefined beyond. */
  at(index: number): T | undefined {
    const position = index < 0 ? this.length + index : index;
    if (position < 0 || position >= this.length) return undefined;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return this.chunks[low]?.items[position - (this.#starts[low] ?? 0)];
  }

  /** All parts, in an array of its own. */
  toArray(): T[] {
    return this.chunks.flatMap(({ items }) => items);
  }

  append(item: T): ChunkedList<T> {
    const last = this.chunks.at(-1);
    return last === undefined || last.isFull
      ? new ChunkedList([...this.chunks, new Chunk([item])])
      : new ChunkedList([...this.chunks.slice(0, -1), new Chunk([...last.items, item])]);
  }

  /** Without its first parts. */
  drop(count: number): ChunkedList<T> {
    if (count <= 0) return this;
    const chunks: Chunk<T>[] = [];
    for (const [i, chunk] of this.chunks.entries()) {
      const dropped = count - (this.#starts[i] ?? 0);
      if (dropped <= 0) chunks.push(chunk);
      else if (dropped < chunk.items.length) chunks.push(new Chunk(chunk.items.slice(dropped)));
    }
    return new ChunkedList(chunks);
  }

  /** Its last parts, or all where it has no more. */
  tail(count: number): readonly T[] {
    const parts: T[] = [];
    for (let chunk = this.chunks.length - 1; chunk >= 0 && parts.length < count; chunk--) {
      const { items = [] } = this.chunks[chunk] ?? {};
      parts.unshift(...items.slice(Math.max(0, items.length - (count - parts.length))));
    }
    return parts;
  }

  /** Those that are to stay; the list itself where all do. */
  filter(stays: (item: T, index: number) => boolean): ChunkedList<T> {
    const chunks: Chunk<T>[] = [];
    let index = 0;
    let loose: T[] = [];
    const settle = (): void => {
      chunks.push(...chunksOf(loose));
      loose = [];
    };
    for (const chunk of this.chunks) {
      const kept = chunk.items.filter((item) => stays(item, index++));
      const isWhole = kept.length === chunk.items.length;
      // A small one behind others that lost something joins them, or there would be ever more.
      if (isWhole && (loose.length === 0 || chunk.items.length > CHUNK / 2)) {
        settle();
        chunks.push(chunk);
      } else {
        loose.push(...kept);
      }
    }
    settle();
    const list = new ChunkedList(chunks);
    return list.length === this.length ? this : list;
  }

  /** Parts in chunks that another list does not share: all that it lacks, and what is near. */
  notShared(other: ChunkedList<T>): readonly T[] {
    const shared = new Set(other.chunks);
    return this.chunks.flatMap((chunk) => (shared.has(chunk) ? [] : chunk.items));
  }
}

function chunksOf<T extends Part>(items: readonly T[]): Chunk<T>[] {
  const chunks: Chunk<T>[] = [];
  for (let at = 0; at < items.length; at += CHUNK) {
    chunks.push(new Chunk(items.slice(at, at + CHUNK)));
  }
  return chunks;
}
