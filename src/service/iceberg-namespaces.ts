import { invalid } from "../base/error.ts";
import { LIMITS } from "../base/limits.ts";
import { settleAll } from "../base/settle-all.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import type { Namespace } from "../catalog/model.ts";
import type { Page as CatalogPage, PageRequest as CatalogPageRequest } from "../catalog/pages.ts";
import type { RevisedEntity } from "../catalog/revised-entity.ts";
import type { Actor } from "./actor.ts";
import { afterCommit } from "./commit-files.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { PageTokens } from "./page-token.ts";
import {
  type CatalogConfig,
  DEFAULT_CATALOG,
  type NamespaceInfo,
  type NamespaceOperations,
  type NamespaceRef,
  type Page,
  type PageRequest,
  type Properties,
  type PropertiesUpdate,
  type PropertiesUpdated,
} from "./requests.ts";
import { type ReservedProperties, TABLE_PREFIXES } from "./reserved-properties.ts";
import { type CatalogPlaces, LOCATION, type TableLocations } from "./table-locations.ts";

/** A list's query as tokens are bound to it: no list's or principal's token opens another's. */
function queryOf(
  kind: string,
  { account, principal }: Actor,
  catalog: string,
  path: readonly string[],
): string {
  return JSON.stringify([kind, account, principal, catalog, path]);
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
  const limit = Math.min(pageSize ?? SERVICE_LIMITS.pageSizeDefault, LIMITS.pageSize);
  const after = pageToken === "" ? undefined : tokens.open(query, pageToken);
  const { items, next } = await list({ limit, after });
  return { items, nextPageToken: next === undefined ? null : tokens.seal(query, next) };
}

/** The namespace operations of the Iceberg REST protocol. */
export class IcebergNamespaces implements NamespaceOperations {
  readonly #catalog: AccountCatalog;
  readonly #places: TableLocations;
  readonly #tokens: PageTokens;
  readonly #reserved: ReservedProperties;

  constructor(
    catalog: AccountCatalog,
    places: TableLocations,
    tokens: PageTokens,
    reserved: ReservedProperties,
  ) {
    this.#catalog = catalog;
    this.#reserved = reserved;
    this.#places = places;
    this.#tokens = tokens;
  }

  async config(_actor: Actor, warehouse: string | undefined): Promise<CatalogConfig> {
    const { entity } = await this.#catalog.catalogs.get(warehouse || DEFAULT_CATALOG);
    const [defaults, overrides] = TABLE_PREFIXES.map((prefix) =>
      Object.fromEntries(
        Object.entries(entity.properties).filter(([key]) => key.startsWith(prefix)),
      ),
    );
    return { catalog: entity.name, defaults: defaults ?? {}, overrides: overrides ?? {} };
  }

  async listNamespaces(
    actor: Actor,
    catalog: string,
    parent: readonly string[],
    page: PageRequest,
  ): Promise<Page<readonly string[]>> {
    const query = queryOf("namespaces", actor, catalog, parent);
    return pageOf(this.#tokens, query, page, (request) =>
      this.#catalog.namespaces.list({ catalog, path: parent }, request),
    );
  }

  listTables(actor: Actor, ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#listNames(actor, "tables", ref, page);
  }

  listViews(actor: Actor, ref: NamespaceRef, page: PageRequest): Promise<Page<string>> {
    return this.#listNames(actor, "views", ref, page);
  }

