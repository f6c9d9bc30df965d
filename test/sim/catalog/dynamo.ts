import type { DynamoPointerStore } from "../../../src/pointer/dynamo/store.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  Version,
} from "../../../src/pointer/port.ts";
import { type DynamoSite, openDynamoSite } from "../../support/dynamo-pointers.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { Suite } from "../harness/sim.ts";
import { CATALOG_SUITE, runCatalog } from "./suite.ts";

let site: DynamoSite | undefined;
let last: DynamoPointerStore | undefined;

/**
 * The catalog's suite over pointers in DynamoDB's double, through the real SDK and a socket: a
 * millisecond a call, so fewer seeds. Faults are the harness's, above the port; what happens below
 * it has tests of its own.
 */
export const DYNAMO_SUITE: Suite = {
  ...CATALOG_SUITE,
  name: "catalog-dynamo",
  fullSeeds: Number.MAX_SAFE_INTEGER,
  run: async (sim) => {
    site ??= await sim.clock.outside(openDynamoSite({ unref: true }));
    last?.close();
    last = site.open(sim.clock);
    return runCatalog(sim, new SocketPointers(last, sim.clock));
  },
};

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
