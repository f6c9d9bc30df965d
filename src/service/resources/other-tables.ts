import type { TableUuid } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { namespaceNotFound } from "../../catalog/errors.ts";
import type { Table, TableFormat } from "../../catalog/model.ts";
import type { RelationDraft, RelationRef } from "../../catalog/relations.ts";
import type { Actor } from "../actor.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { TableLocations } from "../table-locations.ts";
import type { ResourceNames } from "./names.ts";
import type { NamespacePlace, Resource } from "./resource.ts";
import { contentOf, type GivenContent } from "./table-content.ts";

/** Formats of tables that Firn keeps no data of and reads no metadata of. */
export type OtherFormat = Extract<TableFormat, "DELTA" | "HUDI" | "OTHER">;

export interface NewTable extends GivenContent {
  readonly name: string;
  readonly format: OtherFormat;
  /** Absent: a directory below its namespace's. */
  readonly location?: string | undefined;
  readonly description?: string | undefined;
  readonly properties?: Properties | undefined;
}

export interface OtherTableParts {
  readonly catalog: AccountCatalog;
  readonly names: ResourceNames;
  readonly places: TableLocations;
  readonly reserved: ReservedProperties;
}

/** Registers tables of other formats than Iceberg. */
export class OtherTables {
  readonly #parts: OtherTableParts;

  constructor(parts: OtherTableParts) {
    this.#parts = parts;
  }

  /**
   * Registers a table that lies somewhere within the catalog's roots: no file is read or written.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`, `VIEW_ALREADY_EXISTS`,
   * `LOCATION_NOT_ALLOWED`, `LOCATION_TAKEN`, `LOCATION_OVERLAPS`, `COLUMNS_INVALID`,
   * `PROPERTY_SECRET`.
   */
  async create(actor: Actor, place: NamespacePlace, request: NewTable): Promise<Resource<Table>> {
    const { catalog, names, reserved } = this.#parts;
    const { name, format, description = "", properties = {} } = request;
    reserved.assertUnset(new Map(Object.entries(properties)));
    const content = { format, description, properties, ...contentOf(request) };
    const { ref, id } = await names.namespace(place);
    const table = { ...ref, name };
    const made = await catalog.tables.create(actor, "create-table", table, async () => {
      const draft = await this.#draft(table, request.location);
      if (id !== undefined) await this.#assertStill(ref, id);
      return { ...draft, content };
    });
    return { ...made, above: { catalog: ref.catalog, namespace: ref.path } };
  }

  async #draft(ref: RelationRef, given: string | undefined): Promise<RelationDraft<Table>> {
    const places = await this.#parts.places.of(ref.catalog, ref.path);
    if (given === undefined) {
      const uuid = this.#parts.catalog.context.ids.mint<TableUuid>();
      const location = places.defaultFor(ref.path, ref.name, uuid);
      return { location, fresh: true, ...places.surroundings(location, true) };
    }
    const location = places.allowed(given);
    await this.#parts.places.assertApart(places, ref.path, location);
    const apart = () => this.#parts.places.assertNoHome(places, location);
    return { location, apart, ...places.surroundings(location) };
  }

  /** A namespace that was named by its id may be another's name by now. */
  async #assertStill(ref: Omit<RelationRef, "name">, id: string): Promise<void> {
    const { entity } = await this.#parts.catalog.namespaces.get(ref);
    if (entity.id !== id) throw namespaceNotFound(ref.path);
  }
}