  async #listNames(
    actor: Actor,
    kind: "tables" | "views",
    { catalog, namespace }: NamespaceRef,
    page: PageRequest,
  ): Promise<Page<string>> {
    const query = queryOf(kind, actor, catalog, namespace);
    const { tables, views } = this.#catalog;
    const ref = { catalog, path: namespace };
    return pageOf(this.#tokens, query, page, (request) =>
      kind === "tables" ? tables.listIceberg(ref, request) : views.list(ref, request),
    );
  }

  async createNamespace(
    actor: Actor,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<NamespaceInfo> {
    const { made, places } = await this.make(actor, ref, properties);
    return { namespace: made.entity.path, properties: places.propertiesOf(made.entity) };
  }

  /** A new namespace, with the places above it. */
  async make(
    actor: Actor,
    ref: NamespaceRef,
    properties: Properties,
  ): Promise<{ readonly made: RevisedEntity<Namespace>; readonly places: CatalogPlaces }> {
    this.#reserved.assertUnset(mapOf(properties));
    const where = { catalog: ref.catalog, path: ref.namespace };
    if (properties[LOCATION]) {
      await this.#places.assertNamespaceMayBe(await this.#placesAbove(ref), properties);
    }
    const creating = this.#catalog.namespaces.create(actor, where, properties);
    // Its error is told only where the namespace is made.
    const [made, places] = await settleAll([creating, afterCommit(this.#placesAbove(ref))]);
    if (actor.dryRun === true) return { made, places };
    return { made: await afterCommit(this.#housed(actor, ref, made, places)), places };
  }

  /** A new namespace whose default location is a table's is given another one. */
  async #housed(
    { requestId, principal }: Actor,
    { catalog, namespace: path }: NamespaceRef,
    made: RevisedEntity<Namespace>,
    places: CatalogPlaces,
  ): Promise<RevisedEntity<Namespace>> {
    const { entity } = made;
    if (entity.properties[LOCATION]) return made;
    const home = await this.#places.otherHome(places, entity);
    if (home === undefined) return made;
    const actor = { requestId, principal };
    return this.#catalog.namespaces.revise(actor, { catalog, path }, ({ entity: current }) =>
      current.properties[LOCATION]
        ? undefined
        : { ...current, properties: { ...current.properties, [LOCATION]: home } },
    );
  }

  async loadNamespace(_actor: Actor, ref: NamespaceRef): Promise<NamespaceInfo> {
    const where = { catalog: ref.catalog, path: ref.namespace };
    const found = this.#catalog.namespaces.get(where);
    const [{ entity }, places] = await settleAll([found, this.#placesAbove(ref)]);
    return { namespace: entity.path, properties: places.propertiesOf(entity) };
  }

  async namespaceExists(_actor: Actor, ref: NamespaceRef): Promise<void> {
    await this.#catalog.namespaces.exists({ catalog: ref.catalog, path: ref.namespace });
  }

  /** Read beside the namespace itself: warm, the same batch read. */
  #placesAbove({ catalog, namespace }: NamespaceRef): Promise<CatalogPlaces> {
    return this.#places.of(catalog, namespace.slice(0, -1));
  }

  async dropNamespace(actor: Actor, ref: NamespaceRef): Promise<void> {
    await this.#catalog.namespaces.drop(actor, { catalog: ref.catalog, path: ref.namespace });
  }

  /**
   * @throws FirnError `Invalid` `PROPERTIES_OVERLAP`: a key in both lists; `PROPERTY_RESERVED`.
   */
  async updateNamespace(
    actor: Actor,
    ref: NamespaceRef,
    { removals, updates }: PropertiesUpdate,
  ): Promise<PropertiesUpdated> {
    const both = removals.filter((key) => Object.hasOwn(updates, key));
    if (both.length > 0) {
      throw invalid("PROPERTIES_OVERLAP", "properties both updated and removed", {
        keys: both.slice(0, 10).join(", "),
      });
    }
    if (updates[LOCATION]) {
      const places = await this.#places.of(ref.catalog, ref.namespace);
      await this.#places.assertNamespaceMayBe(places, updates);
    }
    const wanted = [...new Set(removals)];
    const where = { catalog: ref.catalog, path: ref.namespace };
    const detail = await this.#catalog.namespaces.update(actor, where, ({ properties }) => {
      const removed = wanted.filter((key) => Object.hasOwn(properties, key));
      const gone = new Set(removed);
      const kept = Object.entries(properties).filter(([key]) => !gone.has(key));
      const next = { ...Object.fromEntries(kept), ...updates };
      this.#reserved.assertUnset(mapOf(next), mapOf(properties));
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

function mapOf(properties: Properties): ReadonlyMap<string, string> {
  return new Map(Object.entries(properties));
}

function sameProperties(a: Properties, b: Properties): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
