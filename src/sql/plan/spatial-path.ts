import type { BoxSide, Datum, IndexDescriptor, TableDescriptor } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { EvalContext } from "../exec/evaluate.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { type ColumnCondition, conditionOf, merged, type ValueRange } from "./conditions.ts";
import type { SearchPath } from "./search-path.ts";
import { storedColumns } from "./table-columns.ts";

/** Share of the rows that bounds of one column leave, where nothing is known. */
const SHARE_OF_BOUNDS = 0.05;
const LEAST_COLUMNS = 2;

/** The spatial index that has most columns of the conditions; two at least. */
export function spatialPath(
  types: TypeRegistry,
  table: TableDescriptor,
  filters: readonly Expr[],
): SearchPath | undefined {
  const known = filters.flatMap((filter) => {
    const condition = asksForNull(filter) ? undefined : conditionOf(filter);
    return condition === undefined ? [] : [{ filter, condition }];
  });
  const paths = table.indexes.flatMap((index): SearchPath[] => {
    const isUsable = index.state === "public" && index.predicate === undefined;
    if (index.method !== "hilbert" || !isUsable) return [];
    const axes = axesOf(types, table, index);
    const asked = axes.map(({ slot }) => known.filter(({ condition }) => condition.slot === slot));
    const bounded = asked.filter((of) => of.length > 0).length;
    // A row with NULL in a column has no entry, which only bounds of that column leave out too.
    const isComplete = axes.every(({ isNullable }, axis) => !isNullable || asked[axis]?.length);
    if (bounded < LEAST_COLUMNS || !isComplete) return [];
    return [
      {
        index,
        title: "Hilbert Index Scan",
        shown: [...new Set(asked.flat().map(({ filter }) => filter))],
        share: SHARE_OF_BOUNDS ** bounded,
        request: (context) => ({
          box: asked.map((of, axis) => {
            const conditions = of.map(({ condition }) => condition);
            return sideOf(conditions, axes[axis]?.compare, context);
          }),
        }),
      },
    ];
  });
  return paths.toSorted((a, b) => a.share - b.share)[0];
}

/** Rows with NULL in a column have no entry. */
function asksForNull(expr: Expr): boolean {
  if (expr.kind === "isNull") return true;
  return (expr.kind === "and" || expr.kind === "or") && expr.args.some(asksForNull);
}

type Compare = ((left: Datum, right: Datum) => number) | undefined;

interface Axis {
  readonly slot: number;
  readonly isNullable: boolean;
  readonly compare: Compare;
}

function axesOf(
  types: TypeRegistry,
  table: TableDescriptor,
  index: IndexDescriptor,
): readonly Axis[] {
  const stored = storedColumns(table);
  return index.parts.map((part) => {
    const slot = stored.findIndex((one) => "columnId" in part && one.id === part.columnId);
    const column = stored[slot];
    if (column === undefined) return { slot: -1, isNullable: true, compare: undefined };
    const { codec } = types.get(types.baseOf(types.fromColumnType(column.type).oid));
    return { slot, isNullable: column.nullable, compare: codec.compare };
  });
}

/** No value is between bounds that cross. */
const NOTHING = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };

/** The bounds around all ranges of a column. */
function sideOf(
  conditions: readonly ColumnCondition[],
  compare: Compare,
  context: EvalContext,
): BoxSide {
  if (conditions.length === 0) return {};
  const ranges = merged(conditions).ranges(context);
  const [first, ...rest] = ranges;
  if (first === undefined) return NOTHING;
  if (rest.length > 0 && compare === undefined) return {};
  const lowest = rest.reduce((low, range) => least(low, lowOf(range), compare, -1), lowOf(first));
  const highest = rest.reduce(
    (high, range) => least(high, highOf(range), compare, 1),
    highOf(first),
  );
  return {
    ...(lowest !== undefined && { low: lowest }),
    ...(highest !== undefined && { high: highest }),
  };
}

/** The one further out; undefined is without a bound. */
function least(
  a: Datum | undefined,
  b: Datum | undefined,
  compare: Compare,
  sign: 1 | -1,
): Datum | undefined {
  if (a === undefined || b === undefined) return undefined;
  return (compare?.(a, b) ?? 0) * sign >= 0 ? a : b;
}

function lowOf(range: ValueRange): Datum | undefined {
  return "point" in range ? range.point : range.lower?.value;
}

function highOf(range: ValueRange): Datum | undefined {
  return "point" in range ? range.point : range.upper?.value;
}
