import type { Datum } from "../../rows/index.ts";
import { collect, ReadyRows } from "./operators.ts";
import { type ExecRun, outerText, type Row, type RowSource, rowBytes } from "./run.ts";

/** Values for which rows are kept, and rows of one of them. */
const MOST_VALUES = 4_096;
const MOST_ROWS = 256;

/** Rows that were read for given values: what is asked again is not read again. */
export class RowsMemo {
  readonly #run: ExecRun;
  readonly #known = new Map<string, readonly Row[]>();

  constructor(run: ExecRun) {
    this.#run = run;
  }

  async open(values: readonly Datum[], read: () => Promise<RowSource>): Promise<RowSource> {
    const key = values.map(outerText).join("");
    const known = this.#known.get(key);
    if (known !== undefined) return new ReadyRows(known);
    const rows = await collect(await read(), this.#run);
    const bytes = rows.reduce((sum, row) => sum + rowBytes(row), 0);
    if (rows.length <= MOST_ROWS && this.#known.size < MOST_VALUES) this.#known.set(key, rows);
    else this.#run.keep(-bytes);
    return new ReadyRows(rows);
  }
}
