import type { IdSet } from "../base/id-map.ts";
import type { Steps } from "../base/steps.ts";
import type { Draft } from "./draft.ts";
import { modelInvalid } from "./errors.ts";
import { type FormatVersion, MAX_FORMAT_VERSION } from "./model.ts";
import {
  checkDistinctIds,
  checkPartitionNames,
  checkSequentialIds,
  checkSpec,
  lastPartitionId,
  makePartitionSpec,
  type PartitionSpec,
} from "./partition-spec.ts";
import { checkSchemaVersion, renumbered, type Schema } from "./schema.ts";
import {
  checkOrder,
  FIRST_SORT_ORDER_ID,
  makeSortOrder,
  type SortOrder,
  UNSORTED_ORDER_ID,
} from "./sort-order.ts";

/**
 * In a request, stands for the id of what was added last in the same request, also where adding it
 * found an equal one: a retry of a request means the same thing as the request did.
 */
const LAST_ADDED = -1;

/** A version as a request names it. @throws FirnError `Invalid` `FORMAT_VERSION_INVALID`. */
export function supportedVersion(version: number): FormatVersion {
  if (version >= 1 && version <= MAX_FORMAT_VERSION) return version as FormatVersion;
  throw modelInvalid("FORMAT_VERSION_INVALID", "unsupported format version", { version });
}

/** @throws FirnError `Invalid` `FORMAT_VERSION_INVALID`: unknown, or a downgrade. */
export function upgradeFormatVersion(draft: Draft, version: number): void {
  const next = supportedVersion(version);
  if (next < draft.formatVersion) {
    throw modelInvalid("FORMAT_VERSION_INVALID", "the format version cannot be lowered", {
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
 * @throws FirnError `Invalid` `SCHEMA_INVALID`: a type or default that the version has not.
 */
export function* addSchema(draft: Draft, schema: Schema): Steps<void> {
  yield* checkSchemaVersion(schema, draft.formatVersion);
  const lastColumnId = Math.max(draft.lastColumnId, schema.highestFieldId);
  const existing = yield* draft.schemas.equalTo(schema);
  if (existing !== undefined && lastColumnId === draft.lastColumnId) {
    draft.lastAddedSchemaId = existing.schemaId;
    return;
  }
  draft.lastColumnId = lastColumnId;
  draft.changed = true;
  const schemaId = existing?.schemaId ?? nextSchemaId(draft);
  if (existing === undefined) draft.schemas.append(yield* renumbered(schema, schemaId));
  draft.lastAddedSchemaId = schemaId;
}

function nextSchemaId(draft: Draft): number {
  return Math.max(draft.currentSchemaId, draft.schemas.highestId(-1) + 1);
}

/** @throws FirnError `Invalid` `SCHEMA_INVALID`: there is no such schema. */
export function setCurrentSchema(draft: Draft, id: number): void {
  const schemaId = id === LAST_ADDED ? draft.lastAddedSchemaId : id;
  if (schemaId === undefined) {
    throw modelInvalid("SCHEMA_INVALID", "no schema was added in this request");
  }
  if (draft.schemas.get(String(schemaId)) === undefined) {
    throw modelInvalid("SCHEMA_INVALID", "schema does not exist", { schemaId });
  }
  if (schemaId === draft.currentSchemaId) return;
  draft.currentSchemaId = schemaId;
  draft.changed = true;
}

/** @throws FirnError `Invalid` `SCHEMA_INVALID`: the current schema is among them. */
export function removeSchemas(draft: Draft, schemaIds: IdSet<number>): void {
  if (schemaIds.has(draft.currentSchemaId)) {
    throw modelInvalid("SCHEMA_INVALID", "the current schema stays", {
      schemaId: draft.currentSchemaId,
    });
  }
  for (const id of schemaIds) {
    if (draft.schemas.remove(String(id))) draft.changed = true;
  }
}

/** The schema that new specs and orders are bound to. */
function boundSchema(draft: Draft): Schema {
  const schema = draft.schemas.get(String(draft.currentSchemaId));
  if (schema === undefined) throw modelInvalid("SCHEMA_INVALID", "no current schema is set");
  return schema;
}

/**
 * Adds a spec under the next id, or finds the one with the same fields.
 *
 * @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`: the current schema has not its sources.
 */
export function* addSpec(draft: Draft, spec: PartitionSpec): Steps<void> {
  checkPartitionNames(spec);
  checkSpec(spec, boundSchema(draft));
  const existing = yield* draft.specs.equalTo(spec);
  if (existing !== undefined) {
    draft.lastAddedSpecId = existing.specId;
    return;
  }
  const fields =
    spec.hasFieldIds || draft.formatVersion === 1
      ? spec.fields
      : draft.partitionFieldIds.assign(spec.fields, draft.lastPartitionId);
  const specId = draft.specs.highestId(-1) + 1;
  const added = makePartitionSpec(specId, fields);
  checkDistinctIds(added);
  if (draft.formatVersion === 1) checkSequentialIds(added);
  draft.specs.append(added);
  draft.partitionFieldIds.add(added);
  draft.lastPartitionId = Math.max(draft.lastPartitionId, lastPartitionId(added));
  draft.lastAddedSpecId = specId;
  draft.changed = true;
}

/** @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`: there is no such spec. */
export function setDefaultSpec(draft: Draft, id: number): void {
  const specId = id === LAST_ADDED ? draft.lastAddedSpecId : id;
  if (specId === undefined) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "no partition spec was added in this request");
  }
  if (draft.specs.get(String(specId)) === undefined) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "partition spec does not exist", { specId });
  }
  if (specId === draft.defaultSpecId) return;
  draft.defaultSpecId = specId;
  draft.changed = true;
}

