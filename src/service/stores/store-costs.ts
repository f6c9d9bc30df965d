import { assert } from "../../base/assert.ts";
import { Counts, type Metrics } from "../../base/metrics.ts";
import { type StoreName, StoreObservers } from "../../base/store-observers.ts";
import { type Prices, s3RequestDollars, US_EAST_1, unitDollars } from "./prices.ts";

/** What an adapter tells of a request that used capacity. */
interface PointerUsage {
  readonly operation: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** What an adapter tells of any request. */
interface BlobRequest {
  readonly operation: string;
}

/**
 * What the stores on AWS cost, counted where requests are sent: retries and refusals too, which the
 * ports do not show. Labels are names of operations: bounded. One of these to a registry.
 */
export class StoreCosts {
  static readonly #all = new WeakMap<Metrics, StoreCosts>();
  readonly #prices: Prices;
  readonly #units: Counts;
  readonly #dollars: Counts;
  readonly #observers: StoreObservers;

  /** The one of a registry, whichever store was opened first; at list prices unless told others. */
  static of(metrics: Metrics): StoreCosts {
    return StoreCosts.#all.get(metrics) ?? StoreCosts.price(metrics, US_EAST_1);
  }

  /** Sets the prices of a registry, before any store is opened. */
  static price(metrics: Metrics, prices: Prices): StoreCosts {
    assert(!StoreCosts.#all.has(metrics), "what was counted has its prices");
    const costs = new StoreCosts(metrics, prices);
    StoreCosts.#all.set(metrics, costs);
    return costs;
  }

  get prices(): Prices {
    return this.#prices;
  }

  constructor(metrics: Metrics, prices: Prices) {
    this.#prices = prices;
    this.#observers = StoreObservers.of(metrics);
    this.#units = new Counts(metrics, {
      name: "firn_pointer_units_total",
      help: "Units of capacity used in the pointer table, by operation and kind.",
      labels: ["operation", "kind"],
    });
    this.#dollars = new Counts(metrics, {
      name: "firn_store_dollars_total",
      help: `What requests to the stores cost, by operation: ${prices.source}, ${prices.asOf}.`,
      labels: ["store", "operation"],
    });
  }

  /** For `onUsage` of the pointer store. */
  readonly pointer = (usage: PointerUsage): void => {
    const { operation, readUnits, writeUnits } = usage;
    if (readUnits > 0) this.#units.add(readUnits, operation, "read");
    if (writeUnits > 0) this.#units.add(writeUnits, operation, "write");
    this.#count("pointer", operation, unitDollars(this.#prices, usage));
  };

  /** For `onRequest` of the blob store. */
  readonly blob = ({ operation }: BlobRequest): void => {
    this.#count("blob", operation, s3RequestDollars(this.#prices, operation));
  };

  #count(store: StoreName, operation: string, dollars: number): void {
    this.#dollars.add(dollars, store, operation);
    this.#observers.dollars(store, dollars);
  }
}
