import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const START_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 40_000;

/** A server of this checkout in a process of its own, as users run it. */
export interface ServerProcess {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string;
  /** Where it listens for PostgreSQL's protocol, on the same address; absent where it does not. */
  readonly postgresPort?: number;
  /** Of the process that serves: what `/proc` counts for it is the server's own. */
  readonly pid: number;
  /** From the spawn to the line that names the URL, in milliseconds. */
  readonly bannerMs: number;
  /** Asks it to stop, and insists when it does not; answers its exit code. */
  stop(): Promise<number | null>;
  /** Ends it without a word, as a crash does; resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts `firn serve` on a free port over a directory of its own, and waits for the line that names
 * its URL. The running Node is passed on, so that no launcher stands between. `env`: on top of the
 * caller's own, whose settings are left out.
 *
 * @throws Error with all that the server wrote, when it ends or stays silent instead.
 */
export async function startServer(
  directory: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const startedMs = performance.now();
  const child = spawnServer(directory, flags, { env });
  const announced = await announcement(child);
  const bannerMs = performance.now() - startedMs;
  if (child.pid === undefined) throw new Error("the server has no process id");
  const ends = { stop: () => stop(child), kill: () => kill(child) };
  return { ...announced, pid: child.pid, bannerMs, ...ends };
}

/** The process alone, for those who do not wait until it serves; as another user, say. */
export function spawnServer(
  directory: string,
  flags: readonly string[] = [],
  { env, ...as }: SpawnOptions = {},
): ChildProcess {
  const args = ["bin/firn.mjs", "serve", "--port", "0", "--dir", directory, ...flags];
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...as,
  });
}

/** Ends a process by SIGKILL; resolves when it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** The caller's own settings must not leak into a server that a test measures. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("FIRN_")));
}

/** What the banner says, which comes as one piece. */
function announcement(child: ChildProcess): Promise<Pick<ServerProcess, "url" | "postgresPort">> {
  return new Promise((resolve, reject) => {
    let written = "";
    let banner = "";
    let settled = false;
    const fail = (why: string): void => {
      if (settled) return;
      settled = true;
      child.kill("SIGKILL");
      reject(new Error(`${why}; it wrote:\n${written}`));
    };
    const timer = setTimeout(() => fail("the server named no URL in time"), START_LIMIT_MS);
    const look = (chunk: Buffer): void => {
      if (settled) return;
      // Its log, on the other stream, may name other URLs before.
      banner += chunk.toString("utf8");
      written += chunk.toString("utf8");
      const found = /https?:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(banner)?.[0];
      if (found === undefined) return;
      settled = true;
      clearTimeout(timer);
      const port = /postgresql:\/\/127\.0\.0\.1:(\d+)/.exec(banner)?.[1];
      resolve({ url: found, ...(port !== undefined && { postgresPort: Number(port) }) });
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", (chunk: Buffer) => {
      if (!settled) written += chunk.toString("utf8");
    });
    child.on("error", (error) => fail(`the server cannot be started: ${error.message}`));
    child.on("exit", (code) => fail(`the server ended with exit code ${code}`));
    child.on("exit", () => clearTimeout(timer));
  });
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
  return child.exitCode;
}
