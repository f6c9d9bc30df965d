import { assert } from "../../base/assert.ts";
import { END, ENTRY, type EntryBytes, MISS, type Step } from "../format/cursor.ts";
import { APART, END_OF_KEYS, type Key, keyAfter, keyBound, MAX_SEQUENCE } from "../format/entry.ts";
import { joinRanges, RangeMap } from "../format/range-map.ts";
import { lowerBound, type SstMeta } from "../format/sst-meta.ts";
import { SstWriter } from "../format/sst-writer.ts";
import type { Ulid } from "../format/ulid.ts";
import { decodeReference, movedTo } from "../format/value-reference.ts";
import { LSM_LIMITS } from "../limits.ts";
import { Operators } from "../read/operators.ts";
import { keptRanges, stripeOf, VersionFilter } from "../read/versions.ts";
import { clipped, type KeyBounds, meets } from "./bounds.ts";
import { ByteMerge } from "./byte-merge.ts";
import type { TableCount } from "./entry-counts.ts";
import { InputRun, InputTable, inTable } from "./input-table.ts";
import type {
  MergeFeed,
  MergeOutput,
  MergeSpec,
  MergeStep,
  Part,
  ValueCopy,
  Want,
} from "./merger.ts";
import type { SortedTables } from "./plan.ts";
import { RangeQueue } from "./range-queue.ts";

/** What a merge reads, and what decides of it. */
interface Sources {
  readonly inputs: readonly InputRun[];
  readonly merge: ByteMerge<InputRun>;
  readonly next: () => Step;
  readonly filter: VersionFilter;
  readonly ranges: RangeQueue;
  /** Tables that range tombstones cover as a whole. */
  readonly covered: readonly SstMeta[];
}

interface OpenWriter {
  readonly id: Ulid;
  readonly sst: SstWriter;
}

/** Entries between two looks at how much was made. */
const LOOK_ENTRIES = 64;
/** The cursor stands on the first entry of another table, or at its end. */
const NEXT_TABLE = "next-table";
const stay = (): Step => ENTRY;

/**
 * A merge as a function over bytes: ranges of its inputs come in, ranges of its outputs go out. It
 * does no I/O and waits for nothing, so it runs anywhere; its memory is two windows of each input
 * and what one step makes.
 *
 * It may be one of several that share the inputs, each within its own bounds. Then each of them
 * says how many entries it has seen of which table: nothing may be lost in silence
 * (`entry-counts.ts`).
 *
 * Range tombstones are read first: a table that lies below one as a whole is not read at all. That
 * is judged by all of the table, so that all who share it come to the same.
 */
export class MergeJob {
  readonly #spec: MergeSpec;
  /** Of each input, what may hold keys within the bounds. */
  readonly #inputs: readonly SortedTables[];
  readonly #tables = new Map<Ulid, InputTable>();
  /** Tables whose range tombstones have to be known before anything is merged. */
  readonly #ranged: readonly InputTable[];
  #sources: Sources | undefined;
  readonly #ids: Ulid[] = [];
  readonly #outputs: MergeOutput[] = [];
  readonly #copies: ValueCopy[] = [];
  #move: () => Step = stay;
  #writer: OpenWriter | undefined;
  /** The open table is as large as one should be: it ends where the next key begins. */
  #full = false;
  /** Of the open table, encoded and not handed out. */
  readonly #chunks: Uint8Array[] = [];
  #counts: readonly TableCount[] = [];
  #cut: Key = "";
  #done = false;

  constructor(spec: MergeSpec) {
    this.#spec = spec;
    const { inputs, bounds, windowBytes } = spec;
    this.#inputs = inputs.map((tables) => tables.filter((meta) => meets(meta, bounds)));
    const within = this.#inputs.flat();
    const reach = reachOf(within);
    const ranged = inputs.flat().filter((meta) => meta.stats.ranges > 0 && meets(meta, reach));
    for (const meta of [...within, ...ranged]) {
      this.#tables.set(meta.id, new InputTable(meta, windowBytes, bounds));
    }
    this.#ranged = ranged.map(({ id }) => this.#tables.get(id) as InputTable);
  }

