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

const WRITES: ReadonlySet<Method> = new Set(["put", "putStream", "delete", "deleteMany"]);

/** What a store may do to one call of an engine. */
export const STORE_FAULTS: Readonly<Record<string, FaultAt>> = {
  "not sent": () => ({ fault: "notSent" }),
  "answer lost": () => ({ fault: "answerLost" }),
  refused: () => ({ fault: "refused" }),
  // Small objects appear whole in every store; a table that does not is named by no manifest.
  torn: (_, method) => (method === "putStream" ? { fault: "torn", bytes: 40 } : undefined),
  "late by some calls": toWrites((index) => ({ fault: "late", lands: { beforeCall: index + 4 } })),
  "late to the end": toWrites(() => ({ fault: "late", lands: "release" })),
};

function toWrites(fault: (index: number) => Fault): FaultAt {
  return (index, method) => (WRITES.has(method) ? fault(index) : undefined);
}

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

/** What a process sees of a store that dies at the call of an index: no answer from then on. */
export interface Dying {
  readonly store: FaultyBlobStore;
  readonly died: Promise<void>;
  /** Whether there was such a call. */
  readonly met: () => boolean;
}

/** @param applied whether the call that it dies at is applied before that. */
export function dyingStore(inner: BlobStore, at: number, applied: "before" | "after"): Dying {
  const died = Promise.withResolvers<void>();
  let met = false;
  const store = new FaultyBlobStore(inner, (index) => {
    if (index < at) return undefined;
    met = true;
    died.resolve();
    const until = () => new Promise<void>(() => undefined);
    return { fault: "stalled", applied: index === at ? applied : "after", until };
  });
  return { store, died: died.promise, met: () => met };
}

/** A run that ends before or after the call of that index, and never answers again. */
export async function runTo(
  make: () => Scenario,
  at: number,
  applied: "before" | "after",
): Promise<boolean> {
  const scenario = make();
  const inner = new MemoryBlobStore(scenario.clock);
  const { store, died, met } = dyingStore(inner, at, applied);
  await scenario.run(store, died);
  await scenario.verify(inner);
  return met();
}
