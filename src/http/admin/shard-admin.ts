import { type Clock, Stopwatch } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import { keyOfText, textOfKey } from "../../base/printable.ts";
import type { Engine, HotPrefix, LsmStats, Maybe, NamedState } from "../../lsm/index.ts";
import { asFirnError } from "../failure.ts";
import type { ShardStatus } from "../shard-status.ts";
import { type ChangesRequest, changeLines } from "./change-lines.ts";

/** The shape of a tree before or after, as people compare it. Bytes and counts. */
export interface TreeReport {
  readonly l0Tables: number;
  readonly sortedRuns: number;
  readonly tables: number;
  readonly bytes: number;
  readonly entries: number;
  readonly deletions: number;
  readonly rangeTombstones: number;
  readonly compactionDebtBytes: number;
  readonly obsoleteBytes: number;
}

/** A compaction that an operator asked for. JSON-able. */
export interface CompactionReport {
  readonly state: "running" | "done" | "failed";
  readonly tookMs: number;
  readonly before: TreeReport;
  /** Of the compaction at work: what it reads, and has written. */
  readonly inputBytes: number;
  readonly writtenBytes: number;
  /** Once it is done. */
  readonly after?: TreeReport;
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** A prefix that is met often; its bytes as `textOfKey` writes them. JSON-able. */
export interface HotPrefixReport {
  readonly prefix: string;
  readonly share: number;
  readonly perSecond: number;
  readonly keys: number;
}

export interface ThrottleReport {
  readonly prefix: string;
  readonly writesPerSecond: number;
  readonly leftSeconds: number;
  readonly refused: number;
}

/** What an operator sees of a shard. JSON-able. */
export interface ShardReport {
  readonly shard: string;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly durableSequence: number;
  readonly tree: TreeReport;
  readonly hot: {
    readonly reads: readonly HotPrefixReport[];
    readonly writes: readonly HotPrefixReport[];
  };
  readonly throttles: readonly ThrottleReport[];
}

/** What an operator says about writes below a prefix. */
export interface ThrottleRequest {
  /** As `textOfKey` writes it. */
  readonly prefix: string;
  readonly writesPerSecond: number;
  /** 0 ends one that is in force. */
  readonly forSeconds: number;
}

/** A state that is to be kept. */
export interface CheckpointRequest {
  readonly name: string;
  /** How long; until it is deleted if absent. */
  readonly ttlMs?: number;
}

/** The states that a shard keeps under names. JSON-able. */
export interface CheckpointsReport {
  readonly checkpoints: readonly NamedState[];
}

/** What is being followed. */
export interface Changes {
  /** Some lines at once. Never fails. */
  readonly lines: AsyncIterable<string>;
  readonly close: () => void;
}

/** Where an operator comes to with what a shard needs. */
export class ShardAdmin {
  readonly name: string;
  readonly #engine: () => Maybe<Engine>;
  readonly #clock: Clock;
  readonly #followers = new Set<() => void>();
  #compaction: (() => CompactionReport) | undefined;

  /** @param engine the one that serves now, as `Shard.engine`. */
  constructor(name: string, engine: () => Maybe<Engine>, clock: Clock) {
    this.name = name;
    this.#engine = engine;
    this.#clock = clock;
  }

  /** @throws FirnError as `Shard.engine`. */
  async report(): Promise<ShardReport> {
    const { epoch, lastSequence, durableSequence, hot, throttles, ...stats } = (
      await this.#engine()
    ).stats();
    return {
      shard: this.name,
      epoch,
      lastSequence,
      durableSequence,
      tree: treeReport(stats),
      hot: { reads: hot.reads.map(hotReport), writes: hot.writes.map(hotReport) },
      throttles: throttles.states.map(({ prefix, writesPerSecond, leftMs, refused }) => ({
        prefix: textOfKey(Buffer.from(prefix).toString("latin1")),
        writesPerSecond,
        refused,
        leftSeconds: Math.ceil(leftMs / 1_000),
      })),
    };
  }

