import type { ArrayDatum, Datum, RowDatum } from "../../rows/datum.ts";
import { signatures } from "../signatures/tables.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import type { RowValue } from "../types/row-value.ts";
import {
  type CastContext,
  type Coercion,
  cannotCast,
  findCoercion,
  lengthFunction,
  mapArray,
} from "./coercion.ts";
import type { FunctionRegistry } from "./resolve.ts";

/** A cast ready to run on values that are not NULL. */
export interface Cast {
  /** Whether it leaves every value as it is. */
  readonly isIdentity: boolean;
  /** Whether only the session's state changes its answer: `immutable` by PostgreSQL's tables. */
  readonly isStable: boolean;
  apply(value: Datum, context: SqlContext): Datum;
  /** Of a domain that has no NULL. @throws SqlError 23502. */
  readonly refuseNull?: ((context: SqlContext) => void) | undefined;
}

const IDENTITY: Cast = { isIdentity: true, isStable: false, apply: (value) => value };

/**
 * The cast of a value to a type and modifier.
 *
 * @throws SqlError 42846 where there is none in this context, 0A000 where Firn has none.
 */
export function castTo(
  functions: FunctionRegistry,
  source: number,
  target: number,
  typmod: number,
  context: CastContext,
): Cast {
  const cast = plainCast(functions, source, target, typmod, context);
  const { constraint } = functions.types.get(target);
  if (constraint === undefined || source === target) return cast;
  return {
    isIdentity: false,
    isStable: cast.isStable,
    apply: (value, at) => {
      const changed = cast.apply(value, at);
      constraint.check(changed, at);
      return changed;
    },
    ...(constraint.notNull && { refuseNull: (at) => constraint.check(null, at) }),
  };
}

function plainCast(
  functions: FunctionRegistry,
  source: number,
  target: number,
  typmod: number,
  context: CastContext,
): Cast {
  const { types } = functions;
  const from = source === OID.unknown ? OID.text : source;
  if (source === OID.unknown) {
    const read = literal(functions, target, typmod, context === "explicit");
    return { isIdentity: false, isStable: true, apply: (value, at) => read(String(value), at) };
  }
  const coercion = findCoercion(types, from, target, context);
  if (coercion === undefined) throw cannotCast(types, source, target);
  const isExplicit = context === "explicit";
  const plain = run(functions, coercion, from, target, typmod, isExplicit);
  const cast = resigned(plain, types.baseOf(from), types.baseOf(target));
  const fitted = fitModifier(functions, target, typmod, isExplicit);
  if (fitted === undefined) return cast;
  return {
    isIdentity: false,
    isStable: cast.isStable,
    apply: (value, at) => {
      const changed = cast.apply(value, at);
      return changed === null ? null : fitted(changed, at);
    },
  };
}

const UNSIGNED: ReadonlySet<number> = new Set([
  OID.oid,
  OID.regproc,
  OID.regprocedure,
  OID.regoper,
  OID.regoperator,
  OID.regclass,
  OID.regtype,
  OID.regnamespace,
  OID.regrole,
]);

/** An int4 and an OID are the same 32 bits in PostgreSQL, with another sign. */
function resigned(cast: Cast, source: number, target: number): Cast {
  const isFrom = UNSIGNED.has(source);
  const isTo = UNSIGNED.has(target);
  const sign = isTo
    ? (value: Datum) => (typeof value === "number" ? value >>> 0 : value)
    : (value: Datum) => (typeof value === "number" ? value | 0 : value);
  const isSigned = (isTo && source !== OID.int8) || (isFrom && target === OID.int4);
  if (isFrom === isTo || !isSigned) return cast;
  const apply = (value: Datum, context: SqlContext): Datum => sign(cast.apply(value, context));
  return { ...cast, isIdentity: false, apply };
}

