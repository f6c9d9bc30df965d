import { assert } from "../../base/assert.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Compression, FRAME_BYTES, fileSeed, sealFrame } from "./block-frame.ts";
import { BloomBuilder } from "./bloom.ts";
import { DataBlockWriter } from "./data-block-writer.ts";
import {
  assertSequence,
  DELETE,
  isBefore,
  type Key,
  type Kind,
  PUT,
  type Sequence,
} from "./entry.ts";
import { encodeFooter, FOOTER_BYTES, type Section } from "./footer.ts";
import { IndexBuilder, shortestSeparator } from "./index-block.ts";
import { encodeStats, type SstMeta, type SstStats } from "./sst-meta.ts";
import { bytesOfUlid, type Ulid } from "./ulid.ts";

export interface SstOptions {
  readonly compression: Compression;
  /** Content at which a data block ends. */
  readonly blockBytes: number;
  /** Bits a key of the Bloom filter; 0 for no filter. */
  readonly filterBitsPerKey: number;
  /** Content at which an index is cut into parts, with an index of the parts above them. */
  readonly indexPartBytes: number;
}

export const SST_DEFAULTS: SstOptions = {
  compression: "none",
  blockBytes: 16 * 1024,
  filterBitsPerKey: 10,
  indexPartBytes: 128 * 1024,
};

interface IndexPart {
  readonly content: Uint8Array;
  readonly last: Key;
  readonly sequence: Sequence;
}

/**
 * Encodes a table as its entries come, in the engine's order. The file is what `takeChunks` hands
 * out, in that order: whoever drains it between calls holds one block and the tail at most.
 *
 * File: data blocks, parts of the index if it has several, then the tail: index, filter,
 * statistics, footer. Grammar: `docs/formats/sstable.md`.
 */
export class SstWriter {
  readonly #id: Ulid;
  readonly #options: SstOptions;
  readonly #seed: number;
  readonly #block: DataBlockWriter;
  readonly #filter: BloomBuilder | undefined;
  readonly #index: IndexBuilder = new IndexBuilder(0);
  readonly #parts: IndexPart[] = [];
  #partBytes = 0;
  #chunks: Uint8Array[] = [];
  #offset = 0;
  #blockOffset = 0;
  /** A finished block waits for the key after it, which its separator depends on. */
  #blockStored = 0;
  #firstKey: Key = "";
  #lastKey: Key = "";
  #lastSequence: Sequence = 0;
  #entries = 0;
  #deletions = 0;
  #keys = 0;
  #minSequence = Number.MAX_SAFE_INTEGER;
  #maxSequence = 0;
  #rawBytes = 0;
  #dataBlocks = 0;
  #finished = false;

