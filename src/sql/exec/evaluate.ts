import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import type { Expr, SubqueryExpr } from "../bind/expr.ts";
import { SqlError } from "../error.ts";
import { vector } from "../types/arrays.ts";
import type { SqlContext } from "../types/context.ts";

/** What a compiled expression is evaluated in. */
export interface EvalContext {
  readonly sql: SqlContext;
  readonly parameters: readonly Datum[];
  /** Of a subquery: values of the row around it. */
  readonly outer?: readonly Datum[];
  /** Answers of subqueries. */
  readonly subqueries?: SubqueryAnswers;
  /** Answers of functions that wait, by the place of their call. */
  readonly waited?: Map<object, Waited>;
}

/** What a function answered that waits, for one row: evaluated again, the row gets the same. */
interface Waited {
  readonly row: readonly Datum[];
  readonly value: Datum;
}

/** The rows of a subquery for one row around it. */
export interface SubqueryAnswer {
  readonly rows: readonly (readonly Datum[])[];
  /** Keys of its rows, where rows without NULL are looked up by them. */
  readonly keys?: ReadonlySet<string> | undefined;
  readonly hasNull?: boolean;
}

/** Answers of subqueries: evaluation does not wait, so that their rows are read before. */
export interface SubqueryAnswers {
  /** @throws PendingSubquery where it is not known yet. */
  answerOf(subquery: SubqueryExpr, row: readonly Datum[], outer: readonly Datum[]): SubqueryAnswer;
}

/**
 * Thrown by evaluation that needs rows of a subquery, or another answer that must be waited for:
 * read it, then evaluate again, with the same row.
 */
export class PendingSubquery {
  readonly read: () => Promise<void>;

  constructor(read: () => Promise<void>) {
    this.read = read;
  }
}

/** A compiled expression: the value for a row. */
export type Evaluator = (row: readonly Datum[], context: EvalContext) => Datum;

/** Compiles a bound expression. Columns are read by their slot. */
export function compile(expr: Expr): Evaluator {
  switch (expr.kind) {
    case "const": {
      const { value } = expr;
      return () => value;
    }
    case "param": {
      const { index } = expr;
      return (_row, { parameters }) => parameters[index] ?? null;
    }
    case "column": {
      const { slot } = expr;
      return (row) => row[slot] as Datum;
    }
    case "outer": {
      const { index } = expr;
      return (_row, { outer }) => outer?.[index] ?? null;
    }
    case "aggregate":
    case "window":
    case "grouping":
      throw new SqlError("XX000", `${expr.kind} outside the plan that computes it`);
    case "call":
      return compileCall(expr);
    case "cast": {
      const arg = compile(expr.arg);
      if (expr.cast.isIdentity) return arg;
      const { cast } = expr;
      return (row, context) => {
        const value = arg(row, context);
        if (value === null) {
          cast.refuseNull?.(context.sql);
          return null;
        }
        return cast.apply(value, context.sql);
      };
    }
    default:
      return compileForm(expr);
  }
}

type FormExpr = Exclude<
  Expr,
  {
    readonly kind:
      | "const"
      | "param"
      | "column"
      | "outer"
      | "aggregate"
      | "window"
      | "grouping"
      | "call"
      | "cast";
  }
>;

/** Forms that are not functions: they decide by themselves which arguments they evaluate. */
function compileForm(expr: FormExpr): Evaluator {
  switch (expr.kind) {
    case "and":
      return compileLogic(expr.args.map(compile), false);
    case "or":
      return compileLogic(expr.args.map(compile), true);
    case "not": {
      const arg = compile(expr.arg);
      return (row, context) => {
        const value = arg(row, context);
        return value === null ? null : value !== true;
      };
    }
    case "isNull": {
      const arg = compile(expr.arg);
      const { isNegated } = expr;
      return (row, context) => (arg(row, context) === null) !== isNegated;
    }
    case "booleanTest": {
      const arg = compile(expr.arg);
      const { value, isNegated } = expr;
      return (row, context) => (arg(row, context) === value) !== isNegated;
    }
    case "distinct":
      return compileDistinct(expr);
    case "case":
      return compileCase(expr);
    case "coalesce": {
      const args = expr.args.map(compile);
      return (row, context) => {
        for (const arg of args) {
          const value = arg(row, context);
          if (value !== null) return value;
        }
        return null;
      };
    }
    case "nullIf": {
      const equal = compile(expr.equal);
      const value = compile(expr.value);
      return (row, context) => (equal(row, context) === true ? null : value(row, context));
    }
    case "extreme":
      return compileExtreme(expr);
    case "any":
      return compileAny(expr);
    case "array":
      return compileArray(expr);
    case "subquery":
      return compileSubquery(expr);
    case "default":
      throw new SqlError("42601", "DEFAULT is not allowed in this context");
  }
}

