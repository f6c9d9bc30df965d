import type { Locations } from "../../blob/locations.ts";
import type { RelationRef } from "../../catalog/relations.ts";
import type { ArchiveFiles, ArchiveSource } from "../../patterns/index.ts";
import { visibleColumns } from "../../rows/index.ts";
import type { Actor } from "../actor.ts";
import type { TableLocations } from "../table-locations.ts";
import type { NamedRowTable, OpenRowTable, RowTables } from "./row-tables.ts";

/** What archives of rows work with. */
export class Archives {
  readonly #rows: RowTables;
  readonly #places: TableLocations;
  readonly #locations: Locations;

  constructor(rows: RowTables, places: TableLocations, locations: Locations) {
    this.#rows = rows;
    this.#places = places;
    this.#locations = locations;
  }

  /** The table whose rows are to be archived. @throws FirnError `TABLE_NOT_FOUND`. */
  async source(actor: Actor, ref: RelationRef): Promise<ArchiveSource> {
    return await sourceOf(await this.#rows.open(actor, ref));
  }

  /** Where an archive keeps its objects: where files of a table of its name and id would lie. */
  async files(
    _actor: Actor,
    { catalog, path, name }: RelationRef,
    { id }: OpenRowTable,
  ): Promise<ArchiveFiles> {
    const places = await this.#places.of(catalog, path);
    const home = places.defaultFor(path, name, id);
    return filesBelow(this.#locations, home);
  }
}

async function sourceOf({ store, id, jsonRows }: NamedRowTable): Promise<ArchiveSource> {
  const json = await jsonRows();
  return { store, id, printer: (table) => json.writer(visibleColumns(table)) };
}

function filesBelow(locations: Locations, home: string): ArchiveFiles {
  return {
    write: async (name, bytes) => {
      const location = `${home}/${name}`;
      await locations.write(location, bytes);
      return location;
    },
    read: async (location) => (await locations.read(location))?.bytes,
    remove: (location) => locations.delete(location),
  };
}
