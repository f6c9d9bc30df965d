import { FirnError } from "../../base/error.ts";
import type { AccountId, CatalogId, WriterId } from "../../base/ids.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { type KeyStep, leftOut, statesAfter } from "../../catalog/cut.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { FAMILIES, keyOf } from "../../catalog/keys.ts";
import { HistoryPin } from "../../catalog/pins.ts";
import { payloadOfKey } from "../../catalog/references.ts";
import type { PointerStore } from "../../pointer/port.ts";
import type { SortPorts } from "../gc/sorted-lines.ts";
import { shardsOf } from "../rows/row-places.ts";
import { Copies, EarlierBackups, WantedPayloads } from "./copies.ts";
import {
  type BackedShard,
  type Backup,
  type ChangeLine,
  FORMAT,
  finishBackup,
  type PointerLine,
  type ScopedCatalog,
  versionOf,
  writeLines,
} from "./format.ts";
import { Gathered } from "./gathered.ts";
import { pointerOf } from "./lines.ts";
import type { BackupParts } from "./parts.ts";
import { patientBlobs, patientPointers } from "./patient-stores.ts";
import { backUpRows, type ShardsOfCatalog } from "./rows.ts";
import { CatalogScope, canonicalOf, scopedCatalog } from "./scope.ts";
import { readSettled } from "./span.ts";
import { verifyBackup } from "./verify.ts";

/** What a backup came to: of all its accounts together. */
export interface BackupReport {
  readonly id: string;
  /** Names. */
  readonly accounts: readonly string[];
  readonly pointers: number;
  readonly changes: number;
  readonly payloads: number;
  /** Payloads that no earlier backup of the location held. */
  readonly copied: number;
  readonly copiedBytes: number;
}

/** A batch may land this long after the minute that its record is filed under. */
const SETTLED_MS = 17 * 60_000;

/**
 * Backs an account up while others write: a sweep of its pointers, made consistent by the
 * change records of its span. Copies only payloads that the location does not hold yet, also those
 * of a backup that broke off; reads the whole backup back; then writes the object that makes it
 * exist. Killed at any point, it is run again.
 *
 * @param catalog the only one that is backed up; absent: all of them.
 * @throws FirnError `NotFound`: `ACCOUNT_NOT_FOUND`, `CATALOG_NOT_FOUND`; `Unavailable`:
 *   `BACKUP_UNSETTLED`, `BACKUP_OVERTAKEN`, what the stores throw; `Corrupt`: `BACKUP_DAMAGED`,
 *   `PAYLOAD_CORRUPT`.
 */
export async function takeBackup(
  stores: BackupParts,
  name: string,
  catalog?: string,
): Promise<BackupReport> {
  const { backup, report } = await copyAccount(stores, { name }, catalog);
  await finishBackup(patientBlobs(stores.target, stores), backup);
  return report;
}

/** An account as it is called; with its id, also where no name leads to it. */
export interface AskedAccount {
  readonly name: string;
  readonly id?: AccountId | undefined;
}

/** The backup of an account, which does not exist yet: no object of `backups/` names it. */
interface CopiedAccount {
  readonly backup: Backup;
  readonly report: BackupReport;
  /** What was done to other accounts from within this one. */
  readonly ofAccounts: readonly KeyStep[];
}

/**
 * Everything of `takeBackup` but its last step.
 *
 * @param earlier what the location held before; absent: it is looked at.
 * @throws as `takeBackup`.
 */
export async function copyAccount(
  stores: BackupParts,
  { name, id: known }: AskedAccount,
  catalog?: string,
  earlier?: EarlierBackups,
): Promise<CopiedAccount> {
  const parts = {
    ...stores,
    pointers: patientPointers(stores.pointers, stores),
    blobs: patientBlobs(stores.blobs, stores),
    target: patientBlobs(stores.target, stores),
  };
  const { pointers, clock, ids } = parts;
  const account = known ?? (await accountNamed(pointers, name));
  const startedMs = clock.nowMs();
  const scoped =
    catalog === undefined ? undefined : await scopedCatalog(pointers, account, catalog);
  const scope = scoped && new CatalogScope(account, scoped.id, parts.blobs, parts);
  const id = ids.mint<WriterId>();
  // Before the sweep: what that sees is there until it is copied.
  const sinceMs = startedMs - parts.historyRetentionMs;
  const pin = await HistoryPin.take(parts.blobs, clock, account, { id, sinceMs });
  try {
    const begun = { id, account, name, startedMs, scoped, scope, pin, earlier };
    return await copyPinned(parts, begun);
  } finally {
    // If that fails, it ends by itself.
    await pin.release().catch(() => undefined);
  }
}

