import type { BlobStore } from "../../src/blob/port.ts";
import type { PointerStore } from "../../src/pointer/port.ts";

/** A process that ends before its n-th call from now: no later call reaches a store either. */
export class Mortal {
  calls = 0;
  #endsAt: number;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  get ended(): boolean {
    return this.calls > this.#endsAt;
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    return this.calls++ < this.#endsAt ? work() : Promise.reject(new Error("killed"));
  }

  pointers(inner: PointerStore): PointerStore {
    return {
      get: (key) => this.#call(() => inner.get(key)),
      getMany: (keys) => this.#call(() => inner.getMany(keys)),
      list: (directory, options) => this.#call(() => inner.list(directory, options)),
      commit: (batch) => this.#call(() => inner.commit(batch)),
      sweep: (...of) => inner.sweep(...of),
      forget: (key, version) => this.#call(() => inner.forget(key, version)),
    };
  }

  /** Many files are deleted one by one, so that the end comes between two of them. */
  files(inner: BlobStore): BlobStore {
    return {
      get: (path) => this.#call(() => inner.get(path)),
      getRange: (path, offset, length) => this.#call(() => inner.getRange(path, offset, length)),
      getSuffix: (path, length) => this.#call(() => inner.getSuffix(path, length)),
      head: (path) => this.#call(() => inner.head(path)),
      put: (path, bytes, condition) => this.#call(() => inner.put(path, bytes, condition)),
      putStream: (path, source) => this.#call(() => inner.putStream(path, source)),
      delete: (path) => this.#call(() => inner.delete(path)),
      deleteMany: async (paths) => {
        for (const path of paths) await this.#call(() => inner.delete(path));
      },
      list: (prefix, options) => this.#call(() => inner.list(prefix, options)),
    };
  }
}

/**
 * Numbers of calls before which a process is killed: one of each `every`, which is drawn. Who takes
 * them ends with the first one that is not reached.
 */
export function* killPoints(every: number): Generator<number> {
  const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now());
  for (let at = seed % every; ; at += every) yield at;
}
