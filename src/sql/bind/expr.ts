import type { Datum } from "../../rows/datum.ts";
import type { Cast } from "../functions/casts.ts";
import type { Evaluate } from "../functions/implementation.ts";
import type { RowColumn } from "../types/row-value.ts";

/** What every bound expression says: its type, and how its column is named. */
interface Typed {
  readonly oid: number;
  readonly typmod: number;
}

/** A bound expression: names are resolved, types settled, casts explicit. */
export type Expr =
  | ConstExpr
  | ParamExpr
  | ColumnExpr
  | CallExpr
  | CastExpr
  | (Typed & { readonly kind: "and" | "or"; readonly args: readonly Expr[] })
  | (Typed & { readonly kind: "not"; readonly arg: Expr })
  | (Typed & { readonly kind: "isNull"; readonly arg: Expr; readonly isNegated: boolean })
  | (Typed & {
      readonly kind: "booleanTest";
      readonly arg: Expr;
      /** NULL is `IS UNKNOWN`. */
      readonly value: boolean | null;
      readonly isNegated: boolean;
    })
  | (Typed & {
      readonly kind: "distinct";
      readonly equal: CallExpr;
      readonly isNegated: boolean;
    })
  | (Typed & {
      readonly kind: "case";
      readonly whens: readonly { readonly when: Expr; readonly value: Expr }[];
      readonly otherwise: Expr | undefined;
    })
  | (Typed & { readonly kind: "coalesce"; readonly args: readonly Expr[] })
  | (Typed & { readonly kind: "nullIf"; readonly equal: CallExpr; readonly value: Expr })
  | (Typed & {
      readonly kind: "extreme";
      readonly args: readonly Expr[];
      readonly isGreatest: boolean;
      readonly compare: (left: Datum, right: Datum) => number;
    })
  | AnyExpr
  | (Typed & { readonly kind: "array"; readonly args: readonly Expr[]; readonly isNested: boolean })
  | (Typed & { readonly kind: "aggregate"; readonly index: number })
  | (Typed & { readonly kind: "window"; readonly index: number })
  | (Typed & { readonly kind: "grouping"; readonly args: readonly Expr[] })
  | OuterExpr
  | SubqueryExpr
  | (Typed & { readonly kind: "default" });

export interface ConstExpr extends Typed {
  readonly kind: "const";
  readonly value: Datum;
  /** Of a literal of unknown type: in bytes. */
  readonly location?: number | undefined;
}

export interface ParamExpr extends Typed {
  readonly kind: "param";
  /** From 0 on. */
  readonly index: number;
}

export interface ColumnExpr extends Typed {
  readonly kind: "column";
  /** Its place in the row of the source. */
  readonly slot: number;
  readonly name: string;
  /** Of rows: their fields. */
  readonly columns?: readonly RowColumn[] | undefined;
}

/** A value of the row around a subquery, which its run is given. */
export interface OuterExpr extends Typed {
  readonly kind: "outer";
  readonly index: number;
  readonly name: string;
  /** Of rows: their fields. */
  readonly columns?: readonly RowColumn[] | undefined;
}

/** A query below an expression, as its evaluation needs it. */
export interface SubqueryPlan {
  /** Whether it may answer differently for the same values. */
  readonly isVolatile: boolean;
  /** Its rows, at most as many as told; `run` is the executor's. */
  readonly rows: (
    run: object,
    outer: readonly Datum[],
    most: number,
  ) => Promise<readonly (readonly Datum[])[]>;
}

export interface SubqueryExpr extends Typed {
  readonly kind: "subquery";
  readonly form: "scalar" | "exists" | "array" | "any" | "all";
  /** What it is given of the row around it. */
  readonly refs: readonly Expr[];
  /** The left side of IN, ANY and ALL. */
  readonly left: readonly Expr[];
  /** IN, ANY and ALL: a condition on the left side's values and then a row of the query. */
  readonly test?: Expr | undefined;
  /** Equal texts for equal rows, where the condition is that they are equal. */
  readonly keyOf?: ((row: readonly Datum[]) => string) | undefined;
  readonly plan: SubqueryPlan;
}

export interface CallExpr extends Typed {
  readonly kind: "call";
  readonly name: string;
  /** Of an operator: PostgreSQL's name of it, as in `int4eq`. */
  readonly procedure: string;
  readonly isOperator: boolean;
  readonly args: readonly Expr[];
  readonly evaluate: Evaluate;
  readonly isStrict: boolean;
  readonly isVolatile: boolean;
  /** Depends on settings or on the transaction: not for an index or a generated column. */
  readonly isStable?: boolean;
  readonly returnsSet: boolean;
  /** Of a function of several output columns: each value is a row of them. */
  readonly columns?: readonly RowColumn[] | undefined;
  /** The name of its one value, where the function has one for it. */
  readonly outputName?: string;
  /** `evaluate` gives a promise. */
  readonly waits?: boolean;
}

export interface CastExpr extends Typed {
  readonly kind: "cast";
  readonly arg: Expr;
  readonly cast: Cast;
}

