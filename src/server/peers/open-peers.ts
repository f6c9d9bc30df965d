import { networkInterfaces } from "node:os";
import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Composition } from "../../runtime/compose.ts";
import type { Settings } from "../../runtime/settings.ts";
import type { ServerTls } from "../tls.ts";
import { Peers } from "./peers.ts";

type PortSettings = Pick<Settings, "host" | "internalPort" | "internalUrl" | "given">;

/**
 * Listens for the other nodes, where the profile has some and the settings say so, and tells the
 * shards where.
 *
 * @returns undefined where row shards are not shared. Without a port this node still asks others.
 * @throws FirnError `LISTEN_FAILED` where a port that was asked for cannot be taken.
 */
export async function openPeers(
  { host, internalPort, internalUrl, given }: PortSettings,
  { sharedShards: shards, peerKeys: keys, metrics }: Composition,
  {
    clock,
    log,
    tls,
  }: { readonly clock: Clock; readonly log: Logger; readonly tls?: ServerTls | undefined },
): Promise<Peers | undefined> {
  if (shards === undefined) return undefined;
  const peers = new Peers({ shards, keys, clock, metrics, tls });
  if (internalPort === undefined) return peers;
  try {
    const url = await peers.listen(host, internalPort);
    shards.listens(internalUrl ?? reachable(url));
    log.info({ url: shards.self.url }, "listening for other nodes");
    return peers;
  } catch (error) {
    const isTaken = error instanceof FirnError && error.context["reason"] === "EADDRINUSE";
    if (!isTaken || given.includes("internalPort")) {
      await peers.close();
      throw error;
    }
    const message =
      "no other node can call this one: the port is in use; choose another --internal-port";
    log.warn({ port: internalPort }, message);
    return peers;
  }
}

/** An address of this machine in place of one that means all of them. */
function reachable(url: string): string {
  if (!/\/\/(?:0\.0\.0\.0|\[::\]):/.test(url)) return url;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, `//${found?.address ?? "127.0.0.1"}:`);
}
