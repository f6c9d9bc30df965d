import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { BlobEntry, BlobStore } from "../../blob/port.ts";
import type { Manifest } from "../format/manifest.ts";
import { isUlid, type Ulid } from "../format/ulid.ts";
import type { WalReader } from "../wal/port.ts";
import { listAll } from "./history.ts";
import { ManifestObjects } from "./objects.ts";

/**
 * The files of one shard, for read-only tools. Such a tool takes no lease and fences no owner, so
 * it is safe beside one; it then sees the shard as of some manifest, and files that the owner
 * replaces may vanish while it reads.
 */
export interface ShardFiles {
  readonly store: BlobStore;
  /** Of the shard, with a slash at its end; or empty. */
  readonly prefix: string;
  readonly wal: WalReader;
  readonly clock: Clock;
}

export interface TableFile extends BlobEntry {
  readonly id: Ulid;
}

/** The newest manifest. @throws FirnError `NotFound`, code `LSM_NO_SHARD`. */
export async function newestManifest({ store, prefix, clock }: ShardFiles): Promise<Manifest> {
  const manifests = new ManifestObjects({ store, clock, prefix, gcMinAgeMs: 0 });
  const newest = await manifests.latest();
  if (newest !== undefined) return newest;
  throw noShard(prefix);
}

export function noShard(prefix: string): FirnError {
  return new FirnError("NotFound", "LSM_NO_SHARD", "shard not found", { path: prefix });
}

/** What is left under its prefix says that it is no more. Nothing else ever stands there. */
export function shardDeleted(prefix: string, deletedAtMs: number): FirnError {
  const message = "the shard was deleted";
  return new FirnError("NotFound", "LSM_SHARD_DELETED", message, { path: prefix, deletedAtMs });
}

/** @throws FirnError `NotFound`, code `LSM_SHARD_DELETED`. */
export function assertAlive({ deletedAtMs }: Manifest, prefix = ""): void {
  if (deletedAtMs !== undefined) throw shardDeleted(prefix, deletedAtMs);
}

/** Every table that is stored, whether something refers to it or not. */
export async function tableFiles({ store, prefix }: ShardFiles): Promise<readonly TableFile[]> {
  const directory = `${prefix}sst/`;
  const found: TableFile[] = [];
  for (const entry of await listAll(store, directory)) {
    const name = entry.path.slice(directory.length);
    const id = name.slice(0, -".sst".length);
    if (name.endsWith(".sst") && isUlid(id)) found.push({ ...entry, id });
  }
  return found;
}

/** As `tableFiles`, of values apart. */
export async function valueFiles({
  store,
  prefix,
}: Pick<ShardFiles, "store" | "prefix">): Promise<readonly TableFile[]> {
  const directory = `${prefix}values/`;
  return (await listAll(store, directory))
    .map((entry) => ({ ...entry, id: entry.path.slice(directory.length) }))
    .filter(({ id }) => isUlid(id));
}
