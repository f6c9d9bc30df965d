import { LIMITS } from "../../src/base/limits.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import type { StoredItem } from "../../src/pointer/batch.ts";
import type { DynamoUsage } from "../../src/pointer/dynamo/client.ts";
import { type Attributes, encodeItem } from "../../src/pointer/dynamo/item.ts";
import { KeyFamilies } from "../../src/pointer/families.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { gatedBlobs } from "../catalog/support/gate.ts";
import type { Item } from "../double/dynamo/value-types.ts";
import { type DynamoWorld, openDynamoWorld, TABLE } from "../double/dynamo/world.ts";
import { testStores } from "../support/open-catalog.ts";
import { openInMemory, type TestIceberg } from "../support/open-iceberg.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** Bytes that stay. */
export interface Kept {
  readonly dynamo: number;
  readonly s3: number;
}

/** What was sent to the stores. Of an operation that sends none there is no count. */
export interface Cost {
  /** Requests to DynamoDB by operation. */
  readonly dynamo: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Requests to S3 by operation: payloads and metadata files alike. */
  readonly s3: Readonly<Record<string, number>>;
}

export type CostNode = Omit<TestIceberg, "directory">;

/** Nodes over DynamoDB's double, through the SDK, and over blobs whose requests are counted. */
export class CostWorld {
  readonly #dynamo: DynamoWorld;
  readonly #blobs: BlobStore;
  readonly #files: BlobStore;
  readonly #counter: CostCounter;
  #nodes = 0;

  private constructor(dynamo: DynamoWorld, counter: CostCounter) {
    const { clock } = dynamo;
    this.#dynamo = dynamo;
    this.#counter = counter;
    this.#blobs = counter.blobs(new MemoryBlobStore(clock));
    this.#files = counter.blobs(new MemoryBlobStore(clock));
  }

  /** `prepare` works over memory, which is fast; what it made is put into the table as it is. */
  static async open(prepare: (node: CostNode) => Promise<void>): Promise<CostWorld> {
    const counter = new CostCounter();
    const onUsage = (usage: DynamoUsage): void => counter.dynamo(usage);
    const dynamo = await openDynamoWorld({ families: KEY_FAMILIES, onUsage });
    const world = new CostWorld(dynamo, counter);
    const { clock, double } = dynamo;
    const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
    const node = await world.#open(pointers);
    await prepare(node);
    await node.catalog.context.background.settled();
    const families = new KeyFamilies(KEY_FAMILIES);
    const table = double.tables.ready(TABLE);
    for await (const item of pointers.sweep("/")) {
      const wire = marshalled(encodeItem(families, item as StoredItem, clock.nowMs()));
      table.put(table.placeOfItem(wire), wire);
    }
    return world;
  }

  /** One that has nothing cached. */
  node(): Promise<CostNode> {
    return this.#open(this.#dynamo.store);
  }

