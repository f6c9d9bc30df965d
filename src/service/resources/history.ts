import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { EntityVersion, Moment } from "../../catalog/history.ts";
import type { EntityType, Table, View } from "../../catalog/model.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { CatalogResources } from "./catalogs.ts";
import type { ConnectorResources } from "./connectors.ts";
import type { NamespaceResources } from "./namespaces.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import type { RelationResources } from "./relations.ts";
import {
  type Above,
  type CatalogPlace,
  type ConnectorPlace,
  type NamespacePlace,
  type RelationPlace,
  type Resource,
  resourceOf,
} from "./resource.ts";

/** A resource of any kind. */
export type AnyPlace =
  | ({ readonly type: "catalog" } & CatalogPlace)
  | ({ readonly type: "connector" } & ConnectorPlace)
  | ({ readonly type: "namespace" } & NamespacePlace)
  | ({ readonly type: "table" | "view" } & RelationPlace);

/** A version, and the change that made it; that is absent past the retention. */
export interface ResourceVersion {
  readonly resource: Resource;
  readonly requestId: string;
  readonly change: { readonly id: string; readonly operation: string } | undefined;
}

interface Finders {
  readonly catalogs: CatalogResources;
  readonly connectors: ConnectorResources;
  readonly namespaces: NamespaceResources;
  readonly tables: RelationResources<Table>;
  readonly views: RelationResources<View>;
}

/** What resources were: within the history retention. Their names above are those of now. */
export class ResourceHistory {
  readonly #catalog: AccountCatalog;
  readonly #find: Finders;
  readonly #tokens: PageTokens;

  constructor(catalog: AccountCatalog, find: Finders, tokens: PageTokens) {
    this.#catalog = catalog;
    this.#find = find;
    this.#tokens = tokens;
  }

  /**
   * Newest first. Each costs one read, and one list for each of 16 shards.
   *
   * @throws FirnError `NotFound` of the resource; `PAGE_TOKEN_INVALID`; `HISTORY_GONE`.
   */
  async versions(
    actor: Actor,
    place: AnyPlace,
    page: PageAsked,
  ): Promise<TokenPage<ResourceVersion>> {
    const { type, id, above } = await this.#found(actor, place);
    return tokenPage(this.#tokens, actor, ["versions", type, id], page, async (asked) => {
      const { limit = 1, after } = asked;
      const items: ResourceVersion[] = [];
      for await (const version of this.#catalog.history.versions(type, id)) {
        if (after !== undefined && version.version >= BigInt(after)) continue;
        if (items.length === limit) {
          return { items, next: String(items.at(-1)?.resource.version ?? 0n) };
        }
        items.push(versionOf(version, above));
      }
      return { items };
    });
  }

  /** @throws FirnError `NotFound` of the resource; `VERSION_NOT_FOUND`, `HISTORY_GONE`. */
  async at(actor: Actor, place: AnyPlace, moment: Moment): Promise<Resource> {
    const { type, id, above } = await this.#found(actor, place);
    return resourceOf(await this.#catalog.history.at(type, id, moment), above);
  }

  /** A resource as it is. */
  async current(actor: Actor, place: AnyPlace): Promise<Resource> {
    const { catalogs, connectors, namespaces, tables, views } = this.#find;
    switch (place.type) {
      case "catalog":
        return catalogs.get(actor, place);
      case "connector":
        return connectors.get(actor, place);
      case "namespace":
        return namespaces.get(actor, place);
      case "table":
        return tables.get(actor, place);
      case "view":
        return views.get(actor, place);
    }
  }

  async #found(
    actor: Actor,
    place: AnyPlace,
  ): Promise<{ readonly type: EntityType; readonly id: string; readonly above: Above }> {
    const { entity, above } = await this.current(actor, place);
    return { type: entity.type, id: entity.id, above };
  }
}

function versionOf(version: EntityVersion, above: Above): ResourceVersion {
  const { requestId } = version.envelope;
  return { resource: resourceOf(version, above), requestId, change: version.change };
}
