import type { IdMap } from "../base/id-map.ts";
import type { JsonObject } from "../base/json.ts";
import { assertFewValues } from "../base/json-read.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { addSchema, addSortOrder, addSpec, supportedVersion } from "./apply-structure.ts";
import { makeDraft } from "./draft.ts";
import { modelInvalid } from "./errors.ts";
import { finishDraft } from "./finish.ts";
import { DEFAULT_FORMAT_VERSION, type TableMetadata } from "./model.ts";
import {
  checkPartitionNames,
  checkSpec,
  FIRST_PARTITION_FIELD_ID,
  makePartitionSpec,
  type PartitionSpec,
  parsePartitionSpec,
} from "./partition-spec.ts";
import { assignFreshIds, checkNameLengths, type Schema, schemaSteps } from "./schema.ts";
import {
  checkOrder,
  FIRST_SORT_ORDER_ID,
  makeSortOrder,
  parseSortOrder,
  type SortOrder,
  UNSORTED_ORDER_ID,
} from "./sort-order.ts";

export interface NewTable {
  /** As in the request; its field ids only join it with spec and order. */
  readonly schema: JsonObject;
  readonly partitionSpec?: JsonObject | undefined;
  readonly writeOrder?: JsonObject | undefined;
  readonly location: string;
  /** `format-version` picks the version; reserved names are not stored. */
  readonly properties: Readonly<Record<string, string>>;
  readonly uuid: string;
  readonly nowMs: number;
}

const FORMAT_VERSION = "format-version";
/** Names that clients show beside the properties; they say nothing that a table stores. */
const RESERVED: ReadonlySet<string> = new Set([
  FORMAT_VERSION,
  "uuid",
  "snapshot-count",
  "current-snapshot-id",
  "current-snapshot-summary",
  "current-snapshot-timestamp-ms",
  "current-schema",
  "default-partition-spec",
  "default-sort-order",
]);
/** Set in new tables only, so that older ones keep the default that they were made with. */
const NEW_TABLE_PROPERTIES = [["write.parquet.compression-codec", "zstd"]] as const;
const COUNTS = [
  "commit.retry.num-retries",
  "commit.retry.min-wait-ms",
  "commit.retry.max-wait-ms",
  "commit.retry.total-timeout-ms",
];
const ENCRYPTION = ["encryption.key-id", "encryption.data-key-length"];
const COLUMN_METRICS = "write.metadata.metrics.column.";
const COUNT = /^\+?\d{1,9}$/;

/**
 * Metadata of a new table. All ids are assigned afresh: columns from 1, partition fields from 1000,
 * schema and spec 0, a sort order 1.
 *
 * @throws FirnError `Invalid`: the code of the part that is wrong, or a `FIELD_…` code.
 */
export function* newTableSteps(table: NewTable): Steps<TableMetadata> {
  const formatVersion = supportedVersion(requestedVersion(table.properties[FORMAT_VERSION]));
  const requested = yield* schemaSteps(table.schema, "schema");
  yield* checkNameLengths(requested);
  const { schema, newIds } = yield* assignFreshIds(requested);
  const properties = storedProperties(table.properties);
  checkProperties(properties, requested, formatVersion);
  const draft = makeDraft(undefined, table.nowMs, formatVersion);
  draft.uuid = table.uuid;
  draft.location = table.location;
  draft.properties = properties;
  yield* addSchema(draft, schema);
  yield* addSpec(draft, freshSpec(table.partitionSpec, requested, newIds));
  const order = freshOrder(table.writeOrder, requested, newIds);
  yield* addSortOrder(draft, order);
  draft.defaultSortOrderId = order.orderId;
  return yield* finishDraft(draft, undefined);
}

/** As `newTableSteps`, at once. */
export function newTableMetadata(table: NewTable): TableMetadata {
  return atOnce(newTableSteps(table));
}

function requestedVersion(property: string | undefined): number {
  if (property === undefined) return DEFAULT_FORMAT_VERSION;
  return /^\d{1,3}$/.test(property) ? Number(property) : -1;
}

function freshSpec(
  object: JsonObject | undefined,
  requested: Schema,
  newIds: IdMap<number, number>,
): PartitionSpec {
  if (object === undefined) return makePartitionSpec(0, []);
  assertFewValues(object, "partition-spec");
  const spec = parsePartitionSpec(object, "partition-spec");
  checkPartitionNames(spec);
  checkSpec(spec, requested);
  const fields = spec.fields.map((field, i) => ({
    ...field,
    sourceId: newSource(field.sourceId, newIds, "PARTITION_SPEC_INVALID"),
    fieldId: FIRST_PARTITION_FIELD_ID + i,
  }));
  return makePartitionSpec(0, fields);
}

function freshOrder(
  object: JsonObject | undefined,
  requested: Schema,
  newIds: IdMap<number, number>,
): SortOrder {
  if (object === undefined) return makeSortOrder(UNSORTED_ORDER_ID, []);
  assertFewValues(object, "write-order");
  const order = parseSortOrder(object, "write-order");
  checkOrder(order, requested);
  const fields = order.fields.map((field) => ({
    ...field,
    sourceId: newSource(field.sourceId, newIds, "SORT_ORDER_INVALID"),
  }));
  return makeSortOrder(fields.length === 0 ? UNSORTED_ORDER_ID : FIRST_SORT_ORDER_ID, fields);
}

function newSource(
  sourceId: number,
  newIds: IdMap<number, number>,
  code: "PARTITION_SPEC_INVALID" | "SORT_ORDER_INVALID",
): number {
  const fresh = newIds.get(sourceId);
  if (fresh === undefined) throw modelInvalid(code, "source column does not exist", { sourceId });
  return fresh;
}

function storedProperties(
  requested: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const unreserved = Object.entries(requested).filter(([name]) => !RESERVED.has(name));
  return new Map([...NEW_TABLE_PROPERTIES, ...unreserved]);
}

/** Checked for new tables only: an existing table must not become unusable by a property. */
function checkProperties(
  properties: ReadonlyMap<string, string>,
  schema: Schema,
  formatVersion: number,
): void {
  const refuse = (property: string, reason: string): never => {
    throw modelInvalid("TABLE_PROPERTY_INVALID", reason, { property });
  };
  for (const name of COUNTS) {
    const value = properties.get(name);
    if (value !== undefined && !COUNT.test(value)) refuse(name, "not a count");
  }
  for (const name of ENCRYPTION) {
    if (formatVersion < 3 && properties.has(name)) refuse(name, "needs format version 3");
  }
  for (const name of properties.keys()) {
    if (!name.startsWith(COLUMN_METRICS)) continue;
    if (!schema.byName.has(name.slice(COLUMN_METRICS.length))) refuse(name, "no such column");
  }
}
