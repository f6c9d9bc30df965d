import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  CATALOG,
  type Catalog,
  CHANGE,
  type Change,
  DROPPED,
  type Dropped,
  FOUND,
  FOUND_THING,
  type Found,
  type FoundThing,
  JOB,
  type Job,
  NAMESPACE,
  type Namespace,
  SNAPSHOT,
  type Snapshot,
  SUMMARY,
  type Summary,
  TABLE,
  type Table,
  VIEW,
  type View,
} from "./resources.ts";
import {
  COUNT,
  FLAG,
  INT64,
  listOf,
  object,
  oneOf,
  PAGE,
  PROPERTIES,
  TEXT,
  TIME,
} from "./schema.ts";

import { USAGE_PERIOD, type UsagePeriod } from "./status-operations.ts";

/*
 * Whole pages: everything that one view of the console shows, in one answer. Lists in them are
 * bounded; the operations of each kind page through the rest.
 */

/** Changes within one minute, which starts at `minute`. */
export interface MinuteOfChanges {
  readonly minute: string;
  readonly changes: number;
}

/** What is new, and what needs attention. */
export interface Home {
  readonly catalogs: readonly Summary[];
  /** Newest first. */
  readonly changes: readonly Change[];
  /**
   * Of the last 30 minutes, oldest first; minutes without changes too. Empty, as every list here,
   * for those who may not know of them.
   */
  readonly minutes: readonly MinuteOfChanges[];
  /** More was changed in these minutes than was counted. */
  readonly isPartial: boolean;
  readonly failedJobs: readonly Job[];
  /** Some of the tables that changed just now, by what their totals tell. */
  readonly unhealthy: readonly UnhealthyTable[];
  /** The first page of `listAdvice`: of a small account all of it. */
  readonly advice: AdvicePage;
  /** Soonest gone first. */
  readonly dropped: readonly Dropped[];
  /** Names of what was changed, without what is gone. */
  readonly names: readonly FoundThing[];
  /** Requests to this node; for those alone who may read the metadata of the account. */
  readonly hours?: readonly UsagePeriod[];
  readonly days?: readonly UsagePeriod[];
}

/** Of some tables of the account those that want care, by what their totals tell. */
export interface AdvicePage {
  readonly items: readonly AdvisedTable[];
  /** Tables among which they were found. */
  readonly looked: number;
  /** Tables of the account, where they were to be counted. */
  readonly tables?: number;
  /** There are more tables than were counted. */
  readonly isPartial?: boolean;
  readonly nextPageToken?: string;
}

/** A table that wants care, by its name. */
export interface AdvisedTable extends Found {
  readonly findings: readonly string[];
}

export interface CatalogPage {
  readonly catalog: Catalog;
  readonly namespaces: readonly Summary[];
  readonly nextPageToken?: string;
}

/** A table in a list, with what its current snapshot says; of a table without one: nothing. */
export interface TableLine extends Summary {
  readonly rows?: string;
  readonly bytes?: string;
  readonly files?: string;
  readonly lastCommit?: string;
  readonly operation?: string;
  /** Codes of health findings that its totals tell; `getHealth` reads its manifests too. */
  readonly findings?: readonly string[];
}

/** A table that wants care. */
export interface UnhealthyTable extends FoundThing {
  readonly findings: readonly string[];
}

export interface NamespacePage {
  readonly namespace: Namespace;
  /** Of the first page alone. */
  readonly namespaces: readonly Summary[];
  readonly views: readonly Summary[];
  readonly tables: readonly TableLine[];
  readonly nextPageToken?: string;
}

/** A field of a schema; those of structs, lists and maps have the names above them, with dots. */
export interface PageField {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly doc?: string;
}

export interface PageSchema {
  readonly schemaId: number;
  readonly fields: readonly PageField[];
}

export interface PageRef {
  readonly name: string;
  readonly type: "branch" | "tag";
  readonly snapshotId: string;
}

/** What the metadata file of an Iceberg table adds. */
export interface IcebergPage {
  readonly formatVersion: number;
  readonly lastUpdated: string;
  readonly currentSchemaId: number;
  /** The newest 20. */
  readonly schemas: readonly PageSchema[];
  /** Such as `day(at)`. */
  readonly partition: readonly string[];
  readonly sort: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
  readonly refs: readonly PageRef[];
  /** The newest 500. */
  readonly snapshots: readonly Snapshot[];
  readonly snapshotCount: number;
  /** Where the list of snapshots goes on behind the newest; absent: they are all here. */
  readonly nextPageToken?: string;
}

export interface TablePage {
  readonly table: Table;
  readonly iceberg?: IcebergPage;
}

/** The query of a view in one dialect. */
export interface ViewText {
  readonly dialect: string;
  readonly sql: string;
  /** The text goes on: a page is for people. */
  readonly isCut?: boolean;
}

/** What an Iceberg view was at one time. */
export interface PageViewVersion {
  readonly versionId: number;
  readonly at: string;
  /** Where names without a catalog or a namespace are looked for. */
  readonly defaultCatalog?: string;
  readonly defaultNamespace: readonly string[];
  /** Such as the engine that wrote it. */
  readonly summary: Readonly<Record<string, string>>;
  readonly schema: PageSchema;
  readonly texts: readonly ViewText[];
}

export interface ViewPage {
  readonly view: View;
  readonly currentVersionId: number;
  readonly properties: Readonly<Record<string, string>>;
  /** The current one, then the newest 20 of the others. */
  readonly versions: readonly PageViewVersion[];
  readonly versionCount: number;
}

