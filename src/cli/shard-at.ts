import { SystemClock } from "../runtime/clock.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { openShardSite, type ShardSite } from "../runtime/shard-site.ts";
import type { Output } from "./output.ts";

/** The shard that settings name, for this process. @throws FirnError as `openShardSite`. */
export function openSite(settings: Settings, shard: string, output: Output): Promise<ShardSite> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  return openShardSite(settings, shard, {
    ...{ clock, prng, nodeId: mintNodeId(prng), onDefect: () => undefined },
    notify: (text) => output.printError(`${text}\n`),
  });
}
