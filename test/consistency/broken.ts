import type { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { conditionHolds } from "../../src/pointer/batch.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Batch, CommitOutcome, Item, PointerStore } from "../../src/pointer/port.ts";
import type { Broken } from "./claims.ts";
import type { SharedClock } from "./clock.ts";

/** What others may do in between. */
function aWhile(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

/** Applies half of a batch, and the rest a while later. What it answers does not show it. */
export class TwoSteps extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    if (batch.ops.length < 2) return super.commit(batch);
    const half = batch.ops.length >> 1;
    const first = await super.commit({ ...batch, ops: batch.ops.slice(0, half) });
    await aWhile();
    const second = await super.commit({ ...batch, ops: batch.ops.slice(half) });
    if (first.outcome !== "committed" || second.outcome !== "committed") return second;
    return { outcome: "committed", versions: new Map([...first.versions, ...second.versions]) };
  }
}

/** Looks first, and writes a while later over whatever stands there by then. */
export class LateWriter extends MemoryPointerStore {
  override async commit(batch: Batch): Promise<CommitOutcome> {
    const keys = batch.ops.map(({ key }) => key);
    const before = await super.getMany(keys);
    const holds = batch.ops.every((op, i) => conditionHolds(op, before[i] as Item));
    if (!holds) return super.commit(batch);
    await aWhile();
    const found = await super.getMany(keys);
    const ops = batch.ops.map((op, i) =>
      "expected" in op ? { ...op, expected: found[i]?.version ?? 0n } : op,
    );
    return super.commit({ ...batch, ops });
  }
}

type PointerClass = new (
  options: ConstructorParameters<typeof MemoryPointerStore>[0],
) => PointerStore;
type BlobClass = new (clock: SharedClock) => MemoryBlobStore;

/** Profile `memory` over another adapter: those that the contracts of the ports must see. */
export function overPointers(what: string, Adapter: PointerClass): Broken {
  return {
    what,
    profile: "memory",
    wrap: (stores, { clock }) => ({
      ...stores,
      pointers: new Adapter({ families: KEY_FAMILIES, clock }),
    }),
  };
}

export function overBlobs(what: string, Adapter: BlobClass): Broken {
  return {
    what,
    profile: "memory",
    wrap: (stores, { clock }) => ({ ...stores, blobs: new Adapter(clock) }),
  };
}

/** The profile's own pointers, in part answered otherwise. */
export function withPointers(
  what: string,
  change: (inner: PointerStore, isArmed: () => boolean) => Partial<PointerStore>,
  profile: Broken["profile"] = "memory",
): Broken {
  return {
    what,
    profile,
    wrap: (stores, { isArmed }) => ({
      ...stores,
      pointers: changed(stores.pointers, (inner) => change(inner, isArmed)),
    }),
  };
}

export function withBlobs(
  what: string,
  change: (inner: BlobStore) => Partial<BlobStore>,
  profile: Broken["profile"] = "memory",
): Broken {
  return {
    what,
    profile,
    wrap: (stores) => ({ ...stores, blobs: changed(stores.blobs, change) }),
  };
}

function changed<T extends object>(inner: T, change: (inner: T) => Partial<T>): T {
  const parts = change(inner);
  return new Proxy(inner, {
    get: (target, name) => {
      const part = Reflect.get(name in parts ? parts : target, name) as unknown;
      return typeof part === "function" ? part.bind(target) : part;
    },
  });
}

/** Answers from what it read up to `lag` reads ago, as a replica that lags behind does. */
export function staleReads(lag: number): Broken {
  return withPointers("reads that lag behind", (inner, isArmed) => {
    const known = new Map<string, { readonly item: Item; left: number }>();
    const read = async (key: string): Promise<Item> => {
      const found = known.get(key);
      if (isArmed() && found !== undefined && found.left-- > 0) return found.item;
      const item = await inner.get(key);
      known.set(key, { item, left: lag });
      return item;
    };
    return { get: read, getMany: (keys) => Promise.all(keys.map(read)) };
  });
}

/** Versions of now over what stood there one write ago. */
export function tornItems(): Broken {
  return withPointers("items read in two halves", (inner) => {
    const before = new Map<string, Item>();
    const now = new Map<string, Item>();
    const torn = (item: Item): Item => {
      const last = now.get(item.key);
      if (last !== undefined && last.version < item.version) before.set(item.key, last);
      now.set(item.key, item);
      const old = before.get(item.key);
      const half = old?.state === "live" && item.state === "live";
      return half ? { ...old, version: item.version } : item;
    };
    return {
      get: async (key) => torn(await inner.get(key)),
      getMany: async (keys) => (await inner.getMany(keys)).map(torn),
    };
  });
}

