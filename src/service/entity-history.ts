import { invalid } from "../base/error.ts";
import type { AccountId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import {
  type EntityVersion,
  type FeedPlace,
  historyGone,
  type Moment,
  readFeed,
  type StoredChange,
} from "../catalog/history.ts";
import { parseKey } from "../catalog/keys.ts";
import type { Entity, EntityType } from "../catalog/model.ts";
import { fullKey } from "../catalog/paths.ts";
import { canonicalType } from "../catalog/references.ts";
import type { Actor } from "./actor.ts";
import type { PageTokens } from "./page-token.ts";

/** An entity by its id, or by the name that it has now. */
export type EntityName =
  | { readonly type: EntityType; readonly id: string }
  | { readonly type: "catalog"; readonly name: string }
  | { readonly type: "namespace"; readonly catalog: string; readonly namespace: readonly string[] }
  | {
      readonly type: "table" | "view";
      readonly catalog: string;
      readonly namespace: readonly string[];
      readonly name: string;
    };

/** One version of an entity: what it was, and who made it so. Times in milliseconds. */
export interface VersionInfo {
  readonly type: EntityType;
  readonly id: string;
  readonly version: bigint;
  readonly name: string;
  /** Of a namespace. */
  readonly path?: readonly string[];
  readonly state: Entity["state"];
  readonly properties: Readonly<Record<string, string>>;
  /** Of a table or view. */
  readonly location?: string;
  readonly metadataLocation?: string;
  readonly timeMs: number;
  readonly principal: string;
  readonly requestId: string;
  /** Absent for a version whose change record is past its retention. */
  readonly operation?: string;
  readonly changeId?: string;
}

export interface VersionPage {
  /** The newest first. */
  readonly items: readonly VersionInfo[];
  /** The version that the next page begins with; absent at the end of the history. */
  readonly next?: bigint;
}

/** What a change did to one entity. */
export interface ChangedEntity {
  readonly type: EntityType;
  readonly id: string;
  readonly versionFrom: bigint;
  readonly versionTo: bigint;
  readonly deleted: boolean;
}

/** One change: who did what, when, by which request. `id` tells repeated deliveries. */
export interface ChangeInfo {
  readonly id: string;
  readonly timeMs: number;
  readonly principal: string;
  readonly requestId: string;
  readonly operation: string;
  readonly entities: readonly ChangedEntity[];
}

export interface ChangePage {
  readonly changes: readonly ChangeInfo[];
  /** Where the next read goes on. */
  readonly token: string;
  /** There is more now: read again at once. */
  readonly hasMore: boolean;
}

/** Which changes an audit tells of. */
export interface AuditQuery {
  readonly fromMs: number;
  /** Absent: to now. */
  readonly toMs?: number;
  readonly principal?: string;
  readonly operation?: string;
  readonly entity?: EntityName;
}

/** Keys of a record are relative to its account, which their family does not depend on. */
const ANY = "any" as AccountId;
const DEFAULT_LIMIT = 100;

/** Versions, change feed and audit of one account, within the history retention. */
export class EntityHistory {
  readonly #catalog: AccountCatalog;
  readonly #tokens: PageTokens;
  readonly #retentionMs: number;
  /** What tokens are bound to: they name a place in the feed of an account, and no principal. */
  readonly #feed: string;

  constructor(catalog: AccountCatalog, tokens: PageTokens, retentionMs: number) {
    this.#catalog = catalog;
    this.#tokens = tokens;
    this.#retentionMs = retentionMs;
    this.#feed = `changes ${catalog.context.account}`;
  }

  /**
   * Versions of an entity, the newest first. Each costs one read, and one list for each of 16
   * shards.
   *
   * @throws FirnError `NotFound` of the entity; `HISTORY_GONE`: `from` is not there any more.
   */
  async versions(
    _actor: Actor,
    name: EntityName,
    page: { readonly from?: bigint; readonly limit?: number } = {},
  ): Promise<VersionPage> {
    const { type, id } = await this.#idOf(name);
    const limit = limitOf(page.limit);
    const items: VersionInfo[] = [];
    for await (const found of this.#catalog.history.versions(type, id)) {
      if (page.from !== undefined && found.version > page.from) continue;
      if (items.length === limit) return { items, next: found.version };
      items.push(infoOf(found));
    }
    const { from } = page;
    if (items.length === 0 && from !== undefined) throw historyGone({ type, id, version: from });
    return { items };
  }

  /**
   * An entity as it was at a version, or at a time.
   *
   * @throws FirnError `NotFound`: of the entity; `VERSION_NOT_FOUND`; `HISTORY_GONE`.
   */
  async at(_actor: Actor, name: EntityName, moment: Moment): Promise<VersionInfo> {
    const { type, id } = await this.#idOf(name);
    return infoOf(await this.#catalog.history.at(type, id, moment));
  }

  /**
   * The change feed: at least once each, from `sinceMs` on, or behind the token of an earlier read.
   * Consumers tell repeated deliveries by `id`, and order and gaps by the versions.
   *
   * @throws FirnError `Invalid`: `PAGE_TOKEN_INVALID`, `FEED_INVALID`; `NotFound` `HISTORY_GONE`:
   * the reader was away for longer than the retention, and must read everything anew.
   */
  async changes(
    _actor: Actor,
    request: {
      readonly token?: string;
      readonly sinceMs?: number;
      readonly limit?: number;
    } = {},
  ): Promise<ChangePage> {
    const { context, history } = this.#catalog;
    const from = this.#placeOf(request);
    const options = { limit: limitOf(request.limit), retentionMs: this.#retentionMs };
    const { changes, place, hasMore } = await readFeed(context, history, from, options);
    const token = this.#tokens.seal(this.#feed, JSON.stringify(place));
    return { changes: changes.map(changeInfo), token, hasMore };
  }

  /**
   * The token of where a read with these would begin.
   *
   * @throws FirnError `Invalid`: `PAGE_TOKEN_INVALID`, `FEED_INVALID`.
   */
  startOf(
    _actor: Actor,
    request: { readonly token?: string; readonly sinceMs?: number } = {},
  ): string {
    return this.#tokens.seal(this.#feed, JSON.stringify(this.#placeOf(request)));
  }

  /**
   * Who changed what, oldest minute first. One list for each of 16 shards a minute.
   *
   * @throws FirnError `Invalid` `AUDIT_INVALID`; `NotFound` `HISTORY_GONE`; of an entity that is
   *   named.
   */
  async audit(_actor: Actor, query: AuditQuery): Promise<readonly ChangeInfo[]> {
    const { context, history } = this.#catalog;
    const nowMs = context.clock.nowMs();
    const { fromMs, toMs = nowMs, principal, operation, entity } = query;
    if (![fromMs, toMs].every((ms) => Number.isSafeInteger(ms) && ms >= 0)) {
      throw invalid("AUDIT_INVALID", "invalid audit: fromMs and toMs must be in milliseconds");
    }
    if (fromMs < nowMs - this.#retentionMs) {
      throw historyGone({ fromMs, oldestMs: nowMs - this.#retentionMs });
    }
    const about = entity === undefined ? undefined : await this.#idOf(entity);
    let place: FeedPlace = { minute: Math.floor(fromMs / 60_000), seen: {} };
    const found: ChangeInfo[] = [];
    for (;;) {
      const options = { limit: LIMITS.pageSize, retentionMs: Number.POSITIVE_INFINITY };
      const page = await readFeed(context, history, place, options);
      for (const change of page.changes.map(changeInfo)) {
        const isWanted =
          change.timeMs >= fromMs &&
          change.timeMs <= toMs &&
          (principal === undefined || change.principal === principal) &&
          (operation === undefined || change.operation === operation) &&
          (about === undefined ||
            change.entities.some(({ type, id }) => type === about.type && id === about.id));
        if (isWanted) found.push(change);
      }
      place = page.place;
      if (!page.hasMore || place.minute * 60_000 > toMs) return found;
    }
  }

  #placeOf({ token, sinceMs }: { readonly token?: string; readonly sinceMs?: number }): FeedPlace {
    if (token !== undefined && sinceMs !== undefined) {
      throw invalid("FEED_INVALID", "invalid change feed: give a token or sinceMs, not both");
    }
    if (token !== undefined) return JSON.parse(this.#tokens.open(this.#feed, token)) as FeedPlace;
    const startMs = sinceMs ?? this.#catalog.context.clock.nowMs();
    if (!Number.isSafeInteger(startMs) || startMs < 0) {
      throw invalid("FEED_INVALID", "invalid change feed: sinceMs must be a time in milliseconds");
    }
    return { minute: Math.floor(startMs / 60_000), seen: {} };
  }

  async #idOf(name: EntityName): Promise<{ readonly type: EntityType; readonly id: string }> {
    if ("id" in name) return name;
    const { catalogs, namespaces, tables, views } = this.#catalog;
    switch (name.type) {
      case "catalog":
        return (await catalogs.get(name.name)).entity;
      case "namespace":
        return (await namespaces.get({ catalog: name.catalog, path: name.namespace })).entity;
      case "table":
      case "view": {
        const { type, catalog, namespace: path } = name;
        const ref = { catalog, path, name: name.name };
        return (await (type === "table" ? tables.get(ref) : views.get(ref))).entity;
      }
    }
  }
}

function limitOf(limit = DEFAULT_LIMIT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.pageSize) return limit;
  throw invalid("PAGE_SIZE_INVALID", "invalid limit: it must be 1 to 1000", { limit });
}

function infoOf({ version, entity, envelope, change }: EntityVersion): VersionInfo {
  const { type, id, name, state } = entity;
  const { updatedAtMs: timeMs, updatedBy: principal, requestId } = envelope;
  return {
    type,
    id,
    version,
    name,
    state,
    properties: entity.type === "account" ? entity.tags : entity.properties,
    ...(entity.type === "namespace" && { path: entity.path }),
    ...("location" in entity && { location: entity.location }),
    ...("iceberg" in entity &&
      entity.iceberg !== undefined && { metadataLocation: entity.iceberg.metadataLocation }),
    timeMs,
    principal,
    requestId,
    ...(change !== undefined && { operation: change.operation, changeId: change.id }),
  };
}

/** Names and listings follow from the canonical pointers, so those alone are told. */
function changeInfo({
  id,
  timeMs,
  principal,
  requestId,
  operation,
  keys,
}: StoredChange): ChangeInfo {
  const entities = keys.flatMap(({ key, versionFrom, versionTo, deleted }): ChangedEntity[] => {
    const { family, values } = parseKey(fullKey(ANY, key));
    const type = canonicalType(family);
    const entityId = values.at(-1);
    if (type === undefined || entityId === undefined) return [];
    return [{ type, id: entityId, versionFrom, versionTo, deleted }];
  });
  return { id, timeMs, principal, requestId, operation, entities };
}