const FIELD = object({ id: COUNT, name: TEXT, type: TEXT, required: FLAG }, { doc: TEXT });
const TABLE_LINE: Schema = {
  ...SUMMARY,
  properties: {
    ...(SUMMARY["properties"] as object),
    rows: INT64,
    bytes: INT64,
    files: INT64,
    lastCommit: TIME,
    operation: TEXT,
    findings: listOf(TEXT),
  },
};
const ADVICE: Schema = object(
  {
    items: listOf({
      ...FOUND,
      properties: { ...(FOUND["properties"] as object), findings: listOf(TEXT) },
    }),
    looked: COUNT,
  },
  { tables: COUNT, isPartial: FLAG, nextPageToken: TEXT },
);
const UNHEALTHY: Schema = {
  ...FOUND_THING,
  properties: { ...(FOUND_THING["properties"] as object), findings: listOf(TEXT) },
};
const PAGE_SCHEMA: Schema = object({ schemaId: COUNT, fields: listOf(FIELD) });
const VIEW_VERSION: Schema = object(
  {
    versionId: COUNT,
    at: TIME,
    defaultNamespace: listOf(TEXT),
    summary: PROPERTIES,
    schema: PAGE_SCHEMA,
    texts: listOf(object({ dialect: TEXT, sql: TEXT }, { isCut: FLAG })),
  },
  { defaultCatalog: TEXT },
);
const ICEBERG_PAGE: Schema = object(
  {
    formatVersion: COUNT,
    lastUpdated: TIME,
    currentSchemaId: COUNT,
    schemas: listOf(PAGE_SCHEMA),
    partition: listOf(TEXT),
    sort: listOf(TEXT),
    properties: PROPERTIES,
    refs: listOf(object({ name: TEXT, type: oneOf("branch", "tag"), snapshotId: INT64 })),
    snapshots: listOf(SNAPSHOT),
    snapshotCount: COUNT,
  },
  { nextPageToken: TEXT },
);

export interface PageOperations {
  getHome: Asks<never, object, undefined, Home>;
  listAdvice: Asks<never, PageQuery & { readonly count?: boolean }, undefined, AdvicePage>;
  getCatalogPage: Asks<"catalog", PageQuery, undefined, CatalogPage>;
  getNamespacePage: Asks<"catalog" | "namespace", PageQuery, undefined, NamespacePage>;
  getTablePage: Asks<"catalog" | "namespace" | "table", object, undefined, TablePage>;
  getViewPage: Asks<"catalog" | "namespace" | "view", object, undefined, ViewPage>;
}

const AT_NAMESPACE = "/catalogs/{catalog}/namespaces/{namespace}";

export const PAGE_OPERATIONS: Readonly<Record<keyof PageOperations, ApiOperation>> = {
  getHome: {
    method: "GET",
    template: "/home",
    tag: "node",
    summary: "Get what is new and what wants attention, as far as the principal may see it",
    needs: ["see"],
    status: 200,
    answer: object(
      {
        catalogs: listOf(SUMMARY),
        changes: listOf(CHANGE),
        minutes: listOf(object({ minute: TIME, changes: COUNT })),
        isPartial: FLAG,
        failedJobs: listOf(JOB),
        unhealthy: listOf(UNHEALTHY),
        advice: ADVICE,
        dropped: listOf(DROPPED),
        names: listOf(FOUND_THING),
      },
      { hours: listOf(USAGE_PERIOD), days: listOf(USAGE_PERIOD) },
    ),
  },
  listAdvice: {
    method: "GET",
    template: "/advice",
    tag: "node",
    summary: "List the tables that want care, as far as the principal may read them",
    needs: ["see"],
    query: {
      ...PAGE,
      pageSize: {
        type: "integer",
        minimum: 1,
        description: "Names that are looked at: 200 if absent, or if more are asked for",
      },
      count: { ...FLAG, description: "Counts the tables of the account, up to a bound" },
    },
    status: 200,
    answer: ADVICE,
  },
  getCatalogPage: {
    method: "GET",
    template: "/catalogs/{catalog}:page",
    tag: "catalogs",
    summary: "Get a catalog with the namespaces of its top level",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: object({ catalog: CATALOG, namespaces: listOf(SUMMARY) }, { nextPageToken: TEXT }),
  },
  getNamespacePage: {
    method: "GET",
    template: `${AT_NAMESPACE}:page`,
    tag: "namespaces",
    summary: "Get a namespace with what is in it, and the size of each table",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: object(
      {
        namespace: NAMESPACE,
        namespaces: listOf(SUMMARY),
        views: listOf(SUMMARY),
        tables: listOf(TABLE_LINE),
      },
      { nextPageToken: TEXT },
    ),
  },
  getTablePage: {
    method: "GET",
    template: `${AT_NAMESPACE}/tables/{table}:page`,
    tag: "tables",
    summary: "Get a table with its schemas, references and newest snapshots",
    needs: ["read-metadata"],
    status: 200,
    answer: object({ table: TABLE }, { iceberg: ICEBERG_PAGE }),
  },
  getViewPage: {
    method: "GET",
    template: `${AT_NAMESPACE}/views/{view}:page`,
    tag: "views",
    summary: "Get a view with its queries, by version and dialect",
    needs: ["read-metadata"],
    status: 200,
    answer: object({
      view: VIEW,
      currentVersionId: COUNT,
      properties: PROPERTIES,
      versions: listOf(VIEW_VERSION),
      versionCount: COUNT,
    }),
  },
};
