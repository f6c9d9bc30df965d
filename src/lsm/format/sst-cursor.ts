import { copyOf } from "../../base/bytes.ts";
import { BlockEntry } from "./block-entry.ts";
import { corrupt } from "./corrupt.ts";
import { type Cursor, END, ENTRY, MISS, type MissingBlock, type Step } from "./cursor.ts";
import type { DataBlock } from "./data-block.ts";
import { type Key, MAX_SEQUENCE, type Sequence, type ValueReference } from "./entry.ts";
import type { IndexBlock } from "./index-block.ts";
import type { Drain } from "./packed-rows.ts";
import type { Sst } from "./sst.ts";

/**
 * The blocks of one table that are in memory, by the offset of their frame. Any process that loads
 * a missing block keeps it in memory until the call that missed it has been repeated.
 */
export interface SstBlocks {
  data(offset: number): DataBlock | undefined;
  index(offset: number): IndexBlock | undefined;
}

/** A longer value is handed out as it lies in its block. */
const MOST_COPIED_BYTES = 4_096;

/** Moves over the entries of one table, through its index and the blocks that are in memory. */
export class SstCursor extends BlockEntry implements Cursor {
  readonly #sst: Sst;
  readonly #blocks: SstBlocks;
  readonly #isLasting: boolean;
  /** Undefined on the way to another part, whose entries are not those of the part before. */
  #block: DataBlock | undefined;
  /** The part of the index in which the block lies, and which of the parts it is. */
  #leaf: IndexBlock;
  #part = 0;
  /** The block, as an entry of the leaf. */
  #entry = 0;
  #missing: MissingBlock | undefined;

  /**
   * @param isLasting it stays on a block, or what it has shown is used, while others are loaded:
   *   its blocks are lent to it. Else nothing but a seek may follow.
   */
  constructor(sst: Sst, blocks: SstBlocks, isLasting = true) {
    super();
    this.#isLasting = isLasting;
    this.#sst = sst;
    this.#blocks = blocks;
    this.#leaf = sst.index;
  }

  /** The value for a caller, who may keep it: a view, so the block is left to the collector. */
  lentValue(): Uint8Array {
    this.#block?.lend();
    return this.value();
  }

  /** The same as a copy, unless that would be long: the block may be given back. */
  copiedValue(): Uint8Array {
    const { valueSource, valueStart, valueEnd } = this.cursor;
    if (valueEnd - valueStart > MOST_COPIED_BYTES) return this.lentValue();
    return copyOf(valueSource, valueStart, valueEnd);
  }

  /** To the newest version of a key that is not newer than `sequence`; else `END`. */
  find(key: Key, sequence: Sequence): Step {
    const entered = this.isNear(key) ? this.#enterAgain() : this.#enterFor(key, sequence);
    if (entered !== ENTRY) return entered;
    // Separators are entries' places: what is not in the block that they name is nowhere.
    return this.cursor.find(key, sequence) ? ENTRY : END;
  }

  /**
   * Whether a filter tells that a key is not in the table. Where that lies in a part that is not
   * in memory, `find` misses it.
   *
   * @param a its hashes (`hashKey`).
   */
  isFiltered(key: Key, a: number, b: number): boolean {
    const { filter, index, stats } = this.#sst;
    if (filter !== undefined) return !filter.mayContainHashed(a, b);
    if (stats.filterParts === 0) return false;
    const part = index.find(key, MAX_SEQUENCE);
    if (part === index.count) return true;
    const isHere = part === this.#part && this.#leaf !== index;
    const leaf = isHere ? this.#leaf : this.#blocks.index(index.offset(part));
    return leaf?.filter !== undefined && !leaf.filter.mayContainHashed(a, b);
  }

  /** Whether a key lies in the block of the one that was found last, behind that one. */
  isNear(key: Key): boolean {
    const before = this.cursor.foundKey;
    if (before === undefined || this.#block === undefined) return false;
    return key > before && key < this.#separator();
  }

  /** The block that it stands in, if that is in memory still. */
  #enterAgain(): Step {
    const offset = this.#leaf.offset(this.#entry);
    const block = this.#blocks.data(offset);
    if (block === this.#block && block !== undefined) return this.#at(ENTRY);
    return this.#enterBlock(this.#entry) ? ENTRY : MISS;
  }

  #separator(): Key {
    return this.#leaf.separators[this.#entry] as Key;
  }

