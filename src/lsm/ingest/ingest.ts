import { assert } from "../../base/assert.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { KeyBounds } from "../compaction/bounds.ts";
import { Executor, type ExecutorTarget } from "../compaction/executor.ts";
import { isIdle, planOf } from "../compaction/plan.ts";
import {
  duplicate,
  INGEST_SEQUENCE,
  longRows,
  type SortedTable,
  type SortedValue,
} from "../compaction/sort-rows.ts";
import { conflict } from "../errors.ts";
import { assertKeyBytes, keyInvalid, type Sequence } from "../format/entry.ts";
import type { PackedRows } from "../format/packed-rows.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { bytesOfUlid, mintUlid, type Ulid } from "../format/ulid.ts";
import type { Health } from "../health.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { ManifestLog } from "../manifest/log.ts";
import type { Maybe } from "../maybe.ts";
import { retentionOf } from "../options.ts";
import { valuePath } from "../read/apart-values.ts";
import { tablePath } from "../read/table-cache.ts";
import type { Sampler } from "../states/samples.ts";
import type { Wal } from "../wal/port.ts";
import { ValueSink } from "../write/value-sink.ts";
import { assertValue, valueTooLarge, type WritePath } from "../write/write-path.ts";
import { WriteWatch } from "../write/write-watch.ts";
import { fallsIntoLevel0, joinBounds, placed } from "./placement.ts";
import type { RowBuffer } from "./row-buffer.ts";
import { RowBuffers } from "./row-buffers.ts";

/** What an ingest writes with, and where its tables go. */
export interface IngestTarget extends ExecutorTarget {
  readonly wal: Wal;
  readonly writes: WritePath;
  readonly manifests: ManifestLog;
  readonly health: Health;
  readonly samples: Sampler["into"];
  /** What an error means, now that the newest manifest is known. */
  readonly explain: (error: unknown) => Promise<unknown>;
  /** Brings all that was written so far into tables. */
  readonly flush: () => Promise<void>;
  /** Brings the tables of level 0 into a run. */
  readonly compactLevel0: () => Promise<void>;
  /** Everything up to a sequence lies in tables, and only there. */
  readonly onPublished: (sequence: Sequence) => void;
  /** So many bytes of rows more, or less, are in memory. */
  readonly onBytes: (bytes: number) => void;
}

/** A row of an ingest. */
export interface IngestRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** What an ingest has come to. It survives a crash. */
export interface Ingested {
  /** Of all of its rows. */
  readonly sequence: Sequence;
  readonly rows: number;
  readonly tables: number;
  /** Of their files. */
  readonly fileBytes: number;
}

/** More tables than this are worth a compaction of level 0, which would have to take them. */
const LEVEL0_TABLES = 4;
/** A table of so small a part of a buffer is worth writing again to have fewer of them. */
const SMALL_SHARE = 8;
const FIRST_RETRY_MS = 100;
/** Files that are deleted with one request. */
const PAGE = 1_000;
/** An answer that is lost so often ends the engine: what is true is found when it opens again. */
const ATTEMPTS = 8;

/**
 * Many rows that are written to tables, beside the log and the memtables, and appear at once. Rows
 * come in any order. Nothing else may be written to its ranges meanwhile: then it conflicts.
 *
 * Readers see none of it until it is committed, and a crash leaves garbage that is collected. Used
 * by one caller at a time, and ended by `commit` or `abort`.
 */
export class Ingest {
  readonly #target: IngestTarget;
  readonly #ranges: readonly KeyBounds[];
  readonly #began: Sequence;
  readonly #watch: WriteWatch;
  readonly #unwatch: () => void;
  readonly #sorting = new Set<Promise<void>>();
  readonly #stopped = Promise.withResolvers<void>();
  /** Oldest first. */
  readonly #tables: SstMeta[] = [];
  /** Values apart that they refer to. */
  readonly #values: Ulid[] = [];
  readonly #buffers: RowBuffers;
  #rows = 0;
  #failure: { readonly error: unknown } | undefined;
  #over = false;

