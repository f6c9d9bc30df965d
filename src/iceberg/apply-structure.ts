import type { Draft } from "./draft.ts";
import { modelInvalid } from "./errors.ts";
import { type FormatVersion, MAX_FORMAT_VERSION } from "./model.ts";
import {
  assignFieldIds,
  checkDistinctIds,
  checkSequentialIds,
  checkSpec,
  lastPartitionId,
  makePartitionSpec,
  type PartitionSpec,
  sameSpec,
} from "./partition-spec.ts";
import { checkSchemaVersion, makeSchema, type Schema, sameSchema } from "./schema.ts";
import {
  checkOrder,
  FIRST_SORT_ORDER_ID,
  makeSortOrder,
  type SortOrder,
  sameOrder,
  UNSORTED_ORDER_ID,
} from "./sort-order.ts";

/**
 * In a request, stands for the id of what was added last in the same request, also where adding it
 * found an equal one: a retry of a request means the same thing as the request did.
 */
const LAST_ADDED = -1;

/** A version as a request names it. @throws CatalogError `Invalid` `FORMAT_VERSION_INVALID`. */
export function supportedVersion(version: number): FormatVersion {
  if (version >= 1 && version <= MAX_FORMAT_VERSION) return version as FormatVersion;
  throw modelInvalid("FORMAT_VERSION_INVALID", "format version is not supported", { version });
}

/** @throws CatalogError `Invalid` `FORMAT_VERSION_INVALID`: unknown, or a downgrade. */
export function upgradeFormatVersion(draft: Draft, version: number): void {
  const next = supportedVersion(version);
  if (next < draft.formatVersion) {
    throw modelInvalid("FORMAT_VERSION_INVALID", "format version never falls", {
      from: draft.formatVersion,
      to: next,
    });
  }
  if (next === draft.formatVersion) return;
  draft.formatVersion = next;
  draft.changed = true;
}

/**
 * Adds a schema under the next id, or finds the one that is equal to it.
 *
 * @throws CatalogError `Invalid` `SCHEMA_INVALID`: a type or default that the version has not.
 */
export function addSchema(draft: Draft, schema: Schema): void {
  checkSchemaVersion(schema, draft.formatVersion);
  const lastColumnId = Math.max(draft.lastColumnId, schema.highestFieldId);
  const existing = draft.schemas.find((candidate) => sameSchema(candidate, schema));
  if (existing !== undefined && lastColumnId === draft.lastColumnId) {
    draft.lastAddedSchemaId = existing.schemaId;
    return;
  }
  draft.lastColumnId = lastColumnId;
  draft.changed = true;
  const schemaId = existing?.schemaId ?? nextSchemaId(draft);
  if (existing === undefined) {
    const added = makeSchema(schemaId, schema.struct, schema.identifierFieldIds);
    draft.schemas = [...draft.schemas, added];
  }
  draft.lastAddedSchemaId = schemaId;
}

function nextSchemaId(draft: Draft): number {
  return draft.schemas.reduce(
    (next, schema) => Math.max(next, schema.schemaId + 1),
    draft.currentSchemaId,
  );
}

/** @throws CatalogError `Invalid` `SCHEMA_INVALID`: there is no such schema. */
export function setCurrentSchema(draft: Draft, id: number): void {
  const schemaId = id === LAST_ADDED ? draft.lastAddedSchemaId : id;
  if (schemaId === undefined) {
    throw modelInvalid("SCHEMA_INVALID", "no schema was added in this request");
  }
  if (!draft.schemas.some((schema) => schema.schemaId === schemaId)) {
    throw modelInvalid("SCHEMA_INVALID", "schema does not exist", { schemaId });
  }
  if (schemaId === draft.currentSchemaId) return;
  draft.currentSchemaId = schemaId;
  draft.changed = true;
}

/** @throws CatalogError `Invalid` `SCHEMA_INVALID`: the current schema is among them. */
export function removeSchemas(draft: Draft, schemaIds: ReadonlySet<number>): void {
  if (schemaIds.has(draft.currentSchemaId)) {
    throw modelInvalid("SCHEMA_INVALID", "the current schema stays", {
      schemaId: draft.currentSchemaId,
    });
  }
  const kept = draft.schemas.filter((schema) => !schemaIds.has(schema.schemaId));
  if (kept.length === draft.schemas.length) return;
  draft.schemas = kept;
  draft.changed = true;
}