  first(): Step {
    if (!this.#enterPart(0) || !this.#enterBlock(0)) return MISS;
    return this.cursor.first() ? ENTRY : END;
  }

  last(): Step {
    const { index } = this.#sst;
    if (!this.#enterPart(index.level === 0 ? 0 : index.count - 1)) return MISS;
    if (!this.#enterBlock(this.#leaf.count - 1)) return MISS;
    return this.cursor.last() ? ENTRY : END;
  }

  seek(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const entered = this.#enterFor(key, sequence);
    if (entered !== ENTRY) return entered;
    return this.cursor.seek(key, sequence) ? ENTRY : this.#onward();
  }

  seekBefore(key: Key, sequence: Sequence = MAX_SEQUENCE): Step {
    const entered = this.#enterFor(key, sequence);
    if (entered === MISS) return MISS;
    if (entered === END) return this.last();
    if (!this.cursor.seek(key, sequence)) return this.cursor.last() ? ENTRY : END;
    return this.cursor.prev() ? ENTRY : this.#backward();
  }

  next(): Step {
    // After a miss the block is still at its last entry, and says so again.
    if (this.cursor.next()) return ENTRY;
    return this.#onward();
  }

  prev(): Step {
    if (this.cursor.prev()) return ENTRY;
    return this.#backward();
  }

  /** Up to the end of its block. */
  drain(into: Drain): void {
    this.cursor.drain(into);
  }

  ahead(bytes: number): readonly ValueReference[] {
    return this.cursor.ahead(bytes);
  }

  missing(into: MissingBlock[]): void {
    if (this.#missing !== undefined) into.push(this.#missing);
  }

  /** Into the first block that may hold something at or after (key, sequence). */
  #enterFor(key: Key, sequence: Sequence): Step {
    const { index } = this.#sst;
    const part = index.level === 0 ? 0 : index.find(key, sequence);
    if (index.level === 1 && part === index.count) return this.#at(END);
    if (!this.#enterPart(part)) return MISS;
    const entry = this.#leaf.find(key, sequence);
    if (entry === this.#leaf.count) {
      // Above the last separator of a table's only index; a part was chosen by its last one.
      if (index.level === 0) return this.#at(END);
      throw corrupt("sst", "index part", index.offset(part), "ends before its separator");
    }
    return this.#enterBlock(entry) ? ENTRY : MISS;
  }

  #onward(): Step {
    if (this.#entry + 1 < this.#leaf.count) {
      if (!this.#enterBlock(this.#entry + 1)) return MISS;
    } else {
      const { index } = this.#sst;
      if (index.level === 0 || this.#part + 1 === index.count) return this.#at(END);
      if (!this.#enterPart(this.#part + 1)) return MISS;
      this.#entry = -1;
      if (!this.#enterBlock(0)) return MISS;
    }
    return this.cursor.first() ? ENTRY : END;
  }

  #backward(): Step {
    if (this.#entry > 0) {
      if (!this.#enterBlock(this.#entry - 1)) return MISS;
    } else {
      if (this.#sst.index.level === 0 || this.#part === 0) return this.#at(END);
      if (!this.#enterPart(this.#part - 1)) return MISS;
      this.#entry = this.#leaf.count;
      if (!this.#enterBlock(this.#entry - 1)) return MISS;
    }
    return this.cursor.last() ? ENTRY : END;
  }

  #at(step: Step): Step {
    this.#missing = undefined;
    return step;
  }

  /** Makes a part of the index the leaf; false where it is not in memory. */
  #enterPart(part: number): boolean {
    const { index } = this.#sst;
    if (index.level === 0) return true;
    if (part !== this.#part || this.#leaf === index) {
      const offset = index.offset(part);
      const leaf = this.#blocks.index(offset);
      if (leaf === undefined) return this.#lacks("index", offset, index.bytes(part));
      this.#leaf = leaf;
      this.#part = part;
      this.#block = undefined;
    }
    return true;
  }

  #enterBlock(entry: number): boolean {
    const offset = this.#leaf.offset(entry);
    const block = this.#blocks.data(offset);
    if (block === undefined) return this.#lacks("data", offset, this.#leaf.bytes(entry));
    this.#entry = entry;
    if (this.#isLasting) block.lend();
    this.#block = block;
    this.cursor.reset(block);
    this.#at(ENTRY);
    return true;
  }

  #lacks(kind: "data" | "index", offset: number, bytes: number): false {
    this.#missing = { file: this.#sst.id, kind, offset, bytes };
    return false;
  }
}
