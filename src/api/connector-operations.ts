import type { Asks, AtQuery, DiffQuery, PageQuery } from "./asks.ts";
import { AT, historyOperations } from "./history-operations.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  CONNECTOR,
  CONNECTOR_KIND,
  type Connector,
  type ConnectorKind,
  type ConnectorPolicy,
  type Diff,
  type Page,
  type Properties,
  SUMMARY,
  type Summary,
  type Version,
} from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  LOCATION,
  NAME,
  object,
  PAGE,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
} from "./schema.ts";
import { type PropertiesPatch, UPDATE_MASK, type UpdateMask } from "./updates.ts";

export interface CreateConnector {
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly uri: string;
  readonly description?: string;
  readonly options?: Properties;
  readonly policy?: Partial<ConnectorPolicy>;
  readonly properties?: Properties;
}

export interface UpdateConnector {
  readonly description?: string;
  readonly uri?: string;
  readonly options?: PropertiesPatch;
  readonly policy?: Partial<ConnectorPolicy>;
  readonly properties?: PropertiesPatch;
}

export interface ConnectorOperations {
  listConnectors: Asks<never, PageQuery, undefined, Page<Summary>>;
  createConnector: Asks<never, object, CreateConnector, Connector>;
  getConnector: Asks<"connector", AtQuery, undefined, Connector>;
  updateConnector: Asks<"connector", UpdateMask, UpdateConnector, Connector>;
  deleteConnector: Asks<"connector", object, undefined, undefined>;
  listConnectorVersions: Asks<"connector", PageQuery, undefined, Page<Version>>;
  diffConnector: Asks<"connector", DiffQuery, undefined, Diff>;
}

const CONNECTORS = "/connectors";
const ONE = `${CONNECTORS}/{connector}`;
const HISTORY = historyOperations(ONE, "connector");
const tag = "connectors";

const POLICY: Schema = object(
  {},
  {
    enabled: FLAG,
    intervalMs: { type: "integer", minimum: 60_000, maximum: 31_536_000_000 },
    scope: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 32_768 },
      maxItems: 1_000,
      description: "Namespaces, their levels joined by dots; none means all",
    },
  },
);

export const CONNECTOR_OPERATIONS: Readonly<Record<keyof ConnectorOperations, ApiOperation>> = {
  listConnectors: {
    method: "GET",
    template: CONNECTORS,
    tag,
    summary: "List connectors",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(SUMMARY),
  },
  createConnector: {
    method: "POST",
    template: CONNECTORS,
    tag,
    summary: "Register another catalog to import tables from",
    needs: ["create"],
    body: object(
      { name: NAME, kind: CONNECTOR_KIND, uri: LOCATION },
      { description: DESCRIPTION, options: PROPERTIES, policy: POLICY, properties: PROPERTIES },
    ),
    status: 201,
    answer: CONNECTOR,
    once: true,
  },
  getConnector: {
    method: "GET",
    template: ONE,
    tag,
    summary: "Get a connector",
    needs: ["read-metadata"],
    query: AT,
    status: 200,
    answer: CONNECTOR,
    conditional: "read",
  },
  updateConnector: {
    method: "PATCH",
    template: ONE,
    tag,
    summary: "Update a connector",
    needs: ["alter"],
    query: UPDATE_MASK,
    body: patchOf({
      description: DESCRIPTION,
      uri: LOCATION,
      options: PROPERTIES_PATCH,
      policy: POLICY,
      properties: PROPERTIES_PATCH,
    }),
    status: 200,
    answer: CONNECTOR,
    conditional: "write",
    once: true,
  },
  deleteConnector: {
    method: "DELETE",
    template: ONE,
    tag,
    summary: "Delete a connector for good; the tables that it brought stay",
    needs: ["drop"],
    status: 204,
    conditional: "write",
    once: true,
  },
  listConnectorVersions: HISTORY.versions,
  diffConnector: HISTORY.diff,
};
