import { CatalogError } from "../base/error.ts";
import { LruMap } from "../base/lru.ts";
import type { Item, Live } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { catalogNotFound, corrupt, namespaceNotFound, relationNotFound } from "./errors.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { EntityType, Relation, Summary } from "./model.ts";
import { checkName } from "./names.ts";
import { byIdKey } from "./paths.ts";

/*
 * Names to ids, proven. A cached name is only a hint, and several reads are no snapshot, so an
 * answer rests on two reads that agree: the first (a cached entry, or the name's own pointer) gives
 * id and name revision, the second reads all canonical pointers in one request. A revision is never
 * used twice, so equal revisions mean that the name held over the whole span between the two.
 * "No such name" is proven alike: the parents are read again after the miss.
 */

/** A name moved at each of this many looks: somebody renames in a loop. */
const MAX_ROUNDS = 8;
const CACHED_NAMES = 200_000;

/** What is asked for: a catalog; a namespace of it if `path`; a relation of that if `relation`. */
export interface NameRef {
  readonly catalog: string;
  readonly path?: readonly string[];
  readonly relation?: { readonly type: Relation["type"]; readonly name: string };
}

/** A proven link of the chain: the entity's canonical pointer as the second read found it. */
export interface Link {
  readonly item: Live;
  readonly summary: Summary;
}

/** Ids by name, before they are proven. */
export interface Ids {
  readonly catalog: string;
  readonly namespace: string;
  readonly relation: string;
}

export interface Resolved<T = undefined> {
  readonly catalog: Link;
  /** Throws where the reference did not name one. */
  readonly namespace: Link;
  readonly relation: Link;
  /** What `between` answered. */
  readonly between: T;
  /** What `also` asked for, read in the same request as the proof. */
  readonly also: readonly Item[];
}

export interface ResolveOptions<T> {
  /** Runs between the two reads: what it sees is covered by the proof. */
  readonly between?: (ids: Ids) => Promise<T>;
  /** Further keys to read with the proof. */
  readonly also?: (ids: Ids) => readonly string[];
}

interface Hint {
  readonly key: string;
  readonly type: EntityType;
  readonly id: string;
  readonly nameRevision: string;
}

interface Chain {
  readonly hints: readonly Hint[];
  /** The first name that was not found, if any. */
  readonly missing?: CatalogError;
}

export class Resolver {
  readonly #context: CatalogContext;
  readonly #known: LruMap<string, Hint> = new LruMap(CACHED_NAMES);

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * Proves a name. Warm: one batch read. Cold: one read a name and one batch read.
   *
   * @throws CatalogError `NotFound`: `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`,
   * `TABLE_NOT_FOUND`, `VIEW_NOT_FOUND`; `Unavailable` `NAMES_UNSTABLE`.
   */
  async resolve<T = undefined>(
    ref: NameRef,
    options: ResolveOptions<T> = {},
  ): Promise<Resolved<T>> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const chain = await this.#chain(ref, round === 0);
      const ids = idsOf(chain.hints);
      const found = chain.missing === undefined;
      const between = found ? await options.between?.(ids) : undefined;
      const also = found ? (options.also?.(ids) ?? []) : [];
      const { account } = this.#context;
      const proofKeys = chain.hints.map(({ type, id }) => byIdKey(type, account, id));
      const keys = [...proofKeys, ...also];
      const items = keys.length === 0 ? [] : await this.#context.pointers.getMany(keys);
      const links = this.#prove(chain.hints, items);
      if (links === undefined) continue;
      if (chain.missing !== undefined) throw chain.missing;
      return new Proven(links, between as T, items.slice(proofKeys.length));
    }
    throw new CatalogError("Unavailable", "NAMES_UNSTABLE", "names changed at every look");
  }

  /** Each hint against its canonical pointer; undefined, and forgotten, where one disagrees. */
  #prove(hints: readonly Hint[], items: readonly Item[]): readonly Link[] | undefined {
    const links: Link[] = [];
    for (const [i, hint] of hints.entries()) {
      const item = items[i];
      const summary = item?.state === "live" ? summaryOfItem(item) : undefined;
      const holds = summary?.state === "ACTIVE" && summary.nameRevision === hint.nameRevision;
      if (item?.state !== "live" || summary === undefined || !holds) {
        for (const stale of hints.slice(i)) this.#known.delete(stale.key);
        return undefined;
      }
      links.push({ item, summary });
    }
    return links;
  }

  async #chain(ref: NameRef, useCache: boolean): Promise<Chain> {
    const { account } = this.#context;
    const hints: Hint[] = [];
    const catalogName = checkName(ref.catalog, "catalog");
    const catalogKey = keyOf(FAMILIES.catalogByName, account, catalogName);
    const catalog = await this.#hint(catalogKey, useCache);
    if (catalog === undefined) return { hints, missing: catalogNotFound(ref.catalog) };
    hints.push(catalog);
    if (ref.path === undefined) return { hints };
    const pathKey = keyOf(FAMILIES.namespaceByPath, account, catalog.id, ref.path);
    const namespace = await this.#hint(pathKey, useCache);
    if (namespace === undefined) return { hints, missing: namespaceNotFound(ref.path) };
    hints.push(namespace);
    if (ref.relation === undefined) return { hints };
    const { type, name } = ref.relation;
    const key = keyOf(FAMILIES.relationByName, account, catalog.id, namespace.id, name);
    const relation = await this.#hint(key, useCache);
    // One of the other type has to be proven too: a cached one may have given way to ours.
    if (relation !== undefined) hints.push(relation);
    if (relation?.type === type) return { hints };
    return { hints, missing: relationNotFound(type, ref.path, name) };
  }

  async #hint(key: string, useCache: boolean): Promise<Hint | undefined> {
    const known = useCache ? this.#known.get(key) : undefined;
    if (known !== undefined) return known;
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") return undefined;
    const { entityId, entityType, nameRevision } = summaryOfItem(item);
    const hint: Hint = { key, type: entityType, id: entityId, nameRevision };
    this.#known.set(key, hint);
    return hint;
  }
}

function idsOf(hints: readonly Hint[]): Ids {
  const [catalog, namespace, relation] = hints;
  return {
    catalog: catalog?.id ?? "",
    namespace: namespace?.id ?? "",
    relation: relation?.id ?? "",
  };
}

class Proven<T> implements Resolved<T> {
  readonly #links: readonly Link[];
  readonly between: T;
  readonly also: readonly Item[];

  constructor(links: readonly Link[], between: T, also: readonly Item[]) {
    this.#links = links;
    this.between = between;
    this.also = also;
  }

  get catalog(): Link {
    return this.#at(0);
  }

  get namespace(): Link {
    return this.#at(1);
  }

  get relation(): Link {
    return this.#at(2);
  }

  #at(index: number): Link {
    const link = this.#links[index];
    if (link === undefined) throw corrupt("name was not asked for", { index });
    return link;
  }
}
