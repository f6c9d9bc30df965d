import type { Batch, CommitOutcome, PointerStore } from "./port.ts";

/** Told of a batch that was committed for certain. Must not throw. */
export type OnCommitted = (batch: Batch) => void;

/** A store that tells of the batches sent through it that are known to be committed. */
export class ObservedPointerStore implements PointerStore {
  readonly #inner: PointerStore;
  readonly #onCommitted: OnCommitted;

  constructor(inner: PointerStore, onCommitted: OnCommitted) {
    this.#inner = inner;
    this.#onCommitted = onCommitted;
  }

  get: PointerStore["get"] = (key) => this.#inner.get(key);
  getMany: PointerStore["getMany"] = (keys) => this.#inner.getMany(keys);
  list: PointerStore["list"] = (directory, options) => this.#inner.list(directory, options);
  sweep: PointerStore["sweep"] = (prefix, options) => this.#inner.sweep(prefix, options);
  forget: PointerStore["forget"] = (key, version) => this.#inner.forget(key, version);

  async commit(batch: Batch): Promise<CommitOutcome> {
    const outcome = await this.#inner.commit(batch);
    if (outcome.outcome === "committed") this.#onCommitted(batch);
    return outcome;
  }
}
