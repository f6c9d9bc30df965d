import type { Catalog, Namespace, Table, View } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { namespaceName } from "../../client/client.ts";
import type { Place } from "../place.ts";
import { dotted } from "./names.ts";

/** A place as a person types it: `catalog.ns.table`, and what follows an `@`. */
export interface Target {
  readonly name: string;
  /** A ref, a snapshot id, a time, or `~n`; absent: the current one. */
  readonly at?: string;
}

/** The last `@` tells a version from its name; `%40` is an at sign within a name. */
export function targetOf(text: string): Target {
  const at = text.lastIndexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), at: text.slice(at + 1) };
}

/** The word that a verb needs. @throws FirnError `Invalid`, code `NAME_INVALID`. */
export function nameIn(words: readonly string[], index = 0): string {
  const word = words[index];
  if (word !== undefined && word !== "") return word;
  throw new FirnError("Invalid", "NAME_INVALID", "a name is missing: give catalog.namespace.table");
}

/** What a dotted name can mean. */
export type Placed = Catalog | Namespace | Table | View;

/** What a full name means. @throws ApiError `NAME_NOT_FOUND`, `CATALOG_NOT_FOUND`. */
export async function resourceOf({ client }: Place, name: string): Promise<Placed> {
  // Resources of other types have no dotted name.
  return (await client.call("resolveName", { query: { name } })) as Placed;
}

/** A resource as segments of a path. */
export function pathOf(resource: Placed): {
  readonly catalog: string;
  readonly namespace: string;
  readonly table: string;
  readonly view: string;
} {
  const isRelation = resource.type === "table" || resource.type === "view";
  const levels = isRelation
    ? resource.namespace
    : resource.type === "namespace"
      ? resource.path
      : [];
  const id = `id:${resource.id}`;
  return {
    catalog: resource.type === "catalog" ? id : resource.catalog,
    namespace: resource.type === "namespace" ? id : namespaceName(levels),
    table: id,
    view: id,
  };
}

/** The full name of a resource, as a person types it. */
export function nameOf(resource: Placed): string {
  switch (resource.type) {
    case "catalog":
      return dotted([resource.name]);
    case "namespace":
      return dotted([resource.catalog, ...resource.path]);
    case "table":
    case "view":
      return dotted([resource.catalog, ...resource.namespace, resource.name]);
  }
}
