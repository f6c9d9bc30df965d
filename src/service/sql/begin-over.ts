import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Catalog } from "../../catalog/model.ts";
import { unjudged } from "../../catalog/name-access.ts";
import {
  type BeginOptions,
  type NamedShard,
  type RowTransaction,
  rowError,
  ShardedTransaction,
} from "../../rows/index.ts";
import { placeById, shardsOf } from "../rows/row-places.ts";
import type { RowShards } from "../rows/row-shards.ts";
import { ShardElsewhere } from "../shards/shard-elsewhere.ts";

interface Parts {
  readonly shards: RowShards;
  readonly catalog: AccountCatalog;
}

/**
 * Begins a transaction on a shard of a catalog, and on the others when they are met.
 *
 * @throws as `RowShards.of`, of the first one.
 */
export async function beginOver(
  { shards, catalog }: Parts,
  entity: Catalog,
  home: NamedShard,
  options: BeginOptions,
): Promise<RowTransaction> {
  const others = shardsOf(entity).filter(({ id }) => id !== home.id);
  if (options.state !== undefined && others.length > 0) {
    const message = "a snapshot is of one shard, and the catalog has several";
    throw rowError("Conflict", "ROW_SHARDS_APART", "0A000", message);
  }
  const tx = await (await shards.of(home.id)).begin(options);
  if (others.length === 0) return tx;
  // What is temporary lies with the session's own shard.
  const { temporary: _own, ...rest } = options;
  return new ShardedTransaction(tx, {
    home,
    others,
    open: async (shard) => {
      const store = await shards.of(shard.id).catch((error: unknown) => {
        throw error instanceof ShardElsewhere ? elsewhere(shard) : error;
      });
      return await store.begin(rest);
    },
    placeOf: (id) => unjudged(() => placeById(catalog.context, id)),
  });
}

function elsewhere({ name: shard }: NamedShard): Error {
  const message = `another node serves the shard "${shard}": this session is on one of this node`;
  const hint = `Open a session with the setting firn.shard = '${shard}', or move the shard.`;
  return rowError("Unavailable", "ROW_SHARD_ELSEWHERE", "0A000", message, { hint, shard });
}
