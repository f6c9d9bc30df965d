import { join } from "node:path";
import type { OnDefect } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import type { ErrorContext } from "../base/error.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import type { BlobStore } from "../blob/port.ts";
import { KEY_FAMILIES } from "../catalog/keys.ts";
import { ShardAdmin } from "../http/admin/shard-admin.ts";
import {
  LsmMetrics,
  MemoryBudget,
  type OpenOptions,
  type Owner,
  type Reader,
  type Shard,
} from "../lsm/index.ts";
import { LsmPointerStore } from "../pointer/lsm.ts";
import { MemoryPointerStore } from "../pointer/memory.ts";
import { MeteredPointerStore } from "../pointer/metered.ts";
import type { PointerStore } from "../pointer/port.ts";
import type { FileAccessNews } from "../service/access/file-access-news.ts";
import type { RowShard } from "../service/rows/row-shards.ts";
import type { SharedShards } from "../service/shards/shared-shards.ts";
import {
  type LocalShardOptions,
  localBlobStore,
  localParts,
  openLocalShard,
} from "./local-shard.ts";
import { memoryParts, openMemoryShard } from "./memory-shard.ts";
import { deploymentSecret, SECRET_BYTES } from "./secret.ts";
import type { Settings } from "./settings.ts";
import { type OwningParts, SYSTEM_SHARD, shardPrefix } from "./shard-parts.ts";

const MIB = 1_048_576;

/** What the process brings. */
export interface Components {
  readonly clock: Clock;
  readonly prng: Prng;
  /** Of this process: no other one has it, nor this one after a restart. */
  readonly nodeId: string;
  /** Where others may ask for it already, while it is waiting for a directory. */
  readonly url?: string;
  /** Told who has the directory that this process waits for, before each wait. */
  readonly onWaiting?: (owner: Owner) => void;
  /** Told what an operator should know of the start. */
  readonly notify: (text: string, facts: ErrorContext) => void;
  /** Told the key of the first administrator, once. */
  readonly tellKey?: (key: string) => void;
  /** Told what an operator should mend. */
  readonly warn?: (text: string, facts: ErrorContext) => void;
  /** Told of each access to the files of tables that is given away. */
  readonly fileNews?: FileAccessNews;
  /** Carries out nothing by itself: a command that looks, or does one thing. */
  readonly isIdle?: true;
  /** Told of defects of ours that no request waits for. They are counted already. */
  readonly onDefect: OnDefect;
}

/** What differs between the profiles. */
export interface Stores {
  readonly blobs: BlobStore;
  /** The same without a cache before them, for who checks what is on the store. */
  readonly uncached?: BlobStore;
  readonly pointers: PointerStore;
  /** They remove tombstones past their life by themselves, though late. */
  readonly pointersExpire?: boolean;
  /** Of the deployment: what was signed with it stays good as long as it is the same. 32 bytes. */
  readonly secret: Uint8Array;
  readonly close: () => Promise<void>;
  /** Throws what is known to be wrong with them without asking. */
  readonly assertUsable?: () => void;
  /** What others see of this process as the owner of its stores, where they have one. */
  readonly owner?: Pick<Shard, "advertise" | "drain">;
  /** Opens a shard of row tables, and makes it where it is absent; undefined: there are none. */
  readonly openRowShard?: (shard: string) => Promise<RowShard>;
  /** Reads a shard that another node may own; absent: this process owns all of them. */
  readonly readRowShard?: (shard: string) => Promise<Reader | undefined>;
  /** Whether a shard of row tables is there. */
  readonly hasRowShard?: (shard: string) => Promise<boolean>;
  /** Deletes a shard of row tables that is not open, its files too. It may be called again. */
  readonly removeRowShard?: (shard: string) => Promise<void>;
  /** Whose shards of row tables several nodes share; absent: this process owns all of them. */
  readonly sharedShards?: SharedShards;
  /** Of that shard, for operators. */
  readonly shardAdmin?: ShardAdmin;
}

/** Everything in memory: gone with the process. */
export function memoryStores(settings: Settings, components: Components, metrics: Metrics): Stores {
  const { clock, prng } = components;
  const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
  const shards = new MemoryBlobStore(clock);
  // Made with the first shard: most processes of this profile have none.
  let engine: ReturnType<typeof engineParts> | undefined;
  return {
    openRowShard: (shard) => {
      engine ??= ofRows(settings, engineParts(settings, metrics));
      return openMemoryShard(shards, { ...components, ...engine, shard });
    },
    hasRowShard: (shard) => hasShard(shards, shard),
    removeRowShard: async (shard) => {
      const { nodeId } = components;
      await removeShard(memoryParts(shards, { clock, prng, nodeId, shard }));
    },
    blobs: new MeteredBlobStore(new MemoryBlobStore(clock), { clock, metrics }),
    pointers: new MeteredPointerStore(pointers, { clock, metrics }),
    secret: prng.bytes(SECRET_BYTES),
    close: async () => {},
  };
}

