import type { RelationOperations } from "../../api/relation-operations.ts";
import type { TableRef } from "../../service/requests.ts";
import type { ModelService } from "../../service/resources/service.ts";
import type { Call, Handlers } from "./call.ts";
import { diffBetween, resourceText, versionsOf } from "./history-calls.ts";
import { maskOf } from "./mask.ts";
import { namespaceOf, relationOf, snapshotIdOf } from "./names.ts";
import { renderSnapshot, renderTable, renderView } from "./render.ts";
import { snapshotPage } from "./snapshot-pages.ts";
import { summaryPage } from "./summary-page.ts";
import { parseTime } from "./times.ts";

/** The names of the table that a path leads to; an id costs a look at it. */
export async function tableRefOf({
  actor,
  service,
  params,
}: Pick<Call<"getTable">, "actor" | "service" | "params">): Promise<TableRef> {
  const { entity, above } = await service.tables.get(actor, relationOf(params));
  const { catalog = "", namespace = [] } = above;
  return { catalog, namespace, table: entity.name };
}

export const RELATION_HANDLERS: Handlers<keyof RelationOperations> = {
  listTables: (call) => listed(call, "tables"),
  getTable: (call) => resourceText(call, renderTable),
  createTable: async ({ actor, service, params, body }) =>
    renderTable(await service.otherTables.create(actor, namespaceOf(params), body)),
  refreshTable: async ({ actor, service, params, ifMatch }) =>
    renderTable(await service.otherTables.refresh(actor, relationOf(params), { ifMatch })),
  updateTable: async ({ actor, service, params, body, query, ifMatch }) => {
    const request = { patch: body, mask: maskOf(query), ifMatch };
    return renderTable(await service.tables.update(actor, relationOf(params), request));
  },
  dropTable: ({ actor, service, params, query, ifMatch }) =>
    service.tables.drop(actor, relationOf(params), {
      ifMatch,
      purge: query.purge,
    }) as Promise<undefined>,
  renameTable: async ({ actor, service, params, body, ifMatch }) =>
    renderTable(await service.tables.rename(actor, relationOf(params), body, { ifMatch })),
  listTableVersions: versionsOf,
  diffTable: diffBetween,
  listSnapshots: async (call) => {
    const { actor, service, query } = call;
    return snapshotPage(service, actor, await tableRefOf(call), query);
  },
  resolveSnapshot: async (call) => {
    const { actor, service, query } = call;
    const ref = await tableRefOf(call);
    const { asOf, branch } = query;
    if (asOf === undefined && branch === undefined) {
      return renderSnapshot(await service.snapshots.current(actor, ref));
    }
    const timeMs = asOf === undefined ? Number.MAX_SAFE_INTEGER : parseTime(asOf, "asOf");
    return renderSnapshot(await service.snapshots.asOf(actor, ref, timeMs, branch));
  },
  getSnapshot: async (call) => {
    const { actor, service, params } = call;
    const id = snapshotIdOf(params);
    return renderSnapshot(await service.snapshots.get(actor, await tableRefOf(call), id));
  },
  listAncestors: async (call) => {
    const { actor, service, params } = call;
    const id = snapshotIdOf(params);
    const found = await service.snapshots.ancestors(actor, await tableRefOf(call), id);
    return { items: found.map(renderSnapshot) };
  },
  listViews: (call) => listed(call, "views"),
  getView: (call) => resourceText(call, renderView),
  updateView: async ({ actor, service, params, body, query, ifMatch }) => {
    const request = { patch: body, mask: maskOf(query), ifMatch };
    return renderView(await service.views.update(actor, relationOf(params), request));
  },
  dropView: ({ actor, service, params, ifMatch }) =>
    service.views.drop(actor, relationOf(params), { ifMatch }) as Promise<undefined>,
  renameView: async ({ actor, service, params, body, ifMatch }) =>
    renderView(await service.views.rename(actor, relationOf(params), body, { ifMatch })),
  listViewVersions: versionsOf,
  diffView: diffBetween,
};

async function listed(
  { actor, service, params, query }: Call<"listTables"> | Call<"listViews">,
  kind: keyof Pick<ModelService, "tables" | "views">,
) {
  const { state, ...asked } = query;
  const place = namespaceOf(params);
  if (state !== "DROPPED") return summaryPage(await service[kind].list(actor, place, asked));
  const type = kind === "tables" ? "table" : "view";
  const page = await service.droppedLists.relations(actor, type, place, asked);
  return summaryPage(page);
}
