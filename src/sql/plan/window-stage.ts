import { type Datum, Numeric } from "../../rows/index.ts";
import { type Expr, isSameExpr, mapExpr } from "../bind/expr.ts";
import type { ExprPrinter } from "../bind/expr-text.ts";
import type { FrameBound, OrderPart, WindowCall } from "../bind/scope.ts";
import { SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import { BatchRows } from "../exec/join.ts";
import { compareRows, MappedRows, type SortKey } from "../exec/operators.ts";
import type { ExecRun } from "../exec/run.ts";
import { SortedRows } from "../exec/sort.ts";
import {
  type WindowBound,
  type WindowFunction,
  type WindowParts,
  windowed,
} from "../exec/window.ts";
import type { Bound } from "../exec/window-frame.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import { accumulatorOf } from "./aggregates.ts";
import type { PlanEnv } from "./env.ts";
import type { Stage } from "./grouping.ts";
import { over, type PlanNode } from "./node.ts";
import { sortKey } from "./output.ts";

interface StageParts extends Stage {
  readonly env: PlanEnv;
  readonly printer: ExprPrinter;
  readonly windows: readonly WindowCall[];
}

/** Calls of one partition and order, by their index. */
type Shared = readonly (readonly [number, WindowCall])[];

/** Computes window functions: rows hold their values behind those they had. */
export function windowStage({ env, printer, windows, node, lift, width }: StageParts): Stage {
  const groups: (readonly [number, WindowCall])[][] = [];
  for (const entry of windows.entries()) {
    const [, call] = entry;
    const same = groups.find(([first]) => isSameWindow((first as [number, WindowCall])[1], call));
    if (same === undefined) groups.push([entry]);
    else same.push(entry);
  }
  const places = new Map<number, number>();
  let whole = node;
  let at = width;
  for (const group of groups) {
    whole = windowNode(env, printer, whole, at, group, lift);
    for (const [index] of group) places.set(index, at++);
  }
  const lifted = (expr: Expr): Expr =>
    mapExpr(lift(expr), (part) => {
      if (part.kind !== "window") return undefined;
      const { oid, typmod, index } = part;
      return { kind: "column", oid, typmod, slot: places.get(index) ?? -1, name: "window" };
    });
  return { node: whole, lift: lifted, width: at };
}

function isSameWindow({ window: left }: WindowCall, { window: right }: WindowCall): boolean {
  const isSameOrder = (a: OrderPart, b: OrderPart): boolean =>
    isSameExpr(a.expr, b.expr) &&
    a.isDescending === b.isDescending &&
    a.isNullsFirst === b.isNullsFirst;
  return (
    left.partition.length === right.partition.length &&
    left.order.length === right.order.length &&
    left.partition.every((expr, i) => isSameExpr(expr, right.partition[i] as Expr)) &&
    left.order.every((part, i) => isSameOrder(part, right.order[i] as OrderPart))
  );
}

/** Sorts by partition and order, then computes the functions. */
function windowNode(
  env: PlanEnv,
  printer: ExprPrinter,
  node: PlanNode,
  width: number,
  group: Shared,
  lift: (expr: Expr) => Expr,
): PlanNode {
  const { types } = env.functions;
  const [[, { window }]] = group as [[number, WindowCall]];
  const sorts = [
    ...window.partition.map((expr) => ({ expr, isDescending: false, isNullsFirst: false })),
    ...window.order,
  ];
  const exprs = sorts.map(({ expr }) => lift(expr));
  const keys = sorts.map((part, i) => sortKey(types, part, () => width + i));
  const count = window.partition.length;
  const partitionKeys = keys.slice(0, count);
  const orderKeys = keys.slice(count);
  const isSame = (by: readonly SortKey[]) => {
    const compare = compareRows(by);
    return (left: readonly Datum[], right: readonly Datum[]) => compare(left, right) === 0;
  };
  const parts: WindowParts = {
    functions: group.map(([, call]) => functionOf(env, call, lift)),
    isSamePartition: isSame(partitionKeys),
    isPeer: isSame(orderKeys),
    orderValue: orderKeys.length === 1 ? (row) => row[width + count] as Datum : undefined,
  };
  const values = exprs.map(compile);
  const columns = Array.from(
    { length: width },
    (_, slot) => (row: readonly Datum[]) => row[slot] as Datum,
  );
  const shown = sorts.map(
    ({ expr, isDescending }) => printer.text(expr) + (isDescending ? " DESC" : ""),
  );
  const title = "Sort";
  const sorted =
    keys.length === 0
      ? node
      : over(node, title, [`Sort Key: ${shown.join(", ")}`], (source, run) => {
          const wide = new MappedRows(source, run, undefined, [...columns, ...values]);
          return new SortedRows(wide, run, keys, { isAsPostgres: true });
        });
  return over(sorted, "WindowAgg", [], (source, run) => {
    const rows = new BatchRows(windowed(source, run, parts), () => source.close());
    if (keys.length === 0) return rows;
    // What rows were sorted by stands between: it is taken out.
    const from = width + keys.length;
    const behind = group.map((_, i) => (row: readonly Datum[]) => row[from + i] as Datum);
    return new MappedRows(rows, run, undefined, [...columns, ...behind]);
  });
}

function functionOf(
  env: PlanEnv,
  { call, resolved, isAggregate, isStar, filter, window }: WindowCall,
  lift: (expr: Expr) => Expr,
): WindowFunction {
  const { name } = call;
  const bound = ({ kind, offset }: FrameBound): WindowBound => ({
    kind,
    ...(offset && { offset: compile(lift(offset)) }),
  });
  const { start, end, mode, exclude, order } = window;
  const procedureName = resolved.procedure.name;
  const isOffset = mode === "range" && (start.offset ?? end.offset) !== undefined;
  return {
    name: procedureName,
    arguments: isStar ? [] : call.args.map((arg) => compile(lift(arg))),
    filter: filter && compile(lift(filter)),
    begin: isAggregate
      ? accumulatorOf(env, { call, isStar, procedureName: name, resolved })
      : undefined,
    mode,
    start: bound(start),
    end: bound(end),
    exclude,
    ...(isOffset && { inRange: inRange(env, order[0] as OrderPart, start, end) }),
  };
}

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);

