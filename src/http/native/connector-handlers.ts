import type { ConnectorOperations } from "../../api/connector-operations.ts";
import type { Connector } from "../../catalog/model.ts";
import type { Resource } from "../../service/resources/resource.ts";
import type { Handlers } from "./call.ts";
import { diffBetween, resourceAt, versionsOf } from "./history-calls.ts";
import { maskOf } from "./mask.ts";
import { connectorOf } from "./names.ts";
import { renderConnector, renderSummary } from "./render.ts";

export const CONNECTOR_HANDLERS: Handlers<keyof ConnectorOperations> = {
  listConnectors: async ({ actor, service, query }) => {
    const page = await service.connectors.list(actor, query);
    return { ...page, items: page.items.map((item) => renderSummary(item)) };
  },
  createConnector: async ({ actor, service, body }) =>
    renderConnector(await service.connectors.create(actor, body)),
  getConnector: async (call) => renderConnector((await resourceAt(call)) as Resource<Connector>),
  updateConnector: async ({ actor, service, params, body, query, ifMatch }) => {
    const request = { patch: body, mask: maskOf(query), ifMatch };
    return renderConnector(await service.connectors.update(actor, connectorOf(params), request));
  },
  deleteConnector: ({ actor, service, params, ifMatch }) =>
    service.connectors.delete(actor, connectorOf(params), { ifMatch }) as Promise<undefined>,
  listConnectorVersions: versionsOf,
  diffConnector: diffBetween,
};
