import type { CatalogOperations } from "../../api/catalog-operations.ts";
import type { Catalog } from "../../catalog/model.ts";
import type { Resource } from "../../service/resources/resource.ts";
import type { Handlers } from "./call.ts";
import { diffBetween, resourceAt, versionsOf } from "./history-calls.ts";
import { maskOf } from "./mask.ts";
import { catalogOf } from "./names.ts";
import { renderCatalog, renderJob, renderSummary } from "./render.ts";

export const CATALOG_HANDLERS: Handlers<keyof CatalogOperations> = {
  listCatalogs: async ({ actor, service, query }) => {
    const { state, ...asked } = query;
    const page =
      state === "DROPPED"
        ? await service.droppedLists.catalogs(actor, asked)
        : await service.catalogs.list(actor, asked);
    return { ...page, items: page.items.map((item) => renderSummary(item)) };
  },
  createCatalog: async ({ actor, service, body }) =>
    renderCatalog(await service.catalogs.create(actor, body)),
  getCatalog: async (call) => renderCatalog((await resourceAt(call)) as Resource<Catalog>),
  updateCatalog: async ({ actor, service, params, body, query, ifMatch }) => {
    const request = { patch: body, mask: maskOf(query), ifMatch };
    return renderCatalog(await service.catalogs.update(actor, catalogOf(params), request));
  },
  dropCatalog: async ({ actor, service, params, query, ifMatch }) => {
    const place = catalogOf(params);
    if (query.recursive === true) {
      return renderJob(await service.catalogs.dropAll(actor, place, { ifMatch }));
    }
    await service.catalogs.drop(actor, place, { ifMatch });
    return undefined;
  },
  renameCatalog: async ({ actor, service, params, body, ifMatch }) => {
    const place = catalogOf(params);
    return renderCatalog(await service.catalogs.rename(actor, place, body.name, { ifMatch }));
  },
  listCatalogVersions: versionsOf,
  diffCatalog: diffBetween,
};
