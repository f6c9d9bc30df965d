import { hkdfSync } from "node:crypto";
import { IdSource } from "../base/ids.ts";
import type { Metrics } from "../base/metrics.ts";
import type { StoredShardOwner } from "../catalog/codec/shard-owner.ts";
import { ShardOwners } from "../catalog/shard-owners.ts";
import type { NodeIdentity } from "../lsm/index.ts";
import { SharedShards } from "../service/shards/shared-shards.ts";
import { openBucketEngine, readBucketShard, shardPartsIn } from "./bucket-shard.ts";
import { nodeIdentity } from "./node-identity.ts";
import type { Settings } from "./settings.ts";
import {
  type Components,
  engineParts,
  hasShard,
  ofRows,
  removeShard,
  type Stores,
} from "./stores.ts";

type SharedParts =
  | "openRowShard"
  | "readRowShard"
  | "removeRowShard"
  | "hasRowShard"
  | "sharedShards";

/** Shards of row tables in a bucket, whose owners are pointers. No request. */
export function sharedRowShards(
  { blobs, uncached = blobs, pointers }: Pick<Stores, "blobs" | "uncached" | "pointers">,
  settings: Settings,
  { clock, prng, nodeId, notify }: Components,
  metrics: Metrics,
): Required<Pick<Stores, SharedParts>> {
  const identity = nodeIdentity({ nodeId, prng, oneHost: false });
  const { node, host, pid, bootId } = identity;
  let made: ReturnType<typeof engineParts> | undefined;
  const engines = () => {
    made ??= ofRows(settings, engineParts(settings, metrics));
    return made;
  };
  const sharedShards = new SharedShards({
    clock,
    owners: new ShardOwners({ pointers, clock, prng, ids: new IdSource(clock, prng) }),
    self: { node, host, pid, bootId, url: "" },
    open: (shard) => {
      const { url } = sharedShards.self;
      const self = { ...identity, url };
      return openBucketEngine(blobs, shard, { clock, prng, node: self, ...engines() });
    },
    answers: (owner) => answersIn(identity, owner),
    onEvent: (shard, event, epoch) => notify(`row shard ${event}`, { shard, epoch }),
  });
  return {
    sharedShards,
    readRowShard: (shard) => {
      const { options = {} } = engines();
      return readBucketShard(uncached, shard, { clock, prng, options });
    },
    hasRowShard: (shard) => hasShard(blobs, shard),
    removeRowShard: async (shard) => {
      const { budget, options = {} } = engines();
      const self = { nodeId, url: sharedShards.self.url };
      const parts = { clock, prng, self, budget, options, takeOver: "takeover" } as const;
      await sharedShards.remove(shard, () => removeShard(shardPartsIn(blobs, shard, parts)));
    },
    openRowShard: async (name) => {
      const shard = sharedShards.of(name);
      return {
        engine: shard.engine,
        close: () => shard.drain(),
        forget: () => shard.forget(),
      };
    },
  };
}

/** Whether an owner answers. One that no process can ask counts as there, unless it is dead. */
async function answersIn(
  { sight, answers }: NodeIdentity,
  { node, host, pid, bootId, url, state }: StoredShardOwner,
): Promise<boolean> {
  const owner = { node, host, pid, bootId, url, state, outwaits: false, unknown: [] };
  if (sight(owner) === "dead") return false;
  return url === "" || answers === undefined || (await answers(owner));
}

const KEY_BYTES = 32;

/** What nodes sign requests to each other with, of the secrets of the deployment. */
export function peerKeys(secrets: readonly Uint8Array[]): readonly Uint8Array[] {
  return secrets.map(
    (secret) => new Uint8Array(hkdfSync("sha256", secret, "", "firn internal requests", KEY_BYTES)),
  );
}
