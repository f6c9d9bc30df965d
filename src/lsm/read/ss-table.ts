import { assert } from "../../base/assert.ts";
import type { MissingBlock } from "../format/cursor.ts";
import { DataBlock } from "../format/data-block.ts";
import type { IndexBlock } from "../format/index-block.ts";
import type { Sst } from "../format/sst.ts";
import { type SstBlocks, SstCursor } from "../format/sst-cursor.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { BlockCache, CachedFile } from "./cache.ts";

/** A table whose tail is in memory, and the one cursor of all its look-ups. */
export class OpenTable {
  readonly sst: Sst;
  /**
   * A caller that moves it reads what it stands on before any other can move it: no await. Only
   * seeks: the block that it stands on may be gone by the next one.
   */
  readonly point: SstCursor;

  constructor(sst: Sst, blocks: SstBlocks) {
    this.sst = sst;
    this.point = new SstCursor(sst, blocks, false);
  }

  get weight(): number {
    return this.sst.weight;
  }
}

/** How much more to read where a scan is seen to go on, and which way. */
export interface ReadAhead {
  readonly bytes: number;
  readonly reverse: boolean;
}

/** Most of an index that is read ahead: parts of it say where some tens of MiB lie. */
const MOST_PARTS_BYTES = 128 * 1_024;

/** What lies at an offset of a table: the open table itself stands where its tail does. */
export type Loaded = OpenTable | DataBlock | IndexBlock;

/**
 * One table, with its parts as far as they are in memory. They lie in the cache, which is bounded
 * and shared; those that a caller waits for are held here in addition, so that however small the
 * cache is, what was loaded is there when the call that missed it is repeated.
 */
export class SsTable implements SstBlocks {
  readonly meta: SstMeta;
  /** Offset of the tail. */
  readonly tailAt: number;
  /** Requests under way, by the offsets of what they will bring. */
  readonly loading: Map<number, Promise<Map<number, Loaded>>>;
  readonly #cached: CachedFile<OpenTable>;
  readonly #held: Map<number, { readonly value: Loaded; holders: number }>;
  /** The part of an index that was asked for last: a scan goes on in it. */
  #leaf: IndexBlock | undefined;

  /** @param other the same file under another description, as views before read it. */
  constructor(meta: SstMeta, cache: BlockCache, other?: SsTable) {
    this.meta = meta;
    this.tailAt = meta.fileBytes - meta.tailBytes;
    assert(this.tailAt >= 0, "the tail is part of the file");
    this.loading = other?.loading ?? new Map();
    this.#cached = other === undefined ? cache.file() : other.#cached;
    this.#held = other === undefined ? new Map() : other.#held;
  }

  get open(): OpenTable | undefined {
    return this.#cached.tail(this.tailAt) ?? (this.#heldAt(this.tailAt) as OpenTable | undefined);
  }

  data(offset: number): DataBlock | undefined {
    return this.#cached.data(offset) ?? (this.#heldAt(offset) as DataBlock | undefined);
  }

  index(offset: number): IndexBlock | undefined {
    const leaf = this.#cached.index(offset) ?? (this.#heldAt(offset) as IndexBlock | undefined);
    if (leaf !== undefined) this.#leaf = leaf;
    return leaf;
  }

  /** What is missing while the table is not open. */
  get missingTail(): MissingBlock {
    const { id, tailBytes } = this.meta;
    return { file: id, kind: "index", offset: this.tailAt, bytes: tailBytes };
  }

  /** Puts something in memory, until it is let go as often as it was held. */
  hold(offset: number, value: Loaded): void {
    const held = this.#held.get(offset);
    if (held !== undefined) held.holders++;
    else {
      this.#held.set(offset, { value, holders: 1 });
      if (value instanceof DataBlock) value.hold();
    }
    if (value instanceof DataBlock) this.#cached.addData(offset, value);
    else if (value instanceof OpenTable) this.#cached.addTail(offset, value);
    else this.#cached.addIndex(offset, value);
  }

  letGo(offset: number): void {
    const held = this.#held.get(offset);
    assert(held !== undefined, "only what is held is let go");
    if (--held.holders > 0) return;
    this.#held.delete(offset);
    if (held.value instanceof DataBlock) held.value.letGo();
  }

  /** Its file is gone, or no reader will ask for it again. */
  forget(): void {
    this.#cached.clear();
  }

  /**
   * With the blocks that lie behind them, or before them, and are not in memory: data of the same
   * part of an index, or other parts.
   */
  withFollowing(
    sst: Sst,
    parts: readonly MissingBlock[],
    { bytes, reverse }: ReadAhead,
  ): readonly MissingBlock[] {
    const all = [...parts];
    for (const part of parts) {
      const isData = part.kind === "data";
      const leaf = isData ? this.#leafOf(sst, part.offset) : sst.index;
      if (leaf === undefined) continue;
      const mostBytes = isData ? bytes : Math.min(bytes, MOST_PARTS_BYTES);
      const step = reverse ? -1 : 1;
      let left = mostBytes - part.bytes;
      let entry = entryAt(leaf, part.offset) + step;
      for (; entry >= 0 && entry < leaf.count; entry += step) {
        const offset = leaf.offset(entry);
        left -= leaf.bytes(entry);
        const known = isData ? this.data(offset) : this.#cached.index(offset);
        if (left < 0 || known !== undefined || this.loading.has(offset)) break;
        all.push({ file: this.meta.id, kind: part.kind, offset, bytes: leaf.bytes(entry) });
      }
    }
    return all;
  }

  /** The index that names the block at an offset, if it is in memory. */
  #leafOf(sst: Sst, offset: number): IndexBlock | undefined {
    const { index } = sst;
    if (index.level === 0) return index;
    const last = this.#leaf;
    if (last !== undefined && last.start <= offset && offset < last.end) return last;
    for (let part = 0; part < index.count; part++) {
      const leaf = this.index(index.offset(part));
      if (leaf !== undefined && leaf.start <= offset && offset < leaf.end) return leaf;
    }
    return undefined;
  }

  #heldAt(offset: number): Loaded | undefined {
    return this.#held.get(offset)?.value;
  }
}

/** The entry of the frame that begins at an offset. */
function entryAt(leaf: IndexBlock, offset: number): number {
  let low = 0;
  let high = leaf.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (leaf.offset(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
