import type { Wal, WalStore } from "../../src/lsm/wal/port.ts";

/** A log whose writes wait, or fail, when a test says so. */
export class GatedWal implements WalStore {
  readonly #inner: WalStore;
  #gate: Promise<void> = Promise.resolve();
  appends = 0;

  constructor(inner: WalStore) {
    this.#inner = inner;
  }

  /** From here on nothing becomes durable until what is answered is settled. */
  hold(): PromiseWithResolvers<void> {
    const held = Promise.withResolvers<void>();
    this.#gate = held.promise;
    return held;
  }

  reader(): ReturnType<WalStore["reader"]> {
    return this.#inner.reader();
  }

  async open(options: Parameters<WalStore["open"]>[0]): Promise<Wal> {
    const wal = await this.#inner.open(options);
    return new Proxy(wal, {
      get: (target, name) => {
        if (name === "append") {
          return async (group: Parameters<Wal["append"]>[0]) => {
            this.appends++;
            await this.#gate;
            await target.append(group);
          };
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }
}

/** Whether a promise has settled once all that is ready has run. */
export async function isSettled(work: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  work.then(note, note);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}
