import type { Clock } from "../../base/clock.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { Merger } from "../compaction/merger.ts";
import { ThreadMerger } from "../compaction/thread-merger.ts";
import type { Key, Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Owner } from "../format/manifest-records.ts";
import { Health } from "../health.ts";
import { Upkeep } from "../maintenance/upkeep.ts";
import { ManifestLog } from "../manifest/log.ts";
import { TablesUnderWay } from "../manifest/tables-under-way.ts";
import { Memtable } from "../memtable/memtable.ts";
import type { LsmOptions } from "../options.ts";
import { Lease } from "../ownership/lease.ts";
import type { Bounds } from "../range.ts";
import { Gets, ReadFigures } from "../read/get.ts";
import { ExpiryClock } from "../read/meaning.ts";
import { Operators } from "../read/operators.ts";
import { type ScanSource, ViewScan } from "../read/scan.ts";
import { Tables } from "../read/tables.ts";
import { type View, Views } from "../read/view.ts";
import { Checkpoints } from "../states/checkpoints.ts";
import { keptFigures } from "../states/kept.ts";
import { Sampler } from "../states/samples.ts";
import { Feed } from "../subscribe/feed.ts";
import { LogSubscription, type Subscription } from "../subscribe/subscription.ts";
import { RecentWrites } from "../transaction/recent.ts";
import { Snapshots } from "../transaction/snapshots.ts";
import { Transactions } from "../transaction/transactions.ts";
import { GroupCommit } from "../wal/group-commit.ts";
import type { Wal, WalReader } from "../wal/port.ts";
import type { MemoryBudget, MemoryShare } from "../write/budget.ts";
import { Flusher, type FlushTarget } from "../write/flush.ts";
import { type Gauge, Pressure } from "../write/pressure.ts";
import { WritePath } from "../write/write-path.ts";
import type { LsmLatency } from "./metrics.ts";
import type { Opened } from "./open.ts";
import { amplification, type LsmStats, treeFigures } from "./stats.ts";

/** The parts of one open engine, and what passes between them. */
export class Core {
  readonly options: LsmOptions;
  readonly store: BlobStore;
  readonly prefix: string;
  readonly budget: MemoryBudget;
  readonly health: Health = new Health();
  readonly snapshots: Snapshots = new Snapshots();
  readonly tables: Tables;
  readonly views: Views;
  readonly manifests: ManifestLog;
  readonly gets: Gets;
  readonly scanSource: ScanSource;
  readonly operators: Operators;
  readonly writes: WritePath;
  readonly transactions: Transactions;
  readonly lease: Lease;
  readonly upkeep: Upkeep;
  readonly checkpoints: Checkpoints;
  readonly #clock: Clock;
  readonly #sampler: Sampler;
  /** Its own, unless it was given one to share. */
  readonly #merger: Merger | undefined;
  readonly #memory: MemoryShare;
  readonly #wal: Wal;
  readonly #commits: GroupCommit;
  readonly #feed = new Feed();
  readonly #logs: WalReader;
  readonly #pressure: Pressure;
  readonly #flusher: Flusher;
  /** What the log had taken when the active memtable began. */
  #walFiles = 0;
  #walBytes = 0;
  #accepted: Manifest;
  #closing: Promise<void> | undefined;
  readonly #latency: LsmLatency | undefined;
  readonly #unshow: (() => void) | undefined;