/** The schema that new specs and orders are bound to. */
function boundSchema(draft: Draft): Schema {
  const schema = draft.schemas.find(({ schemaId }) => schemaId === draft.currentSchemaId);
  if (schema === undefined) throw modelInvalid("SCHEMA_INVALID", "no current schema is set");
  return schema;
}

/**
 * Adds a spec under the next id, or finds the one with the same fields.
 *
 * @throws CatalogError `Invalid` `PARTITION_SPEC_INVALID`: the current schema has not its sources.
 */
export function addSpec(draft: Draft, spec: PartitionSpec): void {
  checkSpec(spec, boundSchema(draft));
  const existing = draft.specs.find((candidate) => sameSpec(candidate, spec));
  if (existing !== undefined) {
    draft.lastAddedSpecId = existing.specId;
    return;
  }
  const fields =
    spec.hasFieldIds || draft.formatVersion === 1
      ? spec.fields
      : assignFieldIds(spec.fields, draft.specs, draft.lastPartitionId);
  const specId = draft.specs.reduce((next, { specId: id }) => Math.max(next, id + 1), 0);
  const added = makePartitionSpec(specId, fields);
  checkDistinctIds(added);
  if (draft.formatVersion === 1) checkSequentialIds(added);
  draft.specs = [...draft.specs, added];
  draft.lastPartitionId = Math.max(draft.lastPartitionId, lastPartitionId(added));
  draft.lastAddedSpecId = specId;
  draft.changed = true;
}

/** @throws CatalogError `Invalid` `PARTITION_SPEC_INVALID`: there is no such spec. */
export function setDefaultSpec(draft: Draft, id: number): void {
  const specId = id === LAST_ADDED ? draft.lastAddedSpecId : id;
  if (specId === undefined) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "no spec was added in this request");
  }
  if (!draft.specs.some((spec) => spec.specId === specId)) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "spec does not exist", { specId });
  }
  if (specId === draft.defaultSpecId) return;
  draft.defaultSpecId = specId;
  draft.changed = true;
}

/** @throws CatalogError `Invalid` `PARTITION_SPEC_INVALID`: the default spec is among them. */
export function removeSpecs(draft: Draft, specIds: ReadonlySet<number>): void {
  if (specIds.has(draft.defaultSpecId)) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "the default spec stays", {
      specId: draft.defaultSpecId,
    });
  }
  const kept = draft.specs.filter((spec) => !specIds.has(spec.specId));
  if (kept.length === draft.specs.length) return;
  draft.specs = kept;
  draft.changed = true;
}

/**
 * Adds an order under the next id, or finds the one that is equal to it. Unsorted is always 0.
 *
 * @throws CatalogError `Invalid` `SORT_ORDER_INVALID`: the current schema has not its sources.
 */
export function addSortOrder(draft: Draft, order: SortOrder): void {
  checkOrder(order, boundSchema(draft));
  const existing = draft.sortOrders.find((candidate) => sameOrder(candidate, order));
  if (existing !== undefined) {
    draft.lastAddedOrderId = existing.orderId;
    return;
  }
  const orderId = order.fields.length === 0 ? UNSORTED_ORDER_ID : nextOrderId(draft);
  draft.sortOrders = [...draft.sortOrders, makeSortOrder(orderId, order.fields)];
  draft.lastAddedOrderId = orderId;
  draft.changed = true;
}

function nextOrderId(draft: Draft): number {
  return draft.sortOrders.reduce(
    (next, { orderId }) => Math.max(next, orderId + 1),
    FIRST_SORT_ORDER_ID,
  );
}

/** @throws CatalogError `Invalid` `SORT_ORDER_INVALID`: there is no such order. */
export function setDefaultSortOrder(draft: Draft, id: number): void {
  const orderId = id === LAST_ADDED ? draft.lastAddedOrderId : id;
  if (orderId === undefined) {
    throw modelInvalid("SORT_ORDER_INVALID", "no sort order was added in this request");
  }
  if (!draft.sortOrders.some((order) => order.orderId === orderId)) {
    throw modelInvalid("SORT_ORDER_INVALID", "sort order does not exist", { orderId });
  }
  if (orderId === draft.defaultSortOrderId) return;
  draft.defaultSortOrderId = orderId;
  draft.changed = true;
}
