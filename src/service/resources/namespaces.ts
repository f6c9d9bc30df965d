import type { AccountCatalog } from "../../catalog/catalog.ts";
import { namespaceNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Namespace } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { IcebergNamespaces } from "../iceberg-namespaces.ts";
import type { JobInfo, JobsAdmin } from "../jobs-admin.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import { LOCATION, type TableLocations } from "../table-locations.ts";
import type { UpdateRequest } from "./catalogs.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { masked, patched } from "./patch.ts";
import {
  type CatalogPlace,
  expecting,
  type NamespacePlace,
  type Precondition,
  type Resource,
} from "./resource.ts";

export interface NamespaceResourceParts {
  readonly catalog: AccountCatalog;
  readonly iceberg: IcebergNamespaces;
  readonly places: TableLocations;
  readonly jobs: Pick<JobsAdmin, "begun">;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
}

/** The namespaces of the account, as the native API has them. */
export class NamespaceResources {
  readonly #parts: NamespaceResourceParts;

  constructor(parts: NamespaceResourceParts) {
    this.#parts = parts;
  }

  /** The children of a path, or of the catalog for an empty one. */
  async list(
    actor: Actor,
    place: CatalogPlace,
    path: readonly string[],
    page: PageAsked,
  ): Promise<TokenPage<Listed>> {
    const { catalog, tokens, names } = this.#parts;
    const { ref } = await names.catalog(place);
    return tokenPage(tokens, actor, ["namespaces", ref, path], page, (asked) =>
      catalog.namespaces.page({ catalog: ref, path }, asked),
    );
  }

  /** @throws FirnError as the Iceberg operation. */
  async create(
    actor: Actor,
    place: CatalogPlace,
    path: readonly string[],
    properties: Properties,
  ): Promise<Resource<Namespace>> {
    const { iceberg, names } = this.#parts;
    const { ref } = await names.catalog(place);
    const { made } = await iceberg.make(actor, { catalog: ref, namespace: path }, properties);
    return shown(ref, made);
  }

  /** @throws FirnError `CATALOG_NOT_FOUND`, `NAMESPACE_NOT_FOUND`. */
  async get(_actor: Actor, place: NamespacePlace): Promise<Resource<Namespace>> {
    const { ref, id } = await this.#parts.names.namespace(place);
    const stored = await this.#parts.catalog.namespaces.get(ref);
    expecting<Namespace>({}, id, () => namespaceNotFound(ref.path))(stored);
    return shown(ref.catalog, revisedOf(stored));
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `UPDATE_MASK_INVALID`, `LOCATION_*`. */
  async update(
    actor: Actor,
    place: NamespacePlace,
    { patch, mask, ...precondition }: UpdateRequest,
  ): Promise<Resource<Namespace>> {
    const { catalog, names, reserved, places } = this.#parts;
    const { ref, id } = await names.namespace(place);
    const asked = masked(patch, mask);
    const location = asked.properties?.[LOCATION];
    if (location) {
      const around = await places.of(ref.catalog, ref.path);
      await places.assertNamespaceMayBe(around, { [LOCATION]: location });
    }
    const expect = expecting<Namespace>(precondition, id, () => namespaceNotFound(ref.path));
    const done = await catalog.namespaces.revise(actor, ref, (stored) => {
      expect(stored);
      const next = patched(stored.entity, asked);
      reserved.assertUnsetBetween(next?.properties, stored.entity.properties);
      return next;
    });
    return shown(ref.catalog, done);
  }

  /** @throws FirnError as `Namespaces.rename`; `PRECONDITION_FAILED`. */
  async rename(
    actor: Actor,
    place: NamespacePlace,
    to: readonly string[],
    precondition: Precondition = {},
  ): Promise<Resource<Namespace>> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.namespace(place);
    const expect = expecting<Namespace>(precondition, id, () => namespaceNotFound(ref.path));
    return shown(ref.catalog, await catalog.namespaces.rename(actor, ref, to, expect));
  }

  /** @throws FirnError as `get`; `NAMESPACE_NOT_EMPTY`, `PROTECTED`, `PRECONDITION_FAILED`. */
  async drop(actor: Actor, place: NamespacePlace, precondition: Precondition = {}): Promise<void> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.namespace(place);
    const expect = expecting<Namespace>(precondition, id, () => namespaceNotFound(ref.path));
    await catalog.namespaces.drop(actor, ref, expect);
  }

  /**
   * Drops a namespace with all that is in it, by a job: from now on its name answers `NotFound`.
   *
   * @throws FirnError as `get`; `PROTECTED`, `PRECONDITION_FAILED`.
   */
  async dropAll(
    actor: Actor,
    place: NamespacePlace,
    precondition: Precondition = {},
  ): Promise<JobInfo> {
    const { catalog, jobs, names } = this.#parts;
    const { ref, id } = await names.namespace(place);
    const expect = expecting<Namespace>(precondition, id, () => namespaceNotFound(ref.path));
    const find = () => catalog.namespaces.get(ref);
    return jobs.begun(actor, await catalog.deletes.begin(actor, "namespace", find, expect));
  }
}

function shown(catalog: string, revised: RevisedEntity<Namespace>): Resource<Namespace> {
  return { ...revised, above: { catalog } };
}
