import type { Datum } from "../../../src/rows/datum.ts";
import { SqlError, sqlStateOf } from "../../../src/sql/error.ts";
import { castTo, fitModifier, literal } from "../../../src/sql/functions/casts.ts";
import type { Evaluate } from "../../../src/sql/functions/implementation.ts";
import { FunctionRegistry } from "../../../src/sql/functions/resolve.ts";
import type { SqlContext } from "../../../src/sql/types/context.ts";
import { packNumericModifier } from "../../../src/sql/types/numeric.ts";
import { OID } from "../../../src/sql/types/oids.ts";
import { TypeRegistry } from "../../../src/sql/types/registry.ts";
import type { Expression } from "./expression.ts";

/** What PostgreSQL or Firn makes of an expression. */
export type Outcome =
  | { readonly type: number; readonly text: string | null }
  | { readonly error: string; readonly message: string };

export const types: TypeRegistry = new TypeRegistry();
export const functions: FunctionRegistry = new FunctionRegistry(types);

/** 2026-01-02 03:04:05.678901 UTC: tests have no clock. */
const NOW = 1_767_323_045_678_901n;

export const context: SqlContext = {
  settings: {
    timeZone: "America/New_York",
    dateOrder: "MDY",
    byteaOutput: "hex",
    extraFloatDigits: 1,
  },
  session: {
    database: "postgres",
    user: "postgres",
    sessionUser: "postgres",
    backendPid: 1,
    schemas: ["pg_catalog", "public"],
    setting: () => null,
    setSetting: (_name, value) => value,
  },
  transactionMicros: NOW,
  statementMicros: NOW,
  clockMicros: () => NOW,
  random: { float: () => 0.5, bytes: (count) => new Uint8Array(count) },
  seedRandom: () => undefined,
};

interface Bound {
  readonly oid: number;
  run(): Datum;
}

/** `varchar(3)`, `_numeric(5,2)`: the type and its modifier. */
function typeOf(text: string): { readonly oid: number; readonly typmod: number } {
  const [, name = "", modifier = ""] = /^([^(]*)(?:\((.*)\))?$/.exec(text) ?? [];
  const type = types.byName(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  const [first, second = 0] = modifier.split(",").filter(Boolean).map(Number);
  const base = name.replace(/^_/, "");
  if (first === undefined) return { oid: type.oid, typmod: base === "bpchar" ? -1 : -1 };
  if (base === "numeric") return { oid: type.oid, typmod: packNumericModifier(first, second) };
  if (base === "interval") return { oid: type.oid, typmod: (0x7fff << 16) | first };
  const isText = base === "varchar" || base === "bpchar";
  return { oid: type.oid, typmod: isText ? first + 4 : first };
}

function coerced(bound: Bound, target: number): Bound {
  if (bound.oid === target) return bound;
  if (bound.oid === OID.unknown) {
    const text = bound.run() as string | null;
    // As PostgreSQL: a literal is read when the statement is bound.
    const value = text === null ? null : literal(functions, target, -1, false)(text, context);
    return { oid: target, run: () => value };
  }
  const cast = castTo(functions, bound.oid, target, -1, "implicit");
  return { oid: target, run: () => applied(bound.run(), (value) => cast.apply(value, context)) };
}

function applied(value: Datum, change: (value: Datum) => Datum): Datum {
  return value === null ? null : change(value);
}

function bindCall(expression: Expression & { kind: "operator" | "call" }): Bound {
  const args = expression.arguments.map(bind);
  const oids = args.map((arg) => arg.oid);
  const { name } = expression;
  const [left = 0, right] = oids;
  const call =
    expression.kind === "call"
      ? functions.resolveFunction(name, oids)
      : functions.resolveOperator(name, right === undefined ? 0 : left, right ?? left);
  if (call.kind === "cast") {
    const [first] = expression.arguments;
    if (first === undefined) throw new Error("a cast of nothing");
    return cast(bind(first), call.target, -1);
  }
  const given = args.map((arg, i) => coerced(arg, call.arguments[i] ?? 0));
  const evaluate: Evaluate = call.evaluate();
  return {
    oid: call.result,
    run() {
      const values = call.sources.map((source, i) =>
        source < 0 ? constant(call.defaults[i] ?? null) : (given[source] as Bound).run(),
      );
      if (call.isStrict && values.includes(null)) return null;
      return evaluate(...values, context);
    },
  };
}

/** Defaults of PostgreSQL's functions are constants. */
function constant(text: string | null): Datum {
  if (text === "true" || text === "false") return text === "true";
  if (text !== null && /^-?\d+$/.test(text)) return Number(text);
  if (text === "0.0") return 0;
  return text?.replace(/^'(.*)'::.*$/, "$1") ?? null;
}

function cast(bound: Bound, oid: number, typmod: number): Bound {
  if (bound.oid === OID.unknown) {
    const text = bound.run() as string | null;
    const isEarly = oid === OID.interval;
    const read = literal(functions, oid, isEarly ? typmod : -1, true);
    const value = text === null ? null : read(text, context);
    // As PostgreSQL: the modifier is a function, which runs with the statement.
    const fitted = isEarly ? undefined : fitModifier(functions, oid, typmod, true);
    return {
      oid,
      run: () => applied(value, (of) => (fitted === undefined ? of : fitted(of, context))),
    };
  }
  const change = castTo(functions, bound.oid, oid, typmod, "explicit");
  return { oid, run: () => applied(bound.run(), (value) => change.apply(value, context)) };
}

function bind(expression: Expression): Bound {
  switch (expression.kind) {
    case "literal": {
      const { text, type } = expression;
      const bound: Bound = { oid: OID.unknown, run: () => text };
      if (type === undefined) return bound;
      const { oid, typmod } = typeOf(type);
      return cast(bound, oid, typmod);
    }
    case "cast": {
      const { oid, typmod } = typeOf(expression.type);
      return cast(bind(expression.argument), oid, typmod);
    }
    default:
      return bindCall(expression);
  }
}

/** Firn's answer; what is thrown without a SQLSTATE is a bug and goes on. */
export function evaluate(expression: Expression): Outcome {
  try {
    const bound = bind(expression);
    const value = bound.run();
    const oid = bound.oid === OID.unknown ? OID.text : bound.oid;
    const text = value === null ? null : types.get(oid).codec.output(value, context);
    return { type: oid, text };
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === undefined || !(error instanceof Error)) throw error;
    const hint = error instanceof SqlError && state === "0A000" ? (error.hint ?? "") : "";
    return { error: state, message: `${error.message} ${hint}`.trim() };
  }
}
