import type { Clock } from "../base/clock.ts";
import { Counts, type Metrics, STORE_LATENCY_BUCKETS_S, Times } from "../base/metrics.ts";
import { StoreObservers } from "../base/store-observers.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  SweepOptions,
  Version,
} from "./port.ts";

type Method = keyof PointerStore;

/** `ok` for what was answered; `failed` for what threw; the rest are outcomes of a commit. */
type Outcome = "ok" | "failed" | Exclude<CommitOutcome["outcome"], "committed">;

interface Figures {
  /** By method and outcome. */
  readonly requests: Counts;
  /** By method. */
  readonly latency: Times;
  readonly conflicts: Counts;
  /** By kind of operation. */
  readonly ops: Counts;
}

/**
 * Counts and times every request on its way to a store. Labels are methods, outcomes and kinds of
 * operations: bounded, whatever is asked. One of these to a registry.
 */
export class MeteredPointerStore implements PointerStore {
  readonly #inner: PointerStore;
  readonly #clock: Clock;
  readonly #figures: Figures;
  readonly #observers: StoreObservers;

  constructor(inner: PointerStore, options: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#inner = inner;
    this.#clock = options.clock;
    this.#figures = register(options.metrics);
    this.#observers = StoreObservers.of(options.metrics);
  }

  get(key: string): Promise<Item> {
    return this.#measure("get", () => this.#inner.get(key));
  }

  getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return this.#measure("getMany", () => this.#inner.getMany(keys));
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    const answer = await this.#measure(
      "commit",
      () => this.#inner.commit(batch),
      ({ outcome }) => (outcome === "committed" ? "ok" : outcome),
    );
    for (const { op } of batch.ops) this.#figures.ops.add(1, op);
    if (answer.outcome === "conflict") this.#figures.conflicts.add(answer.failed.length);
    return answer;
  }

  list(directory: string, options?: PageOptions): Promise<readonly Live[]> {
    return this.#measure("list", () => this.#inner.list(directory, options));
  }

  /** One request in the figures, from its first item to its last, its reader's time included. */
  async *sweep(prefix: string, options?: SweepOptions): AsyncIterable<Item> {
    const startMs = this.#clock.monotonicMs();
    let outcome: Outcome = "ok";
    try {
      yield* this.#inner.sweep(prefix, options);
    } catch (error) {
      outcome = "failed";
      throw error;
    } finally {
      this.#count("sweep", outcome, startMs);
    }
  }

  forget(key: string, version: Version): Promise<boolean> {
    return this.#measure("forget", () => this.#inner.forget(key, version));
  }

  async #measure<T>(
    method: Method,
    request: () => Promise<T>,
    outcomeOf: (answer: T) => Outcome = () => "ok",
  ): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    let outcome: Outcome = "failed";
    try {
      const answer = await this.#observers.around("pointer", method, request);
      outcome = outcomeOf(answer);
      return answer;
    } finally {
      this.#count(method, outcome, startMs);
    }
  }

  #count(method: Method, outcome: Outcome, startMs: number): void {
    this.#figures.requests.add(1, method, outcome);
    this.#observers.request("pointer", method);
    this.#figures.latency.observe((this.#clock.monotonicMs() - startMs) / 1_000, method);
  }
}

function register(metrics: Metrics): Figures {
  const latency = {
    name: "firn_pointer_request_seconds",
    help: "Time from a request to the pointer store to its answer.",
    labels: ["method"],
  };
  return {
    requests: new Counts(metrics, {
      name: "firn_pointer_requests_total",
      help: "Requests to the pointer store, by method and outcome.",
      labels: ["method", "outcome"],
    }),
    latency: new Times(metrics, latency, STORE_LATENCY_BUCKETS_S),
    conflicts: new Counts(metrics, {
      name: "firn_pointer_conflicts_total",
      help: "Items whose condition did not hold when a batch was refused.",
    }),
    ops: new Counts(metrics, {
      name: "firn_pointer_ops_total",
      help: "Operations in the batches sent, by kind.",
      labels: ["op"],
    }),
  };
}
