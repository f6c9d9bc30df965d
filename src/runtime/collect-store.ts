import { noShard } from "../lsm/tools.ts";
import type { GcAnswer } from "../service/gc/now.ts";
import { compose } from "./compose.ts";
import { hasShard } from "./local-shard.ts";
import type { Settings } from "./settings.ts";
import { SYSTEM_SHARD } from "./shard-parts.ts";
import type { Components } from "./stores.ts";

/**
 * Collects garbage in the stores that the settings name, or says what would go. On profiles `local`
 * and `bucket` this process becomes their owner for as long as it takes; other jobs stay as they
 * are.
 *
 * @throws FirnError `Unavailable`, code `LSM_OWNED`: a server has them open; `NotFound`, code
 *   `LSM_NO_SHARD`; what makes the stores of the profile unusable; as `collectNow`.
 */
export async function collectStores(
  settings: Settings,
  components: Components,
  force: boolean,
): Promise<GcAnswer> {
  const { profile, dir } = settings;
  if (profile === "memory") throw noShard(`profile ${profile}`);
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  const composition = await compose(settings, { ...components, isIdle: true });
  try {
    return await composition.collect(force, new AbortController().signal);
  } finally {
    await composition.close();
  }
}