/** Everything in a directory of this machine. @throws FirnError as `openLocalShard`. */
export async function localStores(
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Stores> {
  const { dir } = settings;
  const { clock, prng } = components;
  const secret = await deploymentSecret(join(dir, "secret"), prng);
  const blobs = new MeteredBlobStore(localBlobStore(dir, { clock, prng }), { clock, metrics });
  const options = {
    clock,
    prng,
    ...ownershipOf(settings, components),
    ...engineParts(settings, metrics),
  };
  const shard = await openLocalShard(dir, blobs, options);
  const openRowShard = (name: string) =>
    openLocalShard(dir, blobs, { ...ofRows(settings, options), shard: name });
  const hasRowShard = (name: string) => hasShard(blobs, name);
  const removeRowShard = (name: string) => removeShard(localParts(dir, name, owningOf(options)));
  const stores = shardStores(shard, { blobs, secret }, components, metrics);
  return { ...stores, openRowShard, hasRowShard, removeRowShard };
}

/** As those who open a shard, for who opens it to do one thing. */
export function owningOf({ node, options = {}, ...parts }: Owning): OwningParts {
  const { metrics: _shown, ...rest } = parts;
  return { ...rest, self: node, options };
}

type Owning = Pick<LocalShardOptions, "clock" | "prng" | "takeOver" | "budget" | "options"> &
  Required<Pick<LocalShardOptions, "node" | "onWaiting">> &
  Partial<Pick<LocalShardOptions, "metrics">>;

/** Deletes a shard that this process does not have open. @throws as `deleteShard`. */
export async function removeShard(parts: OpenOptions): Promise<void> {
  const { deleteShard } = await import("../lsm/tools.ts");
  await deleteShard(parts);
}

/** Whether a shard was ever made in a store. */
export async function hasShard(store: BlobStore, name: string): Promise<boolean> {
  return (await store.list(`${shardPrefix(name)}manifest/`, { limit: 1 })).length > 0;
}

/** What the engines of a process share. */
export function engineParts(
  settings: Settings,
  metrics: Metrics,
): Pick<LocalShardOptions, "budget" | "metrics" | "options"> {
  const {
    engineMemoryMib,
    engineCompactionStyle: compactionStyle,
    engineMergeThreads: mergeThreads,
  } = settings;
  const { logRetention, logRetentionMib } = settings;
  const budget = MemoryBudget.within(engineMemoryMib * MIB);
  const log = { logRetentionMs: logRetention, logRetentionBytes: logRetentionMib * MIB };
  return {
    budget,
    options: { compactionStyle, mergeThreads, ...log },
    metrics: new LsmMetrics(metrics, budget),
  };
}

/** The parts of an engine whose past SQL reads. */
export function ofRows<T extends Pick<LocalShardOptions, "options">>(
  { rowHistory: historyMs }: Settings,
  parts: T,
): T {
  return { ...parts, options: { ...parts.options, historyMs } };
}

/** What to do about an owner that is in the way, and a word to who waits for it. */
export function ownershipOf(
  { standby, takeover }: Settings,
  { nodeId, url = "", notify, onWaiting }: Components,
): Required<Pick<LocalShardOptions, "node" | "takeOver" | "onWaiting">> {
  let waitsFor = "";
  return {
    node: { nodeId, url },
    takeOver: standby ? "standby" : takeover ? "takeover" : "refuse",
    onWaiting: (owner) => {
      onWaiting?.(owner);
      const { node, host, pid, url: where } = owner;
      if (node === waitsFor) return;
      waitsFor = node;
      notify("waits for another process to end", { node, host, pid, url: where });
    },
  };
}

/** Pointers as rows of the shard `system`, beside the blobs that its files are. */
export function shardStores(
  shard: Shard,
  { blobs, uncached = blobs, secret }: Pick<Stores, "blobs" | "uncached" | "secret">,
  { clock }: Components,
  metrics: Metrics,
): Stores {
  const pointers = new LsmPointerStore({
    families: KEY_FAMILIES,
    clock,
    engine: shard.engine,
    reader: shard.reader,
  });
  return {
    blobs,
    uncached,
    secret,
    pointers: new MeteredPointerStore(pointers, { clock, metrics }),
    close: () => shard.close(),
    owner: shard,
    shardAdmin: new ShardAdmin(SYSTEM_SHARD, shard.engine, clock),
  };
}
