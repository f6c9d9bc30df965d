import { FirnError } from "../../base/error.ts";
import type { Actor } from "../actor.ts";
import type { FoundName } from "./found-name.ts";
import type { ResourceHistory } from "./history.ts";
import type { ResourceNames } from "./names.ts";
import type { Resource } from "./resource.ts";

/** Refusals that let the next reading of a name be tried. */
const ABSENT: ReadonlySet<string> = new Set([
  "NAMESPACE_NOT_FOUND",
  "TABLE_NOT_FOUND",
  "VIEW_NOT_FOUND",
]);

/** Things that are looked for at once. */
const READS = 8;

/** Something by its id. */
export interface Thing {
  readonly type: FoundName["type"];
  readonly id: string;
}

export interface FoundThing extends FoundName {
  readonly id: string;
}

/** Finds a resource by its full name, and names by ids. */
export class ResourceLookup {
  readonly #history: ResourceHistory;
  readonly #names: ResourceNames;

  constructor(history: ResourceHistory, names: ResourceNames) {
    this.#history = history;
    this.#names = names;
  }

  /**
   * Where things lie now, by their ids; without those that are gone or may not be known. A few
   * reads for each.
   */
  async whereAre(_actor: Actor, things: readonly Thing[]): Promise<readonly FoundThing[]> {
    const known = new Map(things.map((thing) => [thing.id, thing]));
    const found: FoundThing[] = [];
    const left = known.values();
    const work = async (): Promise<void> => {
      for (const { type, id } of left) {
        const name = await this.#names.whereIs(type, id);
        if (name !== undefined) found.push({ id, ...name });
      }
    };
    await Promise.all(Array.from({ length: READS }, work));
    return found;
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
