import type {
  Home,
  MinuteOfChanges,
  NamespacePage,
  PageOperations,
  TableLine,
  UnhealthyTable,
} from "../../api/page-operations.ts";
import type { FoundThing, Summary, Thing } from "../../api/resources.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Actor } from "../../service/actor.ts";
import type { ChangeInfo } from "../../service/entity-history.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { adviceOf, countTables } from "./advice.ts";
import type { Handlers } from "./call.ts";
import { icebergPage, SNAPSHOTS } from "./iceberg-page.ts";
import { catalogOf, namespaceOf, relationOf } from "./names.ts";
import type { NodeStatus } from "./node-status.ts";
import {
  renderCatalog,
  renderChange,
  renderDropped,
  renderJob,
  renderNamespace,
  renderSummary,
  renderTable,
  renderView,
} from "./render.ts";
import { snapshotPage } from "./snapshot-pages.ts";
import { mayOnAccount, renderPeriod } from "./status-handlers.ts";
import {
  aFewAtOnce,
  figuresOf,
  READS,
  thoseWithFindings,
  unlessForbidden,
} from "./table-figures.ts";
import { timeText } from "./times.ts";
import { viewPage } from "./view-page.ts";

const MINUTE_MS = 60_000;
/** Each costs 16 lists. */
const MINUTES = 30;
/** Changes that one page of the feed may count. */
const COUNTED = 20 * LIMITS.pageSize;
const CHANGES_SHOWN = 50;
const JOBS_LOOKED_AT = 200;
const FEW = 10;
/** Names that the first look at the account's tables takes. */
const FIRST_NAMES = READS;

export const PAGE_HANDLERS: Handlers<keyof PageOperations> = {
  getHome: async ({ actor, service, node }) => {
    const [catalogs, recent, jobs, dropped] = await Promise.all([
      unlessForbidden(service.catalogs.list(actor, {}), { items: [] }),
      unlessForbidden(lastMinutes(service, actor, node.nowMs()), NOTHING),
      unlessForbidden(service.jobs.list(actor, { limit: JOBS_LOOKED_AT }), { items: [] }),
      unlessForbidden(service.dropped.list(actor, { limit: FEW }), { items: [] }),
    ]);
    const failed = jobs.items.filter(({ state }) => state === "failed");
    const things = thingsOf(recent.changes.slice(-CHANGES_SHOWN));
    const names = await service.lookup.whereAre(actor, things);
    const [unhealthy, advice] = await Promise.all([
      unhealthyOf(service, actor, names),
      adviceOf(service, actor, { pageSize: FIRST_NAMES }),
    ]);
    return {
      catalogs: catalogs.items.map((item) => renderSummary(item)),
      changes: recent.changes.slice(-CHANGES_SHOWN).reverse().map(renderChange),
      minutes: recent.minutes,
      isPartial: recent.isPartial,
      failedJobs: failed.slice(0, FEW).map(renderJob),
      dropped: dropped.items.map(renderDropped),
      names,
      unhealthy,
      advice,
      ...usageOf(actor, node),
    };
  },
  listAdvice: async ({ actor, service, query: { count = false, ...page } }) => {
    const [advice, counted] = await Promise.all([
      adviceOf(service, actor, page),
      count ? countTables(service, actor) : {},
    ]);
    return { ...advice, ...counted };
  },
  getCatalogPage: async ({ actor, service, params, query }) => {
    const place = catalogOf(params);
    const [catalog, { items, ...more }] = await Promise.all([
      service.catalogs.get(actor, place),
      service.namespaces.list(actor, place, [], query),
    ]);
    return {
      catalog: renderCatalog(catalog),
      namespaces: items.map((item) => renderSummary(item, [])),
      ...more,
    };
  },
  getNamespacePage: async ({ actor, service, params, query }) => {
    const place = namespaceOf(params);
    const found = await service.namespaces.get(actor, place);
    const namespace = renderNamespace(found);
    const { catalog, path } = namespace;
    const isFirst = query.pageToken === undefined;
    const [tables, within] = await Promise.all([
      service.tables.list(actor, place, query),
      isFirst ? besideTables(service, actor, catalog, path) : { namespaces: [], views: [] },
    ]);
    const { items, ...more } = tables;
    const lines = await tableLines(
      service,
      actor,
      { catalog, path },
      items.map((item) => renderSummary(item)),
    );
    return { namespace, ...within, tables: lines, ...more };
  },
  getTablePage: async ({ actor, service, params }) => {
    const found = await service.tables.get(actor, relationOf(params));
    const table = renderTable(found);
    if (table.format !== "ICEBERG") return { table };
    const { catalog, namespace, name } = table;
    const ref = { catalog, namespace, table: name };
    const iceberg = icebergPage(await service.snapshots.metadata(actor, ref));
    if (iceberg.snapshotCount <= SNAPSHOTS) return { table, iceberg };
    const { nextPageToken } = await snapshotPage(service, actor, ref, { pageSize: SNAPSHOTS });
    return {
      table,
      iceberg: { ...iceberg, ...(nextPageToken !== undefined && { nextPageToken }) },
    };
  },
  getViewPage: async ({ actor, service, params }) => {
    const view = renderView(await service.views.get(actor, relationOf(params)));
    const { catalog, namespace, name } = view;
    const ref = { catalog, namespace, view: name };
    return { view, ...viewPage(await service.icebergViews.metadata(actor, ref)) };
  },
};

