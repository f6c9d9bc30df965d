import { reservedId } from "../../../sql/catalog/reserved.ts";
import { hashedOid } from "../../../sql/catalog/system/object-oids.ts";
import type { VirtualColumn } from "../../../sql/catalog/virtual.ts";
import { OID } from "../../../sql/types/oids.ts";

/** Types of columns, as the lake's formats spell them; `json` is shown as `jsonb`. */
export type SystemType = "uuid" | "string" | "int" | "long" | "boolean" | "timestamptz" | "json";

const TYPES: Readonly<Record<SystemType, number>> = {
  uuid: OID.uuid,
  string: OID.text,
  int: OID.int4,
  long: OID.int8,
  boolean: OID.bool,
  timestamptz: OID.timestamptz,
  json: OID.jsonb,
};

/** A column: its name, its type, and what it holds. */
export type SystemColumn = readonly [name: string, type: SystemType, holds: string];

export interface SystemTable {
  readonly name: string;
  /** The last digits of its reserved id. */
  readonly number: number;
  readonly holds: string;
  /** Needed on the account to read it at all; absent: it shows what may be seen. */
  readonly needs?: "read-metadata";
  readonly columns: readonly SystemColumn[];
}

const AUDITED: readonly SystemColumn[] = [
  ["created_at", "timestamptz", "when it was made"],
  ["updated_at", "timestamptz", "when this version was written"],
  ["updated_by", "string", "the principal that wrote it"],
  ["version", "long", "the version of its pointer"],
];