  /** @throws FirnError `Corrupt`. */
  step({ parts, ids }: MergeFeed): MergeStep {
    for (const part of parts) this.#feed(part);
    this.#ids.push(...ids);
    const wants: Want[] = [];
    this.#ask(wants);
    const blocked = !this.#done && this.#merge() === MISS;
    if (this.#writer !== undefined) this.#emit(this.#writer.id, undefined);
    // What was entered makes room for more; what was missed has to be on its way.
    this.#ask(wants);
    const outputs = this.#outputs.splice(0);
    const copies = this.#copies.splice(0);
    const { spareIds, done } = { spareIds: this.#ids.length, done: this.#done };
    return { wants, outputs, copies, blocked, spareIds, done, counts: this.#counts };
  }

  #ask(wants: Want[]): void {
    for (const input of this.#sources?.inputs ?? []) input.ask(wants);
    if (this.#sources !== undefined) return;
    for (const table of this.#ranged) if (table.open === undefined) table.ask(wants);
  }

  #feed({ table, offset, bytes }: Part): void {
    const input = this.#tables.get(table);
    assert(input !== undefined, "a merge is fed what it asked for");
    try {
      input.feed(offset, bytes);
    } catch (error) {
      throw inTable(error, input.meta);
    }
  }

  /** Until enough was made (`ENTRY`), a block is missing, or the end. */
  #merge(): Step {
    const { stepBytes, tableBytes } = this.#spec;
    this.#sources ??= this.#begun();
    const sources = this.#sources;
    if (sources === undefined) return MISS;
    for (let made = 0; made < stepBytes; ) {
      const writer = this.#writer ?? this.#begin();
      if (writer === undefined) return ENTRY;
      const step = this.#some(sources, writer.sst);
      if (step === END) {
        this.#finish(sources);
        return step;
      }
      made += this.#drain(writer.sst);
      if (step === NEXT_TABLE) {
        sources.filter.end();
        sources.ranges.drainTo(writer.sst, this.#cut);
        this.#endTable(writer);
      } else this.#full = isFull(writer.sst, tableBytes);
      if (step === MISS) return step;
    }
    return ENTRY;
  }

  #begin(): OpenWriter | undefined {
    const id = this.#ids.shift();
    if (id === undefined) return undefined;
    const { compression, blockBytes, prefixes, stepBytes: chunkBytes } = this.#spec;
    const options = { compression, blockBytes, prefixes, chunkBytes };
    this.#writer = { id, sst: new SstWriter(id, options) };
    return this.#writer;
  }

  /**
   * Some entries, and where that came to an end. The versions of a key stay in one table: a table
   * that is compacted without its neighbour could lose the deletion of what lies in that.
   */
  #some({ merge, filter, ranges, next }: Sources, writer: SstWriter): Step | typeof NEXT_TABLE {
    for (let left = LOOK_ENTRIES; left > 0; left--) {
      const step = this.#move();
      if (step === MISS) return step;
      if (step === END) return this.#endsAt(ranges.drain(writer, END_OF_KEYS), step);
      const { cursor } = merge;
      if ((this.#full || !ranges.isEmpty) && !filter.isSameKey(cursor.entry)) {
        const { key } = cursor;
        if (this.#full) return this.#endsAt(boundBetween(filter.lastKey, key), step);
        const enough = ranges.drain(writer, key);
        if (enough !== undefined) return this.#endsAt(enough, step);
      }
      this.#move = next;
      cursor.count();
      filter.take(cursor);
    }
    return ENTRY;
  }

  readonly #write = (entry: EntryBytes): void => {
    const isApart = (entry.kind & APART) !== 0;
    this.#writer?.sst.append(isApart ? this.#owned(entry) : entry);
  };

  /** An entry whose value is to lie with the shard, whichever it lies with now. */
  #owned(entry: EntryBytes): EntryBytes {
    const reference = decodeReference(entry);
    const id = this.#spec.copiedIds?.get(reference.id);
    if (id === undefined) return entry;
    const { id: table } = this.#writer as OpenWriter;
    // A reference is written in the turn of the cursor that stands on it, whatever lies above.
    const from = this.#sources?.merge.cursor.origin?.id;
    assert(from !== undefined, "an entry with a value apart comes from a table");
    this.#copies.push({ table, from, reference, id });
    return movedTo(id, entry, reference);
  }

  /** The current table ends at a bound, if one is given; what `step` found is the next one's. */
  #endsAt(bound: Key | undefined, step: Step): Step | typeof NEXT_TABLE {
    if (bound === undefined) return step;
    this.#move = () => step;
    this.#cut = bound;
    return NEXT_TABLE;
  }

  /** What there is to merge, once all range tombstones are known. */
  #begun(): Sources | undefined {
    const { bounds, snapshots, dropTombstones, operators, nowMs } = this.#spec;
    const deleted = [];
    for (const { open, meta } of this.#ranged) {
      if (open === undefined) return undefined;
      // What lies below the table's own bound was merged before.
      const read = { from: lowerBound(meta), to: END_OF_KEYS };
      deleted.push(clipped(open.sst.ranges?.fragments() ?? [], read));
    }
    const hiding = joinRanges(deleted, (all) => keptRanges(all, snapshots, false));
    const map = hiding.length === 0 ? undefined : RangeMap.of(hiding);
    const covered = new Set(this.#inputs.flat().filter((meta) => this.#isCovered(meta, map)));
    const runs = this.#inputs
      .map((tables) => tables.filter((meta) => meta.stats.entries > 0 && !covered.has(meta)))
      .filter((tables) => tables.length > 0)
      .map((tables) => tables.map(({ id }) => this.#tables.get(id) as InputTable))
      .map((tables) => new InputRun(tables, bounds));
    const merge = new ByteMerge(runs);
    this.#move = () => merge.first();
    return {
      inputs: runs,
      merge,
      next: () => merge.next(),
      filter: new VersionFilter(
        { snapshots, dropTombstones, ranges: map, operators: new Operators(operators), nowMs },
        this.#write,
      ),
      ranges: new RangeQueue(
        clipped(
          joinRanges([hiding], (all) => keptRanges(all, snapshots, dropTombstones)),
          bounds,
        ),
      ),
      covered: [...covered],
    };
  }

  /** Whether range tombstones delete all of a table, and no snapshot sees it without them. */
  #isCovered({ stats }: SstMeta, map: RangeMap | undefined): boolean {
    const { firstKey, lastKey, minSequence, maxSequence } = stats;
    const { snapshots } = this.#spec;
    const stripe = stripeOf(snapshots, minSequence);
    if (map === undefined || stripe !== stripeOf(snapshots, maxSequence)) return false;
    return map.least(firstKey, lastKey, snapshots[stripe] ?? MAX_SEQUENCE) > maxSequence;
  }

  #finish({ covered, filter }: Sources): void {
    filter.end();
    const { from } = this.#spec.bounds;
    const begun = covered.filter(({ stats }) => stats.firstKey >= from);
    this.#counts = [
      ...begun.map(({ id, stats }) => ({ table: id, entries: stats.entries, isCovered: true })),
      ...[...this.#tables].map(([table, { entries }]) => ({ table, entries, isCovered: false })),
    ];
    if (this.#writer !== undefined) this.#endTable(this.#writer);
    assert(this.#chunks.length === 0, "what was written is handed out before a merge is done");
    this.#done = true;
  }

  #endTable({ id, sst }: OpenWriter): void {
    if (sst.isEmpty) return;
    const meta = sst.finish();
    const { from, to } = this.#spec.bounds;
    const { firstKey, lastKey } = meta.stats;
    assert(firstKey >= from && lastKey <= to, "a subrange writes no key of its neighbours");
    this.#drain(sst);
    this.#emit(id, meta);
    this.#writer = undefined;
    this.#full = false;
  }

  /** Takes over what is encoded; answers its bytes. */
  #drain(sst: SstWriter): number {
    let bytes = 0;
    for (const chunk of sst.takeChunks()) {
      this.#chunks.push(chunk);
      bytes += chunk.length;
    }
    return bytes;
  }

  #emit(table: Ulid, meta: SstMeta | undefined): void {
    const chunks = this.#chunks.splice(0);
    chunks.forEach((chunk, i) => {
      const bytes = wholeArray(chunk);
      this.#outputs.push({ table, bytes, meta: i === chunks.length - 1 ? meta : undefined });
    });
  }
}

/** Ids of values apart are part of the tail, which is read as a whole. */
function isFull({ entries, estimatedBytes, apart }: SstWriter, tableBytes: number): boolean {
  return entries > 0 && (estimatedBytes >= tableBytes || apart >= LSM_LIMITS.apartInTable);
}

/** Directly behind a key, and before the next: so that the extents of two tables do not meet. */
function boundBetween(last: Key, next: Key): Key {
  const bound = keyBound(keyAfter(last));
  return bound < next ? bound : next;
}

/** An array changes hands as a whole: one that is far from full is copied instead. */
function wholeArray(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = chunk;
  return buffer instanceof ArrayBuffer && 2 * length >= buffer.byteLength
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(chunk);
}

/** From the first to the last key of any of the tables. */
function reachOf(tables: readonly SstMeta[]): KeyBounds {
  const [first, ...others] = tables;
  if (first === undefined) return { from: "", to: "" };
  let { firstKey: from, lastKey: to } = first.stats;
  for (const { stats } of others) {
    if (stats.firstKey < from) from = stats.firstKey;
    if (stats.lastKey > to) to = stats.lastKey;
  }
  return { from, to: keyAfter(to) };
}
