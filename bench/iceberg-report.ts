import type { WriteCost } from "./file-writes.ts";
import { cpuRatio, judge, rateRatio } from "./goals.ts";
import { type ComparedCell, type Comparison, SIDES, type SideName } from "./iceberg.ts";
import { formatTable } from "./report.ts";

const PEERS: readonly SideName[] = ["sqlite", "in-memory"];

/** A comparison as text: every figure, the ratios, the cost by history, the goals. */
export function showComparison(comparison: Comparison): string {
  return [
    showFigures(comparison.cells),
    showRatios(comparison.cells),
    showHistory(comparison.cells, comparison.fileWrites),
    showGoals(comparison),
  ].join("\n\n");
}

/** Cells in which a server failed, or did nothing. */
export function failedCells(cells: readonly ComparedCell[]): readonly ComparedCell[] {
  return cells.filter(({ sides }) =>
    SIDES.some((side) => sides[side].errors > 0 || sides[side].operations === 0),
  );
}

function showFigures(cells: readonly ComparedCell[]): string {
  const rows = cells.flatMap((cell) =>
    SIDES.map((side) => {
      const figures = cell.sides[side];
      return [
        cell.name,
        String(cell.clients),
        side,
        rate(figures.perSecond),
        figures.p50Ms.toFixed(2),
        figures.p99Ms.toFixed(2),
        figures.serverCpuMs.toFixed(3),
        String(figures.refused),
        String(figures.errors),
      ];
    }),
  );
  return formatTable(
    ["operation", "clients", "server", "ops/s", "p50 ms", "p99 ms", "CPU ms/op", "409s", "errors"],
    rows,
  );
}

function showRatios(cells: readonly ComparedCell[]): string {
  const rows = cells.map((cell) => [
    cell.name,
    String(cell.clients),
    ...PEERS.flatMap((peer) => [times(rateRatio(cell, peer)), times(cpuRatio(cell, peer))]),
  ]);
  const heads = PEERS.flatMap((peer) => [`rate / ${peer}`, `${peer} CPU / ours`]);
  return formatTable(["operation", "clients", ...heads], rows);
}

/** What one append costs by the history it is added to, and what of that is its metadata file. */
function showHistory(cells: readonly ComparedCell[], writes: readonly WriteCost[]): string {
  const rows = writes.flatMap(({ snapshots, bytes, cpuMs, perSecond }) => {
    const cell = cells.find(({ name }) => name === `append at ${snapshots}`);
    if (cell === undefined) return [];
    return [
      [
        `append at ${snapshots}`,
        (bytes / 1_024).toFixed(0),
        ...SIDES.map((side) => cell.sides[side].serverCpuMs.toFixed(2)),
        cpuMs.toFixed(2),
        cell.sides.firn.p50Ms.toFixed(2),
        (1_000 / perSecond).toFixed(2),
      ],
    ];
  });
  const cpu = SIDES.map((side) => `${side} CPU ms`);
  const heads = ["history", "file KiB", ...cpu, "our file CPU ms", "our p50 ms", "our file ms"];
  return formatTable(heads, rows);
}

function showGoals(comparison: Comparison): string {
  const rows = judge(comparison).map(({ goal, worst, measured, met }) => [
    goal,
    times(measured),
    met ? "met" : "not met",
    worst,
  ]);
  return formatTable(["goal", "measured", "", "worst cell"], rows);
}

function rate(perSecond: number): string {
  return perSecond >= 100 ? perSecond.toFixed(0) : perSecond.toFixed(1);
}

function times(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)}x`;
}
