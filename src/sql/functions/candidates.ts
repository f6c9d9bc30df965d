import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { canCoerce } from "./coercion.ts";
import { polymorphicFits } from "./polymorphic.ts";

/** An operator or function as resolution sees it: the types it takes, expanded where variadic. */
export interface Candidate {
  readonly arguments: readonly number[];
}

/** Candidates that take the arguments without an explicit cast. */
export function fitting<C extends Candidate>(
  types: TypeRegistry,
  inputs: readonly number[],
  candidates: readonly C[],
): readonly C[] {
  return candidates.filter(
    (candidate) =>
      inputs.every((input, i) =>
        canCoerce(types, input, candidate.arguments[i] ?? 0, "implicit"),
      ) && polymorphicFits(types, inputs, candidate.arguments),
  );
}

/** The candidates with the most of something, keeping those that tie. */
function best<C>(candidates: readonly C[], score: (candidate: C) => number): readonly C[] {
  const scores = candidates.map(score);
  const most = Math.max(...scores);
  return candidates.filter((_, i) => scores[i] === most);
}

/**
 * PostgreSQL's `func_select_candidate`: most exact matches, then most preferred types, then the
 * category that literals of unknown type take.
 *
 * @returns nothing where the call stays ambiguous.
 */
export function selectCandidate<C extends Candidate>(
  types: TypeRegistry,
  inputs: readonly number[],
  candidates: readonly C[],
): C | undefined {
  const bases = inputs.map((input) => (input === OID.unknown ? input : types.baseOf(input)));
  const isKnown = bases.map((base) => base !== OID.unknown);
  const category = (oid: number): string => types.find(oid)?.category ?? "";
  const isPreferred = (slot: string, oid: number): boolean => {
    const type = types.find(oid);
    return type?.isPreferred === true && type.category === slot;
  };
  const count = (candidate: C, fits: (i: number, oid: number) => boolean): number =>
    candidate.arguments.filter((oid, i) => isKnown[i] === true && fits(i, oid)).length;

  let left = best(candidates, (c) => count(c, (i, oid) => oid === bases[i]));
  if (left.length === 1) return left[0];
  const slots = bases.map(category);
  left = best(left, (c) =>
    count(c, (i, oid) => oid === bases[i] || isPreferred(slots[i] ?? "", oid)),
  );
  if (left.length === 1) return left[0];
  if (!isKnown.includes(false)) return undefined;
  left = byUnknownCategory(left, isKnown, category, isPreferred);
  if (left.length === 1) return left[0];
  return byKnownType(types, inputs, bases, left);
}

function byUnknownCategory<C extends Candidate>(
  candidates: readonly C[],
  isKnown: readonly boolean[],
  category: (oid: number) => string,
  isPreferred: (slot: string, oid: number) => boolean,
): readonly C[] {
  const slots = new Map<number, { readonly category: string; readonly hasPreferred: boolean }>();
  for (const [i, known] of isKnown.entries()) {
    if (known) continue;
    const offered = candidates.map((candidate) => candidate.arguments[i] ?? 0);
    const categories = new Set(offered.map(category));
    const chosen = categories.has("S") ? "S" : [...categories][0];
    if (chosen === undefined || (chosen !== "S" && categories.size > 1)) return candidates;
    const hasPreferred = offered.some((oid) => isPreferred(chosen, oid));
    slots.set(i, { category: chosen, hasPreferred });
  }
  const left = candidates.filter((candidate) =>
    [...slots].every(([i, slot]) => {
      const oid = candidate.arguments[i] ?? 0;
      if (category(oid) !== slot.category) return false;
      return !slot.hasPreferred || isPreferred(slot.category, oid);
    }),
  );
  return left.length > 0 ? left : candidates;
}

/** Where all known arguments have one type, the unknown ones are tried as that type. */
function byKnownType<C extends Candidate>(
  types: TypeRegistry,
  inputs: readonly number[],
  bases: readonly number[],
  candidates: readonly C[],
): C | undefined {
  const known = new Set(bases.filter((base) => base !== OID.unknown));
  const [only] = known;
  if (known.size !== 1 || only === undefined) return undefined;
  const left = fitting(
    types,
    inputs.map((input) => (input === OID.unknown ? only : input)),
    candidates,
  );
  return left.length === 1 ? left[0] : undefined;
}
