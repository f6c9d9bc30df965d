import type Long from "long";
import type { firn } from "../../gen/firn.js";
import type { Column, Table, Upstream, View } from "../model.ts";
import { sorted } from "../sorted.ts";
import {
  common,
  commonOf,
  type Decoded,
  decoded,
  droppable,
  droppableOf,
} from "./entity-fields.ts";
import {
  big,
  bytesOf,
  type Encode,
  FORMAT,
  idOf,
  long,
  nameOf,
  unknownOf,
  v1,
  withUnknown,
} from "./wire.ts";

function icebergMessage(entity: Table): firn.v1.IcebergTable.$Properties | null {
  const iceberg = entity.iceberg;
  if (iceberg === undefined) return null;
  const message: firn.v1.IcebergTable.$Properties = {
    tableUuid: bytesOf(iceberg.tableUuid),
    metadataLocation: iceberg.metadataLocation,
    purgeRequested: iceberg.purgeRequested,
    ...(iceberg.currentSnapshotId === undefined
      ? {}
      : { currentSnapshotId: long(iceberg.currentSnapshotId) }),
  };
  return withUnknown(message, entity.unknownFields?.iceberg);
}

/** The fields of a table without a metadata file; none where it says none. */
function otherFields({
  columns,
  partitionKeys,
  upstream,
  shard,
}: Table): firn.v1.Table.$Properties {
  return {
    ...(columns !== undefined && { columns: columns.map(columnMessage) }),
    ...(partitionKeys !== undefined && { partitionKeys: [...partitionKeys] }),
    ...(upstream !== undefined && {
      upstream: {
        connectorId: bytesOf(upstream.connectorId),
        uri: upstream.uri,
        path: upstream.path,
      },
    }),
    ...(shard !== undefined && { shard: bytesOf(shard) }),
  };
}

function columnMessage({ fieldId, ...column }: Column): firn.v1.Column.$Properties {
  return fieldId === undefined ? column : { ...column, fieldId };
}

function columnOf(message: firn.v1.Column.$Properties): Column {
  const has = Object.hasOwn(message, "fieldId") && message.fieldId != null;
  const { name, type, nullable, comment, fieldId } = v1.Column.create(message);
  return { name, type, nullable, comment, ...(has && { fieldId: fieldId as number }) };
}

function upstreamOf(message: firn.v1.Upstream.$Properties): Upstream {
  const { connectorId, uri, path } = v1.Upstream.create(message);
  return { uri, path, ...(connectorId.length > 0 && { connectorId: idOf(connectorId) }) };
}

type OtherFields = Pick<Table, "columns" | "partitionKeys" | "upstream" | "shard">;

/** The inverse of `otherFields`. */
function otherOf(m: firn.v1.Table): OtherFields {
  return {
    ...(m.columns.length > 0 && { columns: m.columns.map(columnOf) }),
    ...(m.partitionKeys.length > 0 && { partitionKeys: m.partitionKeys }),
    ...(m.upstream && { upstream: upstreamOf(m.upstream) }),
    ...(m.shard.length > 0 && { shard: idOf(m.shard) }),
  };
}

export function tableBody(entity: Table): Encode {
  const message: firn.v1.Table.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    catalogId: bytesOf(entity.catalogId),
    namespaceId: bytesOf(entity.namespaceId),
    format: FORMAT[entity.format],
    location: entity.location,
    iceberg: icebergMessage(entity),
    ...otherFields(entity),
  };
  return (writer) => v1.Table.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function viewBody(entity: View): Encode {
  const { iceberg, unknownFields } = entity;
  const icebergMessage: firn.v1.IcebergView.$Properties | null =
    iceberg === undefined
      ? null
      : {
          viewUuid: bytesOf(iceberg.viewUuid),
          metadataLocation: iceberg.metadataLocation,
          currentVersionId: iceberg.currentVersionId,
        };
  const message: firn.v1.View.$Properties = {
    ...common(entity),
    ...droppable(entity),
    properties: sorted(entity.properties),
    catalogId: bytesOf(entity.catalogId),
    namespaceId: bytesOf(entity.namespaceId),
    location: entity.location,
    iceberg: icebergMessage && withUnknown(icebergMessage, unknownFields?.iceberg),
  };
  return (writer) => v1.View.encode(withUnknown(message, unknownFields?.own), writer);
}

function icebergOf(message: firn.v1.IcebergTable.$Properties): Table["iceberg"] {
  const has = Object.hasOwn(message, "currentSnapshotId") && message.currentSnapshotId != null;
  const m = v1.IcebergTable.create(message);
  return {
    ...(m.tableUuid.length === 0 ? {} : { tableUuid: idOf(m.tableUuid) }),
    metadataLocation: m.metadataLocation,
    purgeRequested: m.purgeRequested,
    ...(has ? { currentSnapshotId: big(m.currentSnapshotId as Long) } : {}),
  };
}

export function decodeTable(bytes: Uint8Array): Decoded<Table> {
  return decoded(v1.Table.decode(bytes), (m, id) => {
    const iceberg = m.iceberg ? icebergOf(m.iceberg) : undefined;
    return {
      type: "table",
      id: id as Table["id"],
      ...commonOf(m, m.name),
      ...droppableOf(m),
      properties: m.properties,
      catalogId: idOf(m.catalogId),
      namespaceId: idOf(m.namespaceId),
      format: nameOf(FORMAT, m.format),
      location: m.location,
      ...(iceberg === undefined ? {} : { iceberg }),
      ...otherOf(m),
      ...unknownOf(m, m.iceberg),
    };
  });
}

function icebergViewOf(message: firn.v1.IcebergView.$Properties): View["iceberg"] {
  const m = v1.IcebergView.create(message);
  return {
    viewUuid: idOf(m.viewUuid),
    metadataLocation: m.metadataLocation,
    currentVersionId: m.currentVersionId,
  };
}

export function decodeView(bytes: Uint8Array): Decoded<View> {
  return decoded(v1.View.decode(bytes), (m, id) => {
    const iceberg = m.iceberg ? icebergViewOf(m.iceberg) : undefined;
    return {
      type: "view",
      id: id as View["id"],
      ...commonOf(m, m.name),
      ...droppableOf(m),
      properties: m.properties,
      catalogId: idOf(m.catalogId),
      namespaceId: idOf(m.namespaceId),
      location: m.location,
      ...(iceberg === undefined ? {} : { iceberg }),
      ...unknownOf(m, m.iceberg),
    };
  });
}
