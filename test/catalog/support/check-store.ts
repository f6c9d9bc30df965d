import { bytesEqual } from "../../../src/base/bytes.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import type { AccountId } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { encodeContent } from "../../../src/catalog/codec/entities.ts";
import { encodeApiKey } from "../../../src/catalog/codec/principal.ts";
import { encodeStorageRoot } from "../../../src/catalog/codec/storage-profile.ts";
import { encodeSummary } from "../../../src/catalog/codec/summary.ts";
import { afterDropKeys } from "../../../src/catalog/drops.ts";
import { summaryOfItem } from "../../../src/catalog/entities.ts";
import { guardKeys } from "../../../src/catalog/guards.ts";
import { jobKeys, jobOf } from "../../../src/catalog/jobs.ts";
import { FAMILIES, type FamilyName, keyOf, locationKey } from "../../../src/catalog/keys.ts";
import type { Catalog, Entity, Namespace, Relation, Summary } from "../../../src/catalog/model.ts";
import { nameSummary, summaryOf } from "../../../src/catalog/summaries.ts";
import { indexKeysOf, tableIndexKey } from "../../../src/catalog/table-index.ts";
import type { Item, PointerStore } from "../../../src/pointer/port.ts";
import {
  fullKey,
  isReceiptFamily,
  isSnapshotFamily,
  must,
  parsedKey,
  readStore,
  type StoreContent,
  type StoredChange,
  type StoredEntity,
} from "./read-store.ts";

/** A summary in bytes, the state of a job, a job that no entity needs, or none. */
type Said = Uint8Array | "job" | "sweep" | undefined;

/** Keys that must be alive, with their summaries. */
type Expected = Map<string, Said>;

/*
 * Not `fsck`'s rules, on purpose. A check of the product runs beside writers, so it forgives what
 * an attempt under way may leave, and it is itself what tests try. This one judges a store at rest,
 * in which everything has to be explained: what `fsck` calls a leftover is a violation, each batch
 * has one receipt and one record of one writer, and a listing moves as often as its claim. Two
 * judges that share the grammar of keys and the codecs alone do not share a mistake: the simulation
 * asks both of every store, and what `fsck` finds is tried on planted damages, without this one.
 */

/**
 * Checks by a sweep that no name, claim, guard or listing lives without its entity or lacks it,
 * that every parent is there, that each committed batch left one receipt and one change record, and
 * that the records chain without a gap up to what is stored. `goneReceipts`: of batches, that have
 * been cleared away since.
 *
 * @returns the tree of names and what is in it, without ids, versions and times: equal for two
 * histories that did the same.
 * @throws Violation
 */
export async function checkStore(
  pointers: Pick<PointerStore, "sweep">,
  blobs: BlobStore,
  goneReceipts = 0,
): Promise<readonly string[]> {
  const content = await readStore(pointers, blobs);
  checkTree(content);
  checkRecords(content, goneReceipts);
  checkChains(content);
  return describeStore(content);
}

function checkTree(content: StoreContent): void {
  const expected: Expected = new Map();
  for (const stored of content.entities) {
    for (const [key, summary] of keysOf(stored)) {
      must(summary === "job" || !expected.has(key), `two entities hold ${key}`);
      expected.set(key, summary);
    }
    mustHaveParent(stored.entity, content);
  }
  for (const key of sweepKeys(content)) {
    if (expected.get(key) !== "job") expected.set(key, "sweep");
  }
  for (const [key, summary] of expected) {
    const item = content.items.get(key);
    must(item?.state === "live", `${key} is not alive`);
    if (summary === "sweep") continue;
    if (summary === "job") {
      const job = jobOf(item);
      must(job.step !== "done", `${key} is over, and what it is about is not`);
      const isOwn = job.kind === "delete" || key.endsWith(job.subject.id);
      must(isOwn, `${key} is about another entity`);
      continue;
    }
    const same = bytesEqual(item.summary ?? new Uint8Array(), summary ?? new Uint8Array());
    must(same, `${key} says something else than its entity`);
  }
  for (const item of content.items.values()) {
    if (item.state === "absent" || expected.has(item.key)) continue;
    const { family } = parsedKey(item.key);
    if (isSnapshotFamily(family)) continue;
    const alone = isReceiptFamily(family) || family === "change" || OF_ACCOUNT.has(family);
    if (isHold(item)) continue;
    must(alone, `${item.key} is an orphan`);
  }
}

