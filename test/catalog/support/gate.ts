import { AsyncLocalStorage } from "node:async_hooks";
import type { Blob, BlobStore, PutCondition, PutResult } from "../../../src/blob/port.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";

/** Where a lane stops: at its call of that index, before or after the store has served it. */
export interface Stop {
  readonly call: number;
  readonly side: "before" | "after";
}

/** One line of work whose calls to the stores are counted, and that may stop at one of them. */
export class Lane {
  calls = 0;
  readonly #stop: Stop | undefined;
  readonly #parked = Promise.withResolvers<"parked">();
  readonly #released = Promise.withResolvers<void>();

  constructor(stop?: Stop) {
    this.#stop = stop;
  }

  /** Starts work in this lane and answers when it is done or stands still. */
  async start<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly parked: boolean; readonly done: Promise<T> }> {
    const done = lanes.run(this, work);
    const state = await Promise.race([done.then(() => "done"), this.#parked.promise]);
    // Calls that were sent beside the one that stands still go on: let them.
    await new Promise((resolve) => setImmediate(resolve));
    return { parked: state === "parked", done };
  }

  release(): void {
    this.#released.resolve();
  }

  async pass<T>(call: () => Promise<T>): Promise<T> {
    const stop = this.#stop?.call === this.calls++ ? this.#stop.side : undefined;
    if (stop === "before") await this.#park();
    const answer = await call();
    if (stop === "after") await this.#park();
    return answer;
  }

  #park(): Promise<void> {
    this.#parked.resolve("parked");
    return this.#released.promise;
  }
}

const lanes = new AsyncLocalStorage<Lane>();

function pass<T>(call: () => Promise<T>): Promise<T> {
  const lane = lanes.getStore();
  return lane === undefined ? call() : lane.pass(call);
}

/** A pointer store whose callers stop where their lane says. */
export function gatedPointers(inner: PointerStore): PointerStore {
  return {
    get: (key) => pass(() => inner.get(key)),
    getMany: (keys) => pass(() => inner.getMany(keys)),
    commit: (batch) => pass(() => inner.commit(batch)),
    list: (directory, options) => pass(() => inner.list(directory, options)),
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => pass(() => inner.forget(key, version)),
  };
}

/** A blob store whose callers stop where their lane says. */
export function gatedBlobs(inner: BlobStore): BlobStore {
  return {
    get: (path): Promise<Blob | undefined> => pass(() => inner.get(path)),
    getRange: (path, offset, length) => pass(() => inner.getRange(path, offset, length)),
    getSuffix: (path, length) => pass(() => inner.getSuffix(path, length)),
    head: (path) => pass(() => inner.head(path)),
    put: (path: string, bytes: Uint8Array, condition?: PutCondition): Promise<PutResult> =>
      pass(() => inner.put(path, bytes, condition)),
    putStream: (path, source) => pass(() => inner.putStream(path, source)),
    delete: (path) => pass(() => inner.delete(path)),
    deleteMany: (paths) => pass(() => inner.deleteMany(paths)),
    list: (prefix, options) => pass(() => inner.list(prefix, options)),
  };
}
