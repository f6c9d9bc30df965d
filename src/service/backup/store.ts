import { FirnError, invalid } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { KeyStep } from "../../catalog/cut.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { directoryOf, FAMILIES, keyOf } from "../../catalog/keys.ts";
import { listPage } from "../../catalog/pages.ts";
import { byIdKey } from "../../catalog/paths.ts";
import type { PointerStore } from "../../pointer/port.ts";
import { DEFAULT_ACCOUNT } from "../actor.ts";
import { type Scratch, withScratch } from "../gc/parts.ts";
import { accountAt, accountStates } from "./account-states.ts";
import { EarlierBackups } from "./copies.ts";
import {
  type BackedAccount,
  type Backup,
  finishBackup,
  putAccount,
  readOthers,
  versionOf,
} from "./format.ts";
import type { BackupParts } from "./parts.ts";
import { patientBlobs, patientPointers } from "./patient-stores.ts";
import {
  type RestoreParts,
  type RestoreReport,
  type RestoreScope,
  restoreAccount,
} from "./restore.ts";
import { type AskedAccount, type BackupReport, copyAccount } from "./take.ts";

/*
 * All accounts of a store, one after the other: each as of another state, since no batch
 * writes what two of them hold. The account that nodes work in comes last, and its object makes the
 * backup exist, or the restored store usable.
 */

/** The parts of a backup or restore whose accounts each have their own scratch space. */
type OfStore<Parts> = Omit<Parts, "scratch"> & { readonly openScratch: () => Promise<Scratch> };

/** What is backed up: all accounts, or one, or one catalog of an account. */
export interface BackupRequest {
  /** Where to; the process that takes the backup must reach it. */
  readonly uri: string;
  /** Its name. Absent: all; `default` where a catalog is named. */
  readonly account?: string | undefined;
  readonly catalog?: string | undefined;
}

/**
 * Backs up every account that the store has when this begins, and those that were deleted and may
 * be brought back.
 *
 * @throws FirnError as `takeBackup`.
 */
export async function takeStoreBackup(stores: OfStore<BackupParts>): Promise<BackupReport> {
  const { openScratch, ...parts } = stores;
  const target = patientBlobs(parts.target, parts);
  const pointers = patientPointers(parts.pointers, parts);
  const earlier = await EarlierBackups.list(target);
  const copy = (account: AskedAccount) =>
    withScratch(openScratch, (scratch) =>
      copyAccount({ ...parts, scratch }, account, undefined, earlier),
    );
  const others: BackedAccount[] = [];
  const reports: BackupReport[] = [];
  const ofAccounts: KeyStep[] = [];
  const add = async (account: AskedAccount, deleted?: true): Promise<void> => {
    const copied = await copy(account).catch(unlessGone);
    if (copied === undefined) return;
    const { backup, report } = copied;
    const id = backup.account as AccountId;
    // Of one whose purge has begun meanwhile, parts may be missing.
    if (deleted && !(await isDropped(pointers, id))) return;
    const sha = await putAccount(target, backup);
    others.push({ id, name: account.name, sha, ...(deleted && { deleted }) });
    ofAccounts.push(...copied.ofAccounts);
    reports.push(deleted ? { ...report, accounts: [] } : report);
  };
  const names = await accountNames(pointers);
  const last = names.includes(DEFAULT_ACCOUNT) ? DEFAULT_ACCOUNT : names.at(-1);
  for (const name of names) if (name !== last) await add({ name });
  // Behind the names: one that was deleted while they were copied is among these.
  for (const account of await deletedAccounts(pointers)) {
    if (!others.some(({ id }) => id === account.id)) await add(account, true);
  }
  const { backup, report, ...main } = await copy({ name: last ?? DEFAULT_ACCOUNT });
  const states = await accountStates(parts.blobs, [...ofAccounts, ...main.ofAccounts]);
  const known = others.map((each) => ({ ...each, states: states.get(each.id) }));
  const content = { ...backup, ...(others.length > 0 && { others: known }) };
  await finishBackup(target, { ...content, version: versionOf(content) });
  return [report, ...reports].reduce(together);
}

/** Accounts that may be brought back: those of operators list them. */
async function deletedAccounts(pointers: PointerStore): Promise<readonly Required<AskedAccount>[]> {
  const found: Required<AskedAccount>[] = [];
  const operators = await listPage(pointers, directoryOf(FAMILIES.accountByName), {});
  for (const operator of operators.items) {
    const account = summaryOfItem(operator).entityId as AccountId;
    for (let after: string | undefined; ; ) {
      const directory = directoryOf(FAMILIES.dropped, account);
      const { items, next } = await listPage(pointers, directory, { after });
      for (const item of items) {
        const { entityType, entityId, name } = summaryOfItem(item);
        if (entityType === "account") found.push({ id: entityId as AccountId, name });
      }
      if (next === undefined) break;
      after = next;
    }
  }
  return found;
}

async function isDropped(pointers: PointerStore, id: AccountId): Promise<boolean> {
  const found = await pointers.get(keyOf(FAMILIES.accountById, id));
  return found.state === "live" && summaryOfItem(found).state === "DROPPED";
}

/** Which of the accounts of a backup are restored, and what of them. */
export interface StoreScope extends RestoreScope {
  /** Name of the only account; absent: all, or where `catalog` names one, the main account. */
  readonly account?: string | undefined;
}

