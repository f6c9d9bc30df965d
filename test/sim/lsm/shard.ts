import type { Clock } from "../../../src/base/clock.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { Manifest } from "../../../src/lsm/format/manifest.ts";
import { ManifestObjects } from "../../../src/lsm/manifest/objects.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import type { NodeIdentity, TakeOver } from "../../../src/lsm/ownership/owner.ts";
import { BlockCache } from "../../../src/lsm/read/cache.ts";
import { openReader, type Reader, type ReaderTarget } from "../../../src/lsm/read/reader.ts";
import type { Moment } from "../../../src/lsm/states/resolve.ts";
import { type Cloned, cloneShard } from "../../../src/lsm/tools/clone.ts";
import { deleteShard } from "../../../src/lsm/tools/delete.ts";
import { type Restored, restoreShard } from "../../../src/lsm/tools/restore.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalReader, WalStore } from "../../../src/lsm/wal/port.ts";
import { ObjectReader, SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { MemoryBudget } from "../../../src/lsm/write/budget.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { FAIR, type Weather, weatherOf } from "../harness/faults.ts";
import { Host } from "../harness/host.ts";
import type { Sim } from "../harness/sim.ts";
import { History, type Kept } from "./history.ts";
import { assertAllowed, Member } from "./member.ts";
import { lsmPlaces } from "./places.ts";
import { SimMerger } from "./sim-merger.ts";
import { Watch } from "./watch.ts";

/** Longer than the engine lets anything live: an hour of stall is not the end of the world. */
const BEYOND_MS: readonly [number, number] = [46_000, 7_500_000];
const KEPT_FOR_EVER = 1e15;
const SIZES = { segmentBytes: 20_480, sliceBytes: 8_192 };
/** Openings in a row that may fail before the weather is fair for one. */
const MOST_UNOPENED = 30;

/** Where the objects of a shard lie. */
export interface Objects {
  readonly watch: Watch;
  /** Each request takes real time, so that few are made of reads. */
  readonly costly?: true;
  /** As a process reaches them. `name`: for the trace. */
  of(host: Host, name: string): BlobStore;
  /** As they lie there, for whoever looks when nothing is under way. */
  all(): Promise<BlobStore>;
  /** How requests fare from now on, beside what the process itself suffers. */
  weather(weather: Weather): void;
}

/** Objects in memory: what can go wrong is what the hosts' calls suffer. */
export function inMemory(sim: Sim): Objects {
  const inner = new MemoryBlobStore(sim.clock);
  const watch = new Watch(sim, async (path) => (await inner.head(path))?.size);
  const store = watch.over(inner);
  return {
    watch,
    of: (host, name) => host.blobs(store, name, lsmPlaces),
    all: async () => store,
    weather: () => undefined,
  };
}

/** One shard: where it lies, and the processes that want it. */
export class Shard {
  readonly history: History;
  readonly members: Member[] = [];
  /** States that were kept under names. */
  readonly kept: Kept[] = [];
  readonly #sim: Sim;
  readonly #objects: Objects;
  readonly #hosts = new Map<string, Host>();
  /** Who restores, and which sequence. */
  readonly #restores = new Map<string, number>();
  readonly #onDisk: boolean;
  readonly #options: Partial<LsmTuning>;
  readonly #gcMinAgeMs: number;
  /** Of each process. */
  readonly #budgetBytes: number;
  #disk = new ModelledDisk();
  #weather: Weather = FAIR;
  #over = false;
  /** Openings that failed since one succeeded. */
  #unopened = 0;

  /**
   * @param onDisk how often the log lies on a disk rather than among the objects.
   * @param history what is known of the engine's writes.
   */
  constructor(
    sim: Sim,
    objects: Objects = inMemory(sim),
    onDisk = 0.5,
    history: History = new History(sim),
  ) {
    this.#sim = sim;
    this.history = history;
    this.#objects = objects;
    objects.watch.onPublished = (manifest, before) => {
      const { owner, writerEpoch, lastSequence } = manifest;
      if (lastSequence > before.lastSequence && hasIngest(manifest)) {
        this.history.loaded(writerEpoch, lastSequence);
      }
      const to = this.#restores.get(owner?.node ?? "");
      if (to === undefined || lastSequence === before.lastSequence) return;
      // It brings what it replaces into tables first.
      if (owner?.state !== "FREE") return;
      sim.log(`${owner?.node} restores ${to} as ${lastSequence}`);
      this.history.restored(writerEpoch, lastSequence, to);
    };
    this.#onDisk = sim.chance(onDisk);
    this.#gcMinAgeMs = sim.pick([1_800_000, 3_600_000]);
    this.#budgetBytes = sim.pick([40_000, 200_000, 100_000_000]);
    const options = optionsOf(sim, this.#gcMinAgeMs);
    this.#options = objects.costly ? { ...options, ...FEW_READS } : options;
    sim.log(`log on ${this.#onDisk ? "a disk" : "the store"}, ${JSON.stringify(this.#options)}`);
  }

  /** Two that want the shard, until `calm`: each is started again whenever it ends. */
  contend(): readonly Promise<void>[] {
    const { rate, absent } = weatherOf(this.#sim);
    this.#weather = { rate: rate / 2, absent, beyondMs: BEYOND_MS };
    this.#objects.weather(this.#weather);
    return ["a", "b"].map((name) => this.#sim.spawn(() => this.#contender(name)));
  }

  /** Ends the storm: every process ends, and none is started. */
  calm(): void {
    this.#over = true;
    this.#weather = FAIR;
    this.#objects.weather(FAIR);
    for (const host of this.#hosts.values()) if (host.alive) host.crash();
  }

  /** Nothing younger goes. */
  get leastAgeMs(): number {
    return this.#gcMinAgeMs;
  }

  /** Whether requests take real time. */
  get isCostly(): boolean {
    return this.#objects.costly === true;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Whether the log is never given up. */
  get retainsAll(): boolean {
    const { logRetentionMs = 0, logRetentionBytes = 0 } = this.#options;
    return logRetentionMs === KEPT_FOR_EVER && logRetentionBytes === KEPT_FOR_EVER;
  }

  any(): Member | undefined {
    return this.members.length === 0 ? undefined : this.#sim.pick(this.members);
  }

  anyHost(): Host | undefined {
    const alive = [...this.#hosts.values()].filter((host) => host.alive);
    return alive.length === 0 ? undefined : this.#sim.pick(alive);
  }

  /** The machine goes off, and all of its processes; what was not synced may be gone. */
  powerCut(): void {
    for (const host of this.#hosts.values()) if (host.alive) host.crash();
    this.#disk = this.#disk.afterCut(this.#sim.fork());
  }

  /** A process that reads the shard, or restores it. */
  startHost(name: string): Host {
    const host = new Host(this.#sim, name);
    this.#hosts.set(name, host);
    return host;
  }

  /** Opens a reader in a process. @throws what `openReader` throws. */
  async openReader(host: Host, target: ReaderTarget): Promise<Reader> {
    const store = this.#objects.of(host, "store");
    const wal = this.#logOf(host, store);
    const cache = new BlockCache(this.#sim.pick([0, 3_000, 1_000_000]));
    host.weather = this.#weather;
    const ports = { clock: this.#watched(host.clock), prng: this.#sim.fork() };
    return await openReader({ store, wal, ...ports, cache, forTests: this.#options }, target);
  }

  /**
   * Makes a state the newest one, in a process of its own.
   *
   * @param sequence of that state.
   * @throws as `restoreShard`.
   */
  async restore(host: Host, moment: Moment, sequence: number): Promise<Restored> {
    this.#restores.set(host.name, sequence);
    const store = this.#objects.of(host, "store");
    const log = this.#logOf(host, store);
    const wal = this.#walOf(host);
    const [clock, prng] = [this.#watched(host.clock), this.#sim.fork()];
    const takeOver = this.#sim.pick(["standby", "takeover", "refuse"] as const);
    host.weather = this.#weather;
    const ports = { store, wal, log, clock, prng, node: this.#identityOf(host) };
    const keep = this.#sim.chance(0.5) ? { nameOf: replacedBy(host), ttlMs: undefined } : undefined;
    const parts = { ...ports, takeOver, forTests: this.#options };
    const restored = await restoreShard(parts, moment, keep);
    const { kept } = restored;
    if (kept !== undefined) this.kept.push({ ...kept, mayBeGone: false });
    return restored;
  }

  /** Makes a clone, in a process of its own. @throws as `cloneShard`. */
  async clone(host: Host, prefix: string, moment: Moment | undefined): Promise<Cloned> {
    const store = this.#objects.of(host, "store");
    const wal = this.#logOf(host, store);
    const ports = { store, wal, clock: this.#watched(host.clock), prng: this.#sim.fork() };
    host.weather = this.#weather;
    const cloned = await cloneShard({ ...ports, forTests: this.#options }, prefix, moment);
    this.#objects.watch.acknowledged(prefix);
    return cloned;
  }

  /** Opens a clone; undefined where there is none. @throws what `Engine.open` throws. */
  async openClone(host: Host, prefix: string, weather?: Weather): Promise<Engine | undefined> {
    const store = this.#objects.of(host, "store");
    const [clock, prng] = [this.#watched(host.clock), this.#sim.fork()];
    const gcMinAgeMs = this.#gcMinAgeMs;
    const wal = this.#cloneLog(host, prefix);
    host.weather = weather ?? this.#weather;
    const manifests = new ManifestObjects({ store, clock, prefix, gcMinAgeMs });
    if ((await manifests.latest()) === undefined) return undefined;
    const ports = { store, prefix, wal, clock, prng, node: this.#identityOf(host) };
    const merger = new SimMerger(this.#sim, host, weather !== FAIR);
    const budget = new MemoryBudget(this.#budgetBytes);
    const parts = { ...ports, merger, budget, forTests: this.#options };
    return await Engine.open({ ...parts, takeOver: "takeover" });
  }

  /** Deletes a clone, in a process of its own. @throws as `deleteShard`. */
  async deleteClone(host: Host, prefix: string, weather?: Weather): Promise<void> {
    const store = this.#objects.of(host, "store");
    const [clock, prng] = [this.#watched(host.clock), this.#sim.fork()];
    const wal = this.#cloneLog(host, prefix);
    host.weather = weather ?? this.#weather;
    const ports = { store, prefix, wal, clock, prng, node: this.#identityOf(host) };
    await deleteShard({ ...ports, forTests: this.#options, takeOver: "takeover" });
  }

  #cloneLog(host: Host, prefix: string): WalStore {
    const [clock, prng] = [this.#watched(host.clock), this.#sim.fork()];
    const options = { clock, prng, prefix: `${prefix}wal/`, minAgeMs: this.#gcMinAgeMs };
    return new ObjectWalStore(this.#objects.of(host, "log"), options);
  }

  /** Every file of a clone must be as it was written; nothing is kept for it any more. */
  async verifyClone(prefix: string): Promise<void> {
    const pinned = this.#objects.watch.pinsOf(prefix);
    this.#sim.must(pinned.length === 0, () => `kept for ${prefix} still: ${pinned}`);
    const store = await this.#objects.all();
    const wal = new ObjectReader(store, `${prefix}wal/`);
    const { watch } = this.#objects;
    for await (const finding of verifyShard({ store, prefix, clock: this.#sim.clock, wal })) {
      const isTable = finding.file.startsWith(`${prefix}sst/`);
      const leftover = isTable && !watch.cloneNames(prefix, finding.file);
      this.#sim.must(leftover, () => `verify of ${prefix}: ${JSON.stringify(finding)}`);
    }
  }

  #logOf(host: Host, store: BlobStore): WalReader {
    return this.#onDisk
      ? new SegmentReader(host.disk(this.#disk, () => undefined))
      : new ObjectReader(store, "wal/");
  }

  /** Opens the shard in a process of its own. @throws what `Engine.open` throws. */
  async open(name: string, weather: Weather, takeOver: TakeOver): Promise<Member> {
    const host = new Host(this.#sim, name);
    this.#hosts.set(name, host);
    const blobs = this.#objects.of(host, "store");
    const clock = this.#watched(host.clock);
    const prng = this.#sim.fork();
    const store = blobs;
    const wal = this.#walOf(host);
    const costly = this.#objects.costly === true;
    // Other shards of the process take memory, and give it back when they are asked to.
    const cacheBytes = costly ? 1_000_000 : this.#sim.pick([0, 3_000, 1_000_000]);
    const budget = new MemoryBudget(this.#budgetBytes, cacheBytes);
    const node = this.#identityOf(host);
    const forTests = this.#options;
    host.weather = weather;
    if (weather !== FAIR) void this.#sim.spawn(() => this.#crowd(host, budget));
    const merger = new SimMerger(this.#sim, host, weather !== FAIR);
    const parts = { merger, store, wal, clock, prng, node, takeOver, budget, forTests };
    const opening = this.#sim.during("open", () => Engine.open(parts));
    const died = host.death.then(() => undefined);
    const engine = await Promise.race([opening, died]);
    if (engine === undefined) throw new Error("the process has ended");
    const { epoch } = engine.stats();
    const branch = this.history.opened(epoch, engine.lastSequence);
    this.#sim.log(`${name} serves epoch ${epoch} from ${engine.lastSequence}`);
    const member = new Member(this.#sim, host, engine, this.history, branch);
    this.members.push(member);
    return member;
  }

  /** Another shard of the same process, of which only its memory is to be seen. */
  async #crowd(host: Host, budget: MemoryBudget): Promise<void> {
    const sim = this.#sim;
    const share = budget.join({
      freeze: () => share.set("active", 0),
      forget: () => share.set("recent", 0),
    });
    for (let turns = 12; turns > 0 && host.alive; turns--) {
      await sim.sleep(sim.spanMs(10, 20_000));
      const part = sim.pick(["active", "frozen", "recent", "waiting"] as const);
      share.set(part, sim.chance(0.3) ? 0 : sim.below(this.#budgetBytes / 4));
    }
    share.leave();
  }

  /** A clock whose latest time is noted: what expires is judged by it. */
  #watched(clock: Clock): Clock {
    const { history } = this;
    return {
      nowMs: () => {
        const nowMs = clock.nowMs();
        history.latestMs = Math.max(history.latestMs, nowMs);
        return nowMs;
      },
      monotonicMs: () => clock.monotonicMs(),
      sleep: (ms, ended) => clock.sleep(ms, ended),
    };
  }

  async #contender(name: string): Promise<void> {
    for (let life = 1; !this.#over; life++) {
      await this.#live(`${name}${life}`);
      await this.#sim.sleep(this.#sim.spanMs(10, 5_000));
    }
  }

  async #live(name: string): Promise<void> {
    const mode = this.#sim.pick(["standby", "standby", "takeover", "refuse"] as const);
    // Each opening that fails leaves a segment to look at, and looking may fail: let one succeed.
    const weather = this.#unopened < MOST_UNOPENED ? this.#weather : FAIR;
    const opening = this.open(name, weather, mode).catch((error: unknown) => {
      const host = this.#hosts.get(name);
      if (host?.alive === false) return undefined;
      const code = assertAllowed(this.#sim, "open", error)?.code;
      this.#sim.coverage.note(`open ${code}`);
      this.#sim.log(`${name} did not open: ${code}`);
      this.#unopened++;
      host?.crash();
      return undefined;
    });
    const member = await opening;
    if (member === undefined) return;
    this.#unopened = 0;
    this.#sim.coverage.note(`open ${mode} answered`);
    await Promise.race([member.over, member.host.death]);
    if (member.host.alive && this.#sim.chance(0.7)) {
      await member.use("close", () => member.engine.close());
    }
    // Some go on for a while: those who still ask them must not be told anything that is not so.
    await Promise.race([this.#sim.sleep(this.#sim.spanMs(1, 10_000)), member.host.death]);
    this.members.splice(this.members.indexOf(member), 1);
    if (member.host.alive) member.host.crash();
  }

  /** Everything that lies in the store and in the log must be as it was written. */
  async verify(): Promise<void> {
    const store = await this.#objects.all();
    const { clock } = this.#sim;
    const wal = this.#onDisk ? new SegmentReader(this.#disk) : new ObjectReader(store, "wal/");
    for await (const finding of verifyShard({ store, prefix: "", clock, wal })) {
      // Half a table may be left by whoever ended while it streamed: nobody names it.
      const leftover = finding.file.startsWith("sst/") && !this.#objects.watch.names(finding.file);
      this.#sim.must(leftover, () => `verify: ${JSON.stringify(finding)}`);
    }
  }

  #walOf(host: Host): WalStore {
    const { clock } = host;
    const prng = this.#sim.fork();
    if (this.#onDisk) {
      const disk = host.disk(this.#disk, (name) => this.#objects.watch.released(name));
      return new SegmentWalStore(disk, { clock, prng, ...SIZES });
    }
    const blobs = this.#objects.of(host, "log");
    return new ObjectWalStore(blobs, { clock, prng, prefix: "wal/", minAgeMs: this.#gcMinAgeMs });
  }

  /** With the log on a disk all run on its machine; else each on one of its own. */
  #identityOf(host: Host): NodeIdentity {
    const { name } = host;
    const machine = this.#onDisk ? "m" : name.slice(0, 1);
    return {
      node: name,
      host: machine,
      pid: this.#hosts.size,
      bootId: machine,
      url: `sim://${name}`,
      sight: (owner) => {
        if (owner.bootId !== machine) return "unseen";
        return this.#hosts.get(owner.node)?.alive === true ? "alive" : "dead";
      },
      answers: async ({ node }) => {
        await host.clock.sleep(this.#sim.spanMs(1, 500));
        // Some questions get lost on the way.
        return this.#hosts.get(node)?.alive === true && this.#sim.chance(0.8);
      },
    };
  }
}

/** Most of what is read is in a cache, and the rest comes in large parts. */
const FEW_READS: Partial<LsmTuning> = {
  blockBytes: 4_096,
  readGapBytes: 4_096,
  readAheadBytes: 16_384,
};

/** Small enough for everything to happen within some hundred operations. */
function optionsOf(sim: Sim, gcMinAgeMs: number): Partial<LsmTuning> {
  return {
    memtableBytes: sim.pick([3_000, 9_000, 30_000]),
    walFiles: sim.pick([3, 20, 4_096]),
    unflushedBytes: sim.pick([
      [12_000, 40_000],
      [100_000, 200_000],
    ] as const),
    parallelFlushes: sim.pick([1, 2, 3]),
    blockBytes: sim.pick([64, 256, 4_096]),
    ...sim.pick([{}, { prefixes: { bytes: 5 } }, { prefixes: { separator: 0x2f } }]),
    compression: sim.pick(["none", "none", "zstd"] as const),
    readGapBytes: sim.pick([0, 64, 4_096]),
    readAheadBytes: sim.pick([0, 512]),
    scanBatchRows: sim.pick([1, 3, 50]),
    recentBytes: sim.pick([1, 2_000, 100_000]),
    transactionMs: sim.pick([1_000, 60_000, 600_000]),
    minFlushIntervalMs: sim.pick([0, 0, 40]),
    logRetentionMs: sim.pick([0, 30_000, KEPT_FOR_EVER, KEPT_FOR_EVER]),
    logRetentionBytes: sim.pick([60_000, KEPT_FOR_EVER, KEPT_FOR_EVER]),
    compaction: sim.pick(["auto", "auto", "manual"] as const),
    compactionL0Tables: sim.pick([2, 4]),
    compactionMaxRuns: sim.pick([2, 6]),
    compactionRuns: 2,
    tableBytes: sim.pick([600, 4_000, 100_000]),
    inlineValueBytes: sim.pick([4, 12, 40, 100_000]),
    ingestBytes: sim.pick([200, 2_000, 100_000]),
    compactionSubrangeBytes: sim.pick([300, 3_000, 1_000_000]),
    compactionStepBytes: sim.pick([500, 5_000, 1_000_000]),
    l0Tables: [30, 1_000],
    gcMinAgeMs,
  };
}

/** Whether its last sequence is that of an ingest. */
function hasIngest({ level0, runs, lastSequence }: Manifest): boolean {
  const tables = [...level0, ...runs.flatMap((run) => run.tables)];
  return tables.some(({ sequence }) => sequence === lastSequence);
}

function replacedBy({ name }: Host): (sequence: number) => string {
  return (sequence) => `${sequence} replaced by ${name}`;
}
