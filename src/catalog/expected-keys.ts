import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { encodeApiKey } from "./codec/principal.ts";
import { encodeStorageRoot } from "./codec/storage-profile.ts";
import { encodeSummary } from "./codec/summary.ts";
import { afterDropKeys, type Droppable, keeperOf } from "./drops.ts";
import { guardKeys } from "./guards.ts";
import { FAMILIES, keyOf, locationKey } from "./keys.ts";
import {
  type Entity,
  isDroppable,
  type Principal,
  type StorageProfile,
  type Summary,
} from "./model.ts";
import { nameSummary } from "./summaries.ts";
import { indexKeysOf } from "./table-index.ts";

/** What a key is to the entity that it lives through. */
export type KeyRole =
  | "name"
  | "listing"
  | "claim"
  | "guard"
  | "index"
  | "job"
  | "due"
  /** In the indexes of tables: expected where those are complete. */
  | "entry";

/** A key that is alive exactly as long as an entity is in its state. */
export interface ExpectedKey {
  readonly role: KeyRole;
  readonly key: string;
  /** What its summary says; absent where that is the job's own, or nothing. */
  readonly summary?: Uint8Array;
}

/** Every key but the canonical one that lives through an entity, in the state that it is in. */
export function expectedKeys(account: AccountId, entity: Entity): readonly ExpectedKey[] {
  const summary = encodeSummary(nameSummary(entity));
  const entries = indexKeysOf(account, entity).map((key) => ({ role: "entry" as const, key }));
  switch (entity.state) {
    case "ACTIVE":
      return [...namesOf(account, entity, summary), ...guardsOf(account, entity), ...entries];
    case "DROPPED":
    case "PURGING":
      return isDroppable(entity)
        ? [...afterDrop(keeperOf(account, entity), entity, summary), ...entries]
        : [];
    case "DELETING": {
      const names = namesOf(account, entity, summary);
      return [...names, ...guardsOf(account, entity), ...entries, ...deletion(account, entity)];
    }
  }
}

function namesOf(account: AccountId, entity: Entity, summary: Uint8Array): ExpectedKey[] {
  switch (entity.type) {
    case "account":
      return [
        { role: "name", key: keyOf(FAMILIES.accountByName, entity.name), summary },
        { role: "guard", key: keyOf(FAMILIES.accountGuard, account) },
      ];
    case "catalog":
      return [{ role: "name", key: keyOf(FAMILIES.catalogByName, account, entity.name), summary }];
    case "connector":
      return [
        { role: "name", key: keyOf(FAMILIES.connectorByName, account, entity.name), summary },
      ];
    case "principal": {
      const name = keyOf(FAMILIES.principalByName, account, entity.name);
      return [{ role: "name", key: name, summary }, ...accessOf(account, entity)];
    }
    case "storageProfile": {
      const name = keyOf(FAMILIES.storageProfileByName, account, entity.name);
      return [{ role: "name", key: name, summary }, ...rootsOf(account, entity)];
    }
    case "namespace": {
      const key = keyOf(FAMILIES.namespaceByPath, account, entity.catalogId, entity.path);
      return [{ role: "name", key, summary }];
    }
    case "table":
    case "view": {
      const { type, catalogId, namespaceId, name, location } = entity;
      const listing = type === "table" ? FAMILIES.tableByName : FAMILIES.viewByName;
      return [
        {
          role: "name",
          key: keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name),
          summary,
        },
        { role: "listing", key: keyOf(listing, account, catalogId, namespaceId, name), summary },
        { role: "claim", key: locationKey(account, location), summary },
      ];
    }
  }
}

/** What leads from the API keys of a principal to it. */
function accessOf(account: AccountId, { id, keys }: Principal): ExpectedKey[] {
  const summary = encodeApiKey({ account, principal: id });
  return keys.map((key) => ({ role: "name", key: keyOf(FAMILIES.apiKey, key.id), summary }));
}

/** What leads from the roots of a storage profile to it. */
function rootsOf(account: AccountId, { id, roots }: StorageProfile): ExpectedKey[] {
  const summary = encodeStorageRoot({ account, profile: id });
  return roots.map((root) => ({ role: "name", key: keyOf(FAMILIES.storageRoot, root), summary }));
}

/** The job that deletes it, or what it lies in. */
function deletion(account: AccountId, entity: Entity): ExpectedKey[] {
  const job = "deletingJob" in entity ? entity.deletingJob : undefined;
  if (job === undefined) return [];
  return [{ role: "job", key: keyOf(FAMILIES.jobById, keeperOf(account, entity), job) }];
}

function guardsOf(account: AccountId, entity: Entity): ExpectedKey[] {
  if (entity.type !== "catalog" && entity.type !== "namespace") return [];
  const keys = guardKeys(account, entity.type, entity.id, entity.guardGeneration);
  return keys.map((key) => ({ role: "guard", key }));
}

function afterDrop(account: AccountId, entity: Droppable, summary: Uint8Array): ExpectedKey[] {
  const [index = "", job = "", due = ""] = afterDropKeys(account, entity.id, entity.purgeAfterMs);
  const jobs: ExpectedKey[] = [
    { role: "job", key: job },
    { role: "due", key: due },
  ];
  if (entity.state === "DROPPED") return [{ role: "index", key: index, summary }, ...jobs];
  const claim = entity.type === "table" ? locationKey(account, entity.location) : undefined;
  return claim === undefined ? jobs : [{ role: "claim", key: claim, summary }, ...jobs];
}

/** Summary bytes within their limit: a metadata location that does not fit is in the payload. */
export function fitSummary(summary: Summary): Uint8Array {
  const bytes = encodeSummary(summary);
  if (bytes.length <= LIMITS.summaryBytes) return bytes;
  const { metadataLocation: _left, ...rest } = summary;
  const shorter = encodeSummary(rest);
  assert(shorter.length <= LIMITS.summaryBytes, "a summary fits without its location");
  return shorter;
}
