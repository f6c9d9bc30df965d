import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/error.ts";
import type { Merger } from "../compaction/merger.ts";
import { ThreadMerger } from "../compaction/thread-merger.ts";
import { END_OF_KEYS, type Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import { Health } from "../health.ts";
import { Ingest, type IngestTarget } from "../ingest/ingest.ts";
import { BackgroundJobs } from "../maintenance/background-jobs.ts";
import { TablesUnderWay } from "../manifest/tables-under-way.ts";
import type { LsmTuning } from "../options.ts";
import { boundsOf, type Range } from "../range.ts";
import type { ReadView } from "../read/read-view.ts";
import { ViewScan } from "../read/scan.ts";
import { retentionFigures } from "../states/retention-figures.ts";
import type { Subscription } from "../subscribe/subscription.ts";
import type { ConditionHost } from "../transaction/conditional-write.ts";
import { RecentWrites } from "../transaction/recent-writes.ts";
import { Snapshots } from "../transaction/snapshots.ts";
import { TableWrites } from "../transaction/table-writes.ts";
import type { ScanPlan, TransactionHost } from "../transaction/transaction.ts";
import { Transactions } from "../transaction/transactions.ts";
import type { MemoryBudget, MemoryShare } from "../write/budget.ts";
import { Flusher, type FlushTarget } from "../write/flush.ts";
import { type Gauge, Pressure } from "../write/pressure.ts";
import { WritePath } from "../write/write-path.ts";
import { Log } from "./log.ts";
import { Memtables } from "./memtables.ts";
import type { LsmLatency } from "./metrics.ts";
import type { Opened } from "./open.ts";
import { Published } from "./published.ts";
import { Reads } from "./reads.ts";
import { StateView } from "./state-view.ts";
import { amplification, type HotGroups, type LsmStats, treeFigures } from "./stats.ts";

/** What compaction still has to rewrite, in bytes: writes slow down from, are refused from. */
const COMPACTION_DEBT_BYTES = [8_589_934_592, 34_359_738_368] as const;

/** Of the one who commits: more reads than this between two commits are others'. */
const QUIET_READS = 8;

/**
 * The parts of one open engine, and what passes between them: `Published` (manifests), `Reads`
 * (tables and views), `Log`, `Memtables`, then writes, transactions, flushes and maintenance.
 */
export class Core {
  readonly options: LsmTuning;
  readonly health: Health = new Health();
  readonly snapshots: Snapshots;
  readonly published: Published;
  readonly reads: Reads;
  readonly writes: WritePath;
  readonly transactions: Transactions;
  readonly conditions: ConditionHost;
  readonly jobs: BackgroundJobs;
  readonly #clock: Clock;
  readonly #budget: MemoryBudget;
  readonly #memory: MemoryShare;
  readonly #log: Log;
  readonly #memtables: Memtables;
  readonly #pressure: Pressure;
  readonly #flusher: Flusher;
  readonly #ingestTarget: IngestTarget;
  /** Its own, unless it was given one to share. */
  readonly #merger: Merger | undefined;
  readonly #shown: { readonly latency: LsmLatency; readonly remove: () => void } | undefined;
  /** As it was at the last lone commit. */
  #readsSeen = 0;
  #closing: Promise<void> | undefined;

  constructor(opened: Opened) {
    const { parts, options, wal, budget } = opened;
    const { clock, metrics } = parts;
    const { health } = this;
    this.options = options;
    this.#clock = clock;
    this.#budget = budget;
    this.#memory = budget.join({
      freeze: () => this.#memtables.freeze(),
      forget: () => this.transactions.recent.forget(),
    });
    this.published = new Published(opened, health, (manifest) => this.#accept(manifest));
    this.#shown = metrics?.of.add(metrics.shard, () => this.stats());
    this.reads = new Reads(opened, {
      explain: (error) => this.published.explain(error),
      assertReadable: (sequence) => this.assertReadable(sequence),
      onWaited: (ms) => this.#observe("read_wait", ms),
    });
    const { nowMs } = this.reads.source.semantics;
    this.snapshots = new Snapshots(nowMs, opened.manifest.lastSequence);
    const isQuiet = (): boolean => this.#isQuiet();
    this.#log = new Log({ wal, reader: parts.wal.reader(), clock, health, options, isQuiet });
    this.#memtables = new Memtables({
      reads: this.reads,
      log: this.#log,
      memory: this.#memory,
      memtableBytes: options.memtableBytes,
      onFrozen: () => this.#flusher.wake(),
    });
    this.#pressure = new Pressure(clock, this.#gauges());
    this.writes = this.#writePath(opened);
    const host = this.#transactionHost(opened);
    this.transactions = new Transactions(host, this.snapshots, () => this.writes.lastSequence);
    this.conditions = { ...host, isKept: (sequence) => this.snapshots.isKept(sequence) };
    const merger = parts.merger ?? new ThreadMerger({ clock, threads: options.mergeThreads });
    this.#merger = parts.merger === undefined ? merger : undefined;
    const tables = this.#tableTarget(opened);
    this.#flusher = this.#flushes({ ...tables, wal });
    this.jobs = new BackgroundJobs({ ...tables, merger, collects: parts.manifests === undefined });
    this.#ingestTarget = {
      ...tables,
      wal,
      merger,
      writes: this.writes,
      samples: (stored) => this.published.sampler.into(stored),
      explain: (error) => this.published.explain(error),
      flush: () => this.flush(),
      compactLevel0: () => this.jobs.compactLevel0(),
      onPublished: (sequence) => {
        this.transactions.recent.raise(sequence);
        this.snapshots.giveUpBelow(sequence);
      },
      onBytes: (bytes) => this.#memory.add("waiting", bytes),
    };
    this.#begin();
  }

  /** @throws FirnError what ended reads of the state at a sequence. */
  assertReadable(sequence: Sequence): void {
    this.health.assertReadable(sequence <= this.writes.durableSequence);
  }

  /** Brings all that was written so far into tables. @throws what ended the engine. */
  async flush(): Promise<void> {
    this.#memtables.freeze();
    await this.#flusher.drain();
  }

  /** Many rows, in tables of their own. @throws as `Engine.ingest`. */
  ingest(ranges: readonly Range[]): Ingest {
    this.health.assertOpen();
    const bounds = ranges.map(boundsOf).map(({ from, to = END_OF_KEYS }) => ({ from, to }));
    return new Ingest(this.#ingestTarget, bounds);
  }

  /** @throws as `Engine.readView`. */
  stateView(sequence: Sequence): StateView {
    const { lastSequence } = this.writes;
    if (!(Number.isSafeInteger(sequence) && sequence >= 0 && sequence <= lastSequence)) {
      const facts = { sequence, last: lastSequence };
      throw invalid("LSM_SEQUENCE_AHEAD", "the sequence is ahead of the newest write", facts);
    }
    this.assertReadable(sequence);
    const { reads, options, snapshots } = this;
    const assertReadable = (of: Sequence): void => this.assertReadable(of);
    const { assertOpen } = Snapshots;
    return new StateView(
      { ...options, reads, assertReadable, assertOpen },
      snapshots.open(sequence),
    );
  }

  /** Committed batches from a sequence on. @throws as `Engine.subscribe`. */
  subscribe(from: Sequence): Subscription {
    return this.#log.subscribe(from, this.reads.operators, this.writes);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  stats(): LsmStats {
    const { writes } = this;
    const { lookups, tables, views } = this.reads;
    const { compaction, gc } = this.jobs;
    const manifest = this.published.manifests.current;
    const flush = this.#flusher.figures;
    const tree = treeFigures(manifest);
    const [reads, written] = [lookups.samples, writes.samples];
    return {
      epoch: manifest.writerEpoch,
      manifestId: manifest.id,
      lastSequence: writes.lastSequence,
      durableSequence: writes.durableSequence,
      memtables: { count: 1 + views.current.frozen.length, bytes: this.#memtables.bytes },
      recentBytes: this.transactions.recent.bytes,
      snapshots: this.snapshots.count,
      states: retentionFigures(manifest, this.#clock.nowMs()),
      subscribers: this.#log.feed.figures(writes.durableSequence),
      transactions: this.transactions.count,
      // Made of samples that are sorted: only for who looks.
      get hot() {
        return { reads: reads.hottest(), writes: written.hottest() };
      },
      throttles: { refused: writes.throttles.refused, states: writes.throttles.states },
      tree,
      writes: writes.figures,
      reads: { ...lookups.figures, ...tables.figures },
      flush,
      pressure: this.#pressure.stats(),
      wal: this.#log.wal.stats(),
      cache: this.#budget.cache.figures,
      memory: this.#budget.figures,
      compaction,
      gc,
      amplification: amplification(manifest, tree, flush, compaction),
    };
  }

  /** As `Engine.hotBelow`. */
  hotBelow(bytes: number): HotGroups {
    const [reads, written] = [this.reads.lookups.samples, this.writes.samples];
    return { reads: reads.hottestOf(bytes), writes: written.hottestOf(bytes) };
  }

  /** Goes on with what the replay brought. */
  #begin(): void {
    this.#log.mark();
    const { frozen } = this.reads.views.current;
    // A process that ends again and again before its first flush must not leave a file each time.
    if (this.#log.wal.stats().files > this.options.replayFiles) this.#memtables.freeze();
    else if (frozen.length > 0) this.#flusher.wake();
    this.#memtables.note();
    this.jobs.wake();
  }

  /** After a failure there is nothing left to save: what is durable is replayed. */
  async #close(): Promise<void> {
    const { health } = this;
    const { commits } = this.#log;
    health.close();
    try {
      // An ingest that is being published comes to its end.
      await this.writes.alone(() => Promise.resolve());
      await this.jobs.close();
      if (health.failure === undefined) {
        this.#memtables.freeze();
        await this.#flusher.finish();
        await commits.close();
        await this.published.announce({ state: "FREE" });
      } else await commits.close();
    } finally {
      this.reads.tables.close();
      this.#memory.leave();
      this.#shown?.remove();
      await this.#merger?.close();
    }
  }

  #writePath({ lastSequence }: Opened): WritePath {
    const { options, health, reads } = this;
    return new WritePath(
      {
        clock: this.#clock,
        options,
        views: reads.views,
        health,
        commits: this.#log.commits,
        pressure: this.#pressure,
        turn: this.#budget.turn,
        onDurable: () => this.#onDurable(),
        onGrown: () => this.#memtables.grown(),
        onWaiting: (bytes) => this.#memory.add("waiting", bytes),
      },
      lastSequence,
    );
  }

  /** What flushes and compactions have in common. */
  #tableTarget({ parts, prefix, manifestsOf }: Opened) {
    const { options, health, reads, snapshots } = this;
    return {
      clock: this.#clock,
      prng: parts.prng,
      store: parts.store,
      prefix,
      options,
      health,
      views: reads.views,
      semantics: { ...reads.source.semantics, nowMs: () => snapshots.settledMs() },
      budget: this.#budget,
      manifests: this.published.manifests,
      manifestsOf,
      underWay: new TablesUnderWay(),
      snapshots: (newest = 0) => {
        this.transactions.expire();
        const open = snapshots.sequences(newest);
        // A manifest may name the rows of an ingest before readers see them: a snapshot that is
        // opened until then is of the state before, which so has to stay.
        const { lastSequence: seen } = this.writes;
        const isAhead = this.published.manifests.current.lastSequence > seen;
        return isAhead && open.at(-1) !== seen ? [...open, seen] : open;
      },
    };
  }

  #flushes(target: Omit<FlushTarget, "durable" | "samples" | "onFlushed">): Flusher {
    return new Flusher({
      ...target,
      durable: (sequence) => this.writes.durable(sequence),
      samples: (stored) => this.published.sampler.into(stored),
      onFlushed: (bytes, tookMs) => {
        this.#pressure.flushed(bytes, tookMs);
        this.#observe("flush", tookMs);
      },
    });
  }

  #transactionHost(opened: Opened): Omit<TransactionHost, "onEnd"> {
    const { options, writes } = this;
    const { views, lookups, source } = this.reads;
    const { recentBytes, readAheadBytes } = options;
    const written = {
      views,
      recent: new RecentWrites(views, recentBytes, opened.manifest.lastSequence, (bytes) =>
        this.#memory.set("recent", bytes),
      ),
      tables: new TableWrites(source),
      lastSequence: () => writes.lastSequence,
    };
    return {
      clock: opened.parts.clock,
      operators: source.semantics.operators,
      options,
      written,
      get: lookups.get.bind(lookups),
      isAbsent: lookups.isAbsent.bind(lookups),
      getMany: lookups.getMany.bind(lookups),
      scan: (view: ReadView, plan: ScanPlan) =>
        new ViewScan(source, view, { ...plan, readAheadBytes }),
      write: writes.write.bind(writes),
      durable: writes.durable.bind(writes),
      assertOpen: this.health.assertOpen,
      assertRoom: () => this.#memory.assertTransactionRoom(),
      onMemory: (bytes: number) => this.#memory.add("transactions", bytes),
    };
  }

  #gauges(): readonly Gauge[] {
    const { unflushedBytes, l0Tables } = this.options;
    const gauge = (name: string, [soft, hard]: readonly [number, number], read: () => number) => ({
      name,
      soft,
      hard,
      read,
    });
    return [
      this.#memory.gauge,
      // What waits will be applied: so no more is let in than there is room for.
      gauge(
        "unflushedBytes",
        unflushedBytes,
        () => this.#memtables.bytes + this.#memory.of("waiting"),
      ),
      {
        ...gauge("l0Tables", l0Tables, () => this.reads.views.current.l0.length),
        bytesFor: (tables) => {
          const { level0 } = this.published.manifests.current;
          const bytes = level0.reduce((sum, { fileBytes }) => sum + fileBytes, 0);
          return (tables * bytes) / Math.max(1, level0.length);
        },
      },
      gauge("compactionDebtBytes", COMPACTION_DEBT_BYTES, () => this.jobs.debtBytes),
    ];
  }

  /** Whether little is read between two commits, and no flush or compaction wants the disk. */
  #isQuiet(): boolean {
    const { lookups, views } = this.reads;
    const { gets } = lookups.figures;
    const reads = gets - this.#readsSeen;
    this.#readsSeen = gets;
    if (reads > QUIET_READS || views.current.frozen.length > 0) return false;
    return this.jobs.compaction.underWay === undefined;
  }

  #observe(kind: Parameters<LsmLatency["observe"]>[0], ms: number): void {
    this.#shown?.latency.observe(kind, ms / 1_000);
  }

  /** However small the writes, replay stays bounded. */
  #onDurable(): void {
    const stats = this.#log.wal.stats();
    this.#observe("commit", stats.appendMs.last);
    this.published.nameBegun(this.#log.wal);
    this.published.note(this.writes.durableSequence);
    if (this.#log.isLong(stats) && this.health.failure === undefined) this.#memtables.freeze();
  }

  /** Other tables were published: memtables that they hold go. */
  #accept(manifest: Manifest): void {
    const flushed = this.#memtables.replaced(manifest);
    const { oldest, recent } = this.transactions;
    for (const memtable of flushed.toReversed()) recent.add(memtable, oldest);
    for (const memtable of flushed) memtable.letGo();
    const { tables, views } = this.reads;
    tables.keepOnly(views.tables());
    this.jobs.changed();
  }
}
