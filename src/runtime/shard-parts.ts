import type { LsmOptions, OpenOptions } from "../lsm/index.ts";
import type { NodeIdentityOptions } from "./node-identity.ts";

/** Of the pointers of all accounts. */
export const SYSTEM_SHARD = "system";

/** Where the files of a shard lie in the store. */
export function shardPrefix(shard: string): string {
  return `shards/${shard}/`;
}

/** What a process brings to open a shard, wherever that lies. */
export interface OwningParts extends Omit<OpenOptions, "store" | "prefix" | "wal" | "node"> {
  readonly self: Pick<NodeIdentityOptions, "nodeId" | "url">;
  /** Beside those of the profile. */
  readonly options: Partial<LsmOptions>;
}
