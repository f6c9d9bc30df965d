import type { Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import type { Evaluator } from "./evaluate.ts";
import type { Accumulator } from "./group.ts";
import { type ExecRun, eachRow, type Row, type RowSource, rowBytes, WorkMemory } from "./run.ts";
import { RowPile } from "./tape.ts";
import {
  type Bound,
  checkedOffset,
  type FrameSpec,
  frameOf,
  isExcluded,
  type Partition,
  partitionOf,
} from "./window-frame.ts";

/** A window function of one partition and order. */
export interface WindowFunction {
  readonly name: string;
  readonly arguments: readonly Evaluator[];
  readonly filter: Evaluator | undefined;
  /** An aggregate; absent for window functions proper. */
  readonly begin: ((run: ExecRun) => Accumulator) | undefined;
  readonly mode: FrameSpec["mode"];
  readonly start: WindowBound;
  readonly end: WindowBound;
  readonly exclude: FrameSpec["exclude"];
  /** RANGE with an offset: whether `value` is within `offset` of `of`. */
  readonly inRange?:
    | ((value: Datum, of: Datum, bound: Bound, side: "start" | "end", run: ExecRun) => boolean)
    | undefined;
}

export interface WindowBound {
  readonly kind: Bound["kind"];
  readonly offset?: Evaluator | undefined;
}

export interface WindowParts {
  readonly functions: readonly WindowFunction[];
  readonly isSamePartition: (left: Row, right: Row) => boolean;
  readonly isPeer: (left: Row, right: Row) => boolean;
  /** The value that RANGE with an offset computes from. */
  readonly orderValue: ((row: Row) => Datum) | undefined;
}

/**
 * Sorted rows with the values of window functions behind them. A partition that the memory does not
 * hold is kept in a file; the arguments and values of its functions stay in memory.
 */
export async function* windowed(
  source: RowSource,
  run: ExecRun,
  parts: WindowParts,
): AsyncGenerator<readonly Row[], void> {
  let pile = new RowPile(run);
  let [first, last]: (Row | undefined)[] = [];
  let peers: boolean[] = [];
  let rows: Row[] = [];
  const whole = async (): Promise<PartitionRows> => {
    await pile.add(rows);
    rows = [];
    return { pile, first: first as Row, peers };
  };
  try {
    for await (const row of eachRow(source, run)) {
      if (first !== undefined && !parts.isSamePartition(first, row)) {
        yield* partitionRows(await whole(), run, parts);
        pile.close();
        pile = new RowPile(run);
        [first, last] = [undefined, undefined];
        peers = [];
      }
      first ??= row;
      peers.push(last !== undefined && parts.isPeer(last, row));
      last = row;
      rows.push(row);
      if (rows.length < 256) continue;
      await pile.add(rows);
      rows = [];
    }
    if (first !== undefined) yield* partitionRows(await whole(), run, parts);
  } finally {
    pile.close();
  }
}

interface PartitionRows {
  readonly pile: RowPile;
  readonly first: Row;
  /** Whether each row is a peer of the one before it. */
  readonly peers: readonly boolean[];
}

async function* partitionRows(
  all: PartitionRows,
  run: ExecRun,
  parts: WindowParts,
): AsyncGenerator<readonly Row[], void> {
  const memory = new WorkMemory(run);
  const partition = partitionOf(all.pile.count, (_, row) => all.peers[row] === true);
  try {
    const columns: (readonly Datum[])[] = [];
    for (const each of parts.functions) {
      const column = await computed(each, all, partition, run, parts);
      memory.keep(rowBytes(column));
      columns.push(column);
    }
    const reader = all.pile.reader();
    let at = 0;
    for (let rows = await reader.next(); rows !== undefined; rows = await reader.next()) {
      const from = at;
      yield rows.map((row, i) => [...row, ...columns.map((column) => column[from + i] as Datum)]);
      at += rows.length;
    }
  } finally {
    memory.release();
  }
}

/** The values of one function for all rows of a partition. */
async function computed(
  one: WindowFunction,
  all: PartitionRows,
  partition: Partition,
  run: ExecRun,
  parts: WindowParts,
): Promise<readonly Datum[]> {
  const memory = new WorkMemory(run);
  const given: (readonly Datum[] | undefined)[] = [];
  // The value that RANGE computes from, of each row.
  const ordered: Datum[] = [];
  for await (const row of eachRow(all.pile.reader(), run)) {
    if (one.inRange !== undefined) ordered.push(parts.orderValue?.(row) ?? null);
    const args = (): readonly Datum[] | undefined =>
      one.filter !== undefined && one.filter(row, run.evaluation) !== true
        ? undefined
        : one.arguments.map((argument) => argument(row, run.evaluation));
    const values = await run.evaluate(args);
    given.push(values);
    // A row without values shares one array with others.
    if (values !== undefined && values.length > 0) memory.keep(rowBytes(values));
  }
  try {
    return await valuesOf(one, given, all.first, partition, run, ordered);
  } finally {
    memory.release();
  }
}

async function valuesOf(
  one: WindowFunction,
  given: readonly (readonly Datum[] | undefined)[],
  first: Row,
  partition: Partition,
  run: ExecRun,
  ordered: readonly Datum[],
): Promise<readonly Datum[]> {
  if (one.begin === undefined && !FRAMED.has(one.name)) {
    return ranked(one.name, given as readonly (readonly Datum[])[], partition);
  }
  const spec = await frameSpec(one, first, run, ordered);
  if (one.begin === undefined) {
    return framedValues(one.name, given as readonly (readonly Datum[])[], partition, spec);
  }
  return await aggregated(one.begin, given, partition, spec, run);
}

const FRAMED: ReadonlySet<string> = new Set(["first_value", "last_value", "nth_value"]);

async function frameSpec(
  one: WindowFunction,
  first: Row,
  run: ExecRun,
  ordered: readonly Datum[],
): Promise<FrameSpec> {
  const bound = async (side: "start" | "end"): Promise<Bound> => {
    const { kind, offset } = one[side];
    if (offset === undefined) return { kind };
    const value = await run.evaluate(() => offset(first, run.evaluation));
    checkedOffset(value, side === "start" ? "starting" : "ending", one.mode === "range");
    return { kind, offset: value };
  };
  const [start, end] = [await bound("start"), await bound("end")];
  const { mode, exclude, inRange } = one;
  const value = (at: number): Datum => ordered[at] ?? null;
  return {
    mode,
    exclude,
    start,
    end,
    isWithin: inRange && ((at, of, edge, side) => inRange(value(at), value(of), edge, side, run)),
  };
}

/** Functions of the place in the partition alone. */
function ranked(
  name: string,
  args: readonly (readonly Datum[])[],
  { size, groupOf, starts }: Partition,
): readonly Datum[] {
  const start = (row: number): number => starts[groupOf[row] as number] as number;
  const end = (row: number): number => starts[(groupOf[row] as number) + 1] as number;
  const all = (value: (row: number) => Datum): readonly Datum[] =>
    Array.from({ length: size }, (_, row) => value(row));
  switch (name) {
    case "row_number":
      return all((row) => BigInt(row + 1));
    case "rank":
      return all((row) => BigInt(start(row) + 1));
    case "dense_rank":
      return all((row) => BigInt((groupOf[row] as number) + 1));
    case "percent_rank":
      return all((row) => (size <= 1 ? 0 : start(row) / (size - 1)));
    case "cume_dist":
      return all((row) => end(row) / size);
    case "ntile":
      return ntile(args, size);
    case "lag":
    case "lead":
      return all((row) => {
        const [value = null, offset = 1, otherwise = null] = args[row] as readonly Datum[];
        void value;
        if (offset === null) return null;
        const at = name === "lag" ? row - Number(offset) : row + Number(offset);
        return at < 0 || at >= size ? otherwise : (args[at]?.[0] ?? null);
      });
    default:
      throw new SqlError("0A000", `the window function ${name} is not supported`);
  }
}

function ntile(args: readonly (readonly Datum[])[], size: number): readonly Datum[] {
  const count = args[0]?.[0] ?? null;
  if (count === null) return new Array<Datum>(size).fill(null);
  const buckets = Number(count);
  if (buckets <= 0) throw new SqlError("22014", "argument of ntile must be greater than zero");
  const least = Math.floor(size / buckets);
  const larger = size % buckets;
  const inLarger = larger * (least + 1);
  return Array.from({ length: size }, (_, row) =>
    row < inLarger
      ? Math.floor(row / (least + 1)) + 1
      : larger + Math.floor((row - inLarger) / Math.max(1, least)) + 1,
  );
}

/** Values of single rows of the frame. */
function framedValues(
  name: string,
  args: readonly (readonly Datum[])[],
  partition: Partition,
  spec: FrameSpec,
): readonly Datum[] {
  return args.map(([, nth = null], row) => {
    const { start, end } = frameOf(partition, spec, row);
    const value = (at: number): Datum => args[at]?.[0] ?? null;
    if (name === "last_value") {
      for (let at = end - 1; at >= start; at--) {
        if (!isExcluded(partition, spec, row, at)) return value(at);
      }
      return null;
    }
    if (name === "nth_value" && nth === null) return null;
    let left = name === "nth_value" ? Number(nth) : 1;
    if (left <= 0) {
      throw new SqlError("22016", "argument of nth_value must be greater than zero");
    }
    if (spec.exclude === "no others")
      return start + left - 1 < end ? value(start + left - 1) : null;
    for (let at = start; at < end; at++) {
      if (!isExcluded(partition, spec, row, at) && --left === 0) return value(at);
    }
    return null;
  });
}

async function aggregated(
  begin: (run: ExecRun) => Accumulator,
  given: readonly (readonly Datum[] | undefined)[],
  partition: Partition,
  spec: FrameSpec,
  run: ExecRun,
): Promise<readonly Datum[]> {
  const out: Datum[] = [];
  const isGrowing = spec.start.kind === "unbounded preceding" && spec.exclude === "no others";
  let accumulator = begin(run);
  let upTo = 0;
  let steps = 0;
  let before: { readonly start: number; readonly end: number } | undefined;
  for (let row = 0; row < given.length; row++) {
    const frame = frameOf(partition, spec, row);
    const isSame = before?.start === frame.start && before.end === frame.end;
    if (isSame && spec.exclude === "no others") {
      out.push(out.at(-1) as Datum);
      continue;
    }
    before = frame;
    if (!isGrowing) {
      accumulator = begin(run);
      upTo = frame.start;
    }
    for (; upTo < frame.end; upTo++) {
      if (++steps % 256 === 0) {
        const pause = run.pause();
        if (pause !== undefined) await pause;
      }
      const args = given[upTo];
      if (args !== undefined && !isExcluded(partition, spec, row, upTo)) accumulator.add(args);
    }
    out.push(accumulator.result());
  }
  return out;
}
