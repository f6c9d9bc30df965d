import { assert } from "../../base/assert.ts";
import { keepShape } from "../../base/shape.ts";
import { LSM_LIMITS } from "../limits.ts";
import { type Compression, FRAME_BYTES, fileSeed, writeFrame } from "./block-frame.ts";
import { BloomBuilder } from "./bloom.ts";
import type { EntryBytes } from "./cursor.ts";
import { DataBlockWriter } from "./data-block-writer.ts";
import {
  APART,
  assertSequence,
  DELETE,
  EXPIRES,
  type Key,
  type Kind,
  keyAfter,
  latin1Text,
  MERGE,
  PUT,
  plainKind,
  type Sequence,
} from "./entry.ts";
import { PREFIX_FILTER } from "./features.ts";
import { encodeFooter, FOOTER_BYTES, type Section } from "./footer.ts";
import { IndexBuilder, shortestSeparator } from "./index-block.ts";
import { encodeIndexPart } from "./index-part.ts";
import { keyScratch } from "./key-bytes.ts";
import { LastKey } from "./last-key.ts";
import { encodePrefixFilter, type PrefixRule, prefixBytes } from "./prefix-filter.ts";
import type { Fragment } from "./range-map.ts";
import { encodeRanges, rangeBytes } from "./range-section.ts";
import { encodeStats, featuresOf, type SstMeta, type SstStats } from "./sst-meta.ts";
import { bytesOfUlid, type Ulid } from "./ulid.ts";
import { decodeReference } from "./value-reference.ts";

export interface SstOptions {
  readonly compression: Compression;
  /** Content at which a data block ends. */
  readonly blockBytes: number;
  /** Bits a key of the Bloom filter; 0 for no filter. */
  readonly filterBitsPerKey: number;
  /** Of which prefixes a filter is made; undefined: of none. */
  readonly prefixes: PrefixRule | undefined;
  /** Content at which an index is cut into parts, with an index of the parts above them. */
  readonly indexPartBytes: number;
  /**
   * Size of a filter at which it is cut, with the index: what a look-up reads of a large table. As
   * a data block has, unless told otherwise; infinite: it is never cut.
   */
  readonly filterPartBytes: number;
  /** What `takeChunks` hands out at a time, unless a part is larger. */
  readonly chunkBytes: number;
}

export const SST_DEFAULTS: SstOptions = {
  compression: "none",
  blockBytes: 16 * 1024,
  filterBitsPerKey: 10,
  prefixes: undefined,
  indexPartBytes: 128 * 1024,
  filterPartBytes: 16 * 1024,
  chunkBytes: 256 * 1024,
};

/** The id of a value apart, as a field of the statistics. */
const APART_ID_BYTES = 18;

/** Bits of a prefix in its filter. */
const PREFIX_BITS = 10;

interface IndexPart {
  readonly content: Uint8Array;
  readonly last: Key;
  readonly sequence: Sequence;
}

/**
 * Encodes a table as its entries come, in the engine's order. The file is what `takeChunks` hands
 * out, in that order: a caller that drains it between calls holds one chunk and the tail at most.
 *
 * File: data blocks, parts of index and filter if there are several, then the tail: index, filter
 * if it is whole, statistics, range tombstones, filter of prefixes, footer. Grammar:
 * `docs/formats/sstable.md`.
 */
export class SstWriter {
  readonly #id: Ulid;
  readonly #options: SstOptions;
  readonly #seed: number;
  readonly #block: DataBlockWriter;
  readonly #filter: BloomBuilder | undefined;
  readonly #prefixes: BloomBuilder | undefined;
  /** Bytes of the last key's prefix. */
  #prefixBytes = 0;
  readonly #index: IndexBuilder = new IndexBuilder(0);
  readonly #parts: IndexPart[] = [];
  #partBytes = 0;
  #chunks: Uint8Array[] = [];
  /** The chunk that is being filled, and how far it is. */
  #open: Buffer = Buffer.alloc(0);
  #openBytes = 0;
  #offset = 0;
  #blockOffset = 0;
  /** A finished block waits for the key after it, which its separator depends on. */
  #blockStored = 0;
  #firstKey: Key = "";
  readonly #last: LastKey = new LastKey();
  #lastSequence: Sequence = 0;
  #entries = 0;
  #deletions = 0;
  #keys = 0;
  #minSequence = Number.MAX_SAFE_INTEGER;
  #maxSequence = 0;
  #rawBytes = 0;
  #dataBlocks = 0;
  #merges = 0;
  #expiring = 0;
  #firstExpiryMs = Number.MAX_SAFE_INTEGER;
  #lastExpiryMs = 0;
  readonly #apartIds: Uint8Array[] = [];
  #apartBytes = 0;
  readonly #ranges: Fragment[] = [];
  #rangeBytes = 0;
  #finished = false;

