import { CatalogError } from "../../src/base/error.ts";
import { type Prng, randomBelow } from "../../src/base/prng.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  Version,
} from "../../src/pointer/port.ts";

/** When a request that is under way reaches the store. */
export type Landing =
  /** Just before the call of that index (of this store, counted from 0) is handled. */
  | { readonly beforeCall: number }
  /** When `release` or `releaseAll` is called. */
  | "release";

/**
 * What happens to one call. A read knows only `notSent`, `answerLost`, `refused` and `conflicting`
 * (all of them: it throws `Unavailable`) and `stalled`; other faults leave it alone.
 */
export type Fault =
  /** Never reaches the store; answers *unknown*. */
  | { readonly fault: "notSent" }
  /** Applied; answers *unknown*. */
  | { readonly fault: "answerLost" }
  /** Answers *unknown* at once; reaches the store later. */
  | { readonly fault: "late"; readonly lands: Landing }
  /** Applied and answered; a second copy reaches the store later. */
  | { readonly fault: "duplicated"; readonly lands: Landing }
  /** Certainly not applied: the store is overloaded. */
  | { readonly fault: "refused"; readonly retryAfterMs?: number }
  /** Certainly not applied: another transaction holds a key. Answers *overloaded*, retry now. */
  | { readonly fault: "conflicting" }
  /** Hangs until `until` resolves (default: until released), before or after it is applied. */
  | {
      readonly fault: "stalled";
      readonly applied: "before" | "after";
      readonly until?: () => Promise<void>;
    };

export type Method = "get" | "getMany" | "commit" | "list" | "sweep" | "forget";

/** Says what happens to a call. May act on the inner store itself, as a rival would. */
export type Script = (
  callIndex: number,
  method: Method,
  args: readonly unknown[],
) => Fault | undefined;

/** One call as a checker sees it; `landings` are the raw outcomes of its copies at the store. */
export interface Recorded {
  readonly index: number;
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly fault: Fault | undefined;
  readonly landings: CommitOutcome[];
  /** What the caller was answered; absent while the call hangs, or where it threw. */
  answer?: unknown;
  error?: unknown;
}

interface Held {
  readonly index: number;
  readonly lands: Landing;
  readonly land: () => Promise<void>;
}

/** A pointer store behind a bad network. */
export class FaultyPointerStore implements PointerStore {
  readonly history: Recorded[] = [];
  readonly #inner: PointerStore;
  readonly #script: Script;
  #held: Held[] = [];

  constructor(inner: PointerStore, script: Script) {
    this.#inner = inner;
    this.#script = script;
  }

  /** How many requests are under way still, or hang. */
  get held(): number {
    return this.#held.length;
  }

  /** Lets what is left of one call reach the store, or lets it go on where it hangs. */
  async release(callIndex: number): Promise<void> {
    await this.#land((held) => held.index === callIndex);
  }

  /** Lets every request that is under way reach the store, in the order they were sent. */
  async releaseAll(): Promise<void> {
    await this.#land(() => true);
  }

  get(key: string): Promise<Item> {
    return this.#read("get", [key], () => this.#inner.get(key));
  }

  getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return this.#read("getMany", [keys], () => this.#inner.getMany(keys));
  }

  list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    return this.#read("list", [directory, options], () => this.#inner.list(directory, options));
  }

  async *sweep(prefix: string): AsyncIterable<Item> {
    yield* await this.#read("sweep", [prefix], async () => this.#inner.sweep(prefix));
  }

  forget(key: string, version: Version): Promise<boolean> {
    return this.#read("forget", [key, version], () => this.#inner.forget(key, version));
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    const call = await this.#begin("commit", [batch]);
    const answer = await this.#commit(call, batch);
    call.answer = answer;
    return answer;
  }

  async #commit(call: Recorded, batch: Batch): Promise<CommitOutcome> {
    const { fault } = call;
    const apply = async (): Promise<CommitOutcome> => {
      const outcome = await this.#inner.commit(batch);
      call.landings.push(outcome);
      return outcome;
    };
    switch (fault?.fault) {
      case undefined:
        return apply();
      case "notSent":
        return { outcome: "unknown" };
      case "answerLost":
        await apply();
        return { outcome: "unknown" };
      case "late":
        this.#hold(call.index, fault.lands, apply);
        return { outcome: "unknown" };
      case "duplicated":
        this.#hold(call.index, fault.lands, apply);
        return apply();
      case "refused":
        return { outcome: "overloaded", retryAfterMs: fault.retryAfterMs ?? 0 };
      case "conflicting":
        return { outcome: "overloaded", retryAfterMs: 0 };
      case "stalled":
        return this.#stalled(call, fault, apply);
    }
  }

  async #read<T>(method: Method, args: readonly unknown[], read: () => Promise<T>): Promise<T> {
    const call = await this.#begin(method, args);
    const { fault } = call;
    switch (fault?.fault) {
      case "notSent":
      case "answerLost":
      case "refused":
      case "conflicting":
        call.error = new CatalogError("Unavailable", "STORE_UNAVAILABLE", `no answer to ${method}`);
        throw call.error;
      case "stalled":
        call.answer = await this.#stalled(call, fault, read);
        break;
      default:
        call.answer = await read();
    }
    return call.answer as T;
  }

  async #begin(method: Method, args: readonly unknown[]): Promise<Recorded> {
    const index = this.history.length;
    // Recorded first: calls that come while this one waits get indices of their own.
    const call: { -readonly [K in keyof Recorded]: Recorded[K] } = {
      index,
      method,
      args,
      fault: undefined,
      landings: [],
    };
    this.history.push(call);
    await this.#land(({ lands }) => lands !== "release" && lands.beforeCall <= index);
    call.fault = this.#script(index, method, args);
    return call;
  }

  async #stalled<T>(
    call: Recorded,
    fault: Extract<Fault, { fault: "stalled" }>,
    apply: () => Promise<T>,
  ): Promise<T> {
    const early = fault.applied === "before" ? await apply() : undefined;
    await (fault.until?.() ?? this.#released(call.index));
    return early ?? apply();
  }

  #released(index: number): Promise<void> {
    return new Promise((resolve) => {
      this.#hold(index, "release", async () => resolve());
    });
  }

  #hold(index: number, lands: Landing, apply: () => Promise<unknown>): void {
    const land = async (): Promise<void> => {
      await apply();
    };
    this.#held.push({ index, lands, land });
  }

  async #land(due: (held: Held) => boolean): Promise<void> {
    const landing = this.#held.filter(due);
    if (landing.length === 0) return;
    this.#held = this.#held.filter((held) => !landing.includes(held));
    for (const held of landing) await held.land();
  }
}

/**
 * Faults by seed: each call suffers one with probability `rate`. Late and second copies land within
 * `maxDelayCalls` calls. Never stalls, so that no call needs a release.
 */
export function seededFaults(
  prng: Prng,
  { rate, maxDelayCalls = 8 }: { readonly rate: number; readonly maxDelayCalls?: number },
): Script {
  return (index) => {
    if (prng.float() >= rate) return undefined;
    const lands = { beforeCall: index + 1 + randomBelow(prng, maxDelayCalls) };
    const faults: readonly Fault[] = [
      { fault: "notSent" },
      { fault: "answerLost" },
      { fault: "late", lands },
      { fault: "duplicated", lands },
      { fault: "refused" },
      { fault: "conflicting" },
    ];
    return faults[randomBelow(prng, faults.length)];
  };
}
