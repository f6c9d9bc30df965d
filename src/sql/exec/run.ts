import type { Clock } from "../../base/clock.ts";
import type { Datum, RowTransaction } from "../../rows/index.ts";
import type { SubqueryExpr } from "../bind/expr.ts";
import { SqlError } from "../error.ts";
import { ChangedRows } from "./changed-rows.ts";
import {
  type EvalContext,
  PendingSubquery,
  type SubqueryAnswer,
  type SubqueryAnswers,
} from "./evaluate.ts";
import type { Spill } from "./spill.ts";

export type Row = readonly Datum[];

/** What expressions without columns are evaluated for. */
export const NO_ROW: Row = [];

/** Rows in batches; undefined behind the last. */
export interface RowSource {
  next(): Promise<readonly Row[] | undefined> | readonly Row[] | undefined;
  close(): void;
  /** Lines that EXPLAIN ANALYZE shows of it: what it kept, and where. */
  facts?(): readonly string[];
}

/** A statement's work may hold the event loop this long. */
const TURN_MS = 2;
/** Memory of one statement's sorts, groups and results that wait: then it is refused. */
export const MOST_BYTES = 268_435_456;

/** What all runs of one statement share. */
class Turn {
  readonly clock: Clock;
  readonly spill: Spill | undefined;
  turnBeganMs: number;
  bytes = 0;
  changed: ChangedRows | undefined;

  constructor(clock: Clock, spill: Spill | undefined) {
    this.clock = clock;
    this.spill = spill;
    this.turnBeganMs = clock.monotonicMs();
  }

  /** @throws SqlError 53200. */
  keep(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= MOST_BYTES || bytes <= 0) return;
    throw new SqlError("53200", "out of memory", {
      detail: `The statement keeps more than ${MOST_BYTES / 1_048_576} MiB of rows.`,
      hint: "Sort, group or change fewer rows at once.",
    });
  }
}

/** What operators share while a statement runs; a subquery has a run for each row around it. */
export class ExecRun {
  readonly evaluation: EvalContext;
  readonly signal: AbortSignal;
  readonly transaction: () => Promise<RowTransaction>;
  readonly #turn: Turn;
  readonly #parent: ExecRun | undefined;
  readonly #shared = new Map<object, unknown>();
  readonly #memory: WorkMemory | undefined;

  /** @param spill where rows go that the memory does not hold; absent: they stay in it. */
  constructor(
    evaluation: EvalContext,
    signal: AbortSignal,
    clock: Clock | ExecRun,
    transaction: () => Promise<RowTransaction>,
    spill?: Spill | undefined,
    memory?: WorkMemory,
  ) {
    this.evaluation = { ...evaluation, subqueries: new Answers(this), waited: new Map() };
    this.signal = signal;
    this.transaction = transaction;
    this.#memory = memory;
    this.#parent = clock instanceof ExecRun ? clock : undefined;
    this.#turn = clock instanceof ExecRun ? clock.#turn : new Turn(clock, spill);
  }

  get spill(): Spill | undefined {
    return this.#turn.spill;
  }

  /** Rows that the statement has changed, where several of its parts may meet one. */
  get changed(): ChangedRows | undefined {
    return this.#turn.changed;
  }

  /** Several parts of the statement change rows. */
  notesChanges(): void {
    this.#turn.changed = new ChangedRows((bytes) => this.#turn.keep(bytes));
  }

  /** The run of what is below, which is told values of the row around it. */
  below(outer: readonly Datum[] | undefined): ExecRun {
    const evaluation = outer === undefined ? this.evaluation : { ...this.evaluation, outer };
    return new ExecRun(evaluation, this.signal, this, this.transaction);
  }

  /** Keeps what several operators of this run, or below it, share. */
  share(key: object, value: unknown): void {
    this.#shared.set(key, value);
  }

  shared<T>(key: object): T {
    for (let run: ExecRun | undefined = this; run !== undefined; run = run.#parent) {
      const found = run.#shared.get(key);
      if (found !== undefined) return found as T;
    }
    throw new SqlError("XX000", "a part of the plan does not run");
  }

  /** Evaluates; waits for subqueries where it must. */
  async evaluate<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof PendingSubquery)) throw error;
        await error.read();
      }
    }
  }

  /**
   * Lets others have the event loop where the statement has had it for long enough. Called at least
   * every few hundred rows.
   *
   * @throws SqlError 57014 and others where the statement was ended.
   */
  pause(): Promise<void> | undefined {
    this.signal.throwIfAborted();
    const { clock, turnBeganMs } = this.#turn;
    if (clock.monotonicMs() - turnBeganMs < TURN_MS) return undefined;
    return clock.sleep(0).then(() => {
      this.signal.throwIfAborted();
      this.#turn.turnBeganMs = clock.monotonicMs();
    });
  }

  /** The same run, for what counts its memory together with others. */
  counting(memory: WorkMemory): ExecRun {
    return new ExecRun(this.evaluation, this.signal, this, this.transaction, undefined, memory);
  }

  /** Counts memory that the statement keeps, or lets go (below 0). @throws SqlError 53200. */
  keep(bytes: number): void {
    if (this.#memory === undefined) this.#turn.keep(bytes);
    else this.#memory.keep(bytes);
  }
}