  /** @param given ranges that all of its keys lie within. */
  constructor(target: IngestTarget, given: readonly KeyBounds[]) {
    const ranges = joinBounds(given);
    this.#target = target;
    this.#ranges = ranges;
    this.#buffers = new RowBuffers(given, target.options.ingestBytes);
    this.#began = target.writes.lastSequence;
    this.#watch = new WriteWatch(ranges);
    this.#unwatch = target.writes.watch(this.#watch);
  }

  /**
   * Takes rows, copying them. Resolves when there is room for more: wait for it.
   *
   * @throws FirnError `Invalid`, codes `LSM_KEY_INVALID`, `LSM_VALUE_TOO_LARGE`,
   *   `LSM_INGEST_OVER`; of rows that were given before, `LSM_INGEST_DUPLICATE_KEY` and
   *   `LSM_INGEST_OUT_OF_RANGE`; `Conflict`, code `LSM_CONFLICT`; what the store throws. After an
   *   error it can only be aborted.
   */
  async add(rows: readonly IngestRow[]): Promise<void> {
    await this.#assertGoing();
    for (const { key, value } of rows) {
      assertKeyBytes(key);
      assertValue(value);
    }
    for (const { key, value } of rows) {
      const bytes = key.length + value.length;
      const span = this.#buffers.spanOf(key, 0, key.length);
      const buffer = this.#buffers.at(span);
      if (buffer?.hasRoom(bytes) === true) buffer.add(key, value);
      else (await this.#renewed(span, bytes)).add(key, value);
      this.#rows++;
    }
  }

  /** The same of rows as a scan packs them. @throws as `add`. */
  async addPacked({ count, keys, keyEnds, values, ...of }: PackedRows): Promise<void> {
    await this.#assertGoing();
    let keyFrom = 0;
    for (let row = 0; row < count; row++) {
      const keyTo = keyEnds[row] as number;
      const [from, to] = [of.valueStarts[row] as number, of.valueEnds[row] as number];
      assertBytes(keyTo - keyFrom, to - from);
      const bytes = keyTo - keyFrom + to - from;
      const span = this.#buffers.spanOf(keys, keyFrom, keyTo);
      const open = this.#buffers.at(span);
      const hasRoom = open?.hasRoom(bytes) === true;
      const buffer = hasRoom ? open : await this.#renewed(span, bytes);
      buffer.addParts(keys, keyFrom, keyTo, values, from, to);
      this.#rows++;
      keyFrom = keyTo;
    }
  }

  /**
   * Publishes all rows at once, under one sequence. Over either way. Writes wait for a few requests
   * meanwhile: those for what was written beside it, one for the log, and one for the manifest.
   *
   * @throws FirnError as `add`: then nothing was written; `Unavailable`, code `LSM_FAILED`: whether
   *   it was is known when the shard is open again.
   */
  async commit(): Promise<Ingested> {
    this.#target.health.assertOpen();
    if (this.#over) throw over();
    this.#over = true;
    try {
      await this.#assertGood();
      for (const buffer of this.#buffers.takeAll()) await this.#seal(buffer);
      await Promise.all(this.#sorting);
      await this.#assertGood();
      const tables = await this.#merged().catch(async (error: unknown) => {
        // The successor of a stale owner collects its tables.
        throw await this.#target.explain(error);
      });
      const sequence = await this.#publish(tables);
      const fileBytes = tables.reduce((sum, table) => sum + table.fileBytes, 0);
      return { sequence, rows: this.#rows, tables: tables.length, fileBytes };
    } finally {
      this.#stopped.resolve();
      await Promise.all(this.#sorting);
      await this.#end();
    }
  }

  /** Forgets it. Nothing happens to one that is over. */
  async abort(): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#stopped.resolve();
    await Promise.all(this.#sorting);
    await this.#end();
  }

  /** The buffer of a span has no room, or is not there yet. */
  async #renewed(span: number, bytes: number): Promise<RowBuffer> {
    const full = this.#buffers.at(span);
    const buffer = this.#buffers.renew(span, bytes);
    this.#target.onBytes(buffer.memoryBytes);
    if (full !== undefined) await this.#seal(full);
    return buffer;
  }

  /** Hands a buffer over, once fewer than one for each thread, and one more, are being sorted. */
  async #seal(buffer: RowBuffer): Promise<void> {
    const sorting: Promise<void> = this.#store(buffer)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#sorting.delete(sorting);
        this.#target.onBytes(-buffer.memoryBytes);
      });
    this.#sorting.add(sorting);
    while (this.#sorting.size > this.#target.merger.width) await Promise.race(this.#sorting);
    await this.#assertGood();
  }

  /** Rows into a table of their own. */
  async #store(buffer: RowBuffer): Promise<void> {
    const { clock, prng, merger, options, store, prefix, underWay } = this.#target;
    const { compression, blockBytes, prefixes, inlineValueBytes } = options;
    const id = mintUlid(clock, prng);
    const rows = buffer.take();
    const values = longRows(rows, inlineValueBytes);
    const valueIds = Array.from({ length: values }, () => mintUlid(clock, prng));
    const shape = { compression, blockBytes, prefixes, inlineValueBytes, valueIds };
    const sorted = await merger.sort({ id, rows, ranges: this.#ranges, ...shape });
    const { meta, chunks } = sorted;
    underWay.begin(id);
    this.#tables.push(meta);
    await this.#storeValues(sorted.values);
    await store.putStream(tablePath(prefix, id), each(chunks));
  }

  /** Before the table that refers to them. */
  async #storeValues(values: readonly SortedValue[]): Promise<void> {
    if (values.length === 0) return;
    const sink = new ValueSink(this.#target);
    try {
      for (const { id, object } of values) {
        this.#target.underWay.begin(id);
        this.#values.push(id);
        sink.store(id, object);
        if (sink.isFull) await sink.room();
      }
    } finally {
      await sink.settled();
    }
  }

  /** Tables that do not overlap, in key order. */
  async #merged(): Promise<readonly SstMeta[]> {
    const { options, store, prefix, underWay } = this.#target;
    const { tableBytes, ingestBytes } = options;
    if (this.#tables.length === 0) return [];
    const smallBytes = Math.min(tableBytes / 4, ingestBytes / SMALL_SHARE);
    const shape = { tableBytes, smallBytes, isWorthRewriting: () => false };
    const inputs = this.#tables.map((table) => [table]);
    const plan = planOf("ingest", inputs, [], shape);
    if (isIdle(plan)) return this.#tables;
    const isOver = () => this.#target.health.failure !== undefined;
    const executor = new Executor(this.#target, isOver, this.#stopped.promise, () => undefined);
    const { tables } = await executor.run(plan, []);
    const kept = new Set(tables.map(({ id }) => id));
    const gone = this.#tables.filter(({ id }) => !kept.has(id));
    this.#tables.splice(0, this.#tables.length, ...tables);
    // What stays behind is garbage.
    await store.deleteMany(gone.map(({ id }) => tablePath(prefix, id))).catch(() => undefined);
    for (const { id } of gone) underWay.end(id);
    const entries = tables.reduce((sum, { stats }) => sum + stats.entries, 0);
    if (entries !== this.#rows) throw duplicate(undefined);
    return tables;
  }

  async #publish(tables: readonly SstMeta[]): Promise<Sequence> {
    const { writes, manifests, flush, compactLevel0, health } = this.#target;
    if (tables.length === 0) return writes.lastSequence;
    await flush();
    const isCostly = tables.length > LEVEL0_TABLES;
    if (isCostly && fallsIntoLevel0(manifests.current, tables)) await compactLevel0();
    return await writes.alone(async () => {
      // Little was written since, but all of it has to lie below the ingest.
      await flush();
      health.assertOpen();
      await this.#assertGood();
      assert(manifests.current.lastSequence <= writes.lastSequence, "tables hold what was written");
      const { sequence, handle } = writes.reserve(bytesOfUlid((tables[0] as SstMeta).id));
      let isNamed = false;
      try {
        await handle.durable();
        await this.#name(tables, sequence);
        isNamed = true;
      } finally {
        // Where nothing was published the sequence stands for nothing.
        if (health.failure === undefined) writes.pass(sequence, isNamed ? this.#watch : undefined);
      }
      this.#target.onPublished(sequence);
      this.#tables.length = 0;
      for (const { id } of tables) this.#target.underWay.end(id);
      for (const id of this.#values.splice(0)) this.#target.underWay.end(id);
      return sequence;
    });
  }

  /** The commit: the manifest that names the tables. */
  async #name(tables: readonly SstMeta[], sequence: Sequence): Promise<void> {
    const { manifests, wal, samples, options, clock, health } = this.#target;
    const ingested = tables.map((table) => ({ ...table, sequence, stats: at(sequence, table) }));
    for (let attempt = 1; ; attempt++) {
      try {
        const published = await manifests.update((manifest) => {
          // The answer to an earlier attempt was lost.
          if (manifest.lastSequence >= sequence) return undefined;
          const isAbove = tables.every(({ stats }) => stats.maxSequence === INGEST_SEQUENCE);
          assert(isAbove, "all entries of an ingest get the one sequence that it was given");
          const walFrom = Math.max(manifest.walFrom, wal.lowWater(sequence));
          const state = { ...manifest, lastSequence: sequence, walFrom };
          return { ...placed(state, ingested), samples: samples(manifest.samples) };
        });
        await wal.release(published.walFrom, retentionOf(options)).catch(() => undefined);
        return;
      } catch (error) {
        const isUnknown = error instanceof FirnError && error.kind === "Unknown";
        if (!isUnknown && attempt === 1) {
          health.failIfFenced(error);
          throw error;
        }
        // It may have been published: what follows has to know.
        if (attempt === ATTEMPTS || (error instanceof FirnError && error.code === "LSM_FENCED")) {
          health.fail(error);
          throw health.failure ?? error;
        }
        await clock.sleep(FIRST_RETRY_MS * 2 ** attempt);
      }
    }
  }

  /** What it has written and no manifest names is deleted, or is garbage. */
  async #end(): Promise<void> {
    const { store, prefix, underWay, onBytes } = this.#target;
    this.#unwatch();
    for (const buffer of this.#buffers.takeAll()) onBytes(-buffer.memoryBytes);
    const left = this.#tables.splice(0).map(({ id }) => id);
    const values = this.#values.splice(0);
    if (this.#target.health.failure === undefined) {
      const paths = left.map((id) => tablePath(prefix, id));
      paths.push(...values.map((id) => valuePath(prefix, id)));
      for (let at = 0; at < paths.length; at += PAGE) {
        await store.deleteMany(paths.slice(at, at + PAGE)).catch(() => undefined);
      }
    }
    for (const id of [...left, ...values]) underWay.end(id);
  }

  #assertGoing(): Maybe<void> {
    this.#target.health.assertOpen();
    if (this.#over) throw over();
    return this.#assertGood();
  }

  #assertGood(): Maybe<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const { written } = this.#watch;
    return written === undefined ? undefined : this.#refused(written);
  }

  /** A conflict is answered once what it saw is durable: a crash could undo it before. */
  async #refused(written: NonNullable<WriteWatch["written"]>): Promise<never> {
    await this.#target.writes.durable(written.sequence);
    const key = Buffer.from(written.key).toString("hex");
    throw conflict(written.sequence, this.#began, key);
  }
}

/** @throws FirnError `Invalid`, codes `LSM_KEY_INVALID`, `LSM_VALUE_TOO_LARGE`. */
function assertBytes(keyBytes: number, valueBytes: number): void {
  const { keyBytes: mostKey, valueBytes: mostValue } = LSM_LIMITS;
  if (keyBytes === 0 || keyBytes > mostKey) throw keyInvalid(keyBytes);
  if (valueBytes > mostValue) throw valueTooLarge(valueBytes);
}

function over(): FirnError {
  return invalid("LSM_INGEST_OVER", "the ingest has ended");
}

/** The statistics of a table as those of its ingest. */
function at(sequence: Sequence, { stats }: SstMeta): SstMeta["stats"] {
  return { ...stats, minSequence: sequence, maxSequence: sequence };
}

async function* each(chunks: SortedTable["chunks"]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