/** The system tables; `docs/sql.md` is tested against them. */
export const SYSTEM_TABLES: readonly SystemTable[] = [
  {
    name: "_uuids",
    number: 0,
    holds: "ids by name",
    columns: [
      ["id", "uuid", "the id"],
      ["kind", "string", "`project`, `dataset`, `table` or `view`"],
      ["name", "string", "its name"],
      ["full_name", "string", "its name behind those above it, joined with dots"],
      ["parent_id", "uuid", "the id of what it lies in"],
    ],
  },
  {
    name: "_projects",
    number: 1,
    holds: "catalogs",
    columns: [
      ["id", "uuid", "the catalog's id"],
      ["name", "string", "its name"],
      ["owner_id", "uuid", "the principal that owns it"],
      ["protected", "boolean", "whether it refuses to be dropped"],
      ["description", "string", "its description"],
      ["default_location", "string", "where its tables lie unless told otherwise"],
      ["properties", "json", "its properties"],
      ...AUDITED,
    ],
  },
  {
    name: "_datasets",
    number: 2,
    holds: "namespaces",
    columns: [
      ["id", "uuid", "the namespace's id"],
      ["name", "string", "its levels, joined with dots"],
      ["project_id", "uuid", "its catalog"],
      ["parent_id", "uuid", "the namespace or catalog around it"],
      ["owner_id", "uuid", "the principal that owns it"],
      ["protected", "boolean", "whether it refuses to be dropped"],
      ["description", "string", "its description"],
      ["properties", "json", "its properties"],
      ...AUDITED,
    ],
  },
  {
    name: "_tables",
    number: 3,
    holds: "tables and views",
    columns: [
      ["id", "uuid", "the id"],
      ["name", "string", "its name"],
      ["project_id", "uuid", "its catalog"],
      ["dataset_id", "uuid", "its namespace"],
      ["kind", "string", "`table` or `view`"],
      ["format", "string", "`ICEBERG`, `ROW`, `DELTA`, `HUDI`, `OTHER`, `SYSTEM`"],
      ["owner_id", "uuid", "the principal that owns it"],
      ["protected", "boolean", "whether it refuses to be dropped"],
      ["description", "string", "its description"],
      ["location", "string", "where its files lie"],
      ["metadata_location", "string", "the current metadata file of an Iceberg table or view"],
      ["current_snapshot_id", "long", "the snapshot that `main` names"],
      ["columns", "json", "names, types and nullability, of other formats than Iceberg"],
      ["properties", "json", "its properties"],
      ...AUDITED,
    ],
  },
  {
    name: "_pointers",
    number: 4,
    holds: "canonical pointers of catalogs, namespaces, tables and views",
    columns: [
      ["entity_id", "uuid", "what it leads to"],
      ["kind", "string", "`project`, `dataset`, `table` or `view`"],
      ["key", "string", "its key"],
      ["version", "long", "its version"],
      ["payload", "string", "the path of its payload"],
      ["revision", "string", "the revision that wrote the payload"],
    ],
  },
  {
    name: "_relations",
    number: 5,
    holds: "key spaces of row tables",
    columns: [
      ["table_id", "uuid", "the row table"],
      ["project_id", "uuid", "its catalog, which has one shard"],
      ["relation", "long", "the number that its keys begin with"],
      ["schema_version", "int", "the version of its columns"],
      ["indexes", "int", "how many indexes it has beside its key"],
      ["estimated_rows", "long", "rows, about"],
      ["estimated_bytes", "long", "their bytes, about"],
    ],
  },
  {
    name: "_indexes",
    number: 6,
    holds: "keys and indexes of row tables",
    columns: [
      ["table_id", "uuid", "the row table"],
      ["index_id", "int", "the number of the index; 0 is the primary key"],
      ["name", "string", "its name"],
      ["is_primary", "boolean", "whether it is the primary key"],
      ["is_unique", "boolean", "whether its keys are unique"],
      ["state", "string", "`backfilling`, `validating`, `public` or `dropping`"],
      ["columns", "json", "its columns and expressions, in order"],
      ["included", "json", "columns that its entries hold beside"],
      ["predicate", "string", "the condition of a partial index"],
    ],
  },
  {
    name: "_jobs",
    number: 7,
    holds: "background jobs",
    needs: "read-metadata",
    columns: [
      ["id", "string", "the job's id"],
      ["kind", "string", "what it does"],
      ["subject_kind", "string", "the kind of what it is about"],
      ["subject_id", "string", "the id of what it is about"],
      ["step", "string", "where it stands"],
      ["due_at", "timestamptz", "not before this time"],
      ["held_until", "timestamptz", "until when a node works at it"],
      ["tries", "int", "how often it was taken up since it last came further"],
      ["failures", "int", "what it had to leave undone"],
      ["last_error", "string", "the text of its last failure"],
      ["done", "long", "things that are done"],
      ["total", "long", "of how many"],
      ["ended_at", "timestamptz", "when it was over"],
    ],
  },
  {
    name: "_stats",
    number: 8,
    holds: "sizes of tables",
    columns: [
      ["table_id", "uuid", "the table"],
      ["snapshot_id", "long", "the snapshot that the figures are of; NULL of a row table"],
      ["records", "long", "rows; of a row table about"],
      ["bytes", "long", "bytes of the data; of a row table about"],
      ["data_files", "long", "data files"],
      ["delete_files", "long", "delete files"],
      ["is_estimate", "boolean", "whether the figures are estimates"],
    ],
  },
  {
    name: "_snapshots",
    number: 9,
    holds: "snapshots of Iceberg and Delta tables",
    columns: [
      ["table_id", "uuid", "the table"],
      ["snapshot_id", "long", "the snapshot"],
      ["parent_snapshot_id", "long", "the one before it"],
      ["sequence_number", "long", "its sequence number"],
      ["committed_at", "timestamptz", "when it was committed"],
      ["operation", "string", "`append`, `overwrite` and others"],
      ["schema_id", "int", "the schema that it was written by"],
      ["is_current", "boolean", "whether `main` names it"],
      ["manifest_list", "string", "the location of its manifest list"],
      ["summary", "json", "what its writer says of it"],
    ],
  },
  {
    name: "_changes",
    number: 10,
    holds: "changes of the catalog, the newest first, as long as the history is kept",
    needs: "read-metadata",
    columns: [
      ["id", "string", "the change's id"],
      ["time", "timestamptz", "when it was made"],
      ["principal", "string", "who made it"],
      ["request_id", "string", "by which request"],
      ["operation", "string", "what was done"],
      ["key", "string", "the pointer that it changed, without the account"],
      ["version_from", "long", "its version before; 0: it was made"],
      ["version_to", "long", "its version after"],
      ["deleted", "boolean", "whether the pointer was deleted"],
    ],
  },
];

/** The reserved id of a system table. */
export function idOf({ number }: SystemTable): string {
  return reservedId(number);
}

/** As the catalog of a database shows it. */
export function oidOf(table: SystemTable): number {
  return hashedOid("relation", idOf(table));
}

export function columnsOf({ columns }: SystemTable): readonly VirtualColumn[] {
  return columns.map(([name, type]) => ({ name, oid: TYPES[type] }));
}
