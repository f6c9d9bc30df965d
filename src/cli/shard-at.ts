import { SystemClock } from "../runtime/clock.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { openShardHandle, type ShardHandle } from "../runtime/shard-handle.ts";
import type { Output } from "./output.ts";

/** The shard that settings name, for this process. @throws FirnError as `openShardHandle`. */
export function openShard(settings: Settings, shard: string, output: Output): Promise<ShardHandle> {
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  return openShardHandle(settings, shard, {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: (text) => output.printError(`${text}\n`),
  });
}
