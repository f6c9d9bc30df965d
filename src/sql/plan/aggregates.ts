import type { Datum } from "../../rows/index.ts";
import { Numeric } from "../../rows/numeric.ts";
import type { Expr } from "../bind/expr.ts";
import type { AggregateCall, Scope } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import { compile } from "../exec/evaluate.ts";
import type { Accumulator, AggregateSpec } from "../exec/group.ts";
import { compareRows, type SortKey } from "../exec/operators.ts";
import { rowKey } from "../exec/row-key.ts";
import { type ExecRun, type Row, rowBytes } from "../exec/run.ts";
import { aggregateOf } from "../functions/aggregates.ts";
import { vector } from "../types/arrays.ts";
import { OID } from "../types/oids.ts";
import { isOrderedSet, orderedSet } from "./ordered-set.ts";
import { sortKey } from "./output.ts";

/** How an aggregate is computed. @throws SqlError 0A000 for one that is not implemented. */
export function aggregateSpec(
  scope: Scope,
  aggregate: AggregateCall,
  place: (expr: Expr) => Expr,
  grouped: (expr: Expr) => Expr,
): AggregateSpec {
  const { types } = scope.functions;
  const { call, filter, isDistinct, isStar, order, direct, resolved } = aggregate;
  const isSet =
    resolved.procedure.kind === "a" && direct.length + order.length > 0 && isOrderedSet(aggregate);
  const args = isStar ? [] : isSet ? call.args.slice(direct.length) : call.args;
  const begin = isSet ? orderedSet(types, aggregate) : accumulatorOf(scope, aggregate);
  const isSorted = order.length > 0 && !isOrderedSet(aggregate);
  const sorts = isSorted ? order : [];
  const keys = sorts.map((part, i) => sortKey(types, part, () => args.length + i));
  const distinctKey = isDistinct
    ? rowKey(
        types,
        args.map(({ oid }) => oid),
      )
    : undefined;
  return {
    arguments: [...args, ...sorts.map(({ expr }) => expr)].map((expr) => compile(place(expr))),
    filter: filter === undefined ? undefined : compile(place(filter)),
    direct: isSet ? direct.map((expr) => compile(grouped(expr))) : undefined,
    distinctKey: distinctKey && ((row) => distinctKey(row.slice(0, args.length))),
    begin: isSorted
      ? (run) => sorted(run, begin(run), compareRows(keys), args.length)
      : isDistinct && !ORDERLESS.has(aggregate.procedureName)
        ? (run) => sorted(run, begin(run), compareRows(argumentOrder(scope, args)), args.length)
        : begin,
  };
}

/** Aggregates that give the same in any order of their rows. */
const ORDERLESS: ReadonlySet<string> = new Set([
  "count",
  "min",
  "max",
  "bool_and",
  "bool_or",
  "every",
]);

/** DISTINCT sorts its arguments, where they have an order. */
function argumentOrder(scope: Scope, args: readonly Expr[]): readonly SortKey[] {
  const { types } = scope.functions;
  return args.flatMap(({ oid }, slot) => {
    const { compare } = types.get(types.baseOf(oid)).codec;
    return compare ? [{ slot, compare, isDescending: false, isNullsFirst: false }] : [];
  });
}

/** Hands rows to an aggregate in an order. */
function sorted(
  run: ExecRun,
  inner: Accumulator,
  compare: (left: Row, right: Row) => number,
  width: number,
): Accumulator {
  const rows: Row[] = [];
  return {
    add: (values) => {
      run.keep(rowBytes(values));
      rows.push(values);
    },
    result: () => {
      rows.sort(compare);
      for (const row of rows) inner.add(row.length === width ? row : row.slice(0, width));
      return inner.result();
    },
  };
}

type PlainCall = Pick<AggregateCall, "call" | "isStar" | "procedureName" | "resolved">;

/** How an aggregate adds up rows. @throws SqlError 0A000. */
export function accumulatorOf(
  scope: Pick<Scope, "functions">,
  { call, isStar, procedureName: name, resolved }: PlainCall,
): (run: ExecRun) => Accumulator {
  const argument = call.args[0]?.oid ?? 0;
  const { types } = scope.functions;
  switch (name) {
    case "count":
      return () => counter(isStar);
    case "sum":
    case "avg":
      if (SUMMED.has(argument)) return summing(scope, name, argument);
      break;
    case "min":
    case "max": {
      const { compare } = types.get(types.baseOf(argument)).codec;
      if (compare === undefined) break;
      const sign = name === "max" ? 1 : -1;
      return () => extreme((left, right) => compare(left, right) * sign);
    }
    case "bool_and":
    case "every":
    case "bool_or":
      return () => logic(name !== "bool_or");
    case "string_agg":
      if (argument === OID.text) return strings;
      break;
    case "array_agg":
      if (types.isArray(argument)) throw notSupported("array_agg of arrays");
      return (run) => elements(run);
    default:
  }
  const aggregate = aggregateOf(scope.functions, resolved);
  return (run) => {
    const state = aggregate.create();
    const { sql } = run.evaluation;
    return { add: (values) => state.add(values, sql), result: () => state.result(sql) };
  };
}

