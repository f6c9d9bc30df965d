import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import {
  type BlobStore,
  Engine,
  type LsmMetrics,
  type LsmOptions,
  type MemoryBudget,
  ObjectWalStore,
  type OpenOptions,
  Shard,
} from "../lsm/index.ts";
import { nodeIdentity } from "./node-identity.ts";
import { shardPrefix } from "./shard-parts.ts";

interface MemoryShardOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly nodeId: string;
  readonly budget: MemoryBudget;
  readonly metrics: LsmMetrics;
  readonly options?: Partial<LsmOptions>;
  readonly shard: string;
}

/** What a shard in memory is opened with. */
export function memoryParts(
  store: BlobStore,
  { clock, prng, nodeId, shard }: Pick<MemoryShardOptions, "clock" | "prng" | "nodeId" | "shard">,
): OpenOptions {
  const prefix = shardPrefix(shard);
  return {
    store,
    clock,
    prng,
    prefix,
    node: nodeIdentity({ nodeId, url: "", prng, oneHost: true }),
    wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
    // Nothing survives the process, and nothing waits for a disk.
    options: { gcMinAgeMs: 0 },
  };
}

/** A shard in memory: no other process sees it, and it is gone with this one. */
export function openMemoryShard(
  store: BlobStore,
  { clock, prng, nodeId, budget, metrics, options, shard }: MemoryShardOptions,
): Promise<Shard> {
  const parts = memoryParts(store, { clock, prng, nodeId, shard });
  return Shard.open({
    clock,
    node: parts.node,
    takeOver: "refuse",
    open: (node, takeOver) =>
      Engine.open({
        ...parts,
        node,
        takeOver,
        budget,
        metrics: { of: metrics, shard },
        options: { ...options, ...parts.options },
      }),
  });
}
