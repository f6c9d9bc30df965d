import { SqlError } from "../error.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { canCoerce, typeName } from "./coercion.ts";

/**
 * PostgreSQL's `select_common_type`: the type of UNION, CASE, COALESCE, VALUES, ARRAY, IN and
 * GREATEST. `what` names the construct in the error.
 *
 * @throws SqlError 42804 where the types have none in common.
 */
export function selectCommonType(
  types: TypeRegistry,
  inputs: readonly number[],
  what: string,
): number {
  const known = inputs.map((oid) => (oid === OID.unknown ? oid : types.baseOf(oid)));
  const [first = OID.unknown] = inputs;
  // All of one type, domains included: it stays.
  if (first !== OID.unknown && inputs.every((oid) => oid === first)) return first;
  let chosen = known[0] ?? OID.unknown;
  for (const oid of known.slice(1)) {
    const next = join(types, chosen, oid);
    if (next === undefined) {
      const names = `${typeName(types, chosen)} and ${typeName(types, oid)}`;
      throw new SqlError("42804", `${what} types ${names} cannot be matched`);
    }
    chosen = next;
  }
  return chosen === OID.unknown ? OID.text : chosen;
}

/** The one of two types that both become, keeping the first where either would do. */
function join(types: TypeRegistry, left: number, right: number): number | undefined {
  if (right === OID.unknown || left === right) return left;
  if (left === OID.unknown) return right;
  const a = types.find(left);
  const b = types.find(right);
  if (a === undefined || b === undefined || a.category !== b.category) return undefined;
  const isBetter =
    !a.isPreferred &&
    canCoerce(types, left, right, "implicit") &&
    !canCoerce(types, right, left, "implicit");
  return isBetter ? right : left;
}

/** As `selectCommonType` for `anycompatible`: nothing where there is none, 0 for no input. */
export function commonTypeOf(types: TypeRegistry, inputs: readonly number[]): number | undefined {
  const [first] = inputs;
  if (first === undefined) return 0;
  if (inputs.every((oid) => oid === first)) return first;
  let chosen = types.baseOf(first);
  for (const oid of inputs.slice(1)) {
    const next = join(types, chosen, types.baseOf(oid));
    if (next === undefined) return undefined;
    chosen = next;
  }
  return inputs.every((oid) => canCoerce(types, oid, chosen, "implicit")) ? chosen : undefined;
}
