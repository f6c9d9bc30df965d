import { utf8, utf8Length } from "../base/bytes.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import type { Fragment } from "./fragment.ts";

/**
 * Parts of one chunk at most. An append copies references to half of it on average, an answer
 * gathers as many pieces as there are chunks.
 */
const CHUNK = 64;

/** Something with its own text, such as a snapshot. */
export interface Part {
  readonly fragment: Fragment;
}

/** Memory that the bytes of a chunk lie in, with room for those of the parts that come next. */
interface Run {
  readonly memory: Buffer;
  used: number;
}

/**
 * Parts that follow each other. Never changed, so its bytes stand for it wherever it is shared.
 *
 * Chunks that grow out of each other share their memory: a part is encoded once, behind those
 * before it, and a chunk without its first parts is a view of the same bytes. Invariant: bytes
 * that a chunk has are never written again, only those behind all that were.
 */
export class Chunk<T extends Part> {
  readonly items: readonly T[];
  #bytes: Uint8Array | undefined;
  /** Where the bytes lie, if others may be added behind them. */
  readonly #run: Run | undefined;

  constructor(items: readonly T[], run?: Run, bytes?: Uint8Array) {
    this.items = items;
    this.#run = run;
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.items.length >= CHUNK;
  }

  /** UTF-8 of the parts, with a comma before each: the same array at every call. */
  get bytes(): Uint8Array {
    this.#bytes ??= utf8(`,${this.items.map(({ fragment }) => fragment.text).join(",")}`);
    return this.#bytes;
  }

  /** With one part more. Costs the part alone where the bytes of this one are made. */
  with(item: T): Chunk<T> {
    const items = [...this.items, item];
    if (this.#bytes === undefined) return new Chunk(items);
    const text = `,${item.fragment.text}`;
    const length = utf8Length(text);
    const run = this.#runFor(this.#bytes, length, items.length);
    const from = run.used - this.#bytes.length;
    run.used += run.memory.write(text, run.used);
    return new Chunk(items, run, run.memory.subarray(from, run.used));
  }

  /** The run that ends with these bytes and has room for more: a copy where this one has not. */
  #runFor(bytes: Uint8Array, more: number, parts: number): Run {
    const run = this.#run;
    if (run !== undefined && run.used + more <= run.memory.length) {
      // Another chunk may have grown out of this one before.
      if (bytes.byteOffset + bytes.length === run.memory.byteOffset + run.used) return run;
    }
    const length = bytes.length + more;
    const whenFull = Math.ceil((length / parts) * CHUNK);
    const memory = Buffer.allocUnsafeSlow(Math.max(length, Math.min(2 * length, whenFull)));
    memory.set(bytes);
    return { memory, used: bytes.length };
  }

  /** Without its first parts. */
  without(count: number): Chunk<T> {
    const items = this.items.slice(count);
    if (this.#bytes === undefined) return new Chunk(items);
    let gone = 0;
    for (const { fragment } of this.items.slice(0, count)) gone += 1 + utf8Length(fragment.text);
    return new Chunk(items, this.#run, this.#bytes.subarray(gone));
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

  static ofChunks<T extends Part>(chunks: readonly Chunk<T>[]): ChunkedList<T> {
    return new ChunkedList(chunks);
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

  /** All parts, in its own array. */
  toArray(): T[] {
    return this.chunks.flatMap(({ items }) => items);
  }

  append(item: T): ChunkedList<T> {
    const last = this.chunks.at(-1);
    return last === undefined || last.isFull
      ? new ChunkedList([...this.chunks, new Chunk([item])])
      : new ChunkedList([...this.chunks.slice(0, -1), last.with(item)]);
  }

  appendAll(items: readonly T[]): ChunkedList<T> {
    const chunks = [...this.chunks];
    let taken = 0;
    let last = chunks.at(-1);
    for (; last !== undefined && !last.isFull && taken < items.length; taken++) {
      const item = items[taken];
      if (item !== undefined) last = last.with(item);
    }
    if (last !== undefined) chunks[chunks.length - 1] = last;
    for (const chunk of chunksOf(items.slice(taken))) chunks.push(chunk);
    return items.length === 0 ? this : new ChunkedList(chunks);
  }

  /** Without its first parts. */
  drop(count: number): ChunkedList<T> {
    if (count <= 0) return this;
    const chunks: Chunk<T>[] = [];
    for (const [i, chunk] of this.chunks.entries()) {
      const dropped = count - (this.#starts[i] ?? 0);
      if (dropped <= 0) chunks.push(chunk);
      else if (dropped < chunk.items.length) chunks.push(chunk.without(dropped));
    }
    return new ChunkedList(chunks);
  }

  /** Its last parts, or all where it has no more. */
  tail(count: number): readonly T[] {
    const parts: T[] = [];
    for (let chunk = this.chunks.length - 1; chunk >= 0 && parts.length < count; chunk--) {
      const { items = [] } = this.chunks[chunk] ?? {};
      const from = Math.max(0, items.length - (count - parts.length));
      for (let i = items.length - 1; i >= from; i--) {
        const item = items[i];
        if (item !== undefined) parts.push(item);
      }
    }
    return parts.reverse();
  }

  /** Those that are to stay; the list itself where all do. */
  filter(stays: (item: T, index: number) => boolean): ChunkedList<T> {
    return atOnce(this.filterSteps(stays));
  }

  /** As `filter`, of a list that may be long. */
  *filterSteps(stays: (item: T, index: number) => boolean): Steps<ChunkedList<T>> {
    const chunks: Chunk<T>[] = [];
    let index = 0;
    let loose: T[] = [];
    const settle = (): void => {
      for (const chunk of chunksOf(loose)) chunks.push(chunk);
      loose = [];
    };
    for (const chunk of this.chunks) {
      yield;
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

  /** Chunks that another list does not share: they hold all that it lacks, and what is near. */
  notShared(other: ChunkedList<T>): readonly Chunk<T>[] {
    const shared = new Set(other.chunks);
    return this.chunks.filter((chunk) => !shared.has(chunk));
  }
}

function chunksOf<T extends Part>(items: readonly T[]): Chunk<T>[] {
  const chunks: Chunk<T>[] = [];
  for (let at = 0; at < items.length; at += CHUNK) {
    chunks.push(new Chunk(items.slice(at, at + CHUNK)));
  }
  return chunks;
}
