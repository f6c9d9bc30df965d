import { SqlError } from "../error.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { typeName } from "./coercion.ts";
import { commonTypeOf } from "./common-type.ts";

const RANGES: ReadonlySet<number> = new Set([
  OID.anyrange,
  OID.anymultirange,
  OID.anycompatiblerange,
  OID.anycompatiblemultirange,
]);
const SIMPLE: ReadonlySet<number> = new Set([
  OID.anyelement,
  OID.anynonarray,
  OID.anyenum,
  OID.anyarray,
]);
const COMPATIBLE: ReadonlySet<number> = new Set([
  OID.anycompatible,
  OID.anycompatiblenonarray,
  OID.anycompatiblearray,
]);

/** What the polymorphic pseudo-types of one call stand for. */
interface Bound {
  readonly element: number;
  readonly array: number;
  readonly compatible: number;
}

/** PostgreSQL's `check_generic_type_consistency`: one type for all, arrays of it included. */
export function polymorphicFits(
  types: TypeRegistry,
  inputs: readonly number[],
  declared: readonly number[],
): boolean {
  if (!declared.some((oid) => SIMPLE.has(oid) || COMPATIBLE.has(oid) || RANGES.has(oid))) {
    return true;
  }
  if (declared.some((oid, i) => RANGES.has(oid) && inputs[i] !== OID.unknown)) {
    return declared.every((oid, i) => !RANGES.has(oid) || isRange(types, inputs[i] ?? 0));
  }
  try {
    bind(types, inputs, declared);
    return true;
  } catch (error) {
    if (error instanceof SqlError && error.message === UNDETERMINED) {
      return !declared.includes(OID.anyenum);
    }
    if (error instanceof SqlError) return false;
    throw error;
  }
}

function isRange(types: TypeRegistry, oid: number): boolean {
  const kind = types.find(oid)?.kind;
  return oid === OID.unknown || kind === "r" || kind === "m";
}

const UNDETERMINED = "could not determine polymorphic type because input has type unknown";

function notAlike(what: string, detail: string): SqlError {
  return new SqlError("42804", `arguments declared "${what}" are not all alike`, { detail });
}

function bind(types: TypeRegistry, inputs: readonly number[], declared: readonly number[]): Bound {
  let element = 0;
  let array = 0;
  let isUnknown = false;
  const compatible: number[] = [];
  let hasCompatible = false;
  declared.forEach((oid, i) => {
    const input = inputs[i] ?? 0;
    if (COMPATIBLE.has(oid)) {
      hasCompatible = true;
      const base = types.baseOf(input);
      if (input === OID.unknown) return;
      if (oid === OID.anycompatiblearray) {
        if (types.elementOf(base) === 0) throw notArray(types, oid, input);
        compatible.push(types.elementOf(base));
      } else compatible.push(input);
      return;
    }
    if (!SIMPLE.has(oid)) return;
    if (input === OID.unknown) {
      isUnknown = true;
      return;
    }
    if (oid === OID.anyarray) {
      const base = types.baseOf(input);
      if (array !== 0 && array !== base) {
        throw notAlike("anyarray", `${typeName(types, array)} versus ${typeName(types, base)}`);
      }
      array = base;
      return;
    }
    if (element !== 0 && element !== input) {
      const detail = `${typeName(types, element)} versus ${typeName(types, input)}`;
      throw notAlike("anyelement", detail);
    }
    element = input;
  });
  if (array !== 0 && array !== OID.anyarray) element = elementOfArray(types, array, element);
  checkSorts(types, declared, element);
  const needs = declared.some((oid) => SIMPLE.has(oid));
  if (needs && element === 0 && array === 0 && isUnknown) throw new SqlError("42804", UNDETERMINED);
  const common = hasCompatible ? commonTypeOf(types, compatible) : 0;
  if (hasCompatible && common === undefined) {
    throw new SqlError("42804", "arguments of anycompatible family have no common type");
  }
  if (declared.includes(OID.anycompatiblenonarray) && types.isArray(common ?? 0)) {
    throw new SqlError("42804", "type matched to anycompatiblenonarray is an array type");
  }
  return { element, array, compatible: common ?? 0 };
}

function elementOfArray(types: TypeRegistry, array: number, element: number): number {
  const own = types.elementOf(array);
  if (own === 0) throw notArray(types, OID.anyarray, array);
  if (element !== 0 && element !== own) {
    const detail = `${typeName(types, array)} versus ${typeName(types, element)}`;
    const message = 'argument declared "anyarray" is not consistent with argument declared';
    throw new SqlError("42804", `${message} "anyelement"`, { detail });
  }
  return own;
}

function notArray(types: TypeRegistry, declared: number, input: number): SqlError {
  const name = `"${typeName(types, declared)}"`;
  const actual = typeName(types, input);
  return new SqlError("42804", `argument declared ${name} is not an array but type ${actual}`);
}

function checkSorts(types: TypeRegistry, declared: readonly number[], element: number): void {
  if (element === 0) return;
  if (declared.includes(OID.anynonarray) && types.isArray(element)) {
    const name = typeName(types, element);
    throw new SqlError("42804", `type matched to anynonarray is an array type: ${name}`);
  }
  if (declared.includes(OID.anyenum) && types.find(element)?.kind !== "e") {
    const name = typeName(types, element);
    throw new SqlError("42804", `type matched to anyenum is not an enum type: ${name}`);
  }
}

/**
 * PostgreSQL's `enforce_generic_type_consistency`: concrete types in place of the pseudo-types.
 *
 * @throws SqlError 42804.
 */
export function resolvePolymorphic(
  types: TypeRegistry,
  inputs: readonly number[],
  declared: readonly number[],
  result: number,
): { readonly arguments: readonly number[]; readonly result: number } {
  const isAny = (oid: number): boolean => SIMPLE.has(oid) || COMPATIBLE.has(oid);
  if (!declared.some(isAny) && !isAny(result)) return { arguments: declared, result };
  const bound = bind(types, inputs, declared);
  const concrete = (oid: number): number => {
    if (oid === OID.anyarray) return bound.array || arrayOf(types, bound.element);
    if (SIMPLE.has(oid)) return bound.element;
    if (oid === OID.anycompatiblearray) return arrayOf(types, bound.compatible || OID.text);
    return COMPATIBLE.has(oid) ? bound.compatible || OID.text : oid;
  };
  return { arguments: declared.map(concrete), result: concrete(result) };
}

function arrayOf(types: TypeRegistry, element: number): number {
  const array = types.arrayOf(types.baseOf(element));
  if (array !== 0) return array;
  const name = typeName(types, element);
  throw new SqlError("42704", `could not find array type for data type ${name}`);
}
