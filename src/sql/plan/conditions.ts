import { type ArrayDatum, type Datum, INT64_MAX, INT64_MIN } from "../../rows/index.ts";
import { bare, type Expr, isRowFree } from "../bind/expr.ts";
import { compile, type EvalContext } from "../exec/evaluate.ts";
import { OID } from "../types/oids.ts";

/** A bound of a column's values. */
export interface ValueBound {
  readonly value: Datum;
  readonly inclusive: boolean;
}

/** Values of one column: one, NULL, or those between bounds. */
export type ValueRange =
  | { readonly point: Datum }
  | { readonly lower?: ValueBound | undefined; readonly upper?: ValueBound | undefined };

/** What a condition says of one column, once the statement's values are known. */
export interface ColumnCondition {
  readonly slot: number;
  /** Whether it gives points alone, whatever the values are. */
  readonly isPoints: boolean;
  /** Whether it gives one point at most. */
  readonly isOne: boolean;
  /** Several ranges: any of them. None: no row meets it. */
  readonly ranges: (context: EvalContext) => readonly ValueRange[];
}

const MIRRORED: Readonly<Record<string, string>> = {
  "=": "=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.name]);
const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const BOUNDS: Readonly<Record<number, readonly [bigint, bigint]>> = {
  [OID.int2]: [-0x8000n, 0x7fffn],
  [OID.int4]: [-0x8000_0000n, 0x7fff_ffffn],
  [OID.int8]: [INT64_MIN, INT64_MAX],
};

/** All parts of a condition that must be true. */
export function conjuncts(expr: Expr | undefined): readonly Expr[] {
  if (expr === undefined) return [];
  return expr.kind === "and" ? expr.args.flatMap(conjuncts) : [expr];
}

/** What a condition says of one column, as key ranges can say it too; undefined where it cannot. */
export function conditionOf(expr: Expr): ColumnCondition | undefined {
  switch (expr.kind) {
    case "call":
      return expr.isOperator ? ofOperator(expr) : undefined;
    case "isNull": {
      const column = bare(expr.arg);
      if (column.kind !== "column" || expr.isNegated) return undefined;
      const ranges = () => [{ point: null }];
      return { slot: column.slot, isPoints: true, isOne: true, ranges };
    }
    case "any":
      return ofAny(expr);
    case "or":
      return ofOr(expr.args);
    case "and":
      return ofAnd(expr.args);
    default:
      return undefined;
  }
}

function ofOperator(call: Extract<Expr, { kind: "call" }>): ColumnCondition | undefined {
  const [left, right] = call.args.map(bare);
  if (left === undefined || right === undefined) return undefined;
  if (call.procedure === "textlike") return ofLike(left, right);
  const isMirrored = left.kind !== "column";
  const column = isMirrored ? right : left;
  const side = isMirrored ? left : right;
  const operator = isMirrored ? MIRRORED[call.name] : call.name;
  if (column.kind !== "column" || operator === undefined || !(operator in MIRRORED)) {
    return undefined;
  }
  const toColumn = conversion(column.oid, side);
  if (toColumn === undefined) return undefined;
  const { slot } = column;
  const value = compile(side);
  const ranges = (context: EvalContext): readonly ValueRange[] => {
    const given = value([], context);
    if (given === null) return [];
    const converted = toColumn(given);
    if (typeof converted === "object" && converted !== null && "beyond" in converted) {
      const isInside = converted.beyond === "above" ? "<=" : ">=";
      return operator.startsWith(isInside[0] as string) ? [{}] : [];
    }
    return [rangeOf(operator, converted)];
  };
  return { slot, isPoints: operator === "=", isOne: operator === "=", ranges };
}

function rangeOf(operator: string, value: Datum): ValueRange {
  switch (operator) {
    case "=":
      return { point: value };
    case "<":
    case "<=":
      return { upper: { value, inclusive: operator === "<=" } };
    default:
      return { lower: { value, inclusive: operator === ">=" } };
  }
}

/** A value that the column's type cannot have. */
interface Beyond {
  readonly beyond: "above" | "below";
}

type Converted = (value: Datum) => Datum | Beyond;

/** How a value becomes one of the column's keys; undefined where orders may differ. */
function conversion(oid: number, side: Expr): Converted | undefined {
  if (!isRowFree(side) || oid === OID.bpchar) return undefined;
  if (INTEGERS.has(oid) && INTEGERS.has(side.oid)) {
    const [least, most] = BOUNDS[oid] as readonly [bigint, bigint];
    return (value) => {
      const integer = BigInt(value as number | bigint);
      if (integer < least) return { beyond: "below" };
      if (integer > most) return { beyond: "above" };
      return oid === OID.int8 ? integer : Number(integer);
    };
  }
  const isSame = oid === side.oid || (TEXTS.has(oid) && TEXTS.has(side.oid));
  return isSame ? (value) => value : undefined;
}

/** `LIKE 'x%'`: what begins so. */
function ofLike(column: Expr, pattern: Expr): ColumnCondition | undefined {
  if (column.kind !== "column" || !TEXTS.has(column.oid) || !isRowFree(pattern)) return undefined;
  const text = compile(pattern);
  const ranges = (context: EvalContext): readonly ValueRange[] => {
    const given = text([], context);
    if (given === null) return [];
    const { prefix, isWhole } = literalStart(String(given));
    if (isWhole) return [{ point: prefix }];
    return prefix === "" ? [{}] : [startingWith(prefix)];
  };
  return { slot: column.slot, isPoints: false, isOne: false, ranges };
}

function literalStart(pattern: string): { readonly prefix: string; readonly isWhole: boolean } {
  let prefix = "";
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const each = characters[i] as string;
    if (each === "%" || each === "_") return { prefix, isWhole: false };
    if (each === "\\") i++;
    prefix += each === "\\" ? (characters[i] ?? "") : each;
  }
  return { prefix, isWhole: true };
}

