import { existsSync } from "node:fs";
import { FirnError } from "../base/error.ts";
import { OperatorClient } from "../http/admin/client.ts";
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
import { exitCodeOf } from "./exit-codes.ts";
import { timeText } from "./housekeeping-text.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";

/** A line of `firn keys` or `firn access reset-admin`, as it was understood. */
export type KeysCommand = {
  /** A running server; or the store that settings name, with the deployment's secret. */
  readonly at: ServerAt | Settings;
  readonly json: boolean;
} & (
  | { readonly command: "list" | "rotate" }
  | { readonly command: "reset-admin"; readonly name: string; readonly keepsKeys: boolean }
);

interface Place {
  readonly keys: KeyAdmin;
  close(): Promise<void>;
}

/** Asks a server, or opens the store that no server owns. @returns the exit code. */
export async function keys(line: KeysCommand, output: Output): Promise<number> {
  try {
    const place = await placeAt(line.at, output);
    try {
      await run(line, place.keys, output);
      return 0;
    } finally {
      await place.close();
    }
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    if (error.code === "LSM_OWNED") {
      output.printError("A running server owns the store: name it with --server URL --dir DIR\n");
    }
    return exitCodeOf(error.kind);
  }
}

async function run(line: KeysCommand, keys: KeyAdmin, { print }: Output): Promise<void> {
  const { json } = line;
  switch (line.command) {
    case "list": {
      for (const each of await keys.signingKeys()) {
        const { kid, state, signsFromMs } = each;
        print(
          json
            ? `${JSON.stringify(each)}\n`
            : `${kid}  ${state.padEnd(10)}  signs from ${timeText(signsFromMs)}\n`,
        );
      }
      return;
    }
    case "rotate": {
      const made = await keys.rotateSigningKeys();
      const text = `key ${made.kid} signs from ${timeText(made.signsFromMs)}\n`;
      print(json ? `${JSON.stringify(made)}\n` : text);
      return;
    }
    case "reset-admin": {
      const made = await keys.resetAdmin(line.name, line.keepsKeys);
      const { principal, key, ended } = made;
      const gone = ended.length === 0 ? "" : `ended: ${ended.join(" ")}\n`;
      const text = `key of ${principal}, shown once: ${key}\n${gone}`;
      print(json ? `${JSON.stringify(made)}\n` : text);
      return;
    }
  }
}

async function placeAt(at: KeysCommand["at"], output: Output): Promise<Place> {
  if ("server" in at) return clientOf(at);
  const { profile, dir } = at;
  if (profile === "memory") {
    const message = "profile memory exists only in its server: name that with --server";
    throw new FirnError("Invalid", "NO_STORE", message);
  }
  if (profile !== "aws" && existsSync(operatorSocket(dir))) {
    const server = await clientOf({ server: dir, dir });
    if (await answers(server.keys)) return server;
  }
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  return openStore(at, output);
}

/** A socket that a killed server left answers nothing. */
async function answers(keys: KeyAdmin): Promise<boolean> {
  try {
    await keys.signingKeys();
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.code === "OPERATOR_UNREACHABLE") return false;
    throw error;
  }
}

async function clientOf(at: ServerAt): Promise<Place> {
  const keys = new OperatorClient(await operatorTarget(at), SYSTEM_SHARD, abortAfter);
  return { keys, close: async () => {} };
}

async function openStore(settings: Settings, { printError }: Output): Promise<Place> {
  const prng = new SystemPrng();
  const { keyAdmin, close } = await openHousekeeping(settings, {
    clock: new SystemClock(),
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: () => undefined,
    warn: (text, facts) => printError(`${describe(text, facts)}\n`),
  });
  return { keys: keyAdmin, close };
}
