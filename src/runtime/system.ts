import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import type { NodeIdentity } from "../lsm/index.ts";
import { SystemClock } from "./clock.ts";
import { nodeIdentity } from "./node-identity.ts";
import { SystemPrng } from "./prng.ts";

/** What an engine takes from the machine that it runs on. */
export interface SystemParts {
  readonly clock: Clock;
  readonly prng: Prng;
  /** This process, as the owner of shards. */
  readonly node: NodeIdentity;
}

/**
 * Clock, randomness and identity of this process, for a program that embeds the engine.
 *
 * @param options `oneHost`: the shards lie on a disk of this machine, so that an owner of an
 *   earlier boot is dead. True if absent; false for a bucket.
 */
export function systemParts(options: { readonly oneHost?: boolean } = {}): SystemParts {
  const { oneHost = true } = options;
  const prng = new SystemPrng();
  return { clock: new SystemClock(), prng, node: nodeIdentity({ prng, oneHost }) };
}
