import type { Locations } from "../../blob/locations.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { catalogNotFound } from "../../catalog/errors.ts";
import type { Listed } from "../../catalog/listed.ts";
import type { Catalog } from "../../catalog/model.ts";
import { type RevisedEntity, revisedOf } from "../../catalog/revised-entity.ts";
import type { Actor } from "../actor.ts";
import type { JobInfo, JobsAdmin } from "../jobs-admin.ts";
import type { PageTokens } from "../page-token.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { ResourceNames } from "./names.ts";
import { type PageAsked, type TokenPage, tokenPage } from "./pages.ts";
import { masked, type Patch, patched } from "./patch.ts";
import { type CatalogPlace, expecting, type Precondition, type Resource } from "./resource.ts";

export interface NewCatalogResource {
  readonly name: string;
  /** Absent: a folder of the node's warehouse. */
  readonly defaultLocation?: string | undefined;
  readonly allowedLocations?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Properties | undefined;
}

/** The new content of a resource, and which version it replaces. */
export interface UpdateRequest extends Precondition {
  readonly patch: Patch;
  readonly mask?: readonly string[] | undefined;
}

export interface CatalogResourceParts {
  readonly catalog: AccountCatalog;
  readonly locations: Locations;
  readonly jobs: Pick<JobsAdmin, "begun">;
  readonly names: ResourceNames;
  readonly tokens: PageTokens;
  readonly reserved: ReservedProperties;
  readonly warehouse: string;
  /** Roots that every new catalog may use. */
  readonly allowed: readonly string[];
}

/** The catalogs of the account, as the native API has them. */
export class CatalogResources {
  readonly #parts: CatalogResourceParts;

  constructor(parts: CatalogResourceParts) {
    this.#parts = parts;
  }

  async list(actor: Actor, page: PageAsked): Promise<TokenPage<Listed>> {
    const { catalog, tokens } = this.#parts;
    return tokenPage(tokens, actor, ["catalogs"], page, (asked) => catalog.catalogs.page(asked));
  }

  /**
   * Creates a catalog whose locations lie within roots that this node allows already: a request
   * must not open the rest of a disk or another bucket.
   *
   * @throws FirnError `CATALOG_ALREADY_EXISTS`, `NAME_INVALID`, `LOCATION_INVALID`,
   * `LOCATION_NOT_ALLOWED`, `LOCATION_UNSUPPORTED`, `PROPERTIES_INVALID`, `PROPERTY_RESERVED`.
   */
  async create(actor: Actor, request: NewCatalogResource): Promise<Resource<Catalog>> {
    const { catalog, locations, reserved, warehouse, allowed } = this.#parts;
    const { name, description, properties = {} } = request;
    reserved.assertUnset(new Map(Object.entries(properties)));
    const given = request.defaultLocation;
    const defaultLocation =
      given === undefined
        ? locations.normalize(`${warehouse}/${encodeURIComponent(name)}`)
        : await locations.allowed(given);
    const further = await Promise.all(
      (request.allowedLocations ?? []).map((root) => locations.allowed(root)),
    );
    const allowedLocations = [...new Set([...allowed, ...further])];
    await catalog.storageProfiles.assertFree([defaultLocation, ...allowedLocations]);
    const made = await catalog.catalogs.create(actor, {
      name,
      defaultLocation,
      allowedLocations,
      properties,
      ...(description !== undefined && { description }),
    });
    if (actor.dryRun !== true) locations.addRoot(made.entity.defaultLocation);
    return shown(made);
  }

  /** @throws FirnError `CATALOG_NOT_FOUND`. */
  async get(_actor: Actor, place: CatalogPlace): Promise<Resource<Catalog>> {
    const { ref, id } = await this.#parts.names.catalog(place);
    const stored = await this.#parts.catalog.catalogs.get(ref);
    expecting<Catalog>({}, id, () => catalogNotFound(ref))(stored);
    return shown(revisedOf(stored));
  }

  /** @throws FirnError as `get`; `PRECONDITION_FAILED`, `UPDATE_MASK_INVALID`. */
  async update(
    actor: Actor,
    place: CatalogPlace,
    { patch, mask, ...precondition }: UpdateRequest,
  ): Promise<Resource<Catalog>> {
    const { catalog, names, reserved } = this.#parts;
    const { ref, id } = await names.catalog(place);
    const asked = masked(patch, mask);
    const expect = expecting<Catalog>(precondition, id, () => catalogNotFound(ref));
    const done = await catalog.catalogs.revise(actor, ref, (stored) => {
      expect(stored);
      const next = patched(stored.entity, asked);
      reserved.assertUnsetBetween(next?.properties, stored.entity.properties);
      return next;
    });
    return shown(done);
  }

  /** @throws FirnError as `get`; `CATALOG_ALREADY_EXISTS`, `PRECONDITION_FAILED`. */
  async rename(
    actor: Actor,
    place: CatalogPlace,
    name: string,
    precondition: Precondition = {},
  ): Promise<Resource<Catalog>> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.catalog(place);
    const expect = expecting<Catalog>(precondition, id, () => catalogNotFound(ref));
    return shown(await catalog.catalogs.rename(actor, ref, name, expect));
  }

  /** @throws FirnError as `get`; `CATALOG_NOT_EMPTY`, `PROTECTED`, `PRECONDITION_FAILED`. */
  async drop(actor: Actor, place: CatalogPlace, precondition: Precondition = {}): Promise<void> {
    const { catalog, names } = this.#parts;
    const { ref, id } = await names.catalog(place);
    const expect = expecting<Catalog>(precondition, id, () => catalogNotFound(ref));
    await catalog.catalogs.drop(actor, ref, expect);
  }

  /**
   * Drops a catalog with all that is in it, by a job: from now on its name answers `NotFound`.
   *
   * @throws FirnError as `get`; `PROTECTED`, `PRECONDITION_FAILED`.
   */
  async dropAll(
    actor: Actor,
    place: CatalogPlace,
    precondition: Precondition = {},
  ): Promise<JobInfo> {
    const { catalog, jobs, names } = this.#parts;
    const { ref, id } = await names.catalog(place);
    const expect = expecting<Catalog>(precondition, id, () => catalogNotFound(ref));
    const find = () => catalog.catalogs.get(ref);
    return jobs.begun(actor, await catalog.deletes.begin(actor, "catalog", find, expect));
  }
}

function shown(revised: RevisedEntity<Catalog>): Resource<Catalog> {
  return { ...revised, above: {} };
}
