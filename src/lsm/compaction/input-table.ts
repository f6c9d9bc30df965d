import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import { corrupt } from "../format/corrupt.ts";
import {
  type BlockHandle,
  END,
  ENTRY,
  MISS,
  type MissingBlock,
  type Step,
} from "../format/cursor.ts";
import type { DataBlock } from "../format/data-block.ts";
import { bytesOfKey, type Key, MAX_SEQUENCE } from "../format/entry.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { openSst, type Sst } from "../format/sst.ts";
import { lowerBound, type SstMeta } from "../format/sst-meta.ts";
import { RunCursor, type RunTable } from "../read/run-cursor.ts";
import { isBelow, type KeyBounds } from "./bounds.ts";
import type { Want } from "./merger.ts";

/**
 * A table that is read once, from the first block that may hold a key within the bounds to the last
 * one: it asks for windows of adjacent blocks ahead of the cursor, and forgets each block when the
 * cursor has left it.
 */
export class InputTable implements RunTable {
  readonly meta: SstMeta;
  /** Entries that were merged. */
  entries = 0;
  /** The cursor is in a block in which keys beyond the bounds may lie. */
  isLast = false;
  /** What it was asked for last lies beyond the bounds. */
  isOver = false;
  readonly #bounds: KeyBounds;
  readonly #windowBytes: number;
  readonly #tailAt: number;
  #open: { readonly sst: Sst } | undefined;
  /** Ranges that were asked for and have not come, by offset, with the blocks that lie in them. */
  readonly #asked = new Map<number, readonly BlockHandle[]>();
  readonly #frames = new Map<number, Uint8Array>();
  readonly #parts = new Map<number, IndexBlock>();
  /** The block that the cursor is in: a call that is made again finds it. */
  #current: { readonly offset: number; readonly block: DataBlock } | undefined;
  /** What it was read with, of which it may be a view. */
  #window: ArrayBufferLike | undefined;
  /** Of blocks that were asked for and not entered yet. */
  #aheadBytes = 0;
  /** The next block to ask for: which part of the index, and which of its entries. */
  #part = 0;
  #entry = 0;
  /** The last part to ask for. */
  #lastPart = 0;
  /** The part and the block that reach up to the end of the bounds, where it is not behind all. */
  #lastPartOffset = Number.POSITIVE_INFINITY;
  #lastOffset = Number.POSITIVE_INFINITY;

  constructor(meta: SstMeta, windowBytes: number, bounds: KeyBounds) {
    this.meta = meta;
    this.#windowBytes = windowBytes;
    const bound = lowerBound(meta);
    this.#bounds = { from: bounds.from > bound ? bounds.from : bound, to: bounds.to };
    this.#tailAt = meta.fileBytes - meta.tailBytes;
  }

  get open(): { readonly sst: Sst } | undefined {
    return this.#open;
  }

