import { tmpdir } from "node:os";
import { IdSource } from "../base/ids.ts";
import { Locations } from "../blob/locations.ts";
import type { BlobStore } from "../blob/port.ts";
import { S3_SCHEMES } from "../blob/s3/location.ts";
import { AccountCatalog } from "../catalog/catalog.ts";
import { storageAccounts } from "../catalog/storage-profiles.ts";
import { Fsck } from "../service/fsck/fsck.ts";
import { learnStoredRoots } from "../service/fsck/roots.ts";
import { type CheckRows, judgeRowsWith } from "../service/fsck/row-tables.ts";
import { judgeFilesWith } from "../service/fsck/table-files.ts";
import { MetadataFiles, TABLE_FORMAT, VIEW_FORMAT } from "../service/metadata-files.ts";
import { threadReading } from "../service/reading.ts";
import { RowReaders } from "../service/rows/row-readers.ts";
import { profileIndex } from "./account-profiles.ts";
import { accountLake, type Lake } from "./lake.ts";
import { fileUri } from "./location.ts";
import { ownLocations } from "./own-locations.ts";
import type { CheckRun } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import type { Components, Stores } from "./stores.ts";

/** What is checked: stores that are open, with the files of tables and their rows. */
export interface Checked {
  readonly stores: Pick<Stores, "pointers" | "blobs" | "uncached" | "secret">;
  readonly lake: Lake;
  readonly rows: { readonly check: CheckRows; readonly close: () => Promise<void> } | undefined;
}

/**
 * Checks stores that are open, all accounts of them: what no node may read for its clients, since
 * it is another account's, is read too.
 */
export async function* checkOver(
  { stores: { pointers, blobs, uncached = blobs, secret }, lake, rows }: Checked,
  settings: Settings,
  components: Components,
  scratch: BlobStore,
  repair: boolean,
): CheckRun {
  const { historyRetention: historyRetentionMs, profile } = settings;
  const { clock, prng, onDefect } = components;
  const ids = new IdSource(clock, prng);
  const profiles = profileIndex(secret, settings, components);
  const own = accountLake({ lake, profiles, settings, assertOwn: () => {} });
  const reading = threadReading(clock);
  const inMemory = profile === "memory";
  try {
    const locations = new Locations({
      clock,
      prng,
      allowedRoots: inMemory ? [fileUri(tmpdir())] : [],
      durable: !inMemory,
      reserved: ownLocations(settings),
      schemes: new Map(S3_SCHEMES.map((name) => [name, own.scheme])),
    });
    const checked = { pointers, blobs: uncached, clock, prng, ids, scratch };
    await learnStoredRoots(checked, locations);
    const of = { ...checked, blobs, dropRetentionMs: settings.dropRetention, onDefect };
    profiles.serve(
      async () =>
        (await storageAccounts(pointers)).map((account) => ({
          account,
          profiles: AccountCatalog.of(of, account).storageProfiles,
        })),
      (roots) => {
        for (const root of roots) locations.addRoot(root);
      },
    );
    const ofFiles = judgeFilesWith(checked, {
      tables: new MetadataFiles(clock, locations, TABLE_FORMAT, reading),
      views: new MetadataFiles(clock, locations, VIEW_FORMAT, reading),
    });
    const files = rows === undefined ? ofFiles : judgeRowsWith(rows.check, ofFiles);
    return yield* new Fsck({ ...checked, files, historyRetentionMs }).run(repair);
  } finally {
    await rows?.close();
    await reading.close();
  }
}

/** Checks of row tables that any node may own. */
export function rowsBeside(
  read: NonNullable<Stores["readRowShard"]>,
  { clock, prng }: Pick<Components, "clock" | "prng">,
): NonNullable<Checked["rows"]> {
  const readers = new RowReaders({ clock, prng, read });
  return { check: (table) => readers.check(table), close: () => readers.close() };
}
