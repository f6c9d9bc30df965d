import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresWire } from "./postgres-wire.ts";

const MAJOR = 15;

/** A PostgreSQL of its own folder and port, for a test or a generator. */
export interface PostgresServer {
  readonly port: number;
  /** Its first process. */
  readonly pid: number;
  connect(): Promise<PostgresWire>;
  stop(): Promise<void>;
}

/** Where the programs of PostgreSQL 15 are; nothing where it is not installed. */
export function postgresPrograms(): string | undefined {
  const folders = [`/usr/lib/postgresql/${MAJOR}/bin`, `/usr/pgsql-${MAJOR}/bin`];
  const known = folders.find((folder) => existsSync(join(folder, "postgres")));
  if (known !== undefined) return known;
  try {
    const folder = execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim();
    const version = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
    return version.includes(` ${MAJOR}.`) ? folder : undefined;
  } catch {
    return undefined;
  }
}

export interface PostgresOptions {
  /** Whether commits are synced: not where only answers count. */
  readonly durable?: boolean;
  /** Such as `work_mem=64MB`. */
  readonly settings?: readonly string[];
}

/** Starts PostgreSQL on a temporary folder. It refuses root, who hands it to `postgres`. */
export async function startPostgres(
  programs: string,
  { durable = false, settings: given = [] }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const run = { ...user, cwd: folder, stdio: "ignore" as const };
  const settings = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N"];
  await ended(spawn(join(programs, "initdb"), ["-D", data, ...settings], run), "initdb");
  const port = await freePort();
  const server = spawn(
    join(programs, "postgres"),
    [
      ...["-D", data, "-p", String(port), "-k", folder, "-h", "127.0.0.1"],
      // Where only answers count: `pg_stats` has what a statement analysed, and nothing by chance.
      ...(durable ? [] : ["-F", "-c", "autovacuum=off"]),
      ...given.flatMap((setting) => ["-c", setting]),
    ],
    run,
  );
  const connect = (): Promise<PostgresWire> => PostgresWire.connect(port);
  const stop = async (): Promise<void> => {
    const end = ended(server, "postgres");
    server.kill("SIGINT");
    await end.catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; ; attempt++) {
    try {
      (await connect()).close();
      return { port, pid: server.pid ?? 0, connect, stop };
    } catch (error) {
      if (attempt === 200 || server.exitCode !== null) {
        await stop();
        throw error;
      }
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}

function ended(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resume, fail) => {
    child.on("error", fail);
    child.on("exit", (code) => (code === 0 ? resume() : fail(new Error(`${name} ended: ${code}`))));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resume, fail) => {
    const probe = createServer();
    probe.on("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resume(typeof address === "object" && address ? address.port : 0));
    });
  });
}
