import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import { FAMILIES, type FamilyName, keyOf } from "./keys.ts";
import type { Entity } from "./model.ts";

/** One kind of payload blob: where it lies and which family of keys may lead to it. */
export interface BlobKind {
  /** Blob paths have no leading slash. `{sha}` is the lower-hex SHA-256 of the bytes. */
  readonly pattern: string;
  readonly owner: FamilyName;
  /** Another family whose keys lead to the same blob. */
  readonly alias?: FamilyName;
  readonly note: string;
}

export type BlobKindName =
  | Entity["type"]
  | "snapshot"
  | "targetStats"
  | "fileStats"
  | "constraints"
  | "change"
  | "report";

/** The one table of payload blobs; `docs/keys.md` is printed from it. */
export const BLOBS: Readonly<Record<BlobKindName, BlobKind>> = {
  account: {
    pattern: "accounts/{account}/account/{sha}.pb",
    owner: "accountById",
    note: "one a revision",
  },
  catalog: {
    pattern: "accounts/{account}/catalogs/{catalog}/catalog/{sha}.pb",
    owner: "catalogById",
    note: "one a revision",
  },
  namespace: {
    pattern: "accounts/{account}/namespaces/{namespace}/namespace/{sha}.pb",
    owner: "namespaceById",
    note: "one a revision",
  },
  table: {
    pattern: "accounts/{account}/tables/{table}/table/{sha}.pb",
    owner: "tableById",
    note: "one a revision",
  },
  view: {
    pattern: "accounts/{account}/views/{view}/view/{sha}.pb",
    owner: "viewById",
    note: "one a revision",
  },
  connector: {
    pattern: "accounts/{account}/connectors/{connector}/connector/{sha}.pb",
    owner: "connectorById",
    note: "one a revision",
  },
  principal: {
    pattern: "accounts/{account}/principals/{principal}/principal/{sha}.pb",
    owner: "principalById",
    note: "one a revision",
  },
  storageProfile: {
    pattern: "accounts/{account}/storage-profiles/{profile}/profile/{sha}.pb",
    owner: "storageProfileById",
    note: "one a revision",
  },
  snapshot: {
    pattern: "accounts/{account}/tables/{table}/snapshots/{snapshot}/snapshot/{sha}.pb",
    owner: "snapshotById",
    alias: "snapshotByTime",
    note: "one a write, of which there may be several",
  },
  targetStats: {
    pattern: "accounts/{account}/tables/{table}/target-stats/{snapshot}/{sha}.pb",
    owner: "targetStats",
    note: "one a write, of one target or several",
  },
  fileStats: {
    pattern: "accounts/{account}/tables/{table}/file-stats/{snapshot}/{sha}.pb",
    owner: "targetStats",
    alias: "fileStats",
    note: "one a write, of one file or several",
  },
  constraints: {
    pattern: "accounts/{account}/tables/{table}/constraints/{snapshot}/{sha}.pb",
    owner: "constraints",
    alias: "snapshotConstraints",
    note: "one a write",
  },
  report: {
    pattern: "accounts/{account}/tables/{table}/reports/{number}/{sha}.pb",
    owner: "report",
    note: "one a report, deleted with the next one of its slot",
  },
  change: {
    pattern: "accounts/{account}/changes/{minute_and_shard}/{sha}.pb",
    owner: "change",
    note: "only where the record exceeds its pointer's summary",
  },
};

const VARIABLE = /\{[^}]+\}/g;

/** A blob's path: the values of its pattern in order, the hash last. */
export function blobPathOf(kind: BlobKindName, ...values: readonly string[]): string {
  let next = 0;
  return BLOBS[kind].pattern.replace(VARIABLE, () => values[next++] ?? "");
}

/** Path of an entity's payload: `sha` is the lower-hex SHA-256 of its bytes. */
export function payloadPath(
  type: Entity["type"],
  account: AccountId,
  id: string,
  sha: string,
): string {
  return type === "account" ? blobPathOf(type, account, sha) : blobPathOf(type, account, id, sha);
}

/** A key as a change record spells it: without what all keys of the account begin with. */
export function relativeKey(account: AccountId, key: string): string {
  const prefix = `/accounts/${account}/`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** The inverse of `relativeKey`. */
export function fullKey(account: AccountId, key: string): string {
  return key.startsWith("/") ? key : `/accounts/${account}/${key}`;
}

/** The hash that a payload's path names. */
export function shaOfPath(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1, -".pb".length);
}

/** The canonical pointer of an entity: the one that carries its payload. Never moves. */
export function byIdKey(type: Entity["type"], account: AccountId, id: string): string {
  switch (type) {
    case "account":
      return keyOf(FAMILIES.accountById, id);
    case "catalog":
      return keyOf(FAMILIES.catalogById, account, id);
    case "namespace":
      return keyOf(FAMILIES.namespaceById, account, id);
    case "table":
      return keyOf(FAMILIES.tableById, account, id);
    case "view":
      return keyOf(FAMILIES.viewById, account, id);
    case "connector":
      return keyOf(FAMILIES.connectorById, account, id);
    case "principal":
      return keyOf(FAMILIES.principalById, account, id);
    case "storageProfile":
      return keyOf(FAMILIES.storageProfileById, account, id);
  }
}

/** `byIdKey` for many ids: what stands around the id is the same for all of a type. */
export function byIdKeys(account: AccountId): (type: Entity["type"], id: string) => string {
  const around = new Map<Entity["type"], readonly [before: string, behind: string]>();
  return (type, id) => {
    let parts = around.get(type);
    if (parts === undefined) {
      const key = byIdKey(type, account, id);
      const at = key.lastIndexOf(id);
      assert(at > 0, "an id stands in its key as it is");
      parts = [key.slice(0, at), key.slice(at + id.length)];
      around.set(type, parts);
    }
    return parts[0] + id + parts[1];
  };
}
