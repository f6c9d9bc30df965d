import { FirnError } from "../../../base/error.ts";
import { entityById } from "../../../catalog/by-id.ts";
import type { AccountCatalog } from "../../../catalog/catalog.ts";
import { readEntity, type Stored } from "../../../catalog/entities.ts";
import type { Listed } from "../../../catalog/listed.ts";
import type { Catalog, Entity, Namespace, Summary, Table, View } from "../../../catalog/model.ts";
import { type NamedObject, type ObjectPath, objectOf } from "../../../catalog/name-access.ts";
import type { Page } from "../../../catalog/pages.ts";
import { byIdKey } from "../../../catalog/paths.ts";
import type { Held } from "../../../sql/catalog/held.ts";
import type { SessionAccess } from "../session-access.ts";

/** Entities that are in memory at once. */
const PAGE = 200;
/** Namespaces that may lie within each other: a chain of ids that is longer has a cycle. */
const DEPTH = 64;

export type WalkedType = "catalog" | "namespace" | "table" | "view";

/** An entity that the session may know. */
export interface Walked extends Listed {
  readonly type: WalkedType;
  /** From the catalog to the entity itself. */
  readonly objects: ObjectPath;
  /** Their names. */
  readonly names: readonly string[];
  readonly held: Held;
}

/** What a scan asks for; absent: all. */
export interface Wanted {
  readonly ids?: ReadonlySet<string> | undefined;
  readonly names?: ReadonlySet<string> | undefined;
  readonly catalogs?: ReadonlySet<string> | undefined;
  readonly namespaces?: ReadonlySet<string> | undefined;
}

/**
 * Walks what a session may know of the catalogs of its account: a page of entities at a time, and
 * the way down to it, is all that it keeps. Names that move meanwhile may be met twice or not at
 * all, as in any list.
 */
export class CatalogWalk {
  readonly #catalog: AccountCatalog;
  readonly #access: SessionAccess;

  constructor(catalog: AccountCatalog, access: SessionAccess) {
    this.#catalog = catalog;
    this.#access = access;
  }