function compileCall(expr: Extract<Expr, { kind: "call" }>): Evaluator {
  if (expr.waits === true) return compileWaiting(expr);
  const { evaluate, isStrict } = expr;
  const args = expr.args.map(compile);
  const [first, second] = args;
  if (isStrict && args.length === 1 && first !== undefined) {
    return (row, context) => {
      const value = first(row, context);
      return value === null ? null : evaluate(value, context.sql);
    };
  }
  if (isStrict && args.length === 2 && first !== undefined && second !== undefined) {
    return (row, context) => {
      const left = first(row, context);
      if (left === null) return null;
      const right = second(row, context);
      return right === null ? null : evaluate(left, right, context.sql);
    };
  }
  return (row, context) => {
    const values: (Datum | SqlContext)[] = [];
    for (const arg of args) {
      const value = arg(row, context);
      if (value === null && isStrict) return null;
      values.push(value);
    }
    values.push(context.sql);
    return evaluate(...values);
  };
}

function compileWaiting(expr: Extract<Expr, { kind: "call" }>): Evaluator {
  const args = expr.args.map(compile);
  const call = {};
  return (row, context) => {
    const { waited, sql } = context;
    if (waited === undefined) throw new SqlError("0A000", `cannot use ${expr.name}() here`);
    const known = waited.get(call);
    if (known?.row === row) return known.value;
    const values = args.map((arg) => arg(row, context));
    if (expr.isStrict && values.includes(null)) return null;
    throw new PendingSubquery(async () => {
      const value = await (expr.evaluate(...values, sql) as unknown as Promise<Datum>);
      waited.set(call, { row, value });
    });
  };
}

/** AND and OR: `decides` is the value that settles it. */
function compileLogic(args: readonly Evaluator[], decides: boolean): Evaluator {
  return (row, context) => {
    let isUnknown = false;
    for (const arg of args) {
      const value = arg(row, context);
      if (value === decides) return decides;
      if (value === null) isUnknown = true;
    }
    return isUnknown ? null : !decides;
  };
}

function compileDistinct({ equal, isNegated }: Extract<Expr, { kind: "distinct" }>): Evaluator {
  const [left, right] = equal.args.map(compile) as [Evaluator, Evaluator];
  return (row, context) => {
    const a = left(row, context);
    const b = right(row, context);
    const isSame = a === null || b === null ? a === b : equal.evaluate(a, b, context.sql) === true;
    return isSame === isNegated;
  };
}

function compileCase({ whens, otherwise }: Extract<Expr, { kind: "case" }>): Evaluator {
  const branches = whens.map(({ when, value }) => [compile(when), compile(value)] as const);
  const last = otherwise === undefined ? () => null : compile(otherwise);
  return (row, context) => {
    for (const [when, value] of branches) {
      if (when(row, context) === true) return value(row, context);
    }
    return last(row, context);
  };
}

function compileExtreme(expr: Extract<Expr, { kind: "extreme" }>): Evaluator {
  const args = expr.args.map(compile);
  const { compare, isGreatest } = expr;
  return (row, context) => {
    let found: Datum = null;
    for (const arg of args) {
      const value = arg(row, context);
      if (value === null) continue;
      if (found === null || compare(value, found) > 0 === isGreatest) found = value;
    }
    return found;
  };
}

