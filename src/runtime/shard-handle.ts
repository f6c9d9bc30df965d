import { createMetrics } from "../base/metrics.ts";
import type { OpenOptions, ReaderParts } from "../lsm/index.ts";
import { noShard } from "../lsm/tools.ts";
import { hasShard, localParts } from "./local-shard.ts";
import type { Settings } from "./settings.ts";
import { type OwningParts, SYSTEM_SHARD } from "./shard-parts.ts";
import { type Components, engineParts, ownershipOf } from "./stores.ts";

/** A shard that is stored somewhere, for those who do not serve it. */
export interface ShardHandle {
  /** To open it, as its owner. */
  readonly owning: OpenOptions;
  /** To read it, beside its owner. */
  readonly reading: ReaderParts;
  close(): Promise<void>;
}

/** What a shard's name may be: it is part of paths. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * The shard of a name in what the settings name. It is not opened here, so no server is disturbed.
 *
 * @throws FirnError `NotFound`, code `LSM_NO_SHARD`: the profile has no shards, or the directory
 *   none of that name; that a bucket has none is found by who uses it. What the stores throw.
 */
export async function openShardHandle(
  settings: Settings,
  shard: string,
  components: Components,
): Promise<ShardHandle> {
  const { profile, dir } = settings;
  if (!NAME.test(shard)) throw noShard(shard);
  switch (profile) {
    case "memory":
    case "aws":
      throw noShard(`profile ${profile}`);
    case "local": {
      if (!hasShard(dir, shard)) throw noShard(shard === SYSTEM_SHARD ? dir : `${dir}, ${shard}`);
      return handleOf(localParts(dir, shard, owningParts(settings, components)));
    }
    case "bucket": {
      const { bucketParts } = await import("./bucket-stores.ts");
      const { parts, close } = await bucketParts(
        settings,
        shard,
        components,
        owningParts(settings, components),
      );
      return handleOf(parts, close);
    }
  }
}

/** Nothing is compacted or collected on the way: that is for who serves the shard. */
function owningParts(settings: Settings, components: Components): OwningParts {
  const { clock, prng } = components;
  const { node: self, ...owning } = ownershipOf(settings, components);
  const { budget, options } = engineParts(settings, createMetrics());
  return {
    clock,
    prng,
    self,
    budget,
    ...owning,
    options: { ...options, compaction: "manual" },
  };
}

function handleOf(owning: OpenOptions, close = async () => {}): ShardHandle {
  const { store, prefix = "", clock, prng, options = {} } = owning;
  const reading = { store, prefix, wal: owning.wal.reader(), clock, prng, options };
  return { owning, reading, close };
}
