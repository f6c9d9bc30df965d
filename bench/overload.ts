import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleepFor } from "node:timers/promises";
import { startServer } from "../test/clients/server-process.ts";
import { BenchClient } from "./client.ts";
import { percentile } from "./driver.ts";
import { formatTable } from "./report.ts";
import { type OwnTable, Target } from "./target.ts";

/** As many clients as make the most of the server, and four times what it lets in at once. */
const PEAK_CLIENTS = 64;
const OVERLOAD_CLIENTS = 4 * 128;
/** What `Retry-After` says. */
const RETRY_MS = 1_000;
const RECOVERY_LIMIT_MS = 10_000;
const RECOVERY_WINDOW_MS = 500;

/** One load's figures; latencies in milliseconds, as clients saw them. */
export interface OverloadFigures {
  readonly operation: string;
  readonly peakPerSecond: number;
  readonly goodputPerSecond: number;
  readonly acceptedP99Ms: number;
  readonly shed: number;
  readonly shedP50Ms: number;
  readonly shedP99Ms: number;
  readonly recoveryMs: number;
  readonly errors: number;
}

interface Run {
  readonly accepted: number[];
  readonly shed: number[];
  errors: number;
  readonly perSecond: number;
}

type Send = (client: number) => Promise<number>;

/** Clients in a closed loop; who is refused comes back when the server says. */
async function drive(clients: number, ms: number, send: Send): Promise<Run> {
  const run = { accepted: [] as number[], shed: [] as number[], errors: 0 };
  const untilMs = performance.now() + ms;
  const client = async (id: number): Promise<void> => {
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      const status = await send(id).catch(() => 0);
      const tookMs = performance.now() - startedMs;
      if (status === 429) {
        run.shed.push(tookMs);
        await sleepFor(Math.min(RETRY_MS, Math.max(0, untilMs - performance.now())));
      } else if (status >= 200 && status < 300) run.accepted.push(tookMs);
      else run.errors++;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
  run.accepted.sort((a, b) => a - b);
  run.shed.sort((a, b) => a - b);
  return { ...run, perSecond: (run.accepted.length / ms) * 1_000 };
}

async function measure(operation: string, send: Send, ms: number): Promise<OverloadFigures> {
  await drive(PEAK_CLIENTS, ms / 2, send);
  const peak = await drive(PEAK_CLIENTS, ms, send);
  const over = await drive(OVERLOAD_CLIENTS, 2 * ms, send);
  const endedMs = performance.now();
  let recoveryMs = Number.POSITIVE_INFINITY;
  while (performance.now() - endedMs < RECOVERY_LIMIT_MS) {
    const { perSecond } = await drive(PEAK_CLIENTS, RECOVERY_WINDOW_MS, send);
    if (perSecond < 0.9 * peak.perSecond) continue;
    recoveryMs = performance.now() - endedMs;
    break;
  }
  return {
    ...{ operation, peakPerSecond: peak.perSecond, goodputPerSecond: over.perSecond },
    ...{ acceptedP99Ms: percentile(over.accepted, 0.99), shed: over.shed.length },
    ...{ shedP50Ms: percentile(over.shed, 0.5), shedP99Ms: percentile(over.shed, 0.99) },
    ...{ recoveryMs, errors: peak.errors + over.errors },
  };
}

/** Loads and commits at their peak, at four times what is let in at once, and after it. */
export async function benchOverload(smoke: boolean): Promise<readonly OverloadFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), "firn-overload-"));
  const server = await startServer(directory, ["--profile", "memory", "--log-level", "warn"]);
  const target = new Target("firn", server, "/iceberg/v1");
  const client = new BenchClient(server.url, OVERLOAD_CLIENTS);
  try {
    await target.createNamespace("ns");
    const tables: OwnTable[] = [];
    for (let i = 0; i < OVERLOAD_CLIENTS; i++) tables.push(await target.createTable("ns", `t${i}`));
    const path = (id: number) => `${target.tables("ns")}/t${id}`;
    let count = 0;
    const commit = () =>
      `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"${count++}"}}]}`;
    const loads = async (id: number) => (await client.exchange("GET", path(id))).status;
    const commits = async (id: number) =>
      (await client.exchange("POST", path(id), commit())).status;
    const ms = smoke ? 500 : 4_000;
    const figures = [await measure("load", loads, ms), await measure("commit", commits, ms)];
    console.log(shown(figures));
    return figures;
  } finally {
    client.close();
    target.client.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function shown(figures: readonly OverloadFigures[]): string {
  const header = ["operation", "peak/s", "goodput/s", "of peak", "p99 ms", "shed"];
  const more = ["shed p50 ms", "shed p99 ms", "recovery ms", "errors"];
  const rows = figures.map((each) => [
    ...[each.operation, each.peakPerSecond.toFixed(0), each.goodputPerSecond.toFixed(0)],
    ...[`${((100 * each.goodputPerSecond) / each.peakPerSecond).toFixed(0)} %`],
    ...[each.acceptedP99Ms.toFixed(0), String(each.shed), each.shedP50Ms.toFixed(1)],
    ...[each.shedP99Ms.toFixed(1), each.recoveryMs.toFixed(0), String(each.errors)],
  ]);
  return formatTable([...header, ...more], rows);
}
