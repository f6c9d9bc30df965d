import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { postgresPrograms, startPostgres } from "../../test/support/postgres-server.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");
const GIVE_UP_MS = 60_000;
const SETTINGS = ["shared_buffers=256MB", "work_mem=64MB", "max_connections=80"];

/** A server that speaks PostgreSQL's protocol. */
export interface SqlServer {
  readonly name: string;
  readonly options: string;
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** CPU of all its processes so far, in milliseconds; of sessions too, while they are open. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** `firn serve`, profile `local`, in a process of its own. */
export async function startFirn(dir: string, flags: readonly string[]): Promise<SqlServer> {
  const args = ["serve", "--profile", "local", "--dir", dir, "--port", "0", "--pg-port", "0"];
  const child = spawn(process.execPath, [...flags, BIN, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await portOf(child);
  return {
    name: "firn",
    options: "firn serve, profile local, log synced in groups",
    connection: { host: "127.0.0.1", port, user: "bench", database: "default" },
    cpuMs: () => cpuOf(child.pid ?? 0),
    stop: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Undefined where it is not installed. */
export async function startPeer(): Promise<SqlServer | undefined> {
  const programs = postgresPrograms();
  if (programs === undefined) return undefined;
  const { port, pid, stop } = await startPostgres(programs, { durable: true, settings: SETTINGS });
  return {
    name: "PostgreSQL 15",
    options: `fsync on, ${SETTINGS.join(", ")}`,
    connection: { host: "127.0.0.1", port, user: "postgres", database: "postgres" },
    cpuMs: () => familyOf(pid).reduce((sum, one) => sum + cpuOf(one), 0),
    stop,
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let out = "";
    const timer = setTimeout(() => reject(new Error(`no start: ${out}`)), GIVE_UP_MS);
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const port = /PostgreSQL\s+\S+:(\d+)/.exec(out)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    child.on("exit", (code) => reject(new Error(`no start: it ended with ${code}`)));
  });
}

/** Ticks are hundredths of a second on Linux; 0 without `/proc`. */
function cpuOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

function familyOf(pid: number): readonly number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").trim().split(" "),
    );
    return [pid, ...children.filter((one) => one !== "").map(Number)];
  } catch {
    return [pid];
  }
}
