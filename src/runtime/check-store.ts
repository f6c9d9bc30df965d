import { createMetrics } from "../base/metrics.ts";
import type { BlobStore } from "../blob/port.ts";
import { noShard } from "../lsm/tools.ts";
import { DEFAULT_ACCOUNT } from "../service/actor.ts";
import { shardOf } from "../service/rows/row-places.ts";
import { RowShards } from "../service/rows/row-shards.ts";
import { checkRowTable } from "../service/rows/table-check.ts";
import { type Checked, checkOver, rowsBeside } from "./check-over.ts";
import { openStores } from "./compose.ts";
import { openLake } from "./lake.ts";
import { hasShard } from "./local-shard.ts";
import { type CheckRun, withScratch } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import { SYSTEM_SHARD } from "./shard-parts.ts";
import type { Components, Stores } from "./stores.ts";

/**
 * Checks the stores that the settings name, in this process. On profiles `local` and `bucket` it
 * becomes their owner for as long as it runs.
 *
 * @throws FirnError `Unavailable`, code `LSM_OWNED`: a server has them open; `NotFound`, code
 *   `LSM_NO_SHARD`; what makes the stores of the profile unusable, and what they throw.
 */
export async function* checkStores(
  settings: Settings,
  components: Components,
  repair: boolean,
): CheckRun {
  const { profile, dir } = settings;
  if (profile === "memory") throw noShard(`profile ${profile}`);
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  const stores = await openStores(settings, components, createMetrics());
  try {
    return yield* withScratch(profile, components, (scratch) =>
      checkOpened(stores, settings, components, scratch, repair),
    );
  } finally {
    await stores.close();
  }
}

async function* checkOpened(
  stores: Stores,
  settings: Settings,
  components: Components,
  scratch: BlobStore,
  repair: boolean,
): CheckRun {
  const lake = openLake(settings, components, createMetrics());
  const rows = rowsOf(stores, components);
  try {
    return yield* checkOver({ stores, lake, rows }, settings, components, scratch, repair);
  } finally {
    await lake.close();
  }
}

/**
 * Checks of row tables: in shards that this process owns while it runs, or, where nodes may serve
 * them, beside those.
 */
function rowsOf(
  { openRowShard: open, hasRowShard: has, readRowShard: read }: Stores,
  { clock, prng }: Components,
): Checked["rows"] {
  if (read !== undefined) return rowsBeside(read, { clock, prng });
  if (open === undefined || has === undefined) return undefined;
  const shards = new RowShards({ clock, prng, account: DEFAULT_ACCOUNT, open, has });
  return {
    // A shard that is not there is not made.
    check: async (table) =>
      (await has(shardOf(table))) ? checkRowTable(shards, table) : undefined,
    close: () => shards.close(),
  };
}
