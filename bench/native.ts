import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startServer } from "../test/clients/server-process.ts";
import { BenchClient } from "./client.ts";
import { cpuMs, median, settled } from "./driver.ts";
import { SCHEMA } from "./history.ts";
import { formatTable } from "./report.ts";

/*
 * The native API, over memory and over a directory, against fastify's bare route with the same
 * bytes: what its checks, the catalog and the rendering cost on top of HTTP. Processor time of the
 * servers, by turns.
 */

const API = "/api/v1/catalogs/default/namespaces/a/tables";
const LISTED = 100;
const CLIENTS = 16;
const PROFILES = ["memory", "local"] as const;

export interface NativeOptions {
  readonly smoke: boolean;
}

export interface NativeCell {
  readonly name: string;
  readonly bytes: number;
  readonly firnCpuMs: number;
  readonly bareCpuMs: number;
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

interface Route {
  readonly name: string;
  readonly path: string;
  readonly goal: number;
}

const ROUTES: readonly Route[] = [
  { name: "get a table", path: `${API}/t000`, goal: 2.5 },
  { name: `list ${LISTED} tables`, path: `${API}?pageSize=${LISTED}`, goal: 3 },
];

/** A process that answers two paths with given bytes. */
async function startBare(bodies: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ["bench/peer/bare-route.ts"], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(bodies));
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url: String(url), pid: child.pid ?? 0, stop };
}

export async function benchNative({ smoke }: NativeOptions): Promise<readonly NativeCell[]> {
  const cells: NativeCell[] = [];
  for (const profile of PROFILES) cells.push(...(await benchProfile(profile, smoke)));
  console.log(show(cells));
  return cells;
}

async function benchProfile(profile: string, smoke: boolean): Promise<readonly NativeCell[]> {
  const directory = await mkdtemp(join(tmpdir(), "firn-bench-"));
  const server = await startServer(directory, ["--profile", profile, "--log-level", "error"]);
  const client = new BenchClient(server.url, CLIENTS);
  await client.send("POST", "/iceberg/v1/default/namespaces", '{"namespace":["a"]}');
  for (let i = 0; i < LISTED; i++) {
    const body = JSON.stringify({ name: `t${String(i).padStart(3, "0")}`, schema: SCHEMA });
    await client.send("POST", "/iceberg/v1/default/namespaces/a/tables", body);
  }
  const bodies: Record<string, string> = {};
  for (const { path } of ROUTES) bodies[path] = await client.send("GET", path);
  const bare = await startBare(bodies);
  const other = new BenchClient(bare.url, CLIENTS);
  const cells: NativeCell[] = [];
  // The kernel counts in steps of 10 ms: 8 % of a round of the cheapest side.
  const [rounds, requests, warmUp] = smoke ? [1, 50, 50] : [7, 10_000, 2_000];
  try {
    for (const { name, path, goal } of ROUTES) {
      const sides = [
        { client, pid: server.pid, cpu: [] as number[] },
        { client: other, pid: bare.pid, cpu: [] as number[] },
      ] as const;
      for (const side of sides) await ask(side.client, path, warmUp);
      for (let round = 0; round < rounds; round++) {
        for (const side of sides) {
          await settled(side.pid);
          const before = cpuMs(side.pid);
          await ask(side.client, path, requests);
          side.cpu.push((cpuMs(side.pid) - before) / requests);
        }
      }
      const [firnCpuMs, bareCpuMs] = [median(sides[0].cpu), median(sides[1].cpu)];
      // Of the two sides of a round: what else the machine does then weighs on both.
      const ratio = median(sides[0].cpu.map((ms, i) => ms / (sides[1].cpu[i] ?? Number.NaN)));
      const bytes = Buffer.byteLength(bodies[path] ?? "");
      const met = ratio <= goal;
      cells.push({ name: `${name}, ${profile}`, bytes, firnCpuMs, bareCpuMs, ratio, goal, met });
    }
  } finally {
    client.close();
    other.close();
    await server.stop();
    await bare.stop();
    await rm(directory, { recursive: true, force: true });
  }
  return cells;
}

async function ask(client: BenchClient, path: string, requests: number): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next++ < requests) await client.drain("GET", path);
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
}

function show(cells: readonly NativeCell[]): string {
  const header = ["ms of processor time", "bytes", "firn", "bare route", "ratio", "goal", ""];
  const rows = cells.map(({ name, bytes, firnCpuMs, bareCpuMs, ratio, goal, met }) => [
    name,
    String(bytes),
    firnCpuMs.toFixed(3),
    bareCpuMs.toFixed(3),
    ratio.toFixed(2),
    `≤ ${goal}`,
    met ? "met" : "MISSED",
  ]);
  return `\n${formatTable(header, rows)}`;
}
