import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import { FENCE, KEY_TEXT } from "./pattern-schema.ts";
import { JOB, type Job } from "./resources.ts";
import { FLAG, listOf, NAME, object, oneOf, PAGE } from "./schema.ts";

/** A row, or part of one: values by the names of columns. */
export type JsonRow = Readonly<Record<string, unknown>>;

export interface GetRows {
  readonly keys: readonly JsonRow[];
  readonly columns?: readonly string[];
  readonly versions?: boolean;
}

interface JsonBound {
  readonly value: unknown;
  readonly inclusive?: boolean;
}

export interface ScanRows {
  readonly index?: string;
  readonly equal?: readonly unknown[];
  readonly lower?: JsonBound;
  readonly upper?: JsonBound;
  readonly reverse?: boolean;
  readonly columns?: readonly string[];
  readonly versions?: boolean;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** A write of a row that has to be what it was when it was read. */
interface Conditional {
  /** The version that a read answered. */
  readonly ifVersion?: string;
}

export type RowWrite =
  | { readonly op: "insert"; readonly row: JsonRow; readonly onConflict?: "error" | "nothing" }
  | ({ readonly op: "put"; readonly row: JsonRow } & Conditional)
  | ({ readonly op: "update"; readonly key: JsonRow; readonly set: JsonRow } & Conditional)
  | ({ readonly op: "delete"; readonly key: JsonRow } & Conditional);

/** A lease that has to be held still: one of a table in the namespace of the rows. */
export interface RequiredFence {
  readonly table: string;
  readonly name: string;
  readonly fence: string;
}

export interface WriteRows {
  readonly writes: readonly RowWrite[];
  readonly fences?: readonly RequiredFence[];
  readonly isolation?: "serializable" | "repeatable read" | "read committed";
  readonly returning?: boolean;
}

/** The name of a shard of the catalog. */
export interface MoveTable {
  readonly shard: string;
}

export interface FoundRows {
  readonly rows: readonly (JsonRow | null)[];
  /** With `versions`: of each row, in their order; null where there is none. */
  readonly versions?: readonly (string | null)[];
}

export interface RowPage {
  readonly rows: readonly JsonRow[];
  /** With `versions`: of each row, in their order. */
  readonly versions?: readonly string[];
  readonly nextPageToken?: string;
}

export interface WrittenRow {
  /** False where there was no such row, or one that an insert left as it is. */
  readonly changed: boolean;
  /** With `returning`: the row as it is now, or was before its deletion. */
  readonly row?: JsonRow;
}

/** Absent: all indexes of the table. */
export interface CheckRows {
  readonly index?: string;
}

/** How an index agrees with the rows of one state. */
export interface CheckedIndex {
  readonly index: string;
  readonly rows: number;
  readonly entries: number;
  /** Rows without their entry. */
  readonly missing: number;
  /** Entries without a row. */
  readonly extra: number;
  /** Entries with a value that is not their row's. */
  readonly wrong: number;
}

export interface CheckedIndexes {
  /** Before a repair. */
  readonly indexes: readonly CheckedIndex[];
  readonly agrees: boolean;
}

type At = "catalog" | "namespace" | "table";

export interface RowOperations {
  getRows: Asks<At, object, GetRows, FoundRows>;
  scanRows: Asks<At, object, ScanRows, RowPage>;
  writeRows: Asks<At, object, WriteRows, { readonly results: readonly WrittenRow[] }>;
  checkRows: Asks<At, object, CheckRows, CheckedIndexes>;
  repairRows: Asks<At, object, CheckRows, CheckedIndexes>;
  moveTable: Asks<At, object, MoveTable, Job>;
}

const ROWS = "/catalogs/{catalog}/namespaces/{namespace}/tables/{table}/rows";
const tag = "rows";

const ROW: Schema = {
  type: "object",
  description:
    "Values by the names of columns: booleans, int2, int4 and finite floats as in JSON, json and " +
    "jsonb as they are, arrays as arrays, all other types as PostgreSQL's text",
};
const COLUMNS: Schema = {
  type: "array",
  items: NAME,
  minItems: 1,
  maxItems: 1_600,
  description: "Only these; absent: all",
};
const KEY: Schema = { ...ROW, description: "Values of the columns of the primary key" };
const VERSION: Schema = {
  type: "string",
  maxLength: 64,
  description: "Changes with any value of the row, and comes back with them",
};
const IF_VERSION: Schema = {
  ...VERSION,
  description: "409 `ROW_CHANGED` unless the row has this version: needs read-data",
};
const VERSIONS: Schema = { ...FLAG, description: "Answers with the version of each row, too" };
const BOUND: Schema = object({ value: {} }, { inclusive: FLAG });
const WRITE: Schema = {
  anyOf: [
    object({ op: oneOf("insert"), row: ROW }, { onConflict: oneOf("error", "nothing") }),
    object({ op: oneOf("put"), row: ROW }, { ifVersion: IF_VERSION }),
    object({ op: oneOf("update"), key: KEY, set: ROW }, { ifVersion: IF_VERSION }),
    object({ op: oneOf("delete"), key: KEY }, { ifVersion: IF_VERSION }),
  ],
};

const INDEX: Schema = { ...NAME, description: "Only this index; absent: all of the table" };
const COUNT: Schema = { type: "integer", minimum: 0 };
const CHECKED: Schema = object({
  indexes: listOf(
    object({
      index: NAME,
      rows: COUNT,
      entries: COUNT,
      missing: { ...COUNT, description: "Rows without their entry" },
      extra: { ...COUNT, description: "Entries without a row" },
      wrong: { ...COUNT, description: "Entries with a value that is not their row's" },
    }),
  ),
  agrees: { ...FLAG, description: "Whether nothing was missing, extra or wrong" },
});

export const ROW_OPERATIONS: Readonly<Record<keyof RowOperations, ApiOperation>> = {
  getRows: {
    method: "POST",
    template: `${ROWS}:get`,
    tag,
    summary: "Get rows by their primary keys; null where there is none",
    needs: ["read-data"],
    body: object(
      { keys: { type: "array", items: KEY, minItems: 1, maxItems: 1_000 } },
      { columns: COLUMNS, versions: VERSIONS },
    ),
    status: 200,
    answer: object(
      { rows: listOf({ anyOf: [ROW, { type: "null" }] }) },
      { versions: listOf({ anyOf: [VERSION, { type: "null" }] }) },
    ),
  },
  scanRows: {
    method: "POST",
    template: `${ROWS}:scan`,
    tag,
    summary: "Scan a range of rows in key order or in that of an index; all pages are of one state",
    needs: ["read-data"],
    body: object(
      {},
      {
        index: { ...NAME, description: "In the order of this index; absent: the primary key" },
        equal: {
          type: "array",
          maxItems: 32,
          description: "Values of the first columns of the key",
        },
        lower: { ...BOUND, description: "Of the column behind `equal`; inclusive if absent" },
        upper: { ...BOUND, description: "Of the column behind `equal`; exclusive if absent" },
        reverse: FLAG,
        columns: COLUMNS,
        versions: VERSIONS,
        ...PAGE,
      },
    ),
    status: 200,
    answer: object(
      { rows: listOf(ROW) },
      {
        versions: listOf(VERSION),
        nextPageToken: { type: "string", description: "Absent on the last page" },
      },
    ),
  },
  writeRows: {
    method: "POST",
    template: `${ROWS}:write`,
    tag,
    summary: "Write rows in one transaction: all of it happens, or nothing",
    needs: ["write-data", "read-data"],
    body: object(
      { writes: { type: "array", items: WRITE, minItems: 1, maxItems: 1_000 } },
      {
        fences: {
          type: "array",
          items: object({ table: NAME, name: KEY_TEXT, fence: FENCE }),
          minItems: 1,
          maxItems: 16,
          description:
            "Leases of tables in this namespace: 410 unless each fence is its lease's newest",
        },
        isolation: oneOf("serializable", "repeatable read", "read committed"),
        returning: { ...FLAG, description: "Answers with the rows, too: needs read-data" },
      },
    ),
    status: 200,
    answer: object({ results: listOf(object({ changed: FLAG }, { row: ROW })) }),
  },
  checkRows: {
    method: "POST",
    template: `${ROWS}:check`,
    tag,
    summary: "Compare indexes with the rows of one state; answers once all rows are read",
    needs: ["read-data"],
    body: object({}, { index: INDEX }),
    status: 200,
    answer: CHECKED,
  },
  repairRows: {
    method: "POST",
    template: `${ROWS}:repair`,
    tag,
    summary:
      "Mend indexes that disagree with the rows, in small transactions; answers what was wrong",
    needs: ["read-data", "write-data"],
    body: object({}, { index: INDEX }),
    status: 200,
    answer: CHECKED,
  },
  moveTable: {
    method: "POST",
    template: "/catalogs/{catalog}/namespaces/{namespace}/tables/{table}:move",
    tag,
    summary: "Move a row table to another shard of its catalog, in the background",
    needs: ["alter"],
    body: object({ shard: NAME }),
    status: 202,
    answer: JOB,
  },
};
