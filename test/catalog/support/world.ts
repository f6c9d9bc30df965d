import { IdSource } from "../../../src/base/ids.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { AccountStores } from "../../../src/catalog/accounts.ts";
import { AccountCatalog } from "../../../src/catalog/catalog.ts";
import type { Batch, PointerStore } from "../../../src/pointer/port.ts";
import { newPointers } from "../../support/pointer-kind.ts";
import { InstantClock } from "./instant-clock.ts";
import { answerOf, type Node, type Operation } from "./operations.ts";

/** What stands between the nodes and the stores. */
export interface Wrapping {
  readonly pointers?: (inner: PointerStore) => PointerStore;
  readonly blobs?: (inner: BlobStore) => BlobStore;
  /** Another way to make a node, for seeded bugs above the stores. */
  readonly open?: (stores: AccountStores) => Promise<AccountCatalog>;
}

/** Stores of their own, and nodes over them. */
export interface World {
  readonly clock: InstantClock;
  readonly pointers: PointerStore;
  readonly blobs: MemoryBlobStore;
  readonly nodes: readonly Node[];
}

/** What operations left in the stores, to be put into fresh ones without running them again. */
export interface Image {
  readonly batches: readonly Batch[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

function freshStores(laterMs = 0): Omit<World, "nodes"> {
  const clock = new InstantClock(laterMs);
  return { clock, pointers: newPointers(clock), blobs: new MemoryBlobStore(clock) };
}

export async function openNode(
  stores: Omit<World, "nodes">,
  seed: number,
  wrapping: Wrapping = {},
): Promise<Node> {
  const prng = new SeededPrng(seed);
  const blobs = wrapping.blobs?.(stores.blobs) ?? stores.blobs;
  const ports: AccountStores = {
    clock: stores.clock,
    prng,
    ids: new IdSource(stores.clock, prng),
    blobs,
    pointers: wrapping.pointers?.(stores.pointers) ?? stores.pointers,
  };
  const open = wrapping.open ?? ((all) => AccountCatalog.open(all, "default"));
  return { catalog: await open(ports), blobs };
}

/** Runs operations one by one in fresh stores and keeps what they wrote. */
export async function imageOf(operations: readonly Operation[]): Promise<Image> {
  const stores = freshStores();
  const batches: Batch[] = [];
  const pointers = (inner: PointerStore): PointerStore => ({
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    commit: (batch) => {
      batches.push(batch);
      return inner.commit(batch);
    },
    list: (directory, options) => inner.list(directory, options),
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => inner.forget(key, version),
  });
  const node = await openNode(stores, 1, { pointers });
  for (const operation of operations) await operation.run(node);
  const blobs = new Map<string, Uint8Array>();
  for (const { path } of await stores.blobs.list("")) {
    blobs.set(path, (await stores.blobs.get(path))?.bytes ?? new Uint8Array());
  }
  return { batches, blobs };
}

/**
 * Fresh stores with an image in them, and nodes over them that have nothing cached. `laterMs`: how
 * long ago the image was made.
 */
export async function openWorld(
  image: Image,
  nodeCount: number,
  wrapping: Wrapping = {},
  laterMs = 0,
): Promise<World> {
  const stores = freshStores(laterMs);
  for (const batch of image.batches) await stores.pointers.commit(batch);
  for (const [path, bytes] of image.blobs) await stores.blobs.put(path, bytes);
  const nodes: Node[] = [];
  for (let i = 0; i < nodeCount; i++) nodes.push(await openNode(stores, 100 + i, wrapping));
  return { ...stores, nodes };
}

/** Lets every node look at every name, so that all of them are cached. */
export async function warm(world: World, reads: readonly Operation[]): Promise<void> {
  for (const node of world.nodes) for (const read of reads) await answerOf(node, read);
}
