import { invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Page as CatalogPage, PageRequest as CatalogPageRequest } from "../catalog/pages.ts";
import type { PageTokens } from "./page-token.ts";
import type {
  NamespaceInfo,
  NamespaceRef,
  Page,
  PageRequest,
  Properties,
  PropertiesUpdate,
  PropertiesUpdated,
  RequestContext,
} from "./requests.ts";

/** A list's query as tokens are bound to it: no list's token opens another's. */
function queryOf(kind: string, account: string, catalog: string, path: readonly string[]): string {
  return JSON.stringify([kind, account, catalog, path]);
}

/** Pages by signed tokens over pages by leaf. */
export async function pageOf<T>(
  tokens: PageTokens,
  query: string,
  request: PageRequest,
  list: (page: CatalogPageRequest) => Promise<CatalogPage<T>>,
): Promise<Page<T>> {
  const { pageToken, pageSize } = request;
  if (pageToken === undefined) return { items: (await list({})).items, nextPageToken: null };
  const limit = Math.min(pageSize ?? LIMITS.pageSizeDefault, LIMITS.pageSize);
  const after = pageToken === "" ? undefined : tokens.open(query, pageToken);
  const { items, next } = await list({ limit, after });
  return { items, nextPageToken: next === undefined ? null : tokens.seal(query, next) };
}

/** The namespace operations of the Iceberg REST protocol. */
export class IcebergNamespaces {
  readonly #catalog: AccountCatalog;
  readonly #tokens: PageTokens;

  constructor(catalog: AccountCatalog, tokens: PageTokens) {
    this.#catalog = catalog;
    this.#tokens = tokens;
  }

  async list(
    catalog: string,
    parent: readonly string[],
    page: PageRequest,
  ): Promise<Page<readonly string[]>> {
    const query = queryOf("namespaces", this.#catalog.context.account, catalog, parent);
    return pageOf(this.#tokens, query, page, (request) =>
      this.#catalog.namespaces.list({ catalog, path: parent }, request),
    );
  }

  listTables(ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#listNames("tables", ref, page);
  }

  listViews(ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#listNames("views", ref, page);
  }

  async #listNames(
    kind: "tables" | "views",
    { catalog, namespace }: NamespaceRef,
    page: PageRequest,
  ): Promise<Page<string>> {
    const query = queryOf(kind, this.#catalog.context.account, catalog, namespace);
    return pageOf(this.#tokens, query, page, (request) =>
      this.#catalog[kind].list({ catalog, path: namespace }, request),
    );
  }

  async create(
    ctx: RequestContext,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<NamespaceInfo> {
    const where = { catalog: ref.catalog, path: ref.namespace };
    const { entity } = await this.#catalog.namespaces.create(ctx, where, properties);
    return { namespace: entity.path, properties: entity.properties };
  }

  async load(ref: NamespaceRef): Promise<NamespaceInfo> {
    const where = { catalog: ref.catalog, path: ref.namespace };
    const { entity } = await this.#catalog.namespaces.get(where);
    return { namespace: entity.path, properties: entity.properties };
  }

  async drop(ctx: RequestContext, ref: NamespaceRef): Promise<void> {
    await this.#catalog.namespaces.drop(ctx, { catalog: ref.catalog, path: ref.namespace });
  }

  /** @throws CatalogError `Invalid` `PROPERTIES_OVERLAP`: a key in both lists. */
  async update(
    ctx: RequestContext,
    ref: NamespaceRef,
    { removals, updates }: PropertiesUpdate,
  ): Promise<PropertiesUpdated> {
    const both = removals.filter((key) => Object.hasOwn(updates, key));
    if (both.length > 0) {
      throw invalid("PROPERTIES_OVERLAP", "keys both updated and removed", {
        keys: both.slice(0, 10).join(", "),
      });
    }
    const wanted = [...new Set(removals)];
    const where = { catalog: ref.catalog, path: ref.namespace };
    const detail = await this.#catalog.namespaces.update(ctx, where, ({ properties }) => {
      const removed = wanted.filter((key) => Object.hasOwn(properties, key));
      const gone = new Set(removed);
      const kept = Object.entries(properties).filter(([key]) => !gone.has(key));
      const next = { ...Object.fromEntries(kept), ...updates };
      const changed = sameProperties(properties, next) ? undefined : next;
      return { properties: changed, detail: JSON.stringify(removed) };
    });
    // A receipt that had no room for the list is of a request that removed all it could.
    const removed = detail === undefined ? wanted : (JSON.parse(detail) as string[]);
    const found = new Set(removed);
    const missing = wanted.filter((key) => !found.has(key));
    return { updated: Object.keys(updates), removed, missing };
  }
}

function sameProperties(a: Properties, b: Properties): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
