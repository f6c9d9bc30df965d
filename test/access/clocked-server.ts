import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../../src/runtime/open-settings.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { requireSettings } from "../../src/runtime/read-settings.ts";
import { openEmbedded } from "../../src/server/embedded.ts";
import { TestClock } from "../../src/testing/test-clock.ts";

/** The key of the first administrator. */
export const ADMIN_KEY: string = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;

/** A server that asks for credentials, whose time its clients can move on. */
export interface ClockedServer {
  readonly url: string;
  /** `POST CLOCK?ms=N` moves the time on. */
  readonly clockUrl: string;
  close(): Promise<void>;
}

export async function openClockedServer(options: object = {}): Promise<ClockedServer> {
  const dir = await mkdtemp(join(tmpdir(), "firn-access-"));
  const clock = new TestClock(Date.now());
  const given = {
    profile: "memory",
    dir,
    logLevel: "silent",
    auth: "required",
    bootstrapKey: ADMIN_KEY,
    tokenLifetime: "5m",
    listen: { port: 0 },
    ...options,
  };
  const settings = requireSettings(readOptions(given, process.cwd()));
  const embedded = await openEmbedded(settings, { clock, prng: new SystemPrng(), listens: true });
  const control = createServer((request, response) => {
    clock.advance(Number(new URL(request.url ?? "", "http://control").searchParams.get("ms")));
    response.end();
  });
  control.listen(0, "127.0.0.1");
  await once(control, "listening");
  return {
    url: embedded.url ?? "",
    clockUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`,
    close: async () => {
      control.closeAllConnections();
      control.close();
      await embedded.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
