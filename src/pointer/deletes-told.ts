import type { Batch, CommitOutcome, PointerStore, Version } from "./port.ts";

/** Told of a tombstone that a batch left, once it certainly stands. Must not throw. */
export type OnDeleted = (key: string, version: Version) => void;

/** A store that tells of the tombstones that the batches sent through it are known to have left. */
export class DeletesTold implements PointerStore {
  readonly #inner: PointerStore;
  readonly #onDeleted: OnDeleted;

  constructor(inner: PointerStore, onDeleted: OnDeleted) {
    this.#inner = inner;
    this.#onDeleted = onDeleted;
  }

  get: PointerStore["get"] = (...of) => this.#inner.get(...of);
  getMany: PointerStore["getMany"] = (...of) => this.#inner.getMany(...of);
  list: PointerStore["list"] = (...of) => this.#inner.list(...of);
  sweep: PointerStore["sweep"] = (...of) => this.#inner.sweep(...of);
  forget: PointerStore["forget"] = (...of) => this.#inner.forget(...of);

  async commit(batch: Batch): Promise<CommitOutcome> {
    const outcome = await this.#inner.commit(batch);
    if (outcome.outcome === "committed") {
      for (const op of batch.ops) {
        if (op.op === "delete") this.#onDeleted(op.key, op.expected + 1n);
      }
    }
    return outcome;
  }
}