/** What lives through its account, or through none. */
const OF_ACCOUNT: ReadonlySet<FamilyName> = new Set<FamilyName>(["report", "access", "signingKey"]);

/**
 * Both keys of each job that is about no entity, but about leftovers of the whole account, and of
 * each whose record is all that is left of it.
 */
function sweepKeys({ items }: StoreContent): readonly string[] {
  return [...items.values()].flatMap((item) => {
    if (item.state === "absent" || parsedKey(item.key).family !== "jobById") return [];
    const { id, kind, dueMs, step } = jobOf(item);
    const account = parsedKey(item.key).values[0] as AccountId;
    return kind !== "purge" || step === "done" ? jobKeys(account, id, dueMs) : [];
  });
}

type Keys = readonly (readonly [key: string, summary: Said])[];

const known = new WeakMap<Entity, { readonly path: string | undefined; readonly keys: Keys }>();

/** Every key that lives through an entity. */
function keysOf(stored: StoredEntity): Keys {
  const path = stored.item.blobPath;
  const remembered = known.get(stored.entity);
  if (remembered?.path === path && remembered !== undefined) return remembered.keys;
  const keys = listKeys(stored);
  known.set(stored.entity, { path, keys });
  return keys;
}

function listKeys(stored: StoredEntity): Keys {
  const { item, entity, envelope } = stored;
  const account = envelope.accountId;
  const byId = [item.key, byIdSummary(stored)] as const;
  const name = encodeSummary(nameSummary(entity));
  if (entity.type === "account") {
    return [
      byId,
      [keyOf(FAMILIES.accountByName, entity.name), name],
      [keyOf(FAMILIES.accountGuard, account), undefined],
      [tableIndexKey(account), undefined],
    ];
  }
  if (entity.type === "connector") {
    return [byId, [keyOf(FAMILIES.connectorByName, account, entity.name), name]];
  }
  if (entity.type === "storageProfile") {
    const owner = encodeStorageRoot({ account, profile: entity.id });
    const roots = entity.roots.map((root) => [keyOf(FAMILIES.storageRoot, root), owner] as const);
    const byName = keyOf(FAMILIES.storageProfileByName, account, entity.name);
    return [byId, [byName, name], ...roots];
  }
  if (entity.type === "principal") {
    const owner = encodeApiKey({ account, principal: entity.id });
    const keys = entity.keys.map(({ id }) => [keyOf(FAMILIES.apiKey, id), owner] as const);
    return [byId, [keyOf(FAMILIES.principalByName, account, entity.name), name], ...keys];
  }
  const entries = indexKeysOf(account, entity).map((key) => [key, undefined] as const);
  if (entity.state === "DROPPED") {
    const [index, job, due] = afterDropKeys(account, entity.id, entity.purgeAfterMs);
    return [byId, [index ?? "", name], [job ?? "", "job"], [due ?? "", undefined], ...entries];
  }
  if (entity.state === "PURGING") {
    must(entity.type === "table", `${item.key} is purged, and no table`);
    const [, job, due] = afterDropKeys(account, entity.id, entity.purgeAfterMs);
    const claim = locationKey(account, entity.location);
    return [byId, [claim, name], [job ?? "", "job"], [due ?? "", undefined], ...entries];
  }
  must(isThere(entity) && entity.purgeAfterMs === 0, `${item.key} is in no known state`);
  const names: (readonly [string, Said])[] = namesOf(account, entity).map((key) => [key, name]);
  if (isRelation(entity)) return [byId, ...names, ...entries];
  const deletes = (entity.state === "DELETING") === (entity.deletingJob !== undefined);
  must(deletes, `${item.key} is ${entity.state} by ${entity.deletingJob}`);
  if (entity.deletingJob !== undefined) {
    const job = keyOf(FAMILIES.jobById, account, entity.deletingJob);
    names.push([job, "job"]);
  }
  const guards = guardKeys(account, entity.type, entity.id, entity.guardGeneration);
  return [byId, ...names, ...guards.map((key) => [key, undefined] as const)];
}