function compileAny(expr: Extract<Expr, { kind: "any" }>): Evaluator {
  const left = compile(expr.left);
  const list = expr.list?.map(compile);
  const array = expr.array === undefined ? undefined : compile(expr.array);
  const { evaluate, isAll } = expr;
  return (row, context) => {
    const value = left(row, context);
    const all = array?.(row, context);
    if (all === null) return null;
    const elements = list ?? (all as ArrayDatum).elements;
    if (elements.length === 0) return isAll;
    let isUnknown = value === null;
    if (value === null) return null;
    for (const each of elements) {
      const element = typeof each === "function" ? each(row, context) : each;
      const answer = element === null ? null : evaluate(value, element, context.sql);
      if (answer === null) isUnknown = true;
      else if (answer !== isAll) return !isAll;
    }
    return isUnknown ? null : isAll;
  };
}

function compileArray(expr: Extract<Expr, { kind: "array" }>): Evaluator {
  const args = expr.args.map(compile);
  const { isNested } = expr;
  return (row, context) => {
    const values = args.map((arg) => arg(row, context));
    return isNested ? nested(values as readonly (ArrayDatum | null)[]) : vector(values as never[]);
  };
}

/** Arrays of one shape as the rows of another one. */
function nested(parts: readonly (ArrayDatum | null)[]): ArrayDatum {
  const [first] = parts;
  const shape = first?.dimensions ?? [];
  for (const part of parts) {
    const isSame = part?.dimensions.length === shape.length;
    if (!isSame || part.dimensions.some((size, i) => size !== shape[i])) {
      const message =
        "multidimensional arrays must have array expressions with matching dimensions";
      throw new SqlError("2202E", message);
    }
  }
  if (shape.length === 0) return { dimensions: [], lowerBounds: [], elements: [] };
  return {
    dimensions: [parts.length, ...shape],
    lowerBounds: [1, ...shape.map(() => 1)],
    elements: parts.flatMap((part) => part?.elements ?? []),
  };
}

function compileSubquery(expr: SubqueryExpr): Evaluator {
  const refs = expr.refs.map(compile);
  const left = expr.left.map(compile);
  const answerOf = (row: readonly Datum[], context: EvalContext): SubqueryAnswer => {
    const { subqueries } = context;
    if (subqueries === undefined) throw new SqlError("0A000", "cannot use subquery here");
    const outer = refs.map((ref) => ref(row, context));
    return subqueries.answerOf(expr, row, outer);
  };
  switch (expr.form) {
    case "exists":
      return (row, context) => answerOf(row, context).rows.length > 0;
    case "scalar":
      return (row, context) => {
        const { rows } = answerOf(row, context);
        if (rows.length <= 1) return rows[0]?.[0] ?? null;
        const message = "more than one row returned by a subquery used as an expression";
        throw new SqlError("21000", message);
      };
    case "array":
      return (row, context) => {
        const values = answerOf(row, context).rows.map(([value = null]) => value);
        const isNested = values.length > 0 && isArrayValue(values[0] as Datum);
        return isNested ? nested(values as ArrayDatum[]) : vector(values as never[]);
      };
    case "any":
    case "all":
      return compileCompared(expr, left, answerOf);
  }
}

function isArrayValue(value: Datum): boolean {
  return typeof value === "object" && value !== null && "dimensions" in value;
}

function compileCompared(
  { form, test, keyOf }: SubqueryExpr,
  left: readonly Evaluator[],
  answerOf: (row: readonly Datum[], context: EvalContext) => SubqueryAnswer,
): Evaluator {
  const meets = compile(test as Expr);
  const isAll = form === "all";
  return (row, context) => {
    const answer = answerOf(row, context);
    if (answer.rows.length === 0) return isAll;
    const values = left.map((value) => value(row, context));
    const hasNull = values.includes(null);
    if (answer.keys !== undefined && keyOf !== undefined && !hasNull) {
      if (answer.keys.has(keyOf(values))) return true;
      if (answer.hasNull !== true) return false;
    }
    let isUnknown = false;
    for (const each of answer.rows) {
      const met = meets([...values, ...each], context);
      if (met === null) isUnknown = true;
      else if (met !== isAll) return !isAll;
    }
    return isUnknown ? null : isAll;
  };
}
