import type { Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";

export interface Bound {
  readonly kind:
    | "unbounded preceding"
    | "preceding"
    | "current"
    | "following"
    | "unbounded following";
  /** In rows or groups; of RANGE, the value itself. */
  readonly offset?: Datum;
}

/** The rows of one partition, in their order, and which of them are peers. */
export interface Partition {
  readonly size: number;
  /** The number of each row's peer group. */
  readonly groupOf: readonly number[];
  /** The first row of each peer group, and behind the last one the size. */
  readonly starts: readonly number[];
}

export interface FrameSpec {
  readonly mode: "rows" | "range" | "groups";
  readonly start: Bound;
  readonly end: Bound;
  readonly exclude: "no others" | "current row" | "group" | "ties";
  /** RANGE with an offset: whether row `at` is within the bound of row `of`. */
  readonly isWithin?:
    | ((at: number, of: number, bound: Bound, side: "start" | "end") => boolean)
    | undefined;
}

/** Rows from `start` up to, not with, `end`. */
export interface Frame {
  readonly start: number;
  readonly end: number;
}

export function partitionOf(size: number, isPeer: (a: number, b: number) => boolean): Partition {
  const groupOf: number[] = [];
  const starts: number[] = [];
  for (let i = 0; i < size; i++) {
    if (i === 0 || !isPeer(i - 1, i)) starts.push(i);
    groupOf.push(starts.length - 1);
  }
  return { size, groupOf, starts: [...starts, size] };
}

/** @throws SqlError 22013, 22004 for an offset that is none. */
export function checkedOffset(value: Datum, side: "starting" | "ending", isRange: boolean): void {
  if (value === null) throw new SqlError("22004", `frame ${side} offset must not be null`);
  const isNegative = !isRange && (value as bigint) < 0n;
  if (isNegative) throw new SqlError("22013", `frame ${side} offset must not be negative`);
}

/** The frame of one row, without what it excludes. */
export function frameOf(partition: Partition, spec: FrameSpec, row: number): Frame {
  const start = edge(partition, spec, row, "start");
  const end = edge(partition, spec, row, "end");
  return { start, end: Math.max(start, end) };
}

function edge(partition: Partition, spec: FrameSpec, row: number, side: "start" | "end"): number {
  const { size, groupOf, starts } = partition;
  const bound = spec[side];
  const isEnd = side === "end";
  const group = groupOf[row] as number;
  const groupEdge = (n: number): number =>
    starts[Math.min(Math.max(n + (isEnd ? 1 : 0), 0), starts.length - 1)] as number;
  switch (bound.kind) {
    case "unbounded preceding":
      return 0;
    case "unbounded following":
      return size;
    case "current":
      return spec.mode === "rows" ? row + (isEnd ? 1 : 0) : groupEdge(group);
    default: {
      const sign = bound.kind === "preceding" ? -1 : 1;
      if (spec.mode === "range") return rangeEdge(partition, spec, row, side);
      const offset = sign * Math.min(Number(bound.offset as bigint), size + 1);
      if (spec.mode === "groups") {
        const at = group + offset;
        if (at < 0) return 0;
        return at >= starts.length - 1 ? size : groupEdge(at);
      }
      return Math.min(Math.max(row + offset + (isEnd ? 1 : 0), 0), size);
    }
  }
}

/** The first row within the bound, or the first one behind it: rows are in order. */
function rangeEdge(
  { size }: Partition,
  { isWithin, ...spec }: FrameSpec,
  row: number,
  side: "start" | "end",
): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    const within = isWithin?.(middle, row, spec[side], side) === true;
    // Rows before the start are not within it, nor are those behind the end within that.
    if (within === (side === "start")) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a row of the frame counts. */
export function isExcluded(
  { groupOf }: Partition,
  { exclude }: FrameSpec,
  row: number,
  at: number,
): boolean {
  switch (exclude) {
    case "no others":
      return false;
    case "current row":
      return at === row;
    case "group":
      return groupOf[at] === groupOf[row];
    case "ties":
      return at !== row && groupOf[at] === groupOf[row];
  }
}
