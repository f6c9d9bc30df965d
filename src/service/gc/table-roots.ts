import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { LruMap } from "../../base/lru.ts";
import { isWithin } from "../../blob/locations.ts";
import { isAlone } from "../../catalog/claims.ts";
import { readEntity } from "../../catalog/entities.ts";
import type { Table } from "../../catalog/model.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { uuidOfFileName } from "../../iceberg/file-name.ts";
import type { TableMetadata } from "../../iceberg/model.ts";
import { isFault } from "../reachable.ts";
import type { Pace } from "./pace.ts";
import type { GcParts } from "./parts.ts";

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
  readonly #pace: Pace;
  readonly #kept: LruMap<string, Promise<TableRoot>> = new LruMap(KEPT);

  constructor(parts: GcParts, pace: Pace) {
    this.#parts = parts;
    this.#pace = pace;
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
    await this.#pace.spend(2);
    const item = await context.pointers.get(byIdKey("table", context.account, table));
    if (item.state === "absent") return { is: "gone" };
    const stored = await readEntity<Table>(context, "table", item);
    const location = stored?.entity.iceberg?.metadataLocation;
    if (stored === undefined || location === undefined) return { is: "unknown" };
    try {
      const file = await files.peek(location);
      await this.#pace.spend(1, file.length);
      return { is: "known", table: stored.entity, metadata: file.metadata };
    } catch (error) {
      if (isFault(error) || isRefused(error)) return { is: "unknown" };
      throw error;
    }
  }

  /**
   * Metadata files that commits of this table wrote, that are older than the floor, and that its
   * current metadata does not lead to, though it would if a commit had come to them: its log names
   * everything since the oldest file in it. One list, and nothing of a table that shares its
   * location, or whose log goes elsewhere.
   */
  async orphans(table: TableId): Promise<readonly Orphan[]> {
    const root = await this.of(table);
    if (root.is !== "known" || root.table.state !== "ACTIVE") return [];
    const { catalog, locations, places } = this.#parts;
    const { location, id, iceberg } = root.table;
    const directory = places.metadataDirectory(location, root.metadata);
    if (!isWithin(locations.normalize(directory), location)) return [];
    const log = Array.from(root.metadata.metadataLog, (entry) => entry.metadataFile);
    const named = new Set([iceberg?.metadataLocation ?? "", ...log].map((uri) => this.#at(uri)));
    const sinceMs = oldestOf([...named]);
    const bornMs = mintedMs(id);
    const latestMs = catalog.context.clock.nowMs() - LIMITS.catalogGcFloorMs;
    const found: Orphan[] = [];
    for await (const entry of locations.list(directory)) {
      const uuid = uuidOfFileName(entry.location);
      if (uuid === undefined || named.has(entry.location)) continue;
      const madeMs = mintedMs(uuid);
      if (madeMs <= Math.max(sinceMs + CLOCKS_APART_MS, bornMs)) continue;
      if (madeMs > latestMs || entry.modifiedAtMs > latestMs) continue;
      found.push({ location: entry.location, size: entry.size });
    }
    await this.#pace.spend(1 + Math.ceil(found.length / LIMITS.pageSize));
    if (found.length === 0 || (await isAlone(catalog.context, location, id))) return found;
    return [];
  }

  /** Empty for a path of another store. */
  #at(uri: string): string {
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

/** When the oldest of a table's files was made; infinite where one of them does not say. */
function oldestOf(locations: readonly string[]): number {
  const made = locations.map((location) => {
    const uuid = uuidOfFileName(location);
    return uuid === undefined ? Number.POSITIVE_INFINITY : mintedMs(uuid);
  });
  return made.includes(Number.POSITIVE_INFINITY) ? Number.POSITIVE_INFINITY : Math.min(...made);
}

/** Nothing that this node may read, here or later: another one may. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "Forbidden" || error.code === "LOCATION_NOT_ALLOWED";
}
