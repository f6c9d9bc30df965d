import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../clients/server-process.ts";
import { query, WireClient } from "./wire-client.ts";

const CONNECTIONS = 5_000;
/** At once: a listener has a queue of so many. */
const AT_ONCE = 100;
const MOST_BYTES_EACH = 100_000;
const MOST_FILES = Number(execFileSync("bash", ["-c", "ulimit -n"], { encoding: "utf8" }));

/** What a process has in memory. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

// Both ends of each connection are files, one in each process.
it.skipIf(process.platform !== "linux" || MOST_FILES < CONNECTIONS + 500)(
  "5,000 idle sessions take at most 100 KB each, and answer when they are asked",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "firn-idle-"));
    const clients: WireClient[] = [];
    const server = await startServer(directory, ["--pg-port", "0", "--log-level", "warn"]);
    const port = server.postgresPort as number;
    const open = async (): Promise<void> => {
      const client = new WireClient(port);
      clients.push(client);
      expect((await client.start()).at(-1)?.type).toBe("Z");
    };
    const ask = async (client: WireClient): Promise<string> => {
      client.send(query("select 1"));
      return await client.types();
    };
    try {
      // The first ones load what a session needs.
      await Promise.all(Array.from({ length: AT_ONCE }, open));
      await Promise.all(clients.map(ask));
      const before = await residentBytes(server.pid);
      while (clients.length < CONNECTIONS) await Promise.all(Array.from({ length: AT_ONCE }, open));
      const each = ((await residentBytes(server.pid)) - before) / (CONNECTIONS - AT_ONCE);
      process.stdout.write(`${Math.round(each / 1_000)} KB for each of ${CONNECTIONS} sessions\n`);
      expect(each).toBeLessThan(MOST_BYTES_EACH);
      const some = clients.filter((_client, i) => i % 50 === 0);
      expect(new Set(await Promise.all(some.map(ask)))).toEqual(new Set(["TDCZ"]));
    } finally {
      for (const client of clients) client.destroy();
      expect(await server.stop()).toBe(0);
      await rm(directory, { recursive: true, force: true });
    }
  },
  300_000,
);