const SUMMED: ReadonlySet<number> = new Set([
  OID.float4,
  OID.float8,
  OID.int2,
  OID.int4,
  OID.int8,
  OID.numeric,
]);

function counter(isStar: boolean): Accumulator {
  let rows = 0n;
  return {
    add: ([value = null]) => {
      if (isStar || value !== null) rows++;
    },
    result: () => rows,
  };
}

function extreme(compare: (left: Datum, right: Datum) => number): Accumulator {
  let found: Datum = null;
  return {
    add: ([value = null]) => {
      if (value === null) return;
      if (found === null || compare(value, found) > 0) found = value;
    },
    result: () => found,
  };
}

function logic(isAll: boolean): Accumulator {
  let found: boolean | null = null;
  return {
    add: ([value = null]) => {
      if (value === null) return;
      found =
        found === null ? value === true : isAll ? found && value === true : found || value === true;
    },
    result: () => found,
  };
}

function strings(run: ExecRun): Accumulator {
  let text: string | null = null;
  return {
    add: ([value = null, between = null]) => {
      if (value === null) return;
      run.keep(String(value).length + 2);
      text = text === null ? String(value) : `${text}${between ?? ""}${String(value)}`;
    },
    result: () => text,
  };
}

function elements(run: ExecRun): Accumulator {
  const values: Datum[] = [];
  return {
    add: ([value = null]) => {
      run.keep(32);
      values.push(value);
    },
    // A copy: a window asks between rows.
    result: () => (values.length === 0 ? null : vector([...values] as never[])),
  };
}

/** Sums: exact in integers and decimals, in the order of rows for floats. */
function summing(
  scope: Pick<Scope, "functions">,
  name: "sum" | "avg",
  oid: number,
): (run: ExecRun) => Accumulator {
  if (oid === OID.float4 || oid === OID.float8) return () => floats(name, oid);
  if (oid === OID.int2 || oid === OID.int4 || oid === OID.int8) {
    const toResult =
      name === "sum" && oid !== OID.int8
        ? (sum: bigint) => checkedInt8(sum)
        : (sum: bigint) => Numeric.of(sum);
    const divide = division(scope);
    return (run) => integers(run, name, toResult, divide);
  }
  if (oid !== OID.numeric) throw notSupported(`the aggregate ${name} of this type`);
  const add = scope.functions.resolveOperator("+", OID.numeric, OID.numeric).evaluate();
  const divide = division(scope);
  return (run) => decimals(run, name, add, divide);
}

type Divide = (sum: Datum, rows: bigint, run: ExecRun) => Datum;

function division(scope: Pick<Scope, "functions">): Divide {
  const over = scope.functions.resolveOperator("/", OID.numeric, OID.numeric).evaluate();
  return (sum, rows, run) => over(sum, Numeric.of(rows), run.evaluation.sql);
}

function checkedInt8(sum: bigint): bigint {
  if (BigInt.asIntN(64, sum) === sum) return sum;
  throw new SqlError("22003", "bigint out of range");
}

function integers(
  run: ExecRun,
  name: "sum" | "avg",
  toResult: (sum: bigint) => Datum,
  divide: Divide,
): Accumulator {
  // Small sums need no bigint for each row.
  let small = 0;
  let large = 0n;
  let rows = 0n;
  return {
    add: ([value = null]) => {
      if (value === null) return;
      rows++;
      if (typeof value === "bigint") large += value;
      else {
        small += value as number;
        if (small > 4e15 || small < -4e15) {
          large += BigInt(small);
          small = 0;
        }
      }
    },
    result: () => {
      if (rows === 0n) return null;
      const sum = large + BigInt(small);
      return name === "sum" ? toResult(sum) : divide(Numeric.of(sum), rows, run);
    },
  };
}

function floats(name: "sum" | "avg", oid: number): Accumulator {
  let sum = 0;
  let rows = 0;
  return {
    add: ([value = null]) => {
      if (value === null) return;
      rows++;
      sum += value as number;
    },
    result: () => {
      if (rows === 0) return null;
      if (name === "avg") return sum / rows;
      return oid === OID.float4 ? Math.fround(sum) : sum;
    },
  };
}

function decimals(
  run: ExecRun,
  name: "sum" | "avg",
  add: (...values: readonly never[]) => Datum,
  divide: Divide,
): Accumulator {
  let sum: Datum = null;
  let rows = 0n;
  const plus = add as (left: Datum, right: Datum, context: unknown) => Datum;
  return {
    add: ([value = null]) => {
      if (value === null) return;
      rows++;
      sum = sum === null ? value : plus(sum, value, run.evaluation.sql);
    },
    result: () => {
      if (sum === null) return null;
      return name === "sum" ? sum : divide(sum, rows, run);
    },
  };
}
