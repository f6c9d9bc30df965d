import type { Datum } from "../../rows/index.ts";
import type { Compare } from "../functions/implementation.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
import { quicksort } from "./quicksort.ts";
import { type ExecRun, type Row, type RowSource, rowBytes } from "./run.ts";

/** Rows of one batch between two looks at the clock. */
const STEP = 256;

/** Rows that are there already. */
export class ReadyRows implements RowSource {
  readonly #rows: readonly Row[];
  #at = 0;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  next(): readonly Row[] | undefined {
    if (this.#at >= this.#rows.length) return undefined;
    const batch = this.#rows.slice(this.#at, this.#at + STEP);
    this.#at += batch.length;
    return batch;
  }

  close(): void {
    this.#at = this.#rows.length;
  }
}

/** Rows that a generator makes as they are asked for. */
export class MadeRows implements RowSource {
  readonly #rows: Iterator<Row>;
  readonly #run: ExecRun;

  constructor(rows: Iterator<Row>, run: ExecRun) {
    this.#rows = rows;
    this.#run = run;
  }

  async next(): Promise<readonly Row[] | undefined> {
    await this.#run.pause();
    const batch: Row[] = [];
    while (batch.length < STEP) {
      const { done, value } = this.#rows.next();
      if (done === true) break;
      batch.push(value);
    }
    return batch.length === 0 ? undefined : batch;
  }

  close(): void {
    this.#rows.return?.();
  }
}

/** Rows that meet a condition, and what is computed of them. */
export class MappedRows implements RowSource {
  readonly #source: RowSource;
  readonly #run: ExecRun;
  readonly #condition: Evaluator | undefined;
  readonly #values: readonly Evaluator[] | undefined;
  /** The row of the batch that is next. */
  #at = 0;

  constructor(
    source: RowSource,
    run: ExecRun,
    condition: Evaluator | undefined,
    values: readonly Evaluator[] | undefined,
  ) {
    this.#source = source;
    this.#run = run;
    this.#condition = condition;
    this.#values = values;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const batch = await this.#source.next();
      if (batch === undefined) return undefined;
      const out: Row[] = [];
      this.#at = 0;
      while (this.#at < batch.length) {
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
        try {
          this.#map(batch, Math.min(batch.length, this.#at + STEP), out);
        } catch (error) {
          if (!(error instanceof PendingSubquery)) throw error;
          await error.read();
        }
      }
      if (out.length > 0) return out;
    }
  }

  #map(batch: readonly Row[], to: number, out: Row[]): void {
    const condition = this.#condition;
    const values = this.#values;
    const { evaluation } = this.#run;
    for (; this.#at < to; this.#at++) {
      const row = batch[this.#at] as Row;
      if (condition !== undefined && condition(row, evaluation) !== true) continue;
      out.push(values === undefined ? row : values.map((value) => value(row, evaluation)));
    }
  }

  close(): void {
    this.#source.close();
  }
}

/** OFFSET and LIMIT. What is behind the limit is not read. */
export class LimitedRows implements RowSource {
  readonly #source: RowSource;
  #skip: number;
  #left: number;

  constructor(source: RowSource, skip: number, most: number) {
    this.#source = source;
    this.#skip = skip;
    this.#left = most;
  }