  constructor(id: Ulid, options: Partial<SstOptions> = {}) {
    this.#id = id;
    const { blockBytes: filterPartBytes = SST_DEFAULTS.blockBytes } = options;
    this.#options = { ...SST_DEFAULTS, filterPartBytes, ...options };
    this.#seed = fileSeed(bytesOfUlid(id));
    this.#block = new DataBlockWriter(this.#options.blockBytes);
    const bits = this.#options.filterBitsPerKey;
    this.#filter = bits > 0 ? new BloomBuilder(bits) : undefined;
    this.#prefixes = this.#options.prefixes && new BloomBuilder(PREFIX_BITS);
  }

  get entries(): number {
    return this.#entries;
  }

  /** Values apart that its entries refer to. */
  get apart(): number {
    return this.#apartIds.length;
  }

  get #isCut(): boolean {
    return this.#filter !== undefined && this.#options.filterPartBytes < Number.POSITIVE_INFINITY;
  }

  get #filterParts(): number {
    return this.#isCut ? this.#parts.length : 0;
  }

  /** Neither an entry nor a range tombstone: such a table is not finished. */
  get isEmpty(): boolean {
    return this.#entries === 0 && this.#ranges.length === 0;
  }

  /** Of its range tombstones, at most. They lie in the tail, which is read as a whole. */
  get rangeBytes(): number {
    return this.#rangeBytes;
  }

  /** Bytes of the file if it ended here, within a few percent. */
  get estimatedBytes(): number {
    const index = this.#partBytes + this.#index.bytes + 2 * this.#last.length;
    const open = this.#block.entries === 0 ? 0 : this.#block.bytes + FRAME_BYTES;
    const filters = (this.#filter?.bytes ?? 0) + (this.#prefixes?.bytes ?? 0);
    const ids = this.#apartIds.length * APART_ID_BYTES;
    const tail = index + filters + this.#rangeBytes + ids + FOOTER_BYTES + 128;
    return this.#offset + open + tail;
  }

  /** As `append`, of an entry whose value is `value[from, to)`: copied, so the caller keeps it. */
  add(
    key: Key,
    sequence: Sequence,
    kind: Kind,
    value: Uint8Array,
    from = 0,
    to: number = value.length,
  ): void {
    const keyBytes = { keySource: keyScratch(key), keyStart: 0, keyEnd: key.length };
    const valueBytes = { valueSource: value, valueStart: from, valueEnd: to };
    this.append({ ...keyBytes, sequence, kind, operator: 0, expiresAtMs: 0, ...valueBytes });
  }

  /**
   * Appends an entry, copying it. Entries come strictly in order; a deletion has no value.
   * Asserted, as the caller's own fault.
   */
  append(entry: EntryBytes): void {
    const { sequence, kind } = entry;
    const { keySource, keyStart, keyEnd, valueStart, valueEnd } = entry;
    this.#check(keyEnd - keyStart, entry, valueEnd - valueStart);
    const shared = this.#last.shared(keySource, keyStart, keyEnd);
    const isNew = this.#isNew(entry, shared);
    let isFirst = false;
    if (this.#blockStored > 0) {
      const [last, key] = [this.#last.text, latin1Text(keySource, keyStart, keyEnd)];
      isFirst = this.#indexBlock(isNew ? shortestSeparator(last, key) : last, key);
    }
    // Versions that go on in another part are looked for there.
    if (isNew || isFirst) this.#filter?.add(keySource, keyStart, keyEnd);
    if (isNew) {
      this.#keys++;
      if (this.#prefixes !== undefined) this.#addPrefix(keySource, keyStart, keyEnd, shared);
    }
    if (this.#entries === 0) this.#firstKey = latin1Text(keySource, keyStart, keyEnd);
    this.#block.add(entry, shared);
    this.#entries++;
    if (kind === DELETE) this.#deletions++;
    else if (kind !== PUT) this.#countSpecial(entry);
    if (sequence < this.#minSequence) this.#minSequence = sequence;
    if (sequence > this.#maxSequence) this.#maxSequence = sequence;
    this.#rawBytes += keyEnd - keyStart + valueEnd - valueStart;
    this.#last.keep(keySource, keyStart, keyEnd, shared);
    this.#lastSequence = sequence;
    if (this.#block.bytes >= this.#options.blockBytes) this.#endBlock();
  }

  /** Appends a stretch of range tombstones, which come in order, whatever entries lie between. */
  addRange(fragment: Fragment): void {
    const before = this.#ranges.at(-1);
    assert(before === undefined || before.to <= fragment.from, "stretches come in order");
    assert(!this.#finished && fragment.from < fragment.to, "a stretch covers something");
    this.#ranges.push(fragment);
    this.#rangeBytes += rangeBytes(fragment);
    for (const sequence of fragment.sequences) {
      assertSequence(sequence);
      if (sequence < this.#minSequence) this.#minSequence = sequence;
      if (sequence > this.#maxSequence) this.#maxSequence = sequence;
    }
  }

  /** Chunks that are full: arrays of their own, to be written in order. */
  takeChunks(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Ends the file, which is not empty; the rest of it is in `takeChunks`. */
  finish(): SstMeta {
    assert(!this.isEmpty && !this.#finished, "a table has entries and ends once");
    this.#finished = true;
    const hasEntries = this.#entries > 0;
    const top = hasEntries ? this.#endEntries() : undefined;
    const stats = this.#stats();
    const tailAt = this.#offset;
    const section = (content: Uint8Array): Section => {
      const offset = this.#offset - tailAt;
      return { offset, bytes: this.#append(content, "none") };
    };
    const index = top && section(top);
    const isWhole = hasEntries && this.#filterParts === 0;
    const filter = isWhole ? this.#filter && section(this.#filter.finish()) : undefined;
    const statsSection = section(encodeStats(stats, this.#apartIds));
    const ranges = this.#ranges.length === 0 ? undefined : section(encodeRanges(this.#ranges));
    const prefixContent = this.#prefixContent();
    const prefixes = prefixContent && section(prefixContent);
    const fileBytes = this.#offset + FOOTER_BYTES;
    const tailBytes = fileBytes - tailAt;
    const extent = { id: this.#id, fileBytes, tailBytes };
    const sections = { index, filter, stats: statsSection, ranges, prefixes };
    const optionalFeatures = prefixes === undefined ? 0 : PREFIX_FILTER;
    const features = { requiredFeatures: featuresOf(stats), optionalFeatures };
    const footer = encodeFooter({ ...extent, ...features, ...sections });
    this.#room(footer.length).set(footer, this.#openBytes);
    this.#openBytes += footer.length;
    this.#closeChunk();
    return { ...extent, stats, unknown: [] };
  }

  /** Keys with one prefix follow each other, so each is added once. */
  #addPrefix(key: Uint8Array, from: number, to: number, shared: number): void {
    const bytes = prefixBytes(this.#options.prefixes as PrefixRule, key, from, to);
    const isNew = bytes !== this.#prefixBytes || shared < bytes;
    if (bytes > 0 && isNew) this.#prefixes?.add(key, from, from + bytes);
    this.#prefixBytes = bytes;
  }

  /** The section, and the feature that tells of it, if there are prefixes. */
  #prefixContent(): Uint8Array | undefined {
    const { prefixes } = this.#options;
    if (prefixes === undefined || this.#prefixes === undefined || this.#entries === 0) {
      return undefined;
    }
    return encodePrefixFilter(prefixes, this.#prefixes.finish());
  }

  /** The content of the index in the tail. */
  #endEntries(): Uint8Array {
    if (this.#block.entries > 0) this.#endBlock();
    this.#indexBlock(this.#last.text, undefined);
    return this.#finishIndex();
  }

  #countSpecial(entry: EntryBytes): void {
    const { kind, expiresAtMs } = entry;
    if (plainKind(kind) === MERGE) this.#merges++;
    if ((kind & APART) !== 0) this.#countApart(entry);
    if ((kind & EXPIRES) === 0) return;
    this.#expiring++;
    this.#firstExpiryMs = Math.min(this.#firstExpiryMs, expiresAtMs);
    this.#lastExpiryMs = Math.max(this.#lastExpiryMs, expiresAtMs);
  }

  #countApart(entry: EntryBytes): void {
    const { id, bytes } = decodeReference(entry);
    this.#apartIds.push(bytesOfUlid(id));
    this.#apartBytes += bytes;
    this.#rawBytes += bytes - (entry.valueEnd - entry.valueStart);
  }

  #check(keyBytes: number, entry: EntryBytes, valueBytes: number): void {
    const { sequence, kind, expiresAtMs } = entry;
    assert(!this.#finished, "a finished table takes no entry");
    assert(
      keyBytes > 0 && keyBytes <= LSM_LIMITS.keyBytes,
      "invalid key: it must have 1 to 65,535 bytes",
    );
    assert(valueBytes >= 0 && valueBytes <= LSM_LIMITS.valueBytes, "a value has up to 16 MiB");
    assert(kind !== DELETE || valueBytes === 0, "a deletion has no value");
    assert((kind & EXPIRES) === 0 || expiresAtMs > 0, "what expires does so at some time");
    assertSequence(sequence);
  }

  /** Whether it is another key than the one before; comes after it in any case. */
  #isNew({ keySource, keyStart, keyEnd, sequence }: EntryBytes, shared: number): boolean {
    const { length } = this.#last;
    const isNew = shared < keyEnd - keyStart || shared < length;
    const comesAfter =
      shared < length
        ? shared < keyEnd - keyStart &&
          (keySource[keyStart + shared] as number) > this.#last.byteAt(shared)
        : isNew || sequence < this.#lastSequence;
    assert(comesAfter, "entries of a table come in order");
    return isNew;
  }

  #endBlock(): void {
    this.#blockOffset = this.#offset;
    this.#blockStored = this.#append(this.#block.finish(), this.#options.compression);
    this.#dataBlocks++;
  }

  /**
   * Puts the finished block into the index, now that the key after it, if any, is known.
   *
   * @returns whether that ended a part.
   */
  #indexBlock(separator: Key, next: Key | undefined): boolean {
    // Where the next block goes on with versions of the same key, the sequence tells them apart.
    const sequence = separator === next ? this.#lastSequence : 0;
    this.#index.add(separator, sequence, this.#blockOffset, this.#blockStored);
    this.#blockStored = 0;
    const { indexPartBytes, filterPartBytes } = this.#options;
    const isFull =
      this.#index.bytes >= indexPartBytes || (this.#filter?.bytes ?? 0) >= filterPartBytes;
    if (isFull) this.#endPart(separator, sequence);
    return isFull;
  }

  #endPart(last: Key, sequence: Sequence): void {
    assert(this.#index.count > 0, "a part of an index names blocks");
    const index = this.#index.finish();
    const filter = this.#isCut ? this.#filter?.finish() : undefined;
    const content = filter === undefined ? index : encodeIndexPart(filter, index);
    this.#partBytes += content.length + FRAME_BYTES;
    this.#parts.push({ content, last, sequence });
  }

  /** Writes the parts of a large index; answers the content of the one in the tail. */
  #finishIndex(): Uint8Array {
    if (this.#parts.length === 0) return this.#index.finish();
    if (this.#index.count > 0) this.#endPart(this.#last.text, 0);
    const top = new IndexBuilder(1);
    for (const { content, last, sequence } of this.#parts) {
      const offset = this.#offset;
      top.add(last, sequence, offset, this.#append(content, "none"));
    }
    return top.finish();
  }

  /** Writes a frame; answers its bytes. */
  #append(content: Uint8Array, compression: Compression): number {
    const out = this.#room(content.length + FRAME_BYTES);
    const at = this.#openBytes;
    this.#openBytes = writeFrame(out, at, content, compression, this.#seed, this.#offset);
    const bytes = this.#openBytes - at;
    this.#offset += bytes;
    return bytes;
  }

  /** The open chunk, with room for so many bytes. */
  #room(bytes: number): Buffer {
    if (this.#openBytes + bytes > this.#open.length) {
      this.#closeChunk();
      // A block ends beyond its size, and has a frame: what is about a chunk must fit one.
      this.#open = Buffer.allocUnsafeSlow(Math.max(this.#options.chunkBytes, bytes));
    }
    return this.#open;
  }

  #closeChunk(): void {
    if (this.#openBytes > 0) this.#chunks.push(this.#open.subarray(0, this.#openBytes));
    this.#open = Buffer.alloc(0);
    this.#openBytes = 0;
  }

  #stats(): SstStats {
    const [first, last] = [this.#ranges[0], this.#ranges.at(-1)];
    return {
      entries: this.#entries,
      deletions: this.#deletions,
      keys: this.#keys,
      ...extentOf(this.#firstKey, this.#last.text, first?.from, last?.to),
      minSequence: this.#minSequence,
      maxSequence: this.#maxSequence,
      rawBytes: this.#rawBytes,
      dataBlocks: this.#dataBlocks,
      merges: this.#merges,
      ranges: this.#ranges.length,
      expiring: this.#expiring,
      firstExpiryMs: this.#expiring === 0 ? 0 : this.#firstExpiryMs,
      lastExpiryMs: this.#lastExpiryMs,
      filterParts: this.#filterParts,
      apart: this.#apartIds.length,
      apartBytes: this.#apartBytes,
      unknown: [],
    };
  }
}

/**
 * The first and the last key that a table says something of. Whatever a range tombstone covers
 * lies before its end, which so stands for its last key unless it directly follows an entry's.
 *
 * @param firstKey of the entries; empty where there are none.
 */
export function extentOf(
  firstKey: Key,
  lastKey: Key,
  from: Key | undefined,
  to: Key | undefined,
): { readonly firstKey: Key; readonly lastKey: Key } {
  if (from === undefined || to === undefined) return { firstKey, lastKey };
  const isWithin = firstKey !== "" && to <= keyAfter(lastKey);
  return {
    firstKey: firstKey === "" || from < firstKey ? from : firstKey,
    lastKey: isWithin ? lastKey : to,
  };
}

keepShape(new SstWriter("0".repeat(26) as Ulid, { blockBytes: 1 }));
