import type { Datum, RangeRequest, TableDescriptor } from "../../rows/index.ts";
import type { Expr } from "../bind/expr.ts";
import type { EvalContext } from "../exec/evaluate.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { type ColumnCondition, conditionOf, merged, type ValueRange } from "./conditions.ts";
import { invertedPath } from "./inverted-path.ts";
import type { SearchPath } from "./search-path.ts";
import { spatialPath } from "./spatial-path.ts";
import { storedColumns } from "./table-columns.ts";

/** An order that rows are wanted in. */
export interface WantedOrder {
  readonly slot: number;
  readonly isDescending: boolean;
  readonly isNullsFirst: boolean;
}

interface Part {
  readonly slot: number;
  readonly isDescending: boolean;
  readonly isNullsFirst: boolean;
}

/** How rows of a table are read. */
export interface AccessPath {
  /** 0 is the primary key. */
  readonly index: number;
  readonly name: string;
  /** Conditions on the first parts of the key: points, and behind them perhaps bounds. */
  readonly conditions: readonly ColumnCondition[];
  readonly shown: readonly Expr[];
  readonly reverse: boolean;
  /** Whether rows come in the wanted order. */
  readonly isOrdered: boolean;
  /** Whether all conditions of the statement are in the bounds. */
  readonly isExact: boolean;
  /** One row at most. */
  readonly isUnique: boolean;
  readonly ranges: (context: EvalContext) => readonly RangeRequest[];
  /** Of an index without an order of its columns, in place of ranges. */
  readonly search?: SearchPath;
}

/** What the session allows of indexes. */
export interface AccessWays {
  /** Those without an order of their columns. */
  readonly search: boolean;
  /** Whether such an index may be left for the whole table as the statement runs. */
  readonly whole: boolean;
}

/** More ranges than this are not made: the rest of the key is left to the filter. */
const MOST_RANGES = 10_000;

/** Chooses the key whose bounds leave the fewest rows; of equals, one that gives the order. */
export function chooseAccess(
  types: TypeRegistry,
  table: TableDescriptor,
  filters: readonly Expr[],
  order: readonly WantedOrder[],
  needed: ReadonlySet<number>,
  ways: Pick<AccessWays, "search"> = { search: false },
): AccessPath {
  const known = filters.flatMap((filter) => {
    const condition = conditionOf(filter);
    return condition === undefined ? [] : [{ filter, condition }];
  });
  const keys = keysOf(table);
  const paths = keys.map((key) => {
    const path = pathOf(types, table, key, known, filters.length, order);
    const covers = [...needed].every((slot) => key.covered.has(slot));
    const points = path.conditions.filter(({ isPoints }) => isPoints).length;
    const bounds = path.conditions.length - points;
    const score =
      (path.isUnique ? 1_000 : 0) +
      points * 20 +
      bounds * 10 +
      (path.isOrdered && order.length > 0 ? 6 : 0) +
      (key.index === 0 ? 2 : 0) +
      (covers ? 3 : 0);
    return { path, score };
  });
  const best = paths.reduce((most, each) => (each.score > most.score ? each : most));
  const search = ways.search ? searchPath(types, table, filters) : undefined;
  if (search === undefined || best.score >= SCORE_OF_SEARCH) return best.path;
  return pathOfSearch(keys[0] as Key, search, order);
}

/** Above bounds, whatever else they give; below points. */
const SCORE_OF_SEARCH = 20;

function searchPath(
  types: TypeRegistry,
  table: TableDescriptor,
  filters: readonly Expr[],
): SearchPath | undefined {
  const inverted = invertedPath(table, filters);
  const spatial = spatialPath(types, table, filters);
  if (inverted === undefined || spatial === undefined) return inverted ?? spatial;
  return spatial.share < inverted.share ? spatial : inverted;
}

/** Rows of posting lists come in the order of the primary key, those of a box in none. */
function pathOfSearch(primary: Key, search: SearchPath, order: readonly WantedOrder[]): AccessPath {
  const { id, name, method } = search.index;
  const isByKey = method === "gin" && orderOf(primary.parts, 0, order, []) === "forward";
  return {
    index: id,
    name,
    conditions: [],
    shown: search.shown,
    reverse: false,
    isOrdered: order.length === 0 || isByKey,
    isExact: false,
    isUnique: false,
    ranges: () => [{}],
    search,
  };
}

