import { IdSource } from "../base/ids.ts";
import { createMetrics } from "../base/metrics.ts";
import { Locations } from "../blob/locations.ts";
import type { BlobStore } from "../blob/port.ts";
import { S3_SCHEMES } from "../blob/s3/location.ts";
import { noShard } from "../lsm/tools.ts";
import { Fsck } from "../service/fsck/fsck.ts";
import { learnStoredRoots } from "../service/fsck/roots.ts";
import { judgeFilesWith } from "../service/fsck/table-files.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "../service/metadata-files.ts";
import { threadReading } from "../service/reading.ts";
import { openStores } from "./compose.ts";
import { openLake } from "./lake.ts";
import { hasShard } from "./local-shard.ts";
import { ownLocations } from "./own-locations.ts";
import { type CheckRun, withScratch } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import { SYSTEM_SHARD } from "./shard-parts.ts";
import type { Components, Stores } from "./stores.ts";

/**
 * Checks the stores that the settings name, in this process. On profiles `local` and `bucket` it
 * becomes their owner for as long as it runs.
 *
 * @throws FirnError `Unavailable`, code `LSM_OWNED`: a server has them open; `NotFound`, code
 *   `LSM_NO_SHARD`; what makes the stores of the profile unusable, and what they throw.
 */
export async function* checkStores(
  settings: Settings,
  components: Components,
  repair: boolean,
): CheckRun {
  const { profile, dir } = settings;
  if (profile === "memory") throw noShard(`profile ${profile}`);
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  const stores = await openStores(settings, components, createMetrics());
  try {
    return yield* withScratch(profile, components, (scratch) =>
      checkOpened(stores, settings, components, scratch, repair),
    );
  } finally {
    await stores.close();
  }
}

async function* checkOpened(
  { pointers, blobs, uncached = blobs }: Stores,
  settings: Settings,
  components: Components,
  scratch: BlobStore,
  repair: boolean,
): CheckRun {
  const { clock, prng } = components;
  const { historyRetention: historyRetentionMs } = settings;
  const ids = new IdSource(clock, prng);
  const lake = openLake(settings, components, createMetrics());
  const reading = threadReading(clock);
  try {
    const locations = new Locations({
      clock,
      prng,
      allowedRoots: [],
      durable: true,
      reserved: ownLocations(settings),
      schemes: new Map(S3_SCHEMES.map((name) => [name, lake.scheme])),
    });
    const checked = { pointers, blobs: uncached, clock, prng, ids, scratch };
    await learnStoredRoots(checked, locations);
    const files = judgeFilesWith(checked, {
      tables: new MetadataFiles(clock, locations, TABLE_FORMAT, reading),
      views: new MetadataFiles(clock, locations, VIEW_FORMAT, reading),
    });
    return yield* new Fsck({ ...checked, files, historyRetentionMs }).run(repair);
  } finally {
    await reading.close();
    await lake.close();
  }
}
