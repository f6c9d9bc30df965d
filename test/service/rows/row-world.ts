import type { WriterId } from "../../../src/base/ids.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { jobKeys } from "../../../src/catalog/jobs.ts";
import { Engine, LsmMetrics, MemoryBudget, ObjectWalStore, Shard } from "../../../src/lsm/index.ts";
import { deleteShard } from "../../../src/lsm/tools.ts";
import { nodeIdentity } from "../../../src/runtime/node-identity.ts";
import { shardPrefix } from "../../../src/runtime/shard-parts.ts";
import type { Mortal } from "../../support/mortal.ts";
import { testStores } from "../../support/open-catalog.ts";
import { openTestIceberg, type TestIceberg } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Stores that outlive the processes over them. */
export class World {
  readonly clock: VirtualClock = new VirtualClock();
  readonly stores: ReturnType<typeof testStores> = testStores({ clock: this.clock });
  readonly files: MemoryBlobStore = new MemoryBlobStore(this.clock);
  readonly #open: Shard[] = [];
  #nodes = 0;

  /** A process that ends before its n-th call to a store. */
  async start(mortal: Mortal): Promise<TestIceberg> {
    const { clock, stores } = this;
    const node = `n${++this.#nodes}`;
    const budget = MemoryBudget.within(64 * 1_048_576);
    const metrics = new LsmMetrics(createMetrics(), budget);
    const store = mortal.files(this.files);
    const { prng } = stores;
    const partsOf = (name: string) => {
      const prefix = shardPrefix(name);
      const wal = new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` });
      const identity = nodeIdentity({ nodeId: node, url: "", prng, oneHost: true });
      return { store, clock, prng, prefix, wal, node: identity, options: { gcMinAgeMs: 0 } };
    };
    const openRowShard = async (name: string): Promise<Shard> => {
      const parts = partsOf(name);
      const shard = await Shard.open({
        clock,
        node: parts.node,
        takeOver: "takeover",
        open: (identity, takeOver) => {
          const own = { node: identity, takeOver, budget, metrics: { of: metrics, shard: name } };
          return Engine.open({ ...parts, ...own });
        },
      });
      this.#open.push(shard);
      return shard;
    };
    const removeRowShard = (name: string): Promise<void> =>
      deleteShard({ ...partsOf(name), takeOver: "takeover" });
    const parts = { ...stores, pointers: mortal.pointers(stores.pointers) };
    return await openTestIceberg(parts, undefined, { openRowShard, removeRowShard });
  }

  /** Of the shard that was opened last. */
  async lastEngine(): Promise<Engine | undefined> {
    return await this.#open.at(-1)?.engine();
  }

  /** Over virtual time, which leases and retries need. */
  async within<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    done.catch(() => undefined);
    for (let i = 0; i < 2_000 && !isOver; i++) await this.clock.advance(200);
    if (!isOver) throw new Error("it does not end");
    return await done;
  }
}

/** What a check of everything finds. */
export async function findings(node: TestIceberg, world: World): Promise<readonly string[]> {
  const found: string[] = [];
  const scratch = new MemoryBlobStore(world.clock);
  for await (const { code } of node.fsck(scratch).run()) found.push(code);
  // A write that was killed leaves its payload to the collector.
  return found.filter((code) => code !== "PAYLOAD_ORPHANED");
}

/** As in a store that was restored: backups have no such jobs. */
export async function forgetJobs({ catalog }: TestIceberg, { stores }: World): Promise<void> {
  const { account } = catalog.context;
  for (const job of (await catalog.jobs.list()).items) {
    const items = await stores.pointers.getMany(jobKeys(account, job.id, job.dueMs));
    const live = items.filter((item) => item.state === "live");
    const ops = live.map(({ key, version }) => ({ op: "delete" as const, key, expected: version }));
    await stores.pointers.commit({ writerId: stores.ids.mint<WriterId>(), ops });
  }
}
