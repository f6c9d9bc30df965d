import type { Asks, AtQuery, DiffQuery, ListQuery, PageQuery } from "./asks.ts";
import { AT, historyOperations } from "./history-operations.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  type Diff,
  OTHER_FORMAT,
  type Page,
  SNAPSHOT,
  type Snapshot,
  SUMMARY,
  type Summary,
  TABLE,
  type Table,
  type Version,
  VIEW,
  type View,
} from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  LIST,
  listOf,
  NAME,
  object,
  PAGE,
  PATH,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
  TIME,
} from "./schema.ts";
import {
  COLUMNS,
  type CreateTable,
  PARTITION_KEYS,
  TABLE_CONTENT,
  UPSTREAM_PATCH,
  type UpdateTable,
} from "./table-content.ts";
import { UPDATE_MASK, type UpdateMask } from "./updates.ts";

/** What the catalog itself says of a table or view: the rest is in its metadata file. */
export interface UpdateRelation {
  readonly description?: string;
  readonly protected?: boolean;
}

/** `namespace` absent: it stays where it is. */
export interface RenameRelation {
  readonly name: string;
  readonly namespace?: readonly string[];
}

type In = "catalog" | "namespace";
type OfTable = In | "table";
type OfView = In | "view";

export interface RelationOperations {
  listTables: Asks<In, ListQuery, undefined, Page<Summary>>;
  getTable: Asks<OfTable, AtQuery, undefined, Table>;
  createTable: Asks<In, object, CreateTable, Table>;
  refreshTable: Asks<OfTable, object, undefined, Table>;
  updateTable: Asks<OfTable, UpdateMask, UpdateTable, Table>;
  dropTable: Asks<OfTable, { readonly purge?: boolean }, undefined, undefined>;
  renameTable: Asks<OfTable, object, RenameRelation, Table>;
  listTableVersions: Asks<OfTable, PageQuery, undefined, Page<Version>>;
  diffTable: Asks<OfTable, DiffQuery, undefined, Diff>;
  listSnapshots: Asks<OfTable, PageQuery, undefined, Page<Snapshot>>;
  resolveSnapshot: Asks<
    OfTable,
    { readonly asOf?: string; readonly branch?: string },
    undefined,
    Snapshot
  >;
  getSnapshot: Asks<OfTable | "snapshot", object, undefined, Snapshot>;
  listAncestors: Asks<
    OfTable | "snapshot",
    object,
    undefined,
    { readonly items: readonly Snapshot[] }
  >;
  listViews: Asks<In, ListQuery, undefined, Page<Summary>>;
  getView: Asks<OfView, AtQuery, undefined, View>;
  updateView: Asks<OfView, UpdateMask, UpdateRelation, View>;
  dropView: Asks<OfView, object, undefined, undefined>;
  renameView: Asks<OfView, object, RenameRelation, View>;
  listViewVersions: Asks<OfView, PageQuery, undefined, Page<Version>>;
  diffView: Asks<OfView, DiffQuery, undefined, Diff>;
}

const WITHIN = "/catalogs/{catalog}/namespaces/{namespace}";
const AT_TABLE = `${WITHIN}/tables/{table}`;

/** What tables and views have in common. */
function common(what: "table" | "view", answer: Schema): Readonly<Record<string, ApiOperation>> {
  const tag = `${what}s`;
  const all = `${WITHIN}/${tag}`;
  const one = `${all}/{${what}}`;
  return {
    list: {
      method: "GET",
      template: all,
      tag,
      summary: `List the ${tag} of a namespace`,
      needs: ["see", "read-metadata"],
      query: LIST,
      status: 200,
      answer: pageOf(SUMMARY),
    },
    get: {
      method: "GET",
      template: one,
      tag,
      summary: `Get a ${what}`,
      needs: ["read-metadata"],
      query: AT,
      status: 200,
      answer,
      conditional: "read",
    },
    update: {
      method: "PATCH",
      template: one,
      tag,
      summary: `Describe or protect a ${what}`,
      needs: ["alter"],
      query: UPDATE_MASK,
      body: patchOf({ description: DESCRIPTION, protected: FLAG }),
      status: 200,
      answer,
      conditional: "write",
      once: true,
    },
    drop: {
      method: "DELETE",
      template: one,
      tag,
      summary: `Drop a ${what}`,
      needs: ["drop"],
      status: 204,
      conditional: "write",
      once: true,
    },
    rename: {
      method: "POST",
      template: `${one}:rename`,
      tag,
      summary: `Rename a ${what}, or move it to another namespace of its catalog`,
      needs: ["drop", "create"],
      body: object({ name: NAME }, { namespace: PATH }),
      status: 200,
      answer,
      conditional: "write",
      once: true,
    },
    ...historyOperations(one, what),
  };
}

