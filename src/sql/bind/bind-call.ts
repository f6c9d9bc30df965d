import type { Node } from "libpg-query";
import type { Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { typeName } from "../functions/coercion.ts";
import { resolvePolymorphic } from "../functions/polymorphic.ts";
import type { CallOptions } from "../functions/resolve.ts";
import { waitsFor } from "../functions/sequences.ts";
import type { NodeOf } from "../parse/statement.ts";
import { contentOf } from "../parse/statement.ts";
import { OID } from "../types/oids.ts";
import type { RowColumn, RowValue } from "../types/row-value.ts";
import { bindOrder } from "./bind-order.ts";
import { bindRowArgument, columnsOfRow, fieldExpr } from "./bind-row.ts";
import { bindWindow } from "./bind-window.ts";
import { coerce, coerceToBool, coerceToCommon, located, settled } from "./coerce.ts";
import { type CallExpr, type Expr, isSameExpr, someExpr } from "./expr.ts";
import { outerExpr, textsOf } from "./names.ts";
import type { OrderPart, Scope } from "./scope.ts";

/** Those that have functions. */
const FUNCTION_SCHEMAS: ReadonlySet<string> = new Set(["pg_catalog", "information_schema"]);

/** A function, an aggregate, or a cast that is written as a call. */
export function bindCall(scope: Scope, call: NodeOf<"FuncCall">, bind: (node: Node) => Expr): Expr {
  const { funcname, args = [], location, agg_star: isStar = false } = call;
  return located(scope, location, () => {
    const names = textsOf(funcname);
    const name = names.at(-1) ?? "";
    const schema = names.length > 1 ? names[0] : undefined;
    if (schema !== undefined && !FUNCTION_SCHEMAS.has(schema)) {
      throw new SqlError("42883", `function ${names.join(".")} does not exist`);
    }
    const named: string[] = [];
    const isOrderedSet = call.agg_within_group === true;
    const ordered = isOrderedSet
      ? (call.agg_order ?? []).map((node) => contentOf(node, "SortBy")?.node as Node)
      : [];
    const refs = scope.outer?.refs.length ?? 0;
    const bound = [...args, ...ordered].map((arg) => {
      const argument = contentOf(arg, "NamedArgExpr");
      if (argument === undefined) return bindRowArgument(scope, name, arg) ?? bind(arg);
      named.push(argument.name ?? "");
      return bind(argument.arg as Node);
    });
    const options = {
      ...(named.length > 0 && { names: named }),
      ...(call.func_variadic === true && { isVariadic: true }),
      schema,
    };
    const resolved = resolvedCall(scope, name, bound, options);
    if (resolved.kind === "field") return resolved.expr;
    if (resolved.kind === "cast") {
      return coerce(scope, bound[0] as Expr, resolved.target, -1, "explicit");
    }
    const isAggregate = resolved.procedure.kind === "a";
    if (isAggregate && args.length === 0 && !isStar && !isOrderedSet) {
      const message = `${name}(*) must be used to call a parameterless aggregate function`;
      throw new SqlError("42809", message);
    }
    if (call.over !== undefined) {
      return bindWindowCall(scope, call, name, resolved, bound, bind);
    }
    if (resolved.procedure.kind === "w") {
      throw new SqlError("42P20", `window function ${name} requires an OVER clause`);
    }
    if (isStar && !isAggregate) {
      throw new SqlError("42809", `${name}(*) specified, but ${name} is not an aggregate function`);
    }
    if (isAggregate) return bindAggregate(scope, call, { name, resolved, refs }, bound, bind);
    if (call.agg_filter !== undefined) {
      throw new SqlError("42809", `FILTER specified, but ${name} is not an aggregate function`);
    }
    if (call.agg_distinct === true) {
      throw new SqlError("42809", `DISTINCT specified, but ${name} is not an aggregate function`);
    }
    return callExpr(scope, name, resolved, bound);
  });
}

/** What a call means: where no function has the name, `f(row)` is the field `f` of the row. */
function resolvedCall(
  scope: Scope,
  name: string,
  bound: readonly Expr[],
  options: CallOptions,
): ReturnType<Scope["functions"]["resolveFunction"]> | { readonly kind: "field"; expr: Expr } {
  const inputs = bound.map(({ oid }) => oid);
  try {
    return scope.functions.resolveFunction(name, inputs, options);
  } catch (error) {
    const [row] = bound;
    const isMissing = error instanceof SqlError && error.sqlState === "42883";
    if (!isMissing || row === undefined || bound.length > 1) throw error;
    const isField = columnsOfRow(scope, row)?.some((column) => column.name === name);
    if (isField !== true || options.schema !== undefined) throw error;
    return { kind: "field", expr: fieldExpr(scope, row, name) };
  }
}

/** `f(…) OVER (…)`. */
function bindWindowCall(
  scope: Scope,
  call: NodeOf<"FuncCall">,
  name: string,
  resolved: Resolved,
  args: readonly Expr[],
  bind: (node: Node) => Expr,
): Expr {
  const { windows, clause } = scope;
  if (resolved.procedure.kind !== "w" && resolved.procedure.kind !== "a") {
    const what = "not a window function nor an aggregate function";
    throw new SqlError("42809", `OVER specified, but ${name} is ${what}`);
  }
  if (windows === undefined) {
    throw new SqlError("42P20", `window functions are not allowed in ${clause}`);
  }
  if (call.agg_distinct === true) {
    throw notSupported("DISTINCT in a window function");
  }
  if ((call.agg_order ?? []).length > 0) {
    throw notSupported("ORDER BY in an aggregate of a window");
  }
  const isNested = (expr: Expr): boolean => someExpr(expr, ({ kind }) => kind === "window");
  const spec = bindWindow(scope, call.over ?? {}, bind);
  const filter =
    call.agg_filter === undefined
      ? undefined
      : coerceToBool(scope, bind(call.agg_filter), "FILTER");
  const inSpec = [...spec.partition, ...spec.order.map(({ expr }) => expr)];
  if ([...args, ...inSpec].some(isNested)) {
    throw new SqlError("42P20", "window function calls cannot be nested");
  }
  const bound = callExpr(scope, name, resolved, args);
  const isAggregate = resolved.procedure.kind === "a";
  const isStar = call.agg_star === true;
  const index =
    windows.push({ call: bound, resolved, isAggregate, isStar, filter, window: spec }) - 1;
  return { kind: "window", oid: bound.oid, typmod: -1, index };
}

/** The clause of a scope whose calls are relations. */
export const FUNCTIONS_IN_FROM = "functions in FROM";

type Resolved = Extract<
  ReturnType<Scope["functions"]["resolveFunction"]>,
  { readonly kind: "call" }
>;

/** A call of a function by its name, with arguments that are bound. */
export function bindNamedCall(scope: Scope, name: string, args: readonly Expr[]): Expr {
  const resolved = scope.functions.resolveFunction(
    name,
    args.map(({ oid }) => oid),
  );
  if (resolved.kind === "call") return callExpr(scope, name, resolved, args);
  return coerce(scope, args[0] as Expr, resolved.target, -1, "explicit");
}

function callExpr(scope: Scope, name: string, resolved: Resolved, args: readonly Expr[]): CallExpr {
  const given = args.map((arg, i) =>
    coerce(scope, arg, resolved.arguments[i] ?? arg.oid, -1, "implicit"),
  );
  const ordered = resolved.sources.map((source, i): Expr => {
    if (source >= 0) return given[source] as Expr;
    return defaultOf(scope, resolved, i);
  });
  const call: CallExpr = {
    kind: "call",
    oid: resolved.result,
    typmod: -1,
    name,
    procedure: resolved.procedure.source,
    isOperator: false,
    args: ordered,
    evaluate: resolved.procedure.kind === "f" ? resolved.evaluate() : () => null,
    isStrict: resolved.isStrict,
    isVolatile: resolved.procedure.volatility === "v",
    isStable: resolved.procedure.volatility === "s",
    returnsSet: resolved.returnsSet,
    ...(waitsFor(resolved.procedure) && { waits: true }),
    ...outputName(resolved),
  };
  if (resolved.result !== OID.record || resolved.procedure.kind !== "f") return call;
  const columns = outputColumns(scope, resolved);
  if (scope.clause === FUNCTIONS_IN_FROM) return { ...call, columns };
  return { ...call, columns, evaluate: asRows(call, columns) };
}

/** The name of the only value that a function gives, where it has one. */
function outputName({ procedure: { modes, names } }: Resolved): Pick<CallExpr, "outputName"> {
  const outputs = (modes ?? []).flatMap((mode, i) => (mode === "o" ? [names?.[i] ?? ""] : []));
  const [name = ""] = outputs;
  return outputs.length === 1 && name !== "" ? { outputName: name } : {};
}

/** The columns of a function that returns rows. */
function outputColumns(
  { functions }: Scope,
  { procedure, arguments: given }: Resolved,
): readonly RowColumn[] {
  const { modes, names, allArguments, arguments: declared } = procedure;
  const typeOf = (oid: number): number =>
    resolvePolymorphic(functions.types, given, declared, oid).result;
  return (modes ?? []).flatMap((mode, i) =>
    mode === "o" || mode === "t"
      ? [{ name: names?.[i] ?? "", oid: typeOf(allArguments?.[i] ?? 0) }]
      : [],
  );
}

/** FROM takes the values of a function's row; elsewhere a row is one value. */
function asRows(call: CallExpr, columns: readonly RowColumn[]): CallExpr["evaluate"] {
  const rowOf = (fields: Datum): Datum =>
    fields === null
      ? null
      : ({ fields: fields as unknown as readonly Datum[], columns } satisfies RowValue as never);
  if (!call.returnsSet) return (...values) => rowOf(call.evaluate(...values));
  return (...values) =>
    mapped(call.evaluate(...values) as unknown as Iterable<Datum>, rowOf) as never;
}

function* mapped(values: Iterable<Datum>, make: (value: Datum) => Datum): Generator<Datum> {
  for (const value of values) yield make(value);
}

/** The default of a parameter, as PostgreSQL's tables write it: `'{}'::text[]`, `false`, `NULL`. */
function defaultOf(scope: Scope, resolved: Resolved, parameter: number): Expr {
  const text = resolved.defaults[parameter] ?? null;
  const oid = resolved.procedure.arguments[parameter] ?? OID.text;
  const value = text === null || text.startsWith("NULL") ? null : /^'?(.*?)'?(?:::.*)?$/.exec(text);
  const literal: Expr = {
    kind: "const",
    oid: OID.unknown,
    typmod: -1,
    value: value === null ? null : (value[1] ?? ""),
  };
  return coerce(scope, literal, oid, -1, "explicit");
}

/** Those that PostgreSQL has, whether Firn computes them or not. */
function isOrderedSetName(name: string): boolean {
  return /^(?:percentile_(?:cont|disc)|mode|rank|dense_rank|percent_rank|cume_dist)$/.test(name);
}

/** Those that rank their direct arguments among the rows. */
function isHypothetical(name: string): boolean {
  return /^(?:rank|dense_rank|percent_rank|cume_dist)$/.test(name);
}

/**
 * Each direct argument and what it is ranked among have one type.
 *
 * @throws SqlError 42883, 42804.
 */
function matched(
  scope: Scope,
  name: string,
  args: readonly Expr[],
  directs: number,
): readonly Expr[] {
  const { types } = scope.functions;
  const ordered = args.length - directs;
  if (ordered !== directs) {
    const shown = args.map(({ oid }) => typeName(types, oid)).join(", ");
    throw new SqlError("42883", `function ${name}(${shown}) does not exist`, {
      hint:
        `To use the hypothetical-set aggregate ${name}, the number of hypothetical direct ` +
        `arguments (here ${directs}) must match the number of ordering columns (here ${ordered}).`,
    });
  }
  const pairs = args.slice(0, directs).map((direct, i) => {
    const pair = [args[directs + i] ?? direct, direct];
    return coerceToCommon(scope, pair, "WITHIN GROUP").args;
  });
  return [1, 0].flatMap((side) => pairs.map((pair) => pair[side] as Expr));
}

/** A function for arguments that have other types now. */
function resolvedAgain(
  { functions }: Scope,
  name: string,
  args: readonly Expr[],
  before: Resolved,
): Resolved {
  const again = functions.resolveFunction(
    name,
    args.map(({ oid }) => oid),
  );
  return again.kind === "call" ? again : before;
}

/**
 * An aggregate of the query around cannot read what WITH names below that query.
 *
 * @throws SqlError 0A000.
 */
function assertNoNestedCte(scope: Scope, around: Scope, part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  for (const [kind, each] of Object.entries(part)) {
    assertNoNestedCte(scope, around, each);
    if (kind !== "RangeVar") continue;
    const { relname = "", schemaname } = each as NodeOf<"RangeVar">;
    if (schemaname !== undefined || scope.cte?.(relname) === around.cte?.(relname)) continue;
    throw new SqlError("0A000", "outer-level aggregate cannot use a nested CTE", {
      detail: `CTE "${relname}" is below the aggregate's semantic level.`,
    });
  }
}

/** An aggregate: its value for the group, which the plan computes. */
function bindAggregate(
  scope: Scope,
  call: NodeOf<"FuncCall">,
  found: { readonly name: string; readonly resolved: Resolved; readonly refs: number },
  args: readonly Expr[],
  bind: (node: Node) => Expr,
): Expr {
  const { aggregates, clause } = scope;
  const { name } = found;
  const isOrderedSet = call.agg_within_group === true;
  const directs = isOrderedSet ? (call.args ?? []).length : 0;
  const hasIn = (exprs: readonly Expr[], kind: Expr["kind"]): boolean =>
    exprs.some((each) => someExpr(each, (part) => part.kind === kind));
  const has = (kind: Expr["kind"]): boolean => hasIn(args, kind);
  const filter =
    call.agg_filter === undefined
      ? undefined
      : coerceToBool(scope, bind(call.agg_filter), "FILTER");
  const order = bindOrder(call.agg_order ?? [], (node) => settled(scope, bind(node)));
  const own = [
    ...args.slice(directs),
    ...order.map(({ expr }) => expr),
    ...(filter === undefined ? [] : [filter]),
  ];
  if (scope.outer !== undefined && hasIn(own, "outer") && !hasIn(own, "column")) {
    if (has("column")) {
      const message =
        "outer-level aggregate cannot contain a lower-level variable in its direct arguments";
      throw new SqlError("42803", message);
    }
    // All of its values are of the query around this one: it is that query's aggregate.
    const around = scope.outer;
    assertNoNestedCte(scope, around.scope, call);
    around.refs.length = found.refs;
    return outerExpr(around, bindCall(around.scope, call, around.bind));
  }
  if (aggregates === undefined) {
    throw new SqlError("42803", `aggregate functions are not allowed in ${clause}`);
  }
  if (has("aggregate")) {
    throw new SqlError("42803", "aggregate function calls cannot be nested");
  }
  if (has("window")) {
    throw new SqlError("42803", "aggregate function calls cannot contain window function calls");
  }
  if (isOrderedSet && !isOrderedSetName(name)) {
    const message = `${name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP`;
    throw new SqlError("42809", message);
  }
  const isRank = isOrderedSet && isHypothetical(name);
  const given = isRank ? matched(scope, name, args, directs) : args;
  const resolved = isRank ? resolvedAgain(scope, name, given, found.resolved) : found.resolved;
  const bound = callExpr(scope, name, resolved, given);
  const count = order.length;
  if (isOrderedSet) {
    // What is ordered has the types that the function wants.
    for (const [i, part] of order.entries()) {
      const given = bound.args[bound.args.length - count + i];
      if (given !== undefined) (order as OrderPart[])[i] = { ...part, expr: given };
    }
  } else if (call.agg_distinct === true && count > 0) {
    // An argument is meant as it was written, before it became what the function takes.
    const isArgument = (expr: Expr): boolean =>
      args.some((arg, i) =>
        isSameExpr((arg.oid === OID.unknown ? bound.args[i] : arg) ?? arg, expr),
      );
    if (!order.every(({ expr }) => isArgument(expr))) {
      throw new SqlError(
        "42P10",
        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
      );
    }
  }
  if (filter !== undefined && someExpr(filter, ({ kind }) => kind === "aggregate")) {
    throw new SqlError("42803", "aggregate functions are not allowed in FILTER");
  }
  const index =
    aggregates.push({
      call: bound,
      isStar: call.agg_star === true,
      isDistinct: call.agg_distinct === true,
      filter,
      order,
      procedureName: name,
      resolved,
      direct: isOrderedSet ? bound.args.slice(0, bound.args.length - count) : [],
    }) - 1;
  return { kind: "aggregate", oid: bound.oid, typmod: -1, index };
}
