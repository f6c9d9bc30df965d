import { sha256Bytes } from "../base/hash.ts";
import type { AccountId, JobId } from "../base/ids.ts";
import type { PointerOp } from "../pointer/port.ts";
import { fitSummary } from "./batch.ts";
import { decodePayload, encodePayload } from "./codec/entities.ts";
import { encodeJob } from "./codec/job.ts";
import { encodeApiKey } from "./codec/principal.ts";
import { encodeStorageRoot } from "./codec/storage-profile.ts";
import { encodeSummary } from "./codec/summary.ts";
import { deleteJobOf } from "./delete-marks.ts";
import { afterDropKeys, keeperOf } from "./drops.ts";
import { corrupt } from "./errors.ts";
import { guardKeys } from "./guards.ts";
import { jobKeys } from "./jobs.ts";
import { FAMILIES, keyOf, locationKey } from "./keys.ts";
import { type Entity, isDroppable } from "./model.ts";
import { byIdKey } from "./paths.ts";
import { nameSummary, summaryOf } from "./summaries.ts";
import { indexKeysOf, tableIndexKey } from "./table-index.ts";

/** Every pointer of an entity, as it is made anew from the payload alone. */
export interface EntityPointers {
  readonly entity: Entity;
  readonly ops: readonly Extract<PointerOp, { op: "put" }>[];
}

/**
 * All pointers of an entity: canonical, names, guards, claim, index entries; of a dropped one its
 * place among the dropped and the job that ends it. None for what is being purged: its files are
 * going.
 *
 * @param path of the payload.
 * @throws FirnError `Corrupt`: the payload is not of this entity.
 */
export function entityPointers(
  account: AccountId,
  type: Entity["type"],
  id: string,
  path: string,
  bytes: Uint8Array,
): EntityPointers {
  const decoded = decodePayload(type, bytes);
  const { entity, envelope } = decoded;
  if (envelope.accountId !== account || envelope.entityId !== id) {
    throw corrupt("payload of another id", { path });
  }
  if (entity.state === "PURGING") return { entity, ops: [] };
  const contentHash = sha256Bytes(encodePayload(envelope, entity).content);
  const summary = fitSummary(summaryOf(entity, { path, bytes, contentHash, decoded }));
  const name = encodeSummary(nameSummary(entity));
  const ops: Extract<PointerOp, { op: "put" }>[] = [
    { op: "put", key: byIdKey(type, account, id), expected: 0n, blobPath: path, summary },
  ];
  const put = (key: string, content?: Uint8Array): void => {
    ops.push({ op: "put", key, expected: 0n, ...(content && { summary: content }) });
  };
  for (const key of indexKeysOf(account, entity)) put(key);
  if (isDroppable(entity) && entity.state === "DROPPED") {
    const [index = "", state = "", due = ""] = afterDropKeys(
      keeperOf(account, entity),
      entity.id,
      entity.purgeAfterMs,
    );
    put(index, name);
    put(
      state,
      encodeJob({
        id: entity.id as string as JobId,
        kind: "purge",
        subject: { type, id },
        step: "",
        dueMs: entity.purgeAfterMs,
        heldUntilMs: 0,
        tries: 0,
        failures: 0,
      }),
    );
    put(due);
    if (entity.type === "account") put(tableIndexKey(account));
    return { entity, ops };
  }
  for (const key of nameKeys(account, entity)) put(key, name);
  if (entity.type === "principal") {
    const owner = encodeApiKey({ account, principal: entity.id });
    for (const key of entity.keys) put(keyOf(FAMILIES.apiKey, key.id), owner);
  }
  if (entity.type === "storageProfile") {
    const owner = encodeStorageRoot({ account, profile: entity.id });
    for (const root of entity.roots) put(keyOf(FAMILIES.storageRoot, root), owner);
  }
  const deletes = deleteJobOf(entity, envelope);
  if (deletes !== undefined) {
    const [state, due] = jobKeys(keeperOf(account, entity), deletes.id, deletes.dueMs);
    put(state, encodeJob(deletes));
    put(due);
  }
  if (entity.type === "account") {
    put(keyOf(FAMILIES.accountGuard, account));
    // Every table is made anew with its entries.
    put(tableIndexKey(account));
  }
  if (entity.type === "catalog" || entity.type === "namespace") {
    for (const key of guardKeys(account, entity.type, entity.id, entity.guardGeneration)) put(key);
  }
  return { entity, ops };
}

/** What leads to an active entity by its name, and claims its location. */
function nameKeys(account: AccountId, entity: Entity): readonly string[] {
  switch (entity.type) {
    case "account":
      return [keyOf(FAMILIES.accountByName, entity.name)];
    case "catalog":
      return [keyOf(FAMILIES.catalogByName, account, entity.name)];
    case "connector":
      return [keyOf(FAMILIES.connectorByName, account, entity.name)];
    case "principal":
      return [keyOf(FAMILIES.principalByName, account, entity.name)];
    case "storageProfile":
      return [keyOf(FAMILIES.storageProfileByName, account, entity.name)];
    case "namespace":
      return [keyOf(FAMILIES.namespaceByPath, account, entity.catalogId, entity.path)];
    case "table":
    case "view": {
      const { catalogId, namespaceId, name } = entity;
      const listing = entity.type === "table" ? FAMILIES.tableByName : FAMILIES.viewByName;
      return [
        keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name),
        keyOf(listing, account, catalogId, namespaceId, name),
        locationKey(account, entity.location),
      ];
    }
  }
}
