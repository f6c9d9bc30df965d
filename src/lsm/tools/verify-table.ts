import { FirnError } from "../../base/error.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { BloomFilter } from "../format/bloom.ts";
import { DataBlockCursor } from "../format/data-block-cursor.ts";
import {
  APART,
  DELETE,
  EXPIRES,
  isBefore,
  type Key,
  MERGE,
  plainKind,
  type Sequence,
  type ValueReference,
} from "../format/entry.ts";
import { TAIL_GUESS_BYTES } from "../format/footer.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { prefixOf } from "../format/prefix-filter.ts";
import { openSst, type Sst } from "../format/sst.ts";
import type { SstMeta, SstStats } from "../format/sst-meta.ts";
import { extentOf } from "../format/sst-writer.ts";
import type { Ulid } from "../format/ulid.ts";
import { decodeReference } from "../format/value-reference.ts";

/** What is wrong with a file, and where in it; without an offset, with the file as a whole. */
export interface Finding {
  readonly file: string;
  readonly offset: number | undefined;
  readonly what: string;
}

/** Blocks that are read with one request, and held at once. */
const WINDOW_BYTES = 1_048_576;

/** What is wrong with values that a table refers to. */
export type CheckValues = (references: readonly ValueReference[]) => AsyncGenerator<Finding>;

async function* noneOf(): AsyncGenerator<Finding> {}

/** A table whose file is there, or was when it was opened. */
export interface CheckedTable {
  readonly stats: SstStats;
  readonly fileBytes: number;
}

/** Opens a table by its file alone. @throws FirnError `Corrupt`. Undefined where it is gone. */
export async function openTableFile(
  store: BlobStore,
  path: string,
  id: Ulid,
): Promise<Sst | undefined> {
  for (let bytes = TAIL_GUESS_BYTES; ; ) {
    const blob = await store.getSuffix(path, bytes);
    if (blob === undefined) return undefined;
    const opened = openSst(blob.bytes, { id });
    if (opened.state === "open") return opened.sst;
    bytes = opened.tailBytes;
  }
}

/**
 * Reads a table whole, in windows: every checksum, the order of entries within blocks and across
 * them, the separators of its index, its filter, and its statistics. Goes on after a finding.
 *
 * @param described what a manifest says of it, if one does.
 * @param checkValues looks at values apart that it refers to.
 * @returns undefined where the file is gone.
 */
export async function* verifyTable(
  store: BlobStore,
  path: string,
  id: Ulid,
  described: SstMeta | undefined,
  checkValues: CheckValues = noneOf,
): AsyncGenerator<Finding, CheckedTable | undefined> {
  let sst: Sst | undefined;
  try {
    sst = await openTableFile(store, path, id);
  } catch (error) {
    yield findingOf(error, path);
    return { stats: NO_STATS, fileBytes: 0 };
  }
  if (sst === undefined) return undefined;
  const check = new TableCheck(sst);
  if (described !== undefined && !sameMeta(asInFile(described, sst.stats), sst.meta)) {
    yield { file: path, offset: undefined, what: "another table than the manifest describes" };
  }
  let whole = true;
  for await (const finding of check.run(store, path, checkValues)) {
    whole = false;
    yield finding;
  }
  if (whole && !check.isCounted()) {
    yield { file: path, offset: sst.meta.fileBytes, what: "its statistics are not its entries'" };
  }
  return { stats: sst.stats, fileBytes: sst.meta.fileBytes };
}

const NO_STATS: SstStats = {
  entries: 0,
  deletions: 0,
  keys: 0,
  firstKey: "",
  lastKey: "",
  minSequence: 0,
  maxSequence: 0,
  rawBytes: 0,
  dataBlocks: 0,
  merges: 0,
  ranges: 0,
  expiring: 0,
  firstExpiryMs: 0,
  lastExpiryMs: 0,
  filterParts: 0,
  apart: 0,
  apartBytes: 0,
  unknown: [],
};

