import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Parameters, Schema } from "./operation.ts";
import type { Page } from "./resources.ts";
import {
  COUNT,
  FLAG,
  INT64,
  listOf,
  object,
  oneOf,
  PAGE,
  PROPERTIES,
  pageOf,
  TEXT,
  TIME,
} from "./schema.ts";

/** Files of one kind. */
export interface FilesOfKind {
  readonly files: number;
  readonly bytes: string;
  /** Of delete files: rows that they delete, or values that they delete by. */
  readonly rows: string;
}

/** Data files of a range of sizes: from `fromBytes` to below `toBytes`, which the last lacks. */
export interface SizeRange {
  readonly fromBytes: string;
  readonly toBytes?: string;
  readonly files: number;
  readonly bytes: string;
}

export interface PartitionLayout extends FilesOfKind {
  readonly specId: number;
  /** A text for each field, or null. */
  readonly values: readonly { readonly name: string; readonly value: string | null }[];
  readonly deleteFiles: number;
}

/** How the files of a snapshot lie. */
export interface Layout {
  readonly snapshotId: string;
  readonly timestamp: string;
  /** False: more manifests than one request reads. Ask again: it goes on from there. */
  readonly complete: boolean;
  readonly manifests: {
    readonly count: number;
    readonly read: number;
    readonly ofDeletes: number;
    readonly bytes: string;
  };
  readonly data: FilesOfKind;
  readonly positionDeletes: FilesOfKind;
  readonly equalityDeletes: FilesOfKind;
  readonly deletionVectors: FilesOfKind;
  readonly sizes: readonly SizeRange[];
  readonly formats: readonly { readonly format: string; readonly files: number }[];
  readonly partitionCount: number;
  /** Some partitions are not told apart: there are more than 10,000. */
  readonly morePartitions: boolean;
  /** The 1,000 that take the most bytes, the largest first. */
  readonly partitions: readonly PartitionLayout[];
}

/** What the manifests of a snapshot tell of one column. */
export interface ColumnFigures {
  readonly fieldId: number;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Files that tell of the column. */
  readonly files: number;
  readonly bytes: string;
  readonly values: string;
  readonly nulls: string;
  readonly nans: string;
  readonly lower?: string;
  readonly upper?: string;
}

export interface HealthFinding {
  readonly code: string;
  readonly severity: "advice" | "warning";
  readonly message: string;
  readonly advice: string;
  readonly facts: Readonly<Record<string, string>>;
}

export interface Health {
  readonly snapshotId?: string;
  readonly complete: boolean;
  readonly snapshots: number;
  readonly metadataBytes: string;
  readonly findings: readonly HealthFinding[];
}

export interface SnapshotQuery {
  readonly snapshot?: string;
}

type OfTable = "catalog" | "namespace" | "table";

export interface LayoutOperations {
  getLayout: Asks<OfTable, SnapshotQuery, undefined, Layout>;
  listColumnFigures: Asks<
    OfTable,
    SnapshotQuery & PageQuery,
    undefined,
    Page<ColumnFigures> & { readonly complete: boolean }
  >;
  getHealth: Asks<OfTable, object, undefined, Health>;
}

const AT_TABLE = "/catalogs/{catalog}/namespaces/{namespace}/tables/{table}";
const SNAPSHOT_ID: Parameters = {
  snapshot: { ...INT64, description: "A snapshot id; absent: the current snapshot" },
};
const COMPLETE: Schema = {
  ...FLAG,
  description: "False: more manifests than one request reads. Ask again to read on",
};

const FILES = { files: COUNT, bytes: INT64, rows: INT64 };
const VALUE = object({ name: TEXT, value: { type: ["string", "null"] } });
const PARTITION = object({
  specId: { type: "integer" },
  values: listOf(VALUE),
  ...FILES,
  deleteFiles: COUNT,
});

const LAYOUT: Schema = object({
  snapshotId: INT64,
  timestamp: TIME,
  complete: COMPLETE,
  manifests: object({ count: COUNT, read: COUNT, ofDeletes: COUNT, bytes: INT64 }),
  data: object(FILES),
  positionDeletes: object(FILES),
  equalityDeletes: object(FILES),
  deletionVectors: object(FILES),
  sizes: listOf(object({ fromBytes: INT64, files: COUNT, bytes: INT64 }, { toBytes: INT64 })),
  formats: listOf(object({ format: TEXT, files: COUNT })),
  partitionCount: COUNT,
  morePartitions: FLAG,
  partitions: listOf(PARTITION),
});

const COLUMN: Schema = object(
  {
    fieldId: { type: "integer" },
    name: TEXT,
    type: TEXT,
    required: FLAG,
    files: COUNT,
    bytes: INT64,
    values: INT64,
    nulls: INT64,
    nans: INT64,
  },
  { lower: TEXT, upper: TEXT },
);
const COLUMNS = pageOf(COLUMN);

const FINDING = object({
  code: oneOf(
    "SMALL_FILES",
    "MANY_DELETES",
    "OLD_SNAPSHOTS",
    "METADATA_GROWTH",
    "MANY_MANIFESTS",
    "UNREADABLE_FILES",
  ),
  severity: oneOf("advice", "warning"),
  message: TEXT,
  advice: TEXT,
  facts: PROPERTIES,
});

const tag = "layout";

/** What the manifests of an Iceberg table tell. */
export const LAYOUT_OPERATIONS: Readonly<Record<keyof LayoutOperations, ApiOperation>> = {
  getLayout: {
    method: "GET",
    template: `${AT_TABLE}/layout`,
    tag,
    summary: "Show how the files of a snapshot lie: sizes, partitions, deletes",
    needs: ["read-metadata"],
    query: SNAPSHOT_ID,
    status: 200,
    answer: LAYOUT,
  },
  listColumnFigures: {
    method: "GET",
    template: `${AT_TABLE}/columns`,
    tag,
    summary: "List columns with their sizes, counts and bounds in a snapshot",
    needs: ["read-metadata"],
    query: { ...SNAPSHOT_ID, ...PAGE },
    status: 200,
    answer: {
      ...COLUMNS,
      required: ["items", "complete"],
      properties: { ...(COLUMNS["properties"] as object), complete: COMPLETE },
    },
  },
  getHealth: {
    method: "GET",
    template: `${AT_TABLE}/health`,
    tag,
    summary: "Check a table's files, snapshots and metadata, with advice",
    needs: ["read-metadata"],
    status: 200,
    answer: object(
      { complete: COMPLETE, snapshots: COUNT, metadataBytes: INT64, findings: listOf(FINDING) },
      { snapshotId: INT64 },
    ),
  },
};
