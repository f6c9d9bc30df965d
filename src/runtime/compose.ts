import { tmpdir } from "node:os";
import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { assertLimits } from "../base/limits.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { Locations } from "../blob/locations.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import { AccountCatalog } from "../catalog/catalog.ts";
import { KEY_FAMILIES } from "../catalog/keys.ts";
import { MemoryPointerStore } from "../pointer/memory.ts";
import { MeteredPointerStore } from "../pointer/metered.ts";
import type { PointerStore } from "../pointer/port.ts";
import { CatalogAdmin } from "../service/catalog-admin.ts";
import { DroppedAdmin } from "../service/dropped-admin.ts";
import { DEFAULT_CATALOG, Iceberg } from "../service/iceberg.ts";
import { IcebergNamespaces } from "../service/iceberg-namespaces.ts";
import { IcebergTables } from "../service/iceberg-tables.ts";
import { IcebergViews } from "../service/iceberg-views.ts";
import { JobRunner } from "../service/job-runner.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "../service/metadata-files.ts";
import { MetricsReports } from "../service/metrics-reports.ts";
import { PageTokens } from "../service/page-token.ts";
import { Purge } from "../service/purge.ts";
import type { IcebergService } from "../service/requests.ts";
import { TableLocations } from "../service/table-locations.ts";
import { TableSnapshots } from "../service/table-snapshots.ts";
import { fileUri } from "./location.ts";
import type { Settings } from "./settings.ts";

const DEFAULT_ACCOUNT = "default";
const SECRET_BYTES = 32;

/** Everything a running Firn consists of below its protocols. */
export interface Composition {
  readonly iceberg: IcebergService;
  readonly catalogs: CatalogAdmin;
  readonly snapshots: TableSnapshots;
  readonly reports: MetricsReports;
  readonly dropped: DroppedAdmin;
  readonly metrics: Metrics;
  /** Resolves while the stores can be reached. @throws CatalogError `Unavailable` */
  ready(): Promise<void>;
  close(): Promise<void>;
}

interface Components {
  readonly clock: Clock;
  readonly prng: Prng;
}

/** Wires the adapters that the settings name. The only place that knows more than ports. */
export async function compose(settings: Settings, components: Components): Promise<Composition> {
  assertLimits();
  const { clock, prng } = components;
  const metrics = createMetrics();
  const { blobs, pointers } = storesOf(settings, components, metrics);
  const ids = new IdSource(clock, prng);
  const catalog = await AccountCatalog.open({ clock, prng, ids, blobs, pointers }, DEFAULT_ACCOUNT);
  const sharedRoots = [...settings.allowLocation, fileUri(tmpdir())];
  const durable = settings.profile !== "memory";
  const locations = new Locations({ allowedRoots: sharedRoots, clock, prng, durable });
  const catalogs = new CatalogAdmin(catalog, locations, settings.warehouse);
  await catalogs.ensure(DEFAULT_CATALOG, settings.warehouse);
  for (const { name, uri } of settings.catalog) await catalogs.ensure(name, uri);

  const tokens = new PageTokens(prng.bytes(SECRET_BYTES));
  const places = new TableLocations(catalog, locations, sharedRoots);
  const tableFiles = new MetadataFiles(locations, TABLE_FORMAT);
  const viewFiles = new MetadataFiles(locations, VIEW_FORMAT);
  const tables = new IcebergTables(catalog, locations, tableFiles, places);
  const views = new IcebergViews(catalog, viewFiles, places);
  const reports = new MetricsReports(catalog, metrics);
  const namespaces = new IcebergNamespaces(catalog, tokens);
  const iceberg = new Iceberg(catalog, namespaces, tables, views, reports);
  const purge = new Purge(catalog, { locations, files: tableFiles, metrics });
  const jobs = new JobRunner(
    catalog,
    { purge: (lease, ended) => purge.run(lease, ended) },
    metrics,
  );
  jobs.start();
  return {
    iceberg,
    catalogs,
    dropped: new DroppedAdmin(catalog, places),
    snapshots: new TableSnapshots(catalog, tableFiles),
    reports,
    metrics,
    ready: () => assertReachable(pointers),
    close: async () => {
      await jobs.stop();
      await reports.settled();
      await catalog.context.background.settled();
    },
  };
}

function storesOf({ profile }: Settings, { clock }: Components, metrics: Metrics) {
  switch (profile) {
    case "memory": {
      const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
      return {
        blobs: new MeteredBlobStore(new MemoryBlobStore(clock), { clock, metrics }),
        pointers: new MeteredPointerStore(pointers, { clock, metrics }),
      };
    }
    case "local":
    case "bucket":
    case "aws":
      throw new CatalogError("Invalid", "PROFILE_NOT_BUILT", "profile is not built", { profile });
  }
}

async function assertReachable(pointers: PointerStore): Promise<void> {
  await pointers.get("/system/keys/ready");
}
