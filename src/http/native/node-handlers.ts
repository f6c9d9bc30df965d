import type { NodeOperations } from "../../api/node-operations.ts";
import { parseId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { tokenPage } from "../../service/resources/pages.ts";
import type { Handlers, StreamHandler } from "./call.ts";
import { eventStream } from "./event-stream.ts";
import { splitNames } from "./names.ts";
import { decodePart } from "./query.ts";
import { renderChange, renderDropped, renderJob, renderResource } from "./render.ts";
import { infoOf } from "./status-handlers.ts";
import { parseTime } from "./times.ts";

/** A catalog, the levels of a namespace, and a table. */
const NAMES = LIMITS.namespaceLevels + 2;

function idOf(raw = ""): string {
  return parseId(decodePart(raw));
}

/** Where a feed begins or goes on. */
function feedStart(after: string | undefined, since: string | undefined) {
  return {
    ...(after !== undefined && { token: after }),
    ...(since !== undefined && { sinceMs: parseTime(since, "since") }),
  };
}

/** What serves the operations that also answer with events. */
export const EVENT_STREAMS: { readonly listChanges: StreamHandler<"listChanges"> } = {
  listChanges: async ({ actor, service, query, lastEventId, ended }) => {
    const start =
      lastEventId === undefined
        ? feedStart(query.after, query.since)
        : feedStart(lastEventId, undefined);
    return eventStream(await service.changeStreams.follow(actor, start, ended));
  },
};

export const NODE_HANDLERS: Handlers<keyof NodeOperations> = {
  getInfo: async ({ actor, node }) => infoOf(actor, node),
  resolveName: async ({ actor, service, query }) =>
    renderResource(await service.lookup.resolve(actor, splitNames(query.name, NAMES))),
  searchNames: ({ actor, service, query }) => {
    const { q, ...page } = query;
    return service.search.find(actor, q, page);
  },
  findNames: async ({ actor, service, body }) => ({
    items: await service.lookup.whereAre(actor, body.things),
  }),
  listDropped: async ({ actor, service, query }) => {
    const page = await tokenPage(service.tokens, actor, ["dropped"], query, (asked) =>
      service.dropped.list(actor, pageAsked(asked)),
    );
    return { ...page, items: page.items.map(renderDropped) };
  },
  undrop: async ({ actor, service, params, body }) =>
    renderDropped(await service.dropped.undrop(actor, idOf(params["id"]), body)),
  listJobs: async ({ actor, service, query }) => {
    const page = await tokenPage(service.tokens, actor, ["jobs"], query, (asked) =>
      service.jobs.list(actor, pageAsked(asked)),
    );
    return { ...page, items: page.items.map(renderJob) };
  },
  getJob: async ({ actor, service, params }) =>
    renderJob(await service.jobs.get(actor, decodePart(params["job"] ?? ""))),
  retryJob: async ({ actor, service, params }) =>
    renderJob(await service.jobs.retry(actor, decodePart(params["job"] ?? ""))),
  cancelJob: async ({ actor, service, params }) =>
    renderJob(await service.jobs.cancel(actor, decodePart(params["job"] ?? ""))),
  listChanges: async ({ actor, service, query }) => {
    const { after, since, pageSize } = query;
    const page = await service.changes.changes(actor, {
      ...feedStart(after, since),
      ...(pageSize !== undefined && { limit: Math.min(pageSize, LIMITS.pageSize) }),
    });
    return {
      items: page.changes.map(renderChange),
      cursor: page.token,
      hasMore: page.hasMore,
    };
  },
};

interface CatalogPage {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** The lists of dropped things and of jobs tell an absent member from an undefined one. */
function pageAsked({ limit, after }: CatalogPage): {
  readonly limit?: number;
  readonly after?: string;
} {
  return { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) };
}
