import { type JsonValue, printJson } from "../base/json.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { layoutSteps, type Member, printedMap } from "./layout.ts";
import { checkMetadata } from "./metadata-check.ts";
import { parseMetadataFile } from "./metadata-file.ts";
import { readTableMetadata } from "./metadata-read.ts";
import { currentSchema, defaultSpec, ROW_LINEAGE_VERSION, type TableMetadata } from "./model.ts";
import { partitionFieldsToJson } from "./partition-spec.ts";

/**
 * Parses and checks the text of a metadata file of format version 1, 2 or 3. Printing it again
 * gives the same members in the same order, unknown ones included, white space aside.
 *
 * @throws FirnError `Invalid` `METADATA_INVALID`; context `reason`, and `cause` holds the code
 * of the part that was refused.
 */
export function parseTableMetadata(text: string): TableMetadata {
  return parseMetadataFile(text, (object) => {
    const metadata = readTableMetadata(object);
    checkMetadata(metadata);
    return metadata;
  });
}

/**
 * Compact JSON of table metadata in UTF-8, fit to be spliced into a larger text: pieces that belong
 * one behind the other, those of an unchanged history shared with whatever it was printed for
 * before. Costs what was never printed before; of the rest, a look at each part.
 */
export function* printTableSteps(metadata: TableMetadata): Steps<readonly Uint8Array[]> {
  return yield* layoutSteps(metadata.layout, (name) => tableMember(metadata, name));
}

/** As `printTableSteps`, at once. */
export function printTableMetadata(metadata: TableMetadata): readonly Uint8Array[] {
  return atOnce(printTableSteps(metadata));
}

/** A member as the model has it, undefined where it is left out. */
export function tableMember(m: TableMetadata, name: string): Member {
  switch (name) {
    case "schema":
      return currentSchema(m)?.fragment.textSteps();
    case "schemas":
      return m.schemas;
    case "partition-spec":
      return printJson(partitionFieldsToJson(defaultSpec(m)?.fields ?? []));
    case "partition-specs":
      return m.specs;
    case "sort-orders":
      return m.sortOrders;
    case "properties":
      return printedMap(m.properties, printJson);
    case "encryption-keys":
      return m.encryptionKeys.length === 0 ? undefined : m.encryptionKeys;
    case "refs":
      return printedMap(m.refs, (ref) => ref.fragment.text);
    case "snapshots":
      return m.snapshots.items;
    case "statistics":
      return m.statistics;
    case "partition-statistics":
      return m.partitionStatistics;
    case "snapshot-log":
      return m.snapshotLog;
    case "metadata-log":
      return m.metadataLog;
    default: {
      const scalar = scalarMember(m, name);
      return scalar === undefined ? undefined : printJson(scalar);
    }
  }
}

function scalarMember(m: TableMetadata, name: string): JsonValue | undefined {
  switch (name) {
    case "format-version":
      return m.formatVersion;
    case "table-uuid":
      return m.uuid;
    case "location":
      return m.location;
    case "last-sequence-number":
      return m.lastSequenceNumber;
    case "last-updated-ms":
      return m.lastUpdatedMs;
    case "last-column-id":
      return m.lastColumnId;
    case "current-schema-id":
      return m.currentSchemaId;
    case "default-spec-id":
      return m.defaultSpecId;
    case "last-partition-id":
      return m.lastPartitionId;
    case "default-sort-order-id":
      return m.defaultSortOrderId;
    case "current-snapshot-id":
      // Readers of older versions know -1, not null, for a table without a snapshot.
      return m.currentSnapshotId ?? (m.formatVersion < ROW_LINEAGE_VERSION ? -1 : null);
    case "next-row-id":
      return m.nextRowId;
    default:
      return undefined;
  }
}
