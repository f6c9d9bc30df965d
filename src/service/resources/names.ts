import { FirnError } from "../../base/error.ts";
import { type AnyId, parseId } from "../../base/ids.ts";
import { entityById } from "../../catalog/by-id.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Entity } from "../../catalog/model.ts";
import { nameAccess } from "../../catalog/name-access.ts";
import type { NamespaceRef } from "../../catalog/namespaces.ts";
import type { RelationRef } from "../../catalog/relations.ts";
import type { NeededPlace } from "../access/request-access.ts";
import type { FoundName } from "./found-name.ts";
import { KnownIds } from "./known-ids.ts";
import type {
  CatalogPlace,
  ConnectorPlace,
  NamespacePlace,
  RelationPlace,
  StorageProfilePlace,
} from "./resource.ts";

/** A reference by names, and the id that it has to lead to where it was made of an id. */
export interface Pinned<Ref> {
  readonly ref: Ref;
  readonly id: string | undefined;
}

const CODES = {
  catalog: "CATALOG_NOT_FOUND",
  namespace: "NAMESPACE_NOT_FOUND",
  table: "TABLE_NOT_FOUND",
  view: "VIEW_NOT_FOUND",
  connector: "CONNECTOR_NOT_FOUND",
  storageProfile: "STORAGE_PROFILE_NOT_FOUND",
} as const;

type Kind = keyof typeof CODES;

function within({ catalog, path }: NamespaceRef): Pick<FoundName, "catalog" | "namespace"> {
  return { catalog, namespace: path };
}

/** The reference of a namespace that is told by names alone: nothing is to be waited for. */
function namedRef({ catalog, namespace }: NamespacePlace): NamespaceRef | undefined {
  if (!("name" in catalog) || !("path" in namespace)) return undefined;
  return { catalog: catalog.name, path: namespace.path };
}

/** Nothing of a kind has an id, or what has it lies elsewhere. */
export function noSuchId(kind: Kind, id: string): FirnError {
  return new FirnError("NotFound", CODES[kind], `${kind} not found`, { id });
}

/**
 * Turns ids into names. A name is what every operation begins with; it is looked up once, and what
 * it then leads to has to have the id, so that a rename between the two is seen.
 */
export class ResourceNames {
  readonly #catalog: AccountCatalog;
  readonly #known: KnownIds;

  constructor(catalog: AccountCatalog) {
    this.#catalog = catalog;
    this.#known = new KnownIds(catalog.context);
  }

  /** @throws FirnError `CATALOG_NOT_FOUND`, `ID_INVALID`. No request for a name, one for an id. */
  async catalog({ catalog }: CatalogPlace): Promise<Pinned<string>> {
    if ("name" in catalog) return { ref: catalog.name, id: undefined };
    const { entity } = await this.#byId("catalog", catalog.id);
    return { ref: entity.name, id: entity.id };
  }

  /** @throws FirnError `CONNECTOR_NOT_FOUND`, `ID_INVALID`. */
  async connector({ connector }: ConnectorPlace): Promise<Pinned<string>> {
    if ("name" in connector) return { ref: connector.name, id: undefined };
    const { entity } = await this.#byId("connector", connector.id);
    return { ref: entity.name, id: entity.id };
  }

  /** @throws FirnError `STORAGE_PROFILE_NOT_FOUND`, `ID_INVALID`. */
  async storageProfile({ profile }: StorageProfilePlace): Promise<Pinned<string>> {
    if ("name" in profile) return { ref: profile.name, id: undefined };
    const { entity } = await this.#byId("storageProfile", profile.id);
    return { ref: entity.name, id: entity.id };
  }

