import { FirnError } from "../../base/error.ts";
import type { Revision } from "../../base/ids.ts";
import type { Stored } from "../../catalog/entities.ts";
import type { EntityVersion } from "../../catalog/history.ts";
import type { Catalog, Connector, Entity, Namespace, Table, View } from "../../catalog/model.ts";
import type { RevisedEntity } from "../../catalog/revised-entity.ts";
import { ANY_TAG } from "../requests.ts";

/** A resource by its name, or by its id. */
export type Named = { readonly name: string } | { readonly id: string };

export interface CatalogPlace {
  readonly catalog: Named;
}

export interface NamespacePlace extends CatalogPlace {
  readonly namespace: { readonly path: readonly string[] } | { readonly id: string };
}

export interface RelationPlace extends NamespacePlace {
  readonly relation: Named;
}

export interface AccountPlace {
  readonly account: Named;
}

export interface ConnectorPlace {
  readonly connector: Named;
}

export interface StorageProfilePlace {
  readonly profile: Named;
}

export type ResourceEntity = Catalog | Namespace | Table | View | Connector;

/** The names above a resource, as they were when it was looked up. */
export interface Above {
  /** Of what is in a catalog. */
  readonly catalog?: string;
  /** Of a table or view. */
  readonly namespace?: readonly string[];
}

/** One version of a resource. Times in milliseconds of wall time. */
export interface Resource<E extends Entity = ResourceEntity> extends RevisedEntity<E> {
  readonly above: Above;
}

/** The entity tags of `If-Match`, quotes and all, or `ANY_TAG`; absent: any version. */
export interface Precondition {
  readonly ifMatch?: readonly string[] | undefined;
}

/** What an entity tag is made of. `none`: nothing is stored at that version. */
export interface Tagged {
  readonly version: bigint;
  readonly revision: Revision | "none";
}

export function etagOf({ version, revision }: Tagged): string {
  return `"${version}-${revision}"`;
}

/**
 * Refuses to change another entity than the one that was looked up by its id, or another version
 * than the one that the request names.
 */
export function expecting<E extends Entity>(
  { ifMatch }: Precondition,
  id: string | undefined,
  missing: () => FirnError,
): (stored: Stored<E>) => void {
  return ({ entity, envelope, item }) => {
    if (id !== undefined && entity.id !== id) throw missing();
    assertTag({ ifMatch }, { version: item.version, revision: envelope.revision });
  };
}

/** @throws FirnError `Conflict` `PRECONDITION_FAILED`: it is another version than was meant. */
export function assertTag({ ifMatch }: Precondition, found: Tagged): void {
  if (ifMatch === undefined || ifMatch.includes(ANY_TAG)) return;
  const etag = etagOf(found);
  if (ifMatch.includes(etag)) return;
  const message = "the resource has changed since: read it again";
  throw new FirnError("Conflict", "PRECONDITION_FAILED", message, { etag });
}

/** A version that the history found. */
export function resourceOf({ version, entity, envelope }: EntityVersion, above: Above): Resource {
  const { revision, updatedAtMs, updatedBy } = envelope;
  return {
    entity: entity as ResourceEntity,
    version,
    revision,
    updatedAtMs,
    updatedBy,
    above,
  };
}
