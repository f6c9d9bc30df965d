import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { LocalBlobStore } from "../blob/local.ts";
import type { BlobStore } from "../blob/port.ts";
import {
  assertRoom,
  Engine,
  LocalDisk,
  type LsmMetrics,
  type LsmOptions,
  type MemoryBudget,
  type OpenOptions,
  type Owner,
  SegmentReader,
  SegmentWalStore,
  Shard,
  type TakeOver,
} from "../lsm/index.ts";
import type { ShardFiles } from "../lsm/tools.ts";
import { type NodeIdentityOptions, nodeIdentity } from "./node-identity.ts";
import { type OwningParts, SYSTEM_SHARD, shardPrefix } from "./shard-parts.ts";

/** One disk, one host: the process that has the shard open may delete orphans at once. */
const OPTIONS: Partial<LsmOptions> = { gcMinAgeMs: 0 };

/** What a log needs to begin with, and a manifest beside it. */
const ROOM_BYTES = 4_194_304;

export interface LocalShardOptions {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly node?: Pick<NodeIdentityOptions, "nodeId" | "url">;
  readonly takeOver: TakeOver;
  readonly onWaiting?: (owner: Owner) => void;
  readonly budget: MemoryBudget;
  readonly metrics: LsmMetrics;
  /** Beside those of every local shard. */
  readonly options?: Partial<LsmOptions>;
  /** `system` unless told otherwise. */
  readonly shard?: string;
  readonly forTests?: NonNullable<OpenOptions["forTests"]>;
}

/** Where profile `local` keeps payloads and tables: below `dir`. */
export function localBlobStore(
  dir: string,
  ports: { readonly clock: Clock; readonly prng: Prng },
): LocalBlobStore {
  return new LocalBlobStore(join(dir, "store", "blobs"), ports);
}

/** Where the log of a shard lies. */
function logOf(dir: string, shard: string): string {
  return join(dir, "store", "wal", shard);
}

/** Whether `dir` is one of profile `local`, and has such a shard. */
export function hasShard(dir: string, shard: string): boolean {
  return existsSync(join(dir, "store", "blobs")) && existsSync(logOf(dir, shard));
}

/** Makes the directory of a shard's log: from then on `dir` has such a shard. */
export async function makeLog(dir: string, shard: string): Promise<void> {
  await new LocalDisk(logOf(dir, shard)).prepare();
}

/** The files of a shard below `dir`, for those who only look. */
export function shardFilesOf(
  dir: string,
  shard: string,
  ports: { readonly clock: Clock; readonly prng: Prng },
): ShardFiles {
  const wal = new SegmentReader(new LocalDisk(logOf(dir, shard)));
  return { store: localBlobStore(dir, ports), prefix: shardPrefix(shard), wal, clock: ports.clock };
}

/** What a shard of a directory is opened with, by those who do not serve it. */
export function localParts(
  dir: string,
  shard: string,
  { self, options, ...parts }: OwningParts,
): OpenOptions {
  const { clock, prng } = parts;
  return {
    ...parts,
    store: localBlobStore(dir, { clock, prng }),
    prefix: shardPrefix(shard),
    wal: new SegmentWalStore(new LocalDisk(logOf(dir, shard)), { clock, prng }),
    node: nodeIdentity({ ...self, prng, oneHost: true }),
    options: { ...OPTIONS, ...options },
  };
}

/**
 * A shard in a directory of this machine, made where it is absent.
 *
 * @param dir its log lies below, its tables in `store`.
 * @throws FirnError as `Shard.open`; what the disk throws.
 */
export function openLocalShard(
  dir: string,
  store: BlobStore,
  {
    clock,
    prng,
    node: self,
    takeOver,
    onWaiting,
    budget,
    metrics,
    options,
    shard = SYSTEM_SHARD,
    forTests,
  }: LocalShardOptions,
): Promise<Shard> {
  const log = new LocalDisk(logOf(dir, shard));
  return Shard.open({
    clock,
    takeOver,
    assertOpenable: () => assertRoom(log, ROOM_BYTES),
    node: nodeIdentity({ ...self, prng, oneHost: true }),
    open: (node, how) =>
      Engine.open({
        store,
        clock,
        prng,
        node,
        takeOver: how,
        ...(onWaiting && { onWaiting }),
        prefix: shardPrefix(shard),
        wal: new SegmentWalStore(log, { clock, prng }),
        budget,
        metrics: { of: metrics, shard },
        options: { ...OPTIONS, ...options },
        ...(forTests && { forTests }),
      }),
  });
}
