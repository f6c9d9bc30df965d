import { FirnError } from "../../base/error.ts";
import type { TableId } from "../../base/ids.ts";
import { LruMap } from "../../base/lru.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { tableClaiming } from "../../catalog/claims.ts";
import { nameAccess, type ObjectPath } from "../../catalog/name-access.ts";
import type { TableRef } from "../requests.ts";
import { KnownIds } from "./known-ids.ts";
import { ResourceNames } from "./names.ts";

/** Tables whose names are kept. */
const KEPT = 10_000;
/** An id that nothing has. */
const NOTHING = "00000000-0000-7000-8000-000000000000";

/** Where a table was found, and what lies above it. */
interface Known {
  readonly ref: TableRef;
  readonly path: ObjectPath | undefined;
}

/** A table with what was found of it. */
export interface Owner<Found> {
  readonly ref: TableRef;
  readonly found: Found;
}

/** Finds tables by the places of their files: a location belongs to the table that claims it. */
export class FileOwners {
  readonly #catalog: AccountCatalog;
  readonly #ids: KnownIds;
  readonly #names: ResourceNames;
  readonly #known: LruMap<TableId, Known> = new LruMap(KEPT);

  constructor(catalog: AccountCatalog) {
    this.#catalog = catalog;
    this.#ids = new KnownIds(catalog.context);
    this.#names = new ResourceNames(catalog);
  }

  /**
   * The table that claims the innermost of some directories, given outermost first; undefined
   * where none does, and after the same reads of pointers where the caller may not know of it.
   * Warm: one batch read beside what `find` reads.
   *
   * @param find judges the caller and answers what it found.
   * @throws FirnError what `find` throws of a table that the caller may know.
   */
  async of<Found extends { readonly id: string }>(
    directories: readonly string[],
    find: (ref: TableRef) => Promise<Found>,
  ): Promise<Owner<Found> | undefined> {
    const id = await tableClaiming(this.#catalog.context, directories);
    const known = id === undefined ? undefined : await this.#again(id, find);
    if (known !== undefined) return known;
    const access = nameAccess();
    const path = access && (await this.#ids.pathOf(access, "table", id ?? NOTHING));
    if (id === undefined || (access !== undefined && path === undefined)) return undefined;
    const ref = await this.#where(id);
    if (ref === undefined) return undefined;
    const found = await unlessAbsent(find(ref));
    if (found?.id !== id) return undefined;
    this.#known.set(id, { ref, path });
    return { ref, found };
  }

  /** Under the name that it had, if that is still its own. */
  async #again<Found extends { readonly id: string }>(
    id: TableId,
    find: (ref: TableRef) => Promise<Found>,
  ): Promise<Owner<Found> | undefined> {
    const known = this.#known.get(id);
    const access = nameAccess();
    if (known === undefined) return undefined;
    const { ref, path } = known;
    // A path that was not judged then tells nothing of what a caller may know.
    if (access !== undefined && (path === undefined || !access.sees(path))) return undefined;
    try {
      const found = await find(ref);
      if (found.id === id) return { ref, found };
    } catch (error) {
      // Another one may have the name by now, and be none of the caller's.
      if (!isRefusal(error)) throw error;
    }
    this.#known.delete(id);
    return undefined;
  }

  async #where(id: TableId): Promise<TableRef | undefined> {
    const at = await this.#names.whereIs("table", id);
    if (at?.catalog === undefined || at.namespace === undefined) return undefined;
    return { catalog: at.catalog, namespace: at.namespace, table: at.name };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FirnError && (error.kind === "NotFound" || error.kind === "Forbidden");
}

async function unlessAbsent<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "NotFound") return undefined;
    throw error;
  }
}
