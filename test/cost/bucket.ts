import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import { openBucketShard } from "../../src/runtime/bucket-shard.ts";
import { testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { CostCounter, type CostNode } from "./measure.ts";

/** What a request to S3 takes: it decides how many changes share one of the log. */
const REQUEST_MS = 30;

/** A node of profile `bucket` over objects whose requests are counted, in virtual time. */
export class BucketWorld {
  readonly clock: VirtualClock;
  readonly node: CostNode;
  readonly #counter: CostCounter;
  readonly #close: () => Promise<void>;

  private constructor(
    clock: VirtualClock,
    node: CostNode,
    counter: CostCounter,
    close: () => Promise<void>,
  ) {
    this.clock = clock;
    this.node = node;
    this.#counter = counter;
    this.#close = close;
  }

  static async open(): Promise<BucketWorld> {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    const counter = new CostCounter();
    const objects = counter.blobs(slow(new MemoryBlobStore(clock), clock));
    const budget = new MemoryBudget();
    const identity = { node: "cost", host: "host", pid: 1, bootId: "boot", url: "" };
    const shard = await clock.run(
      openBucketShard(objects, {
        clock,
        prng,
        takeOver: "refuse",
        onWaiting: () => {},
        node: { ...identity, sight: () => "dead" },
        budget,
        metrics: new LsmMetrics(createMetrics(), budget),
      }),
    );
    const { engine, reader } = shard;
    const pointers = new LsmPointerStore({ families: KEY_FAMILIES, clock, engine, reader });
    const stores = testStores({ seed: 1, clock, pointers, blobs: objects });
    const node = await clock.run(openInMemory(stores, objects, { unwatched: true }));
    return new BucketWorld(clock, node, counter, () => clock.run(shard.close()));
  }

  /** Requests to S3 while `work` goes on, by operation. */
  async requests(work: () => Promise<void>): Promise<Readonly<Record<string, number>>> {
    this.#counter.reset();
    await work();
    return this.#counter.cost().s3;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function slow(inner: BlobStore, clock: VirtualClock): BlobStore {
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    await clock.sleep(REQUEST_MS);
    return work();
  };
  return {
    get: (path) => later(() => inner.get(path)),
    getRange: (...of) => later(() => inner.getRange(...of)),
    getSuffix: (...of) => later(() => inner.getSuffix(...of)),
    head: (path) => later(() => inner.head(path)),
    put: (...of) => later(() => inner.put(...of)),
    putStream: (...of) => later(() => inner.putStream(...of)),
    delete: (path) => later(() => inner.delete(path)),
    deleteMany: (paths) => later(() => inner.deleteMany(paths)),
    list: (...of) => later(() => inner.list(...of)),
  };
}