/** RANGE with an offset: whether a value is within so much of another one. */
function inRange(
  { functions }: PlanEnv,
  { expr, isDescending, isNullsFirst }: OrderPart,
  start: FrameBound,
  end: FrameBound,
): NonNullable<WindowFunction["inRange"]> {
  const { types } = functions;
  const key = types.baseOf(expr.oid);
  const moved = (side: "start" | "end") => {
    const given = side === "start" ? start.offset : end.offset;
    if (given === undefined) return undefined;
    const isWhole = INTEGERS.has(key) && INTEGERS.has(given.oid);
    const operators = ["-", "+"].map((name) => {
      if (isWhole) return undefined;
      const resolved = functions.resolveOperator(name, key, given.oid);
      return { evaluate: resolved.evaluate(), result: resolved.result };
    });
    return (value: Datum, offset: Datum, isMinus: boolean, run: ExecRun): [Datum, number] => {
      if (isWhole) {
        const [a, b] = [BigInt(value as bigint), BigInt(offset as bigint)];
        return [isMinus ? a - b : a + b, OID.int8];
      }
      const operator = operators[isMinus ? 0 : 1] as NonNullable<(typeof operators)[number]>;
      return [operator.evaluate(value, offset, run.evaluation.sql), operator.result];
    };
  };
  const movers = { start: moved("start"), end: moved("end") };
  const compares = new Map<string, (a: Datum, b: Datum, run: ExecRun) => boolean>();
  const compare = (name: string, other: number) => {
    const known = compares.get(`${name} ${other}`);
    if (known !== undefined) return known;
    const evaluate: (...values: (Datum | SqlContext)[]) => Datum =
      INTEGERS.has(key) && other === OID.int8
        ? (a, b) =>
            name === ">="
              ? BigInt(a as bigint) >= (b as bigint)
              : BigInt(a as bigint) <= (b as bigint)
        : functions.resolveOperator(name, key, other).evaluate();
    const found = (a: Datum, b: Datum, run: ExecRun): boolean =>
      evaluate(a, b, run.evaluation.sql) === true;
    compares.set(`${name} ${other}`, found);
    return found;
  };
  return (value: Datum, of: Datum, bound: Bound, side, run) => {
    const offset = bound.offset as Datum;
    if (isNegative(offset)) {
      throw new SqlError("22013", "invalid preceding or following size in window function");
    }
    if (value === null || of === null) {
      // NULLs are peers of each other and beyond all values.
      if (value === of) return true;
      const isBefore = (value === null) === isNullsFirst;
      return isBefore === (side === "end");
    }
    const isMinus = (bound.kind === "preceding") !== isDescending;
    const isFrom = (side === "start") !== isDescending;
    if (isNotNumber(value) || isNotNumber(of))
      return isNotNumber(value) === isNotNumber(of) || isNotNumber(value) === isFrom;
    const infinity = infinityOf(of);
    // So far from infinity all is within it: a difference of the two would be none.
    const isEndless = infinityOf(offset) !== 0;
    if (isEndless && infinity === (isMinus ? 1 : -1)) return true;
    const isMoved = infinity === 0 || isEndless;
    const [edge, oid] = (isMoved && movers[side]?.(of, offset, isMinus, run)) || [of, key];
    return compare(isFrom ? ">=" : "<=", oid)(value, edge, run);
  };
}

/** 1 or -1 for the infinite values, 0 for others. */
function infinityOf(value: Datum): number {
  if (typeof value === "number")
    return Math.abs(value) === Number.POSITIVE_INFINITY ? Math.sign(value) : 0;
  const isInfinite = value instanceof Numeric && !value.isFinite && !value.isNaN;
  return isInfinite ? value.sign : 0;
}

function isNotNumber(value: Datum): boolean {
  return value instanceof Numeric ? value.isNaN : Number.isNaN(value);
}

function isNegative(offset: Datum): boolean {
  if (isNotNumber(offset)) return true;
  if (typeof offset === "number") return offset < 0;
  if (typeof offset === "bigint") return offset < 0n;
  if (typeof offset !== "object" || offset === null) return false;
  if ("sign" in offset) return Number(offset.sign) < 0;
  if (!("months" in offset)) return false;
  const { months, days, micros } = offset;
  return BigInt(months * 30 + days) * 86_400_000_000n + micros < 0n;
}
