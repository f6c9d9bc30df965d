import type { Datum } from "../../rows/index.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
import { collect } from "./operators.ts";
import { type ExecRun, eachRow, type Row, type RowSource } from "./run.ts";

export type JoinType = "inner" | "left" | "full" | "semi" | "anti";

/** Equal for keys that are equal; undefined where one of them is NULL, which equals nothing. */
export type JoinKeyOf = (row: Row, run: ExecRun) => string | number | bigint | boolean | undefined;

export interface JoinParts {
  readonly type: JoinType;
  /** Absent where rows are found by the condition alone. */
  readonly leftKey?: JoinKeyOf | undefined;
  readonly rightKey?: JoinKeyOf | undefined;
  readonly leftWidth: number;
  readonly rightWidth: number;
  /** Of a row of both sides. */
  readonly condition: Evaluator | undefined;
}

/** Rows of this many are given on. */
const BATCH = 512;

/** The right side, by its keys. */
interface Table {
  readonly all: readonly Row[];
  readonly byKey: ReadonlyMap<unknown, readonly Row[]> | undefined;
}

const NONE: readonly Row[] = [];

/** A condition's value; a promise of it where a subquery must be read first. */
export function valueFor(value: Evaluator, row: Row, run: ExecRun): Datum | Promise<Datum> {
  try {
    return value(row, run.evaluation);
  } catch (error) {
    if (!(error instanceof PendingSubquery)) throw error;
    return run.evaluate(() => value(row, run.evaluation));
  }
}

async function tableOf(rows: readonly Row[], parts: JoinParts, run: ExecRun): Promise<Table> {
  const { rightKey } = parts;
  if (rightKey === undefined) return { all: rows, byKey: undefined };
  const byKey = new Map<unknown, Row[]>();
  for (const [i, row] of rows.entries()) {
    if (i % BATCH === 0) {
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
    const key = rightKey(row, run);
    if (key === undefined) continue;
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [row]);
    else same.push(row);
  }
  return { all: rows, byKey };
}

/** Joins with the whole right side, which is kept in memory: by its keys, or row by row. */
export async function* joined(
  left: RowSource,
  right: RowSource,
  run: ExecRun,
  parts: JoinParts,
): AsyncGenerator<readonly Row[], void> {
  const { type, leftWidth } = parts;
  const table = await tableOf(await collect(right, run), parts, run);
  const isFull = type === "full";
  const matched = isFull ? new Set<Row>() : undefined;
  // Nothing is on the right: the left side need not be read.
  if (table.all.length === 0 && (type === "inner" || type === "semi")) {
    left.close();
    return;
  }
  try {
    for (;;) {
      const batch = await left.next();
      if (batch === undefined) break;
      yield* probed(batch, table, run, parts, matched);
    }
  } finally {
    left.close();
  }
  if (matched === undefined) return;
  const none: Row = new Array<Datum>(leftWidth).fill(null);
  let out: Row[] = [];
  for (const row of table.all) {
    if (!matched.has(row)) out.push([...none, ...row]);
    if (out.length < BATCH) continue;
    await run.pause();
    yield out;
    out = [];
  }
  if (out.length > 0) yield out;
}

/** Reads the right side anew for each batch of the left one: only what its keys ask for. */
export async function* lookedUp(
  left: RowSource,
  run: ExecRun,
  parts: JoinParts,
  look: (batch: readonly Row[]) => Promise<RowSource>,
): AsyncGenerator<readonly Row[], void> {
  try {
    for (;;) {
      const batch = await left.next();
      if (batch === undefined) return;
      const found: Row[] = [];
      for await (const row of eachRow(await look(batch), run)) found.push(row);
      yield* probed(batch, await tableOf(found, parts, run), run, parts, undefined);
    }
  } finally {
    left.close();
  }
}

async function* probed(
  batch: readonly Row[],
  table: Table,
  run: ExecRun,
  { type, leftKey, rightWidth, condition }: JoinParts,
  matched: Set<Row> | undefined,
): AsyncGenerator<readonly Row[], void> {
  const none: Row = new Array<Datum>(rightWidth).fill(null);
  let out: Row[] = [];
  let steps = 0;
  for (const row of batch) {
    const key = leftKey?.(row, run);
    const rows =
      leftKey === undefined
        ? table.all
        : key === undefined
          ? NONE
          : (table.byKey?.get(key) ?? NONE);
    let isMatched = false;
    for (const other of rows) {
      if (++steps % 256 === 0) {
        const pause = run.pause();
        if (pause !== undefined) await pause;
      }
      const both = row.concat(other);
      if (condition !== undefined) {
        const met = valueFor(condition, both, run);
        if ((met instanceof Promise ? await met : met) !== true) continue;
      }
      isMatched = true;
      if (type === "semi" || type === "anti") break;
      matched?.add(other);
      out.push(both);
      if (out.length < BATCH) continue;
      yield out;
      out = [];
    }
    if (type === "semi" ? isMatched : type === "anti" && !isMatched) out.push(row);
    if (!isMatched && (type === "left" || type === "full")) out.push(row.concat(none));
  }
  const pause = run.pause();
  if (pause !== undefined) await pause;
  if (out.length > 0) yield out;
}

/** Reads the right side anew for each row of the left one, which it may use. */
export async function* applied(
  left: RowSource,
  run: ExecRun,
  { type, rightWidth, condition }: JoinParts,
  open: (row: Row) => Promise<RowSource>,
): AsyncGenerator<readonly Row[], void> {
  const none: Row = new Array<Datum>(rightWidth).fill(null);
  let out: Row[] = [];
  for await (const row of eachRow(left, run)) {
    let isMatched = false;
    for await (const other of eachRow(await open(row), run)) {
      const both = row.concat(other);
      if (condition !== undefined) {
        const met = valueFor(condition, both, run);
        if ((met instanceof Promise ? await met : met) !== true) continue;
      }
      isMatched = true;
      out.push(both);
      if (out.length < BATCH) continue;
      yield out;
      out = [];
    }
    if (!isMatched && type === "left") out.push(row.concat(none));
    if (out.length >= 64) {
      yield out;
      out = [];
    }
  }
  if (out.length > 0) yield out;
}

/** Batches of a generator as a source. */
export class BatchRows implements RowSource {
  readonly #batches: AsyncGenerator<readonly Row[], void>;
  readonly #close: () => void;

  constructor(batches: AsyncGenerator<readonly Row[], void>, close: () => void = () => undefined) {
    this.#batches = batches;
    this.#close = close;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const { done, value } = await this.#batches.next();
      if (done === true) return undefined;
      if (value.length > 0) return value;
    }
  }

  close(): void {
    // A generator that has not begun closes nothing: what it was given is closed here.
    this.#close();
    // What fails under way is told by `next`; here no caller waits for it.
    this.#batches.return().catch(() => undefined);
  }
}
