import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { LsmMetrics, MemoryBudget, type Shard } from "../../../src/lsm/index.ts";
import { openMemoryShard } from "../../../src/runtime/memory-shard.ts";

import { testStores } from "../../support/open-catalog.ts";
import { openTestIceberg, type TestIceberg } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** A node with row tables, all of it in memory. */
export async function openRowNode(): Promise<{
  readonly clock: VirtualClock;
  readonly node: TestIceberg;
  readonly shards: readonly Shard[];
}> {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  const blobs = new MemoryBlobStore(clock);
  const budget = MemoryBudget.within(64 * 1_048_576);
  const metrics = new LsmMetrics(createMetrics(), budget);
  const shards: Shard[] = [];
  const openRowShard = async (shard: string): Promise<Shard> => {
    const parts = { clock, prng: stores.prng, nodeId: "n", budget, metrics, shard };
    const opened = await openMemoryShard(blobs, parts);
    shards.push(opened);
    return opened;
  };
  const node = await openTestIceberg(stores, undefined, { openRowShard });
  return { clock, node, shards };
}
