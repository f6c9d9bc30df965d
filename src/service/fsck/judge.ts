import { bytesEqual } from "../../base/bytes.ts";
import { FirnError } from "../../base/error.ts";
import { sha256Bytes } from "../../base/hash.ts";
import type { AccountId, ChangeId, JobId, TableId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { changeKey, changeKeysOf, changeOf } from "../../catalog/changes.ts";
import { decodeChangeEnvelope } from "../../catalog/codec/change.ts";
import { decodePayload, encodeContent } from "../../catalog/codec/entities.ts";
import { encodeJob } from "../../catalog/codec/job.ts";
import { decodeReport } from "../../catalog/codec/report.ts";
import { deleteJob, isNamed } from "../../catalog/delete-marks.ts";
import { afterDropKeys, type Droppable, keeperOf } from "../../catalog/drops.ts";
import { type ExpectedKey, expectedKeys, fitSummary } from "../../catalog/expected-keys.ts";
import { guardKeys } from "../../catalog/guards.ts";
import { JOB_DONE, jobKeys, jobOf } from "../../catalog/jobs.ts";
import { FAMILIES, keyOf } from "../../catalog/keys.ts";
import { CATALOG_LIMITS } from "../../catalog/limits.ts";
import {
  type ChangeRecord,
  type Entity,
  type EntityType,
  type Envelope,
  isDroppable,
  type Job,
  type Relation,
  type Summary,
} from "../../catalog/model.ts";
import { owners } from "../../catalog/owners.ts";
import { fullKey } from "../../catalog/paths.ts";
import { FIRST_STEP } from "../../catalog/purging.ts";
import type { References } from "../../catalog/references.ts";
import { snapshotKeys } from "../../catalog/snapshot-puts.ts";
import { summaryAsStored } from "../../catalog/summaries.ts";
import { indexKeysOf, tableIndexKey, tableOfEntry } from "../../catalog/table-index.ts";
import { takeApart, type WalkedPointer } from "../../catalog/walk.ts";
import type { Absent, Item, Live, PointerOp } from "../../pointer/port.ts";
import { type Finding, type FindingCode, finding } from "./findings.ts";
import { judgeAlias, judgePart } from "./parts.ts";
import type { ReadSet } from "./read-set.ts";

type LivePointer = Extract<WalkedPointer, { state: "live" }>;

/** Judges what only the layers above the catalog can read: metadata files, and what they say. */
export type JudgeFiles = (
  reads: ReadSet,
  account: AccountId,
  item: Live,
  entity: Relation,
) => Promise<readonly Finding[]>;

/** Two clocks, each as far from the store's as it may be. */
const CLOCKS_APART_MS = 2 * LIMITS.clockSkewMs;
/** How long a job may be held. */
const JOB_HELD_MS = CATALOG_LIMITS.jobLeaseMs + CLOCKS_APART_MS;

/**
 * Compares one pointer with everything that it refers to. Nothing is proven by that: the reads are
 * of different instants, unless `reads` are unchanged afterwards.
 */
export async function judge(
  reads: ReadSet,
  item: Item,
  files: JudgeFiles | undefined,
): Promise<readonly Finding[]> {
  const walked = takeApart(item);
  switch (walked.state) {
    case "unreadable": {
      const isKey = walked.error.kind === "Internal";
      const code = isKey ? "KEY_UNKNOWN" : "POINTER_UNREADABLE";
      return [finding(code, item.key, { reason: walked.error.message })];
    }
    case "tombstone":
      return judgeTombstone(reads, walked.item);
    case "live":
      return judgeLive(reads, walked, files);
  }
}

function judgeTombstone(reads: ReadSet, { key, deadUntilMs = 0 }: Absent): readonly Finding[] {
  const most = reads.nowMs + LIMITS.tombstoneLifeMs + CLOCKS_APART_MS;
  return deadUntilMs > most ? [finding("TOMBSTONE_LIFE_INVALID", key, { deadUntilMs })] : [];
}

async function judgeLive(
  reads: ReadSet,
  walked: LivePointer,
  files: JudgeFiles | undefined,
): Promise<readonly Finding[]> {
  const { item, references } = walked;
  const { family } = walked.key;
  switch (family) {
    case "accountById":
    case "catalogById":
    case "namespaceById":
    case "tableById":
    case "viewById":
    case "connectorById":
    case "principalById":
    case "storageProfileById":
      return judgeCanonical(reads, item, references, files);
    case "accountByName":
    case "catalogByName":
    case "namespaceByPath":
    case "relationByName":
    case "connectorByName":
    case "principalByName":
    case "storageProfileByName":
      return judgeName(reads, walked, "NAME_ORPHANED");
    case "tableByName":
    case "viewByName":
      return judgeName(reads, walked, "LISTING_ORPHANED");
    case "location":
      return isHold(references) ? [] : judgeName(reads, walked, "CLAIM_ORPHANED");
    case "dropped":
      return judgeName(reads, walked, "DROPPED_INDEX_ORPHANED");
    case "apiKey":
      return judgeApiKey(reads, walked);
    case "storageSecret":
    case "storageRoot":
      return judgeOfProfile(reads, walked);
    case "tableByUuid":
    case "tableByMetadata":
      return judgeEntry(reads, walked);
    case "accountGuard":
    case "catalogGuard":
    case "namespaceGuard":
      return judgeGuard(reads, walked);
    case "jobById":
      return judgeJob(reads, walked);
    case "jobDue":
      return judgeDue(reads, walked);
    case "snapshotById":
    case "snapshotByTime":
      return judgeSnapshot(reads, walked);
    case "change":
      return judgeChange(reads, walked);
    case "receipt":
    case "keyedReceipt":
      return judgeReceipt(reads, walked);
    case "report":
      return judgeReport(reads, walked);
    case "targetStats":
    case "constraints":
      return judgePart(reads, walked);
    case "fileStats":
    case "snapshotConstraints":
      return judgeAlias(reads, walked);
    case "statsSnapshot":
      return judgeStatsSnapshot(reads, walked);
    case "plan":
    case "access":
    case "shard":
    case "signingKey":
    case "uuidFence":
    case "tableIndex":
      return [];
  }
}

function isHold({ content }: References): boolean {
  return content.is === "name" && content.summary.heldUntilMs !== undefined;
}

/** A payload with its envelope, or what is wrong with it. */
type Read =
  | { readonly entity: Entity; readonly envelope: Envelope }
  | { readonly wrong: FindingCode; readonly reason?: string };

async function readEntity(reads: ReadSet, item: Live, type: EntityType, id: string): Promise<Read> {
  const path = item.blobPath;
  if (path === undefined) return { wrong: "PAYLOAD_FOREIGN", reason: "no payload" };
  if (owners(path)?.includes(item.key) !== true) return { wrong: "PAYLOAD_FOREIGN" };
  const read = await reads.payload(path);
  if ("wrong" in read) return read;
  const decoded = unlessCorrupt(() => decodePayload(type, read.bytes));
  if ("reason" in decoded) return { wrong: "PAYLOAD_UNREADABLE", ...decoded };
  const { entity, envelope } = decoded;
  const account = accountIn(item.key);
  const isOwn = entity.id === id && envelope.entityId === id && envelope.accountId === account;
  return isOwn ? decoded : { wrong: "PAYLOAD_FOREIGN", reason: `is of ${envelope.entityId}` };
}

function accountIn(key: string): AccountId {
  const [, , first = "", second = ""] = key.split("/");
  return (first === "by-id" ? second : first) as AccountId;
}

async function judgeCanonical(
  reads: ReadSet,
  item: Live,
  { content }: References,
  files: JudgeFiles | undefined,
): Promise<readonly Finding[]> {
  if (content.is !== "canonical") return [];
  const { entityType: type, entityId } = content.summary;
  const account = accountIn(item.key);
  const read = await readEntity(reads, item, type, entityId);
  if ("wrong" in read) {
    const { wrong, reason = "" } = read;
    const facts = { ...(item.blobPath && { path: item.blobPath }), ...(reason && { reason }) };
    return [finding(wrong, item.key, facts)];
  }
  const { entity } = read;
  const state = wrongState(entity);
  // What else should be there cannot be said of such an entity.
  const sound = state === undefined ? unlessUnsound(() => soundOf(account, read, item)) : state;
  if (typeof sound === "string") return [finding("STATE_INVALID", item.key, { reason: sound })];
  const { expected, summary } = sound;
  const found: Finding[] = [];
  if (!bytesEqual(item.summary ?? NO_BYTES, summary)) {
    found.push(finding("SUMMARY_MISMATCH", item.key));
  }
  const items = await reads.getMany(expected.map(({ key }) => key));
  for (const [i, one] of expected.entries()) {
    const wrong = await judgeExpected(reads, account, entity, one, items[i] as Item);
    if (wrong !== undefined) found.push(wrong);
  }
  found.push(...(await judgeParent(reads, account, item, entity)));
  const isRelation = entity.type === "table" || entity.type === "view";
  if (isRelation && files !== undefined && entity.state !== "PURGING") {
    found.push(...(await files(reads, account, item, entity)));
  }
  return found;
}

const NO_BYTES = new Uint8Array();

function summaryBytes({ entity, envelope }: Exclude<Read, { wrong: unknown }>, item: Live) {
  const contentHash = sha256Bytes(encodeContent(entity));
  const decoded = { envelope, entity };
  const path = item.blobPath ?? "";
  return fitSummary(summaryAsStored(entity, { path, bytes: NO_BYTES, contentHash, decoded }));
}

/** What follows from an entity. */
function soundOf(account: AccountId, read: Exclude<Read, { wrong: unknown }>, item: Live) {
  return { expected: expectedKeys(account, read.entity), summary: summaryBytes(read, item) };
}

/** What no writer of ours puts fails the writers' own rules, of input too: a finding here. */
function unlessUnsound<T extends object>(follow: () => T): T | string {
  try {
    return follow();
  } catch (error) {
    if (error instanceof FirnError) return error.message;
    throw error;
  }
}

function wrongState(entity: Entity): string | undefined {
  const { state } = entity;
  const isDeleting = state === "DELETING";
  const isDeleted = "deletingJob" in entity && entity.deletingJob !== undefined;
  if (isDeleting !== isDeleted) return isDeleting ? `${state} without a job` : `${state} by a job`;
  if (!isDroppable(entity)) return state === "ACTIVE" ? undefined : state;
  const isActive = state === "ACTIVE" || isDeleting;
  if (isActive !== (entity.purgeAfterMs === 0)) return `${state} with ${entity.purgeAfterMs}`;
  const mayPurge = entity.type === "table" || entity.type === "account";
  if (state === "PURGING" && !mayPurge) return `${state} ${entity.type}`;
  return undefined;
}

async function judgeExpected(
  reads: ReadSet,
  account: AccountId,
  entity: Entity,
  { role, key, summary }: ExpectedKey,
  item: Item,
): Promise<Finding | undefined> {
  const facts = { entity: entity.id };
  const isThere = item.state === "live";
  const isSame = isThere && bytesEqual(item.summary ?? NO_BYTES, summary ?? NO_BYTES);
  switch (role) {
    case "name":
      return isSame ? undefined : finding(isThere ? "NAME_MISMATCH" : "NAME_MISSING", key, facts);
    case "claim":
      return isSame ? undefined : finding(isThere ? "CLAIM_MISMATCH" : "CLAIM_MISSING", key, facts);
    case "index":
      if (isSame) return undefined;
      return finding(isThere ? "DROPPED_INDEX_MISMATCH" : "DROPPED_INDEX_MISSING", key, facts);
    case "guard":
      return isThere ? undefined : finding("GUARD_MISSING", key, facts);
    case "listing": {
      if (isSame || summary === undefined) return undefined;
      const op = { op: "put", key, expected: item.version, summary } as const;
      return finding(isThere ? "LISTING_MISMATCH" : "LISTING_MISSING", key, facts, { ops: [op] });
    }
    case "job": {
      if (isThere) return undefined;
      const job = jobAnew(entity);
      if (job === undefined) return undefined;
      const [, dueKey] = jobKeys(keeperOf(account, entity), job.id, job.dueMs);
      const ops = [
        { op: "put", key, expected: item.version, summary: encodeJob(job) } as const,
        ...(await putUnlessLive(reads, dueKey)),
      ];
      return finding("JOB_MISSING", key, facts, { ops });
    }
    // Told of the job itself.
    case "due":
      return undefined;
    case "entry": {
      // Garbage collection is still building the indexes.
      if (isThere || (await reads.get(tableIndexKey(account))).state === "absent") return undefined;
      const op = { op: "put", key, expected: item.version } as const;
      return finding("TABLE_INDEX_MISSING", key, facts, { ops: [op] });
    }
  }
}

async function putUnlessLive(reads: ReadSet, key: string): Promise<readonly PointerOp[]> {
  const item = await reads.get(key);
  return item.state === "live" ? [] : [{ op: "put", key, expected: item.version }];
}

/** The job that an entity needs in its state, where it needs one. */
function jobAnew(entity: Entity): Job | undefined {
  if ("deletingJob" in entity && entity.deletingJob !== undefined) {
    return deleteJob(entity, entity.deletingJob, entity.createdAtMs);
  }
  return isDroppable(entity) ? purgeOf(entity) : undefined;
}

/** The job that ends the life of what was dropped, as if no node had taken it up yet. */
function purgeOf(entity: Droppable): Job {
  return {
    id: entity.id as string as JobId,
    kind: "purge",
    subject: { type: entity.type, id: entity.id },
    step: entity.state === "PURGING" ? FIRST_STEP : "",
    dueMs: entity.purgeAfterMs,
    heldUntilMs: 0,
    tries: 0,
    failures: 0,
  };
}

async function judgeParent(
  reads: ReadSet,
  account: AccountId,
  item: Live,
  entity: Entity,
): Promise<readonly Finding[]> {
  if (!isNamed(entity) || entity.type === "account") return [];
  const is = entity.type;
  const key =
    is === "catalog" || is === "connector" || is === "principal" || is === "storageProfile"
      ? keyOf(FAMILIES.accountById, account)
      : is === "namespace" && entity.path.length === 1
        ? keyOf(FAMILIES.catalogById, account, entity.parentId)
        : keyOf(
            FAMILIES.namespaceById,
            account,
            is === "namespace" ? entity.parentId : entity.namespaceId,
          );
  const parent = await reads.get(key);
  const summary = parent.state === "live" ? summaryIn(parent) : undefined;
  // They stay in a dropped account, and come back with it or go with it.
  const staysBelow = is === "connector" || is === "principal" || is === "storageProfile";
  const isIn = summary !== undefined && (staysBelow || isNamed(summary));
  if (parent.state !== "live" || !isIn) {
    return [finding("PARENT_MISSING", item.key, { parent: key })];
  }
  if (is === "catalog" || is === "connector" || is === "principal" || is === "storageProfile") {
    return [];
  }
  const catalogId = summary.entityType === "catalog" ? summary.entityId : summary.catalogId;
  if (catalogId !== entity.catalogId) {
    return [finding("PARENT_MISMATCH", item.key, { parent: key })];
  }
  if (is !== "namespace" || summary.entityType === "catalog") return [];
  const read = await readEntity(reads, parent, "namespace", summary.entityId);
  if ("wrong" in read || read.entity.type !== "namespace") return [];
  const isBelow = entity.path.join("\0") === [...read.entity.path, entity.name].join("\0");
  return isBelow ? [] : [finding("PARENT_MISMATCH", item.key, { parent: key })];
}

/** The summary of a canonical pointer; undefined where that is unreadable, which is told of it. */
function summaryIn(item: Live): Summary | undefined {
  const walked = takeApart(item);
  if (walked.state !== "live") return undefined;
  const { content } = walked.references;
  return content.is === "canonical" ? content.summary : undefined;
}

/** Names, listings, claims, entries of what was dropped: their entity must hold this very key. */
async function judgeName(
  reads: ReadSet,
  { item, key, references }: LivePointer,
  code: FindingCode,
): Promise<readonly Finding[]> {
  const { content, root = "", account: of } = references;
  if (content.is !== "name") return [];
  const { entityType: type, entityId: id } = content.summary;
  const account = of ?? (id as AccountId);
  const facts = { entity: id };
  const fix =
    code === "LISTING_ORPHANED"
      ? { ops: [{ op: "delete", key: item.key, expected: item.version } as const] }
      : undefined;
  const orphaned = [finding(code, item.key, facts, fix)];
  const rootItem = await reads.get(root);
  if (rootItem.state === "absent") return orphaned;
  const summary = summaryIn(rootItem);
  if (summary === undefined) return [];
  if (summary.state === "ACTIVE") {
    if (
      key.family === "relationByName" ||
      key.family === "tableByName" ||
      key.family === "viewByName"
    ) {
      const { catalogId = "", parentId = "", name } = summary;
      const family =
        key.family === "relationByName"
          ? FAMILIES.relationByName
          : type === "table"
            ? FAMILIES.tableByName
            : FAMILIES.viewByName;
      return keyOf(family, account, catalogId, parentId, name) === item.key ? [] : orphaned;
    }
    if (key.family === "dropped") return orphaned;
  } else if (key.family === "dropped") {
    const [index] = afterDropKeys(account, id as TableId, summary.purgeAfterMs);
    return summary.state === "DROPPED" && index === item.key ? [] : orphaned;
  }
  // Paths and locations are in the payload alone.
  const read = await readEntity(reads, rootItem, type, id);
  if ("wrong" in read) return [];
  const expected = unlessUnsound(() => expectedKeys(account, read.entity));
  if (typeof expected === "string") return [];
  return expected.some((one) => one.key === item.key) ? [] : orphaned;
}

/** What leads from an API key to its principal, which must have that key. */
async function judgeApiKey(
  reads: ReadSet,
  { item, references }: LivePointer,
): Promise<readonly Finding[]> {
  const { root = "" } = references;
  const orphaned = [finding("NAME_ORPHANED", item.key, { root })];
  const rootItem = await reads.get(root);
  if (rootItem.state === "absent") return orphaned;
  const summary = summaryIn(rootItem);
  if (summary === undefined) return [];
  const account = accountIn(rootItem.key);
  const read = await readEntity(reads, rootItem, "principal", summary.entityId);
  if ("wrong" in read) return [];
  const expected = unlessUnsound(() => expectedKeys(account, read.entity));
  if (typeof expected === "string") return [];
  return expected.some((one) => one.key === item.key) ? [] : orphaned;
}

/** A root or the credentials of a storage profile, which must name them. */
async function judgeOfProfile(
  reads: ReadSet,
  { item, key, references }: LivePointer,
): Promise<readonly Finding[]> {
  const { root = "" } = references;
  const orphaned = [finding("NAME_ORPHANED", item.key, { root })];
  const rootItem = await reads.get(root);
  if (rootItem.state === "absent") return orphaned;
  const summary = summaryIn(rootItem);
  if (summary === undefined) return [];
  const read = await readEntity(reads, rootItem, "storageProfile", summary.entityId);
  if ("wrong" in read || read.entity.type !== "storageProfile") return [];
  if (key.family === "storageSecret") {
    return read.entity.secretId === key.values[1] ? [] : orphaned;
  }
  const account = accountIn(rootItem.key);
  const expected = unlessUnsound(() => expectedKeys(account, read.entity));
  if (typeof expected === "string") return [];
  return expected.some((one) => one.key === item.key) ? [] : orphaned;
}

/** An entry in the indexes of tables. */
async function judgeEntry(
  reads: ReadSet,
  { item, references: { root = "", account } }: LivePointer,
): Promise<readonly Finding[]> {
  const fix = { ops: deletesOf([item]) };
  const orphaned = [finding("TABLE_INDEX_ORPHANED", item.key, { root }, fix)];
  const rootItem = await reads.get(root);
  if (rootItem.state === "absent") return orphaned;
  const read = await readEntity(reads, rootItem, "table", tableOfEntry(item.key));
  if ("wrong" in read || account === undefined) return [];
  return indexKeysOf(account, read.entity).includes(item.key) ? [] : orphaned;
}

async function judgeGuard(
  reads: ReadSet,
  { item, key, references }: LivePointer,
): Promise<readonly Finding[]> {
  const { root = "" } = references;
  const found = await reads.get(root);
  const orphaned = [finding("GUARD_ORPHANED", item.key, { root })];
  if (found.state === "absent") return orphaned;
  const summary = summaryIn(found);
  if (summary === undefined || key.family === "accountGuard") return [];
  const type = key.family === "catalogGuard" ? "catalog" : "namespace";
  const { entityId, guardGeneration } = summary;
  // What is wrong with the parent is found there, and says nothing of its guards.
  if (guardGeneration < 1) return [];
  const keys = guardKeys(accountIn(item.key), type, entityId, guardGeneration);
  return isNamed(summary) && keys.includes(item.key) ? [] : orphaned;
}

async function judgeJob(
  reads: ReadSet,
  { item, references: { content, root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  if (content.is !== "job") return [];
  const { job } = content;
  // Its record is kept for a while.
  if (job.step === JOB_DONE) return [];
  const account = accountIn(item.key);
  const [, dueKey] = jobKeys(account, job.id, job.dueMs);
  const [due, subject] = (await reads.getMany([dueKey, root])) as [Item, Item];
  const { id, dueMs, heldUntilMs } = job;
  if (job.kind === "purge") {
    const summary = subject.state === "live" ? summaryIn(subject) : undefined;
    if (subject.state === "live" && summary === undefined) return [];
    const isDropped = summary?.state === "DROPPED" || summary?.state === "PURGING";
    if (!isDropped || id !== summary.entityId) {
      return [finding("JOB_ORPHANED", item.key, { root }, { ops: deletesOf([item, due]) })];
    }
    if (summary.purgeAfterMs !== dueMs) {
      const right: Job = { ...job, dueMs: summary.purgeAfterMs };
      const ops = [
        { op: "put", key: item.key, expected: item.version, summary: encodeJob(right) } as const,
        ...(await putUnlessLive(reads, jobKeys(account, right.id, right.dueMs)[1])),
      ];
      return [finding("JOB_MISMATCH", item.key, { dueMs }, { ops })];
    }
  }
  const found: Finding[] = [];
  if (due.state === "absent") {
    const op = { op: "put", key: dueKey, expected: due.version } as const;
    found.push(finding("JOB_DUE_MISSING", dueKey, { job: id }, { ops: [op] }));
  }
  // Without a holder it waits, as long as its kind of work does.
  if (job.holder !== undefined && heldUntilMs > reads.nowMs + JOB_HELD_MS) {
    const { holder: _none, ...free } = { ...job, heldUntilMs: 0 };
    const summary = encodeJob(free);
    const op = { op: "put", key: item.key, expected: item.version, summary } as const;
    found.push(finding("JOB_LEASE_INVALID", item.key, { heldUntilMs }, { ops: [op] }));
  }
  return found;
}

function deletesOf(items: readonly Item[]) {
  return items.flatMap(({ state, key, version: expected }) =>
    state === "live" ? [{ op: "delete", key, expected } as const] : [],
  );
}

async function judgeDue(
  reads: ReadSet,
  { item, references: { root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  const state = await reads.get(root);
  const orphaned = [
    finding("JOB_DUE_ORPHANED", item.key, { job: root }, { ops: deletesOf([item]) }),
  ];
  if (state.state === "absent") return orphaned;
  if (takeApart(state).state !== "live") return [];
  const job = jobOf(state);
  const [, key] = jobKeys(accountIn(item.key), job.id, job.dueMs);
  return key === item.key ? [] : orphaned;
}

async function judgeSnapshot(
  reads: ReadSet,
  { item, key, references: { content, root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  if (content.is !== "snapshot") return [];
  const [account, table] = key.values as [AccountId, TableId];
  const fix = { ops: deletesOf([item]) };
  const ofKey = snapshotKeys(account, table, content.summary).includes(item.key);
  const ofPath =
    item.blobPath?.startsWith(`accounts/${account}/tables/${table}/snapshots/`) === true;
  if (!ofKey || !ofPath) return [finding("SNAPSHOT_MISMATCH", item.key, {}, fix)];
  // What its table's metadata says of it is told of the table.
  const table_ = await reads.get(root);
  return table_.state === "live" ? [] : [finding("SNAPSHOT_ORPHANED", item.key, { table })];
}

async function judgeStatsSnapshot(
  reads: ReadSet,
  { item, references: { root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  const table = await reads.get(root);
  return table.state === "live" ? [] : [finding("STATS_ORPHANED", item.key, { table: root })];
}

async function judgeChange(
  reads: ReadSet,
  { item, key, references: { content } }: LivePointer,
): Promise<readonly Finding[]> {
  if (content.is !== "change") return [];
  const [account, , id] = key.values as [AccountId, string, ChangeId];
  let record: ChangeRecord | undefined = content.record;
  if (record === undefined) {
    const path = item.blobPath ?? "";
    const read = await reads.payload(path);
    if ("wrong" in read) return [finding(read.wrong, item.key, { path })];
    const decoded = unlessCorrupt(() => ({
      envelope: decodeChangeEnvelope(read.bytes),
      record: changeOf(read.bytes),
    }));
    if ("reason" in decoded) return [finding("PAYLOAD_UNREADABLE", item.key, { path, ...decoded })];
    const { entityId, accountId } = decoded.envelope;
    if (entityId !== id || accountId !== account) {
      return [finding("PAYLOAD_FOREIGN", item.key, { path, reason: `is of ${entityId}` })];
    }
    record = decoded.record;
  }
  const place = changeKey(account, record.timeMs, id);
  return place === item.key ? [] : [finding("CHANGE_MISPLACED", item.key, { place })];
}

async function judgeReceipt(
  reads: ReadSet,
  { item, references: { content, account } }: LivePointer,
): Promise<readonly Finding[]> {
  if (content.is !== "receipt" || account === undefined) return [];
  const { changeId, key, version, expiresAtMs } = content.receipt;
  if (changeId === undefined || expiresAtMs <= reads.nowMs) return [];
  const places = await reads.getMany(changeKeysOf(account, changeId as ChangeId));
  const place = places.find((one) => one.state === "live");
  const facts = { change: changeId };
  if (place?.state !== "live") return [finding("RECEIPT_UNMATCHED", item.key, facts)];
  const walked = takeApart(place);
  // In a blob, or unreadable: told of the record itself.
  const said = walked.state === "live" ? walked.references.content : undefined;
  if (said?.is !== "change" || said.record === undefined) return [];
  const written = said.record.keys.find((one) => fullKey(account, one.key) === key);
  const isOwn = written?.versionTo === version && place.writerId === item.writerId;
  return isOwn ? [] : [finding("RECEIPT_UNMATCHED", item.key, facts)];
}

async function judgeReport(
  reads: ReadSet,
  { item, key, references: { root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  const [account, table] = key.values as [AccountId, TableId];
  const path = item.blobPath ?? "";
  if (owners(path)?.includes(item.key) !== true) {
    return [finding("PAYLOAD_FOREIGN", item.key, { path })];
  }
  const read = await reads.payload(path);
  if ("wrong" in read) return [finding(read.wrong, item.key, { path })];
  const decoded = unlessCorrupt(() => decodeReport(read.bytes));
  if ("reason" in decoded) return [finding("PAYLOAD_UNREADABLE", item.key, { path, ...decoded })];
  const { entityId, accountId } = decoded.envelope;
  if (entityId !== table || accountId !== account) {
    return [finding("PAYLOAD_FOREIGN", item.key, { path, reason: `is of ${entityId}` })];
  }
  const rootItem = await reads.get(root);
  return rootItem.state === "live" ? [] : [finding("REPORT_ORPHANED", item.key, { table })];
}

function unlessCorrupt<T extends object>(decode: () => T): T | { readonly reason: string } {
  try {
    return decode();
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return { reason: error.message };
    throw error;
  }
}
