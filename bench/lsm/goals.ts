import type { CompactionCell } from "../compaction.ts";
import type { WalCell } from "../wal.ts";
import type { Figures } from "./figures.ts";

/** What the engine is to reach, the worst cell of it, and whether that is enough. */
export interface Goal {
  readonly goal: string;
  readonly worst: string;
  readonly met: boolean;
}

/** Single operations: a batch of one, or one look-up. */
const SINGLE = /^(put|get|mixed)|batch 1$/;
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
  const single = (cell: Cell): boolean => SINGLE.test(cell.workload);
  return [
    atLeast(1, "classic-level", against("classic-level")),
    atLeast(1, "better-sqlite3", against("better-sqlite3")),
    atLeast(
      1,
      "the best peer, hits aside",
      best.filter((cell) => !hits(cell)),
    ),
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
    ...compaction.flatMap(compactionGoals),
  ].filter((goal) => goal !== undefined);
}

/** What the engine tells of itself; memory only where nothing ran in the process before. */
export interface Own {
  readonly title: string;
  readonly writeAmplification: number;
  readonly spaceAmplification: number;
  readonly rssBytes: number | undefined;
}

/** @param budgetBytes what the engine was told to take for memtables and blocks. */
export function ownGoals(own: readonly Own[], budgetBytes: number): readonly Goal[] {
  return own.flatMap(({ title, writeAmplification, spaceAmplification, rssBytes }) => [
    {
      goal: "write amplification <= 5, space <= 2.2 amid a load",
      worst: `${writeAmplification.toFixed(2)}, ${spaceAmplification.toFixed(2)} (${title})`,
      met: writeAmplification <= 5 && spaceAmplification <= 2.2,
    },
    ...(rssBytes === undefined ? [] : [memoryGoal(title, rssBytes, budgetBytes)]),
  ]);
}

function memoryGoal(title: string, rssBytes: number, budgetBytes: number): Goal {
  const [rss, budget] = [rssBytes, budgetBytes].map((bytes) => (bytes / 1_048_576).toFixed(0));
  return {
    goal: "memory: <= 1.2x the budget",
    worst: `${rss} MiB of ${budget} (${title})`,
    met: rssBytes <= 1.2 * budgetBytes,
  };
}

function compactionGoals(cell: CompactionCell): readonly Goal[] {
  const { store, megabytesPerCpuSecond, delayP99Ms, idleP99Ms } = cell;
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
