import type { Privilege } from "../../api/privileges.ts";
import type { RowWrite } from "../../api/row-operations.ts";
import { assert } from "../../base/assert.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { member } from "../../base/json-read.ts";
import type { Table } from "../../catalog/model.ts";
import type { Actor } from "../actor.ts";
import type { AuditTrail } from "../audit-trail.ts";
import type { CatalogAdmin } from "../catalog-admin.ts";
import type { ChangeStreams } from "../change-streams.ts";
import type { DroppedAdmin } from "../dropped-admin.ts";
import type { EntityHistory } from "../entity-history.ts";
import type { IcebergNamespaces } from "../iceberg-namespaces.ts";
import type { IcebergTables } from "../iceberg-tables.ts";
import type { IcebergViews } from "../iceberg-views.ts";
import type { JobsAdmin } from "../jobs-admin.ts";
import type { MetricsReports } from "../metrics-reports.ts";
import type { CommitOfTable, NamespaceRef, TableRef, ViewRef } from "../requests.ts";
import type { AccountResources } from "../resources/accounts.ts";
import type { CatalogResources } from "../resources/catalogs.ts";
import type { ConnectorResources } from "../resources/connectors.ts";
import type { ConstraintResources } from "../resources/constraints.ts";
import type { DroppedLists } from "../resources/dropped-lists.ts";
import type { AnyPlace, ResourceHistory } from "../resources/history.ts";
import type { ConnectorImports } from "../resources/imports.ts";
import type { ResourceLookup } from "../resources/lookup.ts";
import type { NamespaceResources } from "../resources/namespaces.ts";
import type { OtherTables } from "../resources/other-tables.ts";
import type { RelationResources, RenameTo } from "../resources/relations.ts";
import type { CatalogPlace, NamespacePlace, RelationPlace } from "../resources/resource.ts";
import type { RowShardResources } from "../resources/row-shards.ts";
import type { NameSearch } from "../resources/search.ts";
import type { StatisticsResources } from "../resources/statistics.ts";
import type { StorageProfileResources } from "../resources/storage-profiles.ts";
import type { PatternRequests } from "../rows/pattern-requests.ts";
import type { RowIndexes } from "../rows/row-indexes.ts";
import type { RowRequests } from "../rows/row-requests.ts";
import type { RowTables } from "../rows/row-tables.ts";
import type { SqlRequests } from "../sql/requests.ts";
import type { TableLayouts } from "../table-layouts.ts";
import type { TableSnapshots } from "../table-snapshots.ts";
import type { GivenGrant, PrincipalAdmin } from "./principal-admin.ts";
import type { Need, NeededPlace } from "./request-access.ts";
import { bitsOf } from "./rights.ts";
import { isWrite } from "./sign-request.ts";

/** What each use case needs, by the arguments that follow the actor. */
type RulesOf<T> = {
  readonly [K in keyof T as T[K] extends (actor: Actor, ...rest: never[]) => unknown
    ? K
    : never]: T[K] extends (actor: Actor, ...rest: infer Rest) => unknown
    ? (...rest: Rest) => readonly Need[]
    : never;
};

function on(place: NeededPlace, ...privileges: readonly Privilege[]): Need {
  return { on: place, privileges: bitsOf(privileges) };
}

function onAccount(...privileges: readonly Privilege[]): readonly Need[] {
  return [{ on: "account", privileges: bitsOf(privileges) }];
}

/** On the table or view that the request turns out to be about. */
function onFound(privilege: Privilege): Need {
  return { on: "relation", privileges: bitsOf([privilege]) };
}

const catalogAt = (name: string): NeededPlace => ({ catalog: { name } });

/** A namespace, or the catalog for no path. */
function inCatalog({ catalog, namespace }: NamespaceRef): NeededPlace {
  const place = catalogAt(catalog);
  return namespace.length === 0 ? place : { ...place, namespace: { path: namespace } };
}

function above({ catalog, namespace }: NamespaceRef): NeededPlace {
  return inCatalog({ catalog, namespace: namespace.slice(0, -1) });
}

