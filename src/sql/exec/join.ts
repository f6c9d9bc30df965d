import type { Datum } from "../../rows/index.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
import { type ExecRun, eachRow, type Row, type RowSource, WorkMemory } from "./run.ts";
import type { Spill } from "./spill.ts";
import { MOST_LEVELS, Parts, RowPile, type WorkFacts } from "./tape.ts";

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

/**
 * Joins with the whole right side, which is kept in memory: by its keys, or row by row. Where the
 * memory does not hold it, both sides are split by the hashes of their keys, or it is read from a
 * file for as many rows of the left side as the memory holds.
 */
export async function* joined(
  leftRows: RowSource,
  right: RowSource,
  run: ExecRun,
  parts: JoinParts,
  work: WorkFacts,
  level = 0,
): AsyncGenerator<readonly Row[], void> {
  const memory = new WorkMemory(run);
  const { spill } = run;
  const isKeyed = parts.rightKey !== undefined;
  const { hashBytes = 0, workBytes = 0 } = spill?.limits ?? {};
  const most = isKeyed ? hashBytes : workBytes;
  const rows: Row[] = [];
  // Where sides change rows, the left one comes first, as in PostgreSQL.
  const left = run.changed === undefined ? leftRows : await begun(leftRows);
  try {
    for (;;) {
      const batch = await right.next();
      if (batch === undefined) break;
      for (const row of batch) rows.push(row);
      memory.keepRows(batch);
      work.sees(memory.bytes);
      if (spill !== undefined && memory.bytes > most) {
        const whole = behind(rows, right);
        const isSplit = isKeyed && level < MOST_LEVELS;
        if (isSplit)
          yield* splitJoin({ left, right: whole, run, memory, parts, work, spill, level });
        else yield* blockJoin({ left, right: whole, run, memory, parts, work, spill, level });
        return;
      }
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
    yield* inMemory(left, rows, run, parts);
  } finally {
    left.close();
    right.close();
    memory.release();
  }
}

/** A source whose first rows have been read. */
async function begun(source: RowSource): Promise<RowSource> {
  let first = await source.next();
  return {
    next: () => {
      const batch = first;
      first = undefined;
      return batch ?? source.next();
    },
    close: () => source.close(),
  };
}

/** Rows that were read, then those that were not. The rows are let go as they are read again. */
function behind(rows: Row[], rest: RowSource): RowSource {
  let at = 0;
  return {
    next: () => {
      if (at >= rows.length) {
        rows.length = 0;
        at = 0;
        return rest.next();
      }
      at += BATCH;
      return rows.slice(at - BATCH, at);
    },
    close: () => rest.close(),
  };
}

async function* inMemory(
  left: RowSource,
  rows: readonly Row[],
  run: ExecRun,
  parts: JoinParts,
): AsyncGenerator<readonly Row[], void> {
  const { type, leftWidth } = parts;
  const table = await tableOf(rows, parts, run);
  const isFull = type === "full";
  const matched = isFull ? new Set<Row>() : undefined;
  // Nothing is on the right: the left side need not be read.
  if (table.all.length === 0 && (type === "inner" || type === "semi")) return;
  for (;;) {
    const batch = await left.next();
    if (batch === undefined) break;
    yield* probed(batch, table, run, parts, matched);
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

/** A join whose right side the memory does not hold. */
interface LargeJoin {
  readonly left: RowSource;
  readonly right: RowSource;
  readonly run: ExecRun;
  readonly memory: WorkMemory;
  readonly parts: JoinParts;
  readonly work: WorkFacts;
  readonly spill: Spill;
  readonly level: number;
}

/** Both sides by the hashes of their keys: each part is joined by itself. */
async function* splitJoin(how: LargeJoin): AsyncGenerator<readonly Row[], void> {
  const { left, right, run, memory, parts, work, spill } = how;
  const [mine, theirs] = [new Parts(spill, how.level), new Parts(spill, how.level)];
  try {
    await spread(right, theirs, parts.rightKey, run);
    memory.release();
    await spread(left, mine, parts.leftKey, run);
    const rights = await theirs.finish();
    for (const [i, tape] of (await mine.finish()).entries()) {
      const other = rights[i];
      if (other === undefined) continue;
      // Rows of one key cannot be split again.
      const level = other.rows > theirs.rows * 0.9 ? MOST_LEVELS : how.level + 1;
      yield* joined(tape.reader(run), other.reader(run), run, parts, work, level);
    }
    work.wrote(mine.bytes + theirs.bytes, 15);
  } finally {
    mine.close();
    theirs.close();
  }
}

async function spread(
  source: RowSource,
  into: Parts,
  keyOf: JoinKeyOf | undefined,
  run: ExecRun,
): Promise<void> {
  for (;;) {
    const batch = await source.next();
    if (batch === undefined) return;
    for (const row of batch) {
      const written = into.add(keyOf?.(row, run), row);
      if (written !== undefined) await written;
    }
    const pause = run.pause();
    if (pause !== undefined) await pause;
  }
}

/** Reads the right side from a file for as many rows of the left side as the memory holds. */
async function* blockJoin({
  left,
  right,
  run,
  memory,
  parts,
  work,
  spill,
}: LargeJoin): AsyncGenerator<readonly Row[], void> {
  const pile = new RowPile(run);
  const mine = new WorkMemory(run);
  try {
    for (let batch = await right.next(); batch !== undefined; batch = await right.next()) {
      await pile.add(batch);
    }
    memory.release();
    const matched = parts.type === "full" ? new Uint8Array(pile.count) : undefined;
    memory.keep(matched?.length ?? 0);
    let rows: Row[] = [];
    for (;;) {
      const batch = await left.next();
      for (const row of batch ?? []) rows.push(row);
      mine.keepRows(batch ?? []);
      if (batch !== undefined && mine.bytes < spill.limits.workBytes) continue;
      work.sees(mine.bytes);
      if (rows.length > 0) yield* passed(rows, pile, run, parts, matched);
      rows = [];
      mine.release();
      if (batch === undefined) break;
    }
    if (matched !== undefined) yield* unmatched(pile, run, parts, matched);
    work.wrote(pile.bytes);
  } finally {
    pile.close();
    mine.release();
  }
}

/** One pass over the right side for some rows of the left one. */
async function* passed(
  rows: readonly Row[],
  pile: RowPile,
  run: ExecRun,
  { type, leftKey, rightKey, leftWidth, rightWidth, condition }: JoinParts,
  matched: Uint8Array | undefined,
): AsyncGenerator<readonly Row[], void> {
  const isOne = type === "semi" || type === "anti";
  const met = new Uint8Array(rows.length);
  // Each row has its number behind it.
  const everyone = rows.map((row, i): Row => [...row, i]);
  const table = leftKey && (await tableOf(everyone, leftTable(leftKey), run));
  const others = pile.reader();
  let out: Row[] = [];
  let [steps, number] = [0, -1];
  for (let batch = await others.next(); batch !== undefined; batch = await others.next()) {
    for (const other of batch) {
      number++;
      const theirs = rightKey?.(other, run);
      const found = table === undefined ? everyone : (table.byKey?.get(theirs) ?? NONE);
      for (const mine of rightKey !== undefined && theirs === undefined ? NONE : found) {
        if (++steps % 256 === 0) {
          const pause = run.pause();
          if (pause !== undefined) await pause;
        }
        const at = mine[leftWidth] as number;
        if (isOne && met[at] === 1) continue;
        const both = [...mine.slice(0, leftWidth), ...other];
        if (condition !== undefined) {
          const value = valueFor(condition, both, run);
          if ((value instanceof Promise ? await value : value) !== true) continue;
        }
        met[at] = 1;
        if (isOne) continue;
        if (matched !== undefined) matched[number] = 1;
        out.push(both);
        if (out.length < BATCH) continue;
        yield out;
        out = [];
      }
    }
  }
  const none: Row = new Array<Datum>(rightWidth).fill(null);
  for (const [at, row] of rows.entries()) {
    const isMet = met[at] === 1;
    if (type === "semi" ? isMet : type === "anti" && !isMet) out.push(row);
    if (!isMet && (type === "left" || type === "full")) out.push(row.concat(none));
  }
  if (out.length > 0) yield out;
}

function leftTable(leftKey: JoinKeyOf): JoinParts {
  return { type: "inner", rightKey: leftKey, leftWidth: 0, rightWidth: 0, condition: undefined };
}

/** Rows of the right side that met none of the left one. */
async function* unmatched(
  pile: RowPile,
  run: ExecRun,
  { leftWidth }: JoinParts,
  matched: Uint8Array,
): AsyncGenerator<readonly Row[], void> {
  const none: Row = new Array<Datum>(leftWidth).fill(null);
  const others = pile.reader();
  let number = 0;
  for (let batch = await others.next(); batch !== undefined; batch = await others.next()) {
    const out = batch.filter(() => matched[number++] === 0).map((row) => [...none, ...row]);
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (out.length > 0) yield out;
  }
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
  readonly #facts: () => readonly string[];

  constructor(
    batches: AsyncGenerator<readonly Row[], void>,
    close: () => void = () => undefined,
    facts: () => readonly string[] = () => [],
  ) {
    this.#batches = batches;
    this.#close = close;
    this.#facts = facts;
  }

  facts(): readonly string[] {
    return this.#facts();
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
