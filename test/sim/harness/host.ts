import type { Clock } from "../../../src/base/clock.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { Disk } from "../../../src/lsm/disk/port.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";
import type { ModelledDisk } from "../../support/modelled-disk.ts";
import { diskError, diskPlace } from "./disk-faults.ts";
import {
  type BlobPlaces,
  byMethod,
  FAIR,
  Injector,
  type StoreFault,
  type Weather,
} from "./faults.ts";
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
  #weather: Weather = FAIR;
  readonly #death = Promise.withResolvers<void>();
  #skewMs: number;
  #alive = true;
  /** When it stands still, and for which of those times its machine sleeps. */
  #thawsAtMs = 0;
  readonly #naps: { readonly fromMs: number; readonly toMs: number }[] = [];

  constructor(sim: Sim, name: string) {
    this.#sim = sim;
    this.name = name;
    this.#skewMs = this.#anySkew();
    this.clock = {
      nowMs: () => Math.floor(sim.clock.nowMs() + this.#skewMs),
      monotonicMs: () => this.#awakeMs(),
      sleep: async (ms) => {
        await sim.sleep(ms);
        await this.thawed();
      },
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
    this.#weather = weather;
    for (const injector of this.#injectors) injector.weather = weather;
  }

  /** Ends the process: none of its calls is answered any more. */
  crash(): void {
    this.#sim.log(`${this.name} crashes`);
    this.#alive = false;
    this.#death.resolve();
  }

  /**
   * Stops the process for a while: nothing that it waits for reaches it, what it has sent arrives.
   * `asleep`: its machine sleeps, so that its monotonic clock stands still too.
   */
  freeze(ms: number, asleep: boolean): void {
    const nowMs = this.#sim.clock.monotonicMs();
    // Naps follow each other: none begins before the last one is over.
    const fromMs = Math.max(nowMs, this.#thawsAtMs);
    this.#thawsAtMs = fromMs + ms;
    if (asleep) this.#naps.push({ fromMs, toMs: fromMs + ms });
    const how = asleep ? "sleeps" : "stands still";
    this.#sim.log(`${this.name} ${how} for ${ms.toFixed(0)} ms`);
  }

  /** Resolves when the process goes on: at once, unless it stands still. */
  async thawed(): Promise<void> {
    for (;;) {
      const leftMs = this.#thawsAtMs - this.#sim.clock.monotonicMs();
      if (leftMs <= 0) return;
      await this.#sim.sleep(leftMs);
    }
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
      sweep: (...of) => faulty.sweep(...of),
      forget: (key, version) => this.#pass(() => faulty.forget(key, version)),
    };
  }

  /** A blob store as this process reaches it. `name`: for the trace. */
  blobs(store: BlobStore, name: string, places: BlobPlaces = byMethod): BlobStore {
    const injector = this.#injector(name);
    const faulty: FaultyBlobStore = new FaultyBlobStore(store, (index, method, args) => {
      const place = places(method, String([args[0]].flat()[0]));
      const call = `${method}#${index}`;
      return injector.blob(index, call, place, (release) => faulty.release(release));
    });
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

  /**
   * A disk of its machine, on which calls take their time, fail, and hang.
   *
   * @param onGone told of each name that is about to go.
   */
  disk(disk: ModelledDisk, onGone: (name: string) => void): Disk {
    const injector = this.#injector("disk");
    const faults = new Map<number, StoreFault>();
    return disk.view(async (call) => {
      if (call.when === "before") {
        await this.#depart();
        const fault = injector.draw(diskPlace(call), `${call.method} ${call.name}`);
        if (fault === "refused" || fault === "full") throw diskError(fault);
        if (fault === "stalled" || fault === "stalledBeyond") await injector.stall(fault);
        else if (fault !== undefined) faults.set(call.index, fault);
        if (call.method === "remove" || call.method === "rename") onGone(call.name);
      } else if (call.when === "during") {
        await this.#travel();
        if (faults.get(call.index) === "torn") throw diskError("torn");
      } else {
        await this.#arrive();
        if (faults.get(call.index) === "answerLost") throw diskError("answerLost");
      }
    });
  }

  #injector(store: string): Injector {
    const injector = new Injector(this.#sim, `${this.name} ${store}`);
    injector.weather = this.#weather;
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
      await this.#arrive();
    }
  }

  /** To the disk of its machine: what a process has not handed over when it ends is not written. */
  async #depart(): Promise<void> {
    if (!this.#alive) await never();
    await this.#travel();
    if (!this.#alive) await never();
  }

  async #arrive(): Promise<void> {
    await this.#travel();
    await this.thawed();
    if (!this.#alive) await never();
  }

  #travel(): Promise<void> {
    return this.#sim.sleep(this.#sim.spanMs(0.2, 8));
  }

  /** Time without that which its machine has slept through. */
  #awakeMs(): number {
    const nowMs = this.#sim.clock.monotonicMs();
    let sleptMs = 0;
    for (const { fromMs, toMs } of this.#naps) {
      sleptMs += Math.max(0, Math.min(nowMs, toMs) - fromMs);
    }
    return nowMs - sleptMs;
  }

  #anySkew(): number {
    return Math.round((this.#sim.prng.float() * 2 - 1) * MAX_SKEW_MS);
  }
}
