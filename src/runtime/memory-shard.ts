import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import {
  type BlobStore,
  Engine,
  type LsmMetrics,
  type LsmOptions,
  type MemoryBudget,
  ObjectWalStore,
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

/** A shard in memory: no other process sees it, and it is gone with this one. */
export function openMemoryShard(
  store: BlobStore,
  { clock, prng, nodeId, budget, metrics, options, shard }: MemoryShardOptions,
): Promise<Shard> {
  const prefix = shardPrefix(shard);
  return Shard.open({
    clock,
    node: nodeIdentity({ nodeId, url: "", prng, oneHost: true }),
    takeOver: "refuse",
    open: (node, takeOver) =>
      Engine.open({
        store,
        clock,
        prng,
        prefix,
        node,
        takeOver,
        wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
        budget,
        metrics: { of: metrics, shard },
        // Nothing survives the process, and nothing waits for a disk.
        options: { ...options, gcMinAgeMs: 0 },
      }),
  });
}