/** @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`: the default spec is among them. */
export function removeSpecs(draft: Draft, specIds: IdSet<number>): void {
  if (specIds.has(draft.defaultSpecId)) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "the default partition spec cannot be removed", {
      specId: draft.defaultSpecId,
    });
  }
  for (const id of specIds) {
    if (draft.specs.remove(String(id))) draft.changed = true;
  }
}

/**
 * Adds an order under the next id, or finds the one that is equal to it. Unsorted is always 0.
 *
 * @throws FirnError `Invalid` `SORT_ORDER_INVALID`: the current schema has not its sources.
 */
export function* addSortOrder(draft: Draft, order: SortOrder): Steps<void> {
  checkOrder(order, boundSchema(draft));
  const existing = yield* draft.sortOrders.equalTo(order);
  if (existing !== undefined) {
    draft.lastAddedOrderId = existing.orderId;
    return;
  }
  const orderId = order.fields.length === 0 ? UNSORTED_ORDER_ID : nextOrderId(draft);
  draft.sortOrders.append(makeSortOrder(orderId, order.fields));
  draft.lastAddedOrderId = orderId;
  draft.changed = true;
}

function nextOrderId(draft: Draft): number {
  return draft.sortOrders.highestId(FIRST_SORT_ORDER_ID - 1) + 1;
}

/** @throws FirnError `Invalid` `SORT_ORDER_INVALID`: there is no such order. */
export function setDefaultSortOrder(draft: Draft, id: number): void {
  const orderId = id === LAST_ADDED ? draft.lastAddedOrderId : id;
  if (orderId === undefined) {
    throw modelInvalid("SORT_ORDER_INVALID", "no sort order was added in this request");
  }
  if (draft.sortOrders.get(String(orderId)) === undefined) {
    throw modelInvalid("SORT_ORDER_INVALID", "sort order does not exist", { orderId });
  }
  if (orderId === draft.defaultSortOrderId) return;
  draft.defaultSortOrderId = orderId;
  draft.changed = true;
}
