import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, Stopwatch } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { LocalBlobStore } from "../blob/local.ts";
import type { BlobStore } from "../blob/port.ts";
import { LocalDisk } from "../lsm/disk/local.ts";
import { Engine } from "../lsm/engine.ts";
import type { Maybe } from "../lsm/maybe.ts";
import type { LsmMetrics } from "../lsm/metrics.ts";
import type { LsmOptions } from "../lsm/options.ts";
import type { NodeIdentity, TakeOver } from "../lsm/owner.ts";
import type { ShardFiles } from "../lsm/shard-files.ts";
import { SegmentReader } from "../lsm/wal/reader.ts";
import { SegmentWalStore } from "../lsm/wal/segments.ts";
import { nodeIdentity } from "./node-identity.ts";

/** Of the pointers of all accounts. */
const SHARD = "system";
/** Between two tries to open it again: whoever asks meanwhile hears what came of the last. */
const RETRY_MS = 1_000;

/** One disk, one host: who has the shard open may delete what nobody refers to at once. */
const OPTIONS: Partial<LsmOptions> = { gcMinAgeMs: 0 };

export interface LocalShardOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly takeOver: TakeOver;
  readonly metrics: LsmMetrics;
}

/** Where profile `local` keeps payloads and tables: below `dir`. */
export function localBlobStore(
  dir: string,
  ports: { readonly clock: Clock; readonly prng: Prng },
): LocalBlobStore {
  return new LocalBlobStore(join(dir, "store", "blobs"), ports);
}

/** Where the log of a shard lies. */
function logOf(dir: string, shard: string): string {
  return join(dir, "store", "wal", shard);
}

/** Where the other files of a shard lie in the store. */
function prefixOf(shard: string): string {
  return `shards/${shard}/`;
}

/** Whether `dir` is one of profile `local`, and has such a shard. */
export function hasShard(dir: string, shard: string): boolean {
  return existsSync(join(dir, "store", "blobs")) && existsSync(logOf(dir, shard));
}

/** The files of a shard below `dir`, for those who only look. */
export function shardFilesOf(
  dir: string,
  shard: string,
  ports: { readonly clock: Clock; readonly prng: Prng },
): ShardFiles {
  const wal = new SegmentReader(new LocalDisk(logOf(dir, shard)));
  return { store: localBlobStore(dir, ports), prefix: prefixOf(shard), wal, clock: ports.clock };
}

/**
 * The engine of the shard `system` in a directory of this machine, opened again when it ended with
 * a failure: a full disk that has room again needs no restart. Whoever asks for it opens it; one
 * that another process took over is left to that process.
 */
export class LocalShard {
  readonly #directory: string;
  readonly #store: BlobStore;
  readonly #options: LocalShardOptions;
  readonly #node: NodeIdentity;
  #engine: Engine;
  #opening: Promise<Engine> | undefined;
  #last: { readonly began: Stopwatch; readonly error?: unknown } | undefined;
  #closed = false;

  private constructor(
    directory: string,
    store: BlobStore,
    options: LocalShardOptions,
    node: NodeIdentity,
    engine: Engine,
  ) {
    this.#directory = directory;
    this.#store = store;
    this.#options = options;
    this.#node = node;
    this.#engine = engine;
  }

  /**
   * @param dir its log lies below, its tables in `store`.
   * @throws CatalogError `Unavailable`, code `LSM_OWNED`, naming the owner; `Corrupt`, naming file
   *   and offset; what disk and store throw.
   */
  static async open(
    dir: string,
    store: BlobStore,
    options: LocalShardOptions,
  ): Promise<LocalShard> {
    const self = nodeIdentity({ prng: options.prng, oneHost: true });
    // An engine of our own that is to be opened again has been closed before.
    const sight: NodeIdentity["sight"] = (owner) =>
      owner.node === self.node ? "dead" : self.sight(owner);
    const node: NodeIdentity = { ...self, sight };
    const engine = await openEngine(dir, store, options, node);
    return new LocalShard(dir, store, options, node, engine);
  }

  /** The engine that serves. @throws CatalogError as `open`; what ended it where that is final. */
  readonly engine = (): Maybe<Engine> =>
    this.#engine.failure === undefined ? this.#engine : this.#again();

  /** Flushes and releases the shard, so that the next start need not look for its owner. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    await this.#engine.close();
  }

  async #again(): Promise<Engine> {
    const { failure } = this.#engine;
    if (failure !== undefined && (this.#closed || failure.code === "LSM_FENCED")) throw failure;
    if (this.#opening === undefined && (this.#last?.began.elapsedMs() ?? RETRY_MS) < RETRY_MS) {
      throw this.#last?.error ?? failure;
    }
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Engine> {
    const began = new Stopwatch(this.#options.clock);
    this.#last = { began };
    try {
      await this.#engine.close();
      const options: LocalShardOptions = { ...this.#options, takeOver: "refuse" };
      this.#engine = await openEngine(this.#directory, this.#store, options, this.#node);
      return this.#engine;
    } catch (error) {
      this.#last = { began, error };
      throw error;
    }
  }
}

function openEngine(
  dir: string,
  store: BlobStore,
  { clock, prng, takeOver, metrics }: LocalShardOptions,
  node: NodeIdentity,
): Promise<Engine> {
  const disk = new LocalDisk(logOf(dir, SHARD));
  return Engine.open({
    ...{ store, clock, prng, node, takeOver },
    prefix: prefixOf(SHARD),
    wal: new SegmentWalStore(disk, { clock, prng }),
    metrics: { of: metrics, shard: SHARD },
    options: OPTIONS,
  });
}
