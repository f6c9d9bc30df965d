import { readFileSync } from "node:fs";

/** One cell's figures. Latencies are what a client saw, in milliseconds. */
export interface Figures {
  readonly operations: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server, user and system, for one operation. */
  readonly serverCpuMs: number;
}

export interface Load {
  /** Clients in a closed loop: each sends its next request when the last one is answered. */
  readonly clients: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Process whose processor time is counted. */
  readonly serverPid: number;
  /** One operation; rejects where the answer is not the one expected. */
  readonly operation: (client: number, count: number) => Promise<void>;
}

/** Drives a closed loop for a span of time, after a warm-up that is not counted. */
export async function drive(load: Load): Promise<Figures> {
  const { clients, warmUpMs, measureMs, serverPid, operation } = load;
  const samples: number[] = [];
  let errors = 0;
  let firstError: unknown;
  const startMs = performance.now() + warmUpMs;
  const endMs = startMs + measureMs;
  let cpuAtStartMs: number | undefined;

  const client = async (id: number): Promise<void> => {
    for (let count = 0; performance.now() < endMs; count++) {
      const beganMs = performance.now();
      const counted = beganMs >= startMs;
      if (counted && cpuAtStartMs === undefined) cpuAtStartMs = cpuMs(serverPid);
      try {
        await operation(id, count);
      } catch (error) {
        errors++;
        firstError ??= error;
        continue;
      }
      if (counted) samples.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
  const elapsedMs = performance.now() - startMs;
  const usedMs = cpuMs(serverPid) - (cpuAtStartMs ?? 0);
  if (firstError !== undefined) console.error(`first of ${errors} errors:`, firstError);
  samples.sort((a, b) => a - b);
  return {
    operations: samples.length,
    errors,
    perSecond: (samples.length / elapsedMs) * 1_000,
    p50Ms: percentile(samples, 0.5),
    p99Ms: percentile(samples, 0.99),
    serverCpuMs: usedMs / Math.max(1, samples.length),
  };
}

/** Nearest rank of sorted samples; NaN of none. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Linux counts processor time in hundredths of a second, whatever the kernel's own tick. */
const TICK_MS = 10;

/** Processor time of a process since its start; NaN where there is no `/proc`. */
function cpuMs(pid: number): number {
  try {
    // The second field is the name in parentheses, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