  constructor(opened: Opened) {
    const { parts, options, manifest, memtables, wal } = opened;
    const { clock, prng, store } = parts;
    const { health, snapshots } = this;
    this.options = options;
    this.store = store;
    this.prefix = opened.prefix;
    this.budget = opened.budget;
    this.#memory = this.#share();
    this.#wal = wal;
    this.#accepted = manifest;
    this.#clock = clock;
    const explain = (error: unknown) => this.#explain(error);
    this.tables = new Tables(store, this.prefix, this.budget.cache, { ...options, explain });
    const [active = new Memtable(), ...frozen] = memtables;
    this.views = new Views({ active, frozen, ...this.#sorted(manifest) });
    this.manifests = new ManifestLog(opened.store, manifest, (next) => this.#accept(next));
    this.#sampler = new Sampler(clock, opened.lastSequence);
    this.checkpoints = this.#namedStates(opened);
    const { metrics } = parts;
    const shown = metrics?.of.add(metrics.shard, () => this.stats());
    this.#latency = shown?.latency;
    this.#unshow = shown?.remove;
    const { nowMs } = new ExpiryClock(clock);
    const meaning = { operators: new Operators(manifest.operators), nowMs };
    this.operators = meaning.operators;
    const assertReadable = (sequence: Sequence) => this.assertReadable(sequence);
    const figures = new ReadFigures();
    const { tables: files, views } = this;
    const turn = () => clock.sleep(0);
    this.scanSource = { tables: files, views, meaning, figures, assertReadable, turn };
    this.gets = new Gets(this.scanSource, figures, clock, (ms) => this.#observe("read_wait", ms));
    this.#pressure = new Pressure(clock, this.#gauges());
    const { minFlushIntervalMs } = options;
    this.#commits = new GroupCommit(wal, {
      ...{ clock, minFlushIntervalMs },
      onDurable: (batches) => this.#feed.push(batches),
    });
    health.onEnd(() => this.#feed.wake());
    this.#logs = parts.wal.reader();
    const shared = { clock, options, views: this.views, health, meaning };
    const underWay = new TablesUnderWay();
    this.writes = new WritePath(
      {
        ...shared,
        commits: this.#commits,
        pressure: this.#pressure,
        turn: this.budget.turn,
        onDurable: () => this.#onDurable(),
        onGrown: () => this.#grown(),
        onWaiting: (bytes) => this.#memory.add("waiting", bytes),
      },
      opened.lastSequence,
    );
    this.transactions = this.#transactions(opened);
    const tables = {
      ...shared,
      ...{ prng, store, prefix: this.prefix, budget: this.budget },
      manifests: this.manifests,
      manifestsOf: opened.manifestsOf,
      underWay,
      snapshots: () => {
        this.transactions.expire();
        return snapshots.sequences();
      },
    };
    this.#flusher = this.#flushes({ ...tables, wal });
    const merger = parts.merger ?? new ThreadMerger({ clock, threads: options.mergeThreads });
    this.#merger = parts.merger === undefined ? merger : undefined;
    this.upkeep = new Upkeep({ ...tables, merger, collects: parts.manifests === undefined });
    this.lease = this.#leaseOf(opened);
    this.#noteWal();
    // A process that ends again and again before its first flush must not leave a file each time.
    if (wal.stats().files > options.replayFiles) this.#freeze();
    else if (frozen.length > 0) this.#flusher.wake();
    this.#noteMemtables();
    this.upkeep.wake();
  }

  /** @throws FirnError what ended reads of the state at a sequence. */
  assertReadable(sequence: Sequence): void {
    this.health.assertReadable(sequence <= this.writes.durableSequence);
  }

  /** Brings all that was written so far into tables. @throws what ended the engine. */
  async flush(): Promise<void> {
    this.#freeze();
    await this.#flusher.drain();
  }

  /** Says something else of the owner in the manifest. */
  async announce(change: Partial<Pick<Owner, "url" | "state">>): Promise<void> {
    await this.manifests.update((manifest) => {
      const owner = manifest.owner && { ...manifest.owner, ...change };
      return owner && { ...manifest, owner };
    });
  }

  /** Committed batches from a sequence on. @throws as `Engine.subscribe`. */
  subscribe(from: Sequence): Subscription {
    this.health.assertOpen();
    const { health, operators, writes } = this;
    const source = {
      ...{ reader: this.#logs, wal: this.#wal, feed: this.#feed, health, operators },
      durableSequence: () => writes.durableSequence,
    };
    return new LogSubscription(source, from);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  stats(): LsmStats {
    const { manifests, writes } = this;
    const { compaction, gc } = this.upkeep;
    const manifest = manifests.current;
    const { active, frozen } = this.views.current;
    const memtables = [active, ...frozen];
    const flush = this.#flusher.figures;
    const tree = treeFigures(manifest);
    const [reads, written] = [this.gets.samples, writes.samples];
    return {
      epoch: manifest.writerEpoch,
      manifestId: manifest.id,
      lastSequence: writes.lastSequence,
      durableSequence: writes.durableSequence,
      memtables: { count: memtables.length, bytes: this.#unflushedBytes() },
      recentBytes: this.transactions.recent.bytes,
      snapshots: this.snapshots.count,
      states: keptFigures(manifest, this.#clock.nowMs()),
      subscribers: this.#feed.figures(writes.durableSequence),
      transactions: this.transactions.count,
      // Made of samples that are sorted: only for who looks.
      get hot() {
        return { reads: reads.hottest(), writes: written.hottest() };
      },
      throttles: { refused: writes.throttles.refused, states: writes.throttles.states },
      tree,
      writes: writes.figures,
      reads: { ...this.gets.figures, ...this.tables.figures },
      flush,
      pressure: this.#pressure.stats(),
      wal: this.#wal.stats(),
      cache: this.budget.cache.figures,
      memory: this.budget.figures,
      compaction,
      gc,
      amplification: amplification(manifest, tree, flush, compaction),
    };
  }

  /** After a failure there is nothing left to save: what is durable is replayed. */
  async #close(): Promise<void> {
    const { health } = this;
    health.close();
    try {
      await this.upkeep.close();
      if (health.failure === undefined) {
        this.#freeze();
        await this.#flusher.finish();
        await this.#commits.close();
        await this.announce({ state: "FREE" });
      } else await this.#commits.close();
    } finally {
      this.tables.close();
      this.#memory.leave();
      this.#unshow?.();
      await this.#merger?.close();
    }
  }

  #flushes(target: Omit<FlushTarget, "durable" | "samples" | "onFlushed">): Flusher {
    return new Flusher({
      ...target,
      durable: (sequence) => this.writes.durable(sequence),
      samples: (stored) => this.#sampler.into(stored),
      onFlushed: (bytes, tookMs) => {
        this.#pressure.flushed(bytes, tookMs);
        this.#observe("flush", tookMs);
      },
    });
  }

  #namedStates({ parts }: Opened): Checkpoints {
    const { manifests } = this;
    const update: ManifestLog["update"] = (change) => manifests.update(change);
    return new Checkpoints(parts.clock, update, () => manifests.current);
  }

  #share(): MemoryShare {
    return this.budget.join({
      freeze: () => this.#freeze(),
      forget: () => this.transactions.recent.forget(),
    });
  }

  #leaseOf({ parts, known }: Opened): Lease {
    return new Lease(parts.clock, known, this.options.leaseMs, async (sinceMs) => {
      await this.manifests.check(sinceMs).catch((error: unknown) => {
        this.health.failIfFenced(error);
        throw error;
      });
    });
  }

  #transactions(opened: Opened): Transactions {
    const { options, views, gets, scanSource, writes } = this;
    const { recentBytes, scanBatchRows, readAheadBytes } = options;
    const host = {
      clock: opened.parts.clock,
      meaning: scanSource.meaning,
      options,
      recent: new RecentWrites(views, recentBytes, opened.manifest.lastSequence, (bytes) =>
        this.#memory.set("recent", bytes),
      ),
      get: (key: Key, sequence: Sequence) => gets.get(views.current, key, sequence),
      scan: (bounds: Bounds, reverse: boolean, sequence: Sequence) =>
        new ViewScan(scanSource, views.current, {
          bounds,
          reverse,
          sequence,
          limit: Number.POSITIVE_INFINITY,
          batchRows: scanBatchRows,
          readAheadBytes,
        }),
      write: writes.write.bind(writes),
      durable: writes.durable.bind(writes),
      assertOpen: this.health.assertOpen,
    };
    return new Transactions(host, this.snapshots, () => writes.lastSequence);
  }

  #gauges(): readonly Gauge[] {
    const { unflushedBytes, l0Tables, compactionDebtBytes } = this.options;
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
        () => this.#unflushedBytes() + this.#memory.of("waiting"),
      ),
      {
        ...gauge("l0Tables", l0Tables, () => this.views.current.l0.length),
        bytesFor: (tables) => {
          const { level0 } = this.manifests.current;
          const bytes = level0.reduce((sum, { fileBytes }) => sum + fileBytes, 0);
          return (tables * bytes) / Math.max(1, level0.length);
        },
      },
      gauge("compactionDebtBytes", compactionDebtBytes, () => this.upkeep.debtBytes),
    ];
  }

  #unflushedBytes(): number {
    const { active, frozen } = this.views.current;
    let bytes = active.memoryBytes;
    for (const memtable of frozen) bytes += memtable.memoryBytes;
    return bytes;
  }

  async #explain(error: unknown): Promise<unknown> {
    const told = await this.manifests.explain(error);
    this.health.failIfFenced(told);
    return told;
  }

  /** The next write goes into a new memtable and a new file of the log. */
  #freeze(): void {
    const { current } = this.views;
    if (!current.active.isEmpty) {
      current.active.freeze();
      const frozen = [current.active, ...current.frozen];
      this.views.replace({ ...current, active: new Memtable(), frozen });
      this.#commits.roll().catch(this.health.fail);
      this.#noteWal();
      this.#noteMemtables();
    }
    this.#flusher.wake();
  }

  /** The active memtable takes more memory than it did. */
  #grown(): void {
    const { active } = this.views.current;
    if (active.memoryBytes >= this.options.memtableBytes) this.#freeze();
    else this.#memory.set("active", active.memoryBytes);
  }

  #noteMemtables(): void {
    const { active, frozen } = this.views.current;
    const bytes = frozen.reduce((sum, memtable) => sum + memtable.memoryBytes, 0);
    // What moves from one part to the other must not be there twice.
    this.#memory.set("active", active.isEmpty ? 0 : active.memoryBytes);
    this.#memory.set("frozen", bytes);
  }

  #observe(kind: Parameters<LsmLatency["observe"]>[0], ms: number): void {
    this.#latency?.observe(kind, ms / 1_000);
  }

  #noteWal(): void {
    const { files, writtenBytes } = this.#wal.stats();
    this.#walFiles = files;
    this.#walBytes = writtenBytes;
  }

  /** However small the writes, replay stays bounded. */
  #onDurable(): void {
    const { walFiles, walBytes } = this.options;
    const { files, writtenBytes, appendMs } = this.#wal.stats();
    this.#observe("commit", appendMs.last);
    this.#sampler.note(this.writes.durableSequence);
    const grown = files - this.#walFiles >= walFiles || writtenBytes - this.#walBytes >= walBytes;
    if (grown && this.health.failure === undefined) this.#freeze();
  }

  /** A state that somebody published: memtables that it holds go, its tables come. */
  #accept(manifest: Manifest): void {
    const { level0, runs } = this.#accepted;
    this.#accepted = manifest;
    // What was said of the owner alone leaves nothing to read, to compact or to collect.
    if (manifest.level0 === level0 && manifest.runs === runs) return;
    const { current } = this.views;
    const flushed = current.frozen.filter((one) => one.maxSequence <= manifest.lastSequence);
    const frozen = current.frozen.filter((one) => one.maxSequence > manifest.lastSequence);
    for (const memtable of flushed) memtable.hold();
    this.views.replace({ active: current.active, frozen, ...this.#sorted(manifest) });
    this.#noteMemtables();
    const { oldest, recent } = this.transactions;
    for (const memtable of flushed.toReversed()) recent.add(memtable, oldest);
    for (const memtable of flushed) memtable.letGo();
    this.tables.keepOnly(this.views.tables());
    this.upkeep.changed();
  }

  #sorted({ level0, runs }: Manifest): Pick<View, "l0" | "runs"> {
    const { tables } = this;
    return {
      l0: level0.map((meta) => tables.of(meta)),
      runs: runs.map((run) => ({ id: run.id, tables: run.tables.map((meta) => tables.of(meta)) })),
    };
  }
}
