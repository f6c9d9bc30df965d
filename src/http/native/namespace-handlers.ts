import type { NamespaceOperations } from "../../api/namespace-operations.ts";
import type { Handlers } from "./call.ts";
import { diffBetween, resourceText, versionsOf } from "./history-calls.ts";
import { maskOf } from "./mask.ts";
import { catalogOf, namespaceOf, splitNames } from "./names.ts";
import { renderJob, renderNamespace, renderSummary } from "./render.ts";

export const NAMESPACE_HANDLERS: Handlers<keyof NamespaceOperations> = {
  listNamespaces: async ({ actor, service, params, query }) => {
    const { parent, state, ...page } = query;
    const path = parent === undefined ? [] : splitNames(parent);
    const lists = state === "DROPPED" ? service.droppedLists.namespaces : service.namespaces.list;
    const found = await lists(actor, catalogOf(params), path, page);
    return { ...found, items: found.items.map((item) => renderSummary(item, path)) };
  },
  createNamespace: async ({ actor, service, params, body }) => {
    const { path, properties = {} } = body;
    const place = catalogOf(params);
    return renderNamespace(await service.namespaces.create(actor, place, path, properties));
  },
  getNamespace: (call) => resourceText(call, renderNamespace),
  updateNamespace: async ({ actor, service, params, body, query, ifMatch }) => {
    const request = { patch: body, mask: maskOf(query), ifMatch };
    return renderNamespace(await service.namespaces.update(actor, namespaceOf(params), request));
  },
  dropNamespace: async ({ actor, service, params, query, ifMatch }) => {
    const place = namespaceOf(params);
    if (query.recursive === true) {
      return renderJob(await service.namespaces.dropAll(actor, place, { ifMatch }));
    }
    await service.namespaces.drop(actor, place, { ifMatch });
    return undefined;
  },
  renameNamespace: async ({ actor, service, params, body, ifMatch }) => {
    const place = namespaceOf(params);
    return renderNamespace(await service.namespaces.rename(actor, place, body.path, { ifMatch }));
  },
  listNamespaceVersions: versionsOf,
  diffNamespace: diffBetween,
};