  async next(): Promise<readonly Row[] | undefined> {
    while (this.#left > 0) {
      const batch = await this.#source.next();
      if (batch === undefined) return undefined;
      const skipped = Math.min(this.#skip, batch.length);
      this.#skip -= skipped;
      const taken = batch.slice(skipped, skipped + this.#left);
      this.#left -= taken.length;
      if (this.#left <= 0) this.close();
      if (taken.length > 0) return taken;
    }
    return undefined;
  }

  close(): void {
    this.#left = 0;
    this.#source.close();
  }
}

/** One column that rows are sorted by. */
export interface SortKey {
  readonly slot: number;
  readonly compare: Compare;
  readonly isDescending: boolean;
  readonly isNullsFirst: boolean;
}

/** All rows of a source. */
export async function collect(source: RowSource, run: ExecRun): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    for (;;) {
      const batch = await source.next();
      if (batch === undefined) return rows;
      let bytes = 0;
      for (const row of batch) {
        rows.push(row);
        bytes += rowBytes(row);
      }
      run.keep(bytes);
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
  } finally {
    source.close();
  }
}

export function compareRows(keys: readonly SortKey[]): (left: Row, right: Row) => number {
  return (left, right) => {
    for (const { slot, compare, isDescending, isNullsFirst } of keys) {
      const a = left[slot] as Datum;
      const b = right[slot] as Datum;
      if (a === null || b === null) {
        if (a === b) continue;
        return (a === null) === isNullsFirst ? -1 : 1;
      }
      const order = compare(a, b);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  };
}

/** Sorted runs are merged: no run holds the event loop. */
const RUN_ROWS = 2_048;

/** What a sort may do. */
interface SortOptions {
  /** So many rows are asked for. */
  readonly most?: number | undefined;
  /** Few rows that are equal come as PostgreSQL's sort leaves them, not as they came in. */
  readonly isAsPostgres?: boolean;
}

/** Sorts all rows of a source, stably unless told otherwise. */
export class SortedRows implements RowSource {
  readonly #source: RowSource;
  readonly #run: ExecRun;
  readonly #compare: (left: Row, right: Row) => number;
  readonly #most: number | undefined;
  readonly #isAsPostgres: boolean;
  #sorted: ReadyRows | undefined;

  constructor(
    source: RowSource,
    run: ExecRun,
    keys: readonly SortKey[],
    options: SortOptions = {},
  ) {
    this.#source = source;
    this.#run = run;
    this.#compare = compareRows(keys);
    this.#most = options.most;
    this.#isAsPostgres = options.isAsPostgres ?? false;
  }

  async next(): Promise<readonly Row[] | undefined> {
    if (this.#sorted === undefined) {
      const isFew = this.#most !== undefined && this.#most <= RUN_ROWS;
      const rows = isFew ? await this.#first(this.#most ?? 0) : await this.#all();
      this.#sorted = new ReadyRows(rows);
    }
    return this.#sorted.next();
  }

  async #all(): Promise<readonly Row[]> {
    return await this.#sort(await collect(this.#source, this.#run));
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
    return rows.sort(this.#compare);
  }

  async #sort(rows: Row[]): Promise<readonly Row[]> {
    // Merged runs would not have PostgreSQL's order: the stable sort is faster where rows come in
    // order of another key, as most tables are read.
    if (this.#isAsPostgres && rows.length <= RUN_ROWS) return quicksort(rows, this.#compare);
    let runs: Row[][] = [];
    for (let at = 0; at < rows.length; at += RUN_ROWS) {
      runs.push(rows.slice(at, at + RUN_ROWS).sort(this.#compare));
      await this.#run.pause();
    }
    while (runs.length > 1) {
      const merged: Row[][] = [];
      for (let i = 0; i < runs.length; i += 2) {
        const [left = [], right] = [runs[i], runs[i + 1]];
        merged.push(right === undefined ? left : await this.#merge(left, right));
      }
      runs = merged;
    }
    return runs[0] ?? [];
  }

  async #merge(left: readonly Row[], right: readonly Row[]): Promise<Row[]> {
    const out: Row[] = [];
    let [l, r] = [0, 0];
    while (l < left.length && r < right.length) {
      if (out.length % STEP === 0) {
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
      }
      const isRight = this.#compare(left[l] as Row, right[r] as Row) > 0;
      out.push((isRight ? right[r++] : left[l++]) as Row);
    }
    while (l < left.length) out.push(left[l++] as Row);
    while (r < right.length) out.push(right[r++] as Row);
    return out;
  }

  close(): void {
    this.#source.close();
    this.#sorted?.close();
  }
}

/** A value that is equal for equal rows. */
export type KeyOf = (row: Row) => string;

/** DISTINCT: the first of equal rows. */
export class DistinctRows implements RowSource {
  readonly #source: RowSource;
  readonly #run: ExecRun;
  readonly #keyOf: KeyOf;
  readonly #seen = new Set<string>();

  constructor(source: RowSource, run: ExecRun, keyOf: KeyOf) {
    this.#source = source;
    this.#run = run;
    this.#keyOf = keyOf;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const batch = await this.#source.next();
      if (batch === undefined) return undefined;
      const out: Row[] = [];
      for (const row of batch) {
        const key = this.#keyOf(row);
        if (this.#seen.has(key)) continue;
        this.#seen.add(key);
        this.#run.keep(key.length * 2 + 64);
        out.push(row);
      }
      const pause = this.#run.pause();
      if (pause !== undefined) await pause;
      if (out.length > 0) return out;
    }
  }

  close(): void {
    this.#source.close();
  }
}

/** FETCH FIRST … WITH TIES: behind the last row, those that are its equals in the order. */
export class TiedRows implements RowSource {
  readonly #source: RowSource;
  readonly #compare: (left: Row, right: Row) => number;
  #skip: number;
  #left: number;
  #last: Row | undefined;

  constructor(source: RowSource, skip: number, most: number, keys: readonly SortKey[]) {
    this.#source = source;
    this.#skip = skip;
    this.#left = most;
    this.#compare = compareRows(keys);
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const batch = this.#left < 0 ? undefined : await this.#source.next();
      if (batch === undefined) return undefined;
      const out = batch.filter((row) => this.#takes(row));
      if (out.length > 0) return out;
    }
  }

  #takes(row: Row): boolean {
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    if (this.#left > 0) {
      this.#left--;
      this.#last = row;
      return true;
    }
    const isTied =
      this.#left === 0 && this.#last !== undefined && this.#compare(row, this.#last) === 0;
    if (!isTied) this.#left = -1;
    return isTied;
  }

  close(): void {
    this.#source.close();
  }
}

/** Rows without what they were only sorted by. */
export class CutRows implements RowSource {
  readonly #source: RowSource;
  readonly #width: number;

  constructor(source: RowSource, width: number) {
    this.#source = source;
    this.#width = width;
  }

  async next(): Promise<readonly Row[] | undefined> {
    const batch = await this.#source.next();
    return batch?.map((row) => row.slice(0, this.#width));
  }

  close(): void {
    this.#source.close();
  }
}
