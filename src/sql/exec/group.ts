import type { Datum } from "../../rows/index.ts";
import { type Evaluator, PendingSubquery } from "./evaluate.ts";
import { type KeyOf, ReadyRows } from "./operators.ts";
import { type ExecRun, type Row, type RowSource, rowBytes } from "./run.ts";

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
export class GroupedRows implements RowSource {
  readonly #source: RowSource;
  readonly #run: ExecRun;
  readonly #grouping: Grouping;
  #groups: ReadyRows | undefined;

  constructor(source: RowSource, run: ExecRun, grouping: Grouping) {
    this.#source = source;
    this.#run = run;
    this.#grouping = grouping;
  }

  async next(): Promise<readonly Row[] | undefined> {
    this.#groups ??= new ReadyRows(await this.#group());
    return this.#groups.next();
  }

  async #group(): Promise<readonly Row[]> {
    const { sets, bits } = this.#grouping;
    const groups = sets.map(() => new Map<string, Group>());
    // Where nothing is grouped by there is one group, also of no rows.
    for (const [i, set] of sets.entries()) {
      if (set.length === 0) groups[i]?.set("", this.#begin(i, []));
    }
    try {
      for (;;) {
        const batch = await this.#source.next();
        if (batch === undefined) break;
        for (const [i, row] of batch.entries()) {
          if (i % 256 === 0) {
            const pause = this.#run.pause();
            if (pause !== undefined) await pause;
          }
          const given = this.#given(row);
          this.#add(groups, given instanceof Promise ? await given : given);
        }
      }
    } finally {
      this.#source.close();
    }
    const hasDirect = this.#grouping.aggregates.some(({ direct }) => direct !== undefined);
    const rows: Row[] = [];
    for (const group of groups.flatMap((each) => [...each.values()])) {
      const own = bits[group.set] ?? [];
      rows.push(hasDirect ? await this.#row(group, own) : plainRow(group, own));
      if (rows.length % 64 !== 0) continue;
      const pause = this.#run.pause();
      if (pause !== undefined) await pause;
    }
    return rows;
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

  #add(groups: readonly Map<string, Group>[], { values, args }: Given): void {
    const { sets, keyOf, aggregates } = this.#grouping;
    for (const [i, set] of sets.entries()) {
      const own =
        set.length === values.length
          ? values
          : values.map((value, at) => (set.includes(at) ? value : null));
      const name = set.length === 0 ? "" : keyOf(own);
      const all = groups[i] as Map<string, Group>;
      let group = all.get(name);
      if (group === undefined) {
        group = this.#begin(i, own);
        all.set(name, group);
        this.#run.keep(rowBytes(own) + name.length * 2 + 128);
      }
      for (const [at, given] of args.entries()) {
        if (given === undefined) continue;
        const seen = group.seen[at];
        const distinctKey = aggregates[at]?.distinctKey;
        if (seen !== undefined && distinctKey !== undefined) {
          const key = distinctKey(given);
          if (seen.has(key)) continue;
          seen.add(key);
          this.#run.keep(key.length * 2 + 64);
        }
        group.accumulators[at]?.add(given);
      }
    }
  }

  #begin(set: number, values: readonly Datum[]): Group {
    const { aggregates, keys } = this.#grouping;
    return {
      set,
      values: values.length === keys.length ? values : keys.map(() => null),
      accumulators: aggregates.map((spec) => spec.begin(this.#run)),
      seen: aggregates.map(({ distinctKey }) => (distinctKey ? new Set<string>() : undefined)),
    };
  }

  close(): void {
    this.#source.close();
    this.#groups?.close();
  }
}

function plainRow({ values, accumulators }: Group, bits: readonly number[]): Row {
  return [...values, ...accumulators.map((one) => one.result()), ...bits];
}
