import { compareRows, ReadyRows, type SortKey } from "./operators.ts";
import { quicksort } from "./quicksort.ts";
import { type ExecRun, type Row, type RowSource, WorkMemory } from "./run.ts";
import type { Spill, TapeFile } from "./spill.ts";
import { kilobytes, Tape } from "./tape.ts";

type CompareRows = (left: Row, right: Row) => number;

/** Rows of one batch between two looks at the clock. */
const STEP = 256;
/** Sorted runs are merged: no run holds the event loop. */
const RUN_ROWS = 2_048;
/** Few rows that come in PostgreSQL's order stay in memory up to this, whatever is allowed. */
const FEW_BYTES = 1_048_576;

/** What a sort may do. */
interface SortOptions {
  /** So many rows are asked for. */
  readonly most?: number | undefined;
  /** Few rows that are equal come as PostgreSQL's sort leaves them, not as they came in. */
  readonly isAsPostgres?: boolean;
}

/**
 * Sorts all rows of a source, stably unless told otherwise. Rows that are too many for the memory
 * are written as sorted runs, which are then merged.
 */
export class SortedRows implements RowSource {
  readonly #source: RowSource;
  readonly #run: ExecRun;
  readonly #compare: CompareRows;
  readonly #most: number | undefined;
  readonly #isAsPostgres: boolean;
  readonly #memory: WorkMemory;
  #sorted: RowSource | undefined;
  #runs: SortedRuns | undefined;
  #method = "";

  constructor(
    source: RowSource,
    run: ExecRun,
    keys: readonly SortKey[],
    options: SortOptions = {},
  ) {
    this.#source = source;
    this.#run = run;
    this.#memory = new WorkMemory(run);
    this.#compare = compareRows(keys);
    this.#most = options.most;
    this.#isAsPostgres = options.isAsPostgres ?? false;
  }

  async next(): Promise<readonly Row[] | undefined> {
    if (this.#sorted === undefined) {
      const isFew = this.#most !== undefined && this.#most <= RUN_ROWS;
      this.#sorted = isFew ? new ReadyRows(await this.#first(this.#most ?? 0)) : await this.#all();
    }
    return await this.#sorted.next();
  }

  async #all(): Promise<RowSource> {
    let rows: Row[] = [];
    try {
      for (;;) {
        const batch = await this.#source.next();
        if (batch === undefined) break;
        for (const row of batch) rows.push(row);
        this.#memory.keepRows(batch);
        const { spill } = this.#run;
        if (spill !== undefined && this.#isTooMuch(spill, rows.length)) {
          this.#runs ??= new SortedRuns(this.#run, spill, this.#compare);
          await this.#runs.add(await sorted(rows, this.#compare, this.#run));
          rows = [];
          this.#memory.release();
        }
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
      }
    } finally {
      this.#source.close();
    }
    const kept = this.#memory.bytes;
    if (this.#runs !== undefined) {
      await this.#runs.add(await sorted(rows, this.#compare, this.#run));
      this.#memory.release();
      const merged = await this.#runs.merged();
      this.#method = `external merge  Disk: ${kilobytes(this.#runs.bytes)}`;
      return merged;
    }
    this.#method = `quicksort  Memory: ${kilobytes(kept)}`;
    // Merged runs would not have PostgreSQL's order: the stable sort is faster where rows come in
    // order of another key, as most tables are read.
    const isQuick = this.#isAsPostgres && rows.length <= RUN_ROWS;
    const all = isQuick ? quicksort(rows, this.#compare) : sorted(rows, this.#compare, this.#run);
    return new ReadyRows(await all);
  }

