import { SqlError } from "../error.ts";
import { MOST_BYTES, rowBytes } from "../exec/run.ts";
import type { Column, Row, Rows } from "./started.ts";

/** Rows that are read from a query at once. */
const BATCH = 500;

export interface CursorOptions {
  /** Undefined where neither SCROLL nor NO SCROLL was said. */
  readonly isScroll: boolean | undefined;
  readonly isHold: boolean;
}

/**
 * A query that is read in parts. It shows the rows of its beginning: what is left of it is read
 * into memory before its transaction does anything else.
 */
export class Cursor {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly options: CursorOptions;
  readonly #end: AbortController;
  #started: Rows | undefined;
  /** Rows behind those that were passed; all of them where it scrolls. */
  #rows: Row[] = [];
  #passed = 0;
  /** What it met as it was read ahead, for who fetches so far. */
  #failure: SqlError | undefined;
  #bytes = 0;
  /** The row that it is at, from 1 on; 0 before the first, one more than there are behind all. */
  position = 0;
  isClosed = false;

  constructor(name: string, started: Rows, options: CursorOptions, end: AbortController) {
    this.name = name;
    this.columns = started.columns;
    this.options = options;
    this.#started = started;
    this.#end = end;
  }

  /** Whether all of its rows are in memory, so that its transaction may end. */
  get isRead(): boolean {
    return this.#started === undefined;
  }

