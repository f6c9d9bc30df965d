import type { ShardStatus, SharedShardAdmin, SharedShardStatus } from "../../http/shard-status.ts";
import type { Engine } from "../../lsm/index.ts";
import type { ShardOwnership } from "../../service/shards/shared-shards.ts";
import type { Peers } from "./peers.ts";

/** What operators ask of the row shards of a deployment, at any of its nodes. */
export function sharedShardAdmin(
  peers: Peers,
  levelsOf: (shard: string, engine: Engine) => Promise<ShardStatus>,
): SharedShardAdmin {
  const { shards } = peers;
  const statusOf = async (found: ShardOwnership): Promise<SharedShardStatus> => {
    const { shard, owner, engine } = found;
    return { owner, status: engine && (await levelsOf(shard, engine)) };
  };
  const ownerOf = async (id: string) => (await shards.list([id]))[0]?.owner;
  /** Asks the owner to let go: nothing where there is none. */
  const drain = async (shard: string, next?: typeof shards.self): Promise<void> => {
    const owner = await ownerOf(shard);
    if (owner === undefined || owner.state === "FREE") return;
    if (owner.node === shards.self.node) await shards.of(shard).drain(next);
    else await peers.call(owner, "shards/drain", { shard, ...(next && { next }) });
    shards.of(shard).forget();
  };
  return {
    list: async (ids) => await Promise.all((await shards.list(ids)).map(statusOf)),
    move: async (shard) => {
      const owner = await ownerOf(shard);
      if (owner === undefined) return;
      if (owner.node !== shards.self.node) await drain(shard, shards.self);
      shards.of(shard).forget();
      await shards.of(shard).engine();
    },
    drain: (shard) => drain(shard),
    release: (shard) => shards.release(shard),
  };
}
