import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import type { BlobStore } from "../blob/port.ts";
import {
  Engine,
  type LsmMetrics,
  type LsmOptions,
  type MemoryBudget,
  type NodeIdentity,
  ObjectWalStore,
  type OpenOptions,
  type Owner,
  openReader,
  type Reader,
  Shard,
  type TakeOver,
} from "../lsm/index.ts";
import { nodeIdentity } from "./node-identity.ts";
import { type OwningParts, SYSTEM_SHARD, shardPrefix } from "./shard-parts.ts";
import { hasShard } from "./stores.ts";

/** Every byte crosses a network, and is paid for by the month. */
const OPTIONS: Partial<LsmOptions> = { compression: "zstd" };

export interface BucketShardOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly node: NodeIdentity;
  readonly takeOver: TakeOver;
  readonly onWaiting: (owner: Owner) => void;
  readonly budget: MemoryBudget;
  readonly metrics: LsmMetrics;
  readonly options?: Partial<LsmOptions>;
  /** `system` unless told otherwise. */
  readonly shard?: string;
}

/**
 * A shard in a bucket: log, tables and manifests are its objects, and none is deleted
 * before the age at which no request that was signed for it can still land.
 *
 * @throws FirnError as `Shard.open`.
 */
export function openBucketShard(
  store: BlobStore,
  {
    clock,
    prng,
    node,
    takeOver,
    onWaiting,
    budget,
    metrics,
    options,
    shard = SYSTEM_SHARD,
  }: BucketShardOptions,
): Promise<Shard> {
  const prefix = shardPrefix(shard);
  return Shard.open({
    clock,
    node,
    takeOver,
    open: (self, how) =>
      Engine.open({
        store,
        clock,
        prng,
        prefix,
        node: self,
        takeOver: how,
        onWaiting,
        wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
        budget,
        metrics: { of: metrics, shard },
        options: { ...OPTIONS, ...options },
      }),
  });
}

/**
 * The engine of a shard in a bucket, for a node that the shard's pointer names. It fences the
 * process that had the shard open before.
 *
 * @throws FirnError as `Engine.open`.
 */
export function openBucketEngine(
  store: BlobStore,
  shard: string,
  parts: Pick<BucketShardOptions, "clock" | "prng" | "node" | "budget" | "metrics" | "options">,
): Promise<Engine> {
  const { clock, prng, node: self, metrics } = parts;
  const prefix = shardPrefix(shard);
  // An engine of our own that is to be opened again has been closed before.
  const sight: NodeIdentity["sight"] = (owner) =>
    owner.node === self.node ? "dead" : self.sight(owner);
  return Engine.open({
    ...parts,
    store,
    prefix,
    node: { ...self, sight },
    takeOver: "takeover",
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
    metrics: { of: metrics, shard },
    options: { ...OPTIONS, ...parts.options },
  });
}

/**
 * The newest state of a shard in a bucket, which another process may own. Undefined where there is
 * no shard.
 *
 * @throws FirnError as `openReader`.
 */
export async function readBucketShard(
  store: BlobStore,
  shard: string,
  { clock, prng, options }: Pick<BucketShardOptions, "clock" | "prng" | "options">,
): Promise<Reader | undefined> {
  if (!(await hasShard(store, shard))) return undefined;
  const prefix = shardPrefix(shard);
  const wal = new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }).reader();
  const parts = { store, prefix, wal, clock, prng, options: { ...OPTIONS, ...options } };
  return openReader(parts, { newest: true });
}

/** What a shard of a bucket is opened with, by those who do not serve it. */
export function shardPartsIn(
  store: BlobStore,
  shard: string,
  { self, options, ...parts }: OwningParts,
): OpenOptions {
  const { clock, prng } = parts;
  const prefix = shardPrefix(shard);
  return {
    ...parts,
    store,
    prefix,
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
    node: nodeIdentity({ ...self, prng, oneHost: false }),
    options: { ...OPTIONS, ...options },
  };
}
