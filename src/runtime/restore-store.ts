import { FirnError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { createMetrics } from "../base/metrics.ts";
import type { RestoreParts, RestoreReport } from "../service/backup/restore.ts";
import { restoreStoreBackup } from "../service/backup/store.ts";
import { findWhole, openBackupLocation } from "./backups.ts";
import { openStores } from "./compose.ts";
import { scratchOf } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import type { Components, Stores } from "./stores.ts";

/** What a restore is to do. */
export interface RestoreRequest {
  readonly uri: string;
  /** Of the backup; the newest if absent. */
  readonly id?: string | undefined;
  readonly atMs?: number | undefined;
  /** The only account that is restored; absent: all, or `default` where a catalog is named. */
  readonly account?: string | undefined;
  /** The only catalog that is restored; absent: all. */
  readonly catalog?: string | undefined;
  /** Reads the backup whole, and restores nothing. */
  readonly verifyOnly: boolean;
}

/**
 * Reads a backup whole, and makes its store unless that is all.
 *
 * @throws FirnError as `restoreWhole`.
 */
export async function restoreStore(
  { verifyOnly, ...request }: RestoreRequest,
  settings: Settings,
  components: Components,
): Promise<RestoreReport | { readonly id: string }> {
  if (!verifyOnly) return restoreWhole(request, settings, components);
  const location = await openBackupLocation(request.uri, process.cwd(), settings, components);
  const openScratch = scratchOf(settings.profile, components);
  try {
    const backup = await findWhole(location.store, request.id, components, openScratch);
    return { id: backup.id };
  } finally {
    await location.close();
  }
}

/** @throws FirnError as `restoreStoreBackup` and `openBackupLocation`. */
export async function restoreWhole(
  { uri, id, ...scope }: Omit<RestoreRequest, "verifyOnly">,
  settings: Settings,
  components: Components,
): Promise<RestoreReport> {
  if (settings.profile === "memory") {
    const message = "profile memory has no store to fill: restore beside, with a new name";
    throw new FirnError("Invalid", "NO_STORE", message);
  }
  const location = await openBackupLocation(uri, process.cwd(), settings, components);
  const openScratch = scratchOf(settings.profile, components);
  try {
    const backup = await findWhole(location.store, id, components, openScratch);
    const stores = await openStores(settings, components, createMetrics());
    try {
      const { clock, prng } = components;
      const { pointers, blobs } = stores;
      const ids = new IdSource(clock, prng);
      const withRows = rowsWith(stores.openRowShard);
      const source = location.store;
      const parts = { pointers, blobs, clock, prng, ids, source, openScratch, withRows };
      return await restoreStoreBackup(parts, backup, scope);
    } finally {
      await stores.close();
    }
  } finally {
    await location.close();
  }
}

/** Opens a shard for some work. */
function rowsWith(open: Stores["openRowShard"]): RestoreParts["withRows"] {
  if (open === undefined) return undefined;
  return async (name, work) => {
    const shard = await open(name);
    try {
      await work(await shard.engine());
    } finally {
      await shard.close();
    }
  };
}
