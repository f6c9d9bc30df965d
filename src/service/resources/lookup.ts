import { FirnError } from "../../base/error.ts";
import type { Actor } from "../actor.ts";
import type { ResourceHistory } from "./history.ts";
import type { Resource } from "./resource.ts";

/** Refusals that let the next reading of a name be tried. */
const ABSENT: ReadonlySet<string> = new Set([
  "NAMESPACE_NOT_FOUND",
  "TABLE_NOT_FOUND",
  "VIEW_NOT_FOUND",
]);

/** Finds a resource by its full name. */
export class ResourceLookup {
  readonly #history: ResourceHistory;

  constructor(history: ResourceHistory) {
    this.#history = history;
  }

  /**
   * What names mean, the catalog's first: a catalog; a table or view; else a namespace.
   *
   * @throws FirnError `NotFound`: `CATALOG_NOT_FOUND`, `NAME_NOT_FOUND`.
   */
  async resolve(actor: Actor, names: readonly string[]): Promise<Resource> {
    const [catalog = "", ...path] = names;
    const inCatalog = { catalog: { name: catalog } };
    if (path.length === 0) return this.#history.current(actor, { type: "catalog", ...inCatalog });
    const [name = "", above] = [path.at(-1), path.slice(0, -1)];
    if (above.length > 0) {
      const place = { ...inCatalog, namespace: { path: above }, relation: { name } };
      for (const type of ["table", "view"] as const) {
        const found = await this.#unlessAbsent(actor, { type, ...place });
        if (found !== undefined) return found;
      }
    }
    const found = await this.#unlessAbsent(actor, {
      type: "namespace",
      ...inCatalog,
      namespace: { path },
    });
    if (found !== undefined) return found;
    const facts = { name: names.join(".").slice(0, 256) };
    throw new FirnError("NotFound", "NAME_NOT_FOUND", "nothing has this name", facts);
  }

  async #unlessAbsent(
    actor: Actor,
    place: Parameters<ResourceHistory["current"]>[1],
  ): Promise<Resource | undefined> {
    try {
      return await this.#history.current(actor, place);
    } catch (error) {
      if (error instanceof FirnError && ABSENT.has(error.code)) return undefined;
      throw error;
    }
  }
}