  #open(pointers: PointerStore): Promise<CostNode> {
    const { clock } = this.#dynamo;
    const seed = 100 + this.#nodes++;
    const stores = testStores({ seed, clock, pointers, blobs: this.#blobs });
    return openInMemory(stores, this.#files, { unwatched: true });
  }

  /** What work costs, with what follows its answer. */
  async measure(node: CostNode, work: () => Promise<unknown>): Promise<Cost> {
    await node.catalog.context.background.settled();
    this.#counter.reset();
    await work();
    await node.catalog.context.background.settled();
    return this.#counter.cost();
  }

  /** Lets time pass. */
  later(ms: number): Promise<void> {
    return this.#dynamo.clock.advance(ms);
  }

  /** Bytes of items and payloads, once all has expired that ever will. */
  async keptBytes(): Promise<Kept> {
    const { clock, double } = this.#dynamo;
    await clock.advance(LIMITS.receiptLifeMs + LIMITS.clockSkewMs + 1_000);
    double.tables.expire();
    let s3 = 0;
    for (let after = ""; ; ) {
      const page = await this.#blobs.list("", { after });
      const last = page.at(-1);
      if (last === undefined) return { dynamo: double.tables.storedBytes(), s3 };
      for (const { size } of page) s3 += size;
      after = last.path;
    }
  }

  close(): Promise<void> {
    return this.#dynamo.close();
  }
}

/** A month of 30 days. */
const MONTH_MS = 30 * 86_400_000;

/** Requests of a node that nobody uses for a month, once its start is over. */
export async function measureIdle(): Promise<Cost> {
  const clock = new VirtualClock();
  const counter = new CostCounter();
  const pointers = counter.pointers(new MemoryPointerStore({ families: KEY_FAMILIES, clock }));
  const blobs = counter.blobs(new MemoryBlobStore(clock));
  const stores = testStores({ seed: 1, clock, pointers, blobs });
  const files = counter.blobs(new MemoryBlobStore(clock));
  const node = await openInMemory(stores, files, { unwatched: true });
  node.runner.start();
  await clock.advance(60_000);
  counter.reset();
  await clock.advance(MONTH_MS);
  const cost = counter.cost();
  await node.runner.stop();
  return cost;
}

/** Attributes as they stand on the wire. */
function marshalled(attributes: Attributes): Item {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { S, N, B }]) => {
      if (S !== undefined) return [name, { S }];
      return [name, N !== undefined ? { N } : { B: Buffer.from(B ?? []).toString("base64") }];
    }),
  );
}

export class CostCounter {
  #dynamo: Record<string, number> = {};
  #s3: Record<string, number> = {};
  #readUnits = 0;
  #writeUnits = 0;

  reset(): void {
    this.#dynamo = {};
    this.#s3 = {};
    this.#readUnits = 0;
    this.#writeUnits = 0;
  }

  cost(): Cost {
    const [readUnits, writeUnits] = [this.#readUnits, this.#writeUnits];
    return { dynamo: { ...this.#dynamo }, readUnits, writeUnits, s3: { ...this.#s3 } };
  }

  dynamo({ operation, readUnits, writeUnits }: DynamoUsage): void {
    this.#dynamo[operation] = (this.#dynamo[operation] ?? 0) + 1;
    this.#readUnits += readUnits;
    this.#writeUnits += writeUnits;
  }

  /** Each call as the one request that it is at DynamoDB, whatever units that takes. */
  pointers(inner: PointerStore): PointerStore {
    const count = <T>(operation: string, work: () => T): T => {
      this.#dynamo[operation] = (this.#dynamo[operation] ?? 0) + 1;
      return work();
    };
    return {
      get: (key) => count("GetItem", () => inner.get(key)),
      getMany: (keys) => count("BatchGetItem", () => inner.getMany(keys)),
      list: (...of) => count("Query", () => inner.list(...of)),
      commit: (batch) => count("TransactWriteItems", () => inner.commit(batch)),
      sweep: (prefix) => count("Scan", () => inner.sweep(prefix)),
      forget: (...of) => count("DeleteItem", () => inner.forget(...of)),
    };
  }

  /** Each call as the one request that it is at S3. */
  blobs(inner: BlobStore): BlobStore {
    const count = <T>(operation: string, work: () => Promise<T>): Promise<T> => {
      this.#s3[operation] = (this.#s3[operation] ?? 0) + 1;
      return work();
    };
    return {
      ...gatedBlobs(inner),
      get: (path) => count("GetObject", () => inner.get(path)),
      getRange: (...of) => count("GetObject", () => inner.getRange(...of)),
      getSuffix: (...of) => count("GetObject", () => inner.getSuffix(...of)),
      delete: (path) => count("DeleteObject", () => inner.delete(path)),
      deleteMany: (paths) => count("DeleteObjects", () => inner.deleteMany(paths)),
      head: (path) => count("HeadObject", () => inner.head(path)),
      put: (...of) => count("PutObject", () => inner.put(...of)),
      putStream: (...of) => count("PutObject", () => inner.putStream(...of)),
      list: (...of) => count("ListObjectsV2", () => inner.list(...of)),
    };
  }
}
