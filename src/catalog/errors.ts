import { type ErrorContext, FirnError } from "../base/error.ts";
import type { EntityType, Relation, TableFormat } from "./model.ts";
import { dotted } from "./names.ts";

export function catalogNotFound(catalog: string): FirnError {
  return new FirnError("NotFound", "CATALOG_NOT_FOUND", "catalog not found", { catalog });
}

export function accountNotFound(account: string): FirnError {
  return new FirnError("NotFound", "ACCOUNT_NOT_FOUND", "account not found", { account });
}

export function accountExists(account: string): FirnError {
  const why = "account already exists";
  return new FirnError("AlreadyExists", "ACCOUNT_ALREADY_EXISTS", why, { account });
}

/** Nodes work in it: its deletion would take their own jobs away. */
export function accountInUse(account: string): FirnError {
  const why = "the deployment's own account cannot be deleted: delete its catalogs";
  return new FirnError("Conflict", "ACCOUNT_IN_USE", why, { account });
}

export function connectorNotFound(connector: string): FirnError {
  return new FirnError("NotFound", "CONNECTOR_NOT_FOUND", "connector not found", { connector });
}

export function storageProfileNotFound(profile: string): FirnError {
  const why = "storage profile not found";
  return new FirnError("NotFound", "STORAGE_PROFILE_NOT_FOUND", why, { profile });
}

export function storageProfileExists(profile: string): FirnError {
  const why = "storage profile already exists";
  return new FirnError("AlreadyExists", "STORAGE_PROFILE_ALREADY_EXISTS", why, { profile });
}

export function connectorExists(connector: string): FirnError {
  const why = "connector already exists";
  return new FirnError("AlreadyExists", "CONNECTOR_ALREADY_EXISTS", why, { connector });
}

/** A principal or a role. */
export function principalNotFound(principal: string): FirnError {
  return new FirnError("NotFound", "PRINCIPAL_NOT_FOUND", "principal not found", { principal });
}

export function principalExists(principal: string): FirnError {
  const why = "a principal or role of this name already exists";
  return new FirnError("AlreadyExists", "PRINCIPAL_ALREADY_EXISTS", why, { principal });
}

export function namespaceNotFound(path: readonly string[]): FirnError {
  const namespace = dotted(path);
  return new FirnError("NotFound", "NAMESPACE_NOT_FOUND", "namespace not found", { namespace });
}

export function tableNotFound(path: readonly string[], name: string): FirnError {
  const table = dotted([...path, name]);
  return new FirnError("NotFound", "TABLE_NOT_FOUND", "table not found", { table });
}

/** A table of another format, asked for as an Iceberg table. */
export function notIceberg(path: readonly string[], name: string, format: TableFormat): FirnError {
  const table = dotted([...path, name]);
  const why = "not an Iceberg table: use the native API";
  return new FirnError("NotFound", "TABLE_NOT_ICEBERG", why, { table, format });
}

export function viewNotFound(path: readonly string[], name: string): FirnError {
  const view = dotted([...path, name]);
  return new FirnError("NotFound", "VIEW_NOT_FOUND", "view not found", { view });
}

export function snapshotNotFound(
  path: readonly string[],
  name: string,
  facts: ErrorContext,
): FirnError {
  const table = dotted([...path, name]);
  const context = { table, ...facts };
  return new FirnError("NotFound", "SNAPSHOT_NOT_FOUND", "snapshot not found", context);
}

/** Nothing is known of a target, or no target has this id. */
export function statsNotFound(target: string): FirnError {
  const facts = { target: target.slice(0, 256) };
  return new FirnError("NotFound", "STATS_NOT_FOUND", "no statistics of this target", facts);
}

/** No relation of the type that was asked for, whatever else has the name. */
export function relationNotFound(
  type: Relation["type"],
  path: readonly string[],
  name: string,
): FirnError {
  return type === "view" ? viewNotFound(path, name) : tableNotFound(path, name);
}

export function catalogExists(catalog: string): FirnError {
  return new FirnError("AlreadyExists", "CATALOG_ALREADY_EXISTS", "catalog already exists", {
    catalog,
  });
}

export function namespaceExists(path: readonly string[]): FirnError {
  const namespace = dotted(path);
  return new FirnError("AlreadyExists", "NAMESPACE_ALREADY_EXISTS", "namespace already exists", {
    namespace,
  });
}

