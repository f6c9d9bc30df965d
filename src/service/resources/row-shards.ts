import { FirnError, invalid } from "../../base/error.ts";
import type { ShardId } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import type { Catalog, Job, RowShardEntry } from "../../catalog/model.ts";
import type { Engine } from "../../lsm/index.ts";
import { FIRST_SHARD, type NamedShard, type RowStore, shardNotFound } from "../../rows/index.ts";
import type { Actor } from "../actor.ts";
import { shardsOf } from "../rows/row-places.ts";
import type { RowShardJobs } from "../rows/row-shard-jobs.ts";
import type { ResourceNames } from "./names.ts";
import { type CatalogPlace, expecting } from "./resource.ts";

const MOST_SHARDS = 100;
const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
/** Relations of the first shard are below; those of each other one have a range of their own. */
const RELATIONS = 0x1000_0000;
const RELATIONS_OF_ONE = 0x20_0000;
const TRIES = 10;

export interface RowShardParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  /** The rows of a shard, which is made where it is absent. */
  readonly store: (shard: string) => Promise<RowStore>;
  readonly deletions: Pick<RowShardJobs, "delete">;
  /** The engine of one that this process has open. */
  readonly opened: (shard: string) => Promise<Engine | undefined>;
}

/** Shards of row tables beside the first one of a catalog. */
export class RowShardResources {
  readonly #parts: RowShardParts;

  constructor(parts: RowShardParts) {
    this.#parts = parts;
  }

  /** The shards of a catalog, the first one too. @throws FirnError `CATALOG_NOT_FOUND`. */
  async list(_actor: Actor, place: CatalogPlace): Promise<readonly NamedShard[]> {
    const { entity } = await this.#found(place);
    return shardsOf(entity);
  }

  /** The engine of a shard that this process has open, for its figures. */
  async opened(_actor: Actor, shard: string): Promise<Engine | undefined> {
    return await this.#parts.opened(shard);
  }

  /**
   * Makes a shard. The node that is asked owns it.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`; `AlreadyExists` `ROW_SHARD_EXISTS`; `Invalid`
   *   `ROW_SHARD_INVALID`: its name, or one more than a catalog may have.
   */
  async create(actor: Actor, place: CatalogPlace, name: string): Promise<NamedShard> {
    const { catalog, store } = this.#parts;
    if (!NAME.test(name)) {
      const message = "a shard has a name of a-z, 0-9, _ and -, which begins with a letter";
      throw invalid("ROW_SHARD_INVALID", message, { name });
    }
    const id = catalog.context.ids.mint<ShardId>();
    for (let tries = 1; ; tries++) {
      const { entity, ref } = await this.#found(place);
      const made = nextShard(entity, id, name);
      await (await store(id)).numberFrom(RELATIONS + (made.number - 1) * RELATIONS_OF_ONE);
      // Another one may have been made meanwhile, and has this number.
      let isAgain = false;
      await catalog.catalogs.revise(actor, ref, ({ entity: now }) => {
        if (now.id !== entity.id) throw catalogNotFound(ref);
        isAgain = nextShard(now, id, name).number !== made.number;
        return isAgain ? undefined : { ...now, rowShards: [...(now.rowShards ?? []), made] };
      });
      if (!isAgain) return { id, name };
      if (tries === TRIES) {
        const message = "others make shards of the catalog meanwhile: try again";
        throw new FirnError("Conflict", "ROW_SHARD_BUSY", message, { shard: name });
      }
    }
  }

  /**
   * Deletes an empty shard: when it answers, its name is free. Its files go later, with the job.
   *
   * @throws FirnError `CATALOG_NOT_FOUND`; `ROW_SHARD_NOT_FOUND`; `Invalid` `ROW_SHARD_INVALID`:
   *   the first one; as `RowShardJobs.delete`.
   */
  async drop(_actor: Actor, place: CatalogPlace, name: string): Promise<Job> {
    const { entity } = await this.#found(place);
    if (name === FIRST_SHARD) {
      const message = "the first shard of a catalog goes with the catalog: name another one";
      throw invalid("ROW_SHARD_INVALID", message, { shard: name });
    }
    const shard = shardsOf(entity).find((one) => one.name === name);
    if (shard === undefined) throw shardNotFound(name);
    return await this.#parts.deletions.delete(entity.id, shard);
  }

  async #found(place: CatalogPlace): Promise<{ readonly ref: string; readonly entity: Catalog }> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.catalog(place);
    const stored = await catalog.catalogs.get(ref);
    expecting<Catalog>({}, id, () => catalogNotFound(ref))(stored);
    return { ref, entity: stored.entity };
  }
}

/** @throws FirnError `ROW_SHARD_EXISTS`, `ROW_SHARD_INVALID`. */
function nextShard({ rowShards = [] }: Catalog, id: ShardId, name: string): RowShardEntry {
  if (name === FIRST_SHARD || rowShards.some((one) => one.name === name)) {
    const message = `the catalog has a shard "${name}" already`;
    throw new FirnError("AlreadyExists", "ROW_SHARD_EXISTS", message, { shard: name });
  }
  if (rowShards.length >= MOST_SHARDS) {
    const message = "the catalog has too many shards: use another catalog";
    throw invalid("ROW_SHARD_INVALID", message, { limit: MOST_SHARDS });
  }
  const number = Math.max(0, ...rowShards.map((one) => one.number)) + 1;
  return { id, name, number };
}