function byIdSummary(stored: StoredEntity): Uint8Array {
  const { entity, envelope, item } = stored;
  const contentHash = Buffer.from(sha256Hex(encodeContent(entity)), "hex");
  const decoded = { envelope, entity };
  const payload = {
    path: item.blobPath ?? "",
    bytes: new Uint8Array(),
    contentHash,
    decoded,
  };
  const summary: Summary = summaryOf(entity, payload);
  const bytes = encodeSummary(summary);
  if (bytes.length <= LIMITS.summaryBytes) return bytes;
  const { metadataLocation: _, ...rest } = summary;
  return encodeSummary(rest);
}

function namesOf(account: AccountId, entity: Catalog | Namespace | Relation): readonly string[] {
  switch (entity.type) {
    case "catalog":
      return [keyOf(FAMILIES.catalogByName, account, entity.name)];
    case "namespace":
      return [keyOf(FAMILIES.namespaceByPath, account, entity.catalogId, entity.path)];
    case "table":
    case "view": {
      const listing = entity.type === "table" ? FAMILIES.tableByName : FAMILIES.viewByName;
      const { catalogId, namespaceId, name, location } = entity;
      return [
        keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name),
        keyOf(listing, account, catalogId, namespaceId, name),
        locationKey(account, location),
      ];
    }
  }
}

function isRelation(entity: Entity): entity is Relation {
  return entity.type === "table" || entity.type === "view";
}

/** Alive, or on the way out by a job: with names, guards and children all the same. */
function isThere({ type, state }: Entity): boolean {
  const isContainer = type === "catalog" || type === "namespace";
  return state === "ACTIVE" || (isContainer && state === "DELETING");
}

function mustHaveParent(entity: Entity, content: StoreContent): void {
  if (!isThere(entity) || entity.type === "account" || entity.type === "catalog") return;
  if (entity.type === "connector" || entity.type === "principal") return;
  if (entity.type === "storageProfile") return;
  const parentId = isRelation(entity) ? entity.namespaceId : entity.parentId;
  const parent = content.entities.find((stored) => stored.entity.id === parentId)?.entity;
  const what = `${entity.type} ${entity.name}`;
  must(parent !== undefined && isThere(parent), `${what} has no parent`);
  must(parent.type === "catalog" || parent.type === "namespace", `${what} has a strange parent`);
  const catalogId = parent.type === "catalog" ? parent.id : parent.catalogId;
  must(catalogId === entity.catalogId, `${what} is in another catalog than its parent`);
  if (isRelation(entity)) {
    must(parent.type === "namespace", `${what} is in no namespace`);
    return;
  }
  const above = parent.type === "catalog" ? [] : parent.path;
  must(
    JSON.stringify(entity.path) === JSON.stringify([...above, entity.name]),
    `${what} is not where its path says`,
  );
}

/**
 * One receipt and one record a batch: each names the other, under one writer. A receipt of what
 * changed nothing, a refusal or what stood so already, names none.
 */
function checkRecords({ receipts, changes }: StoreContent, gone: number): void {
  const ofBatches = receipts.filter(({ receipt }) => receipt.changeId !== undefined);
  const recorded = ofBatches.length + gone;
  must(recorded === changes.size, `${recorded} receipts, ${changes.size} changes`);
  for (const { item, receipt } of receipts) {
    if (receipt.changeId === undefined) {
      must(receipt.version === 0n, `${item.key} is of a batch without a record`);
      continue;
    }
    const change = changes.get(receipt.changeId);
    must(change !== undefined, `${item.key} names no change`);
    must(change.item.writerId === item.writerId, `${item.key} is of another batch`);
    const account = accountOf(change);
    const key = change.record.keys.find(({ key }) => fullKey(account, key) === receipt.key);
    must(key?.versionTo === receipt.version, `${item.key} names a version that was not written`);
    // Under a client's key the operation is named as the client's request is.
    const named =
      receipt.requestHash.length > 0 || item.key.includes(`/${change.record.operation}/`);
    must(named, `${item.key} is of another operation`);
  }
}

function accountOf({ item }: StoredChange): AccountId {
  return parsedKey(item.key).values[0] as AccountId;
}

