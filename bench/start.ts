import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTable } from "./report.ts";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "bin", "firn.mjs");
/** A start that takes longer has failed. */
const GIVE_UP_MS = 60_000;

/** What starts the server, and what is in the way of the server's own process. */
const WAYS: Readonly<Record<Way, readonly [string, ...string[]]>> = {
  /** The Node that this bench runs in, which is recent enough. */
  node: [process.execPath, BIN],
  /** One that cannot run it, so that the bundled one does: two processes. */
  bundled: [process.execPath, "--no-experimental-strip-types", BIN],
  npm: ["npm", "start", "--silent", "--"],
  /** Without the cache of compiled code, as the first start of a clone on a machine. */
  uncached: [process.execPath, BIN],
};
type Way = "node" | "bundled" | "npm" | "uncached";

type Profile = "memory" | "local";

/** From the start of the first process to the first answer of `/livez`, in milliseconds. */
export interface StartCell {
  readonly way: Way;
  readonly profile: Profile;
  /** Whether an earlier process had the directory; profile `memory` has none. */
  readonly directory: "fresh" | "used" | "none";
  readonly starts: number;
  readonly medianMs: number;
  readonly p90Ms: number;
  readonly minMs: number;
  /** CPU of the server's process until then, all threads; undefined without `/proc`. */
  readonly cpuMs: number | undefined;
}

interface Started {
  readonly ms: number;
  readonly cpuMs: number | undefined;
}

/** One start, measured to its first answer, and a whole stop. */
async function start(way: Way, profile: Profile, dir: string): Promise<Started> {
  const [command, ...args] = WAYS[way];
  const serve = way === "npm" ? args : [...args, "serve"];
  const began = performance.now();
  const child = spawn(command, [...serve, "--port", "0", "--profile", profile, "--dir", dir], {
    cwd: ROOT,
    env: way === "uncached" ? { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" } : process.env,
    stdio: ["ignore", "pipe", "pipe"],
    // All processes of it, to be ended with it whatever happens.
    detached: true,
  });
  try {
    const { url, pid } = await listening(child);
    const answer = await fetch(`${url}/livez`, { headers: { connection: "close" } });
    await answer.arrayBuffer();
    const ms = performance.now() - began;
    if (answer.status !== 200) throw new Error(`/livez answers ${answer.status}`);
    const measured = { ms, cpuMs: cpuOf(pid) };
    await stop(child, pid);
    return measured;
  } catch (error) {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    throw error;
  }
}

/** Where the server listens, as soon as it says so, and the process that does. */
function listening(child: ChildProcess): Promise<{ url: string; pid: number }> {
  return new Promise((resolve, reject) => {
    let out = "";
    let err = "";
    const failed = (why: string) => reject(new Error(`no start: ${why}\n${err}`));
    const timer = setTimeout(() => failed("it takes too long"), GIVE_UP_MS);
    child.stderr?.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const url = /serves (http:\/\/\S+)/.exec(out)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, pid: serverOf(child.pid ?? 0) });
    });
    child.on("error", reject);
    child.on("exit", (code) => failed(`it ended with ${code}`));
  });
}

/** The last of a chain of processes that each started one: the server itself. */
function serverOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    const [only] = children.split(" ");
    return only === undefined || only === "" ? pid : serverOf(Number(only));
  } catch {
    return pid;
  }
}

/** User and system time of a process so far; ticks are hundredths of a second on Linux. */
function cpuOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

async function stop(child: ChildProcess, pid: number): Promise<void> {
  const ended = new Promise((resolve) => child.once("close", resolve));
  process.kill(pid, "SIGTERM");
  await ended;
}

class Samples {
  readonly #started: Started[] = [];

  add(started: Started): void {
    this.#started.push(started);
  }

  cell(): Omit<StartCell, "way" | "profile" | "directory"> {
    const ms = this.#started.map((each) => each.ms).toSorted((a, b) => a - b);
    const cpu = this.#started.flatMap(({ cpuMs }) => cpuMs ?? []).toSorted((a, b) => a - b);
    return {
      starts: ms.length,
      medianMs: at(ms, 0.5),
      p90Ms: at(ms, 0.9),
      minMs: at(ms, 0),
      cpuMs: cpu.length === 0 ? undefined : at(cpu, 0.5),
    };
  }
}

function at(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

/** Every way and profile by turns, so that what else the machine does hits all of them. */
export async function benchStart({ smoke }: { readonly smoke: boolean }): Promise<StartCell[]> {
  const rounds = smoke ? 1 : 20;
  const samples = new Map<string, Samples>();
  const keep = async (way: Way, profile: Profile, directory: string, dir: string) => {
    const started = await start(way, profile, dir);
    const key = `${way} ${profile} ${directory}`;
    const those = samples.get(key) ?? new Samples();
    those.add(started);
    samples.set(key, those);
  };
  const scratch = mkdtempSync(join(tmpdir(), "firn-bench-start-"));
  try {
    // Fills the cache of compiled code, as any first start on a machine does.
    await start("bundled", "local", join(scratch, "warm"));
    for (let round = 0; round < rounds; round++) {
      const dir = join(scratch, `${round}`);
      await keep("uncached", "memory", "none", dir);
      await keep("node", "memory", "none", dir);
      await keep("node", "local", "fresh", join(dir, "node"));
      await keep("node", "local", "used", join(dir, "node"));
      await keep("bundled", "local", "used", join(dir, "node"));
      await keep("npm", "local", "fresh", join(dir, "npm"));
      await keep("npm", "local", "used", join(dir, "npm"));
      rmSync(dir, { recursive: true, force: true });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const cells = [...samples].map(([key, those]): StartCell => {
    const [way, profile, directory] = key.split(" ");
    return {
      way: way as Way,
      profile: profile as Profile,
      directory: directory as StartCell["directory"],
      ...those.cell(),
    };
  });
  console.log(show(cells));
  return cells;
}

function show(cells: readonly StartCell[]): string {
  const rows = cells.map((cell) => [
    `${cell.way}, ${cell.profile}, ${cell.directory}`,
    ...[cell.medianMs, cell.p90Ms, cell.minMs, cell.cpuMs ?? "-"].map(String),
  ]);
  return formatTable(["start to /livez, ms", "median", "p90", "least", "CPU"], rows);
}
