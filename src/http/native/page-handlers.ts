import type {
  Home,
  MinuteOfChanges,
  NamespacePage,
  PageOperations,
  TableLine,
  UnhealthyTable,
} from "../../api/page-operations.ts";
import type { FoundThing, Summary, Thing } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import { healthOfTotals } from "../../iceberg/table-health.ts";
import type { Actor } from "../../service/actor.ts";
import type { ChangeInfo } from "../../service/entity-history.ts";
import type { ModelService } from "../../service/resources/service.ts";
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
/** Tables whose snapshots are read at once. */
const READS = 16;

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
    return {
      catalogs: catalogs.items.map((item) => renderSummary(item)),
      changes: recent.changes.slice(-CHANGES_SHOWN).reverse().map(renderChange),
      minutes: recent.minutes,
      isPartial: recent.isPartial,
      failedJobs: failed.slice(0, FEW).map(renderJob),
      dropped: dropped.items.map(renderDropped),
      names,
      unhealthy: await unhealthyOf(service, actor, names),
      ...usageOf(actor, node),
    };
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

/** A part of a page that the actor may not see is left out; the others are shown. */
async function unlessForbidden<T>(part: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Forbidden") return otherwise;
    throw error;
  }
}

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

/** Lists of tables with what their current snapshots say, a few reads at once. */
async function tableLines(
  service: ModelService,
  actor: Actor,
  { catalog, path }: { readonly catalog: string; readonly path: readonly string[] },
  summaries: readonly Summary[],
): Promise<readonly TableLine[]> {
  const lines: TableLine[] = [];
  for (let from = 0; from < summaries.length; from += READS) {
    const some = summaries.slice(from, from + READS);
    lines.push(
      ...(await Promise.all(
        some.map(async (summary) => {
          const ref = { catalog, namespace: path, table: summary.name };
          return { ...summary, ...(await figuresOf(service, actor, ref, summary)) };
        }),
      )),
    );
  }
  return lines;
}

/** Those of a few tables, the newest changed first, that want care. */
async function unhealthyOf(
  service: ModelService,
  actor: Actor,
  names: readonly FoundThing[],
): Promise<readonly UnhealthyTable[]> {
  const tables = names.filter(({ type }) => type === "table").slice(-READS);
  const found = await Promise.all(
    tables.map(async (one) => {
      const { catalog = "", namespace = [], name } = one;
      const ref = { catalog, namespace, table: name };
      const { findings = [] } = await unlessForbidden(figuresOf(service, actor, ref, {}), {});
      return findings.length === 0 ? [] : [{ ...one, findings }];
    }),
  );
  return found.flat();
}

type Figures = Omit<TableLine, keyof Summary>;

/** A table without a snapshot, or one that has gone since, or whose file is damaged, has none. */
async function figuresOf(
  service: ModelService,
  actor: Actor,
  ref: Parameters<ModelService["snapshots"]["current"]>[1],
  { format }: Pick<Summary, "format">,
): Promise<Figures> {
  if (format !== undefined && format !== "ICEBERG") return {};
  try {
    const { summary, timestampMs, operation } = await service.snapshots.current(actor, ref);
    const figure = (name: string): string | undefined => {
      const text = summary[name];
      return text !== undefined && /^\d{1,18}$/.test(text) ? text : undefined;
    };
    const [rows, bytes, files] = ["total-records", "total-files-size", "total-data-files"].map(
      figure,
    );
    const findings = await findingsOf(service, actor, ref, summary);
    return {
      ...(findings.length > 0 && { findings }),
      ...(rows !== undefined && { rows }),
      ...(bytes !== undefined && { bytes }),
      ...(files !== undefined && { files }),
      lastCommit: timeText(timestampMs),
      operation,
    };
  } catch (error) {
    if (error instanceof FirnError && ["NotFound", "Invalid", "Corrupt"].includes(error.kind)) {
      return {};
    }
    throw error;
  }
}

/** Below this no table has so many files that a rewrite is worth it. */
const LEAST_FILES = 10;

/** What totals tell of a table; its metadata is read only where it may matter. */
async function findingsOf(
  { snapshots }: ModelService,
  actor: Actor,
  ref: Parameters<ModelService["snapshots"]["metadata"]>[1],
  summary: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const total = (name: string): bigint => {
    const text = summary[`total-${name}`] ?? "";
    return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
  };
  const deleted = total("position-deletes") + total("equality-deletes");
  const files = Number(total("data-files"));
  if (files < LEAST_FILES && deleted === 0n) return [];
  const totals = {
    files,
    deleted,
    bytes: total("files-size"),
    rows: total("records"),
    deleteFiles: Number(total("delete-files")),
  };
  return healthOfTotals(totals, await snapshots.metadata(actor, ref));
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
