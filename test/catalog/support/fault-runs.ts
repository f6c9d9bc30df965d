import { type Prng, randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import type { Batch, CommitOutcome, PointerStore } from "../../../src/pointer/port.ts";
import { type Fault as BlobFault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import {
  type Fault,
  FaultyPointerStore,
  seededFaults,
} from "../../support/faulty-pointer-store.ts";
import { checkStore } from "./check-store.ts";
import { answerOf, type Node, type Operation } from "./operations.ts";
import { type Image, openNode, openWorld, type World, warm } from "./world.ts";

/** The faults of a pointer call that are tried at each call; late landings at several moments. */
export const POINTER_FAULTS: readonly ((call: number) => Fault)[] = [
  () => ({ fault: "notSent" }),
  () => ({ fault: "answerLost" }),
  (call) => ({ fault: "late", lands: { beforeCall: call + 1 } }),
  (call) => ({ fault: "late", lands: { beforeCall: call + 2 } }),
  () => ({ fault: "late", lands: "release" }),
  (call) => ({ fault: "duplicated", lands: { beforeCall: call + 1 } }),
  (call) => ({ fault: "duplicated", lands: { beforeCall: call + 2 } }),
  () => ({ fault: "duplicated", lands: "release" }),
  () => ({ fault: "refused" }),
  () => ({ fault: "conflicting" }),
];

/** The faults of a put of a blob that are tried at each put. */
export const BLOB_FAULTS: readonly ((call: number) => BlobFault)[] = [
  () => ({ fault: "notSent" }),
  () => ({ fault: "answerLost" }),
  (call) => ({ fault: "late", lands: { beforeCall: call + 1 } }),
  () => ({ fault: "late", lands: "release" }),
  () => ({ fault: "duplicated", lands: "release" }),
  () => ({ fault: "refused" }),
  () => ({ fault: "torn", bytes: 0 }),
  () => ({ fault: "torn", bytes: 20 }),
];

/** Faults of one node, from a call on that is the operation's first. */
export interface Faults {
  /** `call` counts from the first one; `fault` is told the index that landings are named by. */
  readonly pointers?: (call: number) => ((index: number) => Fault | undefined) | undefined;
  readonly blobs?: (put: number) => ((index: number) => BlobFault | undefined) | undefined;
  /** A defect in how outcomes are read, put in on purpose. */
  readonly misreadAs?: (batch: Batch) => CommitOutcome;
}

/** Takes an unknown outcome for another one. */
function misreading(inner: PointerStore, as: (batch: Batch) => CommitOutcome): PointerStore {
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => inner.forget(key, version),
    commit: async (batch) => {
      const outcome = await inner.commit(batch);
      return outcome.outcome === "unknown" ? as(batch) : outcome;
    },
  };
}

/** A node whose calls suffer once it is armed. */
export class FaultyNode {
  readonly node: Node;
  readonly store: FaultyPointerStore;
  readonly blobs: FaultyBlobStore;
  /** Index of the operation's first call; undefined while nothing suffers. */
  private first: number | undefined;

  private constructor(node: Node, store: FaultyPointerStore, blobs: FaultyBlobStore) {
    this.node = node;
    this.store = store;
    this.blobs = blobs;
  }

  static async open(
    world: World,
    seed: number,
    faults: Faults,
    reads: readonly Operation[],
  ): Promise<FaultyNode> {
    let opened: FaultyNode | undefined;
    const store = new FaultyPointerStore(world.pointers, (index) => {
      const first = opened?.first;
      return first === undefined ? undefined : faults.pointers?.(index - first)?.(index);
    });
    let puts = 0;
    const blobs = new FaultyBlobStore(world.blobs, (index, method) => {
      const suffers = opened?.first !== undefined && method === "put";
      return suffers ? faults.blobs?.(puts++)?.(index) : undefined;
    });
    const { misreadAs } = faults;
    const pointers = () => (misreadAs === undefined ? store : misreading(store, misreadAs));
    const node = await openNode(world, seed, { pointers, blobs: () => blobs });
    await warm({ ...world, nodes: [node] }, reads);
    opened = new FaultyNode(node, store, blobs);
    return opened;
  }

  /** Runs an operation with its faults. */
  run(operation: Operation): Promise<string> {
    this.first = this.store.history.length;
    return answerOf(this.node, operation);
  }

  /** Lets everything land that is still under way. */
  async settle(): Promise<void> {
    await this.node.catalog.context.background.settled();
    await this.store.releaseAll();
    await this.blobs.releaseAll();
  }

  /** Calls of the operation, all of them. */
  get calls(): number {
    return this.store.history.length - (this.first ?? 0);
  }
}

/** What an operation came to among faults. */
export interface FaultRun {
  readonly answer: string;
  /** The tree when the operation was answered, and when everything under way had landed. */
  readonly tree: readonly string[];
  readonly treeInTheEnd: readonly string[];
  readonly calls: number;
}

/** Runs one operation with faults, then lets everything that is under way land. */
export async function runWithFaults(
  image: Image,
  reads: readonly Operation[],
  operation: Operation,
  faults: Faults,
): Promise<FaultRun> {
  const world = await openWorld(image, 0);
  const faulty = await FaultyNode.open(world, 7, faults, reads);
  const answer = await faulty.run(operation);
  const { calls } = faulty;
  const tree = await checkStore(world.pointers, world.blobs);
  await faulty.settle();
  const treeInTheEnd = await checkStore(world.pointers, world.blobs);
  return { answer, tree, treeInTheEnd, calls };
}

/** Faults of pointers and blobs by seed. */
export function randomFaults(seed: number): Faults {
  const prng: Prng = new SeededPrng(seed);
  const rate = 0.1 + prng.float() * 0.5;
  const kind = () => BLOB_FAULTS[randomBelow(prng, BLOB_FAULTS.length)];
  const script = seededFaults(prng, { rate });
  return {
    pointers: () => (index) => script(index, "commit", []),
    blobs: () => (prng.float() < rate / 2 ? kind() : undefined),
  };
}

/** Whether an answer says for certain that nothing happened, and nothing about names. */
export function saysNothingHappened(answer: string): boolean {
  return /^(?:Unavailable|Overloaded|Conflict CONTENDED)/.test(answer);
}
