import type { Clock } from "../../src/base/clock.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { enginePointers } from "./engine-pointers.ts";

/** What holds the pointers of catalogs in tests: the reference model, the engine, or a service. */
export type PointerKind = "memory" | "engine" | "service";

type OpenPointers = (clock: Clock) => PointerStore;

let chosen: PointerKind = "memory";
let whole = false;
let service: OpenPointers | undefined;
/** Of the cases that run over the engine, those that run over a service: each costs real time. */
const OVER_SERVICE = 0.1;

/**
 * From here on, whatever opens a catalog in this test file has its pointers in the engine. Call it
 * before the tests are imported that are to run so, in a file of `npm run test:over`: each of those
 * has modules of its own, hence no other file is touched.
 */
export function useEngine(): void {
  chosen = "engine";
}

/** Likewise in a service that is reached by a network, an empty store at each call. */
export function useService(open: OpenPointers): void {
  chosen = "service";
  service = open;
}

/** Likewise over the reference model, all cases: `npm test` has a sample of them. */
export function useWhole(): void {
  whole = true;
}

export function pointerKind(): PointerKind {
  return chosen;
}

/**
 * The catalog's own mistakes show over the reference model, where all cases run (of `sampled`, so
 * many in `npm test`); where the store is what may be wrong, so many of them, from end to end, show
 * that.
 */
export function casesOf<T>(
  all: readonly T[],
  overEngine: number,
  sampled: number = all.length,
): readonly T[] {
  const count = countOf(all.length, overEngine, Math.min(sampled, all.length));
  const step = Math.max(1, all.length / count);
  return all.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

/** As many cases of a kind as run over the reference model, over the engine, or over a service. */
export function countOf(inMemory: number, overEngine: number, sampled: number = inMemory): number {
  if (chosen === "memory") return whole ? inMemory : sampled;
  return chosen === "engine" ? overEngine : Math.max(1, Math.ceil(overEngine * OVER_SERVICE));
}

/** An empty store of the catalog's pointers. */
export function newPointers(clock: Clock): PointerStore {
  if (service !== undefined) return service(clock);
  return chosen === "engine"
    ? enginePointers(KEY_FAMILIES, clock)
    : new MemoryPointerStore({ families: KEY_FAMILIES, clock });
}
