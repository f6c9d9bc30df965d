import { readFileSync } from "node:fs";

/** One cell's figures. Latencies are what a client saw, in milliseconds. */
export interface Figures {
  readonly operations: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server, user and system, all threads, for one operation. */
  readonly serverCpuMs: number;
  /** Likewise of the services that it rests on; absent where there are none. */
  readonly storesCpuMs?: number;
}

/** The span of time that an operation runs in. */
export interface Span {
  /** On the clock of `performance.now`: work that would go on for ever gives up here. */
  readonly untilMs: number;
}

/** `over`: not done, and this span is at its end for all clients. */
export type Outcome = "done" | "over";

export interface Load {
  /** Clients in a closed loop: each sends its next request when the last one is answered. */
  readonly clients: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Process whose processor time is counted. */
  readonly serverPid: number;
  /** Processes of the services that it rests on. */
  readonly storePids?: readonly number[];
  /** One operation, numbered by client; rejects where the answer is not the one expected. */
  readonly operation: (client: number, count: number, span: Span) => Promise<Outcome>;
}

interface Run {
  readonly samples: number[];
  readonly errors: unknown[];
}

/**
 * Drives a closed loop for a span of time. The warm-up before it is not counted, and has ended for
 * all clients when the measurement begins, so that no request is half in and half out.
 */
export async function drive(load: Load): Promise<Figures> {
  const counts: number[] = new Array(load.clients).fill(0);
  const warmUp = await run(load, load.warmUpMs, counts);
  const { storePids = [] } = load;
  const cpuAtStartMs = cpuMs(load.serverPid);
  const storesAtStartMs = sumOf(storePids);
  const startMs = performance.now();
  const { samples, errors } = await run(load, load.measureMs, counts);
  const elapsedMs = performance.now() - startMs;
  const usedMs = cpuMs(load.serverPid) - cpuAtStartMs;
  const storesUsedMs = sumOf(storePids) - storesAtStartMs;
  const all = [...warmUp.errors, ...errors];
  if (all.length > 0) console.error(`first of ${all.length} errors:`, all[0]);
  samples.sort((a, b) => a - b);
  return {
    operations: samples.length,
    errors: all.length,
    perSecond: (samples.length / elapsedMs) * 1_000,
    p50Ms: percentile(samples, 0.5),
    p99Ms: percentile(samples, 0.99),
    serverCpuMs: usedMs / Math.max(1, samples.length),
    ...(storePids.length > 0 && { storesCpuMs: storesUsedMs / Math.max(1, samples.length) }),
  };
}

function sumOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
}

async function run({ clients, operation }: Load, ms: number, counts: number[]): Promise<Run> {
  const samples: number[] = [];
  const errors: unknown[] = [];
  const span = { untilMs: performance.now() + ms };
  const client = async (id: number): Promise<void> => {
    for (;;) {
      const beganMs = performance.now();
      if (beganMs >= span.untilMs) return;
      const count = counts[id] ?? 0;
      counts[id] = count + 1;
      try {
        const outcome = await operation(id, count, span);
        if (outcome === "over") span.untilMs = 0;
        else samples.push(performance.now() - beganMs);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
  return { samples, errors };
}

/** Nearest rank of sorted samples; NaN of none. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick. */
const TICK_MS = 10;

const SETTLED_SPAN_MS = 100;
const SETTLED_SHARE = 0.15;
const SETTLED_LIMIT_MS = 20_000;

/** Waits until a server that nobody asks anything does next to nothing. */
export async function settled(pid: number): Promise<void> {
  const untilMs = performance.now() + SETTLED_LIMIT_MS;
  for (let before = cpuMs(pid); performance.now() < untilMs; ) {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_SPAN_MS));
    const now = cpuMs(pid);
    if (!(now - before > SETTLED_SPAN_MS * SETTLED_SHARE)) return;
    before = now;
  }
  throw new Error("the server does not come to rest");
}

/** Processor time of a process since its start, its children's left out; NaN without `/proc`. */
export function cpuMs(pid: number): number {
  try {
    // The second field is the name in parentheses, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** The middle one; NaN of none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
