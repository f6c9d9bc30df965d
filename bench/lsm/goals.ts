import { availableParallelism } from "node:os";
import type { CompactionCell } from "../compaction.ts";
import { formatTable } from "../report.ts";
import type { WalCell } from "../wal.ts";
import type { Figures } from "./figures.ts";
import type { IngestCell } from "./ingest.ts";
import type { MemoryCell } from "./memory-child.ts";
import type { DropCell } from "./range-drop.ts";
import type { RequestCell } from "./requests.ts";
import type { TransactionCell } from "./transactions.ts";
import type { UpdateCell } from "./updates.ts";

/** What the engine is to reach, the worst cell of it, and whether that is enough. */
export interface Goal {
  readonly goal: string;
  readonly worst: string;
  readonly met: boolean;
}

/** Single operations: a batch of one, or one look-up. */
const SINGLE = /^(put|get (hit|miss)|mixed)|batch 1$/;
const HIT = /^get hit/;

interface Cell {
  readonly text: string;
  readonly workload: string;
  readonly ratio: number;
}

/** The goals of both classes: our rate over a peer's, in the worst cell. */
export function goalsOf(
  all: readonly Figures[],
  wal: readonly WalCell[],
  compaction: readonly CompactionCell[],
): readonly Goal[] {
  const against = (peer: string): readonly Cell[] => all.flatMap((one) => ratios(one, peer));
  const best = all.flatMap(bestRatios);
  const slate = against("@slatedb/uniffi");
  const hits = (cell: Cell): boolean => HIT.test(cell.workload);
  const neighbors = ({ workload }: Cell): boolean => workload.includes("neighbors");
  const seeks = ({ workload }: Cell): boolean => workload === "seek + next 10, 128 callers";
  const single = (cell: Cell): boolean => SINGLE.test(cell.workload);
  return [
    atLeast(1, "classic-level", against("classic-level")),
    atLeast(1, "better-sqlite3", against("better-sqlite3")),
    atLeast(
      1,
      "the best peer, hits aside",
      best.filter((cell) => !hits(cell)),
    ),
    rateOf(8e6, all, "sum of a byte of each value, rows"),
    rateOf(4e6, all, "keys alone, rows"),
    atLeast(1.2, "better-sqlite3, neighbors", against("better-sqlite3").filter(neighbors)),
    atLeast(1.2, "lmdb, seek + 10, 128 callers", against("lmdb").filter(seeks)),
    atLeast(0.8, "lmdb, hits", against("lmdb").filter(hits)),
    atLeast(
      8,
      "SlateDB's binding, batches and scans",
      slate.filter((cell) => !single(cell)),
    ),
    atLeast(50, "SlateDB's binding, single operations", slate.filter(single)),
    ...wal
      .filter(({ callers }) => callers !== 16)
      .map(({ callers, ratio }) =>
        atLeast(callers === 1 ? 0.9 : 80, "append + fdatasync to a growing file", [
          { workload: "", text: `durable put, ${callers} callers`, ratio },
        ]),
      ),
    ...compaction.filter(leavesACore).flatMap(compactionGoals),
  ].filter((goal) => goal !== undefined);
}

/** What the engine does alone: beside nobody, by its own count. */
export interface Own {
  readonly updates: readonly UpdateCell[];
  readonly memory: readonly MemoryCell[];
  readonly drop: DropCell | undefined;
  readonly requests: readonly RequestCell[];
  readonly ingest: IngestCell | undefined;
  readonly transactions: TransactionCell | undefined;
}

const MAX_DROP_MS = 10;

const LEAST_INGESTED = 300_000;
const MAX_LOOP_MS = 20;

export function ownGoals(own: Own): readonly Goal[] {
  const { updates, memory, drop, requests, ingest, transactions } = own;
  return [
    ...updates.flatMap(updateGoals),
    ...memory.map(memoryGoal),
    ...(drop === undefined ? [] : [dropGoal(drop)]),
    ...requestGoals(requests),
    ...(ingest === undefined ? [] : ingestGoals(ingest)),
    ...(transactions === undefined ? [] : transactionGoals(transactions)),
  ];
}

function ingestGoals(cell: IngestCell): readonly Goal[] {
  const { ingestedPerSecond, ingestCpuMicros, loopP999Ms } = cell;
  // What two cores could do at most, whatever else they do meanwhile.
  const most = (2 * 1_000_000) / ingestCpuMicros;
  return [
    {
      goal: `indexed rows ingested a second by processor time, two cores >= ${LEAST_INGESTED}`,
      worst: `${most.toFixed(0)} (${ingestCpuMicros.toFixed(1)} us a row)`,
      met: most >= LEAST_INGESTED,
    },
    {
      goal: `indexed rows ingested a second >= ${LEAST_INGESTED}`,
      worst: ingestedPerSecond.toFixed(0),
      met: ingestedPerSecond >= LEAST_INGESTED,
    },
    {
      goal: `event loop while rows are ingested: p99.9 <= ${MAX_LOOP_MS} ms`,
      worst: loopP999Ms.toFixed(1),
      met: loopP999Ms <= MAX_LOOP_MS,
    },
  ];
}

function transactionGoals(cell: TransactionCell): readonly Goal[] {
  const ratio = (what: string, found: number, beside: number, least: number): Goal => {
    const worst = `${(found / beside).toFixed(2)} x`;
    return { goal: `${what} >= ${least} x`, worst, met: found >= least * beside };
  };
  const { plainRows, putRows, insertRows, plainScans, transactionScans, bytesAPut } = cell;
  const goal = "12 open transactions: bytes a put beyond its own <= 200";
  return [
    ratio("indexed rows through transactions / plain batches", putRows, plainRows, 0.9),
    ratio("indexed rows that are inserted / plain batches", insertRows, plainRows, 0.9),
    ratio("transaction.scan of 10 / engine.scan of 10", transactionScans, plainScans, 0.8),
    { goal, worst: bytesAPut.toFixed(0), met: bytesAPut <= 200 },
  ];
}

