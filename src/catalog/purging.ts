import { assert } from "../base/assert.ts";
import { Stopwatch } from "../base/clock.ts";
import type { AccountId } from "../base/ids.ts";
import { splitKey } from "../base/key-text.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item, Live } from "../pointer/port.ts";
import { accountById, putAccount } from "./account-payloads.ts";
import { BatchBuilder } from "./batch.ts";
import { assertClaimed } from "./claims.ts";
import type { CatalogContext } from "./context.ts";
import { afterDropKeys, type Droppable } from "./drops.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { endedJob, endKeys, putEnded } from "./job-ends.ts";
import type { JobLease } from "./jobs.ts";
import { directoryOf, FAMILIES, keyOf, leafText, locationKey } from "./keys.ts";
import type { Account, Catalog, Entity, Job, Namespace, Table } from "./model.ts";
import { listPage } from "./pages.ts";
import { statsDirectories } from "./part-keys.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, write } from "./repository.ts";
import { nameSummary, summaryOf } from "./summaries.ts";
import { indexKeysOf, joinIndex, sharedByIndex } from "./table-index.ts";
import { walkPointers } from "./walk.ts";

/*
 * The two batches of a purge that change what the catalog says. Between them the files go; after
 * the first the table cannot come back, and until the last no other relation may take the
 * location.
 */

/** The step that a purge is at once its table is PURGING: the first of those that delete. */
export const FIRST_STEP = "data";
/** Derived pointers that are deleted between two signs of life. */
const DERIVED_PAGE = 100;

function actorOf({ id }: Job) {
  return { requestId: `job-${id}`, principal: "firn" } as const;
}

/** What a purge is about; undefined where there is nothing any more. */
export async function subjectOf(
  context: CatalogContext,
  { subject }: Job,
): Promise<Stored<Droppable> | undefined> {
  if (subject.type === "account") return accountById(context, subject.id as AccountId);
  const key = byIdKey(subject.type as Droppable["type"], context.account, subject.id);
  const item = await context.pointers.get(key);
  if (item.state === "absent") return undefined;
  return readEntity<Droppable>(context, subject.type as Droppable["type"], item);
}

/**
 * Whether data are to go with an entity, as far as the catalog knows: the files of an Iceberg table
 * whose drop asked for it, and the rows of a row table.
 */
function asksForData(entity: Droppable): entity is Table {
  if (entity.type !== "table") return false;
  return entity.format === "ROW" || entity.iceberg?.purgeRequested === true;
}

/**
 * Moves a dropped table to PURGING and takes its location again, in one batch. One that is PURGING
 * already is answered as it is.
 *
 * @returns undefined where no file may go: nothing was asked for, or the location is another's.
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`, also where it was brought back; `Overloaded`
 * `LOCATION_PENDING`.
 */
export async function beginPurge(
  context: CatalogContext,
  lease: JobLease,
): Promise<Table | undefined> {
  const { account, pointers, payloads } = context;
  const plan = async ({ authorship }: Attempt): Promise<Planned<Table | undefined>> => {
    const stored = await subjectOf(context, lease.job);
    if (stored === undefined || !asksForData(stored.entity)) return { unchanged: undefined };
    const { entity: was, item, envelope } = stored;
    if (was.state === "PURGING") return { unchanged: was };
    assertMayUpdate(envelope);
    const [index, state] = afterDropKeys(account, was.id, was.purgeAfterMs);
    const keys = [index ?? "", state ?? "", locationKey(account, was.location)];
    const [dropped, job, claim] = await pointers.getMany(keys);
    if (dropped === undefined || job === undefined || claim === undefined) return REPLAN;
    lease.assertSame(job);
    if (was.state !== "DROPPED" || dropped.state === "absent") throw lease.lost();
    if (claim.state === "live") {
      await assertClaimed(context, was.location, claim);
      return { unchanged: undefined };
    }
    const entity: Table = { ...was, state: "PURGING" };
    const payload = payloads.encode(entity, authorship);
    const batch = new BatchBuilder(account)
      .put(item, { payload, summary: summaryOf(entity, payload) })
      .put(claim, { summary: nameSummary(entity) })
      .delete(dropped);
    const next = lease.join(batch, job, { step: FIRST_STEP });
    const result = () => {
      lease.moved(next);
      return entity;
    };
    return { batch, primary: item.key, result };
  };
  return write(context, actorOf(lease.job), "purge-table", plan);
}

/**
 * Moves a dropped account to PURGING, from where it cannot come back. One that is PURGING already
 * is answered as it is; undefined where it is gone.
 *
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`, also where it was brought back.
 */
