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
import { KEY_FAMILIES } from "../catalog/keys.ts";
import { MemoryPointerStore } from "../pointer/memory.ts";
import { MeteredPointerStore } from "../pointer/metered.ts";
import type { PointerStore } from "../pointer/port.ts";
import { DEFAULT_CATALOG } from "../service/iceberg.ts";
import { type CatalogNode, openNode } from "../service/node.ts";
import { fileUri } from "./location.ts";
import type { Settings } from "./settings.ts";

const SECRET_BYTES = 32;

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
}

/** Wires the adapters that the settings name. The only place that knows more than ports. */
export async function compose(settings: Settings, components: Components): Promise<Composition> {
  assertLimits();
  const { clock, prng } = components;
  const metrics = createMetrics();
  const { blobs, pointers } = storesOf(settings, components, metrics);
  const ids = new IdSource(clock, prng);
  const sharedRoots = [...settings.allowLocation, fileUri(tmpdir())];
  const durable = settings.profile !== "memory";
  const node = await openNode({
    stores: { clock, prng, ids, blobs, pointers },
    locations: new Locations({ allowedRoots: sharedRoots, clock, prng, durable }),
    metrics,
    secret: prng.bytes(SECRET_BYTES),
    warehouse: settings.warehouse,
    sharedRoots,
  });
  await node.catalogs.ensure(DEFAULT_CATALOG, settings.warehouse);
  for (const { name, uri } of settings.catalog) await node.catalogs.ensure(name, uri);
  node.jobs.start();
  return { ...node, metrics, ready: () => assertReachable(pointers) };
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
