import type { ArrayDatum, Datum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import { type CastRow, castKey, signatures } from "../signatures/tables.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { sqlTypeName } from "../types/regtype.ts";

/** Where a cast stands: in an expression, as the value of a column, or as `CAST`. */
export type CastContext = "implicit" | "assignment" | "explicit";

const STRENGTH: Readonly<Record<CastContext, number>> = {
  implicit: 0,
  assignment: 1,
  explicit: 2,
};
const CONTEXT_STRENGTH: Readonly<Record<string, number>> = { i: 0, a: 1, e: 2 };

/** How a value of one type becomes one of another. */
export type Coercion =
  /** The datum is the same. */
  | { readonly kind: "relabel" }
  /** By a function of PostgreSQL's; it takes the typmod and whether the cast is explicit. */
  | { readonly kind: "function"; readonly procedure: number }
  /** By the text form: output of one type, input of the other. */
  | { readonly kind: "text" }
  /** Element by element. */
  | { readonly kind: "array"; readonly element: Coercion }
  /** A row of a declared type tells of its fields. */
  | { readonly kind: "record" }
  /** Field by field, where the fields are known: the binder's. */
  | { readonly kind: "fields" };

/** PostgreSQL's `find_coercion_pathway`; nothing where there is none in this context. */
export function findCoercion(
  types: TypeRegistry,
  source: number,
  target: number,
  context: CastContext,
): Coercion | undefined {
  const from = types.baseOf(source);
  const to = types.baseOf(target);
  if (from === to) return { kind: "relabel" };
  if (to === OID.record && types.isRow(from)) {
    return { kind: types.columnsOf(from) === undefined ? "relabel" : "record" };
  }
  if (from === OID.record && types.columnsOf(to) !== undefined) return { kind: "fields" };
  const row = signatures().castByTypes.get(castKey(from, to));
  if (row !== undefined) return ofRow(row, context);
  // `int2vector` and `oidvector` become arrays, and never the other way.
  const fromElement = types.elementOf(from);
  const toElement = types.isArray(to) ? types.elementOf(to) : 0;
  if (fromElement !== 0 && toElement !== 0) {
    const element = findCoercion(types, fromElement, toElement, context);
    if (element !== undefined) return { kind: "array", element };
  }
  const isText = (oid: number): boolean => types.find(oid)?.category === "S";
  if (STRENGTH[context] >= STRENGTH.assignment && isText(to)) return { kind: "text" };
  if (context === "explicit" && isText(from)) return { kind: "text" };
  return undefined;
}

function ofRow(row: CastRow, context: CastContext): Coercion | undefined {
  if ((CONTEXT_STRENGTH[row.context] ?? 3) > STRENGTH[context]) return undefined;
  if (row.method === "f") return { kind: "function", procedure: row.procedure };
  return row.method === "i" ? { kind: "text" } : { kind: "relabel" };
}

/** Pseudo-types that stand for any type of some sort. */
const POLYMORPHIC: ReadonlySet<number> = new Set([
  OID.anyelement,
  OID.anyarray,
  OID.anynonarray,
  OID.anyenum,
  OID.anyrange,
  OID.anymultirange,
  OID.anycompatible,
  OID.anycompatiblearray,
  OID.anycompatiblenonarray,
  OID.anycompatiblerange,
  OID.anycompatiblemultirange,
]);

export function isPolymorphic(oid: number): boolean {
  return POLYMORPHIC.has(oid);
}

/** PostgreSQL's `can_coerce_type`, for one argument; polymorphic ones are checked together. */
export function canCoerce(
  types: TypeRegistry,
  source: number,
  target: number,
  context: CastContext,
): boolean {
  if (source === target || target === OID.any || isPolymorphic(target)) return true;
  if (source === OID.unknown) return true;
  return findCoercion(types, source, target, context) !== undefined;
}

/** `format_type` with a modifier is the binder's; this names a type as errors do. */
export function typeName(types: TypeRegistry, oid: number): string {
  const type = types.find(oid);
  if (type === undefined) return oid === 0 ? "unknown" : String(oid);
  const isArray = types.isArray(oid) && type.kind !== "d";
  if (isArray) return `${typeName(types, type.element)}[]`;
  return types.isOwn(oid) ? types.shownName(type) : sqlTypeName(type);
}

/** 42846, as a cast that does not exist. */
export function cannotCast(types: TypeRegistry, source: number, target: number): SqlError {
  const names = `${typeName(types, source)} to ${typeName(types, target)}`;
  return new SqlError("42846", `cannot cast type ${names}`);
}

/** The function that fits a value to a modifier of its type (`varchar(3)`), or 0. */
export function lengthFunction(types: TypeRegistry, oid: number): number {
  const base = types.baseOf(oid);
  return signatures().castByTypes.get(castKey(base, base))?.procedure ?? 0;
}

/** A cast of the elements keeps the shape of the array. */
export function mapArray(value: ArrayDatum, change: (element: Datum) => Datum): ArrayDatum {
  const elements = value.elements.map((element) => (element === null ? null : change(element)));
  return { ...value, elements };
}
