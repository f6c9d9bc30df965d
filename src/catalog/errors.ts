import { CatalogError, type ErrorContext } from "../base/error.ts";
import type { EntityType, Relation } from "./model.ts";
import { dotted } from "./names.ts";

export function catalogNotFound(catalog: string): CatalogError {
  return new CatalogError("NotFound", "CATALOG_NOT_FOUND", "no such catalog", { catalog });
}

export function namespaceNotFound(path: readonly string[]): CatalogError {
  const namespace = dotted(path);
  return new CatalogError("NotFound", "NAMESPACE_NOT_FOUND", "no such namespace", { namespace });
}

export function tableNotFound(path: readonly string[], name: string): CatalogError {
  const table = dotted([...path, name]);
  return new CatalogError("NotFound", "TABLE_NOT_FOUND", "no such table", { table });
}

export function viewNotFound(path: readonly string[], name: string): CatalogError {
  const view = dotted([...path, name]);
  return new CatalogError("NotFound", "VIEW_NOT_FOUND", "no such view", { view });
}

export function snapshotNotFound(
  path: readonly string[],
  name: string,
  facts: ErrorContext,
): CatalogError {
  const table = dotted([...path, name]);
  const context = { table, ...facts };
  return new CatalogError("NotFound", "SNAPSHOT_NOT_FOUND", "no such snapshot", context);
}

/** No relation of the type that was asked for, whatever else has the name. */
export function relationNotFound(
  type: Relation["type"],
  path: readonly string[],
  name: string,
): CatalogError {
  return type === "view" ? viewNotFound(path, name) : tableNotFound(path, name);
}

export function catalogExists(catalog: string): CatalogError {
  return new CatalogError("AlreadyExists", "CATALOG_ALREADY_EXISTS", "catalog name taken", {
    catalog,
  });
}

export function namespaceExists(path: readonly string[]): CatalogError {
  const namespace = dotted(path);
  return new CatalogError("AlreadyExists", "NAMESPACE_ALREADY_EXISTS", "namespace name taken", {
    namespace,
  });
}

/** What somebody wanted to have a name: a new relation, or one that had the name `from`. */
export interface Wanted {
  readonly type: Relation["type"];
  readonly from?: string;
}

/** The name is held by a table or, since both share one space of names, by a view. */
export function relationExists(
  holder: EntityType,
  path: readonly string[],
  name: string,
  { type, from }: Wanted,
): CatalogError {
  const full = dotted([...path, name]);
  const context = { wanted: type, ...(from === undefined ? {} : { from }) };
  return holder === "view"
    ? new CatalogError("AlreadyExists", "VIEW_ALREADY_EXISTS", "name taken", {
        view: full,
        ...context,
      })
    : new CatalogError("AlreadyExists", "TABLE_ALREADY_EXISTS", "name taken", {
        table: full,
        ...context,
      });
}

/*
 * Of the request, not of a name: Java's client takes every 409 of a create for a table of that name
 * that is there already.
 */

export function locationTaken(location: string, by: string): CatalogError {
  const why = "location belongs to another table or view: choose another location";
  return new CatalogError("Invalid", "LOCATION_TAKEN", why, { location, by });
}

/** Two locations one within the other: what is deleted of the outer would be the inner one's. */
export function locationOverlaps(location: string, other: string, by: string): CatalogError {
  const why = "location is inside or above another one: choose another location";
  return new CatalogError("Invalid", "LOCATION_OVERLAPS", why, { location, other, by });
}

/** Whether another has, or surrounds, a location that was wanted. */
export function isLocationTaken({ code }: CatalogError): boolean {
  return code === "LOCATION_TAKEN" || code === "LOCATION_OVERLAPS";
}

/** Nothing of this id was dropped, or it was brought back, or is gone for good. */
export function notDropped(id: string): CatalogError {
  return new CatalogError("NotFound", "DROPPED_NOT_FOUND", "nothing dropped has this id", { id });
}

/** Its files are being deleted: there is no way back. */
export function beingPurged(id: string): CatalogError {
  return new CatalogError("Conflict", "BEING_PURGED", "is being purged", { id });
}

export function notEmpty(
  code: "NAMESPACE_NOT_EMPTY" | "CATALOG_NOT_EMPTY",
  context: ErrorContext,
): CatalogError {
  return new CatalogError("Conflict", code, "not empty", context);
}

/** Names cannot change under children: their own paths would go stale. */
export function hasChildNamespaces(path: readonly string[]): CatalogError {
  const namespace = dotted(path);
  return new CatalogError("Conflict", "NAMESPACE_HAS_CHILDREN", "has child namespaces", {
    namespace,
  });
}

export function entityProtected(name: string): CatalogError {
  return new CatalogError("Conflict", "PROTECTED", "protected against drop", { name });
}

/** Nothing happened: the pointer store took nothing. */
export function storeOverloaded(retryAfterMs: number): CatalogError {
  const facts = { retryAfterMs };
  return new CatalogError("Overloaded", "STORE_OVERLOADED", "pointer store is busy", facts);
}

/** Stored keys contradict each other: reported, never patched. */
export function corrupt(message: string, context: ErrorContext): CatalogError {
  return new CatalogError("Corrupt", "CATALOG_CORRUPT", message, context);
}

export function functionNotFound(path: readonly string[], name: string): CatalogError {
  const fact = { function: dotted([...path, name]) };
  return new CatalogError("NotFound", "FUNCTION_NOT_FOUND", "no such function", fact);
}
