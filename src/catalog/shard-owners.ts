import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item, Version } from "../pointer/port.ts";
import { decodeShardOwner, encodeShardOwner, type StoredShardOwner } from "./codec/shard-owner.ts";
import type { CatalogContext } from "./context.ts";
import { FAMILIES, keyOf } from "./keys.ts";

/** What stands under a shard's key; `owner` is absent of a shard that no node has owned. */
export interface ShardPointer {
  readonly version: Version;
  readonly owner: StoredShardOwner | undefined;
}

type Stores = Pick<CatalogContext, "pointers" | "clock" | "prng" | "ids">;

/** Which nodes own the shards of row tables: a pointer for each, changed by compare-and-set. */
export class ShardOwners {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** One read. */
  async get(shard: string): Promise<ShardPointer> {
    return pointerOf(await this.#stores.pointers.get(keyOf(FAMILIES.shard, shard)));
  }

  /** In the order of `shards`. */
  async getMany(shards: readonly string[]): Promise<readonly ShardPointer[]> {
    if (shards.length === 0) return [];
    const keys = shards.map((shard) => keyOf(FAMILIES.shard, shard));
    return (await this.#stores.pointers.getMany(keys)).map(pointerOf);
  }

  /**
   * Replaces what stands at `seen`: of several that do, one succeeds. One write.
   *
   * @returns what stands there now; undefined where another one was faster, or may have been: read
   *   again.
   * @throws FirnError `Unavailable`, code `SHARD_POINTER_UNSTORED`.
   */
  async replace(
    shard: string,
    seen: ShardPointer,
    owner: StoredShardOwner,
  ): Promise<ShardPointer | undefined> {
    const { pointers, clock } = this.#stores;
    const attempt = { stopwatch: new Stopwatch(clock) };
    const key = keyOf(FAMILIES.shard, shard);
    const summary = encodeShardOwner(owner);
    const put = { op: "put", key, expected: seen.version, summary } as const;
    const verdict = await putCertain(pointers, this.#stores, attempt, put);
    switch (verdict.verdict) {
      case "committed":
        return { version: verdict.version, owner };
      case "conflict":
      case "unknown":
        return undefined;
      case "overloaded": {
        const { retryAfterMs } = verdict;
        const message = "the owner of the shard could not be stored: try again";
        throw new FirnError("Unavailable", "SHARD_POINTER_UNSTORED", message, { retryAfterMs });
      }
    }
  }

  /** Deletes what stands at `seen`, of a shard that was deleted. Nothing where that has changed. */
  async forget(shard: string, { version: expected, owner }: ShardPointer): Promise<void> {
    if (owner === undefined) return;
    const { pointers, clock } = this.#stores;
    const attempt = { stopwatch: new Stopwatch(clock) };
    const key = keyOf(FAMILIES.shard, shard);
    await putCertain(pointers, this.#stores, attempt, { op: "delete", key, expected });
  }
}

function pointerOf(item: Item): ShardPointer {
  const { version } = item;
  if (item.state === "absent") return { version, owner: undefined };
  return { version, owner: decodeShardOwner(item.summary ?? new Uint8Array()) };
}