  constructor(id: Ulid, options: Partial<SstOptions> = {}) {
    this.#id = id;
    this.#options = { ...SST_DEFAULTS, ...options };
    this.#seed = fileSeed(bytesOfUlid(id));
    this.#block = new DataBlockWriter(this.#options.blockBytes);
    const bits = this.#options.filterBitsPerKey;
    this.#filter = bits > 0 ? new BloomBuilder(bits) : undefined;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Bytes of the file if it ended here, within a few percent. */
  get estimatedBytes(): number {
    const index = this.#partBytes + this.#index.bytes + 2 * this.#lastKey.length;
    const open = this.#block.entries === 0 ? 0 : this.#block.bytes + FRAME_BYTES;
    return this.#offset + open + index + (this.#filter?.bytes ?? 0) + FOOTER_BYTES + 128;
  }

  /**
   * Appends an entry whose value is `value[from, to)`: copied, so the caller keeps the array.
   * Entries come strictly in order; a deletion has no value. Asserted, as the caller's own fault.
   */
  add(
    key: Key,
    sequence: Sequence,
    kind: Kind,
    value: Uint8Array,
    from = 0,
    to: number = value.length,
  ): void {
    this.#check(key, sequence, kind, to - from);
    if (this.#blockStored > 0) this.#indexBlock(shortestSeparatorOf(this.#lastKey, key), key);
    if (key !== this.#lastKey || this.#entries === 0) {
      this.#keys++;
      this.#filter?.add(key);
    }
    if (this.#entries === 0) this.#firstKey = key;
    this.#block.add(key, sequence, kind, value, from, to);
    this.#entries++;
    if (kind === DELETE) this.#deletions++;
    if (sequence < this.#minSequence) this.#minSequence = sequence;
    if (sequence > this.#maxSequence) this.#maxSequence = sequence;
    this.#rawBytes += key.length + to - from;
    this.#lastKey = key;
    this.#lastSequence = sequence;
    if (this.#block.bytes >= this.#options.blockBytes) this.#endBlock();
  }

  /** What has been encoded since the last call: arrays of their own, to be written in order. */
  takeChunks(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Ends the file, which has at least one entry; the rest of it is in `takeChunks`. */
  finish(): SstMeta {
    assert(this.#entries > 0 && !this.#finished, "a table has entries and ends once");
    this.#finished = true;
    if (this.#block.entries > 0) this.#endBlock();
    this.#indexBlock(this.#lastKey, undefined);
    const top = this.#finishIndex();
    const stats = this.#stats();
    const tailAt = this.#offset;
    const section = (content: Uint8Array): Section => {
      const offset = this.#offset - tailAt;
      return { offset, bytes: this.#append(content, "none") };
    };
    const index = section(top);
    const filter = this.#filter && section(this.#filter.finish());
    const statsSection = section(encodeStats(stats));
    const fileBytes = this.#offset + FOOTER_BYTES;
    const tailBytes = fileBytes - tailAt;
    const extent = { id: this.#id, fileBytes, tailBytes };
    const sections = { index, filter, stats: statsSection };
    this.#chunks.push(encodeFooter({ ...extent, optionalFeatures: 0, ...sections }));
    return { ...extent, stats, unknown: [] };
  }

  #check(key: Key, sequence: Sequence, kind: Kind, valueBytes: number): void {
    assert(!this.#finished, "a finished table takes no entry");
    assert(key.length > 0 && key.length <= LIMITS.lsmKeyBytes, "a key has 1 to 65,535 bytes");
    assert(valueBytes >= 0 && valueBytes <= LIMITS.lsmValueBytes, "a value has up to 16 MiB");
    assert(kind === PUT || (kind === DELETE && valueBytes === 0), "a deletion has no value");
    assertSequence(sequence);
    assert(
      this.#entries === 0 || isBefore(this.#lastKey, this.#lastSequence, key, sequence),
      "entries of a table come in order",
    );
  }

  #endBlock(): void {
    this.#blockOffset = this.#offset;
    this.#blockStored = this.#append(this.#block.finish(), this.#options.compression);
    this.#dataBlocks++;
  }

  /** Puts the finished block into the index, now that the key after it, if any, is known. */
  #indexBlock(separator: Key, next: Key | undefined): void {
    // Where the next block goes on with versions of the same key, the sequence tells them apart.
    const sequence = separator === next ? this.#lastSequence : 0;
    this.#index.add(separator, sequence, this.#blockOffset, this.#blockStored);
    this.#blockStored = 0;
    if (this.#index.bytes < this.#options.indexPartBytes) return;
    const content = this.#index.finish();
    this.#partBytes += content.length + FRAME_BYTES;
    this.#parts.push({ content, last: separator, sequence });
  }

  /** Writes the parts of a large index; answers the content of the one in the tail. */
  #finishIndex(): Uint8Array {
    if (this.#parts.length === 0) return this.#index.finish();
    if (this.#index.count > 0) {
      const content = this.#index.finish();
      this.#parts.push({ content, last: this.#lastKey, sequence: 0 });
    }
    const top = new IndexBuilder(1);
    for (const { content, last, sequence } of this.#parts) {
      const offset = this.#offset;
      top.add(last, sequence, offset, this.#append(content, "none"));
    }
    return top.finish();
  }

  #append(content: Uint8Array, compression: Compression): number {
    const framed = sealFrame(content, compression, this.#seed, this.#offset);
    this.#chunks.push(framed);
    this.#offset += framed.length;
    return framed.length;
  }

  #stats(): SstStats {
    return {
      entries: this.#entries,
      deletions: this.#deletions,
      keys: this.#keys,
      firstKey: this.#firstKey,
      lastKey: this.#lastKey,
      minSequence: this.#minSequence,
      maxSequence: this.#maxSequence,
      rawBytes: this.#rawBytes,
      dataBlocks: this.#dataBlocks,
      unknown: [],
    };
  }
}

function shortestSeparatorOf(last: Key, next: Key): Key {
  return last === next ? last : shortestSeparator(last, next);
}