function tableAt({ catalog, namespace, table }: TableRef): NeededPlace {
  return relationAt(catalog, namespace, table);
}

function viewAt({ catalog, namespace, view }: ViewRef): NeededPlace {
  return relationAt(catalog, namespace, view);
}

function relationAt(catalog: string, path: readonly string[], name: string): NeededPlace {
  const relation = { name };
  if (path.length === 0) return { catalog: { name: catalog }, relation };
  return { catalog: { name: catalog }, namespace: { path }, relation };
}

function childOf({ catalog }: CatalogPlace, path: readonly string[]): NeededPlace {
  return path.length === 0 ? { catalog } : { catalog, namespace: { path } };
}

/** Updates of a commit that change data; all others change the table. */
const OF_DATA: ReadonlySet<string> = new Set([
  "add-snapshot",
  "set-snapshot-ref",
  "remove-snapshots",
  "remove-snapshot-ref",
  "set-statistics",
  "remove-statistics",
  "set-partition-statistics",
  "remove-partition-statistics",
]);

/** A member of an entry of a list, spelled as the readers of commits compare it. */
function wordsOf(list: JsonValue | undefined, name: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).map((each) => {
    const isObject = typeof each === "object" && each !== null && !Array.isArray(each);
    const word = isObject ? member(each as JsonObject, name) : undefined;
    return typeof word === "string" ? word.toLowerCase() : "";
  });
}

/** The privileges that a commit's updates need; `admin` to move a table elsewhere. */
function ofUpdates(updates: JsonValue | undefined, data: Privilege): readonly Privilege[] {
  const needed = new Set<Privilege>();
  for (const action of wordsOf(updates, "action")) {
    needed.add(action === "set-location" ? "admin" : OF_DATA.has(action) ? data : "alter");
  }
  return needed.size === 0 ? [data] : [...needed];
}

function isCreate(requirements: JsonValue | undefined): boolean {
  return wordsOf(requirements, "type").includes("assert-create");
}

function ofCommit({
  catalog,
  namespace,
  table,
  requirements,
  updates,
}: CommitOfTable & { readonly catalog: string }): Need {
  return isCreate(requirements)
    ? on(inCatalog({ catalog, namespace }), "create")
    : on(tableAt({ catalog, namespace, table }), ...ofUpdates(updates, "write-data"));
}

const NAMESPACES: RulesOf<IcebergNamespaces> = {
  config: () => [],
  listNamespaces: () => [],
  listTables: () => [],
  listViews: () => [],
  createNamespace: (ref) => [on(above(ref), "create")],
  make: (ref) => [on(above(ref), "create")],
  loadNamespace: (ref) => [on(inCatalog(ref), "read-metadata")],
  namespaceExists: () => [],
  dropNamespace: (ref) => [on(inCatalog(ref), "drop")],
  updateNamespace: (ref) => [on(inCatalog(ref), "alter")],
};

const TABLES: RulesOf<IcebergTables> = {
  loadTable: (ref) => [on(tableAt(ref), "read-metadata")],
  loadCredentials: (ref) => [on(tableAt(ref), "read-metadata", "read-data")],
  // Of the table that owns the files, which its path need not name.
  signRequest: (_ref, asked) => [onFound(isWrite(asked) ? "write-data" : "read-data")],
  tableExists: () => [],
  createTable: (ref) => [on(inCatalog(ref), "create")],
  registerTable: (ref, { name, overwrite }) => [
    on(inCatalog(ref), "create"),
    ...(overwrite
      ? [{ ...on(tableAt({ ...ref, table: name }), "drop"), optional: true as const }]
      : []),
  ],
  commitTable: (ref, commit) => [ofCommit({ ...ref, ...commit })],
  dryRunTable: (ref, commit) => [ofCommit({ ...ref, ...commit })],
  dropTable: (ref, { purgeRequested }) => [
    on(tableAt(ref), "drop", ...(purgeRequested ? (["write-data"] as const) : [])),
  ],
  unregisterTable: (ref) => [on(tableAt(ref), "drop")],
  renameTable: ({ catalog, from, to }) => [
    on(tableAt({ catalog, ...from }), "drop"),
    on(inCatalog({ catalog, namespace: to.namespace }), "create"),
  ],
  commitTransaction: (catalog, changes) => changes.map((each) => ofCommit({ catalog, ...each })),
  dryRunTransaction: (catalog, changes) => changes.map((each) => ofCommit({ catalog, ...each })),
};