interface Key {
  readonly index: number;
  readonly name: string;
  readonly isUnique: boolean;
  readonly parts: readonly Part[];
  readonly covered: ReadonlySet<number>;
}

function keysOf(table: TableDescriptor): readonly Key[] {
  const stored = storedColumns(table);
  const slotOf = (id: number): number => stored.findIndex((column) => column.id === id);
  const all = new Set(stored.map((_, slot) => slot));
  const pkey = table.constraints.find(({ kind }) => kind === "primary key")?.name;
  const partOf = (part: { columnId: number; direction: string; nulls: string }): Part => ({
    slot: slotOf(part.columnId),
    isDescending: part.direction === "desc",
    isNullsFirst: part.nulls === "first",
  });
  const primary: Key = {
    index: 0,
    name: pkey ?? table.name,
    isUnique: true,
    parts: table.primaryKey.map(partOf),
    covered: all,
  };
  const others = table.indexes
    // A partial index lacks rows, and what is computed has no column.
    .filter(({ state, predicate }) => state === "public" && predicate === undefined)
    .filter(({ method }) => method === undefined)
    .flatMap((index): Key[] => {
      const parts: Part[] = [];
      for (const part of index.parts) {
        if (!("columnId" in part)) break;
        parts.push(partOf(part));
      }
      if (parts.length === 0) return [];
      const ids = [...index.parts.flatMap((part) => ("columnId" in part ? [part.columnId] : []))];
      const keyed = [...ids, ...index.include, ...table.primaryKey.map((part) => part.columnId)];
      const covered = new Set(keyed.map(slotOf));
      const isUnique = index.unique && parts.length === index.parts.length;
      return [{ index: index.id, name: index.name, isUnique, parts, covered }];
    });
  return [primary, ...others];
}

function pathOf(
  types: TypeRegistry,
  table: TableDescriptor,
  key: Key,
  known: readonly { readonly filter: Expr; readonly condition: ColumnCondition }[],
  filters: number,
  order: readonly WantedOrder[],
): AccessPath {
  const conditions: ColumnCondition[] = [];
  const shown: Expr[] = [];
  for (const part of key.parts) {
    const of = known.filter(({ condition }) => condition.slot === part.slot);
    if (of.length === 0) break;
    const condition = merged(of.map((each) => each.condition));
    conditions.push(condition);
    shown.push(...of.map(({ filter }) => filter));
    if (!condition.isPoints) break;
  }
  const ones = conditions.filter(({ isOne }) => isOne).length;
  const fixed = conditions.findIndex(({ isOne }) => !isOne);
  const direction = orderOf(key.parts, fixed < 0 ? conditions.length : fixed, order, conditions);
  const stored = storedColumns(table);
  const compares = key.parts.map(({ slot }) => {
    const column = stored[slot] as (typeof stored)[number];
    return types.get(types.baseOf(types.fromColumnType(column.type).oid)).codec.compare;
  });
  const isNullable = key.parts.map(({ slot }) => stored[slot]?.nullable === true);
  const reverse = direction === "backward";
  return {
    index: key.index,
    name: key.name,
    conditions,
    shown,
    reverse,
    isOrdered: direction !== undefined,
    isExact: shown.length === filters && conditions.every(({ isOne }) => isOne),
    isUnique: key.isUnique && ones === key.parts.length,
    ranges: (context) => {
      const ranges = rangesOf(key.parts, conditions, { compares, isNullable }, context);
      return reverse ? ranges.toReversed() : ranges;
    },
  };
}

/** Whether the key gives an order, and in which direction it is read then. */
function orderOf(
  parts: readonly Part[],
  fixed: number,
  order: readonly WantedOrder[],
  conditions: readonly ColumnCondition[],
): "forward" | "backward" | undefined {
  if (order.length === 0) return "forward";
  const isFixed = (slot: number): boolean =>
    conditions.some((condition) => condition.isOne && condition.slot === slot);
  // A column that has one value orders nothing.
  const wanted = order.filter(({ slot }) => !isFixed(slot));
  const rest = parts.slice(fixed);
  if (wanted.length > rest.length) return undefined;
  const fits = (isBackward: boolean): boolean =>
    wanted.every((each, i) => {
      const part = rest[i] as Part;
      return (
        part.slot === each.slot &&
        (part.isDescending !== each.isDescending) === isBackward &&
        (part.isNullsFirst !== each.isNullsFirst) === isBackward
      );
    });
  if (fits(false)) return "forward";
  return fits(true) ? "backward" : undefined;
}

