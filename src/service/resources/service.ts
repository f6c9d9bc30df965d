import type { Locations } from "../../blob/locations.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Table, View } from "../../catalog/model.ts";
import type { NameIndex } from "../../catalog/name-index.ts";
import { PrincipalAdmin } from "../access/principal-admin.ts";
import { type AuditSource, AuditTrail } from "../audit-trail.ts";
import type { ChangeStreams } from "../change-streams.ts";
import type { DeltaLogs } from "../delta/logs.ts";
import type { DroppedAdmin } from "../dropped-admin.ts";
import type { EntityHistory } from "../entity-history.ts";
import type { IcebergNamespaces } from "../iceberg-namespaces.ts";
import type { IcebergViews } from "../iceberg-views.ts";
import type { JobsAdmin } from "../jobs-admin.ts";
import { type CallGuard, guardedBy, type UseCases } from "../operations.ts";
import type { PageTokens } from "../page-token.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { PatternRequests } from "../rows/pattern-requests.ts";
import type { RowRequests } from "../rows/row-requests.ts";
import type { SqlRequests } from "../sql/requests.ts";
import type { TableImport } from "../table-import.ts";
import type { TableLayouts } from "../table-layouts.ts";
import type { TableLocations } from "../table-locations.ts";
import type { TableSnapshots } from "../table-snapshots.ts";
import { AccountResources } from "./accounts.ts";
import { CatalogResources } from "./catalogs.ts";
import { ConnectorResources } from "./connectors.ts";
import { ConstraintResources } from "./constraints.ts";
import { DroppedLists } from "./dropped-lists.ts";
import { ResourceHistory } from "./history.ts";
import { ConnectorImports } from "./imports.ts";
import { ResourceLookup } from "./lookup.ts";
import { ResourceNames } from "./names.ts";
import { NamespaceResources } from "./namespaces.ts";
import { OtherTables } from "./other-tables.ts";
import { type RelationResources, tableResources, viewResources } from "./relations.ts";
import type { RowShardResources } from "./row-shards.ts";
import { NameSearch } from "./search.ts";
import { SnapshotLookup } from "./snapshot-lookup.ts";
import { StatisticsResources } from "./statistics.ts";
import { StorageProfileResources, type StorageSupport } from "./storage-profiles.ts";

/** Everything that the native API calls. */
export interface ModelService {
  readonly catalogs: UseCases<CatalogResources>;
  readonly rowShards: UseCases<RowShardResources>;
  readonly accounts: UseCases<AccountResources>;
  readonly principals: UseCases<PrincipalAdmin>;
  readonly audit: UseCases<AuditTrail>;
  readonly connectors: UseCases<ConnectorResources>;
  readonly imports: UseCases<ConnectorImports>;
  readonly storageProfiles: UseCases<StorageProfileResources>;
  readonly namespaces: UseCases<NamespaceResources>;
  readonly tables: UseCases<RelationResources<Table>>;
  readonly statistics: UseCases<StatisticsResources>;
  readonly constraints: UseCases<ConstraintResources>;
  readonly otherTables: UseCases<OtherTables>;
  readonly views: UseCases<RelationResources<View>>;
  readonly icebergViews: Pick<UseCases<IcebergViews>, "metadata">;
  readonly history: UseCases<ResourceHistory>;
  readonly lookup: UseCases<ResourceLookup>;
  readonly search: UseCases<NameSearch>;
  readonly snapshots: UseCases<TableSnapshots>;
  readonly layouts: UseCases<TableLayouts>;
  readonly dropped: UseCases<DroppedAdmin>;
  readonly droppedLists: UseCases<DroppedLists>;
  readonly jobs: UseCases<JobsAdmin>;
  readonly changes: UseCases<EntityHistory>;
  readonly changeStreams: UseCases<Pick<ChangeStreams, "follow">>;
  readonly rows: UseCases<RowRequests>;
  readonly patterns: UseCases<PatternRequests>;
  readonly sql: UseCases<SqlRequests>;
  /** Opens and seals the tokens of lists that no use case pages by itself. */
  readonly tokens: PageTokens;
}