/** The memory of one operator. */
export class WorkMemory {
  readonly #run: ExecRun;
  bytes = 0;

  constructor(run: ExecRun) {
    this.#run = run;
  }

  /** @throws SqlError 53200. */
  keep(bytes: number): void {
    this.bytes += bytes;
    this.#run.keep(bytes);
  }

  keepRows(rows: readonly Row[]): void {
    let bytes = 0;
    for (const row of rows) bytes += rowBytes(row);
    this.keep(bytes);
  }

  /** Lets go of all of it. */
  release(): void {
    this.keep(-this.bytes);
  }
}

/** Answers that a subquery keeps for other rows: then those for few rows are forgotten. */
const MOST_ANSWERS = 10_000;

/** What one subquery answered. */
interface Answered {
  readonly byOuter: Map<string, SubqueryAnswer>;
  /** Of one that may answer differently each time: for the row of this evaluation alone. */
  row?: Row;
  answer?: SubqueryAnswer;
  bytes: number;
}

/** Reads subqueries once for equal values of the rows around them. */
class Answers implements SubqueryAnswers {
  readonly #run: ExecRun;
  readonly #answered = new Map<object, Answered>();

  constructor(run: ExecRun) {
    this.#run = run;
  }

  answerOf(subquery: SubqueryExpr, row: Row, outer: readonly Datum[]): SubqueryAnswer {
    const { plan } = subquery;
    let known = this.#answered.get(plan);
    if (known === undefined) {
      known = { byOuter: new Map(), bytes: 0 };
      this.#answered.set(plan, known);
    }
    const isKept = !plan.isVolatile || outer.length === 0;
    const key = isKept ? outer.map(outerText).join("") : "";
    const answer = isKept ? known.byOuter.get(key) : known.row === row ? known.answer : undefined;
    if (answer !== undefined) return answer;
    const kept = known;
    throw new PendingSubquery(async () => {
      const found = await this.#read(subquery, outer, kept);
      if (isKept) kept.byOuter.set(key, found);
      else {
        kept.row = row;
        kept.answer = found;
      }
    });
  }

  async #read(
    { form, plan, keyOf }: SubqueryExpr,
    outer: readonly Datum[],
    kept: Answered,
  ): Promise<SubqueryAnswer> {
    const most = form === "exists" ? 1 : form === "scalar" ? 2 : Number.POSITIVE_INFINITY;
    const rows = await plan.rows(this.#run, outer, most);
    if (kept.byOuter.size >= MOST_ANSWERS) {
      kept.byOuter.clear();
      this.#run.keep(-kept.bytes);
      kept.bytes = 0;
    }
    let bytes = 96;
    for (const row of rows) bytes += rowBytes(row);
    if (plan.isVolatile) bytes = 0;
    kept.bytes += bytes;
    this.#run.keep(bytes);
    if (keyOf === undefined || rows.length < 4) return { rows };
    const whole = rows.filter((row) => !row.includes(null));
    return { rows, keys: new Set(whole.map(keyOf)), hasNull: whole.length < rows.length };
  }
}

/** Equal only for equal datums: which of them a type calls equal does not matter here. */
export function outerText(value: Datum): string {
  if (value === null) return "n;";
  const text =
    typeof value === "object"
      ? JSON.stringify(value, (_, each: unknown) =>
          typeof each === "bigint" ? String(each) : each instanceof Uint8Array ? [...each] : each,
        )
      : String(value);
  return `${text.length}:${text};`;
}

/** About what a row takes in memory. */
export function rowBytes(row: Row): number {
  let bytes = 32 + row.length * 16;
  for (const value of row) {
    if (typeof value === "string") bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.length;
    else if (typeof value !== "object" || value === null) continue;
    else bytes += "fields" in value ? rowBytes(value.fields) : 64;
  }
  return bytes;
}

/** All rows of a source, one by one. */
export async function* eachRow(source: RowSource, run: ExecRun): AsyncGenerator<Row, void> {
  try {
    for (;;) {
      const batch = await source.next();
      if (batch === undefined) return;
      for (const row of batch) yield row;
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
  } finally {
    source.close();
  }
}