const VIEWS: RulesOf<IcebergViews> = {
  loadView: (ref) => [on(viewAt(ref), "read-metadata")],
  metadata: (ref) => [on(viewAt(ref), "read-metadata")],
  viewExists: () => [],
  createView: (ref) => [on(inCatalog(ref), "create")],
  registerView: (ref) => [on(inCatalog(ref), "create")],
  commitView: (ref, { updates }) => [on(viewAt(ref), ...ofUpdates(updates, "alter"))],
  dryRunView: (ref, { updates }) => [on(viewAt(ref), ...ofUpdates(updates, "alter"))],
  dropView: (ref) => [on(viewAt(ref), "drop")],
  renameView: ({ catalog, from, to }) => [
    on(viewAt({ catalog, ...from }), "drop"),
    on(inCatalog({ catalog, namespace: to.namespace }), "create"),
  ],
};

const REPORTS: RulesOf<MetricsReports> = {
  reportMetrics: (ref) => [on(tableAt(ref), "read-metadata")],
  list: (ref) => [on(tableAt(ref), "read-metadata")],
  settled: () => [],
};

/** Only operators, who are not judged, make and change accounts. */
const ACCOUNTS: RulesOf<AccountResources> = {
  list: () => OPERATORS,
  create: () => OPERATORS,
  createAdmin: () => OPERATORS,
  get: () => OPERATORS,
  update: () => OPERATORS,
  drop: () => OPERATORS,
  dropAll: () => OPERATORS,
};

const OPERATORS: readonly Need[] = [{ on: "account", privileges: 1 << 30 }];

/** It tells of what its reader might not know, and who did it. */
const AUDIT: RulesOf<AuditTrail> = { list: () => onAccount("admin") };

const CATALOGS: RulesOf<CatalogResources> = {
  list: () => [],
  create: () => onAccount("create"),
  get: (place) => [on(place, "read-metadata")],
  update: (place, { patch }) => [on(place, ...ofPatch(patch))],
  rename: (place) => [on(place, "drop"), ...onAccount("create")],
  drop: (place) => [on(place, "drop")],
  // Privileges hold for all that lies below.
  dropAll: (place) => [on(place, "drop")],
};

function ofPatch(patch: object): readonly Privilege[] {
  return "protected" in patch ? ["alter", "admin"] : ["alter"];
}

/** Connectors lie in the account. */
const CONNECTORS: RulesOf<ConnectorResources> = {
  list: () => onAccount("read-metadata"),
  create: () => onAccount("create"),
  get: () => onAccount("read-metadata"),
  update: () => onAccount("alter"),
  delete: () => onAccount("drop"),
};

/** What an import makes lies where its request says; it is for those who may do everything. */
const IMPORTS: RulesOf<ConnectorImports> = {
  check: () => onAccount("admin"),
  run: () => onAccount("admin"),
  begin: () => onAccount("admin"),
};

/** They say which credentials reach which files. */
const STORAGE_PROFILES: RulesOf<StorageProfileResources> = {
  list: () => onAccount("admin"),
  create: () => onAccount("admin"),
  get: () => onAccount("admin"),
  update: () => onAccount("admin"),
  delete: () => onAccount("admin"),
  check: () => onAccount("admin"),
};

const NAMESPACE_RESOURCES: RulesOf<NamespaceResources> = {
  list: () => [],
  create: (place, path) => [on(childOf(place, path.slice(0, -1)), "create")],
  get: (place) => [on(place, "read-metadata")],
  update: (place, { patch }) => [on(place, ...ofPatch(patch))],
  rename: (place, to) => [on(place, "drop"), on(childOf(place, to.slice(0, -1)), "create")],
  drop: (place) => [on(place, "drop")],
  dropAll: (place) => [on(place, "drop")],
};

