import { encodeSegment } from "../../base/key-text.ts";
import { Pauses } from "../../base/pauses.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import { childDirectory, directoryOf, FAMILIES } from "../../catalog/keys.ts";
import type { IndexedName, NameIndex, NamesBelow } from "../../catalog/name-index.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { type FoundName, KINDS, type NamePosition } from "./found-name.ts";

/** A name that was found, with what it lies in and where the search goes on behind it. */
interface Hit {
  readonly found: FoundName;
  readonly next: NamePosition;
  readonly above: readonly string[];
}

/** Namespaces that are looked at between two turns of the event loop. */
const NAMESPACES_A_TURN = 2_000;

/** Names of one directory between two looks at the time. */
const NAMES_A_LOOK = 10_000;

/** One search through the index: what it has found, up to its limit. */
export class IndexedNames {
  readonly #catalog: AccountCatalog;
  readonly #index: NameIndex;
  readonly #pauses: Pauses;
  readonly #wanted: string;
  readonly #limit: number;
  readonly #hits: Hit[] = [];

  constructor(
    catalog: AccountCatalog,
    index: NameIndex,
    { wanted, limit }: { readonly wanted: string; readonly limit: number },
  ) {
    this.#catalog = catalog;
    this.#index = index;
    this.#wanted = wanted;
    this.#limit = limit;
    this.#pauses = new Pauses(catalog.context.clock, NAMESPACES_A_TURN);
  }

  /**
   * The names behind a position. One batch read, of the catalogs and namespaces that they lie in:
   * what is in one that is going is not found.
   */
  async find(from: NamePosition | undefined): Promise<{
    readonly items: readonly FoundName[];
    readonly next?: string;
  }> {
    await this.#catalogs(from);
    const last = this.#isFull ? this.#hits.at(-1) : undefined;
    const active = await this.#active();
    const items = this.#hits.filter(({ above }) => above.every((key) => active.has(key)));
    return {
      items: items.map(({ found }) => found),
      ...(last !== undefined && { next: JSON.stringify(last.next) }),
    };
  }

  get #isFull(): boolean {
    return this.#hits.length >= this.#limit;
  }

  /** Canonical keys of what the hits lie in that is there, and is not going. */
  async #active(): Promise<ReadonlySet<string>> {
    const keys = [...new Set(this.#hits.flatMap(({ above }) => above))];
    const items = keys.length === 0 ? [] : await this.#catalog.context.pointers.getMany(keys);
    const active = new Set<string>();
    for (const item of items) {
      if (item.state === "live" && summaryOfItem(item).state === "ACTIVE") active.add(item.key);
    }
    return active;
  }

  async #catalogs(from: NamePosition | undefined): Promise<void> {
    const { account } = this.#catalog.context;
    const names = await this.#index.names(directoryOf(FAMILIES.catalogByName, account));
    const leaf = from && encodeSegment(from.catalog);
    for (let i = startOf(names, leaf); i < names.length; i++) {
      const catalog = names[i];
      if (catalog === undefined || this.#isFull) return;
      const key = byIdKey("catalog", account, catalog.id);
      const isBegun = catalog.leaf === leaf;
      if (!isBegun) {
        this.#judge(catalog);
      }
      const directory = childDirectory(account, catalog.id, []);
      await this.#namespaces({ catalog, key, path: [], directory }, isBegun ? from : undefined);
    }
  }

  /** The namespaces below a path with what is in them, each before its children. */
  async #namespaces(place: Place, from: NamePosition | undefined): Promise<void> {
    const { catalog, path: parent } = place;
    const level = from?.path[parent.length];
    const leaf = level === undefined ? undefined : encodeSegment(level);
    const names = await this.#index.names(place.directory);
    for (let i = startOf(names, leaf); i < names.length; i++) {
      const namespace = names[i];
      if (namespace === undefined || this.#isFull) return;
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
      const path = [...parent, namespace.name];
      const isBegun = namespace.leaf === leaf;
      const isThere = isBegun && from !== undefined && path.length === from.path.length;
      if (!isBegun && namespace.lower.includes(this.#wanted)) {
        const { name } = namespace;
        const found = { type: "namespace", name, catalog: catalog.name, namespace: path } as const;
        this.#hits.push({
          found,
          next: { catalog: catalog.name, path, kind: 0 },
          above: [place.key],
        });
      }
      const below = this.#below(catalog, namespace, path);
      if ((!isBegun || isThere) && !below.relations.every((each) => this.#isEmpty(each))) {
        await this.#relations({ ...place, path }, below, isThere ? from : undefined);
      }
      if (this.#isFull || this.#isEmpty(below.children)) continue;
      const inside = { ...place, path, directory: below.children };
      await this.#namespaces(inside, isBegun ? from : undefined);
    }
  }

  /** Whether a directory is known to hold nothing: many namespaces, few of them with children. */
  #isEmpty(directory: string): boolean {
    return this.#index.kept(directory)?.length === 0;
  }

  /** The directories of a namespace, which are the same for as long as it has its name. */
  #below(catalog: IndexedName, namespace: IndexedName, path: readonly string[]): NamesBelow {
    const { account } = this.#catalog.context;
    namespace.below ??= {
      key: byIdKey("namespace", account, namespace.id),
      relations: [FAMILIES.tableByName, FAMILIES.viewByName].map((family) =>
        directoryOf(family, account, catalog.id, namespace.id),
      ),
      children: childDirectory(account, catalog.id, path),
    };
    return namespace.below;
  }

  /** The tables, then the views of one namespace. */
  async #relations(
    { catalog, key, path }: Place,
    below: NamesBelow,
    from: NamePosition | undefined,
  ): Promise<void> {
    const above = [key, below.key];
    for (const [kind] of KINDS.entries()) {
      if (kind < (from?.kind ?? 0)) continue;
      const last = kind === from?.kind ? from.name : undefined;
      const leaf = last === undefined ? undefined : encodeSegment(last);
      const names = await this.#index.names(below.relations[kind] ?? "");
      const type = KINDS[kind] === "tables" ? "table" : "view";
      for (let i = startOf(names, leaf); i < names.length; i++) {
        const one = names[i];
        if (one === undefined || this.#isFull) return;
        const pause = i % NAMES_A_LOOK === 0 ? this.#pauses.step() : undefined;
        if (pause !== undefined) await pause;
        if (one.leaf === leaf || !one.lower.includes(this.#wanted)) continue;
        const { name } = one;
        const found = { type, name, catalog: catalog.name, namespace: path } as const;
        this.#hits.push({ found, next: { catalog: catalog.name, path, kind, name }, above });
      }
    }
  }

  #judge({ name, lower }: IndexedName): void {
    if (!lower.includes(this.#wanted)) return;
    const next = { catalog: name, path: [], kind: 0 };
    this.#hits.push({ found: { type: "catalog", name }, next, above: [] });
  }
}

/** Where in a catalog a search is. */
interface Place {
  readonly catalog: IndexedName;
  /** The canonical key of the catalog. */
  readonly key: string;
  readonly path: readonly string[];
  /** Lists the namespaces below the path. */
  readonly directory: string;
}

/** The first name that is not before a leaf. */
function startOf(names: readonly IndexedName[], leaf: string | undefined): number {
  if (leaf === undefined) return 0;
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle]?.leaf ?? "") < leaf) low = middle + 1;
    else high = middle;
  }
  return low;
}
