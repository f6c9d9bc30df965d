import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SystemClock } from "../../src/runtime/clock.ts";
import { readOptions } from "../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { requireSettings } from "../../src/runtime/read-settings.ts";
import { openEmbedded } from "../../src/server/embedded.ts";
import { ADMIN_KEY } from "./clocked-server.ts";

/** A server that asks for credentials, over files of this machine. */
export interface GuardedServer {
  readonly url: string;
  /** The first administrator's. */
  readonly key: string;
  close(): Promise<void>;
}

/** @param tokenLifeMs shorter than any setting: tokens end in the middle of a client's session. */
export async function openGuardedServer(tokenLifeMs: number): Promise<GuardedServer> {
  const dir = await mkdtemp(join(tmpdir(), "firn-guarded-"));
  const options = {
    profile: "memory",
    dir,
    logLevel: "silent",
    auth: "required",
    bootstrapKey: ADMIN_KEY,
    listen: { port: 0 },
  } as const;
  const settings = requireSettings(readOptions(options, process.cwd()));
  const parts = { clock: new SystemClock(), prng: new SystemPrng(), listens: true };
  const embedded = await openEmbedded({ ...settings, tokenLifetime: tokenLifeMs }, parts);
  return {
    url: embedded.url ?? "",
    key: ADMIN_KEY,
    close: async () => {
      await embedded.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
