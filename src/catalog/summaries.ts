import { assert } from "../base/assert.ts";
import type { CatalogId } from "../base/ids.ts";
import { type Entity, isDroppable, type Relation, type Summary } from "./model.ts";
import type { EncodedPayload } from "./payloads.ts";

function parentsOf(entity: Entity): { parentId?: string; catalogId?: CatalogId } {
  switch (entity.type) {
    case "account":
    case "catalog":
    case "connector":
    case "principal":
    case "storageProfile":
      return {};
    case "namespace":
      return { parentId: entity.parentId, catalogId: entity.catalogId };
    case "table":
    case "view":
      return { parentId: entity.namespaceId, catalogId: entity.catalogId };
  }
}

/**
 * Summary of a name or claim: only what changes with the name, so that a change of content alone
 * leaves the key as it is.
 */
export function nameSummary(entity: Entity): Summary {
  assert(entity.name !== "", "what a name leads to has that name");
  return {
    entityType: entity.type,
    entityId: entity.id,
    name: entity.name,
    nameRevision: entity.nameRevision,
    revision: entity.nameRevision,
    // A name stays as it is while its entity is being deleted.
    state: entity.state === "DELETING" ? "ACTIVE" : entity.state,
    guardGeneration: 0,
    protected: false,
    purgeAfterMs: 0,
    ...parentsOf(entity),
    ...(entity.owner !== undefined && { owner: entity.owner }),
    // Lists of Iceberg tables leave others out by it.
    ...(entity.type === "table" && entity.format !== "ICEBERG" && { format: entity.format }),
  };
}

/** Summary of an entity's by-id pointer: what most reads need, so that they skip the payload. */
export function summaryOf(entity: Entity, payload: EncodedPayload): Summary {
  if (isDroppable(entity)) {
    const isLater = isDropped(entity) === entity.purgeAfterMs > 0;
    assert(isLater, "what is dropped says when it is purged, and nothing else does");
  }
  if (entity.type === "catalog" || entity.type === "namespace") {
    assert(entity.guardGeneration >= 1, "a parent has guards from its first generation on");
  }
  return summaryAsStored(entity, payload);
}

/** The summary that belongs to a payload as it is stored, also where its content is wrong. */
export function summaryAsStored(entity: Entity, payload: EncodedPayload): Summary {
  const { entityId, entityType } = payload.decoded.envelope;
  const isOf = entityId === entity.id && entityType === entity.type;
  assert(isOf, "summary and payload are of one entity");
  const summary: Summary = {
    ...nameSummary(entity),
    revision: payload.decoded.envelope.revision,
    state: entity.state,
    contentHash: payload.contentHash,
  };
  if (!isDroppable(entity)) return summary;
  const { protected: isProtected, purgeAfterMs } = entity;
  const dropped = { ...summary, protected: isProtected, purgeAfterMs };
  switch (entity.type) {
    case "account":
      return dropped;
    case "catalog":
    case "namespace":
      return { ...dropped, guardGeneration: entity.guardGeneration };
    case "table":
      return { ...dropped, format: entity.format, ...icebergOf(entity) };
    case "view":
      return { ...dropped, ...icebergOf(entity) };
  }
}

function icebergOf({ iceberg }: Relation): Pick<Summary, "metadataLocation" | "tableUuid"> {
  if (iceberg === undefined) return {};
  const { metadataLocation } = iceberg;
  const tableUuid = "tableUuid" in iceberg ? iceberg.tableUuid : undefined;
  return tableUuid === undefined ? { metadataLocation } : { metadataLocation, tableUuid };
}

function isDropped({ state }: Entity): boolean {
  return state === "DROPPED" || state === "PURGING";
}
