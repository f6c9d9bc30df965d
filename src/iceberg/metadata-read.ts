import { IdSet } from "../base/id-map.ts";
import { type JsonObject, jsonKeys } from "../base/json.ts";
import {
  arrayOf,
  asMillis,
  asObject,
  asStringMap,
  type JsonReader,
  memberPath,
  optionalInt,
  optionalLong,
  optionalMember,
  requireArray,
  requireInt,
  requireLong,
  requireMember,
  requireObject,
  requireString,
} from "../base/json-read.ts";
import { ChunkedList } from "./chunked-list.ts";
import { parseEncryptionKey } from "./encryption-key.ts";
import { modelInvalid } from "./errors.ts";
import { layoutOf } from "./layout.ts";
import {
  type FormatVersion,
  MAX_FORMAT_VERSION,
  ROW_LINEAGE_VERSION,
  SEQUENCE_NUMBERS_VERSION,
  stripTrailingSlash,
  type TableMetadata,
} from "./model.ts";
import {
  checkSpec,
  lastPartitionId,
  makePartitionSpec,
  type PartitionSpec,
  parsePartitionFields,
  parsePartitionSpec,
} from "./partition-spec.ts";
import { parseSchema, type Schema } from "./schema.ts";
import { parseMetadataLogEntry, parseSnapshot, parseSnapshotLogEntry } from "./snapshot.ts";
import { SnapshotList } from "./snapshot-list.ts";
import {
  MAIN_BRANCH,
  makeSnapshotRef,
  parseSnapshotRef,
  type SnapshotRef,
} from "./snapshot-ref.ts";
import {
  checkOrder,
  makeSortOrder,
  parseSortOrder,
  type SortOrder,
  UNSORTED_ORDER_ID,
} from "./sort-order.ts";
import { parsePartitionStatisticsFile, parseStatisticsFile } from "./statistics.ts";
import { asUuid } from "./uuid.ts";

/** Lists and maps, which print from their parts; every other member prints as it was read. */
const MODELLED: ReadonlySet<string> = new Set([
  "schemas",
  "partition-specs",
  "sort-orders",
  "properties",
  "encryption-keys",
  "refs",
  "snapshots",
  "statistics",
  "partition-statistics",
  "snapshot-log",
  "metadata-log",
]);

/**
 * The model of a metadata file of format version 1, 2 or 3, checked part by part; what holds
 * between the parts is `checkMetadata`'s.
 *
 * @throws FirnError `Invalid`, of many codes.
 */
export function readTableMetadata(object: JsonObject): TableMetadata {
  const formatVersion = readFormatVersion(object);
  const { schemas, currentSchemaId, schema } = readSchemas(object, formatVersion);
  const { specs, defaultSpecId } = readSpecs(object, formatVersion, schema);
  const { sortOrders, defaultSortOrderId } = readSortOrders(object, formatVersion, schema);
  const current = optionalLong(object, "current-snapshot-id");
  const currentSnapshotId = current === undefined || current === -1n ? undefined : current;
  const uuid = optionalMember(object, "table-uuid", asUuid);
  if (uuid === undefined && formatVersion > 1) throw missing("table-uuid", formatVersion);
  return {
    formatVersion,
    uuid,
    location: stripTrailingSlash(requireString(object, "location")),
    lastSequenceNumber:
      formatVersion < SEQUENCE_NUMBERS_VERSION ? 0n : requireLong(object, "last-sequence-number"),
    lastUpdatedMs: requireMember(object, "last-updated-ms", asMillis),
    lastColumnId: requireInt(object, "last-column-id"),
    currentSchemaId,
    schemas,
    defaultSpecId,
    specs,
    lastPartitionId: readLastPartitionId(object, formatVersion, specs),
    defaultSortOrderId,
    sortOrders,
    properties: optionalMember(object, "properties", asStringMap) ?? new Map(),
    currentSnapshotId,
    nextRowId: formatVersion < ROW_LINEAGE_VERSION ? 0n : requireLong(object, "next-row-id"),
    encryptionKeys: list(object, "encryption-keys", parseEncryptionKey),
    refs: readRefs(object, currentSnapshotId),
    snapshots: SnapshotList.of(list(object, "snapshots", parseSnapshot)),
    statistics: list(object, "statistics", parseStatisticsFile),
    partitionStatistics: list(object, "partition-statistics", parsePartitionStatisticsFile),
    snapshotLog: ChunkedList.of(list(object, "snapshot-log", parseSnapshotLogEntry)),
    metadataLog: ChunkedList.of(list(object, "metadata-log", parseMetadataLogEntry)),
    layout: layoutOf(object, MODELLED),
  };
}

function list<T>(
  object: JsonObject,
  name: string,
  parse: (element: JsonObject, at: string) => T,
): readonly T[] {
  const read: JsonReader<T> = (value, at) => parse(asObject(value, at), at);
  return optionalMember(object, name, arrayOf(read)) ?? [];
}

function missing(name: string, formatVersion: number): Error {
  return modelInvalid("METADATA_INVALID", `${name} is required in this format version`, {
    path: name,
    formatVersion,
  });
}