  /** Runs a part of its query for a statement, which may be ended from outside. */
  async during<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    // A statement that has ended by itself says so too, without a reason of SQL's.
    const end = (): void => {
      if (signal.reason instanceof SqlError) this.#end.abort(signal.reason);
    };
    signal.addEventListener("abort", end);
    try {
      return await work();
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Goes on by some rows; the last one passed is where it then is. */
  async forward(count: number): Promise<readonly Row[]> {
    const from = this.position;
    await this.#read(from + count);
    const found = this.#slice(from, from + count);
    this.position = found.length < count ? from + found.length + 1 : from + count;
    if (found.length < count && from > this.#passed + this.#rows.length) this.position = from;
    this.#forget();
    return found;
  }

  /** Goes back by some rows: the nearest comes first. */
  backward(count: number): readonly Row[] {
    this.#assertScrolls();
    const from = Math.max(0, this.position - 1 - count);
    const found = this.#slice(from, Math.max(0, this.position - 1)).toReversed();
    this.position = found.length < count ? 0 : from + 1;
    return found;
  }

  /** Goes to a row by its number; from the end where it is below 0. */
  async absolute(number: number): Promise<readonly Row[]> {
    if (number < 0) {
      this.#assertScrolls();
      await this.readAll();
      return await this.absolute(Math.max(0, this.#passed + this.#rows.length + number + 1));
    }
    if (this.position > 0 && number <= this.position) this.#assertScrolls();
    if (number === 0) {
      this.position = 0;
      return [];
    }
    await this.#read(number);
    this.position = Math.min(number, this.#passed + this.#rows.length + 1);
    const found = this.#slice(number - 1, number);
    this.#forget();
    return found;
  }

  /** The row that it is at, again. */
  current(): readonly Row[] {
    if (this.position === 0) return [];
    this.#assertScrolls();
    return this.#slice(this.position - 1, this.position);
  }

  /** Reads what is left of its query. @throws SqlError 53200. */
  async readAll(): Promise<void> {
    await this.#read(Number.POSITIVE_INFINITY);
  }

  /** As `readAll`, before another statement: what its query fails with belongs to its FETCH. */
  async readAhead(signal: AbortSignal): Promise<void> {
    await this.during(signal, async () => {
      try {
        await this.readAll();
      } catch (error) {
        const isOfData = error instanceof SqlError && error.sqlState.startsWith("22");
        if (!isOfData || signal.aborted) throw error;
        const started = this.#started;
        this.#started = undefined;
        this.#failure = error;
        await started?.close();
      }
    });
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#rows = [];
    const started = this.#started;
    this.#started = undefined;
    await started?.close();
    this.#end.abort();
  }

  async #read(to: number): Promise<void> {
    while (this.#started !== undefined && this.#passed + this.#rows.length < to) {
      const missing = to - this.#passed - this.#rows.length;
      const batch = await this.#started.next(Math.min(BATCH, missing));
      if (batch === undefined) {
        const started = this.#started;
        this.#started = undefined;
        await started.finish();
        return;
      }
      for (const row of batch) {
        this.#rows.push(row);
        this.#bytes += rowBytes(row);
      }
      if (this.#bytes <= MOST_BYTES) continue;
      throw new SqlError("53200", "out of memory", {
        detail: `The cursor "${this.name}" keeps more than ${MOST_BYTES / 1_048_576} MiB of rows.`,
        hint: "Fetch its rows before other statements, without SCROLL and WITH HOLD.",
      });
    }
    if (this.#failure !== undefined && this.#passed + this.#rows.length < to) throw this.#failure;
  }

  #slice(from: number, to: number): readonly Row[] {
    return this.#rows.slice(from - this.#passed, Math.max(from, to) - this.#passed);
  }

  /** Lets go of rows that it cannot go back to. */
  #forget(): void {
    if (this.options.isScroll === true) return;
    const passed = this.#rows.splice(0, this.position - this.#passed);
    this.#passed += passed.length;
    for (const row of passed) this.#bytes -= rowBytes(row);
  }

  #assertScrolls(): void {
    if (this.options.isScroll === true) return;
    throw new SqlError("55000", "cursor can only scan forward", {
      hint: "Declare it with SCROLL option to enable backward scan.",
    });
  }
}

/** The cursors of a session. */
export class Cursors {
  readonly #all = new Map<string, { readonly cursor: Cursor; readonly number: number }>();
  /** Those that a commit has kept: no transaction can take them back. */
  readonly #held = new Set<Cursor>();
  #count = 0;

  /** Cursors that were declared so far: those behind it go with ROLLBACK TO. */
  get mark(): number {
    return this.#count;
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  /** @throws SqlError 34000; 55000 where its query has failed. */
  get(name: string): Cursor {
    const { cursor } = this.#entry(name);
    if (!cursor.isClosed) return cursor;
    throw new SqlError("55000", `portal "${name}" cannot be run`);
  }

  #entry(name: string): { readonly cursor: Cursor } {
    const found = this.#all.get(name);
    if (found !== undefined) return found;
    throw new SqlError("34000", `cursor "${name}" does not exist`);
  }

  /** @throws SqlError 42P03. */
  add(cursor: Cursor): void {
    const { name } = cursor;
    if (this.#all.has(name)) throw new SqlError("42P03", `cursor "${name}" already exists`);
    this.#all.set(name, { cursor, number: this.#count++ });
  }

  /** Reads what is left of all, before their transaction goes on. @throws SqlError 53200. */
  async settle(signal: AbortSignal): Promise<void> {
    for (const { cursor } of this.#all.values()) {
      if (!cursor.isRead) await cursor.readAhead(signal);
    }
  }

  /** A commit follows: reads what is left of those that outlive it. @throws SqlError 53200. */
  async hold(): Promise<void> {
    for (const { cursor } of this.#all.values()) {
      if (cursor.options.isHold) await cursor.readAll();
    }
  }

  /** A transaction has ended. */
  ended(isCommitted: boolean): void {
    for (const { cursor } of [...this.#all.values()]) {
      if (this.#held.has(cursor)) continue;
      if (isCommitted && cursor.options.isHold && !cursor.isClosed) this.#held.add(cursor);
      else this.#drop(cursor);
    }
  }

  rollbackTo(mark: number): void {
    for (const { cursor, number } of [...this.#all.values()]) {
      if (number >= mark) this.#drop(cursor);
    }
  }

  close(name: string): void {
    this.#drop(this.#entry(name).cursor);
  }

  closeAll(): void {
    for (const { cursor } of [...this.#all.values()]) this.#drop(cursor);
  }

  #drop(cursor: Cursor): void {
    this.#all.delete(cursor.name);
    this.#held.delete(cursor);
    // What fails while it lets go is told by nothing else: its rows are not wanted any more.
    cursor.close().catch(() => undefined);
  }
}
