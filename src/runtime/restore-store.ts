import { FirnError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { createMetrics } from "../base/metrics.ts";
import { findBackup } from "../service/backup/format.ts";
import { type RestoreReport, restoreBackup } from "../service/backup/restore.ts";
import { verifyBackup } from "../service/backup/verify.ts";
import { openBackupLocation } from "./backups.ts";
import { openStores } from "./compose.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** What a restore is to do. */
export interface RestoreRequest {
  readonly uri: string;
  /** Of the backup; the newest if absent. */
  readonly id?: string | undefined;
  readonly atMs?: number | undefined;
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
  try {
    const backup = await findBackup(location.store, request.id);
    await verifyBackup(location.store, backup);
    return { id: backup.id };
  } finally {
    await location.close();
  }
}

/** @throws FirnError as `restoreBackup` and `openBackupLocation`. */
export async function restoreWhole(
  { uri, id, atMs, catalog }: Omit<RestoreRequest, "verifyOnly">,
  settings: Settings,
  components: Components,
): Promise<RestoreReport> {
  if (settings.profile === "memory") {
    const message = "profile memory has no store to fill: restore beside, with a new name";
    throw new FirnError("Invalid", "NO_STORE", message);
  }
  const location = await openBackupLocation(uri, process.cwd(), settings, components);
  try {
    const backup = await findBackup(location.store, id);
    await verifyBackup(location.store, backup);
    const stores = await openStores(settings, components, createMetrics());
    try {
      const { clock, prng } = components;
      const { pointers, blobs } = stores;
      const ids = new IdSource(clock, prng);
      const parts = { pointers, blobs, clock, ids, source: location.store };
      return await restoreBackup(parts, backup, { atMs, catalog });
    } finally {
      await stores.close();
    }
  } finally {
    await location.close();
  }
}
