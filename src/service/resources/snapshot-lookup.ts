import type { Table } from "../../catalog/model.ts";
import type { Live } from "../../pointer/port.ts";
import type { Actor } from "../actor.ts";
import type { TableRef } from "../requests.ts";
import type { TableSnapshots } from "../table-snapshots.ts";
import { noSuchId } from "./names.ts";
import type { RelationResources } from "./relations.ts";
import type { RelationPlace, Resource } from "./resource.ts";

type Snapshots = Pick<TableSnapshots, "get" | "holding">;

/** Finds the table that a path names, and shows that it has a snapshot. */
export class SnapshotLookup {
  readonly #tables: RelationResources<Table>;
  readonly #snapshots: Snapshots;

  constructor(tables: RelationResources<Table>, snapshots: Snapshots) {
    this.#tables = tables;
    this.#snapshots = snapshots;
  }

  /** @throws FirnError `TABLE_NOT_FOUND`, and of what is above it. */
  async table(actor: Actor, place: RelationPlace): Promise<Resource<Table>> {
    return this.#tables.get(actor, place);
  }

  /** As `table`, of one that has this snapshot. @throws FirnError `SNAPSHOT_NOT_FOUND`. */
  async snapshot(actor: Actor, place: RelationPlace, id: bigint): Promise<Resource<Table>> {
    const found = await this.table(actor, place);
    await this.#snapshots.get(actor, refOf(found), id);
    return found;
  }

  /**
   * Reads the table's canonical pointer at a version that has a snapshot.
   *
   * @throws FirnError `SNAPSHOT_NOT_FOUND`; `TABLE_NOT_FOUND`, also where the name is another's.
   */
  async holding(actor: Actor, found: Resource<Table>, id: bigint): Promise<Live> {
    const { item, table } = await this.#snapshots.holding(actor, refOf(found), id);
    if (table !== found.entity.id) throw noSuchId("table", found.entity.id);
    return item;
  }
}

function refOf({ entity, above }: Resource<Table>): TableRef {
  const { catalog = "", namespace = [] } = above;
  return { catalog, namespace, table: entity.name };
}
