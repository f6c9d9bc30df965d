import type { Datum, Interval } from "../../rows/datum.ts";
import { divisionScale, Numeric } from "../../rows/numeric.ts";
import { notSupported } from "../error.ts";
import { signatures } from "../signatures/tables.ts";
import { vector } from "../types/arrays.ts";
import { checkInt8 } from "../types/integers.ts";
import type { Aggregate, AggregateState } from "./aggregate.ts";
import { floatOverflow } from "./floats.ts";
import { addIntervals, divideInterval } from "./intervals.ts";
import { jsonAggregate } from "./json-aggregates.ts";
import { rootAt } from "./numeric-math.ts";
import type { FunctionRegistry, ResolvedCall } from "./resolve.ts";

type Make = () => AggregateState;

/** A sum of one kind over the arguments that are not NULL; nothing where there are none. */
function folded<State>(
  start: () => State,
  step: (state: State, value: never) => State,
  end: (state: State, count: number) => Datum,
): Make {
  return () => {
    let state = start();
    let count = 0;
    return {
      add([value = null]) {
        if (value === null) return;
        state = step(state, value as never);
        count++;
      },
      result: () => (count === 0 ? null : end(state, count)),
    };
  };
}

const bigSum = (end: (sum: bigint, count: number) => Datum): Make =>
  folded(
    () => 0n,
    (sum: bigint, value: number | bigint) => sum + BigInt(value),
    end,
  );

const average = (sum: Numeric, count: number): Numeric => sum.divide(Numeric.of(count));
const numericSum = (end: (sum: Numeric, count: number) => Datum): Make =>
  folded(
    () => Numeric.zero,
    (sum: Numeric, value: Numeric) => sum.add(value),
    end,
  );

/** N, the sum and the sum of squared differences, as PostgreSQL adds them up (Youngs, Cramer). */
interface Moments {
  count: number;
  sum: number;
  squares: number;
}

function addMoment(state: Moments, value: number): Moments {
  const count = state.count + 1;
  const sum = state.sum + value;
  let { squares } = state;
  if (state.count > 0) {
    const difference = value * count - sum;
    squares += (difference * difference) / (count * state.count);
    if (!Number.isFinite(sum) || !Number.isFinite(squares)) {
      if (Number.isFinite(state.sum) && Number.isFinite(value)) throw floatOverflow();
      squares = NaN;
    }
  } else if (!Number.isFinite(value)) squares = NaN;
  return { count, sum, squares };
}

const moments = (end: (state: Moments) => Datum): Make =>
  folded(() => ({ count: 0, sum: 0, squares: 0 }), addMoment, end);

type Spread = "var_pop" | "var_samp" | "stddev_pop" | "stddev_samp";

function floatSpread(kind: Spread): Make {
  return moments(({ count, squares }) => {
    const isSample = kind.endsWith("samp");
    if (isSample && count < 2) return null;
    const variance = squares / (isSample ? count - 1 : count);
    return kind.startsWith("std") ? Math.sqrt(variance) : variance;
  });
}

interface Squares {
  readonly sum: Numeric;
  readonly squares: Numeric;
}

// Sums of squares may be beyond the range of what comes of them.
const { exact } = Numeric;

function numericSpread(kind: Spread, toNumeric: (value: never) => Numeric): Make {
  const isSample = kind.endsWith("samp");
  return folded(
    () => ({ sum: Numeric.zero, squares: Numeric.zero }),
    (state: Squares, value: never) => {
      const number = toNumeric(value);
      const square = number.multiply(number, exact);
      return { sum: state.sum.add(number, exact), squares: state.squares.add(square, exact) };
    },
    ({ sum, squares }, count) => {
      if (isSample && count < 2) return null;
      if (!squares.isFinite) return Numeric.nan;
      const n = Numeric.of(count);
      const squared = sum.multiply(sum, exact);
      const numerator = n.multiply(squares, exact).add(squared.negate(), exact);
      if (numerator.sign <= 0) return Numeric.zero;
      const divisor = n.multiply(isSample ? Numeric.of(count - 1) : n);
      const scale = divisionScale(numerator, divisor);
      const variance = numerator.divideAt(divisor, scale);
      return kind.startsWith("std") ? rootAt(variance, scale) : variance;
    },
  );
}

function spreads(suffix: "int" | "big" | "numeric" | "float"): Readonly<Record<string, Make>> {
  const kinds: readonly Spread[] = ["var_pop", "var_samp", "stddev_pop", "stddev_samp"];
  const toNumeric =
    suffix === "numeric"
      ? (value: Numeric) => value
      : (value: number | bigint) => Numeric.of(value);
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      suffix === "float" ? floatSpread(kind) : numericSpread(kind, toNumeric as never),
    ]),
  );
}

