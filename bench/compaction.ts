import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SeededPrng } from "../src/base/prng.ts";
import { LocalBlobStore } from "../src/blob/local.ts";
import { MemoryBlobStore } from "../src/blob/memory.ts";
import type { BlobStore } from "../src/blob/port.ts";
import { ALL_KEYS } from "../src/lsm/compaction/bounds.ts";
import { ThreadMerger } from "../src/lsm/compaction/thread-merger.ts";
import { LocalDisk } from "../src/lsm/disk/local.ts";
import { Engine } from "../src/lsm/engine/engine.ts";
import { SegmentWalStore } from "../src/lsm/wal/segments.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { nodeIdentity } from "../src/runtime/node-identity.ts";
import { formatTable } from "./report.ts";
import { touchMemory } from "./touch.ts";

export interface CompactionCell {
  readonly store: string;
  /** That merge; with one the compaction stays whole. */
  readonly threads: number;
  readonly megabytesPerSecond: number;
  /** Of input, for each second of processor time of the process, the store's work included. */
  readonly megabytesPerCpuSecond: number;
  /** Of the same loop, doing nothing, just before: what the machine does to it. */
  readonly idleP99Ms: number;
  /** Of the event loop that serves meanwhile, beyond the millisecond that the timer takes. */
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
  readonly writeAmplification: number;
}

const GOAL_MB_PER_SECOND = 250;
const GOAL_DELAY_MS = 10;
const MB = 1_000_000;
const TABLES = 4;
const BATCH = 1_000;
const VALUE_BYTES = 400;
const ROWS = 1_000_000;
const THREADS = [1, 2];

/** Overlapping tables become one run, in a thread; what the serving thread notices of it. */
async function measure(
  name: string,
  store: BlobStore,
  directory: string,
  { rows, threads }: { readonly rows: number; readonly threads: number },
): Promise<CompactionCell> {
  const ports = { clock: new SystemClock(), prng: new SeededPrng(1) };
  const merger = new ThreadMerger({ threads });
  const engine = await Engine.open({
    ...ports,
    store,
    merger,
    wal: new SegmentWalStore(new LocalDisk(join(directory, `wal-${name}`)), ports),
    node: nodeIdentity({ prng: ports.prng, oneHost: true }),
    forTests: { compaction: "manual", memtableBytes: 512 * MB, gcMinAgeMs: 0 },
  });
  const value = ports.prng.bytes(VALUE_BYTES);
  const keyOf = (n: number): Uint8Array => Buffer.from(String(n).padStart(20, "0"));
  for (let table = 0; table < TABLES; table++) {
    for (let at = 0; at < rows / TABLES; at += BATCH) {
      const ops = Array.from({ length: BATCH }, (_, i) => {
        const key = keyOf(((at + i) * TABLES + table) * 7);
        return { op: "put" as const, key, value };
      });
      await engine.write(ops);
    }
    await engine.flush();
  }
  // The start of threads is not what is measured.
  const starts = Array.from({ length: threads }, () => merger.start(emptySpec()));
  await Promise.all(starts.map((start) => start.step({ parts: [], ids: [] })));
  for (const start of starts) start.end();
  const idle = await delayOf(() => ports.clock.sleep(1_000));
  // At the very last: a virtual machine gives free memory back within seconds.
  touchMemory(directory, engine.stats().tree.fileBytes);
  const cpu = process.cpuUsage();
  const delay = await delayOf(() => engine.compact());
  const { user, system } = process.cpuUsage(cpu);
  const { compaction, amplification } = engine.stats();
  await engine.close();
  await merger.close();
  return {
    store: name,
    threads,
    megabytesPerSecond: compaction.inputBytes / MB / (compaction.totalMs / 1_000),
    megabytesPerCpuSecond: compaction.inputBytes / MB / ((user + system) / 1e6),
    idleP99Ms: ms(idle.percentile(99)),
    delayP50Ms: ms(delay.percentile(50)),
    delayP99Ms: ms(delay.percentile(99)),
    delayMaxMs: ms(delay.max),
    writeAmplification: amplification.write,
  };
}

/** The histogram of delays while something is under way. What came before leaves no garbage. */
async function delayOf(
  work: () => Promise<unknown>,
): Promise<ReturnType<typeof monitorEventLoopDelay>> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay;
}

function ms(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - 1);
}

function emptySpec() {
  const sizes = { blockBytes: 16_384, tableBytes: MB, windowBytes: MB, stepBytes: MB };
  const none = {
    inputs: [],
    bounds: ALL_KEYS,
    snapshots: [],
    dropTombstones: false,
    compression: "none" as const,
  };
  return { ...none, ...sizes, operators: [], nowMs: 0, prefixes: undefined };
}

/** 20 B keys, 400 B values; by one thread that merges, and by several. */
export async function benchCompaction(options: {
  readonly smoke: boolean;
  /** So many, unless it is smoke. */
  readonly rows?: number;
}): Promise<readonly CompactionCell[]> {
  const rows = options.smoke ? 40_000 : (options.rows ?? ROWS);
  const ports = { clock: new SystemClock(), prng: new SeededPrng(2) };
  const cells: CompactionCell[] = [];
  for (const threads of THREADS) {
    for (const name of ["memory", "local"]) {
      const directory = mkdtempSync(join(tmpdir(), "firn-bench-compaction-"));
      const store =
        name === "memory"
          ? new MemoryBlobStore(ports.clock)
          : new LocalBlobStore(join(directory, "store"), ports);
      try {
        cells.push(await measure(name, store, directory, { rows, threads }));
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
  }
  show(cells);
  return cells;
}

function show(cells: readonly CompactionCell[]): void {
  const header = [
    "compaction of 4 tables",
    "threads",
    "MB/s",
    "MB/CPU s",
    "goal",
    "loop p50",
    "p99",
    "max",
    "goal p99",
    "idle p99",
  ];
  const rows = cells.map((cell) => [
    cell.store,
    String(cell.threads),
    cell.megabytesPerSecond.toFixed(0),
    cell.megabytesPerCpuSecond.toFixed(0),
    String(GOAL_MB_PER_SECOND),
    `${cell.delayP50Ms.toFixed(1)} ms`,
    `${cell.delayP99Ms.toFixed(1)} ms`,
    `${cell.delayMaxMs.toFixed(1)} ms`,
    `${GOAL_DELAY_MS} ms`,
    `${cell.idleP99Ms.toFixed(1)} ms`,
  ]);
  console.log(formatTable(header, rows));
}