/** Deletes whatever stands there. */
export function uncheckedDeletes(): Broken {
  return withPointers("deletes without their condition", (inner) => ({
    commit: async (batch: Batch): Promise<CommitOutcome> => {
      const ops = await Promise.all(
        batch.ops.map(async (op) =>
          op.op === "delete" ? { ...op, expected: (await inner.get(op.key)).version } : op,
        ),
      );
      return inner.commit({ ...batch, ops });
    },
  }));
}

/** Batches lose the operations on such keys. */
export function losing(
  what: string,
  isLost: (op: Batch["ops"][number]) => boolean,
  profile: Broken["profile"] = "memory",
): Broken {
  return withPointers(
    what,
    (inner) => ({
      commit: (batch) => inner.commit({ ...batch, ops: batch.ops.filter((op) => !isLost(op)) }),
    }),
    profile,
  );
}

/** Takes a write whose answer was lost for one that was refused. */
export function deniedDoubt(profile: Broken["profile"]): Broken {
  const change = (inner: PointerStore): Partial<PointerStore> => ({
    commit: async (batch) => {
      const outcome = await inner.commit(batch);
      if (outcome.outcome !== "unknown") return outcome;
      const keys = batch.ops.map(({ key }) => key).filter((key) => !key.includes("/idempotency/"));
      return { outcome: "conflict", failed: await inner.getMany(keys) };
    },
  });
  return withPointers("doubt called a conflict", change, profile);
}

/** Begins its versions again where a key is made anew. */
export function restartingVersions(): Broken {
  return withPointers("versions that begin again", (inner) => {
    const offsets = new Map<string, bigint>();
    const shown = (item: Item): Item => ({
      ...item,
      version: item.version - (offsets.get(item.key) ?? 0n),
    });
    const commit = async (batch: Batch): Promise<CommitOutcome> => {
      const before = await inner.getMany(batch.ops.map(({ key }) => key));
      for (const [i, op] of batch.ops.entries()) {
        const item = before[i];
        const isNew = op.op === "put" && item?.state === "absent" && item.version > 0n;
        if (isNew && shown(item).version === op.expected) offsets.set(op.key, item.version);
      }
      const ops = batch.ops.map((op, i) => {
        if (!("expected" in op)) return op;
        const offset = offsets.get(op.key) ?? 0n;
        const isNew = before[i]?.state === "absent" && offset === before[i]?.version;
        return { ...op, expected: isNew ? offset : op.expected + offset };
      });
      const outcome = await inner.commit({ ...batch, ops });
      if (outcome.outcome !== "committed") return outcome;
      const versions = [...outcome.versions].map(
        ([key, version]) => [key, version - (offsets.get(key) ?? 0n)] as const,
      );
      return { ...outcome, versions: new Map(versions) };
    };
    return {
      commit,
      get: async (key) => shown(await inner.get(key)),
      getMany: async (keys) => (await inner.getMany(keys)).map(shown),
    };
  });
}

/** An owner that never asks again for what it has read or written. */
export function trustedMemory(profile: Broken["profile"]): Broken {
  const change = (inner: PointerStore): Partial<PointerStore> => {
    const known = new Map<string, Item>();
    const read = async (key: string): Promise<Item> => {
      const item = known.get(key) ?? (await inner.get(key));
      known.set(key, item);
      return item;
    };
    return {
      get: read,
      getMany: (keys) => Promise.all(keys.map(read)),
      commit: (batch) => {
        for (const { key } of batch.ops) known.delete(key);
        return inner.commit(batch);
      },
    };
  };
  return withPointers("an owner that trusts its memory", change, profile);
}

/** Says that pointers to snapshots were written, and writes none. */
export function withoutSnapshotPuts(): Broken {
  return withPointers("writes of derived pointers that come to nothing", (inner) => ({
    commit: async (batch) => {
      const [only] = batch.ops;
      const derived = batch.ops.length === 1 && only?.key.includes("/snapshots/by-") === true;
      if (!derived || only === undefined || !("expected" in only)) return inner.commit(batch);
      return { outcome: "committed", versions: new Map([[only.key, only.expected + 1n]]) };
    },
  }));
}
