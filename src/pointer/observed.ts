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

  get: PointerStore["get"] = (...of) => this.#inner.get(...of);
  getMany: PointerStore["getMany"] = (...of) => this.#inner.getMany(...of);
  list: PointerStore["list"] = (...of) => this.#inner.list(...of);
  sweep: PointerStore["sweep"] = (...of) => this.#inner.sweep(...of);
  forget: PointerStore["forget"] = (...of) => this.#inner.forget(...of);

  async commit(batch: Batch): Promise<CommitOutcome> {
    const outcome = await this.#inner.commit(batch);
    if (outcome.outcome === "committed") this.#onCommitted(batch);
    return outcome;
  }
}