  async *catalogs({ ids, names }: Wanted = {}): AsyncGenerator<readonly Walked[]> {
    if (ids !== undefined) {
      yield await this.#byIds("catalog", ids);
      return;
    }
    const page = (request: Asked) => this.#catalog.catalogs.page(request);
    for await (const listed of this.#pages(page)) {
      yield listed
        .filter(({ summary }) => names?.has(summary.name) ?? true)
        .map((each) => this.#walked("catalog", each, [], []));
    }
  }

  async *namespaces(wanted: Wanted = {}): AsyncGenerator<readonly Walked[]> {
    if (wanted.ids !== undefined) {
      yield await this.#byIds("namespace", wanted.ids);
      return;
    }
    for await (const each of this.catalogs({ ids: wanted.catalogs })) {
      for (const catalog of each) yield* this.#below(catalog);
    }
  }

  /** Tables and views: those of one namespace after the other. */
  async *relations(wanted: Wanted = {}): AsyncGenerator<readonly Walked[]> {
    const { ids, names, catalogs, namespaces } = wanted;
    if (ids !== undefined) {
      yield await this.#byIds("table", ids);
      yield await this.#byIds("view", ids);
      return;
    }
    for await (const within of this.namespaces({ ids: namespaces, catalogs })) {
      for (const { names: path, objects } of within) {
        const [catalog = "", ...levels] = path;
        const ref = { catalog, path: levels };
        for (const [type, kind] of [
          ["table", this.#catalog.tables],
          ["view", this.#catalog.views],
        ] as const) {
          for await (const listed of this.#pages((request) => kind.page(ref, request))) {
            yield listed
              .filter(({ summary }) => names?.has(summary.name) ?? true)
              .map((each) => this.#walked(type, each, objects, path));
          }
        }
      }
    }
  }

  /** What the payloads of entities say; of one that is gone meanwhile, nothing. */
  async entities<E extends Entity>(walked: readonly Walked[]): Promise<(Stored<E> | undefined)[]> {
    const { context } = this.#catalog;
    const keys = walked.map(({ type, summary }) =>
      byIdKey(type, context.account, summary.entityId),
    );
    const items = keys.length === 0 ? [] : await context.pointers.getMany(keys);
    return await Promise.all(
      items.map(async (item, i) =>
        item.state === "live"
          ? await readEntity<E>(context, walked[i]?.type as E["type"], item)
          : undefined,
      ),
    );
  }

  async *#below(parent: Walked): AsyncGenerator<readonly Walked[]> {
    const [catalog = "", ...path] = parent.names;
    const page = (request: Asked) => this.#catalog.namespaces.page({ catalog, path }, request);
    for await (const listed of this.#pages(page)) {
      const found = listed.map((each) =>
        this.#walked("namespace", each, parent.objects, parent.names),
      );
      yield found;
      for (const each of found) yield* this.#below(each);
    }
  }

  /** What was dropped while it was walked to has no more pages. */
  async *#pages(
    page: (request: Asked) => Promise<Page<Listed>>,
  ): AsyncGenerator<readonly Listed[]> {
    let after: string | undefined;
    do {
      const request = { limit: PAGE, ...(after !== undefined && { after }) };
      const found = await this.#access
        .judged(() => page(request))
        .catch((error: unknown) => {
          if (error instanceof FirnError && error.kind === "NotFound") return { items: [] };
          throw error;
        });
      yield found.items;
      after = "next" in found ? found.next : undefined;
    } while (after !== undefined);
  }

  #walked(type: WalkedType, listed: Listed, above: ObjectPath, names: readonly string[]): Walked {
    const objects = [...above, objectOf(listed.summary)];
    const own = [...names, listed.summary.name];
    return { ...listed, type, objects, names: own, held: this.#access.on(own.join("."), objects) };
  }

  /** A bounded look-up: some reads for each id, however large the catalog is. */
  async #byIds(type: WalkedType, ids: ReadonlySet<string>): Promise<readonly Walked[]> {
    const found: Walked[] = [];
    for (const id of ids) {
      const walked = await this.#byId(type, id);
      if (walked !== undefined) found.push(walked);
    }
    return found;
  }

  async #byId(type: WalkedType, id: string): Promise<Walked | undefined> {
    const { context } = this.#catalog;
    const chain: Stored<Catalog | Namespace | Table | View>[] = [];
    let next: { readonly type: WalkedType; readonly id: string } | undefined = { type, id };
    while (next !== undefined) {
      if (chain.length > DEPTH) return undefined;
      const stored: Stored<Catalog | Namespace | Table | View> | undefined = await entityById<
        Catalog | Namespace | Table | View
      >(context, next.type, next.id as never);
      if (stored === undefined) return undefined;
      chain.unshift(stored);
      next = parentOf(stored.summary);
    }
    const objects: NamedObject[] = chain.map(({ summary }) => objectOf(summary));
    if (!this.#isSeen(objects)) return undefined;
    const names = chain.map(({ summary }) => summary.name);
    const { summary, item } = chain.at(-1) as Stored;
    const held = this.#access.on(names.join("."), objects);
    return { type, summary, version: item.version, objects, names, held };
  }

  /** As names are judged on the way down: each of them must be seen. */
  #isSeen(objects: ObjectPath): boolean {
    const { rights } = this.#access;
    if (rights === undefined) return true;
    return objects.every((_, i) =>
      rights.sees([{ id: rights.account }, ...objects.slice(0, i + 1)]),
    );
  }
}

interface Asked {
  readonly limit: number;
  readonly after?: string;
}

function parentOf({
  entityType,
  parentId,
  catalogId,
}: Summary): { readonly type: WalkedType; readonly id: string } | undefined {
  if (entityType === "catalog" || parentId === undefined) return undefined;
  const isTop = entityType === "namespace" && parentId === catalogId;
  return { type: isTop ? "catalog" : "namespace", id: parentId };
}
