import type { Datum, PartitionBound } from "../../../rows/index.ts";
import { type Expr, isSameExpr, mapExpr } from "../../bind/expr.ts";
import type { EvalContext } from "../../exec/evaluate.ts";
import { type ColumnCondition, conditionOf, conjuncts, type ValueRange } from "../conditions.ts";
import { compareEdge, type KeyType, type ReadRange, readRange, readValue } from "./bounds.ts";
import { isLevel, type Leaf, type Level } from "./leaves.ts";

/** More combinations of points than this are not tried: the partitions stay. */
const MOST_POINTS = 1_000;
/** Slots of parts of a key that are expressions: behind those of any table. */
const EXPRESSION_SLOT = 1_000_000;

/** The leaves that may have rows which meet the conditions, by the statement's values. */
export type Pruner = (context: EvalContext) => ReadonlySet<Leaf>;

interface Member {
  readonly bound: PartitionBound;
  readonly range: ReadRange | undefined;
  readonly values: readonly Datum[] | undefined;
}

/** @param filters over the columns of the table at the top: all of them are to be true. */
export function prunerOf(top: Level, filters: readonly Expr[]): Pruner {
  const prune = levelPruner(top, filters.flatMap(conjuncts));
  return (context) => {
    const left = new Set<Leaf>();
    prune(context, left);
    return left;
  };
}

type LevelPruner = (context: EvalContext, left: Set<Leaf>) => void;

function levelPruner(level: Level, filters: readonly Expr[]): LevelPruner {
  const { key, use } = level;
  const members = (use.descriptor.partitioned?.members ?? []).map(({ bound }): Member => {
    const range = bound.kind === "range" ? readRange(key.types, bound) : undefined;
    const [first] = key.types as [KeyType];
    const values =
      bound.kind === "list"
        ? bound.values.map((text) => (text === null ? null : readValue(first, text)))
        : undefined;
    return { bound, range, values };
  });
  const below = level.below.map((one): LevelPruner => {
    if (isLevel(one)) return levelPruner(one, filters);
    return (_context, left) => left.add(one);
  });
  const conditions = conditionsOf(level, filters);
  const isFree = conditions.every((each) => each.length === 0);
  return (context, left) => {
    const ranges = conditions.map((each) => each.map((one) => one.ranges(context)));
    for (const [place, prune] of below.entries()) {
      if (isFree || mayHave(level, members, place, ranges)) prune(context, left);
    }
  };
}

/** What the conditions say of each part of the key. */
function conditionsOf(level: Level, filters: readonly Expr[]): readonly ColumnCondition[][] {
  const { exprs } = level.key;
  const toTop = (expr: Expr): Expr =>
    mapExpr(expr, (part) =>
      part.kind === "column" ? { ...part, slot: level.fromTop[part.slot] as number } : undefined,
    );
  const parts = exprs.map(toTop);
  const slots = parts.map((part, i) => (part.kind === "column" ? part.slot : EXPRESSION_SLOT + i));
  const replaced = filters.map((filter) =>
    mapExpr(filter, (each) => {
      if (each.kind === "column") return undefined;
      const at = parts.findIndex((part) => part.kind !== "column" && isSameExpr(part, each));
      if (at < 0) return undefined;
      const { oid, typmod } = each;
      return { kind: "column", oid, typmod, slot: slots[at] as number, name: "" };
    }),
  );
  const known = replaced.flatMap((filter) => conditionOf(filter) ?? []);
  return slots.map((slot) => known.filter((condition) => condition.slot === slot));
}

/** Of each part of the key: of each condition, ranges of which one is met. */
type PartRanges = readonly (readonly (readonly ValueRange[])[])[];

function mayHave(
  { key, router }: Level,
  members: readonly Member[],
  place: number,
  ranges: PartRanges,
): boolean {
  if (ranges.some((part) => part.some((any) => any.length === 0))) return false;
  const points = pointsOf(ranges);
  if (points !== undefined) return points.some((point) => router(point) === place);
  const { bound, range, values } = members[place] as Member;
  if (bound.kind === "list") {
    const [type] = key.types as [KeyType];
    const fits = (value: Datum) => (any: readonly ValueRange[]) =>
      any.some((one) => isIn(type, value, one));
    return (values ?? []).some((value) => (ranges[0] ?? []).every(fits(value)));
  }
  if (range === undefined) return true;
  return overlaps(key.types, range, ranges, 0, true, true);
}

/** All keys that the conditions leave, where they leave points of each part. */
function pointsOf(ranges: PartRanges): readonly (readonly Datum[])[] | undefined {
  let points: readonly (readonly Datum[])[] = [[]];
  for (const part of ranges) {
    const any = part.find((one) => one.every((range) => "point" in range));
    if (any === undefined || points.length * any.length > MOST_POINTS) return undefined;
    const values = any.map((range) => (range as { readonly point: Datum }).point);
    points = points.flatMap((before) => values.map((value) => [...before, value]));
  }
  return points;
}

function isIn({ compare }: KeyType, value: Datum, range: ValueRange): boolean {
  if ("point" in range) {
    const { point } = range;
    return point === null || value === null ? point === value : compare(point, value) === 0;
  }
  if (value === null) return false;
  const { lower, upper } = range;
  const low = lower === undefined ? 1 : compare(value, lower.value);
  const high = upper === undefined ? -1 : compare(value, upper.value);
  return (
    (low > 0 || (low === 0 && lower?.inclusive === true)) &&
    (high < 0 || (high === 0 && upper?.inclusive === true))
  );
}

/**
 * Whether a range of keys may have one that meets the conditions, from one part on.
 *
 * @param onFrom the parts before are those of the lower bound; `onTo` those of the upper one.
 */
function overlaps(
  keys: readonly KeyType[],
  range: ReadRange,
  ranges: PartRanges,
  at: number,
  onFrom: boolean,
  onTo: boolean,
): boolean {
  const type = keys[at];
  // The upper bound itself is outside.
  if (type === undefined) return !onTo;
  const from = range.from[at] as ReadRange["from"][0];
  const to = range.to[at] as ReadRange["to"][0];
  const isLast = at === keys.length - 1;
  const meets = (one: ValueRange): boolean => {
    if ("point" in one) {
      if (one.point === null) return false;
      const low = onFrom ? compareEdge(type, from, one.point) : -1;
      const high = onTo ? compareEdge(type, to, one.point) : 1;
      if (low > 0 || high < 0) return false;
      return overlaps(keys, range, ranges, at + 1, onFrom && low === 0, onTo && high === 0);
    }
    const { lower, upper } = one;
    const low = onFrom && upper !== undefined ? compareEdge(type, from, upper.value) : -1;
    const high = onTo && lower !== undefined ? compareEdge(type, to, lower.value) : 1;
    if (low > 0 || (low === 0 && upper?.inclusive === false)) return false;
    return high > 0 || (high === 0 && !isLast && lower?.inclusive === true);
  };
  const part = ranges[at] ?? [];
  return part.every((any) => any.some(meets));
}