/** What works on rows. */
export interface OfRows {
  readonly rows: RowRequests;
  readonly patterns: PatternRequests;
  readonly rowShards: RowShardResources;
}

export interface ModelParts
  extends Pick<
    ModelService,
    | "icebergViews"
    | "snapshots"
    | "layouts"
    | "dropped"
    | "jobs"
    | "changes"
    | "changeStreams"
    | "sql"
    | "tokens"
  > {
  /** Rows of the tables that these find. */
  readonly rowsOf: (names: ResourceNames, tables: RelationResources<Table>) => OfRows;
  readonly catalog: AccountCatalog;
  /** The audit log; absent: none is written. */
  readonly auditLog?: AuditSource | undefined;
  /** Absent where others than this process write to the store. */
  readonly names?: NameIndex | undefined;
  /** Told of each change of who may do what. */
  readonly accessChanged: () => void;
  readonly locations: Locations;
  readonly places: TableLocations;
  readonly iceberg: IcebergNamespaces;
  readonly tableImport: TableImport;
  readonly reserved: ReservedProperties;
  readonly storage: StorageSupport;
  readonly logs: DeltaLogs;
  readonly warehouse: string;
  /** Roots that every new catalog may use. */
  readonly allowed: readonly string[];
}

/** The use cases of the native API behind one guard. */
export function modelService(guard: CallGuard, parts: ModelParts): ModelService {
  const { catalog, tokens, snapshots, layouts, dropped, jobs, changes, changeStreams, sql } = parts;
  const names = new ResourceNames(catalog);
  const catalogs = new CatalogResources({ ...parts, names });
  const namespaces = new NamespaceResources({ ...parts, names });
  const tables = tableResources({ ...parts, names });
  const views = viewResources({ ...parts, names });
  const ofRows = parts.rowsOf(names, tables);
  const lookup = new SnapshotLookup(tables, snapshots);
  const connectors = new ConnectorResources({ ...parts, names });
  const finders = { catalogs, connectors, namespaces, tables, views };
  const history = new ResourceHistory(catalog, finders, tokens);
  return {
    catalogs: guardedBy(guard, catalogs),
    rowShards: guardedBy(guard, ofRows.rowShards),
    accounts: guardedBy(guard, new AccountResources({ ...parts })),
    principals: guardedBy(guard, new PrincipalAdmin(catalog, tokens, parts.accessChanged)),
    audit: guardedBy(guard, new AuditTrail(tokens, parts.auditLog)),
    connectors: guardedBy(guard, connectors),
    imports: guardedBy(
      guard,
      new ConnectorImports({ catalog, connectors, tables: parts.tableImport, tokens }),
    ),
    storageProfiles: guardedBy(guard, new StorageProfileResources({ ...parts, names })),
    namespaces: guardedBy(guard, namespaces),
    tables: guardedBy(guard, tables),
    statistics: guardedBy(guard, new StatisticsResources({ ...parts, lookup })),
    constraints: guardedBy(guard, new ConstraintResources({ ...parts, lookup })),
    otherTables: guardedBy(guard, new OtherTables({ ...parts, names })),
    views: guardedBy(guard, views),
    icebergViews: parts.icebergViews,
    history: guardedBy(guard, history),
    lookup: guardedBy(guard, new ResourceLookup(history, names)),
    search: guardedBy(guard, new NameSearch(catalog, tokens, parts.names)),
    snapshots,
    layouts,
    dropped,
    droppedLists: guardedBy(guard, new DroppedLists({ catalog, names, tokens })),
    jobs,
    changes,
    changeStreams,
    rows: guardedBy(guard, ofRows.rows),
    patterns: guardedBy(guard, ofRows.patterns),
    sql,
    tokens,
  };
}
