import type { AccountId } from "../base/ids.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { Entity } from "./model.ts";

/** Folder of a payload: everything of its path but the hash. Blob paths have no leading slash. */
function folderOf(type: Entity["type"], account: AccountId, id: string): string {
  switch (type) {
    case "account":
      return `accounts/${account}/account`;
    case "catalog":
      return `accounts/${account}/catalogs/${id}/catalog`;
    case "namespace":
      return `accounts/${account}/namespaces/${id}/namespace`;
    case "table":
      return `accounts/${account}/tables/${id}/table`;
  }
}

/** Path of a payload: `sha` is the lower-hex SHA-256 of its bytes. */
export function payloadPath(
  type: Entity["type"],
  account: AccountId,
  id: string,
  sha: string,
): string {
  return `${folderOf(type, account, id)}/${sha}.pb`;
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
  }
}
