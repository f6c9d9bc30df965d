import { existsSync } from "node:fs";
import { FirnError } from "../base/error.ts";
import { OperatorClient } from "../http/admin/client.ts";
import type { Housekeeping } from "../http/admin/housekeeping.ts";
import type { KeyAdmin } from "../http/admin/key-admin.ts";
import { describe } from "../http/failure.ts";
import { noShard } from "../lsm/tools.ts";
import { abortAfter, SystemClock } from "../runtime/clock.ts";
import { openHousekeeping } from "../runtime/compose.ts";
import { hasShard } from "../runtime/local-shard.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { operatorSocket } from "../runtime/operator-place.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";
import type { JobInfo } from "../service/jobs-admin.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";

/** What operators ask of a store: of the server that owns it, or of the store itself. */
export interface OwnerPlace {
  readonly housekeeping: Housekeeping;
  readonly keyAdmin: KeyAdmin;
  /** Where this process is to run a job, since no server does. */
  readonly runJob?: (id: string) => Promise<JobInfo | undefined>;
  readonly close: () => Promise<void>;
}

/**
 * A running server, named or found by its directory; else the store, which this process opens.
 *
 * @throws FirnError `Invalid` `NO_STORE`; `NotFound` `LSM_NO_SHARD`; `Unavailable` `LSM_OWNED`; as
 *   `operatorTarget`; what the stores throw.
 */
export async function openOwnerPlace(at: ServerAt | Settings, output: Output): Promise<OwnerPlace> {
  if ("server" in at) return serverPlace(at);
  const { profile, dir } = at;
  if (profile === "memory") {
    const message = "profile memory exists only in its server: name that with --server";
    throw new FirnError("Invalid", "NO_STORE", message);
  }
  if (profile !== "aws" && existsSync(operatorSocket(dir))) {
    const server = await serverPlace({ server: dir, dir });
    if (await answers(server)) return server;
  }
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  return openStore(at, output);
}

/** Tells why a line failed that an owner was asked for. */
export function printOwnerFailure({ message, context, code }: FirnError, output: Output): void {
  output.printError(`firn: ${describe(message, context)} [${code}]\n`);
  if (code === "LSM_OWNED") {
    output.printError("A running server owns the store: name it with --server URL --dir DIR\n");
  }
}

/** A socket that a killed server left answers nothing. */
async function answers({ housekeeping }: OwnerPlace): Promise<boolean> {
  try {
    await housekeeping.jobs({});
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === "OPERATOR_UNREACHABLE") return false;
    throw error;
  }
}

async function serverPlace(at: ServerAt): Promise<OwnerPlace> {
  const client = new OperatorClient(await operatorTarget(at), SYSTEM_SHARD, abortAfter);
  return { housekeeping: client, keyAdmin: client, close: async () => {} };
}

function openStore(settings: Settings, { printError }: Output): Promise<OwnerPlace> {
  const prng = new SystemPrng();
  return openHousekeeping(settings, {
    clock: new SystemClock(),
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: () => undefined,
    warn: (text, facts) => printError(`${describe(text, facts)}\n`),
  });
}