  #isTooMuch({ limits }: Spill, rows: number): boolean {
    const { bytes } = this.#memory;
    if (this.#isAsPostgres && this.#runs === undefined && rows <= RUN_ROWS && bytes < FEW_BYTES) {
      return false;
    }
    return bytes > limits.workBytes;
  }

  /** The first rows of the order alone: others are let go as they are read. */
  async #first(most: number): Promise<readonly Row[]> {
    let rows: Row[] = [];
    try {
      for (;;) {
        const batch = await this.#source.next();
        if (batch === undefined) break;
        const last = rows.length >= most && most > 0 ? (rows[most - 1] as Row) : undefined;
        for (const row of batch) {
          if (last === undefined || this.#compare(row, last) < 0) rows.push(row);
        }
        if (rows.length >= most) rows = rows.sort(this.#compare).slice(0, most);
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
      }
    } finally {
      this.#source.close();
    }
    this.#memory.keepRows(rows);
    this.#method = `top-N heapsort  Memory: ${kilobytes(this.#memory.bytes)}`;
    return rows.sort(this.#compare);
  }

  facts(): readonly string[] {
    return this.#method === "" ? [] : [`Sort Method: ${this.#method}`];
  }

  close(): void {
    this.#source.close();
    this.#sorted?.close();
    this.#runs?.close();
    this.#memory.release();
  }
}

/** Sorts stably, in runs, so that others have the event loop meanwhile. */
async function sorted(rows: Row[], compare: CompareRows, run: ExecRun): Promise<readonly Row[]> {
  let runs: Row[][] = [];
  for (let at = 0; at < rows.length; at += RUN_ROWS) {
    runs.push(rows.slice(at, at + RUN_ROWS).sort(compare));
    await run.pause();
  }
  while (runs.length > 1) {
    const merged: Row[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left = [], right] = [runs[i], runs[i + 1]];
      merged.push(right === undefined ? left : await mergedPair(left, right, compare, run));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedPair(
  left: readonly Row[],
  right: readonly Row[],
  compare: CompareRows,
  run: ExecRun,
): Promise<Row[]> {
  const out: Row[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    if (out.length % STEP === 0) {
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
    const isRight = compare(left[l] as Row, right[r] as Row) > 0;
    out.push((isRight ? right[r++] : left[l++]) as Row);
  }
  while (l < left.length) out.push(left[l++] as Row);
  while (r < right.length) out.push(right[r++] as Row);
  return out;
}

/** Sorted runs in temporary files, the earlier rows first. */
class SortedRuns {
  readonly #run: ExecRun;
  readonly #spill: Spill;
  readonly #compare: CompareRows;
  #file: TapeFile;
  #tapes: Tape[] = [];

  constructor(run: ExecRun, spill: Spill, compare: CompareRows) {
    this.#run = run;
    this.#spill = spill;
    this.#compare = compare;
    this.#file = spill.open();
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  async add(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const tape = new Tape(this.#file, this.#spill.blockBytes);
    for (const [i, row] of rows.entries()) {
      const written = tape.add(row);
      if (written !== undefined) await written;
      else if (i % STEP === 0) await this.#run.pause();
    }
    await tape.endBlock();
    this.#tapes.push(tape);
  }

  /** All rows in order. Where the runs are many, those next to each other are merged before. */
  async merged(): Promise<RowSource> {
    const { workBytes } = this.#spill.limits;
    // Rows of a block take several times its size in memory.
    const most = Math.max(4, Math.min(64, Math.floor(workBytes / this.#spill.blockBytes / 6)));
    while (this.#tapes.length > most) {
      const file = this.#spill.open();
      const longer: Tape[] = [];
      for (let at = 0; at < this.#tapes.length; at += most) {
        const tape = new Tape(file, this.#spill.blockBytes);
        const rows = new MergedRuns(this.#tapes.slice(at, at + most), this.#run, this.#compare);
        for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
          for (const row of batch) {
            const written = tape.add(row);
            if (written !== undefined) await written;
          }
        }
        await tape.endBlock();
        longer.push(tape);
      }
      this.#file.close();
      this.#file = file;
      this.#tapes = longer;
    }
    return new MergedRuns(this.#tapes, this.#run, this.#compare);
  }

  close(): void {
    this.#file.close();
  }
}

/** A run that is read: its next row is `rows[at]`. */
interface Head {
  readonly order: number;
  readonly source: RowSource;
  rows: readonly Row[];
  at: number;
}

/** Merges sorted runs; of equal rows those of the earlier run come first. */
class MergedRuns implements RowSource {
  readonly #tapes: readonly Tape[];
  readonly #run: ExecRun;
  readonly #compare: CompareRows;
  /** A heap: each head is not behind those at twice its place. */
  #heads: Head[] | undefined;

  constructor(tapes: readonly Tape[], run: ExecRun, compare: CompareRows) {
    this.#tapes = tapes;
    this.#run = run;
    this.#compare = compare;
  }

  async next(): Promise<readonly Row[] | undefined> {
    const heads = this.#heads ?? (await this.#begin());
    const out: Row[] = [];
    while (heads.length > 0 && out.length < STEP) {
      const [first] = heads as [Head];
      out.push(first.rows[first.at++] as Row);
      if (first.at === first.rows.length && !(await refill(first))) {
        const last = heads.pop() as Head;
        if (last === first) break;
        heads[0] = last;
      }
      this.#sink(heads, 0);
    }
    const pause = this.#run.pause();
    if (pause !== undefined) await pause;
    return out.length === 0 ? undefined : out;
  }

  async #begin(): Promise<Head[]> {
    const heads: Head[] = [];
    for (const [order, tape] of this.#tapes.entries()) {
      const head: Head = { order, source: tape.reader(this.#run), rows: [], at: 0 };
      if (await refill(head)) heads.push(head);
    }
    for (let at = heads.length >> 1; at >= 0; at--) this.#sink(heads, at);
    this.#heads = heads;
    return heads;
  }

  #sink(heads: Head[], from: number): void {
    let at = from;
    for (;;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < heads.length && this.#isBefore(heads[below], heads[least])) least = below;
      }
      if (least === at) return;
      [heads[at], heads[least]] = [heads[least] as Head, heads[at] as Head];
      at = least;
    }
  }

  #isBefore(left: Head | undefined, right: Head | undefined): boolean {
    const [a, b] = [left as Head, right as Head];
    const order = this.#compare(a.rows[a.at] as Row, b.rows[b.at] as Row);
    return order < 0 || (order === 0 && a.order < b.order);
  }

  close(): void {
    this.#heads = [];
  }
}

async function refill(head: Head): Promise<boolean> {
  const rows = await head.source.next();
  if (rows === undefined) return false;
  head.rows = rows;
  head.at = 0;
  return true;
}