interface PartTypes {
  readonly compares: readonly Compare[];
  readonly isNullable: readonly boolean[];
}

type Compare = ((left: Datum, right: Datum) => number) | undefined;

/** The ranges of the key, in its order; none where no row meets the conditions. */
function rangesOf(
  parts: readonly Part[],
  conditions: readonly ColumnCondition[],
  { compares, isNullable }: PartTypes,
  context: EvalContext,
): readonly RangeRequest[] {
  let prefixes: (readonly Datum[])[] = [[]];
  for (const [i, condition] of conditions.entries()) {
    const all = condition.ranges(context);
    // Where there is no NULL, no row has it, and keys cannot say it.
    const found =
      isNullable[i] === true
        ? all
        : all.filter((each) => !("point" in each) || each.point !== null);
    if (found.length === 0) return [];
    const part = parts[i] as Part;
    const points = pointsOf(found, part, compares[i]);
    if (points === undefined) {
      return prefixes.flatMap((equal) => boundsOf(equal, found, part, compares[i]));
    }
    if (prefixes.length * points.length > MOST_RANGES) break;
    prefixes = prefixes.flatMap((prefix) => points.map((point) => [...prefix, point]));
  }
  return prefixes.map((equal) => (equal.length === 0 ? {} : { equal }));
}

/** Points in the key's order, each once; undefined where there are bounds among them. */
function pointsOf(
  ranges: readonly ValueRange[],
  part: Part,
  compare: Compare,
): readonly Datum[] | undefined {
  const points: Datum[] = [];
  for (const range of ranges) {
    if (!("point" in range)) return undefined;
    points.push(range.point);
  }
  if (points.length === 1) return points;
  const sorted = points.toSorted((left, right) => inOrder(left, right, part, compare));
  return sorted.filter(
    (point, i) => i === 0 || inOrder(sorted[i - 1] as Datum, point, part, compare) !== 0,
  );
}

function inOrder(left: Datum, right: Datum, part: Part, compare: Compare): number {
  if (left === null || right === null) {
    if (left === right) return 0;
    return (left === null) === part.isNullsFirst ? -1 : 1;
  }
  const order = compare?.(left, right) ?? 0;
  return part.isDescending ? -order : order;
}

/** Bounds behind a prefix. Several that may overlap are read as the one range around them. */
function boundsOf(
  equal: readonly Datum[],
  ranges: readonly ValueRange[],
  part: Part,
  compare: Compare,
): readonly RangeRequest[] {
  const [first] = ranges;
  const prefix = equal.length === 0 ? {} : { equal };
  if (ranges.length > 1 || first === undefined || "point" in first) {
    const separate = separated(ranges, part, compare);
    if (separate === undefined) return [prefix];
    return separate.map((range) => ({ ...prefix, ...boundsIn(range) }));
  }
  return [{ ...prefix, ...boundsIn(first) }];
}

function boundsIn(range: ValueRange): Pick<RangeRequest, "lower" | "upper"> {
  if ("point" in range) {
    const bound = { value: range.point, inclusive: true };
    return { lower: bound, upper: bound };
  }
  const { lower, upper } = range;
  return { ...(lower && { lower }), ...(upper && { upper }) };
}

/** Ranges in the key's order; undefined where they overlap or have no order. */
function separated(
  ranges: readonly ValueRange[],
  part: Part,
  compare: Compare,
): readonly ValueRange[] | undefined {
  if (compare === undefined) return undefined;
  if (ranges.some((range) => "point" in range && range.point === null)) return undefined;
  const lowest = (range: ValueRange): Datum | undefined =>
    "point" in range ? range.point : range.lower?.value;
  const highest = (range: ValueRange): Datum | undefined =>
    "point" in range ? range.point : range.upper?.value;
  const sorted = ranges.toSorted((left, right) => {
    const [a, b] = [lowest(left), lowest(right)];
    if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
    return compare(a, b);
  });
  for (const [i, range] of sorted.entries()) {
    if (i === 0) continue;
    const end = highest(sorted[i - 1] as ValueRange);
    const start = lowest(range);
    if (end === undefined || start === undefined || compare(end, start) >= 0) return undefined;
  }
  return part.isDescending ? sorted.toReversed() : sorted;
}
