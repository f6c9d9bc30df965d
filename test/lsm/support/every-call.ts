import type { Clock } from "../../../src/base/clock.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { type Fault, FaultyBlobStore, type Method } from "../../support/faulty-blob-store.ts";

/** A process's work over a store, made anew for each run. */
export interface Scenario {
  readonly clock: Clock;
  /** Ends when it is done, or has died. */
  run(store: BlobStore, died?: Promise<void>): Promise<void>;
  /** Holds what the store has in the end against what the run was told. */
  verify(store: BlobStore): Promise<void>;
}

/** One fault of each kind, made for the call of an index; undefined: it says nothing to it. */
export type FaultAt = (index: number, method: Method) => Fault | undefined;

/** A run for each store call of a scenario, until there is no such call. @returns how many. */
export async function everyCall(run: (at: number) => Promise<boolean>): Promise<number> {
  let at = 0;
  while (await run(at)) at++;
  return at;
}

/** A run whose call of that index suffers a fault; whether there was such a call. */
export async function runWith(
  make: () => Scenario,
  faultAt: FaultAt,
  at: number,
): Promise<boolean> {
  const scenario = make();
  const inner = new MemoryBlobStore(scenario.clock);
  let met = false;
  const store = new FaultyBlobStore(inner, (index, method) => {
    if (index !== at) return undefined;
    met = true;
    return faultAt(index, method);
  });
  await scenario.run(store);
  await store.releaseAll();
  await scenario.verify(inner);
  return met;
}

/** A run that ends before or after the call of that index, and never answers again. */
export async function runTo(
  make: () => Scenario,
  at: number,
  applied: "before" | "after",
): Promise<boolean> {
  const scenario = make();
  const inner = new MemoryBlobStore(scenario.clock);
  const died = Promise.withResolvers<void>();
  let met = false;
  const store = new FaultyBlobStore(inner, (index) => {
    if (index < at) return undefined;
    met = true;
    died.resolve();
    const until = () => new Promise<void>(() => undefined);
    return { fault: "stalled", applied: index === at ? applied : "after", until };
  });
  await scenario.run(store, died.promise);
  await scenario.verify(inner);
  return met;
}
