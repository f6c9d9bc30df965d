import { assert } from "../../base/assert.ts";
import { CatalogError } from "../../base/error.ts";
import { corrupt } from "../format/corrupt.ts";
import type { BlockHandle, MissingBlock, Step } from "../format/cursor.ts";
import type { DataBlock } from "../format/data-block.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { openSst, type Sst } from "../format/sst.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { RunCursor, type RunTable } from "../run-cursor.ts";
import type { Want } from "./merger.ts";

/**
 * A table that is read once, from its start to its end: it asks for windows of adjacent blocks
 * ahead of the cursor, and forgets each block when the cursor has left it.
 */
export class InputTable implements RunTable {
  readonly meta: SstMeta;
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

  constructor(meta: SstMeta, windowBytes: number) {
    this.meta = meta;
    this.#windowBytes = windowBytes;
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
    if (frame === undefined || this.#open === undefined) return undefined;
    this.#frames.delete(offset);
    this.#aheadBytes -= frame.length;
    this.#enter(frame.buffer);
    this.#current = { offset, block: this.#open.sst.dataBlock(frame, offset, "passing") };
    return this.#current.block;
  }

  index(offset: number): IndexBlock | undefined {
    return this.#parts.get(offset);
  }

  /** All of its blocks were asked for. */
  get isAsked(): boolean {
    return this.#open !== undefined && this.#part >= this.#partCount(this.#open.sst);
  }

  /** Asks for what the cursor will need next, as far as that is known and room is left. */
  ask(wants: Want[]): void {
    if (this.#open === undefined) {
      this.#want(this.#tailAt, this.meta.tailBytes, [], wants);
      return;
    }
    const { sst } = this.#open;
    while (this.#aheadBytes < this.#windowBytes && this.#part < this.#partCount(sst)) {
      const leaf = this.#leaf(sst);
      if (leaf === undefined) {
        this.#want(sst.index.offset(this.#part), sst.index.bytes(this.#part), [], wants);
        return;
      }
      this.#askWindow(leaf, wants);
    }
  }

  /** Takes in a range that was asked for. @throws CatalogError `Corrupt`. */
  feed(offset: number, bytes: Uint8Array): void {
    const blocks = this.#asked.get(offset);
    assert(blocks !== undefined, "only what was asked for is fed");
    this.#asked.delete(offset);
    if (offset === this.#tailAt) {
      const { id, fileBytes } = this.meta;
      const opened = openSst(bytes, { id, fileBytes });
      if (opened.state === "short") throw corrupt("sst", "tail", offset, "longer than described");
      this.#open = { sst: opened.sst };
    } else if (blocks.length === 0) {
      this.#parts.set(offset, (this.#open as { sst: Sst }).sst.indexPart(bytes, offset));
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

  #partCount({ index }: Sst): number {
    return index.level === 0 ? 1 : index.count;
  }

  #leaf({ index }: Sst): IndexBlock | undefined {
    return index.level === 0 ? index : this.#parts.get(index.offset(this.#part));
  }

  #askWindow(leaf: IndexBlock, wants: Want[]): void {
    const offset = leaf.offset(this.#entry);
    const blocks: BlockHandle[] = [];
    let length = 0;
    for (; this.#entry < leaf.count && length < this.#windowBytes; this.#entry++) {
      const bytes = leaf.bytes(this.#entry);
      blocks.push({ kind: "data", offset: offset + length, bytes });
      length += bytes;
    }
    this.#aheadBytes += length;
    if (this.#entry === leaf.count) {
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

/** One input of a merge, whose faults name the table. */
export class InputRun extends RunCursor {
  readonly #tables: readonly InputTable[];

  constructor(tables: readonly InputTable[]) {
    super(tables);
    this.#tables = tables;
  }

  override first(): Step {
    try {
      return super.first();
    } catch (error) {
      throw inTable(error, this.table?.meta);
    }
  }

  override next(): Step {
    try {
      return super.next();
    } catch (error) {
      throw inTable(error, this.table?.meta);
    }
  }

  /** Asks for what the table at hand needs, and for the next one before it is entered. */
  ask(wants: Want[]): void {
    const at = Math.max(0, this.#tables.indexOf(this.table as InputTable));
    const table = this.#tables[at];
    table?.ask(wants);
    if (table?.isAsked === true) this.#tables[at + 1]?.ask(wants);
  }
}

/** The same error, naming the table that it was found in. */
export function inTable(error: unknown, meta: SstMeta | undefined): unknown {
  if (!(error instanceof CatalogError) || meta === undefined) return error;
  const { kind, code, message, context } = error;
  return new CatalogError(kind, code, message, { ...context, table: meta.id });
}