const NAMED: readonly string[] = ["catalog", "namespace", "table", "view"];

/** What the first entities of changes are, once each. */
function thingsOf(changes: readonly ChangeInfo[]): readonly Thing[] {
  const things = changes.flatMap(({ entities: [first] }) =>
    first === undefined || first.deleted || !NAMED.includes(first.type) ? [] : [first],
  );
  return [...new Map(things.map(({ type, id }) => [id, { type: type as Thing["type"], id }]))].map(
    ([, thing]) => thing,
  );
}

/** Requests by hours and days, where the actor may know of them. */
function usageOf(actor: Actor, node: NodeStatus): Pick<Home, "hours" | "days"> {
  if (!mayOnAccount(actor, "read-metadata")) return {};
  const { hours, days } = node.usage(actor);
  return { hours: hours.map(renderPeriod), days: days.map(renderPeriod) };
}

/** The first namespaces and views of a namespace. */
async function besideTables(
  service: ModelService,
  actor: Actor,
  catalog: string,
  path: readonly string[],
): Promise<Pick<NamespacePage, "namespaces" | "views">> {
  const of = { catalog: { name: catalog } };
  const [namespaces, views] = await Promise.all([
    service.namespaces.list(actor, of, path, {}),
    service.views.list(actor, { ...of, namespace: { path } }, {}),
  ]);
  return {
    namespaces: namespaces.items.map((item) => renderSummary(item, path)),
    views: views.items.map((item) => renderSummary(item)),
  };
}

/** Lists of tables with what their current snapshots say. */
function tableLines(
  service: ModelService,
  actor: Actor,
  { catalog, path }: { readonly catalog: string; readonly path: readonly string[] },
  summaries: readonly Summary[],
): Promise<readonly TableLine[]> {
  return aFewAtOnce(summaries, async (summary) => {
    const ref = { catalog, namespace: path, table: summary.name };
    return { ...summary, ...(await figuresOf(service, actor, ref, summary)) };
  });
}

/** Those of a few tables, the newest changed first, that want care. */
async function unhealthyOf(
  service: ModelService,
  actor: Actor,
  names: readonly FoundThing[],
): Promise<readonly UnhealthyTable[]> {
  const tables = names.filter(({ type }) => type === "table").slice(-READS);
  return thoseWithFindings(service, actor, tables);
}

interface Recent {
  readonly changes: readonly ChangeInfo[];
  readonly minutes: readonly MinuteOfChanges[];
  readonly isPartial: boolean;
}

const NOTHING: Recent = { changes: [], minutes: [], isPartial: false };

/** What was changed just now: counted by the minute up to a bound, the end of it kept. */
async function lastMinutes(
  { changes: feed }: ModelService,
  actor: Actor,
  nowMs: number,
): Promise<Recent> {
  const firstMs = (Math.floor(nowMs / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
  const counts = new Array<number>(MINUTES).fill(0);
  const seen = new Set<string>();
  let kept: ChangeInfo[] = [];
  let page = await feed.changes(actor, { sinceMs: firstMs, limit: LIMITS.pageSize });
  for (;;) {
    for (const change of page.changes) {
      const minute = Math.floor((change.timeMs - firstMs) / MINUTE_MS);
      const count = counts[minute];
      if (seen.has(change.id) || count === undefined) continue;
      seen.add(change.id);
      counts[minute] = count + 1;
      kept.push(change);
    }
    // Within a minute the feed goes shard by shard.
    kept = kept.sort((a, b) => a.timeMs - b.timeMs).slice(-CHANGES_SHOWN);
    if (!page.hasMore || seen.size >= COUNTED) break;
    page = await feed.changes(actor, { token: page.token, limit: LIMITS.pageSize });
  }
  const minutes = counts.map((changes, minute) => ({
    minute: timeText(firstMs + minute * MINUTE_MS),
    changes,
  }));
  return { changes: kept, minutes, isPartial: page.hasMore };
}
