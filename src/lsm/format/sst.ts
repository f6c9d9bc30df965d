import { fileSeed, type Life, openFrame } from "./block-frame.ts";
import { BloomFilter } from "./bloom.ts";
import { corrupt } from "./corrupt.ts";
import { DataBlock } from "./data-block.ts";
import type { Key, Sequence } from "./entry.ts";
import { PREFIX_FILTER } from "./features.ts";
import { FieldReader } from "./fields.ts";
import { decodeFooter, FOOTER_BYTES, type Footer, type Section } from "./footer.ts";
import { IndexBlock, readIndexBlock } from "./index-block.ts";
import { readIndexPart } from "./index-part.ts";
import { decodePrefixFilter, type PrefixFilter } from "./prefix-filter.ts";
import { RangeMap } from "./range-map.ts";
import { decodeRanges } from "./range-section.ts";
import { decodeStats, featuresOf, type SstMeta, type SstStats } from "./sst-meta.ts";
import { bytesOfUlid, ULID_BYTES, type Ulid, ulidOfBytes } from "./ulid.ts";

/** What the id of a value apart takes in memory. */
const APART_ID_BYTES = 96;

/** An open table: everything but its blocks. */
export class Sst {
  readonly meta: SstMeta;
  /** Of the data blocks, or of the parts of their index. */
  readonly index: IndexBlock;
  /** Of all keys; undefined too where the parts of the index have filters. */
  readonly filter: BloomFilter | undefined;
  /** Range tombstones, if it has any. */
  readonly ranges: RangeMap | undefined;
  readonly prefixes: PrefixFilter | undefined;
  /** Ids of values apart, as they are stored. */
  readonly #apart: readonly Uint8Array[];
  readonly #seed: number;
  /** What is added to the sequences of its entries. */
  readonly #shift: number;

  constructor(
    meta: SstMeta,
    { index, filter, ranges, prefixes }: Pick<Sst, "index" | "filter" | "ranges" | "prefixes">,
    apart: readonly Uint8Array[],
    seed: number,
    shift: number,
  ) {
    this.#apart = apart;
    this.#shift = shift;
    this.meta = meta;
    this.index = index;
    this.filter = filter;
    this.ranges = ranges;
    this.prefixes = prefixes;
    this.#seed = seed;
  }

  get id(): Ulid {
    return this.meta.id;
  }

  get stats(): SstStats {
    return this.meta.stats;
  }

  /** What it costs to keep it in memory. */
  get weight(): number {
    const { index, filter, ranges, prefixes } = this;
    const filters = (filter?.weight ?? 0) + (prefixes?.weight ?? 0);
    const ids = this.#apart.length * APART_ID_BYTES;
    return index.weight + filters + (ranges?.memoryBytes ?? 0) + ids + 1_024;
  }

  /** Ids of the values apart that its entries refer to, wherever they lie. */
  apartIds(): readonly Ulid[] {
    return this.#apart.map(ulidOfBytes);
  }

  /** False only if the table certainly lacks the key, as far as its tail tells. */
  mayContain(key: Key): boolean {
    const { firstKey, lastKey } = this.stats;
    if (key < firstKey || key > lastKey) return false;
    return this.filter === undefined || this.filter.mayContain(key);
  }

