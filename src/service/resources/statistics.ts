import { invalid } from "../../base/error.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { TargetKind, TargetStats } from "../../catalog/model.ts";
import { fileKey, type SnapshotRef, targetIdOf } from "../../catalog/part-keys.ts";
import { type PutStats, STATS_A_BATCH, type StoredStats } from "../../catalog/statistics.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { assertTag, type Precondition, type RelationPlace } from "./resource.ts";
import type { SnapshotLookup } from "./snapshot-lookup.ts";

/** A snapshot of a table. */
export interface SnapshotPlace extends RelationPlace {
  readonly snapshotId: bigint;
}

export interface StatisticsParts {
  readonly catalog: AccountCatalog;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
  readonly lookup: SnapshotLookup;
}

/** Statistics of snapshots, as the native API has them. */
export class StatisticsResources {
  readonly #parts: StatisticsParts;

  constructor(parts: StatisticsParts) {
    this.#parts = parts;
  }

  /**
   * Puts statistics, in batches of `STATS_A_BATCH`. The snapshot need not be there yet. Where a
   * batch fails, those before it are stored: the same request again finds them unchanged.
   *
   * @throws FirnError `TABLE_NOT_FOUND`; `Invalid`: `STATS_INVALID`, `PROPERTY_SECRET`.
   */
  async put(
    actor: Actor,
    place: SnapshotPlace,
    stats: readonly TargetStats[],
  ): Promise<readonly PutStats[]> {
    const { catalog, reserved, lookup } = this.#parts;
    const seen = new Set<string>();
    for (const { target, properties } of stats) {
      reserved.assertNoSecret(properties);
      const id = targetIdOf(target);
      if (seen.has(id)) {
        throw invalid("STATS_INVALID", "invalid statistics: a target comes twice", { target: id });
      }
      seen.add(id);
    }
    const { id: table } = (await lookup.table(actor, place)).entity;
    const at: SnapshotRef = { table, snapshotId: place.snapshotId };
    const done: PutStats[] = [];
    for (let from = 0; from < stats.length; from += STATS_A_BATCH) {
      const some = stats.slice(from, from + STATS_A_BATCH);
      done.push(...(await catalog.statistics.put(partOf(actor, from), at, some)));
    }
    return done;
  }

  /** @throws FirnError `SNAPSHOT_NOT_FOUND`, `STATS_NOT_FOUND`. */
  async get(actor: Actor, place: SnapshotPlace, id: string): Promise<StoredStats> {
    return this.#parts.catalog.statistics.get(await this.#known(actor, place), id);
  }

  /** As `get`, of a file. */
  async file(actor: Actor, place: SnapshotPlace, path: string): Promise<StoredStats> {
    const { statistics, context } = this.#parts.catalog;
    const at = await this.#known(actor, place);
    return statistics.at(fileKey(context.account, at, path), path);
  }

  /** @throws FirnError `SNAPSHOT_NOT_FOUND`. */
  async list(
    actor: Actor,
    place: SnapshotPlace,
    { kind, ...page }: PageAsked & { readonly kind?: TargetKind | undefined },
  ): Promise<TokenPage<StoredStats>> {
    const { catalog, tokens } = this.#parts;
    const at = await this.#known(actor, place);
    const query = ["stats", at.table, String(at.snapshotId), kind ?? ""];
    return tokenPage(tokens, actor, query, page, (asked) =>
      catalog.statistics.list(at, kind, asked),
    );
  }

  /** Those of files, by path. @throws FirnError `SNAPSHOT_NOT_FOUND`. */
  async files(
    actor: Actor,
    place: SnapshotPlace,
    page: PageAsked,
  ): Promise<TokenPage<StoredStats>> {
    const { catalog, tokens } = this.#parts;
    const at = await this.#known(actor, place);
    const query = ["file-stats", at.table, String(at.snapshotId)];
    return tokenPage(tokens, actor, query, page, (asked) => catalog.statistics.files(at, asked));
  }

  /** @throws FirnError `TABLE_NOT_FOUND`, `STATS_NOT_FOUND`, `PRECONDITION_FAILED`. */
  async delete(
    actor: Actor,
    place: SnapshotPlace,
    id: string,
    precondition: Precondition = {},
  ): Promise<void> {
    const { catalog, lookup } = this.#parts;
    const { id: table } = (await lookup.table(actor, place)).entity;
    const at = { table, snapshotId: place.snapshotId };
    await catalog.statistics.delete(actor, at, id, (found) => assertTag(precondition, found));
  }

  /** What was put early is read once its snapshot is there. */
  async #known(actor: Actor, place: SnapshotPlace): Promise<SnapshotRef> {
    const { lookup } = this.#parts;
    const { entity } = await lookup.snapshot(actor, place, place.snapshotId);
    return { table: entity.id, snapshotId: place.snapshotId };
  }
}

/**
 * Who puts one of the batches of a request. Under a client's key each batch has another receipt: a
 * space parts the two, which no client's key holds.
 */
function partOf(actor: Actor, from: number): Actor {
  const { idempotency } = actor;
  if (idempotency === undefined || from === 0) return actor;
  return { ...actor, idempotency: { ...idempotency, key: `${idempotency.key} ${from}` } };
}
