import { invalid } from "../../base/error.ts";
import { COORDINATE_BITS, type Curve, checkPoint, type Point } from "./curve.ts";

/** Places on a curve from `from` to `to`, both inclusive. */
export interface CurveRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** What a box becomes on a curve. */
export interface BoxRanges {
  /** Ascending and apart from each other; together they hold every point of the box. */
  readonly ranges: readonly CurveRange[];
  /** Places in the ranges divided by points in the box: 1 is none too many. */
  readonly overRead: number;
}

/** A cell of the grid whose coordinates have `bits`. */
interface Cell {
  readonly corner: Point;
  readonly bits: number;
}

const DEFAULT_RANGES = 32;
/** Cells that may be divided for each range that may be returned. */
const CELLS_A_RANGE = 8;

/**
 * The ranges of a curve that cover a box, at most `most` of them. It divides the cells on the box's
 * border, the largest first, then joins the ranges that have the narrowest gaps between them.
 *
 * @param low the box's corner of the smallest coordinates, inclusive.
 * @param high the opposite corner, inclusive.
 * @throws FirnError `Invalid` `COORDINATE_INVALID`.
 */
export function boxRanges(
  curve: Curve,
  low: Point,
  high: Point,
  most: number = DEFAULT_RANGES,
): BoxRanges {
  const { dimensions } = curve;
  checkPoint(low, dimensions);
  checkPoint(high, dimensions);
  if (low.some((value, axis) => value > (high[axis] as number))) {
    throw invalid("COORDINATE_INVALID", "the box ends before it starts");
  }
  if (!Number.isInteger(most) || most < 1) {
    throw invalid("COORDINATE_INVALID", "a box has at least one range", { most });
  }
  const cells = divided(low, high, dimensions, most * CELLS_A_RANGE);
  const ranges = joined(
    cells.map((cell) => rangeOfCell(curve, cell)),
    most,
  );
  const places = ranges.reduce((sum, { from, to }) => sum + Number(to - from) + 1, 0);
  const points = low.reduce((product, value, axis) => {
    return product * ((high[axis] as number) - value + 1);
  }, 1);
  return { ranges, overRead: places / points };
}

/** Cells that cover the box, as fine as their number allows. */
function divided(low: Point, high: Point, dimensions: 2 | 3, most: number): readonly Cell[] {
  const done: Cell[] = [];
  let border: Cell[] = [{ corner: low.map(() => 0), bits: 0 }];
  const bitsOfGrid = COORDINATE_BITS[dimensions];
  for (let bits = 1; bits <= bitsOfGrid && border.length > 0; bits++) {
    const [within, finer]: [Cell[], Cell[]] = [[], []];
    for (const { corner } of border) {
      for (let child = 0; child < 1 << dimensions; child++) {
        const at = corner.map((value, axis) => value * 2 + ((child >> axis) & 1));
        const meets = meetingOf(at, bitsOfGrid - bits, low, high);
        if (meets === "within") within.push({ corner: at, bits });
        else if (meets === "partly") finer.push({ corner: at, bits });
      }
    }
    // A box that one cell holds costs nothing to look closer at.
    const isTooMany = done.length + within.length + finer.length > most;
    if (isTooMany && border.length > 1) break;
    done.push(...within);
    border = finer;
  }
  return [...done, ...border];
}

function meetingOf(
  corner: Point,
  shift: number,
  low: Point,
  high: Point,
): "within" | "partly" | "apart" {
  let isWithin = true;
  for (let axis = 0; axis < corner.length; axis++) {
    const from = (corner[axis] as number) * 2 ** shift;
    const to = from + 2 ** shift - 1;
    const [first, last] = [low[axis] as number, high[axis] as number];
    if (to < first || from > last) return "apart";
    isWithin &&= from >= first && to <= last;
  }
  return isWithin ? "within" : "partly";
}

function rangeOfCell(curve: Curve, { corner, bits }: Cell): CurveRange {
  const grid = COORDINATE_BITS[curve.dimensions];
  const shift = BigInt(curve.dimensions * (grid - bits));
  const from = curve.cell(corner, bits) << shift;
  return { from, to: from + (1n << shift) - 1n };
}

/** At most `most` ranges: neighbours become one, then those with the narrowest gaps. */
function joined(cells: readonly CurveRange[], most: number): readonly CurveRange[] {
  const sorted = [...cells].sort((a, b) => (a.from < b.from ? -1 : 1));
  const gaps = sorted.slice(1).map((range, i) => range.from - (sorted[i] as CurveRange).to - 1n);
  const widest = [...gaps].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0));
  // A gap of nothing is never kept; of equal gaps at the limit the first ones are.
  const limit = widest[most - 1] ?? 0n;
  let left = most - 1 - gaps.filter((gap) => gap > limit).length;
  const ranges: CurveRange[] = [];
  for (const [i, range] of sorted.entries()) {
    const gap = gaps[i - 1];
    const before = ranges.at(-1);
    const isApart = gap !== undefined && gap > 0n && (gap > limit || (gap === limit && left-- > 0));
    if (before === undefined || isApart) ranges.push(range);
    else ranges[ranges.length - 1] = { from: before.from, to: range.to };
  }
  return ranges;
}
