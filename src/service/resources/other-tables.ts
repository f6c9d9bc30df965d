import { FirnError, invalid } from "../../base/error.ts";
import type { TableUuid } from "../../base/ids.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import { namespaceNotFound, relationNotFound } from "../../catalog/errors.ts";
import type { Table, TableFormat } from "../../catalog/model.ts";
import { dotted } from "../../catalog/names.ts";
import type { RelationDraft, RelationRef } from "../../catalog/relations.ts";
import type { Actor } from "../actor.ts";
import type { DeltaLogs, DeltaTable } from "../delta/logs.ts";
import type { Properties } from "../requests.ts";
import type { ReservedProperties } from "../reserved-properties.ts";
import type { TableLocations } from "../table-locations.ts";
import type { ResourceNames } from "./names.ts";
import {
  expecting,
  type NamespacePlace,
  type Precondition,
  type RelationPlace,
  type Resource,
} from "./resource.ts";
import { contentOf, type GivenContent, patchedTable } from "./table-content.ts";

/** Formats of tables whose data and metadata others write. */
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
  readonly logs: Pick<DeltaLogs, "read">;
}

/** Registers tables of other formats than Iceberg. */
export class OtherTables {
  readonly #parts: OtherTableParts;

  constructor(parts: OtherTableParts) {
    this.#parts = parts;
  }

  /**
   * Registers a table that lies somewhere within the catalog's roots. Where the request names no
   * columns of a Delta table, its log says them; no other file is read, and none is written.
   *
   * @throws FirnError `NAMESPACE_NOT_FOUND`, `TABLE_ALREADY_EXISTS`, `VIEW_ALREADY_EXISTS`,
   * `LOCATION_NOT_ALLOWED`, `LOCATION_TAKEN`, `LOCATION_OVERLAPS`, `COLUMNS_INVALID`,
   * `PROPERTY_SECRET`; as `DeltaLogs.read`.
   */
  async create(actor: Actor, place: NamespacePlace, request: NewTable): Promise<Resource<Table>> {
    const { catalog, names, reserved } = this.#parts;
    const { name, format, properties = {} } = request;
    reserved.assertUnset(new Map(Object.entries(properties)));
    const log = await this.#logOf(request);
    const description = request.description ?? log?.description ?? "";
    const content = { format, description, properties, ...contentOf({ ...log, ...request }) };
    const { ref, id } = await names.namespace(place);
    const table = { ...ref, name };
    const made = await catalog.tables.create(actor, "create-table", table, async () => {
      const draft = await this.#draft(table, request.location);
      if (id !== undefined) await this.#assertStill(ref, id);
      return { ...draft, content };
    });
    return { ...made, above: { catalog: ref.catalog, namespace: ref.path } };
  }

  /**
   * Takes over what the log of a Delta table says by now: its columns and partition keys.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `TABLE_NOT_DELTA`, `DELTA_LOG_MISSING`,
   * `PRECONDITION_FAILED`; as `DeltaLogs.read`.
   */
  async refresh(
    actor: Actor,
    place: RelationPlace,
    precondition: Precondition = {},
  ): Promise<Resource<Table>> {
    const { catalog, logs, names } = this.#parts;
    const { ref, id } = await names.relation("table", place);
    const expect = expecting<Table>(precondition, id, () =>
      relationNotFound("table", ref.path, ref.name),
    );
    const { entity: was } = await catalog.tables.get(ref);
    if (was.format !== "DELTA") {
      const table = dotted([...ref.path, ref.name]);
      throw invalid("TABLE_NOT_DELTA", "not a Delta table", { table, format: was.format });
    }
    const log = await logs.read(was.location);
    if (log === undefined) {
      const facts = { location: was.location };
      throw new FirnError("NotFound", "DELTA_LOG_MISSING", "no Delta log at the location", facts);
    }
    const { columns, partitionKeys } = log;
    const done = await catalog.tables.revise(actor, ref, (stored) => {
      expect(stored);
      return patchedTable(stored.entity, { columns, partitionKeys });
    });
    return { ...done, above: { catalog: ref.catalog, namespace: ref.path } };
  }

  async #logOf({ format, columns, location }: NewTable): Promise<DeltaTable | undefined> {
    if (format !== "DELTA" || columns !== undefined || location === undefined) return undefined;
    return this.#parts.logs.read(location);
  }

  async #draft(ref: RelationRef, given: string | undefined): Promise<RelationDraft<Table>> {
    const places = await this.#parts.places.of(ref.catalog, ref.path, true);
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
