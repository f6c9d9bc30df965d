import type { Datum } from "../../rows/index.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
import { BatchRows } from "./join.ts";
import type { KeyOf } from "./operators.ts";
import { type ExecRun, type Row, type RowSource, rowBytes, WorkMemory } from "./run.ts";
import type { Spill } from "./spill.ts";
import { MOST_LEVELS, Parts, type Tape, WorkFacts } from "./tape.ts";

/** One aggregate of one group. */
export interface Accumulator {
  add(values: readonly Datum[]): void;
  /** @param direct what `WITHIN GROUP` is told beside its rows. */
  result(direct?: readonly Datum[]): Datum;
}

export interface AggregateSpec {
  readonly arguments: readonly Evaluator[];
  readonly filter: Evaluator | undefined;
  /** Equal for equal arguments; present where only different ones count. */
  readonly distinctKey: KeyOf | undefined;
  readonly begin: (run: ExecRun) => Accumulator;
  /** Of `WITHIN GROUP`: computed of the group's row, of which aggregates are NULL. */
  readonly direct?: readonly Evaluator[] | undefined;
}

export interface Grouping {
  readonly keys: readonly Evaluator[];
  readonly keyOf: KeyOf;
  readonly aggregates: readonly AggregateSpec[];
  /** Which keys each grouping set has; of the others its groups have NULL. */
  readonly sets: readonly (readonly number[])[];
  /** For each set, what stands behind the aggregates. */
  readonly bits: readonly (readonly number[])[];
}

interface Group {
  readonly set: number;
  readonly values: readonly Datum[];
  readonly accumulators: readonly Accumulator[];
  readonly seen: readonly (Set<string> | undefined)[];
}

/** What one row gives to its groups. */
interface Given {
  readonly values: readonly Datum[];
  /** Arguments of each aggregate; undefined where its filter leaves the row out. */
  readonly args: readonly (readonly Datum[] | undefined)[];
}

/** Groups of rows and their aggregates: rows of the group's values, then of the aggregates. */
export class GroupedRows extends BatchRows {
  readonly #work: WorkFacts;
  readonly #isPlain: boolean;

  constructor(source: RowSource, run: ExecRun, grouping: Grouping) {
    const work = new WorkFacts();
    super(new Groups(run, grouping, work, 0).of(source), () => source.close());
    this.#work = work;
    this.#isPlain = grouping.keys.length === 0;
  }

  override facts(): readonly string[] {
    return this.#isPlain ? [] : this.#work.hash;
  }
}

/** Groups of some rows, as many as the memory holds: the rows of others are split by their keys. */
class Groups {
  readonly #run: ExecRun;
  readonly #grouping: Grouping;
  readonly #work: WorkFacts;
  readonly #level: number;
  readonly #spill: Spill | undefined;
  readonly #memory: WorkMemory;
  readonly #counting: ExecRun;
  readonly #groups: readonly Map<string, Group>[];
  #parts: Parts | undefined;

  constructor(run: ExecRun, grouping: Grouping, work: WorkFacts, level: number) {
    this.#run = run;
    this.#memory = new WorkMemory(run);
    // Aggregates count in it too what they keep.
    this.#counting = run.counting(this.#memory);
    this.#grouping = grouping;
    this.#work = work;
    this.#level = level;
    this.#spill = level < MOST_LEVELS ? run.spill : undefined;
    this.#groups = grouping.sets.map(() => new Map<string, Group>());
  }

  async *of(source: RowSource): AsyncGenerator<readonly Row[], void> {
    // Where nothing is grouped by there is one group, also of no rows.
    for (const [i, set] of this.#grouping.sets.entries()) {
      if (set.length === 0) this.#groups[i]?.set("", this.#begin(i, []));
    }
    try {
      for (;;) {
        const batch = await source.next();
        if (batch === undefined) break;
        for (const [i, row] of batch.entries()) {
          if (i % 256 === 0) {
            const pause = this.#run.pause();
            if (pause !== undefined) await pause;
          }
          const given = this.#given(row);
          const written = this.#add(given instanceof Promise ? await given : given);
          if (written !== undefined) await written;
        }
      }
      source.close();
      yield* this.#results();
    } finally {
      source.close();
      this.#parts?.close();
      this.#memory.release();
    }
  }

  /** Groups of one part of the rows, which stand as `#asRow` writes them. */
  async *#ofPart(tape: Tape): AsyncGenerator<readonly Row[], void> {
    const source = tape.reader(this.#run);
    try {
      for (;;) {
        const batch = await source.next();
        if (batch === undefined) break;
        for (const row of batch) {
          const written = this.#addRow(row);
          if (written !== undefined) await written;
        }
      }
      yield* this.#results();
    } finally {
      this.#parts?.close();
      this.#memory.release();
    }
  }