/** Where a table or view is to go. */
function namespaceOf({ namespace }: NamespacePlace, to: RenameTo): NamespacePlace["namespace"] {
  return to.namespace === undefined ? namespace : { path: to.namespace };
}

const RELATIONS: RulesOf<RelationResources<Table>> = {
  list: () => [],
  get: (place) => [on(place, "read-metadata")],
  update: (place, { patch }) => [on(place, ...ofPatch(patch))],
  rename: (place, to) => [
    on(place, "drop"),
    on({ catalog: place.catalog, namespace: namespaceOf(place, to) }, "create"),
  ],
  drop: (place, { purge = false } = {}) => [
    on(place, "drop", ...(purge ? (["write-data"] as const) : [])),
  ],
};

const STATISTICS: RulesOf<StatisticsResources> = {
  put: (place) => [on(tableOf(place), "write-data")],
  get: (place) => [on(tableOf(place), "read-metadata")],
  file: (place) => [on(tableOf(place), "read-metadata")],
  list: (place) => [on(tableOf(place), "read-metadata")],
  files: (place) => [on(tableOf(place), "read-metadata")],
  delete: (place) => [on(tableOf(place), "write-data")],
};

/** The table of a snapshot. */
function tableOf({ catalog, namespace, relation }: RelationPlace): NeededPlace {
  return { catalog, namespace, relation };
}

const CONSTRAINTS: RulesOf<ConstraintResources> = {
  list: (place) => [on(tableOf(place), "read-metadata")],
  get: (place) => [on(tableOf(place), "read-metadata")],
  put: (place) => [on(tableOf(place), "alter")],
  merge: (place) => [on(tableOf(place), "alter")],
  append: (place) => [on(tableOf(place), "alter")],
  delete: (place) => [on(tableOf(place), "alter")],
};

const OTHER_TABLES: RulesOf<OtherTables> = {
  create: (place) => [on(place, "create")],
  refresh: (place) => [on(place, "alter")],
};

function ofHistory(place: AnyPlace): readonly Need[] {
  switch (place.type) {
    case "connector":
      return onAccount("read-metadata");
    case "catalog":
    case "namespace":
    case "table":
    case "view":
      return [on(placeOnly(place), "read-metadata")];
  }
}

function placeOnly(place: Exclude<AnyPlace, { type: "connector" }>): NeededPlace {
  const { type: _type, ...rest } = place;
  return rest;
}

const HISTORY: RulesOf<ResourceHistory> = {
  versions: ofHistory,
  at: ofHistory,
  current: ofHistory,
};

const LOOKUP: RulesOf<ResourceLookup> = {
  resolve: () => [{ on: "any", privileges: bitsOf(["read-metadata"]) }],
  // Each id is judged as it becomes a name.
  whereAre: () => [],
};

/** It finds what may be known, and tells no more of it than the name. */
const SEARCH: RulesOf<NameSearch> = { find: () => [] };

const SNAPSHOTS: RulesOf<TableSnapshots> = {
  metadata: (ref) => [on(tableAt(ref), "read-metadata")],
  get: (ref) => [on(tableAt(ref), "read-metadata")],
  // Of what writes beside a snapshot, and was judged for that.
  holding: (ref) => [on(tableAt(ref), "see")],
  current: (ref) => [on(tableAt(ref), "read-metadata")],
  asOf: (ref) => [on(tableAt(ref), "read-metadata")],
  ancestors: (ref) => [on(tableAt(ref), "read-metadata")],
  list: (ref) => [on(tableAt(ref), "read-metadata")],
};

/** What was dropped lies in no namespace any more: the account's privileges hold. */
const DROPPED: RulesOf<DroppedAdmin> = {
  list: () => onAccount("read-metadata"),
  find: () => onAccount("read-metadata"),
  undrop: () => onAccount("create"),
};

/** As the list of everything that was dropped: it tells of what its reader might not know. */
const DROPPED_LISTS: RulesOf<DroppedLists> = {
  catalogs: () => onAccount("read-metadata"),
  namespaces: () => onAccount("read-metadata"),
  relations: () => onAccount("read-metadata"),
};

