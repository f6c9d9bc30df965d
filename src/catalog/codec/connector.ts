import type Long from "long";
import type { firn } from "../../gen/firn.js";
import type { Connector, ConnectorPolicy } from "../model.ts";
import { sorted } from "../sorted.ts";
import { common, commonOf, type Decoded, decoded } from "./entity-fields.ts";
import {
  CONNECTOR_KIND,
  type Encode,
  long,
  nameOf,
  safe,
  unknownOf,
  v1,
  withUnknown,
} from "./wire.ts";

export function connectorBody(entity: Connector): Encode {
  const { enabled, intervalMs, scope } = entity.policy;
  const message: firn.v1.Connector.$Properties = {
    ...common(entity),
    properties: sorted(entity.properties),
    kind: CONNECTOR_KIND[entity.kind],
    uri: entity.uri,
    options: sorted(entity.options),
    policy: { enabled, intervalMs: long(intervalMs), scope: [...scope] },
  };
  return (writer) => v1.Connector.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function decodeConnector(bytes: Uint8Array): Decoded<Connector> {
  return decoded(v1.Connector.decode(bytes), (m, id) => ({
    type: "connector",
    id: id as Connector["id"],
    ...commonOf(m, m.name),
    properties: m.properties,
    kind: nameOf(CONNECTOR_KIND, m.kind),
    uri: m.uri,
    options: m.options,
    policy: policyOf(m.policy ?? {}),
    ...unknownOf(m),
  }));
}

function policyOf(message: firn.v1.ConnectorPolicy.$Properties): ConnectorPolicy {
  const { enabled, intervalMs, scope } = v1.ConnectorPolicy.create(message);
  return { enabled, intervalMs: safe(intervalMs as Long), scope };
}
