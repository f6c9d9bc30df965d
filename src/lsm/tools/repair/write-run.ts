import type { Clock } from "../../../base/clock.ts";
import { FirnError } from "../../../base/error.ts";
import type { Prng } from "../../../base/prng.ts";
import type { BlobStore } from "../../../blob/port.ts";
import { ByteMerge } from "../../compaction/byte-merge.ts";
import { TableSink } from "../../compaction/table-sink.ts";
import { ENTRY, type EntryBytes, MISS, type Step } from "../../format/cursor.ts";
import { APART, type Key, type Kind, latin1Text, type Sequence } from "../../format/entry.ts";
import { joinRanges, RangeMap } from "../../format/range-map.ts";
import type { SstMeta } from "../../format/sst-meta.ts";
import { SstWriter } from "../../format/sst-writer.ts";
import { mintUlid } from "../../format/ulid.ts";
import { withValue } from "../../format/value-reference.ts";
import { LSM_LIMITS } from "../../limits.ts";
import type { LsmTuning } from "../../options.ts";
import type { Operators } from "../../read/operators.ts";
import { tablePath } from "../../read/table-cache.ts";
import { VersionFilter } from "../../read/versions.ts";
import { ValueSink } from "../../write/value-sink.ts";
import type { Loss } from "./loss.ts";
import type { SalvageCursor } from "./salvage-cursor.ts";
import type { SalvageTable } from "./salvage-table.ts";

/** Where the repaired shard is written. */
export interface RunTarget {
  readonly store: BlobStore;
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly options: LsmTuning;
}

/** The value that an entry of a table refers to; undefined where it is lost, which was told. */
export type ReadValue = (entry: EntryBytes, table: SalvageTable) => Promise<Uint8Array | undefined>;

interface DueEntry {
  readonly entry: EntryBytes;
  readonly table: SalvageTable;
}

/** The event loop belongs to others after this long. */
const SLICE_MS = 2;
/** Entries between two looks at the clock. */
const SLICE_ENTRIES = 256;
/** What may wait for the store before the merge does. */
const QUEUE_BYTES = 4_194_304;

/**
 * Merges all that was found into one sorted run of the newest versions. What several tables have of
 * one key and sequence is one version.
 */
export class RunWriter {
  readonly #target: RunTarget;
  readonly #cursors: readonly SalvageCursor[];
  readonly #filter: VersionFilter;
  readonly #merge: ByteMerge<SalvageCursor>;
  /** Losses whose keys have not been passed. */
  #losses: Loss[] = [];
  readonly #sinks: TableSink[] = [];
  readonly #readValue: ReadValue;
  readonly #values: ValueSink;
  /** Entries that wait for a value apart, and those behind them. */
  #due: DueEntry[] = [];
  #writer: SstWriter | undefined;
  #rows = 0;
  #sequence: Sequence = -1;

  constructor(
    target: RunTarget,
    cursors: readonly SalvageCursor[],
    operators: Operators,
    readValue: ReadValue,
  ) {
    this.#target = target;
    this.#readValue = readValue;
    this.#values = new ValueSink(target);
    this.#cursors = cursors;
    const deleted = cursors.map(({ table, above }) =>
      table.ranges
        .map(({ from, to, sequences }) => {
          return { from, to, sequences: sequences.filter((one) => one > (above ?? 0)) };
        })
        .filter(({ sequences }) => sequences.length > 0),
    );
    const joined = joinRanges(deleted, (all) => [...new Set(all)]);
    const ranges = joined.length === 0 ? undefined : RangeMap.of(joined);
    this.#filter = new VersionFilter(
      { snapshots: [], dropTombstones: true, ranges, operators, nowMs: 0 },
      (entry) => this.#write(entry),
    );
    this.#merge = new ByteMerge(cursors);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rows that come from now on and lie in it are counted as in doubt. */
  doubt(loss: Loss): void {
    if (loss.keys !== undefined) this.#losses.push(loss);
  }

