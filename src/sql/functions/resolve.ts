import type { ArrayDatum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { type OperatorRow, type ProcedureRow, signatures } from "../signatures/tables.ts";
import { vector } from "../types/arrays.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { type Candidate, fitting, selectCandidate } from "./candidates.ts";
import { findCoercion, typeName } from "./coercion.ts";
import { FAMILIES } from "./families.ts";
import { type Evaluate, type Family, TypedImplementation } from "./implementation.ts";
import { INFORMATION_SCHEMA } from "./information-schema.ts";
import { resolvePolymorphic } from "./polymorphic.ts";

/** A call that resolution has settled. */
export interface ResolvedCall {
  readonly kind: "call";
  readonly procedure: ProcedureRow;
  readonly operator?: OperatorRow;
  /** The type that each given argument is coerced to, in the order given. */
  readonly arguments: readonly number[];
  readonly result: number;
  /**
   * For each parameter the place of its argument among those given, or -1: then the value is the
   * SQL text at the same place of `defaults`.
   */
  readonly sources: readonly number[];
  readonly defaults: readonly (string | null)[];
  /** Whether NULL in any argument makes the result NULL without a call. */
  readonly isStrict: boolean;
  readonly returnsSet: boolean;
  /**
   * Takes the parameters in order (a variadic rest one by one), then the context.
   *
   * @throws SqlError 0A000 where Firn does not implement the function.
   */
  evaluate(): Evaluate;
}

/** `name(x)` where the name is a type's: an explicit cast. */
export interface ResolvedCast {
  readonly kind: "cast";
  readonly target: number;
}

export interface CallOptions {
  /** Names of the last arguments, where they are given by name. */
  readonly names?: readonly string[];
  /** `VARIADIC array` as the last argument. */
  readonly isVariadic?: boolean;
  /** As the call names it: `pg_catalog` where absent. */
  readonly schema?: string | undefined;
}

interface Shape extends Candidate {
  readonly procedure: ProcedureRow;
  readonly sources: readonly number[];
  /** Where the variadic rest starts and is gathered into an array; -1 where nothing is. */
  readonly gathersFrom: number;
  readonly defaults: readonly (string | null)[];
}

const ADD_CASTS = "You might need to add explicit type casts.";
const NO_OPERATOR = `No operator matches the given name and argument types. ${ADD_CASTS}`;
const NO_FUNCTION = `No function matches the given name and argument types. ${ADD_CASTS}`;
const AMBIGUOUS_OPERATOR = `Could not choose a best candidate operator. ${ADD_CASTS}`;
const AMBIGUOUS_FUNCTION = `Could not choose a best candidate function. ${ADD_CASTS}`;

/** Operators and functions over a database's types; `extra` holds what sessions implement. */
export class FunctionRegistry {
  readonly types: TypeRegistry;
  readonly #families: Family;

  constructor(types: TypeRegistry, extra: Family = {}) {
    this.types = types;
    this.#families = { ...FAMILIES, ...extra };
  }

  /** Whether a function has an implementation. */
  implements(procedure: ProcedureRow): boolean {
    return this.#implementation(procedure) !== undefined;
  }

  /**
   * The operator for two types; `left` is 0 for a prefix operator.
   *
   * @throws SqlError 42883, 42725.
   */
  resolveOperator(name: string, left: number, right: number): ResolvedCall {
    const operator = this.#operator(name, left, right);
    const procedure = signatures().procedureByOid.get(operator.procedure);
    if (procedure === undefined) throw this.#noOperator(name, left, right);
    const inputs = left === 0 ? [right] : [left, right];
    const declared = left === 0 ? [operator.right] : [operator.left, operator.right];
    const sources = declared.map((_, i) => i);
    const shape = { arguments: declared, procedure, sources, gathersFrom: -1, defaults: [] };
    return this.#settle(shape, inputs, operator.result, {}, operator);
  }

  #operator(name: string, left: number, right: number): OperatorRow {
    const isPrefix = left === 0;
    const candidates = (signatures().operatorsByName.get(name) ?? [])
      .filter((row) => (row.left === 0) === isPrefix)
      .map((row) => ({ row, arguments: isPrefix ? [row.right] : [row.left, row.right] }));
    const inputs = isPrefix ? [right] : [left, right];
    const exact = (oids: readonly number[]) =>
      candidates.find((candidate) => oids.every((oid, i) => candidate.arguments[i] === oid))?.row;
    const found = isPrefix ? exact(inputs) : this.#exactBinary(left, right, exact);
    if (found !== undefined) return found;
    const fit = fitting(this.types, inputs, candidates);
    if (fit.length === 0) throw this.#noOperator(name, left, right);
    const chosen = fit.length === 1 ? fit[0] : selectCandidate(this.types, inputs, fit);
    if (chosen !== undefined) return chosen.row;
    const signature = this.#operatorSignature(name, left, right);
    throw new SqlError("42725", `operator is not unique: ${signature}`, {
      hint: AMBIGUOUS_OPERATOR,
    });
  }

  /** A literal of unknown type is first taken as the other side's type; domains as their base. */
  #exactBinary<Row>(
    left: number,
    right: number,
    exact: (oids: readonly number[]) => Row | undefined,
  ): Row | undefined {
    const a = left === OID.unknown ? right : left;
    const b = right === OID.unknown ? left : right;
    const found = exact([a, b]);
    if (found !== undefined || a === OID.unknown || b === OID.unknown) return found;
    if (left !== OID.unknown && right !== OID.unknown) return undefined;
    const base = this.types.baseOf(a);
    return base === a ? undefined : exact([base, base]);
  }

  #operatorSignature(name: string, left: number, right: number): string {
    const side = (oid: number): string => typeName(this.types, oid);
    return left === 0 ? `${name} ${side(right)}` : `${side(left)} ${name} ${side(right)}`;
  }

  #noOperator(name: string, left: number, right: number): SqlError {
    const signature = this.#operatorSignature(name, left, right);
    return new SqlError("42883", `operator does not exist: ${signature}`, { hint: NO_OPERATOR });
  }

  /**
   * The function, aggregate or window function of a call.
   *
   * @throws SqlError 42883, 42725, 42804.
   */
  resolveFunction(
    name: string,
    inputs: readonly number[],
    options: CallOptions = {},
  ): ResolvedCall | ResolvedCast {
    const shapes = this.#shapes(name, inputs.length, options);
    const exact = shapes.find((shape) => inputs.every((oid, i) => oid === shape.arguments[i]));
    if (exact !== undefined) return this.#settle(exact, inputs, exact.procedure.result, options);
    const cast = options.names === undefined ? this.#asCast(name, inputs) : undefined;
    if (cast !== undefined) return cast;
    const fit = fitting(this.types, inputs, shapes);
    const chosen = fit.length === 1 ? fit[0] : undefined;
    const best = fit.length > 1 ? selectCandidate(this.types, inputs, fit) : chosen;
    if (best !== undefined) return this.#settle(best, inputs, best.procedure.result, options);
    const signature = `${name}(${inputs.map((oid) => typeName(this.types, oid)).join(", ")})`;
    if (fit.length > 1) {
      throw new SqlError("42725", `function ${signature} is not unique`, {
        hint: AMBIGUOUS_FUNCTION,
      });
    }
    throw new SqlError("42883", `function ${signature} does not exist`, { hint: NO_FUNCTION });
  }

  /** `int4('7')`, `text(x)`: a cast, where `pg_proc` has no function for the conversion. */
  #asCast(name: string, inputs: readonly number[]): ResolvedCast | undefined {
    const [source] = inputs;
    if (inputs.length !== 1 || source === undefined) return undefined;
    const target = this.types.byName(name)?.oid;
    if (target === undefined) return undefined;
    if (source === OID.unknown) return { kind: "cast", target };
    const coercion = findCoercion(this.types, source, target, "explicit");
    if (coercion?.kind === "relabel") return { kind: "cast", target };
    if (coercion?.kind !== "text") return undefined;
    const isTextTarget = this.types.find(target)?.category === "S";
    return this.types.isRow(source) && isTextTarget ? undefined : { kind: "cast", target };
  }

  #shapes(name: string, count: number, options: CallOptions): readonly Shape[] {
    const isOfViews = options.schema === "information_schema";
    const known = signatures().proceduresByName.get(name) ?? [];
    const rows = isOfViews ? INFORMATION_SCHEMA.filter((row) => row.name === name) : known;
    const shapes = rows.flatMap((row) => this.#shapeOf(row, count, options) ?? []);
    // Of equal shapes the one without a variadic rest or defaults wins.
    return shapes.filter((shape) => {
      const twins = shapes.filter((other) => sameTypes(other.arguments, shape.arguments));
      const rank = (other: Shape): number =>
        (other.gathersFrom < 0 ? 0 : 2) + (other.sources.includes(-1) ? 1 : 0);
      return twins.every((other) => other === shape || rank(other) > rank(shape));
    });
  }

  #shapeOf(row: ProcedureRow, count: number, options: CallOptions): Shape | undefined {
    const declared = row.arguments;
    const defaults = defaultTexts(row);
    if (options.names !== undefined) return namedShape(row, count, options.names, defaults);
    const isVariadicAny = row.variadic === OID.any;
    if (row.variadic !== 0 && options.isVariadic !== true && count >= declared.length) {
      const fixed = declared.slice(0, -1);
      const rest = new Array<number>(count - fixed.length).fill(row.variadic);
      const args = [...fixed, ...rest];
      const sources = args.map((_, i) => i);
      const gathersFrom = isVariadicAny ? -1 : fixed.length;
      return { procedure: row, arguments: args, sources, gathersFrom, defaults: [] };
    }
    if (options.isVariadic === true && row.variadic === 0) return undefined;
    const missing = declared.length - count;
    if (missing < 0 || missing > row.defaultCount) return undefined;
    const sources = declared.map((_, i) => (i < count ? i : -1));
    const args = declared.slice(0, count);
    return { procedure: row, arguments: args, sources, gathersFrom: -1, defaults };
  }

  #settle(
    shape: Shape,
    inputs: readonly number[],
    declaredResult: number,
    options: CallOptions,
    operator?: OperatorRow,
  ): ResolvedCall {
    const { procedure, sources, defaults, gathersFrom } = shape;
    const bound = resolvePolymorphic(this.types, inputs, shape.arguments, declaredResult);
    const target = (oid: number, i: number): number =>
      oid === OID.any ? (inputs[i] ?? OID.unknown) : oid;
    const args = bound.arguments.map(target);
    return {
      kind: "call",
      procedure,
      ...(operator && { operator }),
      arguments: args,
      result: bound.result,
      sources,
      defaults,
      // NULL among the gathered arguments is an element: the call itself looks at the others.
      isStrict: procedure.isStrict && gathersFrom < 0,
      returnsSet: procedure.returnsSet,
      evaluate: () => {
        const isSpread = options.isVariadic === true && procedure.variadic === OID.any;
        if (isSpread) return this.#spread(procedure, args, bound.result);
        return gathered(this.#bind(procedure, args, bound.result), gathersFrom, procedure.isStrict);
      },
    };
  }

  /** `VARIADIC array` of a function of any arguments: its elements are the arguments. */
  #spread(procedure: ProcedureRow, args: readonly number[], result: number): Evaluate {
    const fixed = args.slice(0, -1);
    const element = this.types.elementOf(this.types.baseOf(args.at(-1) ?? 0));
    if (element === 0) throw new SqlError("42804", "VARIADIC argument must be an array");
    const bound = new Map<number, Evaluate>();
    return (...values) => {
      const array = values.at(-2) as ArrayDatum | null;
      // Only of `format` a missing array is one without elements.
      if (array === null && procedure.name !== "format") return null;
      const elements = array?.elements ?? [];
      let evaluate = bound.get(elements.length);
      if (evaluate === undefined) {
        const types = [...fixed, ...elements.map(() => element)];
        evaluate = this.#bind(procedure, types, result);
        bound.set(elements.length, evaluate);
      }
      return evaluate(...values.slice(0, -2), ...elements, values.at(-1) as SqlContext);
    };
  }

  /** The implementation of a function by its OID, as casts name it. */
  bindProcedure(oid: number, args: readonly number[], result: number): Evaluate {
    const procedure = signatures().procedureByOid.get(oid);
    if (procedure === undefined) {
      throw new SqlError("42883", `function with OID ${oid} does not exist`);
    }
    return this.#bind(procedure, args, result);
  }

  #bind(procedure: ProcedureRow, args: readonly number[], result: number): Evaluate {
    const implementation = this.#implementation(procedure);
    if (implementation === undefined) {
      const types = procedure.arguments.map((oid) => typeName(this.types, oid)).join(", ");
      const hint = "See the table of functions in docs/sql-functions.md.";
      throw notSupported(`function ${procedure.name}(${types})`, hint);
    }
    if (implementation instanceof TypedImplementation) {
      return implementation.bind({ arguments: args, result, types: this.types }) as Evaluate;
    }
    return implementation as Evaluate;
  }

  #implementation(procedure: ProcedureRow): Family[string] | undefined {
    const names = procedure.arguments.map((oid) => this.types.find(oid)?.name ?? String(oid));
    const signature = `${procedure.name}(${names.join(",")})`;
    if (Object.hasOwn(this.#families, signature)) return this.#families[signature];
    const { source } = procedure;
    return Object.hasOwn(this.#families, source) ? this.#families[source] : undefined;
  }
}

function sameTypes(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((oid, i) => oid === right[i]);
}

/** Arguments of a variadic rest become one array before the call. */
function gathered(evaluate: Evaluate, from: number, isStrict: boolean): Evaluate {
  if (from < 0) return evaluate;
  return (...values) => {
    const context = values.at(-1) as (typeof values)[number];
    if (isStrict && values.slice(0, from).includes(null)) return null;
    const rest = vector(values.slice(from, -1) as never[]);
    return evaluate(...values.slice(0, from), rest, context);
  };
}

/** The texts of the defaults, at the places of their parameters. */
function defaultTexts(row: ProcedureRow): readonly (string | null)[] {
  if (row.defaults === null) return [];
  const texts = row.defaults.split(", ");
  const first = row.arguments.length - texts.length;
  return row.arguments.map((_, i) => (i < first ? null : (texts[i - first] ?? null)));
}

function namedShape(
  row: ProcedureRow,
  count: number,
  names: readonly string[],
  defaults: readonly (string | null)[],
): Shape | undefined {
  const inputs = (row.names ?? []).filter((_, i) => "iIbv".includes(row.modes?.[i] ?? "i"));
  const positional = count - names.length;
  const places = names.map((name) => inputs.indexOf(name));
  if (places.some((place) => place < positional)) return undefined;
  const sources = row.arguments.map((_, i) => {
    if (i < positional) return i;
    const at = places.indexOf(i);
    return at < 0 ? -1 : positional + at;
  });
  if (sources.some((source, i) => source < 0 && (defaults[i] ?? null) === null)) return undefined;
  const args = [...row.arguments.slice(0, positional), ...places.map((i) => row.arguments[i] ?? 0)];
  return { procedure: row, arguments: args, sources, gathersFrom: -1, defaults };
}