/** @throws FirnError `NotFound` `ACCOUNT_NOT_FOUND`. */
async function accountNamed(pointers: PointerStore, name: string): Promise<AccountId> {
  const named = await pointers.get(keyOf(FAMILIES.accountByName, name));
  if (named.state === "live") return summaryOfItem(named).entityId as AccountId;
  throw new FirnError("NotFound", "ACCOUNT_NOT_FOUND", "the store has no such account", { name });
}

/** What a backup is of. */
interface Begun {
  readonly id: WriterId;
  readonly account: AccountId;
  readonly name: string;
  readonly startedMs: number;
  readonly scoped: ScopedCatalog | undefined;
  readonly scope: CatalogScope | undefined;
  readonly pin: HistoryPin;
  readonly earlier: EarlierBackups | undefined;
}

async function copyPinned(
  parts: BackupParts,
  { id, account, name, startedMs, scoped, scope, pin, ...begun }: Begun,
): Promise<CopiedAccount> {
  const { target } = parts;
  const from = { account, fromMs: startedMs - SETTLED_MS, scope, pin };
  const gathered = new Gathered(parts, from);
  await gathered.sweep();
  const cutMs = await readSettled(parts, from, gathered);
  await gathered.close();
  const left = await leftOut(gathered.states, gathered.steps);
  const pointers = async function* (): AsyncGenerator<PointerLine> {
    for await (const state of statesAfter(gathered.states, gathered.steps, left)) {
      yield* pointerOf(state);
    }
  };
  const changes = async function* (): AsyncGenerator<ChangeLine> {
    for await (const change of gathered.changes()) if (!left.has(change.id)) yield change;
  };

  const earlier = begun.earlier ?? (await EarlierBackups.list(target, () => pin.keep()));
  const copies = await Copies.open(earlier, parts, pin, account);
  await copies.copy(await wantedPayloads(parts, pointers(), changes(), pin), parts.blobs);
  // A derived pointer without its payload means nothing, or is made again from the metadata.
  const whole = async function* (): AsyncGenerator<PointerLine> {
    for await (const line of pointers()) if (!copies.lost.has(line.sha)) yield line;
  };
  const shards = await backedRows(parts, pointers());
  const content = {
    id,
    account,
    accountName: name,
    ...(scoped && { catalog: scoped }),
    startedMs,
    cutMs,
    historyFromMs: startedMs - parts.historyRetentionMs,
    pointers: await writeLines(target, whole()),
    changes: await writeLines(target, changes()),
    ...(await copies.index(target)),
    ...(shards.length > 0 && { shards }),
  };
  const backup: Backup = { format: FORMAT, version: versionOf(content), ...content };
  await verifyBackup({ ...parts, source: target }, backup);
  const report: BackupReport = {
    id: backup.id,
    accounts: [name],
    pointers: backup.pointers.lines,
    changes: backup.changes.lines,
    payloads: backup.payloads.lines,
    copied: copies.copied,
    copiedBytes: copies.copiedBytes,
  };
  return { backup, report, ofAccounts: gathered.ofAccounts };
}

/** The rows of all catalogs of a backup. */
async function backedRows(
  { target, rows, blobs }: BackupParts,
  pointers: AsyncIterable<PointerLine>,
): Promise<readonly BackedShard[]> {
  if (rows === undefined) return [];
  // By its payload: it may be of any account, and dropped.
  const catalogs = async function* (): AsyncGenerator<ShardsOfCatalog> {
    for await (const { key, sha } of pointers) {
      const named = canonicalOf(key);
      if (named?.type !== "catalog") continue;
      const catalog = named.id as CatalogId;
      const found = await blobs.get(payloadOfKey(key, Buffer.from(sha, "hex")));
      const entity = found && decodePayload("catalog", found.bytes).entity;
      const shards = entity?.type === "catalog" ? shardsOf(entity).map(({ id }) => id) : [catalog];
      yield { catalog, shards };
    }
  };
  return await backUpRows(target, rows, catalogs());
}

async function wantedPayloads(
  ports: SortPorts,
  pointers: AsyncIterable<PointerLine>,
  changes: AsyncIterable<ChangeLine>,
  pin: HistoryPin,
): Promise<WantedPayloads> {
  const wanted = new WantedPayloads(ports);
  for await (const { key, sha, blob } of pointers) {
    await pin.keep();
    await wanted.add(key, sha, blob === undefined ? "current" : "derived", blob);
  }
  for await (const { keys } of changes) {
    await pin.keep();
    for (const [key, , , from, to] of keys) {
      for (const sha of [from, to]) if (sha !== null) await wanted.add(key, sha, "history");
    }
  }
  return wanted;
}
