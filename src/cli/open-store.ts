import type { Fetch } from "../client/client.ts";
import { describe } from "../http/failure.ts";
import { noShard } from "../lsm/tools.ts";
import { SystemClock } from "../runtime/clock.ts";
import { openHousekeeping } from "../runtime/compose.ts";
import { hasShard } from "../runtime/local-shard.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";
import { answerOf } from "../server/embedded.ts";
import { createLogger } from "../server/log.ts";
import { wireServer } from "../server/wire.ts";
import type { Output } from "./output.ts";

export interface OpenedStore {
  readonly fetch: Fetch;
  close(): Promise<void>;
}

/**
 * Serves a store in this process, without a socket: what runs in the background stays off.
 *
 * @throws FirnError `LSM_NO_SHARD`, `LSM_OWNED`; what the stores throw.
 */
export async function openStore(settings: Settings, { printError }: Output): Promise<OpenedStore> {
  const { profile, dir } = settings;
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const { serves, ...opened } = await openHousekeeping(settings, {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: () => undefined,
    warn: (text, facts) => printError(`${describe(text, facts)}\n`),
  });
  const server = wireServer({
    ...serves,
    clock,
    prng,
    log: createLogger("silent", clock),
    ready: async () => {},
    edge: settings,
    maxInFlight: settings.maxInFlight,
  });
  const close = async (): Promise<void> => {
    await server.stop();
    await opened.close();
  };
  return { fetch: (request) => answerOf(server, request), close };
}
