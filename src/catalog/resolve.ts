import { assert } from "../base/assert.ts";
import { FirnError } from "../base/error.ts";
import { LruMap } from "../base/lru.ts";
import type { Item, Live } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import {
  beingDeleted,
  catalogNotFound,
  corrupt,
  namespaceNotFound,
  relationNotFound,
} from "./errors.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import type { Relation, Summary } from "./model.ts";
import {
  type NameAccess,
  type NamedObject,
  nameAccess,
  type ObjectPath,
  objectOf,
} from "./name-access.ts";
import { checkName, dotted } from "./names.ts";
import { byIdKey } from "./paths.ts";

/*
 * Names to ids, proven. A cached name is only a hint, and several reads are not a snapshot, so an
 * answer rests on two reads that agree: the first (a cached entry, or the name's own pointer) gives
 * id and name revision, the second reads all canonical pointers in one request. A revision is never
 * used twice, so equal revisions mean that the name held over the whole span between the two.
 * "No such name" is proven alike: the parents are read again after the miss.
 */

/** A name moved at each of this many looks: a client renames in a loop. */
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
  /** All of them, outermost first, where the request is judged: see `name-access.ts`. */
  readonly objects: ObjectPath;
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
  /** Something is to appear there: a parent that is being deleted is told as such. */
  readonly into?: true;
}

/** What a name's own pointer said, and where to prove it. */
interface Hint extends NamedObject {
  readonly nameRevision: string;
  /** Key of the canonical pointer. */
  readonly proof: string;
  readonly parentId?: string | undefined;
}

/** A name with those above it, outermost first: what one look at the cache finds, or nothing. */
type Hints = readonly Hint[];

/** What the cache has of a name. */
interface Known {
  readonly hints: Hints;
  /** All that lies above it, and itself: once a judged request has looked at each part. */
  objects?: ObjectPath;
}

interface Chain {
  readonly hints: Hints;
  /** The first name that was not found, if any. */
  readonly missing?: FirnError;
  /** What was found with all namespaces above it, where the request is judged. */
  readonly objects?: ObjectPath;
}

/** A part of a chain, with all that lies above it. */
interface Reached {
  readonly hints: Hints;
  readonly objects: ObjectPath;
}

/** A name was another one's when its parent's was read. */
const MOVED = "moved";

/** Where the cache keeps a name. Names were checked, so none holds a control character. */
function spelled({ catalog, path, relation }: NameRef): string {
  if (path === undefined) return catalog;
  const namespace = path.length === 1 ? path[0] : path.join("\t");
  if (relation === undefined) return `${catalog}\n${namespace}`;
  return `${catalog}\n${namespace}\n${relation.name}`;
}

/** A relation of the other type has to be proven too: a cached one may have given way to ours. */
function chainOf({ path = [], relation }: NameRef, hints: Hints): Chain {
  if (relation === undefined || hints[2]?.type === relation.type) return { hints };
  return { hints, missing: relationNotFound(relation.type, path, relation.name) };
}

