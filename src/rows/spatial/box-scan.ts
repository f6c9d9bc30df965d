import { boxRanges } from "../../keys/index.ts";
import type { CompiledIndex } from "../compiled-index.ts";
import type { CompiledTable } from "../compiled-table.ts";
import type { EngineView } from "../engine-view.ts";
import type { RangeRequest } from "../key-codec.ts";
import { keyIn, RangeScans } from "../range-scans.ts";
import { rowsOfEntries, type ScanHost, type StoredRow, type StoredRows } from "../stored-rows.ts";
import type { PackedView } from "../view-scan.ts";
import { type BoxSide, curveOf, type GridBox, gridBox, isWithin } from "./grid.ts";

/** How the rows of a box are found. */
export interface BoxPlan {
  readonly ranges: readonly RangeRequest[];
  readonly grid: GridBox;
}

/** Cost of a row that is fetched by its key, and of one that a scan passes, in entries. */
const FETCHED = 8;
const PASSED = 2;

/**
 * The ranges of the curve that cover a box, at most 32.
 *
 * @param mayReadWhole whether the whole table is read where that costs less, by the engine's
 *   estimates.
 * @returns undefined: read the whole table.
 */
export async function planBox(
  view: Pick<EngineView, "estimate">,
  compiled: CompiledTable,
  index: CompiledIndex,
  box: readonly BoxSide[],
  mayReadWhole: boolean,
): Promise<BoxPlan | undefined> {
  const curve = curveOf(index.index.parts.length);
  const grid = gridBox(curve.dimensions, box);
  if (grid === undefined) return { ranges: [], grid: { low: [], high: [] } };
  const ranges = boxRanges(curve, grid.low, grid.high).ranges.map(({ from, to }): RangeRequest => {
    return { lower: { value: from, inclusive: true }, upper: { value: to, inclusive: true } };
  });
  if (!mayReadWhole) return { ranges, grid };
  const { entries: total } = await view.estimate(compiled.key.range({}));
  let entries = 0;
  for (const range of ranges) entries += (await view.estimate(index.key.range(range))).entries;
  return entries * (1 + FETCHED) > total * PASSED ? undefined : { ranges, grid };
}

/** Bytes of a place on the curve in a key: its marker, and a number of 64 bits. */
const PLACE_BYTES = 9;

/** Rows whose entries lie in a box of the grid, in the order of the curve. */
export class BoxRows implements StoredRows {
  readonly #ranges: RangeScans;
  readonly #compiled: CompiledTable;
  readonly #index: CompiledIndex;
  readonly #grid: GridBox;
  readonly #host: ScanHost;
  readonly #prefix: Uint8Array;
  entries = 0;
  rows = 0;

  constructor(
    begin: readonly (() => PackedView)[],
    compiled: CompiledTable,
    index: CompiledIndex,
    grid: GridBox,
    host: ScanHost,
  ) {
    this.#ranges = new RangeScans(begin);
    this.#compiled = compiled;
    this.#index = index;
    this.#grid = grid;
    this.#host = host;
    this.#prefix = compiled.key.encodeStart([]);
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    this.#host.onRead();
    for (;;) {
      const packed = await this.#ranges.next();
      if (packed === undefined) return undefined;
      this.entries += packed.count;
      const keys: Uint8Array[] = [];
      const skip = this.#prefix.length + PLACE_BYTES;
      const curve = curveOf(this.#grid.low.length);
      for (let i = 0; i < packed.count; i++) {
        const entry = keyIn(packed, i);
        const [place] = this.#index.key.decode(entry, 1);
        // Ranges hold places beside the box too: their rows are not fetched.
        if (!isWithin(this.#grid, curve.decode(place as bigint))) continue;
        keys.push(Buffer.concat([this.#prefix, entry.subarray(skip)]));
      }
      if (keys.length === 0) continue;
      this.rows += keys.length;
      return await rowsOfEntries(this.#host, this.#compiled, this.#index, keys);
    }
  }

  close(): void {
    this.#ranges.close();
  }
}
