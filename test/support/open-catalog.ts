import type { Clock } from "../../src/base/clock.ts";
import { IdSource } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import { AccountCatalog } from "../../src/catalog/catalog.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { newPointers } from "./pointer-kind.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** What a test may bring; the rest is made of memory stores, virtual time and the seed. */
export interface TestCatalogOptions {
  readonly seed?: number;
  readonly clock?: Clock;
  readonly blobs?: BlobStore;
  readonly pointers?: PointerStore;
}

/** With room to sort what does not fit the memory. */
export interface TestStores extends AccountStores {
  readonly scratch: BlobStore;
}

/**
 * Stores and ports of a node. Two nodes over one store: pass the first one's stores, another seed.
 */
export function testStores(options: TestCatalogOptions = {}): TestStores {
  const clock = options.clock ?? new VirtualClock();
  const prng = new SeededPrng(options.seed ?? 1);
  return {
    clock,
    prng,
    ids: new IdSource(clock, prng),
    blobs: options.blobs ?? new MemoryBlobStore(clock),
    pointers: options.pointers ?? newPointers(clock),
    scratch: new MemoryBlobStore(clock),
  };
}

/** The default account over such stores. */
export function openTestCatalog(stores: AccountStores = testStores()): Promise<AccountCatalog> {
  return AccountCatalog.open(stores, "default");
}

/** Who writes in tests. */
export const ACTOR = { requestId: "test", principal: "tester", account: "default" } as const;
