import { assert } from "../../../base/assert.ts";
import { FRAME_BYTES, fileSeed, openFrame } from "../../format/block-frame.ts";
import { DataBlock } from "../../format/data-block.ts";
import { DataBlockCursor } from "../../format/data-block-cursor.ts";
import { isBefore, type Key, type Sequence } from "../../format/entry.ts";
import { type FoundFrame, findFrames } from "../../format/frame-search.ts";
import { type IndexBlock, readIndexBlock } from "../../format/index-block.ts";
import { readIndexPart } from "../../format/index-part.ts";
import type { Fragment } from "../../format/range-map.ts";
import { decodeRanges } from "../../format/range-section.ts";
import { openSst } from "../../format/sst.ts";
import type { SstMeta } from "../../format/sst-meta.ts";
import { bytesOfUlid } from "../../format/ulid.ts";
import { damageText, harmless, type Loss, ofTable } from "./loss.ts";

/** Reads a range of a file, fewer bytes at its end; undefined where it is gone. */
export type ReadRange = (
  path: string,
  offset: number,
  bytes: number,
) => Promise<Uint8Array | undefined>;

/** A frame that has to be a data block, or bytes that should hold some and do not. */
interface Place extends FoundFrame {
  readonly isFrame: boolean;
}

/** Bytes that are read at once. */
const WINDOW_BYTES = 1_048_576;
const NO_BYTES = new Uint8Array(0);

/**
 * What is left of a table: its data blocks and its range tombstones, each proven by its checksum,
 * whatever became of its index, filters, statistics and footer. The manifest says how long the file
 * is and which keys it has.
 */
export class SalvageTable {
  readonly path: string;
  readonly meta: SstMeta;
  readonly ranges: readonly Fragment[];
  readonly #read: ReadRange;
  readonly #onLoss: (loss: Loss) => void;
  readonly #places: readonly Place[];
  readonly #seed: number;
  readonly #shift: number;
  readonly #check = new DataBlockCursor();
  #next = 0;
  #window: Uint8Array = NO_BYTES;
  #windowAt = 0;
  /** The last entry of the last block that was whole. */
  #key: Key = "";
  #sequence: Sequence = 0;
  /** Damage that the next whole block ends. */
  #gap: { readonly offset: number; readonly what: string } | undefined;
  #hasGap = false;
  #blocks = 0;

  private constructor(
    parts: Pick<SalvageTable, "path" | "meta" | "ranges">,
    read: ReadRange,
    onLoss: (loss: Loss) => void,
    places: readonly Place[],
  ) {
    this.path = parts.path;
    this.meta = parts.meta;
    this.ranges = parts.ranges;
    this.#read = read;
    this.#onLoss = onLoss;
    this.#places = places;
    const ascends = places.every(({ offset, bytes }, i) => {
      const next = places[i + 1];
      return bytes > 0 && (next === undefined || offset + bytes <= next.offset);
    });
    assert(ascends, "the blocks of a table lie one behind the other");
    this.#seed = fileSeed(bytesOfUlid(parts.meta.id));
    const { sequence, stats } = parts.meta;
    this.#shift = sequence === undefined ? 0 : Math.max(0, stats.minSequence - FILE_SEQUENCE);
  }

  /** Undefined where nothing of it is left, which `onLoss` has been told. */
  static async open(
    read: ReadRange,
    path: string,
    meta: SstMeta,
    onLoss: (loss: Loss) => void,
  ): Promise<SalvageTable | undefined> {
    const { fileBytes, tailBytes, stats } = meta;
    const tailAt = fileBytes - tailBytes;
    const tail = await read(path, tailAt, tailBytes);
    if (tail === undefined) {
      onLoss(ofTable(path, "the table is missing", stats));
      return undefined;
    }
    const opened = await openTail(read, path, meta, tail);
    if (opened.damage !== undefined) {
      onLoss(harmless(path, `${opened.damage}; its entries are read without it`, tailAt));
    }
    if (opened.ranges === undefined) {
      onLoss(ofTable(path, "its range tombstones are damaged", stats, tailAt));
    }
    const parts = { path, meta, ranges: opened.ranges ?? [] };
    return new SalvageTable(parts, read, onLoss, opened.places);
  }

