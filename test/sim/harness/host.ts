import type { Clock } from "../../../src/base/clock.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";
import { Injector, type Weather } from "./faults.ts";
import { never, type Sim } from "./sim.ts";

/** Furthest that a wall clock may stand from the stores': what the limits allow for. */
const MAX_SKEW_MS = 25_000;

/**
 * A process on a machine of its own: a wall clock that nobody keeps right, a network between it and
 * the stores, and an end that comes at any moment. What it had sent by then may still arrive.
 */
export class Host {
  readonly name: string;
  readonly clock: Clock;
  readonly #sim: Sim;
  readonly #injectors: Injector[] = [];
  readonly #death = Promise.withResolvers<void>();
  #skewMs: number;
  #alive = true;

  constructor(sim: Sim, name: string) {
    this.#sim = sim;
    this.name = name;
    this.#skewMs = this.#anySkew();
    this.clock = {
      nowMs: () => Math.floor(sim.clock.nowMs() + this.#skewMs),
      monotonicMs: () => sim.clock.monotonicMs(),
      sleep: (ms) => sim.sleep(ms),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when the process ends. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  /** How its calls fare from now on. */
  set weather(weather: Weather) {
    for (const injector of this.#injectors) injector.weather = weather;
  }

  /** Ends the process: none of its calls is answered any more. */
  crash(): void {
    this.#sim.log(`${this.name} crashes`);
    this.#alive = false;
    this.#death.resolve();
  }

  /** Sets the wall clock, forth or back. */
  jumpClock(): void {
    this.#skewMs = this.#anySkew();
    this.#sim.log(`${this.name} clock is ${this.#skewMs} ms off`);
  }

  /** A pointer store as this process reaches it. */
  pointers(store: PointerStore): PointerStore {
    const injector = this.#injector("pointers");
    const faulty: FaultyPointerStore = new FaultyPointerStore(store, (index, method) =>
      injector.pointer(index, method, (call) => faulty.release(call)),
    );
    return {
      get: (key) => this.#pass(() => faulty.get(key)),
      getMany: (keys) => this.#pass(() => faulty.getMany(keys)),
      commit: (batch) => this.#pass(() => faulty.commit(batch)),
      list: (directory, options) => this.#pass(() => faulty.list(directory, options)),
      sweep: (prefix) => faulty.sweep(prefix),
      forget: (key, version) => this.#pass(() => faulty.forget(key, version)),
    };
  }

  /** A blob store as this process reaches it. `name`: for the trace. */
  blobs(store: BlobStore, name: string): BlobStore {
    const injector = this.#injector(name);
    const faulty: FaultyBlobStore = new FaultyBlobStore(store, (index, method) =>
      injector.blob(index, method, (call) => faulty.release(call)),
    );
    return {
      get: (path) => this.#pass(() => faulty.get(path)),
      getRange: (path, offset, length) => this.#pass(() => faulty.getRange(path, offset, length)),
      getSuffix: (path, length) => this.#pass(() => faulty.getSuffix(path, length)),
      head: (path) => this.#pass(() => faulty.head(path)),
      put: (path, bytes, condition) => this.#pass(() => faulty.put(path, bytes, condition)),
      putStream: (path, source) => this.#pass(() => faulty.putStream(path, source)),
      delete: (path) => this.#pass(() => faulty.delete(path)),
      deleteMany: (paths) => this.#pass(() => faulty.deleteMany(paths)),
      list: (prefix, options) => this.#pass(() => faulty.list(prefix, options)),
    };
  }

  #injector(store: string): Injector {
    const injector = new Injector(this.#sim, `${this.name} ${store}`);
    this.#injectors.push(injector);
    return injector;
  }

  /** There and back, each taking its time; a dead process's call gets there or does not. */
  async #pass<T>(call: () => Promise<T>): Promise<T> {
    if (!this.#alive) return never();
    await this.#travel();
    if (!this.#alive) {
      if (this.#sim.chance(0.5)) call().catch(() => undefined);
      return never();
    }
    try {
      return await call();
    } finally {
      await this.#travel();
      if (!this.#alive) await never();
    }
  }

  #travel(): Promise<void> {
    return this.#sim.sleep(this.#sim.spanMs(0.2, 8));
  }

  #anySkew(): number {
    return Math.round((this.#sim.prng.float() * 2 - 1) * MAX_SKEW_MS);
  }
}