function updateGoals({ title, ...cell }: UpdateCell): readonly Goal[] {
  const goal = (what: string, value: number, most: number): Goal => {
    const worst = `${value.toFixed(2)} (${title})`;
    return { goal: `uniform updates: ${what} <= ${most}`, worst, met: value <= most };
  };
  return [
    goal("write amplification", cell.writeAmplification, 5),
    goal("space at rest", cell.steadySpace, 1.5),
    goal("space while compacting", cell.mostSpace, 2.2),
  ];
}

function memoryGoal({ shards, loadedBytes, budgetBytes, mostBytes }: MemoryCell): Goal {
  const [most, budget] = [mostBytes, budgetBytes].map((bytes) => (bytes / 1_048_576).toFixed(0));
  return {
    goal: "memory: <= 1.2x the budget at every point of a load",
    worst: `${most} MiB of ${budget} (${(loadedBytes / 1e6).toFixed(0)} MB into ${shards} shards)`,
    met: mostBytes <= 1.2 * budgetBytes,
  };
}

function dropGoal({ rows, deleteMs, scanMs, compactMs, bytesAfter }: DropCell): Goal {
  const tookMs = deleteMs + scanMs;
  return {
    goal: `a range of ${rows} rows is gone in <= ${MAX_DROP_MS} ms, its space with a compaction`,
    worst: `${tookMs.toFixed(1)} ms; ${bytesAfter} bytes ${compactMs.toFixed(0)} ms later`,
    met: tookMs <= MAX_DROP_MS && bytesAfter === 0,
  };
}

function requestGoals(cells: readonly RequestCell[]): readonly Goal[] {
  const judged = cells.filter(({ goal }) => goal !== undefined);
  if (judged.length === 0) return [];
  const over = judged.filter(({ requests, goal = 0 }) => requests > goal);
  return [
    {
      goal: "requests of each operation",
      worst: over.map((one) => `${one.operation}: ${one.requests} of ${one.goal}`).join("; "),
      met: over.length === 0,
    },
  ];
}

export function showGoals(goals: readonly Goal[]): void {
  const rows = goals.map(({ goal, worst, met }) => [goal, met ? "met" : "NOT met", worst]);
  console.log(`\n${formatTable(["goal", "", "worst cell"], rows)}`);
}

/** Threads that take the core of the one that serves say nothing of what it notices of them. */
function leavesACore({ threads }: CompactionCell): boolean {
  return threads < Math.max(2, availableParallelism());
}

function compactionGoals(cell: CompactionCell): readonly Goal[] {
  const { megabytesPerCpuSecond, delayP99Ms, idleP99Ms } = cell;
  const store = `${cell.store}, ${cell.threads} threads`;
  const idle = `${idleP99Ms.toFixed(1)} ms when idle`;
  return [
    {
      goal: "compaction: >= 250 MB/s a core",
      worst: `${megabytesPerCpuSecond.toFixed(0)} MB/s (${store})`,
      met: megabytesPerCpuSecond >= 250,
    },
    {
      goal: "event loop meanwhile: p99 < 10 ms",
      worst: `${delayP99Ms.toFixed(1)} ms (${store}; ${idle})`,
      met: delayP99Ms < 10,
    },
  ];
}

function ratios({ title, rates }: Figures, peer: string): readonly Cell[] {
  const theirs = rates[peer] ?? {};
  return Object.entries(rates["firn"] ?? {}).flatMap(([workload, rate]) => {
    const other = theirs[workload];
    return other === undefined
      ? []
      : [{ workload, text: `${workload}; ${title}`, ratio: rate / other }];
  });
}

function bestRatios(figures: Figures): readonly Cell[] {
  const peers = Object.keys(figures.rates).filter((name) => !name.startsWith("firn"));
  const worst = new Map<string, Cell>();
  for (const cell of peers.flatMap((peer) => ratios(figures, peer))) {
    const known = worst.get(cell.workload);
    if (known === undefined || cell.ratio < known.ratio) worst.set(cell.workload, cell);
  }
  return [...worst.values()];
}

/** Rows a second, in the worst of all sizes. */
function rateOf(aim: number, all: readonly Figures[], workload: string): Goal | undefined {
  const rates = all.flatMap(({ rates: of }) => of["firn"]?.[workload] ?? []);
  if (rates.length === 0) return undefined;
  const worst = Math.min(...rates);
  const millions = (rate: number): string => `${(rate / 1e6).toFixed(1)} M rows/s`;
  return { goal: `${workload}: >= ${millions(aim)}`, worst: millions(worst), met: worst >= aim };
}

/** Undefined where there is nothing to compare with. */
function atLeast(aim: number, than: string, cells: readonly Cell[]): Goal | undefined {
  const [worst] = cells.toSorted((a, b) => a.ratio - b.ratio);
  if (worst === undefined) return undefined;
  const met = worst.ratio >= aim;
  const missed = cells.filter((cell) => cell.ratio < aim).length;
  const more = missed > 1 ? `, ${missed} of ${cells.length} cells below` : "";
  return {
    goal: `>= ${aim}x ${than}`,
    worst: `${worst.ratio.toFixed(2)}x (${worst.text}${more})`,
    met,
  };
}