/** `x op ANY (array)`, `x op ALL (array)`, and IN with a list. */
export interface AnyExpr extends Typed {
  readonly kind: "any";
  readonly left: Expr;
  /** Elements in place of an array. */
  readonly list?: readonly Expr[];
  readonly array?: Expr;
  readonly operator: string;
  readonly evaluate: Evaluate;
  readonly isAll: boolean;
}

/** The fields of an expression that is a row, where they are known. */
export function fieldsOf(expr: Expr): readonly RowColumn[] | undefined {
  return "columns" in expr ? expr.columns : undefined;
}

/** The expressions that an expression is made of. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "const":
    case "param":
    case "column":
    case "aggregate":
    case "window":
    case "outer":
    case "default":
      return [];
    case "subquery":
      return [...expr.left, ...expr.refs];
    case "grouping":
    case "call":
    case "and":
    case "or":
    case "coalesce":
    case "extreme":
    case "array":
      return expr.args;
    case "cast":
    case "not":
    case "isNull":
    case "booleanTest":
      return [expr.arg];
    case "distinct":
      return [expr.equal];
    case "nullIf":
      return [expr.equal, expr.value];
    case "case":
      return [
        ...expr.whens.flatMap(({ when, value }) => [when, value]),
        ...(expr.otherwise ? [expr.otherwise] : []),
      ];
    case "any":
      return [expr.left, ...(expr.list ?? []), ...(expr.array ? [expr.array] : [])];
  }
}

/** The same expression over changed parts: `change` answers for those that it replaces. */
export function mapExpr(expr: Expr, change: (expr: Expr) => Expr | undefined): Expr {
  const changed = change(expr);
  if (changed !== undefined) return changed;
  const again = (part: Expr): Expr => mapExpr(part, change);
  const each = (parts: readonly Expr[]): readonly Expr[] => parts.map(again);
  switch (expr.kind) {
    case "call":
    case "and":
    case "or":
    case "coalesce":
    case "extreme":
    case "array":
    case "grouping":
      return { ...expr, args: each(expr.args) };
    case "cast":
    case "not":
    case "isNull":
    case "booleanTest":
      return { ...expr, arg: again(expr.arg) };
    case "distinct":
      return { ...expr, equal: { ...expr.equal, args: each(expr.equal.args) } };
    case "nullIf": {
      const equal = { ...expr.equal, args: each(expr.equal.args) };
      return { ...expr, equal, value: again(expr.value) };
    }
    case "case": {
      const whens = expr.whens.map(({ when, value }) => ({
        when: again(when),
        value: again(value),
      }));
      return { ...expr, whens, otherwise: expr.otherwise && again(expr.otherwise) };
    }
    case "any":
      return {
        ...expr,
        left: again(expr.left),
        ...(expr.list && { list: each(expr.list) }),
        ...(expr.array && { array: again(expr.array) }),
      };
    case "subquery":
      return { ...expr, left: each(expr.left), refs: each(expr.refs) };
    case "const":
    case "param":
    case "column":
    case "outer":
    case "aggregate":
    case "window":
    case "default":
      return expr;
  }
}

export function someExpr(expr: Expr, test: (expr: Expr) => boolean): boolean {
  return test(expr) || partsOf(expr).some((part) => someExpr(part, test));
}

/** Whether two expressions are written the same, so that one value serves both. */
export function isSameExpr(left: Expr, right: Expr): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind || left.oid !== right.oid) return false;
  if (left.kind === "subquery") return false;
  const own = (expr: Expr): string => OWN.map((key) => ownText(expr, key)).join("\0");
  if (own(left) !== own(right)) return false;
  const [mine, theirs] = [partsOf(left), partsOf(right)];
  return (
    mine.length === theirs.length && mine.every((part, i) => isSameExpr(part, theirs[i] as Expr))
  );
}

/** What says beside its parts which expression it is. */
const OWN = ["slot", "index", "procedure", "isNegated", "isAll", "operator", "value", "typmod"];

function ownText(expr: Expr, key: string): string {
  const value = (expr as unknown as Record<string, unknown>)[key];
  if (value === undefined || typeof value === "function") return "";
  if (typeof value !== "object" || value === null) return `${typeof value} ${value}`;
  // A datum of several fields: an interval, an array, a numeric.
  return "kind" in value
    ? ""
    : JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each));
}

/** Whether its value is the same for all rows of a statement. */
export function isRowFree(expr: Expr): boolean {
  return !someExpr(expr, (part) =>
    ROW_BOUND.has(part.kind) ? true : part.kind === "call" && (part.isVolatile || part.returnsSet),
  );
}

/** A subquery is evaluated where it may wait: never where bounds of a key are computed. */
const ROW_BOUND: ReadonlySet<Expr["kind"]> = new Set([
  "column",
  "aggregate",
  "window",
  "grouping",
  "subquery",
  "default",
]);

/** Whether it may answer differently for the same row. */
export function isVolatile(expr: Expr): boolean {
  return someExpr(expr, (part) =>
    part.kind === "call" ? part.isVolatile : part.kind === "subquery" && part.plan.isVolatile,
  );
}

/** Without casts that change no value. */
export function bare(expr: Expr): Expr {
  return expr.kind === "cast" && expr.cast.isIdentity ? bare(expr.arg) : expr;
}
