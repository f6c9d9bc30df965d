import type { JobId } from "../../base/ids.ts";
import type { firn } from "../../gen/firn.js";
import type { Account, Catalog, Namespace, RowShardEntry } from "../model.ts";
import { sorted } from "../sorted.ts";
import {
  common,
  commonOf,
  type Decoded,
  decoded,
  droppable,
  droppableOf,
} from "./entity-fields.ts";
import { bytesOf, type Encode, idOf, unknownOf, v1, withUnknown } from "./wire.ts";

export function accountBody(entity: Account): Encode {
  const message: firn.v1.Account.$Properties = {
    ...common(entity),
    // As accounts were written before they could be dropped: the hash of their content stays.
    ...((entity.protected || entity.purgeAfterMs > 0) && droppable(entity)),
    tags: sorted(entity.tags),
    suspended: entity.suspended === true,
    deletingJob: bytesOf(entity.deletingJob),
    operator: bytesOf(entity.operator),
  };
  return (writer) => v1.Account.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function catalogBody(entity: Catalog): Encode {
  const message: firn.v1.Catalog.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    guardGeneration: entity.guardGeneration,
    defaultLocation: entity.defaultLocation,
    allowedLocations: [...entity.allowedLocations],
    defaultTableProperties: sorted(entity.defaultTableProperties),
    deletingJob: bytesOf(entity.deletingJob),
    ...(entity.rowShards !== undefined && {
      rowShards: entity.rowShards.map((shard) => ({ ...shard, id: bytesOf(shard.id) })),
    }),
  };
  return (writer) => v1.Catalog.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function namespaceBody(entity: Namespace): Encode {
  const { name: _name, ...rest } = common(entity);
  const message: firn.v1.Namespace.$Properties = {
    ...rest,
    ...droppable(entity),
    path: [...entity.path],
    properties: sorted(entity.properties),
    guardGeneration: entity.guardGeneration,
    catalogId: bytesOf(entity.catalogId),
    parentId: bytesOf(entity.parentId),
    deletingJob: bytesOf(entity.deletingJob),
  };
  return (writer) => v1.Namespace.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function decodeAccount(bytes: Uint8Array): Decoded<Account> {
  return decoded(v1.Account.decode(bytes), (m, id) => ({
    type: "account",
    id: id as Account["id"],
    ...commonOf(m, m.name),
    ...droppableOf(m),
    tags: m.tags,
    ...(m.operator.length > 0 && { operator: idOf(m.operator) as Account["id"] }),
    ...(m.suspended && { suspended: true as const }),
    ...deletingOf(m),
    ...unknownOf(m),
  }));
}

export function decodeCatalog(bytes: Uint8Array): Decoded<Catalog> {
  return decoded(v1.Catalog.decode(bytes), (m, id) => ({
    type: "catalog",
    id: id as Catalog["id"],
    ...commonOf(m, m.name),
    ...droppableOf(m),
    properties: m.properties,
    guardGeneration: m.guardGeneration,
    defaultLocation: m.defaultLocation,
    allowedLocations: m.allowedLocations,
    defaultTableProperties: m.defaultTableProperties,
    ...deletingOf(m),
    ...(m.rowShards.length > 0 && { rowShards: m.rowShards.map(rowShardOf) }),
    ...unknownOf(m),
  }));
}

export function decodeNamespace(bytes: Uint8Array): Decoded<Namespace> {
  return decoded(v1.Namespace.decode(bytes), (m, id) => ({
    type: "namespace",
    id: id as Namespace["id"],
    ...commonOf(m, m.path.at(-1) ?? ""),
    ...droppableOf(m),
    path: m.path,
    properties: m.properties,
    guardGeneration: m.guardGeneration,
    catalogId: idOf(m.catalogId),
    parentId: idOf(m.parentId),
    ...deletingOf(m),
    ...unknownOf(m),
  }));
}

function rowShardOf(message: firn.v1.RowShard.$Properties): RowShardEntry {
  const { id, name, number } = v1.RowShard.create(message);
  return { id: idOf(id), name, number };
}

function deletingOf({ deletingJob: job }: { readonly deletingJob: Uint8Array }): {
  readonly deletingJob?: JobId;
} {
  return job.length === 0 ? {} : { deletingJob: idOf(job) };
}
