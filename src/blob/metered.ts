import type { Clock } from "../base/clock.ts";
import { Counts, type Metrics, STORE_LATENCY_BUCKETS_S, Times } from "../base/metrics.ts";
import { StoreObservers } from "../base/store-observers.ts";
import type {
  Blob,
  BlobEntry,
  BlobInfo,
  BlobStore,
  ListOptions,
  PutCondition,
  PutResult,
} from "./port.ts";

type Kind =
  | "get"
  | "getRange"
  | "getSuffix"
  | "head"
  | "put"
  | "putStream"
  | "delete"
  | "deleteMany"
  | "list";

/** `absent`: nothing there; `condition`: a put's did not hold; `failed`: it threw. */
type Outcome = "ok" | "absent" | "condition" | "failed";

interface Figures {
  /** By kind and outcome. */
  readonly requests: Counts;
  /** By kind. */
  readonly latency: Times;
  /** By direction. */
  readonly bytes: Counts;
}

/**
 * Counts and times every request on its way to a store, and the bytes that went each way. Labels
 * are kinds of requests and outcomes: bounded, whatever is asked. One of these to a registry.
 */
export class MeteredBlobStore implements BlobStore {
  readonly #inner: BlobStore;
  readonly #clock: Clock;
  readonly #figures: Figures;
  readonly #observers: StoreObservers;

  constructor(inner: BlobStore, options: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#inner = inner;
    this.#clock = options.clock;
    this.#figures = register(options.metrics);
    this.#observers = StoreObservers.of(options.metrics);
  }

  get(path: string): Promise<Blob | undefined> {
    return this.#reading("get", () => this.#inner.get(path));
  }

  getRange(path: string, offset: number, length: number): Promise<Blob | undefined> {
    return this.#reading("getRange", () => this.#inner.getRange(path, offset, length));
  }

  getSuffix(path: string, length: number): Promise<Blob | undefined> {
    return this.#reading("getSuffix", () => this.#inner.getSuffix(path, length));
  }

  head(path: string): Promise<BlobInfo | undefined> {
    return this.#measure("head", () => this.#inner.head(path), outcomeOfRead);
  }

  put(path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> {
    this.#figures.bytes.add(bytes.length, "written");
    return this.#measure("put", () => this.#inner.put(path, bytes, condition), outcomeOfPut);
  }

  /** Timed from its first byte to its last: how long its source took too. */
  putStream(path: string, source: AsyncIterable<Uint8Array>): Promise<PutResult> {
    const counted = this.#counted(source);
    return this.#measure("putStream", () => this.#inner.putStream(path, counted), outcomeOfPut);
  }

  delete(path: string): Promise<void> {
    return this.#measure("delete", () => this.#inner.delete(path));
  }

  deleteMany(paths: readonly string[]): Promise<void> {
    return this.#measure("deleteMany", () => this.#inner.deleteMany(paths));
  }

  list(prefix: string, options?: ListOptions): Promise<readonly BlobEntry[]> {
    return this.#measure("list", () => this.#inner.list(prefix, options));
  }

  async #reading(kind: Kind, request: () => Promise<Blob | undefined>): Promise<Blob | undefined> {
    const blob = await this.#measure(kind, request, outcomeOfRead);
    if (blob !== undefined) this.#figures.bytes.add(blob.bytes.length, "read");
    return blob;
  }

  async *#counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#figures.bytes.add(chunk.length, "written");
      yield chunk;
    }
  }

  async #measure<T>(
    kind: Kind,
    request: () => Promise<T>,
    outcomeOf: (answer: T) => Outcome = () => "ok",
  ): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    let outcome: Outcome = "failed";
    try {
      const answer = await this.#observers.around("blob", kind, request);
      outcome = outcomeOf(answer);
      return answer;
    } finally {
      this.#figures.requests.add(1, kind, outcome);
      this.#observers.request("blob", kind);
      this.#figures.latency.observe((this.#clock.monotonicMs() - startMs) / 1_000, kind);
    }
  }
}

function outcomeOfRead(answer: unknown): Outcome {
  return answer === undefined ? "absent" : "ok";
}

function outcomeOfPut({ outcome }: PutResult): Outcome {
  return outcome === "stored" ? "ok" : "condition";
}

function register(metrics: Metrics): Figures {
  const latency = {
    name: "firn_blob_request_seconds",
    help: "Time from a request to the blob store to its answer.",
    labels: ["kind"],
  };
  return {
    requests: new Counts(metrics, {
      name: "firn_blob_requests_total",
      help: "Requests to the blob store, by kind and outcome.",
      labels: ["kind", "outcome"],
    }),
    latency: new Times(metrics, latency, STORE_LATENCY_BUCKETS_S),
    bytes: new Counts(metrics, {
      name: "firn_blob_bytes_total",
      help: "Bytes read from the blob store and sent to it.",
      labels: ["direction"],
    }),
  };
}