export async function beginAccountPurge(
  context: CatalogContext,
  lease: JobLease,
): Promise<Account | undefined> {
  const { account, pointers } = context;
  const id = lease.job.subject.id as AccountId;
  const plan = async ({ authorship }: Attempt): Promise<Planned<Account | undefined>> => {
    const stored = await accountById(context, id);
    if (stored === undefined) return { unchanged: undefined };
    const { entity: was, item, envelope } = stored;
    if (was.state === "PURGING") return { unchanged: was };
    assertMayUpdate(envelope);
    const [index = ""] = afterDropKeys(account, was.id, was.purgeAfterMs);
    const [dropped, job] = await pointers.getMany([index, lease.key]);
    if (dropped === undefined || job === undefined) return REPLAN;
    lease.assertSame(job);
    if (was.state !== "DROPPED" || dropped.state === "absent") throw lease.lost();
    assert(was.operator === account, "an account is purged by the job of those who dropped it");
    const entity: Account = { ...was, state: "PURGING" };
    const batch = new BatchBuilder(account);
    putAccount(context, batch, item, entity, authorship);
    batch.delete(dropped);
    const next = lease.join(batch, job, { step: FIRST_STEP });
    const result = () => {
      lease.moved(next);
      return entity;
    };
    return { batch, primary: item.key, result };
  };
  return write(context, actorOf(lease.job), "purge-account", plan);
}

/** Pointers of a table that tell what its metadata says, or what clients told of it. */
const DERIVED = [FAMILIES.snapshotById, FAMILIES.snapshotByTime, FAMILIES.report] as const;

/**
 * Deletes what follows from a table: without it, it means nothing. Where the table comes back at
 * the last moment, its snapshots are found in its metadata again. One list a page, one write a
 * pointer.
 *
 * @returns whether it came to the end: `ended` leaves the rest to another.
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
 */
export async function deleteDerived(
  context: CatalogContext,
  lease: JobLease,
  ended: AbortSignal,
): Promise<boolean> {
  const { account, pointers } = context;
  const { type, id } = lease.job.subject;
  if (type !== "table") return true;
  for (const family of DERIVED) {
    const directory = directoryOf(family, account, id);
    if (!(await deleteListed(context, lease, ended, directory))) return false;
  }
  const snapshots = directoryOf(FAMILIES.statsSnapshot, account, id);
  for (;;) {
    const [first] = await pointers.list(snapshots, { limit: 1 });
    if (first === undefined) break;
    const snapshot = leafText(first.key) ?? "";
    for (const directory of statsDirectories(account, id, snapshot)) {
      if (!(await deleteListed(context, lease, ended, directory))) return false;
    }
    await deleteItem(context, first);
    await lease.keep();
  }
  const constraints = directoryOf(FAMILIES.constraints, account, id);
  const alias = async ({ key }: Live) => {
    const snapshot = leafText(key) ?? "";
    const item = await pointers.get(keyOf(FAMILIES.snapshotConstraints, account, id, snapshot));
    if (item.state === "live") await deleteItem(context, item);
  };
  return deleteListed(context, lease, ended, constraints, alias);
}

/** Deletes what a directory lists; `before` what follows from each. See `deleteDerived`. */
async function deleteListed(
  context: CatalogContext,
  lease: JobLease,
  ended: AbortSignal,
  directory: string,
  before: (item: Live) => Promise<void> = async () => {},
): Promise<boolean> {
  for (let after: string | undefined; ; ) {
    const page = await listPage(context.pointers, directory, { after, limit: DERIVED_PAGE });
    for (const item of page.items) {
      await before(item);
      await deleteItem(context, item);
    }
    await context.clock.sleep(0);
    if (ended.aborted) return false;
    if (page.items.length > 0) await lease.renew();
    if (page.next === undefined) return true;
    after = page.next;
  }
}

/** One that moves is being written by a commit that was under way: it finds no table. */
export async function deleteItem(context: CatalogContext, { key, version }: Live): Promise<void> {
  const attempt = { stopwatch: new Stopwatch(context.clock) };
  await putCertain(context.pointers, context, attempt, { op: "delete", key, expected: version });
}

/**
 * The end of a dropped entity: what is left of it goes, with its job, in one batch. Its payloads
 * stay until no change record in retention names them. The job's record stays for a while. Where
 * nothing is left of the entity the job goes alone.
 *
 * @throws FirnError `Conflict` `JOB_LEASE_LOST`.
 */