function startingWith(prefix: string): ValueRange {
  const characters = [...prefix];
  const lower = { value: prefix, inclusive: true };
  for (let i = characters.length - 1; i >= 0; i--) {
    const code = (characters[i] as string).codePointAt(0) as number;
    if (code >= 0x10_ffff) continue;
    // The surrogates are not characters: behind U+D7FF comes U+E000.
    const next = String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
    const value = characters.slice(0, i).join("") + next;
    return { lower, upper: { value, inclusive: false } };
  }
  return { lower };
}

/** IN and `= ANY (array)`. */
function ofAny(expr: Extract<Expr, { kind: "any" }>): ColumnCondition | undefined {
  const column = bare(expr.left);
  if (expr.isAll || expr.operator !== "=" || column.kind !== "column") return undefined;
  const sides = (expr.list ?? []).map(bare);
  const array = expr.array === undefined ? undefined : bare(expr.array);
  if (array !== undefined && !isRowFree(array)) return undefined;
  const conversions = sides.map((side) => conversion(column.oid, side));
  if (conversions.includes(undefined)) return undefined;
  const values = sides.map(compile);
  const whole = array === undefined ? undefined : compile(array);
  const ranges = (context: EvalContext): readonly ValueRange[] => {
    const given =
      whole === undefined
        ? values.map((value, i) => {
            const each = value([], context);
            return each === null ? null : (conversions[i] as Converted)(each);
          })
        : ((whole([], context) as ArrayDatum | null)?.elements ?? []);
    return given.flatMap((value): ValueRange[] => {
      if (value === null) return [];
      if (typeof value === "object" && "beyond" in value) return [];
      return [{ point: value as Datum }];
    });
  };
  if (array !== undefined && !isArrayOf(column.oid, array.oid)) return undefined;
  return { slot: column.slot, isPoints: true, isOne: false, ranges };
}

/** Arrays whose elements are keys of the column as they are. */
const ARRAYS: Readonly<Record<number, number>> = {
  [OID.int2]: 1005,
  [OID.int4]: 1007,
  [OID.int8]: 1016,
  [OID.text]: 1009,
  [OID.varchar]: 1009,
  [OID.name]: 1003,
};

function isArrayOf(column: number, array: number): boolean {
  return ARRAYS[column] === array;
}

/** Any of several conditions on one column. */
function ofOr(args: readonly Expr[]): ColumnCondition | undefined {
  const parts = args.map(conditionOf);
  const [first] = parts;
  if (first === undefined || parts.some((part) => part?.slot !== first.slot)) return undefined;
  const all = parts as readonly ColumnCondition[];
  return {
    slot: first.slot,
    isPoints: all.every(({ isPoints }) => isPoints),
    isOne: false,
    ranges: (context) => all.flatMap((part) => part.ranges(context)),
  };
}

/** Bounds of one column that must all be met; of points the first is enough. */
function ofAnd(args: readonly Expr[]): ColumnCondition | undefined {
  const parts = args.map(conditionOf);
  const [first] = parts;
  if (first === undefined || parts.some((part) => part?.slot !== first.slot)) return undefined;
  return merged(parts as readonly ColumnCondition[]);
}

/** Several conditions on one column as one: the first points, or bounds from both sides. */
export function merged(parts: readonly ColumnCondition[]): ColumnCondition {
  const [first] = parts as readonly [ColumnCondition];
  const points = parts.find(({ isOne }) => isOne) ?? parts.find(({ isPoints }) => isPoints);
  if (points !== undefined || parts.length === 1) return points ?? first;
  return {
    slot: first.slot,
    isPoints: false,
    isOne: false,
    ranges: (context) => {
      let both: readonly ValueRange[] | undefined;
      for (const part of parts) {
        const ranges = part.ranges(context);
        if (ranges.length === 0) return [];
        const [range] = ranges;
        const isSingle = ranges.length === 1 && range !== undefined && !("point" in range);
        if (!isSingle) continue;
        const before = both?.[0];
        if (before === undefined || "point" in before) both = [range];
        else both = [{ lower: before.lower ?? range.lower, upper: before.upper ?? range.upper }];
      }
      return both ?? first.ranges(context);
    },
  };
}