/** An ingested table has the sequence of its ingest in its description alone. */
function asInFile(described: SstMeta, { minSequence, maxSequence }: SstStats): SstMeta {
  const stats = described.whole ?? described.stats;
  if (described.sequence === undefined || minSequence !== maxSequence) {
    return { ...described, stats };
  }
  return { ...described, stats: { ...stats, minSequence, maxSequence } };
}

function sameMeta(a: SstMeta, b: SstMeta): boolean {
  const told = ({ stats, fileBytes, tailBytes }: SstMeta): string =>
    JSON.stringify([{ ...stats, unknown: [] }, fileBytes, tailBytes]);
  return told(a) === told(b);
}

/** What was found of an error; anything but damage is not a finding, and passes on. */
export function findingOf(error: unknown, file: string, offset?: number): Finding {
  if (!(error instanceof FirnError)) throw error;
  const isDamage = error.kind === "Corrupt" || error.code === "LSM_FORMAT_UNSUPPORTED";
  if (!isDamage) throw error;
  const told = error.context["offset"];
  return {
    file,
    offset: offset ?? (typeof told === "number" ? told : undefined),
    what: error.message,
  };
}

class TableCheck {
  readonly #sst: Sst;
  readonly #cursor = new DataBlockCursor();
  #entries = 0;
  #deletions = 0;
  #merges = 0;
  #expiring = 0;
  #firstExpiryMs = Number.MAX_SAFE_INTEGER;
  #lastExpiryMs = 0;
  readonly #apartIds: ReadonlySet<Ulid>;
  /** That were met, and not looked at. */
  #references: ValueReference[] = [];
  #apart = 0;
  #apartBytes = 0;
  #keys = 0;
  #minSequence = Number.MAX_SAFE_INTEGER;
  #maxSequence = 0;
  #rawBytes = 0;
  #blocks = 0;
  #firstKey: Key | undefined;
  #extent: Pick<SstStats, "firstKey" | "lastKey"> = NO_STATS;
  #key: Key = "";
  #sequence: Sequence = 0;

  constructor(sst: Sst) {
    this.#sst = sst;
    this.#apartIds = new Set(sst.apartIds());
  }

  async *run(store: BlobStore, path: string, checkValues: CheckValues): AsyncGenerator<Finding> {
    for await (const leaf of this.#leaves(store, path)) {
      if (isFinding(leaf)) yield leaf;
      else yield* this.#leaf(store, path, leaf);
      yield* checkValues(this.#references.splice(0));
    }
  }

  isCounted(): boolean {
    const { stats } = this.#sst;
    this.#countRanges();
    return (
      stats.entries === this.#entries &&
      stats.deletions === this.#deletions &&
      stats.keys === this.#keys &&
      stats.firstKey === this.#extent.firstKey &&
      stats.lastKey === this.#extent.lastKey &&
      stats.minSequence === this.#minSequence &&
      stats.maxSequence === this.#maxSequence &&
      stats.rawBytes === this.#rawBytes &&
      stats.merges === this.#merges &&
      stats.expiring === this.#expiring &&
      stats.firstExpiryMs === (this.#expiring === 0 ? 0 : this.#firstExpiryMs) &&
      stats.lastExpiryMs === this.#lastExpiryMs &&
      stats.apart === this.#apart &&
      stats.apartBytes === this.#apartBytes &&
      stats.dataBlocks === this.#blocks
    );
  }

  /** Into what was counted of the entries. The stretches were checked when they were read. */
  #countRanges(): void {
    const fragments = this.#sst.ranges?.fragments() ?? [];
    for (const sequence of fragments.flatMap(({ sequences }) => sequences)) {
      this.#minSequence = Math.min(this.#minSequence, sequence);
      this.#maxSequence = Math.max(this.#maxSequence, sequence);
    }
    const [from, to] = [fragments[0]?.from, fragments.at(-1)?.to];
    this.#extent = extentOf(this.#firstKey ?? "", this.#key, from, to);
  }

  async *#leaves(store: BlobStore, path: string): AsyncGenerator<IndexBlock | Finding> {
    const { index } = this.#sst;
    if (index.level === 0) {
      yield index;
      return;
    }
    for (let part = 0; part < index.count; part++) {
      const offset = index.offset(part);
      const blob = await store.getRange(path, offset, index.bytes(part));
      try {
        yield this.#sst.indexPart(blob?.bytes ?? new Uint8Array(0), offset);
      } catch (error) {
        yield findingOf(error, path, offset);
      }
    }
  }

