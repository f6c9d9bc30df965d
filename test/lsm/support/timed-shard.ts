import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { Manifest } from "../../../src/lsm/format/manifest.ts";
import { ManifestObjects } from "../../../src/lsm/manifest/objects.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { openReader, type Reader, type ReaderTarget } from "../../../src/lsm/read/reader.ts";
import type { Moment } from "../../../src/lsm/states/resolve.ts";
import { type Cloned, cloneShard } from "../../../src/lsm/tools/clone.ts";
import { deleteShard } from "../../../src/lsm/tools/delete.ts";
import { type KeepReplaced, type Restored, restoreShard } from "../../../src/lsm/tools/restore.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import type { Finding } from "../../../src/lsm/tools/verify-table.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { Processes } from "./worlds.ts";

/** A shard of objects in memory, under a clock that passes when it is told to. */
export class TimedShard {
  readonly clock: VirtualClock;
  readonly store: MemoryBlobStore;
  readonly processes: Processes;
  readonly prefix: string;
  #life: number;

  /** @param beside another one of the same store. */
  constructor(prefix = "", beside?: TimedShard) {
    this.clock = beside?.clock ?? new VirtualClock();
    this.store = beside?.store ?? new MemoryBlobStore(this.clock);
    this.processes = beside?.processes ?? new Processes();
    this.prefix = prefix;
    this.#life = beside === undefined ? 0 : beside.#life + 10_000;
  }

  get manifests(): ManifestObjects {
    const { store, clock, prefix } = this;
    return new ManifestObjects({ store, clock, prefix, gcMinAgeMs: 0 });
  }

  get #wal(): string {
    return `${this.prefix}wal/`;
  }

  async newest(): Promise<Manifest> {
    const newest = await this.manifests.latest();
    if (newest === undefined) throw new Error("there is a manifest");
    return newest;
  }

  open(options: Partial<LsmTuning> = {}, store: BlobStore = this.store): Promise<Engine> {
    const { clock, prefix } = this;
    const prng = new SeededPrng(++this.#life);
    const wal = new ObjectWalStore(store, { clock, prng, prefix: this.#wal });
    return this.run(
      Engine.open({
        store,
        prefix,
        wal,
        clock,
        prng,
        merger: new InlineMerger(clock),
        node: this.processes.start({ sight: () => "dead" }),
        forTests: { compaction: "manual", blockBytes: 200, ...options },
      }),
    );
  }

  /** A reader under this clock, which it runs for. */
  read(
    target: ReaderTarget,
    options: Partial<LsmTuning> = {},
    store: BlobStore = this.store,
  ): Promise<Reader> {
    const { clock, prefix } = this;
    const wal = new ObjectReader(store, this.#wal);
    const prng = new SeededPrng(1_000 + ++this.#life);
    return this.run(openReader({ store, prefix, wal, clock, prng, forTests: options }, target));
  }

  /** Makes another shard of a state of this one, in a process of its own. */
  clone(
    into: string,
    moment?: Moment,
    options: Partial<LsmTuning> = {},
    store: BlobStore = this.store,
  ): Promise<Cloned> {
    const { clock, prefix } = this;
    const wal = new ObjectReader(store, this.#wal);
    const prng = new SeededPrng(3_000 + ++this.#life);
    const parts = { store, prefix, wal, clock, prng, forTests: { gcMinAgeMs: 0, ...options } };
    return cloneShard(parts, into, moment);
  }

  /** Deletes the shard, in a process of its own. */
  delete(options: Partial<LsmTuning> = {}, store: BlobStore = this.store): Promise<void> {
    const { clock, prefix } = this;
    const prng = new SeededPrng(4_000 + ++this.#life);
    return deleteShard({
      store,
      prefix,
      clock,
      prng,
      forTests: { gcMinAgeMs: 0, ...options },
      wal: new ObjectWalStore(store, { clock, prng, prefix: this.#wal }),
      node: this.processes.start({ sight: () => "dead" }),
    });
  }

  /** What a check of all files finds. */
  async findings(): Promise<readonly Finding[]> {
    const { store, clock, prefix } = this;
    const found: Finding[] = [];
    const wal = new ObjectReader(store, this.#wal);
    for await (const one of verifyShard({ store, prefix, clock, wal })) found.push(one);
    return found;
  }

  /** Makes a state of the past the newest one, in a process of its own. */
  restore(
    moment: Moment,
    options: Partial<LsmTuning> = {},
    store: BlobStore = this.store,
    keep?: KeepReplaced,
  ): Promise<Restored> {
    const { clock, prefix } = this;
    const prng = new SeededPrng(2_000 + ++this.#life);
    return restoreShard(
      {
        store,
        prefix,
        clock,
        prng,
        forTests: { gcMinAgeMs: 0, ...options },
        wal: new ObjectWalStore(store, { clock, prng, prefix: this.#wal }),
        log: new ObjectReader(store, this.#wal),
        node: this.processes.start({ sight: () => "dead" }),
      },
      moment,
      keep,
    );
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.clock.run(work);
  }

  /** A table of level 0 with each key. */
  async flush(engine: Engine, value: string): Promise<void> {
    const ops = Array.from({ length: 50 }, (_, i) => {
      const key = utf8(`key ${String(i).padStart(2, "0")}`);
      return { op: "put" as const, key, value: utf8(value) };
    });
    await this.run(Promise.resolve(engine.write(ops)));
    await this.run(engine.flush());
  }

  async names(directory: string): Promise<readonly string[]> {
    return (await this.store.list(this.prefix + directory)).map(({ path }) => path);
  }
}

/** The value of one of the keys that `flush` writes. */
export async function readOne(engine: Engine): Promise<string> {
  const value = await engine.get(utf8("key 07"));
  return value === undefined ? "" : utf8Text(value);
}
