import type { Metrics } from "../base/metrics.ts";
import { KEY_FAMILIES } from "../catalog/keys.ts";
import { DynamoClient } from "../pointer/dynamo/client.ts";
import { measureSkew, probeTable } from "../pointer/dynamo/probe.ts";
import { DynamoPointerStore } from "../pointer/dynamo/store.ts";
import { initTable } from "../pointer/dynamo/table.ts";
import { MeteredPointerStore } from "../pointer/metered.ts";
import { SkewWatch } from "../service/stores/skew-watch.ts";
import { StoreCosts } from "../service/stores/store-costs.ts";
import type { Settings } from "./settings.ts";
import type { Components, Stores } from "./stores.ts";

/**
 * Pointers in a table, once it is known to hold them as it must.
 *
 * @throws FirnError as `initTable` (where `init` asks for it) and `probeTable`.
 */
export async function dynamoPointers(
  { dynamodbTable: table, init }: Settings,
  { clock, prng, notify, onDefect }: Components,
  metrics: Metrics,
): Promise<Pick<Stores, "pointers" | "close" | "assertUsable">> {
  const client = new DynamoClient({ clock });
  const target = { client, clock, table };
  try {
    if (init && (await initTable(target)) === "created") notify("made the table", { table });
    const { warnings, clockSkewMs } = await probeTable(target, prng);
    for (const warning of warnings) notify(warning, { table, clockSkewMs });
  } catch (error) {
    client.close();
    throw error;
  }
  const skew = new SkewWatch({ clock, notify, onDefect, measure: () => measureSkew(target) });
  skew.start();
  const onUsage = StoreCosts.of(metrics).pointer;
  const families = KEY_FAMILIES;
  const store = new DynamoPointerStore({ table, families, clock, prng, onUsage });
  return {
    pointers: new MeteredPointerStore(store, { clock, metrics }),
    assertUsable: () => skew.assertClose(),
    close: async () => {
      await skew.stop();
      client.close();
      store.close();
    },
  };
}
