import { invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { AnyPlace } from "../../service/resources/history.ts";
import type {
  AccountPlace,
  CatalogPlace,
  ConnectorPlace,
  Named,
  NamespacePlace,
  RelationPlace,
  StorageProfilePlace,
} from "../../service/resources/resource.ts";
import type { SnapshotPlace } from "../../service/resources/statistics.ts";
import { decodePart } from "./query.ts";
import type { RawParams } from "./router.ts";

/** In place of any name: the resource of this id. */
const ID = "id:";

function named(raw: string): Named {
  return raw.startsWith(ID) ? { id: raw.slice(ID.length) } : { name: decodePart(raw) };
}

/**
 * Names joined by dots, split before they are decoded: `%2E` is a dot within a name.
 *
 * @throws FirnError `Invalid`: `NAMESPACE_INVALID`, `URL_INVALID`.
 */
export function splitNames(raw: string, most: number = LIMITS.namespaceLevels): readonly string[] {
  const parts = raw.split(".");
  if (parts.length > most) {
    const facts = { levels: parts.length, limit: most };
    throw invalid("NAMESPACE_INVALID", "too many levels: use fewer", facts);
  }
  if (parts.includes("")) throw invalid("NAMESPACE_INVALID", "empty level in a name");
  return parts.map(decodePart);
}

export function catalogOf({ catalog = "" }: RawParams): CatalogPlace {
  return { catalog: named(catalog) };
}

export function accountOf({ account = "" }: RawParams): AccountPlace {
  return { account: named(account) };
}

export function storageProfileOf({ profile = "" }: RawParams): StorageProfilePlace {
  return { profile: named(profile) };
}

export function connectorOf({ connector = "" }: RawParams): ConnectorPlace {
  return { connector: named(connector) };
}

export function namespaceOf(params: RawParams): NamespacePlace {
  const { namespace = "" } = params;
  return {
    ...catalogOf(params),
    namespace: namespace.startsWith(ID)
      ? { id: namespace.slice(ID.length) }
      : { path: splitNames(namespace) },
  };
}

export function relationOf(params: RawParams): RelationPlace {
  return { ...namespaceOf(params), relation: named(params["table"] ?? params["view"] ?? "") };
}

/** The resource that a path names, whatever kind it is of. */
export function placeOf(params: RawParams): AnyPlace {
  if ("table" in params) return { type: "table", ...relationOf(params) };
  if ("view" in params) return { type: "view", ...relationOf(params) };
  if ("namespace" in params) return { type: "namespace", ...namespaceOf(params) };
  if ("connector" in params) return { type: "connector", ...connectorOf(params) };
  return { type: "catalog", ...catalogOf(params) };
}

/** @throws FirnError `Invalid` `SNAPSHOT_ID_INVALID`. */
export function snapshotIdOf({ snapshot = "" }: RawParams): bigint {
  const text = decodePart(snapshot);
  const id = /^-?[0-9]{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (id !== undefined && BigInt.asIntN(64, id) === id) return id;
  const facts = { id: text.slice(0, 64) };
  throw invalid("SNAPSHOT_ID_INVALID", "invalid snapshot id: it must be a 64-bit integer", facts);
}

export function snapshotOf(params: RawParams): SnapshotPlace {
  return { ...relationOf(params), snapshotId: snapshotIdOf(params) };
}
