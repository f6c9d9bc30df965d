import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import type { IcebergService } from "../service/requests.ts";
import type { Settings } from "./settings.ts";

/** Everything a running Firn consists of below its protocols. */
export interface Composition {
  readonly iceberg: IcebergService;
  readonly metrics: Metrics;
  /** Resolves while the stores can be reached. @throws CatalogError `Unavailable` */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Wires the adapters that the settings name. The only place that knows more than ports. */
export async function compose(
  settings: Settings,
  _components: { readonly clock: Clock; readonly prng: Prng },
): Promise<Composition> {
  throw new CatalogError("Internal", "NOT_COMPOSED", "profile has no wiring", {
    profile: settings.profile,
  });
}