  get missingTail(): MissingBlock {
    const { id, tailBytes } = this.meta;
    return { file: id, kind: "index", offset: this.#tailAt, bytes: tailBytes };
  }

  data(offset: number): DataBlock | undefined {
    if (this.#current?.offset === offset) return this.#current.block;
    const frame = this.#frames.get(offset);
    if (frame === undefined || this.#open === undefined) {
      this.isOver = offset > this.#lastOffset;
      return undefined;
    }
    this.#frames.delete(offset);
    this.#aheadBytes -= frame.length;
    this.#enter(frame.buffer);
    this.isLast = offset >= this.#lastOffset;
    this.#current = { offset, block: this.#open.sst.dataBlock(frame, offset, "passing") };
    return this.#current.block;
  }

  index(offset: number): IndexBlock | undefined {
    const part = this.#parts.get(offset);
    this.isOver = part === undefined && offset > this.#lastPartOffset;
    return part;
  }

  /** All of its blocks within the bounds were asked for. */
  get isAsked(): boolean {
    return this.#open !== undefined && this.#part > this.#lastPart;
  }

  /** Asks for what the cursor will need next, as far as that is known and room is left. */
  ask(wants: Want[]): void {
    if (this.#open === undefined) {
      this.#want(this.#tailAt, this.meta.tailBytes, [], wants);
      return;
    }
    const { index } = this.#open.sst;
    while (this.#aheadBytes < this.#windowBytes && this.#part <= this.#lastPart) {
      const leaf = this.#leaf(index);
      if (leaf === undefined) {
        this.#want(index.offset(this.#part), index.bytes(this.#part), [], wants);
        return;
      }
      this.#askWindow(leaf, wants);
    }
  }

  /** Takes in a range that was asked for. @throws FirnError `Corrupt`. */
  feed(offset: number, bytes: Uint8Array): void {
    const blocks = this.#asked.get(offset);
    assert(blocks !== undefined, "only what was asked for is fed");
    this.#asked.delete(offset);
    if (offset === this.#tailAt) {
      const { id, fileBytes, sequence } = this.meta;
      const opened = openSst(bytes, { id, fileBytes, sequence });
      if (opened.state === "short") throw corrupt("sst", "tail", offset, "longer than described");
      this.#open = { sst: opened.sst };
      if (this.meta.stats.entries > 0) this.#begin(opened.sst.index);
    } else if (blocks.length === 0) {
      const leaf = (this.#open as { sst: Sst }).sst.indexPart(bytes, offset);
      this.#parts.set(offset, leaf);
      this.#beginPart(leaf);
    }
    for (const block of blocks) {
      const at = block.offset - offset;
      this.#frames.set(block.offset, bytes.subarray(at, at + block.bytes));
    }
  }

  /** A window that was left is given back at once: that many arrays are costly to collect. */
  #enter(window: ArrayBufferLike): void {
    if (this.#window === window) return;
    if (this.#window instanceof ArrayBuffer) this.#window.transfer(0);
    this.#window = window;
  }

  /** Finds where the bounds begin and end in the index. */
  #begin(index: IndexBlock): void {
    const { from, to } = this.#bounds;
    if (index.level === 0) {
      this.#beginPart(index);
      return;
    }
    this.#part = index.find(from, MAX_SEQUENCE);
    const last = index.find(to, MAX_SEQUENCE);
    if (last < index.count) this.#lastPartOffset = index.offset(last);
    this.#lastPart = Math.min(last, index.count - 1);
  }

  /** The part of the index that is to be asked for next has come. */
  #beginPart(leaf: IndexBlock): void {
    const { from, to } = this.#bounds;
    // In a part behind the first one this is its first block.
    this.#entry = leaf.find(from, MAX_SEQUENCE);
    if (this.#entry === leaf.count) this.#part++;
    if (this.#part !== this.#lastPart) return;
    const last = leaf.find(to, MAX_SEQUENCE);
    if (last < leaf.count) this.#lastOffset = leaf.offset(last);
  }

  #leaf(index: IndexBlock): IndexBlock | undefined {
    return index.level === 0 ? index : this.#parts.get(index.offset(this.#part));
  }

  #askWindow(leaf: IndexBlock, wants: Want[]): void {
    const offset = leaf.offset(this.#entry);
    const blocks: BlockHandle[] = [];
    let length = 0;
    let isOver = false;
    for (; this.#entry < leaf.count && !isOver && length < this.#windowBytes; this.#entry++) {
      const bytes = leaf.bytes(this.#entry);
      blocks.push({ kind: "data", offset: offset + length, bytes });
      isOver = offset + length >= this.#lastOffset;
      length += bytes;
    }
    this.#aheadBytes += length;
    if (isOver || this.#entry === leaf.count) {
      this.#part++;
      this.#entry = 0;
    }
    this.#want(offset, length, blocks, wants);
  }

  #want(offset: number, bytes: number, blocks: readonly BlockHandle[], wants: Want[]): void {
    if (this.#asked.has(offset)) return;
    this.#asked.set(offset, blocks);
    wants.push({ table: this.meta.id, offset, bytes });
  }
}

/** What lies within the bounds of one input of a merge. Its faults name the table. */
export class InputRun extends RunCursor {
  readonly #tables: readonly InputTable[];
  readonly #from: Key;
  readonly #to: Uint8Array;
  /** What `first` came to: a block that a seek has gone past does not come again. */
  #begun: Step = MISS;

  constructor(tables: readonly InputTable[], { from, to }: KeyBounds) {
    super(tables);
    this.#tables = tables;
    this.#from = from;
    this.#to = bytesOfKey(to);
  }

  /** May be called again until the first `next`. */
  override first(): Step {
    try {
      if (this.#begun === MISS) this.#begun = this.#within(super.seek(this.#from));
      return this.#begun;
    } catch (error) {
      throw inTable(error, this.table?.meta);
    }
  }

  override next(): Step {
    try {
      return this.#within(super.next());
    } catch (error) {
      throw inTable(error, this.table?.meta);
    }
  }

  /** Accounts for the entry that it stands on. */
  count(): void {
    (this.table as InputTable).entries++;
  }

  /** Its tables do not overlap: what lies beyond the bounds in one does so in all that follow. */
  #within(step: Step): Step {
    if (step === END) return END;
    const table = this.table as InputTable;
    if (step === MISS) return table.isOver ? END : MISS;
    return table.isLast && !isBelow(this.entry, this.#to) ? END : ENTRY;
  }

  /** Asks for what the current table needs, and for the next one before it is entered. */
  ask(wants: Want[]): void {
    const at = Math.max(0, this.#tables.indexOf(this.table as InputTable));
    const table = this.#tables[at];
    table?.ask(wants);
    if (table?.isAsked === true) this.#tables[at + 1]?.ask(wants);
  }
}

/** The same error, naming the table that it was found in. */
export function inTable(error: unknown, meta: SstMeta | undefined): unknown {
  if (!(error instanceof FirnError) || meta === undefined) return error;
  const { kind, code, message, context } = error;
  return new FirnError(kind, code, message, { ...context, table: meta.id });
}