  /** The next block that is whole and in order; undefined at the end. */
  async nextBlock(): Promise<DataBlock | undefined> {
    for (let place = this.#places[this.#next++]; place; place = this.#places[this.#next++]) {
      const block = place.isFrame ? await this.#block(place) : undefined;
      if (!place.isFrame) this.#gap ??= { offset: place.offset, what: "no data block is found" };
      if (block !== undefined) {
        this.#blocks++;
        return block;
      }
    }
    const { stats, whole } = this.meta;
    const isShort = !this.#hasGap && this.#blocks < (whole ?? stats).dataBlocks;
    if (isShort) this.#gap ??= { offset: 0, what: "data blocks are missing" };
    this.#endGap(stats.lastKey);
    return undefined;
  }

  async #block(place: Place): Promise<DataBlock | undefined> {
    const { offset } = place;
    try {
      const frame = await this.#bytesOf(place);
      const content = openFrame(frame, this.#seed, offset, "data block");
      const block = new DataBlock(content, offset, this.meta.id, false, this.#shift);
      this.#assertInOrder(block);
      return block;
    } catch (error) {
      this.#gap ??= { offset, what: damageText(error) };
      return undefined;
    }
  }

  /** Every entry, behind those of the block before. @throws FirnError `Corrupt`. */
  #assertInOrder(block: DataBlock): void {
    const cursor = this.#check;
    const { minSequence, maxSequence } = this.meta.stats;
    cursor.reset(block);
    let goesOn = cursor.next();
    const isBehind =
      goesOn &&
      (this.#key === "" || isBefore(this.#key, this.#sequence, cursor.key, cursor.sequence));
    if (!isBehind) throw block.corrupt(0, "it does not come behind the block before");
    const firstKey = cursor.key;
    let lastKey = firstKey;
    let lastSequence = cursor.sequence;
    for (; goesOn; goesOn = cursor.next()) {
      const { sequence } = cursor;
      if (sequence < minSequence || sequence > maxSequence) {
        throw block.corrupt(0, "a sequence that its table does not have");
      }
      lastKey = cursor.key;
      lastSequence = sequence;
    }
    this.#endGap(firstKey);
    this.#key = lastKey;
    this.#sequence = lastSequence;
  }

  /** Tells of damage that lies behind the last whole block, and before a key or with it. */
  #endGap(through: Key): void {
    const gap = this.#gap;
    if (gap === undefined) return;
    this.#gap = undefined;
    this.#hasGap = true;
    const { firstKey, maxSequence } = this.meta.stats;
    const from = this.#key === "" ? firstKey : this.#key;
    const extent = { firstKey: from, lastKey: through < from ? from : through, maxSequence };
    this.#onLoss(ofTable(this.path, gap.what, extent, gap.offset));
  }

  async #bytesOf({ offset, bytes }: Place): Promise<Uint8Array> {
    const at = offset - this.#windowAt;
    if (at < 0 || at + bytes > this.#window.length) {
      const length = Math.max(bytes, WINDOW_BYTES);
      this.#window = (await this.#read(this.path, offset, length)) ?? NO_BYTES;
      this.#windowAt = offset;
    }
    const from = offset - this.#windowAt;
    return this.#window.subarray(from, from + bytes);
  }
}

/** Of every entry in the file of an ingested table. */
const FILE_SEQUENCE = 1;

interface OpenedTail {
  readonly places: readonly Place[];
  /** Undefined where it had some that are lost. */
  readonly ranges: readonly Fragment[] | undefined;
  /** What is damaged. */
  readonly damage: string | undefined;
}

