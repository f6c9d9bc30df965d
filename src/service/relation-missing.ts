import { CatalogError } from "../base/error.ts";
import { relationNotFound } from "../catalog/errors.ts";
import type { Relation } from "../catalog/model.ts";
import { dotted } from "../catalog/names.ts";
import type { RelationRef } from "../catalog/relations.ts";

/**
 * Work on a relation that should exist. In this protocol it is the table or view that is missing,
 * also where its namespace is: engines look for the metadata table `ns.t.snapshots` under the
 * namespace `[ns, t]`, and only go on to load `ns.t` if they hear of a missing table.
 */
export async function ofRelation<T>(
  type: Relation["type"],
  { path, name }: RelationRef,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const parentMissing =
      error instanceof CatalogError &&
      error.code === "NAMESPACE_NOT_FOUND" &&
      error.context["namespace"] === dotted(path);
    throw parentMissing ? relationNotFound(type, path, name) : error;
  }
}