  /** @throws what the store throws; then the tables are garbage. */
  async run(): Promise<readonly SstMeta[]> {
    try {
      await this.#mergeAll();
      await Promise.all(this.#sinks.map((sink) => sink.stored));
    } catch (error) {
      for (const sink of this.#sinks) sink.fail(error);
      await this.#values.settled().catch(() => undefined);
      await Promise.allSettled(this.#sinks.map((sink) => sink.stored));
      throw error;
    }
    return this.#sinks.map((sink) => sink.meta as SstMeta);
  }

  async #mergeAll(): Promise<void> {
    const { clock, options } = this.#target;
    let move = (): Step => this.#merge.first();
    let sliceMs = clock.monotonicMs();
    for (let entries = 0; ; ) {
      const step = move();
      if (step === MISS) {
        for (const cursor of this.#cursors) if (cursor.isDue) await cursor.load();
        continue;
      }
      if (step !== ENTRY) break;
      move = () => this.#merge.next();
      const { cursor } = this.#merge;
      const isSameKey = this.#filter.isSameKey(cursor.entry);
      if (!isSameKey && this.#isFull(options)) {
        this.#filter.end();
        await this.#writeDue();
        await this.#endTable();
      }
      if (isSameKey && cursor.sequence === this.#sequence) continue;
      this.#sequence = cursor.sequence;
      this.#filter.take(cursor);
      await this.#writeDue();
      if (++entries % SLICE_ENTRIES !== 0) continue;
      this.#drain();
      await this.#sinks.at(-1)?.room(QUEUE_BYTES);
      if (clock.monotonicMs() - sliceMs < SLICE_MS) continue;
      await clock.sleep(0);
      sliceMs = clock.monotonicMs();
    }
    this.#filter.end();
    await this.#writeDue();
    await this.#endTable();
  }

  #isFull({ tableBytes }: LsmTuning): boolean {
    if (this.#writer === undefined) return false;
    const { estimatedBytes, apart } = this.#writer;
    return estimatedBytes >= tableBytes || apart >= LSM_LIMITS.apartInTable;
  }

  #write(entry: EntryBytes): void {
    if ((entry.kind & APART) === 0 && this.#due.length === 0) this.#append(entry);
    else this.#due.push({ entry: ownEntry(entry), table: this.#merge.cursor.table });
  }

  /** Values go where the repaired shard does: it stands on its own. */
  async #writeDue(): Promise<void> {
    if (this.#due.length === 0) return;
    for (const { entry, table } of this.#due.splice(0)) {
      if ((entry.kind & APART) === 0) this.#append(this.#values.entryOf(entry));
      else {
        const value = await this.#readValue(entry, table);
        if (value === undefined) continue;
        const whole = withValue(entry, (entry.kind & ~APART) as Kind, value);
        this.#append(this.#values.entryOf(whole));
      }
      if (this.#values.isFull) await this.#values.room();
    }
  }

  #append(entry: EntryBytes): void {
    this.#writer ??= this.#begin();
    this.#writer.append(entry);
    this.#rows++;
    if (this.#losses.length === 0) return;
    const key: Key = latin1Text(entry.keySource, entry.keyStart, entry.keyEnd);
    let isPassed = false;
    for (const loss of this.#losses) {
      const { from = "", to = "" } = loss.keys ?? {};
      if (key >= to) isPassed = true;
      else if (key >= from && entry.sequence < loss.newest) loss.doubtful++;
    }
    if (isPassed) this.#losses = this.#losses.filter(({ keys }) => keys && key < keys.to);
  }

  #begin(): SstWriter {
    const { store, prefix, clock, prng, options } = this.#target;
    const { compression, blockBytes, prefixes } = options;
    const id = mintUlid(clock, prng);
    this.#sinks.push(new TableSink((source) => store.putStream(tablePath(prefix, id), source)));
    return new SstWriter(id, { compression, blockBytes, prefixes });
  }

  #drain(): void {
    for (const chunk of this.#writer?.takeChunks() ?? []) this.#sinks.at(-1)?.push(chunk);
  }

  async #endTable(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    await this.#values.settled();
    const sink = this.#sinks.at(-1) as TableSink;
    const meta = writer.finish();
    for (const chunk of writer.takeChunks()) sink.push(chunk);
    sink.end(meta);
    await sink.stored;
  }
}

/** An entry that stays what it is when its cursor moves. */
function ownEntry(entry: EntryBytes): EntryBytes {
  const { keySource, keyStart, keyEnd, valueSource, valueStart, valueEnd } = entry;
  const { sequence, kind, operator, expiresAtMs } = entry;
  const [key, value] = [
    new Uint8Array(keySource.subarray(keyStart, keyEnd)),
    new Uint8Array(valueSource.subarray(valueStart, valueEnd)),
  ];
  const keyBytes = { keySource: key, keyStart: 0, keyEnd: key.length };
  const valueBytes = { valueSource: value, valueStart: 0, valueEnd: value.length };
  return { ...keyBytes, sequence, kind, operator, expiresAtMs, ...valueBytes };
}

/** The place of a repaired shard holds something: what a repair writes there could be mixed up. */
export function placeTaken(prefix: string, found: string): FirnError {
  const message = "the target of a repair must be empty: name another place";
  return new FirnError("AlreadyExists", "LSM_REPAIR_TARGET_TAKEN", message, {
    path: prefix,
    found,
  });
}
