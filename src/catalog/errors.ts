import { CatalogError, type ErrorContext } from "../base/error.ts";
import type { EntityType } from "./model.ts";
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

/** The name is held by a table or, since both share one space of names, by a view. */
export function relationExists(
  holder: EntityType,
  path: readonly string[],
  name: string,
): CatalogError {
  const full = dotted([...path, name]);
  return holder === "view"
    ? new CatalogError("AlreadyExists", "VIEW_ALREADY_EXISTS", "name taken", { view: full })
    : new CatalogError("AlreadyExists", "TABLE_ALREADY_EXISTS", "name taken", { table: full });
}

export function locationTaken(location: string, by: string): CatalogError {
  return new CatalogError("AlreadyExists", "LOCATION_TAKEN", "location belongs to a table", {
    location,
    by,
  });
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

/** Stored keys contradict each other: reported, never patched. */
export function corrupt(message: string, context: ErrorContext): CatalogError {
  return new CatalogError("Corrupt", "CATALOG_CORRUPT", message, context);
}
