import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";

/** A server that stands in for AWS, on a port of the loopback interface. */
export interface StandIn {
  readonly name: string;
  readonly url: string;
  /** Of the process that serves. */
  readonly pid: number;
  stop(): Promise<void>;
}

const KEEPER = join(import.meta.dirname, "keeper.ts");
const START_LIMIT_MS = 60_000;
const POLL_MS = 50;
const STOP_LIMIT_MS = 30_000;

export interface StandInCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: a minute. */
  readonly startLimitMs?: number;
}

/**
 * Starts a server on a free port, which `make` builds into its command, and waits until it answers.
 * It ends with this process, however that ends.
 *
 * @throws Error with all that it wrote, when it ends or stays silent instead.
 */
export async function startStandIn(make: (port: number) => StandInCommand): Promise<StandIn> {
  const port = await freePort();
  const { name, command, args, env = {}, startLimitMs = START_LIMIT_MS } = make(port);
  const child = fork(KEEPER, [command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let pid = 0;
  child.once("message", (told) => {
    pid = Number(told);
  });
  let written = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      written = (written + text).slice(-10_000);
    });
  }
  const failure = new Promise<never>((_, reject) => child.on("error", reject));
  const url = `http://127.0.0.1:${port}`;
  const why = () => `${name} does not serve:\n${written}`;
  await Promise.race([answers(url, child, startLimitMs, why), failure]);
  return { name, url, pid, stop: () => stop(child) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function answers(
  url: string,
  child: ChildProcess,
  limitMs: number,
  why: () => string,
): Promise<void> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    // Any answer will do: what is asked for is that somebody listens.
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (child.exitCode !== null || performance.now() > untilMs) {
      child.kill("SIGKILL");
      throw new Error(why());
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  // Its keeper, which ends it when nobody is left to ask for it.
  const timer = setTimeout(() => child.disconnect(), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