const JOBS: RulesOf<JobsAdmin> = {
  list: () => onAccount("read-metadata"),
  get: () => onAccount("read-metadata"),
  // Of a job that the caller has just made.
  begun: () => [],
  retry: () => onAccount("admin"),
  cancel: () => onAccount("admin"),
  run: () => onAccount("admin"),
};

/** Changes name what their reader might not know, so the account's privileges hold. */
const CHANGES: RulesOf<EntityHistory> = {
  versions: () => onAccount("read-metadata"),
  at: () => onAccount("read-metadata"),
  changes: () => onAccount("read-metadata"),
  startOf: () => onAccount("read-metadata"),
  audit: () => onAccount("read-metadata"),
};

/** Of programs that embed Firn. */
const CATALOG_ADMIN: RulesOf<CatalogAdmin> = {
  create: () => onAccount("admin"),
  get: () => onAccount("admin"),
  list: () => onAccount("admin"),
  ensure: () => onAccount("admin"),
  moveRoot: () => onAccount("admin"),
  allowGiven: () => onAccount("admin"),
  learnRoots: () => onAccount("admin"),
  defaultLocationOf: () => onAccount("admin"),
};

const LAYOUTS: RulesOf<TableLayouts> = {
  layout: (ref) => [on(tableAt(ref), "read-metadata")],
  columns: (ref) => [on(tableAt(ref), "read-metadata")],
  health: (ref) => [on(tableAt(ref), "read-metadata")],
};

const STREAMS: RulesOf<Pick<ChangeStreams, "follow">> = {
  follow: () => onAccount("read-metadata"),
};

const ROWS: RulesOf<RowTables> = {
  create: ({ catalog, path }) => [on(inCatalog({ catalog, namespace: path }), "create")],
  open: ({ catalog, path, name: table }) => [
    on(tableAt({ catalog, namespace: path, table }), "read-data", "write-data"),
  ],
  claim: ({ catalog, path }) => [on(inCatalog({ catalog, namespace: path }), "create")],
  release: ({ catalog, path, name: table }) => [
    on(tableAt({ catalog, namespace: path, table }), "drop", "write-data"),
  ],
  of: () => onAccount("admin"),
  confirm: () => onAccount("admin"),
  engineOf: () => onAccount("admin"),
  entry: ({ catalog, path, name: table }) => [
    on(tableAt({ catalog, namespace: path, table }), "read-data", "write-data"),
  ],
  check: () => onAccount("admin"),
  sweep: () => onAccount("admin"),
  purge: () => onAccount("admin"),
  publish: () => onAccount("admin"),
  hot: () => onAccount("admin"),
};

const ROW_SHARDS: RulesOf<RowShardResources> = {
  list: (place) => [on(place, "read-metadata")],
  opened: () => onAccount("read-metadata"),
  create: () => onAccount("admin"),
  drop: () => onAccount("admin"),
};

const READS: readonly Privilege[] = ["read-data"];

/** Whether writes tell what is in a row: a condition that holds or not does. */
function tells(writes: readonly RowWrite[]): boolean {
  return writes.some((one) => "ifVersion" in one);
}

const ROW_REQUESTS: RulesOf<RowRequests> = {
  get: (place) => [on(tableOf(place), "read-data")],
  scan: (place) => [on(tableOf(place), "read-data")],
  write: (place, { writes, returning = false, fences = [] }) => [
    on(tableOf(place), "write-data", ...(returning || tells(writes) ? READS : [])),
    ...fences.map(({ table }) => on(tableOf({ ...place, relation: { name: table } }), "read-data")),
  ],
  check: (place, { repair }) => [
    on(tableOf(place), "read-data", ...(repair ? (["write-data"] as const) : [])),
  ],
  move: (place) => [on(tableOf(place), "alter")],
};

/** Of a table that was found: who found it was asked. */
const ROW_INDEXES: RulesOf<RowIndexes> = {
  build: () => onAccount("admin"),
  check: () => onAccount("admin"),
};