  /** The levels of its tree, for the native API. @throws FirnError as `Shard.engine`. */
  async levels(): Promise<ShardStatus> {
    const stats = (await this.#engine()).stats();
    const { epoch, lastSequence, durableSequence, memtables, tree, compaction, gc } = stats;
    return {
      name: this.name,
      epoch,
      lastSequence,
      durableSequence,
      memtableBytes: memtables.bytes,
      compactionDebtBytes: compaction.debtBytes,
      obsoleteBytes: gc.obsoleteBytes,
      levels: tree.levels,
    };
  }

  /** The one that was last asked for, as it stands. */
  get compaction(): CompactionReport | undefined {
    return this.#compaction?.();
  }

  /**
   * Begins to make one sorted run of all that the shard holds, and to delete what it replaces, as
   * far as that is old enough; or joins one that another request began. Its end is in `compaction`.
   *
   * @throws FirnError as `Shard.engine`.
   */
  async compact(): Promise<CompactionReport> {
    const engine = await this.#engine();
    const going = this.compaction;
    if (going?.state === "running") return going;
    const watch = new Stopwatch(this.#clock);
    const before = treeReport(engine.stats());
    let [inputBytes, writtenBytes] = [0, 0];
    const running = (): CompactionReport => {
      const { underWay } = engine.stats().compaction;
      if (underWay !== undefined) ({ inputBytes, writtenBytes } = underWay);
      const tookMs = Math.round(watch.elapsedMs());
      return { state: "running", tookMs, before, inputBytes, writtenBytes };
    };
    this.#compaction = running;
    const end = (how: Pick<CompactionReport, "state" | "after" | "error">): void => {
      const report = { ...running(), ...how };
      this.#compaction = () => report;
    };
    void compactAndCollect(engine).then(
      () => end({ state: "done", after: treeReport(engine.stats()) }),
      (error: unknown) => {
        const { code, message } = asFirnError(error);
        end({ state: "failed", error: { code, message } });
      },
    );
    return running();
  }

  /** Keeps the newest state under a name. @throws FirnError as `Engine.checkpoint`. */
  async checkpoint({ name, ttlMs }: CheckpointRequest): Promise<NamedState> {
    const engine = await this.#engine();
    return await engine.checkpoint(name, ttlMs === undefined ? {} : { ttlMs });
  }

  /**
   * Those of others among them, readers of the store, as they were some seconds ago at most. A
   * request if nothing was read meanwhile.
   *
   * @throws FirnError as `Engine.confirm`.
   */
  async checkpoints(): Promise<CheckpointsReport> {
    const engine = await this.#engine();
    await engine.confirm("durable");
    return { checkpoints: engine.checkpoints() };
  }

  /**
   * Lets go of a state. What only it needed is deleted behind the answer, as far as that is old
   * enough.
   *
   * @throws FirnError as `Engine.deleteCheckpoint`.
   */
  async deleteCheckpoint(name: string): Promise<CheckpointsReport> {
    const engine = await this.#engine();
    await engine.deleteCheckpoint(name);
    // A failure is counted, and the next collection comes.
    void engine.collectGarbage().catch(() => undefined);
    return { checkpoints: engine.checkpoints() };
  }

  /**
   * Committed batches in their order, as `changeLines` prints them. `close` ends them, and so does
   * who stops reading, and `stop`.
   *
   * @throws FirnError as `Engine.subscribe`; `NotFound`, code `LSM_SEQUENCE_GONE`; as
   *   `Shard.engine`.
   */
  async changes({ from, follow }: ChangesRequest): Promise<Changes> {
    const engine = await this.#engine();
    const { durableSequence } = engine.stats();
    const subscription = engine.subscribe(from);
    const close = (): void => {
      this.#followers.delete(close);
      subscription.close();
    };
    this.#followers.add(close);
    try {
      // What is there already, or is not any more, is told at once.
      const first = from <= durableSequence ? await subscription.next() : undefined;
      const through = follow ? Number.POSITIVE_INFINITY : durableSequence;
      return { lines: changeLines(subscription, first, through, this.#clock), close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Ends what is being followed. */
  stop(): void {
    for (const close of [...this.#followers]) close();
  }

  /**
   * @throws FirnError `Invalid`, code `LSM_THROTTLE_INVALID`; as `Shard.engine`.
   */
  async throttle({ prefix, writesPerSecond, forSeconds }: ThrottleRequest): Promise<void> {
    const bytes = keyOfText(prefix);
    if (bytes === undefined) {
      throw invalid("LSM_THROTTLE_INVALID", "invalid prefix: use ASCII, and \\xNN for other bytes");
    }
    const engine = await this.#engine();
    engine.throttle({ prefix: bytes, writesPerSecond, forMs: forSeconds * 1_000 });
  }
}

async function compactAndCollect(engine: Engine): Promise<void> {
  await engine.compact();
  await engine.collectGarbage();
}

function treeReport({
  tree,
  compaction,
  gc,
}: Pick<LsmStats, "tree" | "compaction" | "gc">): TreeReport {
  return {
    l0Tables: tree.l0Tables,
    sortedRuns: tree.runs,
    tables: tree.tables,
    bytes: tree.fileBytes,
    entries: tree.entries,
    deletions: tree.deletions,
    rangeTombstones: tree.ranges,
    compactionDebtBytes: compaction.debtBytes,
    obsoleteBytes: gc.obsoleteBytes,
  };
}

function hotReport({ prefix, share, perSecond, keys }: HotPrefix): HotPrefixReport {
  return { prefix: textOfKey(prefix), share, perSecond, keys };
}
