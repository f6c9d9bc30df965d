import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./tools.ts";

const START_LIMIT_MS = 20_000;
const POLL_MS = 50;

/** One question to the server that `npm start` runs, and what the answer must hold. */
interface Probe {
  readonly path: string;
  readonly holds: (body: unknown) => boolean;
}

const PROBES: readonly Probe[] = [
  { path: "/livez", holds: () => true },
  {
    path: "/iceberg/v1/config",
    holds: (body) =>
      typeof body === "object" && body !== null && "endpoints" in body && "overrides" in body,
  },
  {
    path: "/iceberg/v1/default/namespaces",
    holds: (body) => typeof body === "object" && body !== null && "namespaces" in body,
  },
];

/** `npm start` prints its port for people; here one that was free a moment ago is simpler. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function untilAlive(url: string): Promise<boolean> {
  const deadlineMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    try {
      if ((await fetch(`${url}/livez`)).ok) return true;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** @throws Error where a process group is still there long after it was told to end. */
async function untilGone(group: number): Promise<void> {
  const deadlineMs = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      process.kill(group, 0);
    } catch {
      return;
    }
    if (performance.now() > deadlineMs) throw new Error("the server does not end");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function ask(url: string, { path, holds }: Probe): Promise<boolean> {
  const response = await fetch(url + path);
  const text = await response.text();
  const json = (response.headers.get("content-type") ?? "").includes("json");
  const good = response.ok && holds(json ? JSON.parse(text) : text);
  console.log(`${good ? "passed" : "failed"}   ${path} ${response.status}`);
  if (!good) console.log(text.slice(0, 1_000));
  return good;
}

/** `npm start` exactly as the README says it, on a port of its own; then SIGTERM must end it. */
async function main(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "firn-start-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn("npm", ["start", "--silent"], {
    cwd: ROOT,
    env: { ...process.env, FIRN_PORT: String(port), FIRN_DIR: directory },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const ended = once(child, "exit");
  const startedMs = performance.now();
  const alive = await untilAlive(url);
  console.log(`npm start to the first /livez: ${Math.round(performance.now() - startedMs)} ms`);
  let passed = 0;
  for (const probe of alive ? PROBES : []) passed += Number(await ask(url, probe));
  // The group, since npm stands between.
  if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  await ended;
  // npm may go before the server, which still gives its directory back.
  if (child.pid !== undefined) await untilGone(-child.pid);
  await rm(directory, { recursive: true, force: true });
  console.log(`\n${passed} passed, ${PROBES.length - passed} failed, 0 skipped`);
  return passed === PROBES.length ? 0 : 1;
}

process.exitCode = await main();