  /** @throws FirnError as `catalog`, `NAMESPACE_NOT_FOUND`. */
  async namespace(place: NamespacePlace): Promise<Pinned<NamespaceRef>> {
    const named = namedRef(place);
    if (named !== undefined) return { ref: named, id: undefined };
    const { ref: catalog, id: catalogId } = await this.catalog(place);
    const { namespace } = place;
    if ("path" in namespace) return { ref: { catalog, path: namespace.path }, id: undefined };
    // First what lies above: where that is not there, an id is not looked at.
    const within = catalogId ?? (await this.#catalog.catalogs.get(catalog)).entity.id;
    const { entity } = await this.#byId("namespace", namespace.id);
    if (entity.type !== "namespace" || entity.catalogId !== within) {
      throw noSuchId("namespace", namespace.id);
    }
    return { ref: { catalog, path: entity.path }, id: entity.id };
  }

  /** @throws FirnError as `namespace`, `TABLE_NOT_FOUND`, `VIEW_NOT_FOUND`. */
  async relation(type: "table" | "view", place: RelationPlace): Promise<Pinned<RelationRef>> {
    const { relation } = place;
    if ("name" in relation) {
      const ref = namedRef(place) ?? (await this.namespace(place)).ref;
      return { ref: { ...ref, name: relation.name }, id: undefined };
    }
    const { ref, id } = await this.namespace(place);
    const within = id ?? (await this.#catalog.namespaces.get(ref)).entity.id;
    const { entity } = await this.#byId(type, relation.id);
    if (entity.type !== type || entity.namespaceId !== within) throw noSuchId(type, relation.id);
    return { ref: { ...ref, name: entity.name }, id: entity.id };
  }

  /** Where something lies now; undefined where it is gone, or may not be known. */
  async whereIs(kind: keyof typeof CODES, id: string): Promise<FoundName | undefined> {
    try {
      return await this.#found(kind, id);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "NotFound") return undefined;
      throw error;
    }
  }

  async #found(kind: Kind, id: string): Promise<FoundName | undefined> {
    if (kind === "connector" || kind === "storageProfile") return undefined;
    if (kind === "catalog") {
      return { type: kind, name: (await this.catalog({ catalog: { id } })).ref };
    }
    const { entity } = await this.#byId(kind, id);
    if (entity.type === "namespace") {
      const place = { catalog: { id: entity.catalogId }, namespace: { id } };
      const { ref } = await this.namespace(place);
      return { type: "namespace", name: ref.path.at(-1) ?? "", ...within(ref) };
    }
    if (entity.type !== "table" && entity.type !== "view") return undefined;
    const { entity: above } = await this.#byId("namespace", entity.namespaceId);
    if (above.type !== "namespace") return undefined;
    const { ref } = await this.relation(entity.type, {
      catalog: { id: above.catalogId },
      namespace: { id: above.id },
      relation: { id },
    });
    return { type: entity.type, name: ref.name, ...within(ref) };
  }

  /** Finds what a request names, so that it is judged: see `name-access.ts`. */
  async look(place: NeededPlace): Promise<void> {
    const { catalogs, namespaces, tables, views } = this.#catalog;
    const { relation, namespace } = place;
    if (namespace === undefined) {
      await catalogs.get((await this.catalog(place)).ref);
      return;
    }
    if (relation === undefined) {
      return namespaces.exists((await this.namespace({ ...place, namespace })).ref);
    }
    const at = { ...place, namespace, relation };
    try {
      await tables.find((await this.relation("table", at)).ref);
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== CODES.table) throw error;
      await views.find((await this.relation("view", at)).ref);
    }
  }

  /** What may not be known is refused as an id of nothing. */
  async #byId<K extends Kind>(kind: K, text: string) {
    const id = parseId<AnyId>(text);
    const access = nameAccess();
    // Both lie in the account, whose privileges were judged.
    const isOfAccount = kind === "connector" || kind === "storageProfile";
    if (access !== undefined && !isOfAccount) {
      if (!(await this.#known.has(access, kind, id))) throw noSuchId(kind, id);
    }
    type Kinds = Exclude<Entity, { type: "account" }>;
    const stored = await entityById<Kinds>(this.#catalog.context, kind, id as Kinds["id"]);
    if (stored === undefined) throw noSuchId(kind, id);
    return stored;
  }
}
