import type { Clock } from "../../src/base/clock.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { DynamoPointerStore } from "../../src/pointer/dynamo/store.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { DynamoDouble } from "../double/dynamo/service.ts";
import { ANY_CREDENTIALS } from "../double/dynamo/world.ts";
import { type Serving, serve } from "../double/server.ts";

/** A double of DynamoDB on a port, and empty stores in it, one table each, through the SDK. */
export interface DynamoSite {
  readonly open: (clock: Clock) => DynamoPointerStore;
  readonly close: () => Promise<void>;
}

/** `unref`: nobody closes it, and the process ends all the same. */
export async function openDynamoSite({
  unref = false,
}: {
  readonly unref?: boolean;
} = {}): Promise<DynamoSite> {
  const double = new DynamoDouble();
  const serving: Serving = await serve(double.handler);
  if (unref) serving.unref();
  const stores: DynamoPointerStore[] = [];
  const connection = { endpoint: serving.url, region: "us-east-1", credentials: ANY_CREDENTIALS };
  return {
    open: (clock) => {
      const table = `firn-${stores.length}`;
      double.tables.createReady(table, { partition: "p", sort: "s" });
      const store = new DynamoPointerStore({
        table,
        connection,
        families: KEY_FAMILIES,
        clock: new NetworkClock(clock),
        prng: new SeededPrng(stores.length),
      });
      stores.push(store);
      return store;
    },
    close: async () => {
      for (const store of stores) store.close();
      await serving.close();
    },
  };
}

/** Waits in real time, as a network does; what is stored knows the test's time alone. */
export class NetworkClock extends SystemClock {
  readonly #told: Clock;

  constructor(told: Clock) {
    super();
    this.#told = told;
  }

  override nowMs(): number {
    return this.#told.nowMs();
  }

  override sleep(ms: number, ended?: AbortSignal): Promise<void> {
    return super.sleep(ended === undefined ? Math.min(ms, 1) : ms, ended);
  }
}
