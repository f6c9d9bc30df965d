import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import type { Page, Properties } from "./resources.ts";
import { FLAG, INT64, object, oneOf, PAGE, PROPERTIES, pageOf, TEXT, TIME } from "./schema.ts";

export type TargetKind = "TABLE" | "COLUMN" | "EXPRESSION" | "FILE";

/** What statistics are about. */
export type StatsTarget =
  | { readonly kind: "TABLE" }
  | { readonly kind: "COLUMN"; readonly fieldId: number }
  | { readonly kind: "EXPRESSION"; readonly engine: string; readonly expression: string }
  | { readonly kind: "FILE"; readonly path: string };

/** Number of distinct values: exact, or an estimate with its relative error and its sketch. */
export interface DistinctValues {
  readonly count: string;
  readonly exact: boolean;
  readonly error?: number;
  readonly theta?: string;
}

interface Measures {
  readonly target: StatsTarget;
  readonly rowCount?: string;
  readonly nullCount?: string;
  readonly nanCount?: string;
  readonly min?: string;
  readonly max?: string;
  readonly averageWidth?: number;
  readonly distinct?: DistinctValues;
  readonly histogram?: string;
  readonly kll?: string;
}

/** Statistics of one target, as a producer gives them. */
export interface GivenStats extends Measures {
  readonly producer?: string;
  readonly complete?: boolean;
  readonly coverage?: number;
  readonly properties?: Properties;
}

/** Statistics of one target in one snapshot, as they are stored. */
export interface Stats extends Measures {
  readonly id: string;
  readonly snapshotId: string;
  readonly version: string;
  readonly etag: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
  readonly producer: string;
  readonly complete: boolean;
  readonly coverage?: number;
  readonly properties: Properties;
}

/** What a put came to for one target. */
export interface StatsPut {
  readonly id: string;
  readonly version: string;
  readonly etag: string;
  /** False where it said the same already. */
  readonly changed: boolean;
}

type At = "catalog" | "namespace" | "table" | "snapshot";

export interface StatisticsOperations {
  listStats: Asks<At, PageQuery & { readonly kind?: TargetKind }, undefined, Page<Stats>>;
  putStats: Asks<At, object, GivenStats, StatsPut>;
  putStatsBatch: Asks<At, object, readonly GivenStats[], readonly StatsPut[]>;
  getStats: Asks<At | "target", object, undefined, Stats>;
  deleteStats: Asks<At | "target", object, undefined, undefined>;
  listFileStats: Asks<At, PageQuery, undefined, Page<Stats>>;
  getFileStats: Asks<At, { readonly path: string }, undefined, Stats>;
}

const SNAPSHOT = "/catalogs/{catalog}/namespaces/{namespace}/tables/{table}/snapshots/{snapshot}";
const STATS_AT = `${SNAPSHOT}/stats`;
const ONE = `${STATS_AT}/{target}`;
const tag = "statistics";

const KIND: Schema = oneOf("TABLE", "COLUMN", "EXPRESSION", "FILE");
const FILE_PATH: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 4_096,
  description: "The path of a data file, as the table's metadata has it",
};
const ENGINE: Schema = { type: "string", pattern: "^[a-z0-9_]{1,64}$" };
const EXPRESSION: Schema = { type: "string", minLength: 1, maxLength: 65_536 };
const FIELD_ID: Schema = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const TARGET: Schema = {
  anyOf: [
    object({ kind: oneOf("TABLE") }),
    object({ kind: oneOf("COLUMN"), fieldId: FIELD_ID }),
    object({ kind: oneOf("EXPRESSION"), engine: ENGINE, expression: EXPRESSION }),
    object({ kind: oneOf("FILE"), path: FILE_PATH }),
  ],
};
const AMOUNT: Schema = {
  type: "string",
  pattern: "^(0|[1-9][0-9]{0,18})$",
  description: "A 64-bit integer in decimal digits, not negative",
};
const MEASURE: Schema = { type: "number", minimum: 0 };
const SHARE: Schema = { type: "number", minimum: 0, maximum: 1 };
const BOUND: Schema = {
  type: "string",
  maxLength: 65_536,
  description: "JSON text, in the form that Iceberg gives single values",
};
const BYTES: Schema = { type: "string", maxLength: 700_000, description: "Bytes in base64" };

const MEASURES: Readonly<Record<string, Schema>> = {
  rowCount: AMOUNT,
  nullCount: AMOUNT,
  nanCount: AMOUNT,
  min: BOUND,
  max: BOUND,
  averageWidth: MEASURE,
  distinct: object({ count: AMOUNT, exact: FLAG }, { error: MEASURE, theta: BYTES }),
  histogram: { type: "string", maxLength: 700_000, description: "JSON text" },
  kll: BYTES,
};

const GIVEN: Schema = object(
  { target: TARGET },
  {
    ...MEASURES,
    producer: { type: "string", maxLength: 255 },
    complete: FLAG,
    coverage: SHARE,
    properties: PROPERTIES,
  },
);

export const STATS: Schema = object(
  {
    id: TEXT,
    snapshotId: INT64,
    version: INT64,
    etag: TEXT,
    updatedAt: TIME,
    updatedBy: TEXT,
    target: TARGET,
    producer: TEXT,
    complete: FLAG,
    properties: PROPERTIES,
  },
  { ...MEASURES, coverage: SHARE },
);

const PUT: Schema = object({ id: TEXT, version: INT64, etag: TEXT, changed: FLAG });

export const STATISTICS_OPERATIONS: Readonly<Record<keyof StatisticsOperations, ApiOperation>> = {
  listStats: {
    method: "GET",
    template: STATS_AT,
    tag,
    summary: "List the statistics of a snapshot",
    needs: ["read-metadata"],
    query: { ...PAGE, kind: { ...KIND, description: "Of these targets alone" } },
    status: 200,
    answer: pageOf(STATS),
  },
  putStats: {
    method: "PUT",
    template: STATS_AT,
    tag,
    summary: "Put the statistics of a target, also before its snapshot is there",
    needs: ["write-data"],
    body: GIVEN,
    status: 200,
    answer: PUT,
    once: true,
  },
  putStatsBatch: {
    method: "POST",
    template: `${STATS_AT}:batch`,
    tag,
    summary: "Put the statistics of many targets, one in a line",
    needs: ["write-data"],
    body: GIVEN,
    lines: true,
    status: 200,
    answer: PUT,
    once: true,
  },
  getStats: {
    method: "GET",
    template: ONE,
    tag,
    summary: "Get the statistics of a target, by its id",
    needs: ["read-metadata"],
    status: 200,
    answer: STATS,
    conditional: "read",
  },
  deleteStats: {
    method: "DELETE",
    template: ONE,
    tag,
    summary: "Delete the statistics of a target",
    needs: ["write-data"],
    status: 204,
    conditional: "write",
    once: true,
  },
  listFileStats: {
    method: "GET",
    template: `${SNAPSHOT}/file-stats`,
    tag,
    summary: "List the statistics of files, by path",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(STATS),
  },
  getFileStats: {
    method: "GET",
    template: `${SNAPSHOT}/file-stats:resolve`,
    tag,
    summary: "Get the statistics of a file, by its path",
    needs: ["read-metadata"],
    query: { path: FILE_PATH },
    required: ["path"],
    status: 200,
    answer: STATS,
    conditional: "read",
  },
};
