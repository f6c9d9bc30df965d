import { FirnError } from "../../src/base/error.ts";
import { type Prng, randomBelow } from "../../src/base/prng.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerStore,
  SweepOptions,
  Version,
} from "../../src/pointer/port.ts";
import {
  type FaultScript,
  FaultyCalls,
  type NetworkFault,
  type RecordedCall,
} from "./faulty-calls.ts";

/**
 * What happens to one call. A read knows only `notSent`, `answerLost`, `refused` and `conflicting`
 * (all of them: it throws `Unavailable`) and `stalled`; other faults leave it alone.
 */
export type Fault =
  | NetworkFault
  /** Certainly not applied: the store is overloaded. */
  | { readonly fault: "refused"; readonly retryAfterMs?: number }
  /** Certainly not applied: another transaction holds a key. Answers *overloaded*, retry now. */
  | { readonly fault: "conflicting" };

export type Method = "get" | "getMany" | "commit" | "list" | "sweep" | "forget";

export type Script = FaultScript<Method, Fault>;
export type Recorded = RecordedCall<Method, Fault, CommitOutcome>;

/** A pointer store behind a bad network. */
export class FaultyPointerStore
  extends FaultyCalls<Method, Fault, CommitOutcome>
  implements PointerStore
{
  readonly #inner: PointerStore;

  constructor(inner: PointerStore, script: Script) {
    super(script);
    this.#inner = inner;
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

  async *sweep(prefix: string, options?: SweepOptions): AsyncIterable<Item> {
    yield* await this.#read("sweep", [prefix], async () => this.#inner.sweep(prefix, options));
  }

  forget(key: string, version: Version): Promise<boolean> {
    return this.#read("forget", [key, version], () => this.#inner.forget(key, version));
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    const call = await this.begin("commit", [batch]);
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
        this.hold(call.index, fault.lands, apply);
        return { outcome: "unknown" };
      case "duplicated":
        this.hold(call.index, fault.lands, apply);
        return apply();
      case "refused":
        return { outcome: "overloaded", retryAfterMs: fault.retryAfterMs ?? 0 };
      case "conflicting":
        return { outcome: "overloaded", retryAfterMs: 0 };
      case "stalled":
        return this.stalled(call.index, fault, apply);
    }
  }

  async #read<T>(method: Method, args: readonly unknown[], read: () => Promise<T>): Promise<T> {
    const call = await this.begin(method, args);
    const { fault } = call;
    switch (fault?.fault) {
      case "notSent":
      case "answerLost":
      case "refused":
      case "conflicting":
        call.error = new FirnError("Unavailable", "STORE_UNAVAILABLE", `no answer to ${method}`);
        throw call.error;
      case "stalled":
        call.answer = await this.stalled(call.index, fault, read);
        break;
      default:
        call.answer = await read();
    }
    return call.answer as T;
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
