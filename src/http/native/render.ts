import type * as api from "../../api/resources.ts";
import { unreachable } from "../../base/assert.ts";
import type { Listed } from "../../catalog/listed.ts";
import type {
  Account,
  Catalog,
  Connector,
  Namespace,
  StorageProfile,
  Table,
  TableSnapshot,
  View,
} from "../../catalog/model.ts";
import type { DroppedInfo } from "../../service/dropped-admin.ts";
import type { ChangeInfo } from "../../service/entity-history.ts";
import type { JobInfo } from "../../service/jobs-admin.ts";
import type { ResourceVersion } from "../../service/resources/history.ts";
import { etagOf, type Resource } from "../../service/resources/resource.ts";
import { timeText } from "./times.ts";

/** What the catalog knows, as the JSON of the native API. */

function base(resource: Resource | Resource<Account> | Resource<StorageProfile>): api.ResourceBase {
  const { entity, version, updatedAtMs, updatedBy } = resource;
  return {
    id: entity.id,
    name: entity.name,
    description: entity.description,
    state: entity.state,
    version: String(version),
    etag: etagOf(resource),
    createdAt: timeText(entity.createdAtMs),
    updatedAt: timeText(updatedAtMs),
    updatedBy,
  };
}

export function renderAccount(resource: Resource<Account>): api.Account {
  const { protected: isProtected, suspended = false, tags } = resource.entity;
  return { type: "account", ...base(resource), protected: isProtected, suspended, tags };
}

export function renderCatalog(resource: Resource<Catalog>): api.Catalog {
  const { entity } = resource;
  return {
    type: "catalog",
    ...base(resource),
    protected: entity.protected,
    properties: entity.properties,
    defaultLocation: entity.defaultLocation,
    allowedLocations: entity.allowedLocations,
  };
}

export function renderNamespace(resource: Resource<Namespace>): api.Namespace {
  const { entity, above } = resource;
  return {
    type: "namespace",
    ...base(resource),
    catalog: above.catalog ?? "",
    path: entity.path,
    protected: entity.protected,
    properties: entity.properties,
  };
}

export function renderConnector(resource: Resource<Connector>): api.Connector {
  const { kind, uri, options, policy, properties } = resource.entity;
  return { type: "connector", ...base(resource), kind, uri, options, policy, properties };
}

export function renderStorageProfile(resource: Resource<StorageProfile>): api.StorageProfile {
  const { roots, region, endpoint, pathStyle, roleArn, stsEndpoint, ...rest } = resource.entity;
  const { kmsKeys, vend, sign, secretKind: kind, secretFile: file, secretSetAtMs } = rest;
  return {
    type: "storageProfile",
    ...base(resource),
    roots,
    region,
    endpoint,
    pathStyle,
    roleArn,
    stsEndpoint,
    kmsKeys,
    vend,
    sign,
    secret: { kind, setAt: timeText(secretSetAtMs), ...(kind === "FILE" && { file }) },
    properties: rest.properties,
  };
}

function relation(resource: Resource<Table> | Resource<View>) {
  const { entity, above } = resource;
  return {
    ...base(resource),
    catalog: above.catalog ?? "",
    namespace: above.namespace ?? [],
    protected: entity.protected,
    properties: entity.properties,
    location: entity.location,
  };
}

export function renderTable(resource: Resource<Table>): api.Table {
  const { format, iceberg, columns, partitionKeys, upstream } = resource.entity;
  return {
    type: "table",
    ...relation(resource),
    format,
    ...(columns !== undefined && { columns }),
    ...(partitionKeys !== undefined && { partitionKeys }),
    ...(upstream !== undefined && { upstream }),
    ...(iceberg !== undefined && {
      iceberg: {
        metadataLocation: iceberg.metadataLocation,
        ...(iceberg.tableUuid !== undefined && { uuid: iceberg.tableUuid }),
        ...(iceberg.currentSnapshotId !== undefined && {
          currentSnapshotId: String(iceberg.currentSnapshotId),
        }),
      },
    }),
  };
}

export function renderView(resource: Resource<View>): api.View {
  const { iceberg } = resource.entity;
  return {
    type: "view",
    ...relation(resource),
    ...(iceberg !== undefined && {
      iceberg: {
        metadataLocation: iceberg.metadataLocation,
        uuid: iceberg.viewUuid,
        currentVersionId: iceberg.currentVersionId,
      },
    }),
  };
}

export function renderResource(resource: Resource): api.Resource {
  const { entity } = resource;
  switch (entity.type) {
    case "catalog":
      return renderCatalog({ ...resource, entity });
    case "namespace":
      return renderNamespace({ ...resource, entity });
    case "table":
      return renderTable({ ...resource, entity });
    case "view":
      return renderView({ ...resource, entity });
    case "connector":
      return renderConnector({ ...resource, entity });
    default:
      return unreachable(entity);
  }
}

/** `above`: the path of the namespaces' parent. */
export function renderSummary(
  { summary, version }: Listed,
  above?: readonly string[],
): api.Summary {
  const { entityType: type, entityId: id, name, revision, format, metadataLocation } = summary;
  return {
    type: type as api.Summary["type"],
    id,
    name,
    etag: etagOf({ version, revision }),
    protected: summary.protected,
    ...(above !== undefined && { path: [...above, name] }),
    ...(format !== undefined && { format }),
    ...(metadataLocation !== undefined && { metadataLocation }),
  };
}

export function renderSnapshot(snapshot: TableSnapshot): api.Snapshot {
  const { snapshotId, parentSnapshotId, timestampMs, sequenceNumber, schemaId } = snapshot;
  return {
    snapshotId: String(snapshotId),
    ...(parentSnapshotId !== undefined && { parentSnapshotId: String(parentSnapshotId) }),
    timestamp: timeText(timestampMs),
    sequenceNumber: String(sequenceNumber),
    ...(schemaId !== undefined && { schemaId }),
    manifestList: snapshot.manifestList,
    operation: snapshot.operation,
    summary: snapshot.summary,
  };
}

export function renderDropped(info: DroppedInfo): api.Dropped {
  const { id, type, name, catalog, namespace, purgeAfterMs, purgeRequested } = info;
  return {
    id,
    type,
    name,
    ...(catalog !== undefined && { catalog }),
    ...(namespace !== undefined && { namespace }),
    purgeAfter: timeText(purgeAfterMs),
    purgeRequested,
  };
}

export function renderJob(info: JobInfo): api.Job {
  const { id, kind, state, tries, leftUndone, error } = info;
  return {
    id,
    kind,
    target: { type: info.subjectType, id: info.subjectId },
    state,
    due: timeText(info.dueMs),
    nextTry: timeText(info.nextTryMs),
    tries,
    leftUndone,
    ...(info.progress !== undefined && { progress: info.progress }),
    ...(info.endedMs !== undefined && { ended: timeText(info.endedMs) }),
    ...(info.cancelled === true && { cancelled: true }),
    ...(error !== undefined && { error }),
  };
}

export function renderVersion({ resource, requestId, change }: ResourceVersion): api.Version {
  return {
    resource: renderResource(resource),
    requestId,
    ...(change !== undefined && { operation: change.operation, changeId: change.id }),
  };
}

export function renderChange(info: ChangeInfo): api.Change {
  const { id, timeMs, principal, requestId, operation, entities } = info;
  return {
    id,
    time: timeText(timeMs),
    principal,
    requestId,
    operation,
    entities: entities.map((entity) => ({
      type: entity.type,
      id: entity.id,
      versionFrom: String(entity.versionFrom),
      versionTo: String(entity.versionTo),
      deleted: entity.deleted,
    })),
  };
}