export async function endPurge(context: CatalogContext, lease: JobLease): Promise<void> {
  const { account, clock, pointers } = context;
  const operation = `end-${lease.job.subject.type as Droppable["type"]}` as const;
  const plan = async (): Promise<Planned<"ended" | "gone">> => {
    const stored = await subjectOf(context, lease.job);
    if (stored === undefined) return { unchanged: "gone" };
    const { entity, item } = stored;
    if (entity.state !== "DROPPED" && entity.state !== "PURGING") throw lease.lost();
    const claims = "location" in entity ? [locationKey(account, entity.location)] : [];
    const ended = endedJob(lease.job, clock.nowMs());
    const [, , later = ""] = endKeys(account, lease.job, ended);
    const [dropped, job, due, after, ...own] = await pointers.getMany([
      ...afterDropKeys(account, entity.id, entity.purgeAfterMs),
      later,
      ...indexKeysOf(account, entity),
      ...claims,
    ]);
    if (dropped === undefined || job === undefined) return REPLAN;
    if (due === undefined || after === undefined) return REPLAN;
    lease.assertSame(job);
    assert(entity.purgeAfterMs > 0, "what ends was dropped, and its time has come");
    const batch = new BatchBuilder(account).delete(item);
    if (dropped.state === "live") batch.delete(dropped);
    const claim = claims.length === 0 ? undefined : own.pop();
    if (isOwn(claim, entity.id)) batch.delete(claim);
    joinIndex(batch, { puts: [], deletes: own });
    putEnded(batch, [job, due, after], ended);
    return { batch, primary: item.key, result: () => "ended" };
  };
  const outcome = await write(context, actorOf(lease.job), operation, plan);
  if (outcome === "gone") await lease.end();
}

function isOwn(claim: Item | undefined, id: string): claim is Live {
  return claim?.state === "live" && summaryOfItem(claim).entityId === id;
}

/**
 * The roots that the catalog of a table allows, in whatever state that is; where it is gone, the
 * table's own location, which it allowed. Two reads, and two payloads.
 */
export async function rootsAbove(
  context: CatalogContext,
  { namespaceId, location }: Table,
): Promise<readonly string[]> {
  const { account, pointers } = context;
  const read = async <E extends Entity>(type: E["type"], id: E["id"]): Promise<E | undefined> => {
    const item = await pointers.get(byIdKey(type, account, id));
    return item.state === "absent" ? undefined : (await readEntity<E>(context, type, item))?.entity;
  };
  const namespace = await read<Namespace>("namespace", namespaceId);
  const catalog = namespace && (await read<Catalog>("catalog", namespace.catalogId));
  return catalog === undefined
    ? [location]
    : [catalog.defaultLocation, ...catalog.allowedLocations];
}

/**
 * Whether another table has a part in the files of one that is PURGING: one that grew out of the
 * same metadata, or whose current metadata lies in its location. Dropped ones count, since they can
 * come back. Three requests; where the indexes are not complete, one sweep over all tables of the
 * account.
 */
export async function sharesFiles(context: CatalogContext, table: Table): Promise<boolean> {
  return (await sharedByIndex(context, table)) ?? sharedByScan(context, table);
}

async function sharedByScan(context: CatalogContext, table: Table): Promise<boolean> {
  const inside = `${table.location}/`;
  const prefix = `${splitKey(byIdKey("table", context.account, table.id)).directory}/`;
  for await (const walked of walkPointers(context, { prefix })) {
    if (walked.state === "unreadable") throw walked.error;
    if (walked.state === "tombstone") continue;
    const { content, metadataLocation } = walked.references;
    if (content.is !== "canonical" || content.summary.entityId === table.id) continue;
    const uuid = content.summary.tableUuid?.toLowerCase();
    if (uuid !== undefined && uuid === table.iceberg?.tableUuid?.toLowerCase()) return true;
    const at =
      metadataLocation ??
      (await readEntity<Table>(context, "table", walked.item))?.entity.iceberg?.metadataLocation;
    if (at?.startsWith(inside) === true) return true;
  }
  return false;
}

/**
 * Uuids of the tables whose files are being deleted. What has a part in the files of one counts for
 * its purge from its own batch on, unless the purge looked before. One sweep over all tables.
 */
export async function purgingUuids(context: CatalogContext): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const prefix = `${splitKey(byIdKey("table", context.account, "x")).directory}/`;
  for await (const walked of walkPointers(context, { prefix })) {
    if (walked.state === "unreadable") throw walked.error;
    if (walked.state === "tombstone" || walked.references.content.is !== "canonical") continue;
    const { state, tableUuid } = walked.references.content.summary;
    if (state === "PURGING" && tableUuid !== undefined) found.add(tableUuid);
  }
  return found;
}
