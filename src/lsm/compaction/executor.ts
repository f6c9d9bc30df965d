import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { CatalogError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { Blob, BlobStore } from "../../blob/port.ts";
import type { MemoryBudget } from "../budget.ts";
import type { Sequence } from "../format/entry.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid, type Ulid } from "../format/ulid.ts";
import type { Meaning } from "../meaning.ts";
import type { LsmOptions } from "../options.ts";
import { pathOf, tableGone, tablePath } from "../tables.ts";
import type { TablesUnderWay } from "../tables-under-way.ts";
import type { MergeOutput, Merger, MergeSession, Part, Want } from "./merger.ts";
import type { CompactionPlan, PlanPart } from "./plan.ts";
import { TableSink } from "./table-sink.ts";

/** What a compaction reads from and writes to. */
export interface ExecutorTarget {
  readonly store: BlobStore;
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly options: LsmOptions;
  readonly merger: Merger;
  readonly budget: MemoryBudget;
  readonly meaning: Meaning;
  readonly underWay: TablesUnderWay;
}

export interface Executed {
  /** Every table of the run that the inputs became, in key order. */
  readonly tables: readonly SstMeta[];
  readonly written: readonly SstMeta[];
}

type MergePart = Extract<PlanPart, { part: "merge" }>;

const MAX_WINDOW_BYTES = 1_048_576;
const STEP_BYTES = 1_048_576;
/** What may wait for the store before the merge does. */
const QUEUE_BYTES = 2_097_152;
const SPARE_IDS = 4;

/**
 * Carries out a plan: reads ranges of the inputs, hands them to the merger, and streams what comes
 * back into the store. Publishes nothing: what is written is garbage until a manifest names it.
 *
 * Requests: one for each window of an input and for its tail, one put for each table.
 */
export class Executor {
  readonly #target: ExecutorTarget;
  readonly #isStopped: () => boolean;
  readonly #stopped: Promise<void>;
  readonly #onWritten: (bytes: number) => void;

  /**
   * @param isStopped asked between steps: then the plan is given up.
   * @param stopped resolves where whoever waits for room has to look again.
   * @param onWritten told of what is on its way to the store.
   */
  constructor(
    target: ExecutorTarget,
    isStopped: () => boolean,
    stopped: Promise<void>,
    onWritten: (bytes: number) => void,
  ) {
    this.#target = target;
    this.#isStopped = isStopped;
    this.#stopped = stopped;
    this.#onWritten = onWritten;
  }

  /**
   * The tables that are written stay under way: whoever publishes them, or does not, lets go.
   *
   * @throws CatalogError `Corrupt`, its context naming `path`, part and offset of the input;
   *   `Unavailable`, code `LSM_COMPACTION_STOPPED`; what the store throws.
   */
  async run(plan: CompactionPlan, snapshots: readonly Sequence[]): Promise<Executed> {
    const tables: SstMeta[] = [];
    const written: SstMeta[] = [];
    try {
      for (const part of plan.parts) {
        if (part.part === "move") tables.push(part.table);
        else {
          const merged = await this.#merge(part, snapshots);
          tables.push(...merged);
          written.push(...merged);
        }
      }
      return { tables, written };
    } catch (error) {
      for (const { id } of written) this.#target.underWay.end(id);
      throw this.#naming(error, plan);
    }
  }

  /** Waits until no more is merged in this process than its budget allows. */
  async #merge(part: MergePart, snapshots: readonly Sequence[]): Promise<readonly SstMeta[]> {
    const { budget } = this.#target;
    const room = budget.work(budget.mergeBytes);
    try {
      if (!room.isGranted) await Promise.race([room.granted, this.#stopped]);
      if (this.#isStopped()) throw stopped();
      return await this.#mergeIn(room.bytes, part, snapshots);
    } finally {
      room.end();
    }
  }

  async #mergeIn(
    bytes: number,
    { inputs, dropTombstones }: MergePart,
    snapshots: readonly Sequence[],
  ): Promise<readonly SstMeta[]> {
    const { merger, options, meaning } = this.#target;
    const { compression, blockBytes, prefixes, tableBytes } = options;
    const session = merger.start({
      inputs,
      snapshots,
      dropTombstones,
      operators: meaning.operators.names,
      nowMs: meaning.nowMs(),
      compression,
      blockBytes,
      prefixes,
      tableBytes,
      windowBytes: Math.min(MAX_WINDOW_BYTES, Math.ceil(bytes / inputs.length / 4)),
      stepBytes: STEP_BYTES,
    });
    const { prefix } = this.#target;
    const paths = new Map(inputs.flat().map((meta) => [meta.id, pathOf(prefix, meta)]));
    const merge = new Merge(this.#target, session, paths, this.#isStopped, this.#onWritten);
    try {
      return await merge.run();
    } catch (error) {
      await merge.abandon(error);
      throw error;
    } finally {
      session.end();
    }
  }

  /** The merger knows tables by their ids; people know files. */
  #naming(error: unknown, plan: CompactionPlan): unknown {
    if (!(error instanceof CatalogError)) return error;
    const { kind, code, message, context } = error;
    const { table } = context;
    if (typeof table !== "string") return error;
    const meta = plan.inputs.flat().find(({ id }) => id === table);
    const path = pathOf(this.#target.prefix, meta ?? { id: table });
    return new CatalogError(kind, code, message, { ...context, path }, error);
  }
}

/** One merge under way: its reads, its steps, and its tables on their way to the store. */
class Merge {
  readonly #target: ExecutorTarget;
  readonly #session: MergeSession;
  /** Files of the inputs, of which some may lie with another shard. */
  readonly #paths: ReadonlyMap<Ulid, string>;
  readonly #isStopped: () => boolean;
  readonly #onWritten: (bytes: number) => void;
  readonly #pace: Pace;
  readonly #reads = new Set<Promise<void>>();
  readonly #sinks: TableSink[] = [];
  readonly #ids: Ulid[] = [];
  #arrived: Part[] = [];
  #open: TableSink | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    target: ExecutorTarget,
    session: MergeSession,
    paths: ReadonlyMap<Ulid, string>,
    isStopped: () => boolean,
    onWritten: (bytes: number) => void,
  ) {
    this.#target = target;
    this.#session = session;
    this.#paths = paths;
    this.#isStopped = isStopped;
    this.#onWritten = onWritten;
    this.#pace = new Pace(target.clock, target.options.compactionBytesPerSecond);
  }

  async run(): Promise<readonly SstMeta[]> {
    for (let spareIds = 0; ; ) {
      if (this.#isStopped()) throw stopped();
      if (this.#failure !== undefined) throw this.#failure.error;
      const ids = spareIds === 0 ? this.#mint() : [];
      const step = await this.#session.step({ parts: this.#arrived.splice(0), ids });
      for (const want of step.wants) this.#read(want);
      for (const output of step.outputs) this.#take(output);
      if (step.done) break;
      spareIds = step.spareIds;
      await this.#pace.take(step.outputs.reduce((bytes, output) => bytes + output.bytes.length, 0));
      await this.#open?.room(QUEUE_BYTES);
      if (step.blocked) await this.#arrival();
    }
    await Promise.all(this.#sinks.map((sink) => sink.stored));
    const metas = this.#sinks.map((sink) => sink.meta as SstMeta);
    this.#letGo(new Set(metas.map(({ id }) => id)));
    return metas;
  }

  /** Nothing more is read or written when it resolves. */
  async abandon(error: unknown): Promise<void> {
    for (const sink of this.#sinks) sink.fail(error);
    await Promise.allSettled([...this.#sinks.map((sink) => sink.stored), ...this.#reads]);
    this.#letGo(new Set());
  }

  #mint(): readonly Ulid[] {
    const { clock, prng, underWay } = this.#target;
    const ids = Array.from({ length: SPARE_IDS }, () => mintUlid(clock, prng));
    for (const id of ids) underWay.begin(id);
    this.#ids.push(...ids);
    return ids;
  }

  #letGo(except: ReadonlySet<Ulid>): void {
    for (const id of this.#ids) if (!except.has(id)) this.#target.underWay.end(id);
  }

  #read(want: Want): void {
    const reading = this.#bytesOf(want)
      .then(
        (part) => void this.#arrived.push(part),
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
  }

  async #bytesOf({ table, offset, bytes }: Want): Promise<Part> {
    const path = this.#paths.get(table as Ulid);
    assert(path !== undefined, "a merge reads its inputs");
    const blob = await this.#target.store.getRange(path, offset, bytes);
    if (blob === undefined) throw tableGone(path, offset);
    return { table, offset, bytes: ownArray(blob) };
  }

  /** Until something was read that the merge waits for. */
  async #arrival(): Promise<void> {
    while (this.#arrived.length === 0 && this.#failure === undefined) {
      assert(this.#reads.size > 0, "a merge that is blocked has asked for something");
      await Promise.race(this.#reads);
    }
  }

  #take({ table, bytes, meta }: MergeOutput): void {
    const { store, prefix } = this.#target;
    if (this.#open === undefined) {
      this.#open = new TableSink((source) => store.putStream(tablePath(prefix, table), source));
      this.#sinks.push(this.#open);
    }
    this.#open.push(bytes);
    this.#onWritten(bytes.length);
    if (meta === undefined) return;
    this.#open.end(meta);
    this.#open = undefined;
  }
}

/** What a store lends must not change hands. */
function ownArray({ bytes, own }: Blob): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes;
  return own === true && buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(bytes);
}

/** Lets so many bytes a second through; 0: as many as come. */
class Pace {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  readonly #watch: Stopwatch;
  #dueMs = 0;

  constructor(clock: Clock, bytesPerSecond: number) {
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
    this.#watch = new Stopwatch(clock);
  }

  async take(bytes: number): Promise<void> {
    if (this.#bytesPerSecond === 0) return;
    this.#dueMs += (bytes / this.#bytesPerSecond) * 1_000;
    const aheadMs = this.#dueMs - this.#watch.elapsedMs();
    if (aheadMs > 0) await this.#clock.sleep(aheadMs);
  }
}

function stopped(): CatalogError {
  const message = "the compaction was given up, as the engine closes";
  return new CatalogError("Unavailable", "LSM_COMPACTION_STOPPED", message);
}
