import { fileURLToPath } from "node:url";
import { type FirnError, invalid } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import { createMetrics } from "../base/metrics.ts";
import { LocalBlobStore } from "../blob/local.ts";
import type { BlobStore } from "../blob/port.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";
import { type BesideReport, type BesideRequest, restoreBeside } from "../service/backup/beside.ts";
import { type Backup, findBackup, readOthers } from "../service/backup/format.ts";
import type { BackupParts } from "../service/backup/parts.ts";
import { patientBlobs } from "../service/backup/patient-stores.ts";
import { accountBeside, type BackupRequest, takeStoreBackup } from "../service/backup/store.ts";
import { type BackupReport, takeBackup } from "../service/backup/take.ts";
import { verifyBackup } from "../service/backup/verify.ts";
import { type Scratch, withScratch } from "../service/gc/parts.ts";
import type { CatalogNode } from "../service/node.ts";
import { bucketOf, parseLocation } from "./location.ts";
import { ownLocations } from "./own-locations.ts";
import { scratchOf } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import type { Components, Stores } from "./stores.ts";

/** Where backups lie. */
export interface BackupLocation {
  readonly store: BlobStore;
  readonly close: () => Promise<void>;
}

/**
 * A directory, or a prefix of a bucket, that backups lie in.
 *
 * @throws FirnError `Invalid` `BACKUP_URI_INVALID`; what makes the bucket unusable.
 */
export async function openBackupLocation(
  uri: string,
  cwd: string,
  settings: Settings,
  components: Components,
): Promise<BackupLocation> {
  const location = locationOf(uri, cwd);
  if (ownLocations(settings).some((own) => isWithin(location, own) || isWithin(own, location))) {
    throw badUri(uri, "the store's own files lie there");
  }
  const s3Bucket = bucketOf(location);
  if (s3Bucket === undefined) {
    const store = new LocalBlobStore(fileURLToPath(location), components);
    return { store, close: async () => {} };
  }
  const path = location.slice(`s3://${s3Bucket}`.length).replace(/^\/+|\/+$/g, "");
  const s3Prefix = path === "" ? "" : `${path}/`;
  const { catalogBucket } = await import("./s3-stores.ts");
  const target = { ...settings, s3Bucket, s3Prefix, init: false };
  const { uncached, close } = await catalogBucket(target, components, createMetrics());
  return { store: uncached, close };
}

function locationOf(uri: string, cwd: string): string {
  try {
    return parseLocation(uri, cwd);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badUri(uri, error.message);
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

function badUri(uri: string, why: string): FirnError {
  return invalid("BACKUP_URI_INVALID", `invalid backup location: ${why}`, { uri });
}

/**
 * The newest backup, or the one of an id, once all of it was read.
 *
 * @throws FirnError as `findBackup` and `verifyBackup`.
 */
export async function findWhole(
  store: BlobStore,
  id: string | undefined,
  components: Components,
  openScratch: () => Promise<Scratch>,
): Promise<Backup> {
  const { clock } = components;
  const source = patientBlobs(store, components);
  const verify = (backup: Backup): Promise<void> =>
    withScratch(openScratch, (scratch) => verifyBackup({ source, clock, scratch }, backup));
  const backup = await findBackup(source, id);
  await verify(backup);
  for await (const other of readOthers(source, backup)) await verify(other);
  return backup;
}

/** Backs up stores that are open. @throws FirnError as `takeBackup` and `openBackupLocation`. */
export async function backUp(
  {
    pointers,
    blobs,
    uncached = blobs,
    rows,
  }: Pick<Stores, "pointers" | "blobs" | "uncached"> & Pick<BackupParts, "rows">,
  { uri, account, catalog }: BackupRequest,
  settings: Settings,
  components: Components,
): Promise<BackupReport> {
  const { store: target, close } = await openBackupLocation(
    uri,
    process.cwd(),
    settings,
    components,
  );
  const { clock, prng } = components;
  const { historyRetention: historyRetentionMs } = settings;
  const ids = new IdSource(clock, prng);
  const own = { clock, prng, ids, target, historyRetentionMs };
  const openScratch = scratchOf(settings.profile, components);
  const parts = { ...own, pointers, blobs: uncached, rows };
  try {
    if (account === undefined && catalog === undefined) {
      return await takeStoreBackup({ ...parts, openScratch });
    }
    return await withScratch(openScratch, (scratch) =>
      takeBackup({ ...parts, scratch }, account ?? DEFAULT_ACCOUNT, catalog),
    );
  } finally {
    await close();
  }
}

/**
 * Makes a catalog of a backup again beside those of its account.
 *
 * @param nodeOf what serves the account of an actor.
 * @throws FirnError as `restoreBeside`, `accountBeside` and `openBackupLocation`.
 */
export async function restoreInto(
  { pointers }: Pick<Stores, "pointers">,
  nodeOf: (actor: Actor) => Promise<CatalogNode>,
  { uri, id, account, ...scope }: BesideRequest,
  operator: Actor,
  settings: Settings,
  components: Components,
): Promise<BesideReport> {
  const location = await openBackupLocation(uri, process.cwd(), settings, components);
  const openScratch = scratchOf(settings.profile, components);
  try {
    const whole = await findWhole(location.store, id, components, openScratch);
    const { clock, prng } = components;
    const source = patientBlobs(location.store, components);
    const into = await accountBeside(source, pointers, whole, account);
    const actor = { ...operator, account: into.name, accountId: into.id };
    const { catalog, catalogs, copies } = await nodeOf(actor);
    const parts = { catalog, catalogs, copies, clock, prng, source: location.store };
    return await withScratch(openScratch, (scratch) =>
      restoreBeside({ ...parts, scratch }, actor, into.backup, scope),
    );
  } finally {
    await location.close();
  }
}