/**
 * Makes the accounts of a backup in a store that has none.
 *
 * @throws FirnError as `restoreBackup`; `NotFound` `ACCOUNT_NOT_FOUND`.
 */
export async function restoreStoreBackup(
  { openScratch, ...parts }: OfStore<RestoreParts>,
  backup: Backup,
  { account, ...scope }: StoreScope = {},
): Promise<RestoreReport> {
  const backups = await accountsOf(patientBlobs(parts.source, parts), backup);
  const chosen = chosenOf(backups, backup, account, scope);
  const known = new Set(chosen.map((each) => each.account));
  const reports: RestoreReport[] = [];
  for (const each of chosen) {
    const isLast = each === chosen.at(-1);
    const atMs = scope.atMs === undefined || isLast ? scope.atMs : Math.min(scope.atMs, each.cutMs);
    const past = accountAt(backup, each.account, atMs);
    const restore = (scratch: BlobStore) =>
      restoreAccount(
        { ...parts, scratch },
        each,
        { ...scope, atMs },
        { known, isLast, past: past ?? undefined },
      );
    const restored = past === null ? undefined : await withScratch(openScratch, restore);
    if (restored !== undefined) reports.push(restored);
    else if (isLast) throw noAccountThen();
  }
  const sum = (of: (report: RestoreReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  return {
    id: backup.id,
    atMs: scope.atMs ?? backup.cutMs,
    entities: sum(({ entities }) => entities),
    pointers: sum(({ pointers }) => pointers),
    skipped: sum(({ skipped }) => skipped),
  };
}

/** @throws FirnError `NotFound` `ACCOUNT_NOT_FOUND`. */
function chosenOf(
  backups: readonly Backup[],
  whole: Backup,
  account: string | undefined,
  { catalog, atMs }: RestoreScope,
): readonly Backup[] {
  if (account === undefined) return catalog === undefined ? backups : backups.slice(-1);
  return [namedOf(backups, whole, account, atMs)];
}

/** The backups of all accounts, the main one last. */
async function accountsOf(source: BlobStore, backup: Backup): Promise<readonly Backup[]> {
  const backups: Backup[] = [];
  for await (const other of readOthers(source, backup)) backups.push(other);
  return [...backups, backup];
}

/** The one that had a name, and was not deleted: at a time, or when the backup began. */
function namedOf(
  backups: readonly Backup[],
  whole: Backup,
  account: string,
  atMs?: number,
): Backup {
  const deleted = new Set<string>(whole.others?.filter((each) => each.deleted).map(({ id }) => id));
  const named = backups.find((each) => {
    const then = accountAt(whole, each.account, atMs);
    if (then != null) return then.entity.name === account && then.entity.state === "ACTIVE";
    return then !== null && nameIn(each) === account && !deleted.has(each.account);
  });
  if (named !== undefined) return named;
  const message = "the backup has no such account";
  throw new FirnError("NotFound", "ACCOUNT_NOT_FOUND", message, { name: account });
}

function noAccountThen(): FirnError {
  return invalid("RESTORE_TIME_INVALID", "no account at that time");
}

/** What the account of a backup was called. */
function nameIn({ accountName = DEFAULT_ACCOUNT }: Backup): string {
  return accountName;
}

/** One account of a backup, and where in a store it may come back beside what is there. */
export interface AccountBeside {
  readonly backup: Backup;
  /** As it is called now. */
  readonly name: string;
  readonly id: AccountId;
}

/**
 * The account that a catalog of a backup goes back into: the same one, by its id, whatever it is
 * called now. Of another one it would read files that are not its own. Every store has its own
 * default account, so that one stands for each of them.
 *
 * @param account its name in the backup; absent: the main one.
 * @throws FirnError `NotFound` `ACCOUNT_NOT_FOUND`: the backup or the store has none.
 */
export async function accountBeside(
  source: BlobStore,
  pointers: PointerStore,
  whole: Backup,
  account: string = nameIn(whole),
): Promise<AccountBeside> {
  const backup = namedOf(await accountsOf(source, whole), whole, account);
  const isDefault = account === DEFAULT_ACCOUNT;
  const key = isDefault
    ? keyOf(FAMILIES.accountByName, account)
    : byIdKey("account", backup.account as AccountId, backup.account as AccountId);
  const found = await pointers.get(key);
  if (found.state !== "absent") {
    const { entityId, name, state } = summaryOfItem(found);
    if (state === "ACTIVE") return { backup, name, id: entityId as AccountId };
  }
  const message = "the store does not have that account: restore or undrop it first";
  throw new FirnError("NotFound", "ACCOUNT_NOT_FOUND", message, { name: account });
}

async function accountNames(pointers: PointerStore): Promise<readonly string[]> {
  const { items } = await listPage(pointers, directoryOf(FAMILIES.accountByName), {});
  return items.map((item) => summaryOfItem(item).name);
}

/** An account that was deleted since the backup began. @throws anything else. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof FirnError) || error.code !== "ACCOUNT_NOT_FOUND") throw error;
}

function together(a: BackupReport, b: BackupReport): BackupReport {
  return {
    id: a.id,
    accounts: [...a.accounts, ...b.accounts],
    pointers: a.pointers + b.pointers,
    changes: a.changes + b.changes,
    payloads: a.payloads + b.payloads,
    copied: a.copied + b.copied,
    copiedBytes: a.copiedBytes + b.copiedBytes,
  };
}
