import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleepFor } from "node:timers/promises";
import { startServer } from "../test/clients/server-process.ts";
import { BenchClient } from "./client.ts";
import { cpuMs, percentile } from "./driver.ts";
import { judge, type OverloadFigures } from "./overload-goals.ts";
import { formatTable } from "./report.ts";
import { Target } from "./target.ts";

/** As many clients as make the most of the server, and four times what it lets in at once. */
const PEAK_CLIENTS = 64;
const OVERLOAD_CLIENTS = 4 * 128;
/** All of them in turn, whoever asks: few clients find no warmer caches than many. */
const TABLES = 512;
/** What `Retry-After` says, and the part of it that clients add, not to come back all at once. */
const RETRY_MS = 1_000;
const RETRY_JITTER = 0.5;
const ROUNDS = 5;
const RECOVERY_LIMIT_MS = 20_000;
const RECOVERY_WINDOW_MS = 500;

interface Run {
  readonly accepted: number[];
  readonly shed: number[];
  readonly errors: number;
  readonly perSecond: number;
  /** Processor time of the server for each that was accepted. */
  readonly cpuMs: number;
}

/** What is asked of the server, and whose processor time counts. */
interface Load {
  readonly operation: string;
  readonly serverPid: number;
  /** @returns the status of the answer. */
  readonly send: () => Promise<number>;
}

/** Clients in a closed loop; who is refused comes back when the server says, or a little later. */
async function drive(clients: number, ms: number, { send, serverPid }: Load): Promise<Run> {
  const accepted: number[] = [];
  const shed: number[] = [];
  let errors = 0;
  const beforeMs = cpuMs(serverPid);
  const untilMs = performance.now() + ms;
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      const status = await send().catch(() => 0);
      const tookMs = performance.now() - startedMs;
      if (status === 429) {
        shed.push(tookMs);
        const waitMs = RETRY_MS * (1 + RETRY_JITTER * Math.random());
        await sleepFor(Math.min(waitMs, Math.max(0, untilMs - performance.now())));
      } else if (status >= 200 && status < 300) accepted.push(tookMs);
      else errors++;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const usedMs = cpuMs(serverPid) - beforeMs;
  const perSecond = (accepted.length / ms) * 1_000;
  return { accepted, shed, errors, perSecond, cpuMs: usedMs / accepted.length };
}

/** Peak and overload take turns, so that whatever else the machine does hits both. */
async function measure(load: Load, ms: number): Promise<OverloadFigures> {
  await drive(PEAK_CLIENTS, ms, load);
  const peaks: Run[] = [];
  const overs: Run[] = [];
  const lag = monitorEventLoopDelay({ resolution: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    peaks.push(await drive(PEAK_CLIENTS, ms, load));
    lag.enable();
    overs.push(await drive(OVERLOAD_CLIENTS, 2 * ms, load));
    lag.disable();
  }
  const rates = peaks.map((peak) => peak.perSecond);
  const peakPerSecond = median(rates);
  const recoveryMs = await recovery(peakPerSecond, load);
  const shed = sorted(overs.flatMap((run) => run.shed));
  return {
    operation: load.operation,
    peakPerSecond,
    recoveryMs,
    goodputPerSecond: median(overs.map((run) => run.perSecond)),
    goodputOfPeak: median(overs.map((run, i) => run.perSecond / (rates[i] ?? Number.NaN))),
    acceptedP99Ms: percentile(sorted(overs.flatMap((run) => run.accepted)), 0.99),
    shed: shed.length,
    shedP50Ms: percentile(shed, 0.5),
    shedP99Ms: percentile(shed, 0.99),
    errors: [...peaks, ...overs].reduce((sum, run) => sum + run.errors, 0),
    peakCpuMs: median(peaks.map((run) => run.cpuMs)),
    overloadCpuMs: median(overs.map((run) => run.cpuMs)),
    lagP50Ms: lag.percentile(50) / 1e6,
    lagP99Ms: lag.percentile(99) / 1e6,
  };
}

/** Time until the peak's clients are served at nine tenths of its rate again; else `Infinity`. */
async function recovery(peakPerSecond: number, load: Load): Promise<number> {
  const endedMs = performance.now();
  while (performance.now() - endedMs < RECOVERY_LIMIT_MS) {
    const { perSecond } = await drive(PEAK_CLIENTS, RECOVERY_WINDOW_MS, load);
    if (perSecond >= 0.9 * peakPerSecond) return performance.now() - endedMs;
  }
  return Number.POSITIVE_INFINITY;
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b);
}

function median(values: readonly number[]): number {
  return percentile(sorted(values), 0.5);
}

/** Loads and commits at their peak, at four times what is let in at once, and after it. */
export async function benchOverload(smoke: boolean): Promise<readonly OverloadFigures[]> {
  const directory = await mkdtemp(join(tmpdir(), "firn-overload-"));
  const server = await startServer(directory, ["--profile", "memory", "--log-level", "warn"]);
  const target = new Target("firn", server, "/iceberg/v1");
  const client = new BenchClient(server.url, OVERLOAD_CLIENTS);
  try {
    await target.createNamespace("ns");
    for (let i = 0; i < TABLES; i++) await target.createTable("ns", `t${i}`);
    let count = 0;
    const path = () => `${target.tables("ns")}/t${count++ % TABLES}`;
    const commit = () =>
      `{"requirements":[],"updates":[{"action":"set-properties","updates":{"k":"${count}"}}]}`;
    const loads = async () => (await client.exchange("GET", path())).status;
    const commits = async () => (await client.exchange("POST", path(), commit())).status;
    const ms = smoke ? 200 : 1_500;
    const serverPid = server.pid;
    const figures = [
      await measure({ operation: "load", serverPid, send: loads }, ms),
      await measure({ operation: "commit", serverPid, send: commits }, ms),
    ];
    console.log(shown(figures));
    for (const each of figures) {
      const rows = judge(each).map(({ goal, measured, verdict }) => [goal, measured, verdict]);
      console.log(`\n${formatTable([each.operation, "measured", ""], rows)}`);
    }
    return figures;
  } finally {
    client.close();
    target.client.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function shown(figures: readonly OverloadFigures[]): string {
  const header = ["operation", "peak/s", "goodput/s", "p99 ms", "shed", "shed p50 ms"];
  const more = ["shed p99 ms", "recovery ms", "CPU ms", "overload", "clients' lag ms", "p99"];
  const rows = figures.map((each) => [
    each.operation,
    each.peakPerSecond.toFixed(0),
    each.goodputPerSecond.toFixed(0),
    each.acceptedP99Ms.toFixed(0),
    String(each.shed),
    each.shedP50Ms.toFixed(1),
    each.shedP99Ms.toFixed(1),
    each.recoveryMs.toFixed(0),
    each.peakCpuMs.toFixed(3),
    each.overloadCpuMs.toFixed(3),
    each.lagP50Ms.toFixed(1),
    each.lagP99Ms.toFixed(1),
  ]);
  return formatTable([...header, ...more], rows);
}