  /**
   * The data block whose frame was read from `offset`. Never change `frame` afterwards.
   *
   * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`.
   */
  dataBlock(frame: Uint8Array, offset: number, life: Life = "kept"): DataBlock {
    const content = openFrame(frame, this.#seed, offset, "data block", life);
    const isView = content.buffer === frame.buffer;
    // Node may put what it unpacks beside other things into one array.
    const isOwn = isView ? life === "alone" : content.length === content.buffer.byteLength;
    return new DataBlock(content, offset, this.id, isOwn, this.#shift);
  }

  /** The part of the index whose frame was read from `offset`. @throws as `dataBlock`. */
  indexPart(frame: Uint8Array, offset: number): IndexBlock {
    const content = openFrame(frame, this.#seed, offset, "index part");
    const part = readIndexPart(content, `index part at ${offset}`, this.stats.filterParts > 0);
    if (part.end > this.index.start) throw corrupt("sst", "index part", offset, "outside the data");
    return part;
  }
}

/** What a suffix of a table's file tells: the open table, or how long the suffix has to be. */
export type OpenedSst =
  | { readonly state: "open"; readonly sst: Sst }
  | { readonly state: "short"; readonly tailBytes: number };

/**
 * Opens a table from the last bytes of its file: `tailBytes` of its description, or a guess
 * (`TAIL_GUESS_BYTES`). Keeps parts of `suffix`, which must not change afterwards.
 *
 * @param expected what the manifest says of it: another id or another length is `Corrupt`. Entries
 *   of an ingested table have its `sequence`.
 * @throws FirnError `Corrupt`, code `LSM_FILE_CORRUPT`; `Unavailable`, code
 *   `LSM_FORMAT_UNSUPPORTED`.
 */
export function openSst(
  suffix: Uint8Array,
  expected: Pick<SstMeta, "id" | "sequence"> & { readonly fileBytes?: number },
): OpenedSst {
  const footer = decodeFooter(suffix);
  const { tailBytes, fileBytes, id } = footer;
  if (id !== expected.id || (expected.fileBytes ?? fileBytes) !== fileBytes) {
    throw corrupt("sst", "footer", 0, "another table");
  }
  if (suffix.length < tailBytes) return { state: "short", tailBytes };
  const tail = suffix.subarray(suffix.length - tailBytes);
  return { state: "open", sst: openTail(tail, footer, expected.sequence) };
}

function openTail(tail: Uint8Array, footer: Footer, sequence: Sequence | undefined): Sst {
  const { id, fileBytes, tailBytes } = footer;
  const seed = fileSeed(bytesOfUlid(id));
  const tailAt = fileBytes - tailBytes;
  const content = (section: Section, part: string): Uint8Array => {
    const frame = tail.subarray(section.offset, section.offset + section.bytes);
    return openFrame(frame, seed, tailAt + section.offset, part);
  };
  const index =
    footer.index === undefined
      ? NO_ENTRIES
      : readIndexBlock(content(footer.index, "index"), "index", { end: tailAt });
  if (index.level === 0 && index.start !== 0) throw corrupt("sst", "index", 0, "data left out");
  if (index === NO_ENTRIES && tailAt !== 0) throw corrupt("sst", "footer", 0, "data left out");
  const filter = footer.filter && new BloomFilter(content(footer.filter, "filter"));
  const statsAt = tailAt + footer.stats.offset;
  const fields = FieldReader.of(content(footer.stats, "statistics"), statsAt, (offset, what) =>
    corrupt("sst", "statistics", offset, what),
  );
  const apart = fields.bytesList(13);
  const stats = decodeStats(fields);
  if (apart.length !== stats.apart || apart.some((one) => one.length !== ULID_BYTES)) {
    throw corrupt("sst", "statistics", 0, "another number of values apart");
  }
  const fragments = footer.ranges && decodeRanges(content(footer.ranges, "range tombstones"));
  const prefixes = footer.prefixes && decodePrefixFilter(content(footer.prefixes, "prefix filter"));
  checkTiling(footer);
  if (featuresOf(stats) !== footer.requiredFeatures) {
    throw corrupt("sst", "footer", 28, "other features than the statistics tell");
  }
  if ((fragments?.length ?? 0) !== stats.ranges) {
    throw corrupt("sst", "range tombstones", 0, "another number of stretches");
  }
  const filtered = index.level === 1 && filter === undefined ? index.count : 0;
  if (stats.filterParts > 0 && stats.filterParts !== filtered) {
    throw corrupt("sst", "statistics", 0, "another number of filters");
  }
  if (index.level === 0 && index.count !== stats.dataBlocks) {
    throw corrupt("sst", "index", 0, "another number of blocks");
  }
  const meta: SstMeta = { id, fileBytes, tailBytes, stats, unknown: [] };
  const ranges = fragments && RangeMap.of(fragments);
  const shift = sequence === undefined ? 0 : shiftTo(sequence, stats);
  return new Sst(meta, { index, filter, ranges, prefixes }, apart, seed, shift);
}

/** From the one sequence that the file of an ingested table has to that of its ingest. */
function shiftTo(sequence: Sequence, { minSequence, maxSequence, ranges }: SstStats): number {
  const isIngested = minSequence === maxSequence && ranges === 0 && sequence >= minSequence;
  if (!isIngested) throw corrupt("sst", "statistics", 0, "not those of an ingested table");
  return sequence - minSequence;
}

/** Of a table that has range tombstones alone. */
const NO_ENTRIES = new IndexBlock(0, [], new Float64Array(0), new Float64Array(1));

/** The sections that version 1 writes lie one behind the other: a byte between them is damage. */
function checkTiling(footer: Footer): void {
  const { index, filter, stats, ranges, prefixes, tailBytes, optionalFeatures } = footer;
  if ((optionalFeatures & ~PREFIX_FILTER) !== 0) return;
  let end = 0;
  for (const section of [index, filter, stats, ranges, prefixes]) {
    if (section === undefined) continue;
    if (section.offset !== end) throw corrupt("sst", "footer", 0, "tail with gaps");
    end += section.bytes;
  }
  if (end + FOOTER_BYTES !== tailBytes) throw corrupt("sst", "footer", 0, "tail with gaps");
}
