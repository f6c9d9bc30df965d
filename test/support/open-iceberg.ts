import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import { createMetrics, type Metrics } from "../../src/base/metrics.ts";
import { type LocationScheme, Locations } from "../../src/blob/locations.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import type { AccountCatalog } from "../../src/catalog/catalog.ts";
import { parseRequirements } from "../../src/iceberg/requirements.ts";
import { parseUpdates } from "../../src/iceberg/updates.ts";
import { CatalogAdmin } from "../../src/service/catalog-admin.ts";
import { DroppedAdmin } from "../../src/service/dropped-admin.ts";
import { Iceberg } from "../../src/service/iceberg.ts";
import { IcebergNamespaces } from "../../src/service/iceberg-namespaces.ts";
import { IcebergTables } from "../../src/service/iceberg-tables.ts";
import { IcebergViews } from "../../src/service/iceberg-views.ts";
import { JobRunner } from "../../src/service/job-runner.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "../../src/service/metadata-files.ts";
import { MetricsReports } from "../../src/service/metrics-reports.ts";
import { PageTokens } from "../../src/service/page-token.ts";
import { Purge } from "../../src/service/purge.ts";
import type { CommitTable } from "../../src/service/requests.ts";
import { TableLocations } from "../../src/service/table-locations.ts";
import { openTestCatalog, testStores } from "./open-catalog.ts";

/** One node of the service over some stores, with catalog `c` in a directory of its own. */
export interface TestIceberg {
  readonly iceberg: Iceberg;
  readonly catalog: AccountCatalog;
  readonly locations: Locations;
  readonly reports: MetricsReports;
  readonly metrics: Metrics;
  readonly catalogs: CatalogAdmin;
  readonly dropped: DroppedAdmin;
  /** Not started: a test says when it looks. */
  readonly runner: JobRunner;
  /** The warehouse as a path; its URI is `file://` and this. */
  readonly directory: string;
}

/** A directory that goes with the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "firn-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a node. A second node over the same stores and directory sees what the first one made. */
export async function openTestIceberg(
  stores: AccountStores = testStores(),
  directory: string = scratchDirectory(),
): Promise<TestIceberg> {
  const { clock, prng } = stores;
  const root = `file://${directory}`;
  const locations = new Locations({ allowedRoots: [root], clock, prng, durable: false });
  return { ...(await openOver(stores, locations, root)), directory };
}

/** Opens a node whose metadata files lie in a blob store too, so that nothing touches a disk. */
export async function openInMemory(
  stores: AccountStores,
  files: BlobStore,
): Promise<Omit<TestIceberg, "directory">> {
  const { clock, prng } = stores;
  const root = "mem://w";
  const scheme: LocationScheme = {
    normalize: (uri) => uri.replace(/(?<!\/)\/+$/, ""),
    open: (at) => ({ store: files, pathOf: (location) => location.slice(at.length + 1) }),
  };
  const schemes = new Map([["mem", scheme]]);
  const locations = new Locations({ allowedRoots: [root], clock, prng, schemes });
  return openOver(stores, locations, root);
}

async function openOver(
  stores: AccountStores,
  locations: Locations,
  root: string,
): Promise<Omit<TestIceberg, "directory">> {
  const catalog = await openTestCatalog(stores);
  const catalogs = new CatalogAdmin(catalog, locations, root);
  await catalogs.ensure("c", root);
  const places = new TableLocations(catalog, locations, []);
  const tableFiles = new MetadataFiles(locations, TABLE_FORMAT);
  const viewFiles = new MetadataFiles(locations, VIEW_FORMAT);
  const tables = new IcebergTables(catalog, locations, tableFiles, places);
  const views = new IcebergViews(catalog, viewFiles, places);
  const tokens = new PageTokens(new Uint8Array(32));
  const dropped = new DroppedAdmin(catalog, places);
  const metrics = createMetrics();
  const reports = new MetricsReports(catalog, metrics);
  const namespaces = new IcebergNamespaces(catalog, tokens);
  const iceberg = new Iceberg(catalog, namespaces, tables, views, reports);
  const purge = new Purge(catalog, { locations, files: tableFiles, metrics });
  const runner = new JobRunner(
    catalog,
    { purge: (lease, ended) => purge.run(lease, ended) },
    metrics,
  );
  return { reports, metrics, iceberg, catalog, catalogs, dropped, runner, locations };
}

/** A commit as it arrives. */
export function commitOf(updates: JsonValue, requirements: JsonValue = []): CommitTable {
  return { requirements: parseRequirements(requirements), updates: parseUpdates(updates) };
}

/** A schema of one column. */
export const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", type: "long", required: false }],
} as const;
