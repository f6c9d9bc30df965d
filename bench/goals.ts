import type { WriteCost } from "./file-writes.ts";
import type { ComparedCell, Comparison, SideName } from "./iceberg.ts";

/** A goal and what this run says of it. */
export interface Verdict {
  readonly goal: string;
  /** The least favourable cell that the goal is about. */
  readonly worst: string;
  readonly measured: number;
  readonly met: boolean;
}

type Pick = (cell: ComparedCell) => boolean;

/** How often our rate is the peer's. */
export function rateRatio(cell: ComparedCell, peer: SideName): number {
  return cell.sides.firn.perSecond / cell.sides[peer].perSecond;
}

/** How often the peer's processor time for one operation is ours. */
export function cpuRatio(cell: ComparedCell, peer: SideName): number {
  return cell.sides[peer].serverCpuMs / cell.sides.firn.serverCpuMs;
}

const loadOf = (cell: ComparedCell): number | undefined => {
  const found = /^load (\d+)(?:, refs)?$/.exec(cell.name)?.[1];
  return found === undefined ? undefined : Number(found);
};
const isLong: Pick = (cell) => (loadOf(cell) ?? 0) >= 1_000;
const isLoad: Pick = (cell) => loadOf(cell) !== undefined;
const isOwnWrite: Pick = ({ name }) =>
  name === "create" || name === "commit a property" || name === "append";
const isCommit: Pick = ({ name }) => name === "commit a property" || name === "append";

/** The goals of `docs/performance.md` that were measured, each by the cell that does worst. */
export function judge({ cells, fileWrites }: Comparison): readonly Verdict[] {
  const atLeast = (goal: string, least: number, pick: Pick, of: (c: ComparedCell) => number) =>
    verdict(goal, least, cells.filter(pick), of);
  return [
    atLeast("load, rate ≥ 5x sqlite", 5, isLoad, (cell) => rateRatio(cell, "sqlite")),
    atLeast("load of ≥ 1,000, rate ≥ 20x sqlite", 20, isLong, (cell) => rateRatio(cell, "sqlite")),
    atLeast("commit, create, append, rate ≥ 2x sqlite", 2, isOwnWrite, (cell) =>
      rateRatio(cell, "sqlite"),
    ),
    atLeast(
      "list of the most tables, rate ≥ 2x sqlite",
      2,
      ({ name }) => name === longestList(cells),
      (cell) => rateRatio(cell, "sqlite"),
    ),
    atLeast("commit, append: CPU ≤ 1/2 of in-memory", 2, isCommit, (cell) =>
      cpuRatio(cell, "in-memory"),
    ),
    atLeast("load: CPU ≤ 1/4 of in-memory", 4, isLoad, (cell) => cpuRatio(cell, "in-memory")),
    atLeast(
      "append, one table: rate ≥ 0.8x of own tables",
      0.8,
      ({ name }) => name === "append, one table",
      (cell) => cell.sides.firn.perSecond / ownAppends(cells, cell.clients),
    ),
    growth(cells, fileWrites),
  ].flat();
}

const MOST_GROWTH = 2;

/**
 * What an append to the longest history costs, as a multiple of one to the shortest. Left out is
 * the write of the metadata file, which is as long as the history. The answer is as long too: once
 * it counts, and once it is left out by what a load of the same table costs more than the shortest.
 */
function growth(
  cells: readonly ComparedCell[],
  fileWrites: readonly WriteCost[],
): readonly Verdict[] {
  const [shortest, longest] = [fileWrites[0], fileWrites.at(-1)];
  if (shortest === undefined || longest === undefined) return [];
  const cpuOf = (name: string) =>
    cells.find((cell) => cell.name === name && cell.clients === 1)?.sides.firn.serverCpuMs ??
    Number.NaN;
  const costOf = ({ snapshots, cpuMs }: WriteCost) => cpuOf(`append at ${snapshots}`) - cpuMs;
  const answer = cpuOf(`load ${longest.snapshots}`) - cpuOf(`load ${shortest.snapshots}`);
  const worst = `append at ${longest.snapshots}`;
  const grown = (what: string, cost: number): Verdict => {
    const measured = cost / costOf(shortest);
    const goal = `append at the longest history, ${what} aside: CPU ≤ 2x of the shortest`;
    return { goal, worst, measured, met: measured <= MOST_GROWTH };
  };
  return [
    grown("its file", costOf(longest)),
    grown("its file and its answer", costOf(longest) - answer),
  ];
}

function verdict(
  goal: string,
  least: number,
  cells: readonly ComparedCell[],
  of: (cell: ComparedCell) => number,
): readonly Verdict[] {
  const ranked = cells.map((cell) => ({ cell, ratio: of(cell) })).sort((a, b) => a.ratio - b.ratio);
  const worst = ranked[0];
  if (worst === undefined) return [];
  const { cell, ratio } = worst;
  const name = `${cell.name}, ${cell.clients} clients`;
  return [{ goal, worst: name, measured: ratio, met: ratio >= least }];
}

function ownAppends(cells: readonly ComparedCell[], clients: number): number {
  const own = cells.find((cell) => cell.name === "append" && cell.clients === clients);
  return own?.sides.firn.perSecond ?? Number.NaN;
}

function longestList(cells: readonly ComparedCell[]): string {
  return cells.map(({ name }) => name).findLast((name) => name.startsWith("list ")) ?? "";
}