async function openTail(
  read: ReadRange,
  path: string,
  meta: SstMeta,
  tail: Uint8Array,
): Promise<OpenedTail> {
  const { fileBytes, tailBytes, stats } = meta;
  const tailAt = fileBytes - tailBytes;
  const seed = fileSeed(bytesOfUlid(meta.id));
  let index: IndexBlock | undefined;
  let ranges: readonly Fragment[] | undefined = stats.ranges === 0 ? [] : undefined;
  let damage: string | undefined;
  try {
    const opened = openSst(tail, meta);
    if (opened.state === "open") {
      index = opened.sst.index;
      ranges = opened.sst.ranges?.fragments() ?? [];
    } else damage = "its tail is not as long as its manifest says";
  } catch (error) {
    damage = damageText(error);
  }
  if (damage !== undefined) {
    const contents = contentsOf(tail, tailAt, seed);
    index = firstOf(contents, (content) => readIndexBlock(content, "index", { end: tailAt }));
    ranges ??= firstOf(contents, (content) => {
      const found = decodeRanges(content);
      return found.length === stats.ranges ? found : undefined;
    });
  }
  if (stats.entries === 0) return { places: [], ranges, damage };
  const listed = await placesIn(read, path, index, { seed, hasFilters: stats.filterParts > 0 });
  if (listed !== undefined) return { places: listed, ranges, damage };
  const dataEnd = index?.level === 1 ? index.start : tailAt;
  const data = (await read(path, 0, dataEnd)) ?? NO_BYTES;
  const places = withGaps(findFrames(data, 0, seed), dataEnd).slice(0, 2 * stats.dataBlocks + 1);
  return { places, ranges, damage: damage ?? "its index is damaged" };
}

/** Contents of the frames in the tail that are whole. */
function contentsOf(tail: Uint8Array, tailAt: number, seed: number): readonly Uint8Array[] {
  return findFrames(tail, tailAt, seed).flatMap(({ offset, bytes }) => {
    const at = offset - tailAt;
    try {
      return [openFrame(tail.subarray(at, at + bytes), seed, offset, "tail")];
    } catch (error) {
      damageText(error);
      return [];
    }
  });
}

/** Of the first content that can be read so. */
function firstOf<T>(
  contents: readonly Uint8Array[],
  decode: (content: Uint8Array) => T | undefined,
): T | undefined {
  for (const content of contents) {
    try {
      const decoded = decode(content);
      if (decoded !== undefined) return decoded;
    } catch (error) {
      damageText(error);
    }
  }
  return undefined;
}

/** The data blocks that an index names; undefined where a part of it is damaged. */
async function placesIn(
  read: ReadRange,
  path: string,
  index: IndexBlock | undefined,
  { seed, hasFilters }: { readonly seed: number; readonly hasFilters: boolean },
): Promise<readonly Place[] | undefined> {
  if (index === undefined) return undefined;
  if (index.level === 0) return placesOf(index);
  const places: Place[] = [];
  for (let part = 0; part < index.count; part++) {
    const offset = index.offset(part);
    const frame = (await read(path, offset, index.bytes(part))) ?? NO_BYTES;
    try {
      const content = openFrame(frame, seed, offset, "index part");
      const last = places.at(-1);
      const start = last === undefined ? 0 : last.offset + last.bytes;
      const leaf = readIndexPart(content, "index part", hasFilters);
      if (leaf.start !== start) return undefined;
      places.push(...placesOf(leaf));
    } catch (error) {
      damageText(error);
      return undefined;
    }
  }
  return places;
}

function placesOf(index: IndexBlock): readonly Place[] {
  return Array.from({ length: index.count }, (_, entry) => ({
    offset: index.offset(entry),
    bytes: index.bytes(entry),
    isFrame: true,
  }));
}

/** Frames that were found, and what lies between them: damaged ones. */
function withGaps(frames: readonly FoundFrame[], end: number): readonly Place[] {
  const places: Place[] = [];
  let at = 0;
  for (const frame of frames) {
    if (frame.offset > at) places.push({ offset: at, bytes: frame.offset - at, isFrame: false });
    places.push({ ...frame, isFrame: true });
    at = frame.offset + frame.bytes;
  }
  if (end - at > FRAME_BYTES) places.push({ offset: at, bytes: end - at, isFrame: false });
  return places;
}