type Common = "list" | "get" | "update" | "drop" | "rename" | "versions" | "diff";
const OF_TABLES = common("table", TABLE) as Readonly<Record<Common, ApiOperation>>;
const OF_VIEWS = common("view", VIEW) as Readonly<Record<Common, ApiOperation>>;

export const RELATION_OPERATIONS: Readonly<Record<keyof RelationOperations, ApiOperation>> = {
  listTables: OF_TABLES.list,
  getTable: OF_TABLES.get,
  createTable: {
    method: "POST",
    template: `${WITHIN}/tables`,
    tag: "tables",
    summary: "Register a table of another format than Iceberg",
    needs: ["create"],
    body: object({ name: NAME, format: OTHER_FORMAT }, TABLE_CONTENT),
    status: 201,
    answer: TABLE,
    once: true,
  },
  refreshTable: {
    method: "POST",
    template: `${AT_TABLE}:refresh`,
    tag: "tables",
    summary: "Read the log of a Delta table again: its columns and partition keys",
    needs: ["alter"],
    status: 200,
    answer: TABLE,
    conditional: "write",
    once: true,
  },
  updateTable: {
    ...OF_TABLES.update,
    summary: "Describe or protect a table; of other formats than Iceberg change what it says",
    body: patchOf({
      description: DESCRIPTION,
      protected: FLAG,
      properties: PROPERTIES_PATCH,
      columns: COLUMNS,
      partitionKeys: PARTITION_KEYS,
      upstream: UPSTREAM_PATCH,
    }),
  },
  dropTable: {
    ...OF_TABLES.drop,
    needs: ["drop", "write-data"],
    query: {
      purge: { ...FLAG, description: "Deletes its files too, once the retention is over" },
    },
  },
  renameTable: OF_TABLES.rename,
  listTableVersions: OF_TABLES.versions,
  diffTable: OF_TABLES.diff,
  listSnapshots: {
    method: "GET",
    template: `${AT_TABLE}/snapshots`,
    tag: "snapshots",
    summary: "List the snapshots of a table, newest first",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(SNAPSHOT),
  },
  resolveSnapshot: {
    method: "GET",
    template: `${AT_TABLE}/snapshots:resolve`,
    tag: "snapshots",
    summary: "Get the current snapshot, or that of a time, of a table or a branch",
    needs: ["read-metadata"],
    query: {
      asOf: { ...TIME, description: "A time (RFC 3339); absent: now" },
      branch: { type: "string", minLength: 1, maxLength: 255, description: "Absent: main" },
    },
    status: 200,
    answer: SNAPSHOT,
  },
  getSnapshot: {
    method: "GET",
    template: `${AT_TABLE}/snapshots/{snapshot}`,
    tag: "snapshots",
    summary: "Get a snapshot",
    needs: ["read-metadata"],
    status: 200,
    answer: SNAPSHOT,
  },
  listAncestors: {
    method: "GET",
    template: `${AT_TABLE}/snapshots/{snapshot}/ancestors`,
    tag: "snapshots",
    summary: "List a snapshot and those that it grew out of, newest first",
    needs: ["read-metadata"],
    status: 200,
    answer: object({ items: listOf(SNAPSHOT) }),
  },
  listViews: OF_VIEWS.list,
  getView: OF_VIEWS.get,
  updateView: OF_VIEWS.update,
  dropView: OF_VIEWS.drop,
  renameView: OF_VIEWS.rename,
  listViewVersions: OF_VIEWS.versions,
  diffView: OF_VIEWS.diff,
};
