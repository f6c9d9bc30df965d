import type { Metrics } from "./metrics.ts";
import type { SpanOf, Tracing } from "./tracing.ts";

export type StoreName = "blob" | "pointer";

/** Told of every request to a store, and what it cost where the store says so. Must not throw. */
export interface StoreObserver {
  request(store: StoreName, request: string): void;
  dollars(store: StoreName, dollars: number): void;
}

/** Who is told of requests to the stores of one registry. */
export class StoreObservers implements StoreObserver {
  static readonly #all = new WeakMap<Metrics, StoreObservers>();
  readonly #observers: StoreObserver[] = [];
  #tracing: Tracing | undefined;

  /** The ones of a registry, whichever store was opened first. */
  static of(metrics: Metrics): StoreObservers {
    let observers = StoreObservers.#all.get(metrics);
    if (observers === undefined) {
      observers = new StoreObservers();
      StoreObservers.#all.set(metrics, observers);
    }
    return observers;
  }

  add(observer: StoreObserver): void {
    this.#observers.push(observer);
  }

  /** Makes spans of what goes on from now. */
  trace(tracing: Tracing): void {
    this.#tracing = tracing;
  }

  /** Runs work that a span may tell of. */
  around<T>(of: SpanOf, name: string, work: () => T): T {
    return this.#tracing === undefined ? work() : this.#tracing.around(of, name, work);
  }

  request(store: StoreName, request: string): void {
    for (const observer of this.#observers) observer.request(store, request);
  }

  dollars(store: StoreName, dollars: number): void {
    for (const observer of this.#observers) observer.dollars(store, dollars);
  }
}
