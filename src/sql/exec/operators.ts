import type { Datum } from "../../rows/index.ts";
import type { Compare } from "../functions/implementation.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
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

  facts(): readonly string[] {
    return this.#source.facts?.() ?? [];
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

/** A value that is equal for equal rows. */
export type KeyOf = (row: Row) => string;

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

  facts(): readonly string[] {
    return this.#source.facts?.() ?? [];
  }

  close(): void {
    this.#source.close();
  }
}