function readFormatVersion(object: JsonObject): FormatVersion {
  const version = requireInt(object, "format-version");
  if (version < 1 || version > MAX_FORMAT_VERSION) {
    throw modelInvalid("FORMAT_VERSION_INVALID", "unsupported format version", { version });
  }
  return version as FormatVersion;
}

function readSchemas(
  object: JsonObject,
  formatVersion: FormatVersion,
): { readonly schemas: readonly Schema[]; readonly currentSchemaId: number; schema: Schema } {
  const schemas = list(object, "schemas", parseSchema);
  if (schemas.length === 0) {
    if (formatVersion > 1) throw missing("schemas", formatVersion);
    // The only schema of an old table has no id there; the list that replaces it needs one.
    const only = { "schema-id": 0, ...requireObject(object, "schema") };
    const schema = parseSchema(only, "schema");
    return { schemas: [schema], currentSchemaId: schema.schemaId, schema };
  }
  checkDistinct(
    schemas.map((schema) => schema.schemaId),
    "schemas",
  );
  const currentSchemaId = requireInt(object, "current-schema-id");
  const schema = schemas.find((candidate) => candidate.schemaId === currentSchemaId);
  if (schema === undefined) {
    throw modelInvalid("METADATA_INVALID", "current schema does not exist", { currentSchemaId });
  }
  return { schemas, currentSchemaId, schema };
}

function readSpecs(
  object: JsonObject,
  formatVersion: FormatVersion,
  schema: Schema,
): { readonly specs: readonly PartitionSpec[]; readonly defaultSpecId: number } {
  const specs = list(object, "partition-specs", parsePartitionSpec);
  if (specs.length === 0) {
    if (formatVersion > 1) throw missing("partition-specs", formatVersion);
    const fields = requireArray(object, "partition-spec");
    const only = makePartitionSpec(0, parsePartitionFields(fields, "partition-spec"));
    checkSpec(only, schema);
    return { specs: [only], defaultSpecId: 0 };
  }
  checkDistinct(
    specs.map((spec) => spec.specId),
    "partition-specs",
  );
  const defaultSpecId = requireInt(object, "default-spec-id");
  const spec = specs.find((candidate) => candidate.specId === defaultSpecId);
  if (spec === undefined) {
    throw modelInvalid("METADATA_INVALID", "default partition spec does not exist", {
      defaultSpecId,
    });
  }
  checkSpec(spec, schema);
  return { specs, defaultSpecId };
}

function readSortOrders(
  object: JsonObject,
  formatVersion: FormatVersion,
  schema: Schema,
): { readonly sortOrders: readonly SortOrder[]; readonly defaultSortOrderId: number } {
  const sortOrders = list(object, "sort-orders", parseSortOrder);
  if (sortOrders.length === 0) {
    if (formatVersion > 1) throw missing("sort-orders", formatVersion);
    const unsorted = makeSortOrder(UNSORTED_ORDER_ID, []);
    return { sortOrders: [unsorted], defaultSortOrderId: UNSORTED_ORDER_ID };
  }
  checkDistinct(
    sortOrders.map((order) => order.orderId),
    "sort-orders",
  );
  const defaultSortOrderId = requireInt(object, "default-sort-order-id");
  const order = sortOrders.find((candidate) => candidate.orderId === defaultSortOrderId);
  if (order === undefined) {
    throw modelInvalid("METADATA_INVALID", "default sort order does not exist", {
      defaultSortOrderId,
    });
  }
  checkOrder(order, schema);
  return { sortOrders, defaultSortOrderId };
}

function readLastPartitionId(
  object: JsonObject,
  formatVersion: FormatVersion,
  specs: readonly PartitionSpec[],
): number {
  const id = optionalInt(object, "last-partition-id");
  if (id !== undefined) return id;
  if (formatVersion > 1) throw missing("last-partition-id", formatVersion);
  return specs.reduce((last, spec) => Math.max(last, lastPartitionId(spec)), 0);
}

/** References in the file's order; older files have none, and their current snapshot is main's. */
function readRefs(
  object: JsonObject,
  currentSnapshotId: bigint | undefined,
): ReadonlyMap<string, SnapshotRef> {
  const refs = optionalMember(object, "refs", asObject);
  if (refs !== undefined) {
    return new Map(
      jsonKeys(refs).map((name) => {
        const at = memberPath("refs", name);
        return [name, parseSnapshotRef(asObject(refs[name], at), at)];
      }),
    );
  }
  if (currentSnapshotId === undefined) return new Map();
  const main = makeSnapshotRef({
    snapshotId: currentSnapshotId,
    type: "branch",
    minSnapshotsToKeep: undefined,
    maxSnapshotAgeMs: undefined,
    maxRefAgeMs: undefined,
  });
  return new Map([[MAIN_BRANCH, main]]);
}

function checkDistinct(ids: readonly number[], path: string): void {
  if (new IdSet(ids).size !== ids.length) {
    throw modelInvalid("METADATA_INVALID", "duplicate id", { path });
  }
}