  async *#results(): AsyncGenerator<readonly Row[], void> {
    const { aggregates, bits } = this.#grouping;
    this.#work.sees(this.#memory.bytes);
    const hasDirect = aggregates.some(({ direct }) => direct !== undefined);
    let rows: Row[] = [];
    for (const groups of this.#groups) {
      for (const group of groups.values()) {
        const own = bits[group.set] ?? [];
        rows.push(hasDirect ? await this.#row(group, own) : plainRow(group, own));
        if (rows.length < 256) continue;
        const pause = this.#run.pause();
        if (pause !== undefined) await pause;
        yield rows;
        rows = [];
      }
    }
    if (rows.length > 0) yield rows;
    if (this.#parts === undefined) return;
    for (const groups of this.#groups) groups.clear();
    this.#memory.release();
    for (const tape of await this.#parts.finish()) {
      const below = new Groups(this.#run, this.#grouping, this.#work, this.#level + 1);
      yield* below.#ofPart(tape);
    }
    this.#work.wrote(this.#parts.bytes, 16);
  }

  async #row({ values, accumulators }: Group, bits: readonly number[]): Promise<Row> {
    const { aggregates } = this.#grouping;
    const { evaluation } = this.#run;
    const results: Datum[] = [];
    for (const [i, accumulator] of accumulators.entries()) {
      const direct = aggregates[i]?.direct;
      if (direct === undefined) {
        results.push(accumulator.result());
        continue;
      }
      const row = [...values, ...accumulators.map(() => null), ...bits];
      const work = (): readonly Datum[] => direct.map((each) => each(row, evaluation));
      results.push(accumulator.result(await this.#run.evaluate(work)));
    }
    return [...values, ...results, ...bits];
  }

  /** All is evaluated before the first group changes: a subquery may have to be read first. */
  #given(row: Row): Given | Promise<Given> {
    try {
      return this.#evaluated(row);
    } catch (error) {
      if (!(error instanceof PendingSubquery)) throw error;
      return this.#run.evaluate(() => this.#evaluated(row));
    }
  }

  #evaluated(row: Row): Given {
    const { evaluation } = this.#run;
    const { keys, aggregates } = this.#grouping;
    return {
      values: keys.map((key) => key(row, evaluation)),
      args: aggregates.map(({ filter, arguments: args }) => {
        if (filter !== undefined && filter(row, evaluation) !== true) return undefined;
        return args.map((argument) => argument(row, evaluation));
      }),
    };
  }

  #add({ values, args }: Given): Promise<unknown> | undefined {
    const writes: Promise<void>[] = [];
    try {
      for (const [i, set] of this.#grouping.sets.entries()) {
        const own =
          set.length === values.length
            ? values
            : values.map((value, at) => (set.includes(at) ? value : null));
        const written = this.#addTo(i, own, args);
        if (written !== undefined) writes.push(written);
      }
    } catch (error) {
      // An aggregate has failed, which is told: no caller waits for what is being written.
      for (const each of writes) each.catch(() => undefined);
      throw error;
    }
    return writes.length === 0 ? undefined : Promise.all(writes);
  }

  /** A promise where the row was written because the memory holds no more groups. */
  #addTo(set: number, own: readonly Datum[], args: Given["args"]): Promise<void> | undefined {
    const { sets, keyOf, aggregates } = this.#grouping;
    const name = sets[set]?.length === 0 ? "" : keyOf(own);
    const all = this.#groups[set] as Map<string, Group>;
    let group = all.get(name);
    if (group === undefined) {
      const spill = this.#spill;
      if (spill !== undefined && this.#memory.bytes > spill.limits.hashBytes) {
        this.#parts ??= new Parts(spill, this.#level);
        return this.#parts.add(name, this.#asRow(set, own, args));
      }
      group = this.#begin(set, own);
      all.set(name, group);
      this.#memory.keep(rowBytes(own) + name.length * 2 + 128 + aggregates.length * 64);
    }
    for (const [at, given] of args.entries()) {
      if (given === undefined) continue;
      const seen = group.seen[at];
      const distinctKey = aggregates[at]?.distinctKey;
      if (seen !== undefined && distinctKey !== undefined) {
        const key = distinctKey(given);
        if (seen.has(key)) continue;
        seen.add(key);
        this.#memory.keep(key.length * 2 + 64);
      }
      group.accumulators[at]?.add(given);
    }
    return undefined;
  }

  /** The set, its values, then for each aggregate whether it has arguments, and these. */
  #asRow(set: number, own: readonly Datum[], args: Given["args"]): Row {
    const row: Datum[] = [set, ...own];
    for (const given of args) {
      row.push(given !== undefined);
      if (given !== undefined) row.push(...given);
    }
    return row;
  }

  #addRow(row: Row): Promise<void> | undefined {
    const { keys, aggregates } = this.#grouping;
    let at = 1 + keys.length;
    const args = aggregates.map((spec) => {
      if (row[at++] !== true) return undefined;
      const from = at;
      at += spec.arguments.length;
      return row.slice(from, at);
    });
    return this.#addTo(row[0] as number, row.slice(1, 1 + keys.length), args);
  }

  #begin(set: number, values: readonly Datum[]): Group {
    const { aggregates, keys } = this.#grouping;
    return {
      set,
      values: values.length === keys.length ? values : keys.map(() => null),
      accumulators: aggregates.map((spec) => spec.begin(this.#counting)),
      seen: aggregates.map(({ distinctKey }) => (distinctKey ? new Set<string>() : undefined)),
    };
  }
}

function plainRow({ values, accumulators }: Group, bits: readonly number[]): Row {
  return [...values, ...accumulators.map((one) => one.result()), ...bits];
}