function strings(): AggregateState {
  const parts: string[] = [];
  let isEmpty = true;
  return {
    add([value = null, separator = null]) {
      if (value === null) return;
      if (!isEmpty) parts.push(String(separator ?? ""));
      parts.push(String(value));
      isEmpty = false;
    },
    result: () => (isEmpty ? null : parts.join("")),
  };
}

function bytes(): AggregateState {
  const parts: Uint8Array[] = [];
  let isEmpty = true;
  return {
    add([value = null, separator = null]) {
      if (value === null) return;
      if (!isEmpty && separator !== null) parts.push(separator as Uint8Array);
      parts.push(value as Uint8Array);
      isEmpty = false;
    },
    result: () => (isEmpty ? null : new Uint8Array(Buffer.concat(parts))),
  };
}

function collected(): AggregateState {
  const elements: Datum[] = [];
  let isEmpty = true;
  return {
    add([value = null]) {
      elements.push(value);
      isEmpty = false;
    },
    // A copy: what comes after must not change an answer.
    result: () => (isEmpty ? null : vector([...elements])),
  };
}

function counted(isRow: boolean): Make {
  return () => {
    let count = 0;
    return {
      add([value = null]) {
        if (isRow || value !== null) count++;
      },
      result: () => BigInt(count),
    };
  };
}

const floatAverage = moments(({ sum, count }) => sum / count);
const intervalSum = (end: (sum: Interval, count: number) => Datum): Make =>
  folded(
    (): Interval => ({ months: 0, days: 0, micros: 0n }),
    (sum: Interval, value: Interval) => addIntervals(sum, value),
    end,
  );

/** By PostgreSQL's transition and final functions, and the name where they serve several. */
const MACHINES: Readonly<Record<string, Make | Readonly<Record<string, Make>>>> = {
  int8inc: counted(true),
  int8inc_any: counted(false),
  int2_sum: bigSum(checkInt8),
  int4_sum: bigSum(checkInt8),
  int2_avg_accum: bigSum((sum, count) => average(Numeric.of(sum), count)),
  int4_avg_accum: bigSum((sum, count) => average(Numeric.of(sum), count)),
  int8_avg_accum: {
    sum: bigSum((sum) => Numeric.of(sum)),
    avg: bigSum((sum, count) => average(Numeric.of(sum), count)),
  },
  numeric_avg_accum: { sum: numericSum((sum) => sum), avg: numericSum(average) },
  float4_accum: { avg: floatAverage, ...spreads("float") },
  float8_accum: { avg: floatAverage, ...spreads("float") },
  int2_accum: spreads("int"),
  int4_accum: spreads("int"),
  int8_accum: spreads("big"),
  numeric_accum: spreads("numeric"),
  interval_accum: { avg: intervalSum((sum, count) => divideInterval(sum, count)) },
  string_agg_transfn: strings,
  bytea_string_agg_transfn: bytes,
  array_agg_transfn: collected,
};

const SAME_NAMES: Readonly<Record<string, string>> = {
  variance: "var_samp",
  stddev: "stddev_samp",
};

/**
 * The aggregate of a call. DISTINCT, FILTER and ORDER BY are the executor's.
 *
 * @throws SqlError 0A000 where Firn does not implement it.
 */
export function aggregateOf(functions: FunctionRegistry, call: ResolvedCall): Aggregate {
  const { oid, name } = call.procedure;
  const { procedureByOid, aggregateByProcedure } = signatures();
  const row = aggregateByProcedure.get(oid);
  const transition = procedureByOid.get(row?.transition ?? 0);
  if (row === undefined || transition === undefined || row.kind !== "n") throw refused(name);
  const json = jsonAggregate(transition.source, functions.types, call.arguments);
  if (json !== undefined) return json;
  const machine = MACHINES[transition.source];
  const make = typeof machine === "function" ? machine : machine?.[SAME_NAMES[name] ?? name];
  if (make !== undefined) return { create: make };
  if (machine !== undefined || row.final !== 0) throw refused(name);
  if (!functions.implements(transition)) throw refused(name);
  return simple(functions, call, row.transition, row.initial);
}

/** State and result are one value, and PostgreSQL's transition function takes it on. */
function simple(
  functions: FunctionRegistry,
  call: ResolvedCall,
  transition: number,
  initial: string | null,
): Aggregate {
  const state = call.result;
  const step = functions.bindProcedure(transition, [state, ...call.arguments], state);
  const { codec } = functions.types.get(state);
  return {
    create() {
      let value: Datum = null;
      let isStarted = false;
      return {
        add([next = null], context) {
          if (!isStarted && initial !== null) value = codec.input(initial, -1, context);
          isStarted = true;
          if (next !== null) value = value === null ? next : step(value, next, context);
        },
        result: (context) =>
          !isStarted && initial !== null ? codec.input(initial, -1, context) : value,
      };
    },
  };
}

function refused(name: string): Error {
  return notSupported(`aggregate ${name}`, "See the table of functions in docs/sql-functions.md.");
}