/** Reads a literal of unknown type: the type's input, then the modifier. */
export function literal(
  functions: FunctionRegistry,
  target: number,
  typmod: number,
  isExplicit: boolean,
): (text: string, context: SqlContext) => Datum {
  const { types } = functions;
  const base = types.find(target)?.base;
  if (base !== undefined) return literal(functions, base.oid, base.typmod, isExplicit);
  const { codec } = types.get(target);
  // The input of an interval needs to know its fields; others are fitted behind it.
  const early = types.baseOf(target) === OID.interval ? typmod : -1;
  const fitted = fitModifier(functions, target, typmod, isExplicit);
  return (text, context) => {
    const value = codec.input(text, early, context);
    return fitted === undefined ? value : fitted(value, context);
  };
}

type Fit = (value: Datum, context: SqlContext) => Datum;

/** `varchar(3)`, `numeric(5,2)`: what fits a value to the modifier; of arrays, each element. */
export function fitModifier(
  functions: FunctionRegistry,
  target: number,
  typmod: number,
  isExplicit: boolean,
): Fit | undefined {
  if (typmod < 0) return undefined;
  const { types } = functions;
  if (types.isArray(target)) {
    const inner = fitModifier(functions, types.elementOf(target), typmod, isExplicit);
    if (inner === undefined) return undefined;
    return (value, context) => mapArray(value as ArrayDatum, (element) => inner(element, context));
  }
  const procedure = lengthFunction(types, target);
  if (procedure === 0) return undefined;
  const base = types.baseOf(target);
  const evaluate = functions.bindProcedure(procedure, [base, OID.int4, OID.bool], base);
  const takesExplicit = signatures().procedureByOid.get(procedure)?.arguments.length === 3;
  return takesExplicit
    ? (value, context) => evaluate(value, typmod, isExplicit, context)
    : (value, context) => evaluate(value, typmod, context);
}

function run(
  functions: FunctionRegistry,
  coercion: Coercion,
  source: number,
  target: number,
  typmod: number,
  isExplicit: boolean,
): Cast {
  const { types } = functions;
  switch (coercion.kind) {
    case "relabel":
      return IDENTITY;
    case "record": {
      const columns = types.columnsOf(source) ?? [];
      const apply = (value: Datum): Datum =>
        ({ fields: (value as RowDatum).fields, columns }) satisfies RowValue as Datum;
      return { isIdentity: false, isStable: false, apply };
    }
    case "fields":
      throw cannotCast(types, source, target);
    case "text": {
      const [own, other] = [types.get(source), types.get(types.baseOf(target))];
      const { codec: from } = own;
      const { codec: to } = other;
      const isFixed = (oid: number): boolean =>
        signatures().procedureByOid.get(oid)?.volatility === "i";
      const isOwn = types.isOwn(source) || types.isOwn(other.oid);
      const isStable = isOwn || !isFixed(own.output) || !isFixed(other.input);
      return {
        isIdentity: false,
        isStable,
        apply: (value, context) => to.input(from.output(value, context), -1, context),
      };
    }
    case "array": {
      const elements = [
        types.elementOf(types.baseOf(source)),
        types.elementOf(types.baseOf(target)),
      ];
      const [from = 0, to = 0] = elements;
      const inner = run(functions, coercion.element, from, to, typmod, isExplicit);
      if (inner.isIdentity) return IDENTITY;
      return {
        ...inner,
        apply: (value, context) =>
          mapArray(value as ArrayDatum, (element) => inner.apply(element, context)),
      };
    }
    case "function": {
      const row = signatures().procedureByOid.get(coercion.procedure);
      const count = row?.arguments.length ?? 1;
      const evaluate = functions.bindProcedure(coercion.procedure, [source], target);
      const isStable = row?.volatility !== "i";
      const apply =
        count === 1
          ? (value: Datum, context: SqlContext) => evaluate(value, context)
          : count === 2
            ? (value: Datum, context: SqlContext) => evaluate(value, typmod, context)
            : (value: Datum, context: SqlContext) => evaluate(value, typmod, isExplicit, context);
      return { isIdentity: false, isStable, apply };
    }
  }
}
