import type { Datum } from "../../rows/datum.ts";
import type { SqlContext } from "../types/context.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { trimBlanks } from "../types/texts.ts";

/** What a call is bound to: types after coercion, of the arguments and of the result. */
export interface CallTypes {
  readonly arguments: readonly number[];
  readonly result: number;
  readonly types: TypeRegistry;
}

/** Arguments, then the context. A function that returns a set gives an iterable of its rows. */
export type Implementation = (...values: never[]) => unknown;

/** An implementation that depends on the types of its call. */
export class TypedImplementation {
  readonly bind: (call: CallTypes) => Implementation;

  constructor(bind: (call: CallTypes) => Implementation) {
    this.bind = bind;
  }
}

export type Family = Readonly<Record<string, Implementation | TypedImplementation>>;

export function typed(bind: (call: CallTypes) => Implementation): TypedImplementation {
  return new TypedImplementation(bind);
}

/** A cast to text of any type, as SQL's `::text` writes it. */
export function textOf(
  { types }: CallTypes,
  oid: number,
): (value: Datum, at: SqlContext) => string {
  const base = types.baseOf(oid);
  if (base === OID.bool) return (value) => (value === true ? "true" : "false");
  if (base === OID.bpchar) return (value) => trimBlanks(String(value));
  const { codec } = types.get(base);
  return (value, at) => codec.output(value, at);
}

/** As callers see it: datums in the order of the arguments, then the context. */
export type Evaluate = (...values: readonly (Datum | SqlContext)[]) => Datum;

/** Order of two datums that are not NULL, of a type that has one. */
export type Compare = (left: Datum, right: Datum) => number;
