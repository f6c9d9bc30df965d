import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  Version,
} from "../../../src/pointer/port.ts";
import { Bucket } from "../../double/s3/model.ts";
import { S3Service } from "../../double/s3/service.ts";
import { serve } from "../../double/server.ts";
import { type DynamoSite, NetworkClock, openDynamoSite } from "../../support/dynamo-pointers.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { Suite } from "../harness/sim.ts";
import type { Services } from "./cluster.ts";
import { CATALOG_SUITE, runCatalog } from "./suite.ts";

let site: Site | undefined;

/**
 * The catalog's suite over pointers in DynamoDB's double and objects in that of S3, through the
 * adapters and sockets: a millisecond a call, so fewer seeds. Faults are the harness's, above the
 * ports; what happens below them has tests of its own.
 */
export const DYNAMO_SUITE: Suite = {
  ...CATALOG_SUITE,
  name: "catalog-dynamo",
  fullSeeds: Number.MAX_SAFE_INTEGER,
  run: async (sim) => {
    site ??= await sim.clock.outside(openSite());
    return runCatalog(sim, site.begin(sim.clock));
  },
};

/** Both services, for one seed after the other. Nobody closes them: the process ends without. */
interface Site {
  begin(clock: VirtualClock): Services;
}

const BUCKETS = ["payloads", "warehouse"] as const;

async function openSite(): Promise<Site> {
  const dynamo: DynamoSite = await openDynamoSite({ unref: true });
  let nowMs = (): number => 0;
  const s3 = new S3Service({ now: () => nowMs() });
  const serving = await serve(s3.handler);
  serving.unref();
  let closeLast = (): void => undefined;
  return {
    begin: (clock) => {
      closeLast();
      nowMs = () => clock.nowMs();
      const pointers = dynamo.open(clock);
      const [payloads, warehouse] = BUCKETS.map((bucket) => {
        s3.model.buckets.set(bucket, new Bucket(s3.region));
        return openBucket(bucket, serving.url, clock);
      }) as [S3BlobStore, S3BlobStore];
      closeLast = () => {
        for (const store of [pointers, payloads, warehouse]) store.close();
      };
      return {
        pointers: new SocketPointers(pointers, clock),
        payloads: inTurn(payloads, clock),
        warehouse: inTurn(warehouse, clock),
      };
    },
  };
}

function openBucket(bucket: string, endpoint: string, clock: VirtualClock): S3BlobStore {
  const credentials = { accessKeyId: "sim", secretAccessKey: "double" };
  const options = { bucket, endpoint, credentials, region: "us-east-1" };
  return new S3BlobStore(options, { clock: new NetworkClock(clock), prng: new SeededPrng(1) });
}

/** Likewise as pointers: see below. */
function inTurn(inner: S3BlobStore, clock: VirtualClock): BlobStore {
  let before: Promise<unknown> = Promise.resolve();
  const next = <T>(call: () => Promise<T>): Promise<T> => {
    const answer = before.then(call, call);
    before = answer;
    return clock.outside(answer);
  };
  return {
    get: (path) => next(() => inner.get(path)),
    getRange: (...of) => next(() => inner.getRange(...of)),
    getSuffix: (...of) => next(() => inner.getSuffix(...of)),
    head: (path) => next(() => inner.head(path)),
    put: (...of) => next(() => inner.put(...of)),
    putStream: (...of) => next(() => inner.putStream(...of)),
    delete: (path) => next(() => inner.delete(path)),
    deleteMany: (paths) => next(() => inner.deleteMany(paths)),
    list: (...of) => next(() => inner.list(...of)),
  };
}

/**
 * One call after the other, in the order they come, so that the seed decides it; and no virtual
 * time passes while one is on its way.
 */
class SocketPointers implements PointerStore {
  readonly #inner: PointerStore;
  readonly #clock: VirtualClock;
  #before: Promise<unknown> = Promise.resolve();

  constructor(inner: PointerStore, clock: VirtualClock) {
    this.#inner = inner;
    this.#clock = clock;
  }

  get(key: string): Promise<Item> {
    return this.#inTurn(() => this.#inner.get(key));
  }

  getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return this.#inTurn(() => this.#inner.getMany(keys));
  }

  commit(batch: Batch): Promise<CommitOutcome> {
    return this.#inTurn(() => this.#inner.commit(batch));
  }

  list(directory: string, options?: PageOptions): Promise<readonly Live[]> {
    return this.#inTurn(() => this.#inner.list(directory, options));
  }

  async *sweep(prefix: string): AsyncIterable<Item> {
    yield* await this.#inTurn(async () => {
      const items: Item[] = [];
      for await (const item of this.#inner.sweep(prefix)) items.push(item);
      return items;
    });
  }

  forget(key: string, version: Version): Promise<boolean> {
    return this.#inTurn(() => this.#inner.forget(key, version));
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const answer = this.#before.then(call, call);
    this.#before = answer;
    return this.#clock.outside(answer);
  }
}
