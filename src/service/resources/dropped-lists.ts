import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { DroppedScope } from "../../catalog/dropped.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Relation } from "../../catalog/model.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import type { CatalogPlace, NamespacePlace } from "./resource.ts";

export interface DroppedListParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
}

/** What was dropped out of one place that is still there, as the lists of the place have it. */
export class DroppedLists {
  readonly #parts: DroppedListParts;

  constructor(parts: DroppedListParts) {
    this.#parts = parts;
  }

  async catalogs(actor: Actor, page: PageAsked): Promise<TokenPage<Listed>> {
    return this.#page(actor, { type: "catalog" }, page);
  }

  /** Of a catalog, or of a namespace where `path` names one. @throws FirnError `NotFound` of it. */
  async namespaces(
    actor: Actor,
    place: CatalogPlace,
    path: readonly string[],
    page: PageAsked,
  ): Promise<TokenPage<Listed>> {
    const { catalog, names } = this.#parts;
    const { ref } = await names.catalog(place);
    const parent =
      path.length === 0
        ? await catalog.catalogs.get(ref)
        : await catalog.namespaces.get({ catalog: ref, path });
    return this.#page(actor, { type: "namespace", parentId: parent.entity.id }, page);
  }

  /** @throws FirnError `NotFound` of the namespace. */
  async relations(
    actor: Actor,
    type: Relation["type"],
    place: NamespacePlace,
    page: PageAsked,
  ): Promise<TokenPage<Listed>> {
    const { catalog, names } = this.#parts;
    const { ref } = await names.namespace(place);
    const { entity } = await catalog.namespaces.get(ref);
    return this.#page(actor, { type, parentId: entity.id }, page);
  }

  #page(actor: Actor, scope: DroppedScope, page: PageAsked): Promise<TokenPage<Listed>> {
    const { catalog, tokens } = this.#parts;
    const list = ["dropped", scope.type, scope.parentId ?? ""];
    return tokenPage(tokens, actor, list, page, (asked) => catalog.dropped.page(scope, asked));
  }
}
