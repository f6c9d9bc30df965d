import { tmpdir } from "node:os";
import { join } from "node:path";
import { Counter } from "prom-client";
import type { OnDefect } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import { CatalogError, type ErrorContext } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { assertLimits } from "../base/limits.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { Locations } from "../blob/locations.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import { MeteredBlobStore } from "../blob/metered.ts";
import type { BlobStore } from "../blob/port.ts";
import { KEY_FAMILIES } from "../catalog/keys.ts";
import { LsmMetrics } from "../lsm/metrics.ts";
import { LsmPointerStore } from "../pointer/lsm.ts";
import { MemoryPointerStore } from "../pointer/memory.ts";
import { MeteredPointerStore } from "../pointer/metered.ts";
import type { PointerStore } from "../pointer/port.ts";
import type { CatalogAdmin } from "../service/catalog-admin.ts";
import { DEFAULT_CATALOG } from "../service/iceberg.ts";
import { type CatalogNode, openNode } from "../service/node.ts";
import { LocalShard, localBlobStore } from "./local-shard.ts";
import { fileUri } from "./location.ts";
import { deploymentSecret, SECRET_BYTES } from "./secret.ts";
import { SETTINGS, type Settings } from "./settings.ts";

/** Everything a running Firn consists of below its protocols. */
export interface Composition
  extends Pick<
    CatalogNode,
    "iceberg" | "catalogs" | "snapshots" | "reports" | "dropped" | "close"
  > {
  readonly metrics: Metrics;
  /** Resolves while the stores can be reached. @throws CatalogError `Unavailable` */
  ready(): Promise<void>;
}

interface Components {
  readonly clock: Clock;
  readonly prng: Prng;
  /** Told what an operator should know of the start. */
  readonly notify: (text: string, facts: ErrorContext) => void;
  /** Hears of defects of ours that no request waits for. They are counted already. */
  readonly onDefect: OnDefect;
}

/** What differs between the profiles. */
interface Stores {
  readonly blobs: BlobStore;
  readonly pointers: PointerStore;
  /** Of the deployment: what was signed with it stays good as long as it is the same. */
  readonly secret: Uint8Array;
  readonly close: () => Promise<void>;
}

/**
 * Wires the adapters that the settings name. The only place that knows more than ports.
 *
 * @throws CatalogError `PROFILE_NOT_BUILT`; profile `local`: `DIR_UNUSABLE`, as `LocalShard.open`.
 */
export async function compose(settings: Settings, components: Components): Promise<Composition> {
  assertLimits();
  const metrics = createMetrics();
  const stores = await openStores(settings, components, metrics);
  try {
    return await composeOver(stores, settings, components, metrics);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function composeOver(
  { blobs, pointers, secret, close }: Stores,
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Composition> {
  const { clock, prng } = components;
  const ids = new IdSource(clock, prng);
  const inMemory = settings.profile === "memory";
  const sharedRoots = [...settings.allowLocation, ...(inMemory ? [fileUri(tmpdir())] : [])];
  const node = await openNode({
    stores: { clock, prng, ids, blobs, pointers, onDefect: counted(components, metrics) },
    locations: new Locations({ allowedRoots: sharedRoots, clock, prng, durable: !inMemory }),
    metrics,
    secret,
    warehouse: settings.warehouse,
    sharedRoots,
  });
  await ensureCatalogs(node.catalogs, settings, components);
  node.jobs.start();
  return {
    ...node,
    metrics,
    ready: () => assertReachable(pointers),
    close: async () => {
      try {
        await node.close();
      } finally {
        await close();
      }
    },
  };
}

function counted({ onDefect }: Components, metrics: Metrics): OnDefect {
  const defects = new Counter({
    name: "firn_background_defects_total",
    help: "Pieces of work in the background that a defect ended",
    registers: [metrics],
  });
  return (error) => {
    defects.inc();
    onDefect(error);
  };
}

/** Catalogs that the settings name, and the roots of all that are stored. */
async function ensureCatalogs(
  catalogs: CatalogAdmin,
  settings: Settings,
  { notify }: Components,
): Promise<void> {
  const { warehouse, dir, catalog } = settings;
  const { location } = await catalogs.ensure(DEFAULT_CATALOG, warehouse);
  // Where none was asked for, the one that is stored stays.
  const asked = warehouse !== SETTINGS.warehouse.fallback({ dir }, dir);
  if (asked && location !== warehouse) {
    const before = await catalogs.moveRoot(DEFAULT_CATALOG, warehouse);
    if (before !== undefined) {
      notify("new tables go to another warehouse; those that are there stay", {
        ...{ before, warehouse },
      });
    }
  }
  for (const { name, uri } of catalog) await catalogs.ensure(name, uri);
  await catalogs.allowRoots();
}

async function openStores(
  settings: Settings,
  components: Components,
  metrics: Metrics,
): Promise<Stores> {
  const { profile } = settings;
  switch (profile) {
    case "memory":
      return memoryStores(components, metrics);
    case "local":
      return localStores(settings, components, metrics);
    case "bucket":
    case "aws":
      throw new CatalogError("Invalid", "PROFILE_NOT_BUILT", "profile is not built", { profile });
  }
}

function memoryStores({ clock, prng }: Components, metrics: Metrics): Stores {
  const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
  return {
    blobs: new MeteredBlobStore(new MemoryBlobStore(clock), { clock, metrics }),
    pointers: new MeteredPointerStore(pointers, { clock, metrics }),
    secret: prng.bytes(SECRET_BYTES),
    close: async () => {},
  };
}

async function localStores(
  { dir, standby, takeover }: Settings,
  { clock, prng, notify }: Components,
  metrics: Metrics,
): Promise<Stores> {
  const secret = await deploymentSecret(join(dir, "secret"), prng);
  const blobs = new MeteredBlobStore(localBlobStore(dir, { clock, prng }), { clock, metrics });
  if (standby) notify("waits for whoever has the directory open to end", { dir });
  const shard = await LocalShard.open(dir, blobs, {
    ...{ clock, prng },
    takeOver: takeover ? "takeover" : standby ? "standby" : "refuse",
    metrics: new LsmMetrics(metrics),
  });
  const pointers = new LsmPointerStore({ families: KEY_FAMILIES, clock, engine: shard.engine });
  return {
    blobs,
    pointers: new MeteredPointerStore(pointers, { clock, metrics }),
    secret,
    close: () => shard.close(),
  };
}

async function assertReachable(pointers: PointerStore): Promise<void> {
  await pointers.get("/system/keys/ready");
}
