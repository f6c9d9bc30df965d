import { FirnError } from "../base/error.ts";
import { relationNotFound } from "../catalog/errors.ts";
import type { Relation } from "../catalog/model.ts";
import { dotted } from "../catalog/names.ts";
import type { RelationRef } from "../catalog/relations.ts";

/**
 * What is thrown of a relation that should exist. In this protocol it is the table or view that is
 * missing, also where its namespace is: engines look for the metadata table `ns.t.snapshots` under
 * the namespace `[ns, t]`, and only go on to load `ns.t` if they learn of a missing table.
 */
export function missingRelation(
  type: Relation["type"],
  { path, name }: RelationRef,
  thrown: unknown,
): unknown {
  const parentMissing =
    thrown instanceof FirnError &&
    thrown.code === "NAMESPACE_NOT_FOUND" &&
    thrown.context["namespace"] === dotted(path);
  return parentMissing ? relationNotFound(type, path, name) : thrown;
}

/** Work on a relation that should exist, with its failure as `missingRelation` has it. */
export async function ofRelation<T>(
  type: Relation["type"],
  ref: RelationRef,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw missingRelation(type, ref, error);
  }
}
