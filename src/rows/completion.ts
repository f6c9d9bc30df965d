import type { AnyId, IdSource } from "../base/ids.ts";
import type { Maybe } from "../lsm/index.ts";
import { storedDatum } from "./check-datum.ts";
import type { CompiledTable } from "./compiled-table.ts";
import type { Datum } from "./datum.ts";
import { type ColumnDescriptor, sequenceOf, visibleColumns } from "./descriptor.ts";
import type { ExpressionContext } from "./expressions.ts";
import { completedRow, refuseOutside } from "./row-checks.ts";
import type { InsertOptions } from "./row-requests.ts";
import { numberAs, type SequenceDescriptor } from "./sequence.ts";

/** What the completion of rows needs of its transaction. */
export interface CompletionHost {
  readonly ids: IdSource;
  readonly context: () => ExpressionContext;
  readonly sequence: (id: AnyId) => Promise<SequenceDescriptor>;
  readonly nextval: (sequence: SequenceDescriptor) => Promise<bigint>;
}

/** Makes whole rows of what was given for some of their columns. */
export type Completer = (values: readonly (Datum | undefined)[]) => Maybe<readonly Datum[]>;

/** Completes rows: with numbers of sequences, defaults, and what is computed. */
export class RowCompletion {
  readonly #on: CompletionHost;

  constructor(on: CompletionHost) {
    this.#on = on;
  }

  /** Of new rows. The completer throws as `completedRow`. */
  of(
    compiled: CompiledTable,
    options: Pick<InsertOptions, "columns" | "overridesIdentity">,
  ): Completer {
    const asked = options.columns ?? visibleColumns(compiled.table).map(({ id }) => id);
    const places = asked.map((id) => compiled.placeOf(id));
    const { ids } = this.#on;
    const context = this.#on.context();
    if (compiled.numbered.length === 0) {
      return (values) => completedRow(compiled, places, values, context, ids, options);
    }
    return async (values) => {
      const numbers = await this.#numbers(compiled, places, values, false);
      return completedRow(compiled, places, values, context, ids, { ...options, numbers });
    };
  }

  /** Whole rows, of which nothing is written: those of a partitioned table are to be in it. */
  async all(
    compiled: CompiledTable,
    rows: readonly (readonly (Datum | undefined)[])[],
    options: Pick<InsertOptions, "columns" | "overridesIdentity">,
  ): Promise<readonly (readonly Datum[])[]> {
    const complete = this.of(compiled, options);
    const visible = visibleColumns(compiled.table).length;
    const made: (readonly Datum[])[] = [];
    for (const values of rows) {
      const row = await complete(values);
      refuseOutside(compiled, row, this.#on.context());
      made.push(row.slice(0, visible));
    }
    return made;
  }

  /** Of a row that is changed. @param changes by column; `undefined` sets the default. */
  async changed(
    compiled: CompiledTable,
    changes: ReadonlyMap<number, Datum | undefined>,
    old: readonly Datum[],
  ): Promise<readonly Datum[]> {
    const places = [...changes.keys()].map((id) => compiled.placeOf(id));
    const given = [...changes.values()];
    const isNumbered = compiled.numbered.length > 0;
    const numbers = isNumbered && (await this.#numbers(compiled, places, given, true));
    const options = numbers ? { numbers } : {};
    return completedRow(compiled, places, given, this.#on.context(), undefined, options, old);
  }

  /** Numbers for the columns that are to have their default. */
  async #numbers(
    { numbered, live, table }: CompiledTable,
    places: readonly number[],
    values: readonly (Datum | undefined)[],
    isUpdate: boolean,
  ): Promise<ReadonlyMap<number, Datum>> {
    const numbers = new Map<number, Datum>();
    for (const place of numbered) {
      const at = places.indexOf(place);
      if (at >= 0 ? values[at] !== undefined : isUpdate) continue;
      const column = live[place] as ColumnDescriptor;
      const sequence = await this.#on.sequence(sequenceOf(column) as AnyId);
      const next = await this.#on.nextval(sequence);
      const { type, name } = column;
      const shown = { table: table.name, column: name };
      numbers.set(place, storedDatum(type, numberAs(type, next), shown));
    }
    return numbers;
  }
}
