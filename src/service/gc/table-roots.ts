import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { LruMap } from "../../base/lru.ts";
import { isWithin } from "../../blob/locations.ts";
import { isAlone } from "../../catalog/claims.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { readEntity } from "../../catalog/entities.ts";
import type { Table } from "../../catalog/model.ts";
import { byIdKey, payloadPath } from "../../catalog/paths.ts";
import { uuidOfFileName } from "../../iceberg/file-name.ts";
import type { TableMetadata } from "../../iceberg/model.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { isFault } from "../reachable-files.ts";
import type { GcParts } from "./parts.ts";
import type { StoreRateLimiter } from "./store-rate-limiter.ts";

/** Tables whose roots are kept: a walk comes to the pointers of one table together. */
const KEPT = 4;
/** What the start of a UUIDv7 says: the millisecond that it was minted in. */
const MINTED_DIGITS = 12;
/** Two clocks, each as far from the store's as it may be. */
const CLOCKS_APART_MS = 2 * LIMITS.clockSkewMs;

/** What is known of a table. `unknown`: it cannot be read, so nothing of it may go. */
export type TableRoot =
  | { readonly is: "gone" }
  | { readonly is: "unknown" }
  | { readonly is: "known"; readonly table: Table; readonly metadata: TableMetadata };

/** A metadata file that no commit of its table came to. */
export interface Orphan {
  readonly location: string;
  readonly size: number;
}

/** Reads the roots of what is derived: a table's current metadata, which says what it has. */
export class TableRoots {
  readonly #parts: GcParts;
  readonly #limiter: StoreRateLimiter;
  readonly #kept: LruMap<string, Promise<TableRoot>> = new LruMap(KEPT);

  constructor(parts: GcParts, limiter: StoreRateLimiter) {
    this.#parts = parts;
    this.#limiter = limiter;
  }

  /** Three requests for a table that was not asked for lately. */
  of(table: string): Promise<TableRoot> {
    let found = this.#kept.get(table);
    if (found === undefined) {
      found = this.#read(table);
      // One that failed is asked for again.
      found.catch(() => undefined);
      this.#kept.set(table, found);
    }
    return found;
  }

  async #read(table: string): Promise<TableRoot> {
    const { catalog, files } = this.#parts;
    const { context } = catalog;
    await this.#limiter.spend(2);
    const item = await context.pointers.get(byIdKey("table", context.account, table));
    if (item.state === "absent") return { is: "gone" };
    const stored = await readEntity<Table>(context, "table", item);
    const location = stored?.entity.iceberg?.metadataLocation;
    if (stored === undefined || location === undefined) return { is: "unknown" };
    try {
      const file = await files.peek(location);
      await this.#limiter.spend(1, file.length);
      return { is: "known", table: stored.entity, metadata: file.metadata };
    } catch (error) {
      if (isFault(error) || isRefused(error)) return { is: "unknown" };
      throw error;
    }
  }

  /**
   * Metadata files of this table that an attempt wrote and no commit named, in the time that the
   * history still tells of. Whatever was committed since is named by a payload of the table, which
   * stays as long as its change record: a log alone would not do, since a register may set a table
   * back to an older file. One list; where it shows files that the log does not name, another, and
   * a read for each payload since the oldest of them. Nothing of a table that shares its location.
   */
  async orphans(table: TableId): Promise<readonly Orphan[]> {
    const root = await this.of(table);
    if (root.is !== "known" || root.table.state !== "ACTIVE") return [];
    const { catalog, locations, places, settings } = this.#parts;
    const { location, id, iceberg } = root.table;
    const directory = places.metadataDirectory(location, root.metadata);
    if (!isWithin(this.at(directory), location)) return [];
    const log = Array.from(root.metadata.metadataLog, (entry) => entry.metadataFile);
    const named = new Set([iceberg?.metadataLocation ?? "", ...log].map((uri) => this.at(uri)));
    const { historyRetentionMs = SERVICE_LIMITS.historyRetentionMs } = settings;
    const nowMs = catalog.context.clock.nowMs();
    const latestMs = nowMs - SERVICE_LIMITS.catalogGcFloorMs;
    const toldMs = nowMs - historyRetentionMs + CLOCKS_APART_MS;
    const found: (Orphan & { readonly madeMs: number })[] = [];
    let passed = 0;
    for await (const entry of locations.list(directory)) {
      if (++passed % LIMITS.pageSize === 0) await this.#limiter.spend(1);
      const uuid = uuidOfFileName(entry.location);
      if (uuid === undefined || named.has(entry.location)) continue;
      const madeMs = mintedMs(uuid);
      if (madeMs <= Math.max(toldMs, mintedMs(id))) continue;
      if (madeMs > latestMs || entry.modifiedAtMs > latestMs) continue;
      found.push({ location: entry.location, size: entry.size, madeMs });
    }
    await this.#limiter.spend(1);
    if (found.length === 0 || !(await isAlone(catalog.context, location, id))) return [];
    const sinceMs = Math.min(...found.map(({ madeMs }) => madeMs)) - CLOCKS_APART_MS;
    const committed = await this.#committedSince(id, sinceMs);
    return found.filter((file) => !committed.has(file.location));
  }

  /** Metadata files that the payloads of a table name that were put since then. */
  async #committedSince(table: TableId, sinceMs: number): Promise<ReadonlySet<string>> {
    const { catalog, blobs } = this.#parts;
    const { account, payloads } = catalog.context;
    const directory = payloadPath("table", account, table, "").replace(/[^/]*$/, "");
    const named = new Set<string>();
    for (let after = ""; ; ) {
      const page = await blobs.list(directory, after === "" ? {} : { after });
      await this.#limiter.spend(1);
      for (const { path, size, modifiedAtMs } of page) {
        if (modifiedAtMs < sinceMs) continue;
        await this.#limiter.spend(1, size);
        const bytes = await payloads.getBytes(path);
        const decoded = bytes && decodePayload("table", bytes).entity;
        if (decoded?.type !== "table") continue;
        named.add(this.at(decoded.iceberg?.metadataLocation ?? ""));
      }
      const last = page.at(-1);
      if (last === undefined) return named;
      after = last.path;
    }
  }

  /** Canonical, as listings have it; empty for a path of another store. */
  at(uri: string): string {
    try {
      return this.#parts.locations.normalize(uri);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Invalid") return "";
      throw error;
    }
  }
}

/** When a UUIDv7 was minted, by its minter's clock. */
function mintedMs(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, MINTED_DIGITS), 16);
}

/** Nothing that this node may read, here or later: another one may. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "Forbidden" || error.code === "LOCATION_NOT_ALLOWED";
}