export class Resolver {
  readonly #context: CatalogContext;
  readonly #known: LruMap<string, Known> = new LruMap(CACHED_NAMES);

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * Proves a name, of which the path and the relation are checked names. Warm: one batch read.
   * Cold: one read a name and one batch read.
   *
   * @throws FirnError `NotFound`: `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`,
   * `TABLE_NOT_FOUND`, `VIEW_NOT_FOUND`; `Unavailable` `NAMES_UNSTABLE`.
   */
  async resolve<T = undefined>(
    asked: NameRef,
    options: ResolveOptions<T> = {},
  ): Promise<Resolved<T>> {
    const ref = { ...asked, catalog: checkName(asked.catalog, "catalog") };
    const access = nameAccess();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const isFirst = round === 0;
      const chain =
        access === undefined
          ? (isFirst && this.#remembered(ref)) || (await this.#read(ref, isFirst))
          : (isFirst && this.#rememberedVisible(access, ref)) ||
            (await this.#readVisible(access, ref, isFirst));
      if (chain === undefined) continue;
      const ids = idsOf(chain);
      const found = chain.missing === undefined;
      const between = found && options.between ? await options.between(ids) : undefined;
      const also = found ? (options.also?.(ids) ?? []) : [];
      const keys = [...chain.hints.map(({ proof }) => proof), ...also];
      const items = keys.length === 0 ? [] : await this.#context.pointers.getMany(keys);
      const links = this.#prove(ref, chain.hints, items, options.into === true);
      if (links === undefined) continue;
      if (chain.missing !== undefined) throw chain.missing;
      access?.proven(ref, ids.objects);
      return new Proven(links, between as T, items.slice(links.length));
    }
    throw new FirnError(
      "Unavailable",
      "NAMES_UNSTABLE",
      "names kept changing during the lookup: try again",
    );
  }

  /**
   * Each hint against its canonical pointer; undefined, and forgotten, where one disagrees.
   *
   * @throws FirnError `NotFound`; `Conflict` where something is to appear `into` what it names: a
   * job is deleting it, and its name is free only after that.
   */
  #prove(
    ref: NameRef,
    hints: Hints,
    items: readonly Item[],
    into: boolean,
  ): readonly Link[] | undefined {
    assert(items.length >= hints.length, "each part of a name is proven by one read");
    const links: Link[] = [];
    for (const [i, hint] of hints.entries()) {
      const item = items[i];
      const summary = item?.state === "live" ? summaryOfItem(item) : undefined;
      const isSame = summary?.nameRevision === hint.nameRevision;
      if (isSame && summary.state === "DELETING") throw deletingError(ref, hint, into);
      const holds = isSame && summary.state === "ACTIVE";
      if (item?.state !== "live" || summary === undefined || !holds) {
        this.#forget(ref, i);
        return undefined;
      }
      links.push({ item, summary });
    }
    return links;
  }

  /** Forgets the names of a reference from one level on. */
  #forget(ref: NameRef, level: number): void {
    const { catalog, path } = ref;
    if (level === 0) this.#known.delete(spelled({ catalog }));
    if (level <= 1 && path !== undefined) this.#known.delete(spelled({ catalog, path }));
    this.#known.delete(spelled(ref));
  }