/** What was to have a name: a new relation, or one that had the name `from`. */
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
): FirnError {
  const full = dotted([...path, name]);
  const context = { wanted: type, ...(from === undefined ? {} : { from }) };
  return holder === "view"
    ? new FirnError("AlreadyExists", "VIEW_ALREADY_EXISTS", "name already in use", {
        view: full,
        ...context,
      })
    : new FirnError("AlreadyExists", "TABLE_ALREADY_EXISTS", "name already in use", {
        table: full,
        ...context,
      });
}

/*
 * Of the request, not of a name: Java's client takes every 409 of a create for a table of that name
 * that is there already.
 */

export function locationTaken(location: string, by: string): FirnError {
  const why = "location belongs to another table or view: choose another location";
  return new FirnError("Invalid", "LOCATION_TAKEN", why, { location, by });
}

/** A client chose the uuid of its new table. Dropped tables count: they can come back. */
export function tableUuidTaken(uuid: string, table: string): FirnError {
  const why = "uuid belongs to another table: stage the create again, or choose another uuid";
  return new FirnError("Invalid", "TABLE_UUID_TAKEN", why, { uuid, table });
}

/** Two locations one within the other: what is deleted of the outer would be the inner one's. */
export function locationOverlaps(location: string, other: string, by: string): FirnError {
  const why = "location is inside or above another one: choose another location";
  return new FirnError("Invalid", "LOCATION_OVERLAPS", why, { location, other, by });
}

/** Another request is about to take it, or died doing so: its hold ends by itself. */
export function locationPending(location: string, retryAfterMs: number): FirnError {
  const why = "another request is taking a location here: try again";
  return new FirnError("Overloaded", "LOCATION_PENDING", why, { location, retryAfterMs });
}

/** Whether another has, or surrounds, a location that was wanted. */
export function isLocationTaken({ code }: FirnError): boolean {
  return code === "LOCATION_TAKEN" || code === "LOCATION_OVERLAPS";
}

/** Nothing of this id was dropped, or it was brought back, or is gone for good. */
export function notDropped(id: string): FirnError {
  return new FirnError("NotFound", "DROPPED_NOT_FOUND", "no dropped entity has this id", { id });
}

/** Its files are being deleted: it cannot come back. */
export function beingPurged(id: string): FirnError {
  return new FirnError("Conflict", "BEING_PURGED", "too late: the purge has begun", { id });
}

export function notEmpty(
  code: "NAMESPACE_NOT_EMPTY" | "CATALOG_NOT_EMPTY" | "ACCOUNT_NOT_EMPTY",
  context: ErrorContext,
): FirnError {
  return new FirnError("Conflict", code, "not empty", context);
}

/** Names cannot change under children: their own paths would go stale. */
export function hasChildNamespaces(path: readonly string[]): FirnError {
  const namespace = dotted(path);
  return new FirnError(
    "Conflict",
    "NAMESPACE_HAS_CHILDREN",
    "namespace has child namespaces: drop them first",
    {
      namespace,
    },
  );
}

/** A job is deleting it with all that is in it: nothing new appears there. */
const DELETING = {
  account: "ACCOUNT_DELETING",
  catalog: "CATALOG_DELETING",
  namespace: "NAMESPACE_DELETING",
} as const;

export function beingDeleted(type: keyof typeof DELETING, name: string): FirnError {
  const code = DELETING[type];
  return new FirnError("Conflict", code, `the ${type} is being deleted: choose another one`, {
    [type]: name,
  });
}

export function isBeingDeleted({ code }: FirnError): boolean {
  return Object.values<string>(DELETING).includes(code);
}

export function entityProtected(name: string): FirnError {
  return new FirnError("Conflict", "PROTECTED", "protected: drops are disabled for this entity", {
    name,
  });
}

/** Nothing happened: the pointer store took nothing. */
export function storeOverloaded(retryAfterMs: number): FirnError {
  const facts = { retryAfterMs };
  return new FirnError(
    "Overloaded",
    "STORE_OVERLOADED",
    "the pointer store is overloaded: try again later",
    facts,
  );
}

/** Stored keys contradict each other: reported, never patched. */
export function corrupt(message: string, context: ErrorContext): FirnError {
  return new FirnError("Corrupt", "CATALOG_CORRUPT", message, context);
}

export function functionNotFound(path: readonly string[], name: string): FirnError {
  const fact = { function: dotted([...path, name]) };
  return new FirnError("NotFound", "FUNCTION_NOT_FOUND", "function not found", fact);
}
