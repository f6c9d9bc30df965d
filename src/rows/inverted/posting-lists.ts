import type { Maybe } from "../../lsm/index.ts";
import type { PackedView } from "../view-scan.ts";

/**
 * Keys of rows in their order, without the prefix that all of them have. `head` is valid until the
 * next `advance`, and undefined behind the last one.
 */
export interface KeyCursor {
  readonly head: Uint8Array | undefined;
  /** To the first key, or to the next one. */
  advance(): Maybe<void>;
  close(): void;
}

/** What was read of posting lists. */
export interface PostingCount {
  entries: number;
}

/** The rows of one term: what follows the term in the keys of its entries. */
export class PostingList implements KeyCursor {
  readonly #begin: () => PackedView;
  /** Bytes of the keys before the row's. */
  readonly #skip: number;
  readonly #count: PostingCount;
  #scan: PackedView | undefined;
  #keys: Uint8Array = NOTHING;
  #ends: ArrayLike<number> = [];
  #size = 0;
  #at = 0;
  head: Uint8Array | undefined;

  constructor(begin: () => PackedView, skip: number, count: PostingCount) {
    this.#begin = begin;
    this.#skip = skip;
    this.#count = count;
  }

  advance(): Maybe<void> {
    if (this.#at < this.#size) {
      this.#show();
      return;
    }
    this.#scan ??= this.#begin();
    const read = this.#scan.nextPacked();
    return read instanceof Promise ? read.then((packed) => this.#take(packed)) : this.#take(read);
  }

  close(): void {
    this.#scan?.close();
  }

  #take(packed: Awaited<ReturnType<PackedView["nextPacked"]>>): void {
    if (packed === undefined) {
      this.head = undefined;
      return;
    }
    this.#keys = packed.keys;
    this.#ends = packed.keyEnds;
    this.#size = packed.count;
    this.#at = 0;
    this.#count.entries += packed.count;
    this.#show();
  }

  #show(): void {
    const from = this.#at === 0 ? 0 : (this.#ends[this.#at - 1] as number);
    this.head = this.#keys.subarray(from + this.#skip, this.#ends[this.#at++] as number);
  }
}

const NOTHING = new Uint8Array(0);

/** Keys that all of several cursors have. */
export class Intersection implements KeyCursor {
  readonly #of: readonly KeyCursor[];
  #hasBegun = false;
  head: Uint8Array | undefined;

  constructor(of: readonly KeyCursor[]) {
    this.#of = of;
  }

  advance(): Maybe<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const begun = this.#of.map((one) => one.advance()).filter((one) => one instanceof Promise);
      return begun.length === 0 ? this.#align() : Promise.all(begun).then(() => this.#align());
    }
    const moved = this.#of[0]?.advance();
    return moved instanceof Promise ? moved.then(() => this.#align()) : this.#align();
  }

  close(): void {
    for (const one of this.#of) one.close();
  }

  /** Moves those that are behind, until all are at one key. */
  #align(): Maybe<void> {
    for (;;) {
      let highest: Uint8Array | undefined;
      for (const { head } of this.#of) {
        if (head === undefined) {
          this.head = undefined;
          return;
        }
        if (highest === undefined || Buffer.compare(head, highest) > 0) highest = head;
      }
      const behind = this.#of.find(({ head }) => !isSame(head, highest));
      if (behind === undefined) {
        this.head = highest;
        return;
      }
      const moved = behind.advance();
      if (moved instanceof Promise) return moved.then(() => this.#align());
    }
  }
}

/** Keys that any of several cursors has, each once. */
export class Union implements KeyCursor {
  readonly #of: readonly KeyCursor[];
  #hasBegun = false;
  head: Uint8Array | undefined;

  constructor(of: readonly KeyCursor[]) {
    this.#of = of;
  }

  advance(): Maybe<void> {
    const { head } = this;
    const due = this.#hasBegun ? this.#of.filter((one) => isSame(one.head, head)) : this.#of;
    this.#hasBegun = true;
    const moved = due.map((one) => one.advance()).filter((one) => one instanceof Promise);
    return moved.length === 0 ? this.#look() : Promise.all(moved).then(() => this.#look());
  }

  close(): void {
    for (const one of this.#of) one.close();
  }

  #look(): void {
    let lowest: Uint8Array | undefined;
    for (const { head } of this.#of) {
      if (head === undefined) continue;
      if (lowest === undefined || Buffer.compare(head, lowest) < 0) lowest = head;
    }
    this.head = lowest;
  }
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
}