  /** The whole chain at one look, where it was asked for before. */
  #remembered(ref: NameRef): Chain | undefined {
    const known = this.#known.get(spelled(ref));
    return known === undefined ? undefined : chainOf(ref, known.hints);
  }

  /**
   * What `#readVisible` has answered, where the cache still has the name and all parts of it may be
   * known: it would ask for nothing, and neither does this. All else is left to it.
   */
  #rememberedVisible(access: NameAccess, ref: NameRef): Chain | undefined {
    const known = this.#known.get(spelled(ref));
    if (known?.objects === undefined || !access.seesEach(known.objects)) return undefined;
    const chain = chainOf(ref, known.hints);
    // As it is, where nothing is missing: it has all that a chain has.
    return chain.missing === undefined ? known : { ...chain, objects: known.objects };
  }

  /** The chain by the names' own pointers: one read for each that is not known. */
  async #read(ref: NameRef, useCache: boolean): Promise<Chain> {
    const { account } = this.#context;
    const { catalog, path, relation } = ref;
    const catalogKey = keyOf(FAMILIES.catalogByName, account, catalog);
    const root = await this.#extend([], { catalog }, catalogKey, useCache);
    const catalogId = root?.[0]?.id;
    if (root === undefined || catalogId === undefined) {
      return { hints: [], missing: catalogNotFound(catalog) };
    }
    if (path === undefined) return { hints: root };
    const pathKey = keyOf(FAMILIES.namespaceByPath, account, catalogId, path);
    const parent = await this.#extend(root, { catalog, path }, pathKey, useCache);
    const namespaceId = parent?.[1]?.id;
    if (parent === undefined || namespaceId === undefined) {
      return { hints: root, missing: namespaceNotFound(path) };
    }
    if (relation === undefined) return { hints: parent };
    const { name } = relation;
    const key = keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, name);
    const hints = await this.#extend(parent, { catalog, path, relation }, key, useCache);
    return chainOf(ref, hints ?? parent);
  }

  /**
   * As `#read`, for a request that is judged: what it may not know is missing, after the same reads
   * as what is not there. Every namespace on the way is read, since privileges come from above.
   *
   * @returns undefined where the names contradict each other: look again.
   */
  async #readVisible(
    access: NameAccess,
    ref: NameRef,
    useCache: boolean,
  ): Promise<Chain | undefined> {
    const { account } = this.#context;
    const { catalog, path = [], relation } = ref;
    const top = { hints: [], objects: [] };
    const catalogKey = keyOf(FAMILIES.catalogByName, account, catalog);
    const root = await this.#reach(access, top, { catalog }, catalogKey, useCache);
    const catalogId = root === MOVED ? undefined : root?.hints[0]?.id;
    if (root === MOVED || root === undefined || catalogId === undefined) {
      return { hints: [], missing: catalogNotFound(catalog) };
    }
    let reached: Reached = root;
    for (let depth = 1; depth <= path.length; depth++) {
      const name = { catalog, path: path.slice(0, depth) };
      const key = keyOf(FAMILIES.namespaceByPath, account, catalogId, name.path);
      const parent = { hints: root.hints, objects: reached.objects };
      const next = await this.#reach(access, parent, name, key, useCache);
      if (next === MOVED) return undefined;
      if (next === undefined) return { ...root, missing: namespaceNotFound(path) };
      reached = next;
    }
    if (relation === undefined) return reached;
    const namespaceId = reached.objects.at(-1)?.id ?? "";
    const key = keyOf(FAMILIES.relationByName, account, catalogId, namespaceId, relation.name);
    const found = await this.#reach(access, reached, { catalog, path, relation }, key, useCache);
    if (found === MOVED) return undefined;
    if (found === undefined) {
      return { ...reached, missing: relationNotFound(relation.type, path, relation.name) };
    }
    return { ...chainOf(ref, found.hints), objects: found.objects };
  }

  /** The next part of a name, if it may be known; a cached one that may not is read once more. */
  async #reach(
    access: NameAccess,
    { hints, objects }: Reached,
    name: NameRef,
    key: string,
    useCache: boolean,
  ): Promise<Reached | typeof MOVED | undefined> {
    const spelling = spelled(name);
    const wasKnown = useCache && this.#known.has(spelling);
    let found = await this.#extend(hints, name, key, useCache);
    if (found !== undefined && wasKnown && !access.sees(pathTo(objects, found))) {
      this.#known.delete(spelling);
      found = await this.#extend(hints, name, key, false);
    }
    if (found === undefined) return undefined;
    const path = pathTo(objects, found);
    if (!access.sees(path)) return undefined;
    const parent = objects.at(-1);
    const isBelow = parent === undefined || found.at(-1)?.parentId === parent.id;
    if (isBelow) {
      const known = this.#known.get(spelling);
      if (known?.hints === found) known.objects = path;
      return { hints: found, objects: path };
    }
    this.#known.delete(spelling);
    return MOVED;
  }

  /** The hints of a name whose parents' are known; undefined where nothing has it. */
  async #extend(
    parents: Hints,
    name: NameRef,
    key: string,
    useCache: boolean,
  ): Promise<Hints | undefined> {
    const known = useCache ? this.#known.get(spelled(name)) : undefined;
    if (known !== undefined) {
      const { hints } = known;
      assert(hints.length === parents.length + 1, "what is known of a name has all its parts");
      return hints;
    }
    const { account, pointers } = this.#context;
    const item = await pointers.get(key);
    if (item.state === "absent") return undefined;
    const summary = summaryOfItem(item);
    const { nameRevision, parentId } = summary;
    const object = objectOf(summary);
    const proof = byIdKey(object.type, account, object.id);
    const hints = [...parents, { ...object, nameRevision, parentId, proof }];
    this.#known.set(spelled(name), { hints });
    return hints;
  }
}

/** The last of the hints, below what lies above it. */
function pathTo(above: ObjectPath, hints: Hints): ObjectPath {
  const last = hints.at(-1);
  return last === undefined ? above : [...above, last];
}

function deletingError({ catalog, path = [] }: NameRef, { type }: Hint, into: boolean): FirnError {
  if (type === "catalog") return into ? beingDeleted(type, catalog) : catalogNotFound(catalog);
  assert(type === "namespace", "only what has children is deleted with them");
  return into ? beingDeleted(type, dotted(path)) : namespaceNotFound(path);
}

function idsOf({ hints, objects = [] }: Chain): Ids {
  const [catalog, namespace, relation] = hints;
  return {
    objects,
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