  async *#leaf(store: BlobStore, path: string, leaf: IndexBlock): AsyncGenerator<Finding> {
    for (let entry = 0; entry < leaf.count; ) {
      const start = leaf.offset(entry);
      let end = entry;
      while (end < leaf.count && leaf.offset(end) - start < WINDOW_BYTES) end++;
      const bytes = leaf.offset(end - 1) + leaf.bytes(end - 1) - start;
      const window = (await store.getRange(path, start, bytes))?.bytes ?? new Uint8Array(0);
      for (; entry < end; entry++) {
        const at = leaf.offset(entry) - start;
        const frame = window.subarray(at, at + leaf.bytes(entry));
        const finding = this.#block(path, leaf, entry, frame);
        if (finding !== undefined) yield finding;
      }
    }
  }

  #block(path: string, leaf: IndexBlock, entry: number, frame: Uint8Array): Finding | undefined {
    const offset = leaf.offset(entry);
    const at = (what: string): Finding => ({ file: path, offset, what });
    try {
      this.#cursor.reset(this.#sst.dataBlock(frame, offset));
      this.#blocks++;
      while (this.#cursor.next()) {
        const what = this.#entry(leaf.filter);
        if (what !== undefined) return at(what);
      }
    } catch (error) {
      return findingOf(error, path, offset);
    }
    const separator = leaf.separators[entry] as Key;
    const beyond = isBefore(separator, leaf.sequence(entry), this.#key, this.#sequence);
    return beyond ? at("its entries pass the index") : undefined;
  }

  /** @param filter of the part of the index, if that has one. */
  #entry(filter: BloomFilter | undefined): string | undefined {
    const { key, sequence, kind, expiresAtMs, valueStart, valueEnd } = this.#cursor;
    const first = this.#firstKey === undefined;
    if (!first && !isBefore(this.#key, this.#sequence, key, sequence)) return "out of order";
    if (first) this.#firstKey = key;
    if (filter?.mayContain(key) === false) return "its filter lacks a key";
    if (first || key !== this.#key) {
      this.#keys++;
      if (!this.#sst.mayContain(key)) return "its filter lacks a key";
      const { prefixes } = this.#sst;
      const prefix = prefixes && prefixOf(prefixes.rule, key);
      if (prefix !== undefined && prefixes?.mayContain(prefix) === false) {
        return "its filter lacks a prefix";
      }
    }
    this.#entries++;
    if (kind === DELETE) this.#deletions++;
    if (plainKind(kind) === MERGE) this.#merges++;
    if ((kind & EXPIRES) !== 0) this.#countExpiry(expiresAtMs);
    this.#minSequence = Math.min(this.#minSequence, sequence);
    this.#maxSequence = Math.max(this.#maxSequence, sequence);
    this.#rawBytes += key.length + valueEnd - valueStart;
    if ((kind & APART) !== 0) {
      const what = this.#countApart(decodeReference(this.#cursor));
      if (what !== undefined) return what;
      this.#rawBytes += (this.#references.at(-1)?.bytes ?? 0) - (valueEnd - valueStart);
    }
    this.#key = key;
    this.#sequence = sequence;
    return undefined;
  }

  #countApart(reference: ValueReference): string | undefined {
    this.#apart++;
    this.#apartBytes += reference.bytes;
    this.#references.push(reference);
    const isListed = this.#apartIds.has(reference.id);
    return isListed ? undefined : "its statistics lack a value apart";
  }

  #countExpiry(expiresAtMs: number): void {
    this.#expiring++;
    this.#firstExpiryMs = Math.min(this.#firstExpiryMs, expiresAtMs);
    this.#lastExpiryMs = Math.max(this.#lastExpiryMs, expiresAtMs);
  }
}

function isFinding(found: IndexBlock | Finding): found is Finding {
  return "what" in found;
}