const PATTERNS: RulesOf<PatternRequests> = {
  create: ({ catalog, namespace }) => [on({ catalog, namespace }, "create")],
  read: (place) => [on(tableOf(place), "read-data")],
  write: (place) => [on(tableOf(place), "write-data")],
  exchange: (place) => [on(tableOf(place), "read-data", "write-data")],
  archive: (place, { table }) => [
    on(tableOf(place), "read-data", "write-data"),
    on(tableOf({ ...place, relation: { name: table } }), "read-data", "write-data"),
  ],
  archived: (place) => [on(tableOf(place), "read-data")],
};

/** A session judges each name that its statements use. */
const SQL: RulesOf<SqlRequests> = {
  run: () => [],
};

/** Who manages principals can become any of them. */
const PRINCIPALS: RulesOf<PrincipalAdmin> = {
  list: () => onAccount("admin"),
  get: () => onAccount("admin"),
  create: () => onAccount("admin"),
  update: () => onAccount("admin"),
  delete: () => onAccount("admin"),
  createKey: () => onAccount("admin"),
  rotateKey: () => onAccount("admin"),
  createAdmin: () => onAccount("admin"),
  deleteKey: () => onAccount("admin"),
  addMember: () => onAccount("admin"),
  removeMember: () => onAccount("admin"),
  grants: () => onAccount("admin"),
  grant: (given) => ofGrant(given),
  revoke: (given) => ofGrant(given),
  // What is yet to be made is its maker's.
  judgeGrant: ({ place, privileges }) =>
    place === undefined ? [] : [on(place, "manage-grants", ...privileges)],
  explain: () => onAccount("admin"),
};

/** A grant gives what its giver holds. */
function ofGrant({ place, privileges }: GivenGrant): readonly Need[] {
  const needed = ["manage-grants", ...privileges] as const;
  return place === undefined ? onAccount(...needed) : [on(place, ...needed)];
}

/** Which needs a call has, by its arguments behind the actor. */
export type Rule = (...rest: readonly unknown[]) => readonly Need[];

/** The rules of each class of use cases, by its name. */
const RULES = {
  AccountResources: ACCOUNTS,
  AuditTrail: AUDIT,
  CatalogAdmin: CATALOG_ADMIN,
  CatalogResources: CATALOGS,
  ChangeStreams: STREAMS,
  ConnectorImports: IMPORTS,
  ConnectorResources: CONNECTORS,
  StorageProfileResources: STORAGE_PROFILES,
  ConstraintResources: CONSTRAINTS,
  DroppedAdmin: DROPPED,
  EntityHistory: CHANGES,
  IcebergNamespaces: NAMESPACES,
  IcebergTables: TABLES,
  IcebergViews: VIEWS,
  JobsAdmin: JOBS,
  DroppedLists: DROPPED_LISTS,
  MetricsReports: REPORTS,
  NameSearch: SEARCH,
  NamespaceResources: NAMESPACE_RESOURCES,
  OtherTables: OTHER_TABLES,
  PatternRequests: PATTERNS,
  PrincipalAdmin: PRINCIPALS,
  RelationResources: RELATIONS,
  ResourceHistory: HISTORY,
  ResourceLookup: LOOKUP,
  RowShardResources: ROW_SHARDS,
  RowTables: ROWS,
  RowRequests: ROW_REQUESTS,
  RowIndexes: ROW_INDEXES,
  SqlRequests: SQL,
  StatisticsResources: STATISTICS,
  TableLayouts: LAYOUTS,
  TableSnapshots: SNAPSHOTS,
} as const;

/** Of a use case's own life: no request calls them. */
const OWN_LIFE: ReadonlySet<string> = new Set(["close", "settled"]);

/** The rule of a use case. One without a rule keeps the node from starting. */
export function ruleOf(holder: string, method: string): Rule {
  const rules = (RULES as Readonly<Record<string, Readonly<Record<string, Rule>>>>)[holder];
  const rule = OWN_LIFE.has(method) ? () => [] : rules?.[method];
  assert(rule !== undefined, "every use case says what its actor needs");
  return rule;
}
