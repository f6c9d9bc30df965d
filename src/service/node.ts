import type { Metrics } from "../base/metrics.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountStores } from "../catalog/accounts.ts";
import { AccountCatalog } from "../catalog/catalog.ts";
import { CatalogAdmin } from "./catalog-admin.ts";
import { DroppedAdmin } from "./dropped-admin.ts";
import { Iceberg } from "./iceberg.ts";
import { IcebergNamespaces } from "./iceberg-namespaces.ts";
import { IcebergTables } from "./iceberg-tables.ts";
import { IcebergViews } from "./iceberg-views.ts";
import { JobRunner } from "./job-runner.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "./metadata-files.ts";
import { MetricsReports } from "./metrics-reports.ts";
import { PageTokens } from "./page-token.ts";
import { Purge } from "./purge.ts";
import { TableLocations } from "./table-locations.ts";
import { TableSnapshots } from "./table-snapshots.ts";

const DEFAULT_ACCOUNT = "default";

/** What a node is made of below its use cases. */
export interface NodeParts {
  readonly stores: AccountStores;
  readonly locations: Locations;
  readonly metrics: Metrics;
  /** Signs page tokens: nodes that share it open each other's. 32 bytes. */
  readonly secret: Uint8Array;
  /** Where a catalog lies that is given no location. */
  readonly warehouse: string;
  /** Roots that every catalog may use, besides its own. */
  readonly sharedRoots: readonly string[];
}

/** The use cases of one node over the default account. */
export interface CatalogNode {
  readonly catalog: AccountCatalog;
  readonly catalogs: CatalogAdmin;
  readonly iceberg: Iceberg;
  readonly snapshots: TableSnapshots;
  readonly reports: MetricsReports;
  readonly dropped: DroppedAdmin;
  /** Not started. */
  readonly jobs: JobRunner;
  /** Stops the jobs and waits for what follows answers that were given. Idempotent. */
  close(): Promise<void>;
}

/**
 * Wires the use cases over given ports, for the process, its tests and its simulation alike. Makes
 * the default account where it is not there yet, and no catalog.
 *
 * @throws CatalogError `Unavailable`, `Unknown`: the stores do not answer.
 */
export async function openNode(parts: NodeParts): Promise<CatalogNode> {
  const { stores, locations, metrics, secret, warehouse, sharedRoots } = parts;
  const catalog = await AccountCatalog.open(stores, DEFAULT_ACCOUNT);
  const places = new TableLocations(catalog, locations, sharedRoots);
  const files = new MetadataFiles(locations, TABLE_FORMAT);
  const viewFiles = new MetadataFiles(locations, VIEW_FORMAT);
  const namespaces = new IcebergNamespaces(catalog, new PageTokens(secret));
  const tables = new IcebergTables(catalog, locations, files, places);
  const views = new IcebergViews(catalog, viewFiles, places);
  const reports = new MetricsReports(catalog, metrics, stores.onDefect);
  const purge = new Purge(catalog, { locations, files, metrics });
  const works = { purge: purge.run.bind(purge) };
  const jobs = new JobRunner(catalog, works, metrics);
  return {
    catalog,
    catalogs: new CatalogAdmin(catalog, locations, warehouse),
    iceberg: new Iceberg(catalog, namespaces, tables, views, reports),
    snapshots: new TableSnapshots(catalog, files),
    reports,
    dropped: new DroppedAdmin(catalog, places),
    jobs,
    close: async () => {
      await jobs.stop();
      await reports.settled();
      await catalog.context.background.settled();
    },
  };
}