/** Versions of recorded keys chain from never to what is stored, by the writer that is stored. */
function checkChains(content: StoreContent): void {
  const last = new Map<string, bigint>();
  const steps = [...content.changes.values()].flatMap((change) =>
    change.record.keys.map((step) => ({ change, step, key: fullKey(accountOf(change), step.key) })),
  );
  steps.sort((a, b) => Number(a.step.versionTo - b.step.versionTo));
  for (const { change, step, key } of steps) {
    must(step.versionTo === step.versionFrom + 1n, `${key} jumps`);
    const before = last.get(key) ?? 0n;
    const derived = isSnapshotFamily(parsedKey(key).family);
    // Between two claims of a location others may have held it, which no record tells.
    const unrecorded = derived || parsedKey(key).family === "location";
    const chained = unrecorded ? step.versionFrom >= before : step.versionFrom === before;
    must(chained, `${key} has a gap at ${step.versionTo}`);
    last.set(key, step.versionTo);
    const item = content.items.get(key);
    if (item === undefined || item.version !== step.versionTo) continue;
    if (!derived) {
      must(item.writerId === change.item.writerId, `${key} was written by another batch`);
    }
    must(item.state === (step.deleted ? "absent" : "live"), `${key} differs from its record`);
    const blob = item.state === "live" ? item.blobPath : undefined;
    const sha = Buffer.from(step.blobTo ?? new Uint8Array()).toString("hex");
    must(sha === (blob?.slice(-67, -3) ?? ""), `${key} leads to another payload than recorded`);
  }
  for (const item of content.items.values()) checkRecorded(item, last, content);
}

function checkRecorded(item: Item, last: ReadonlyMap<string, bigint>, content: StoreContent): void {
  const { family } = parsedKey(item.key);
  switch (family) {
    case "receipt":
    case "keyedReceipt":
    case "change":
    case "report":
    case "accountGuard":
    case "catalogGuard":
    case "namespaceGuard":
    case "jobById":
    case "jobDue":
    case "tableByUuid":
    case "tableByMetadata":
    case "uuidFence":
    case "tableIndex":
      must(!last.has(item.key), `${item.key} has no place in a record`);
      return;
    case "tableByName":
    case "viewByName": {
      // Every write of a claim writes one listing, that of the type it is about.
      const siblings = ["tables", "views", "relations"].map((kind) =>
        item.key.replace(/\/(tables|views)\/by-name\//, `/${kind}/by-name/`),
      );
      const [tables = 0n, views = 0n, claim = 0n] = siblings.map(
        (key) => content.items.get(key)?.version,
      );
      must(tables + views === claim, `${item.key} lags behind its claim`);
      return;
    }
    // Derived; the version of the first says nothing but that something changed.
    case "access":
    case "apiKey":
    case "signingKey":
      return;
    case "snapshotById":
    case "snapshotByTime":
      must((last.get(item.key) ?? 0n) <= item.version, `${item.key} is older than recorded`);
      return;
    case "location": {
      const recorded = last.get(item.key) ?? 0n;
      const free = item.state === "absent" || isHold(item);
      must(
        free ? recorded <= item.version : recorded === item.version,
        `${item.key} is unrecorded`,
      );
      return;
    }
    default:
      must(last.get(item.key) === item.version, `${item.key} is not what was recorded last`);
  }
}

/** A location that somebody holds, and nothing claims. */
function isHold(item: Item): boolean {
  if (item.state === "absent" || parsedKey(item.key).family !== "location") return false;
  return summaryOfItem(item).heldUntilMs !== undefined;
}

/** The tree in words, sorted. */
function describeStore({ entities, receipts, items }: StoreContent): readonly string[] {
  const names = new Map(entities.map(({ entity }) => [entity.id as string, pathOf(entity)]));
  const lines = entities.map(({ entity }) => {
    const parent = isRelation(entity) ? names.get(entity.namespaceId) : undefined;
    const catalog = "catalogId" in entity ? names.get(entity.catalogId) : undefined;
    const where = isThere(entity) ? [catalog, parent] : [];
    return [entity.state, entity.type, ...where, pathOf(entity), contentOf(entity)].join(" ");
  });
  const done = receipts.map(({ item }) => `done ${parsedKey(item.key).values[1]}`);
  const held = [...items.values()].filter(isHold).map(({ key }) => `held ${key}`);
  return [...lines, ...done, ...held].sort();
}

function pathOf(entity: Entity): string {
  return entity.type === "namespace" ? JSON.stringify(entity.path) : entity.name;
}

function contentOf(entity: Entity): string {
  switch (entity.type) {
    case "account":
      return "";
    case "catalog":
    case "namespace":
    case "connector":
    case "principal":
    case "storageProfile":
      return JSON.stringify(entity.properties);
    case "table":
    case "view":
      return `${entity.location} ${entity.iceberg?.metadataLocation ?? ""}`;
  }
}
