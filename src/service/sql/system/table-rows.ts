import { FirnError } from "../../../base/error.ts";
import type { Table, TableSnapshot } from "../../../catalog/model.ts";
import { type TableDescriptor, visibleColumns } from "../../../rows/index.ts";
import { hasPrimaryKey } from "../../../sql/catalog/system/snapshot.ts";
import type { Actor } from "../../actor.ts";
import { shardOf } from "../../rows/row-places.ts";
import type { RowShards } from "../../rows/row-shards.ts";
import { ShardElsewhere } from "../../shards/shard-elsewhere.ts";
import type { TableSnapshots } from "../../table-snapshots.ts";
import { relationsWanted } from "./entity-rows.ts";
import { json, micros, type Named, type SystemScan } from "./scan.ts";
import type { Walked } from "./walk.ts";

/** Snapshots of one table that are in memory at once. */
const PAGE = 200;

export interface TableSources {
  readonly shards: RowShards;
  readonly snapshots: Pick<TableSnapshots, "list">;
  readonly actor: () => Actor;
}

/** A row table, as its shard has it, and about how much it holds. */
interface Opened {
  readonly table: TableDescriptor;
  readonly rows: number;
  readonly bytes: number;
}

/** Row tables whose metadata may be read. Their shard is opened where the profile has rows. */
async function* rowTables(
  scan: SystemScan,
  { shards }: TableSources,
): AsyncGenerator<readonly (Opened & { readonly walked: Walked })[]> {
  for await (const page of scan.walk.relations(relationsWanted(scan, "table_id"))) {
    const found: (Opened & { readonly walked: Walked })[] = [];
    const rows = readable(page).filter(({ summary }) => summary.format === "ROW");
    const places = await placesOf(scan, rows);
    for (const [i, walked] of rows.entries()) {
      const opened = await openedOf(shards, walked, places[i]);
      if (opened !== undefined) found.push({ walked, ...opened });
    }
    yield found;
  }
}

/** The shards of row tables by their ids; undefined for one that is gone meanwhile. */
async function placesOf(
  { walk }: SystemScan,
  tables: readonly Walked[],
): Promise<readonly (string | undefined)[]> {
  const stored = await walk.entities<Table>(tables);
  return stored.map((found) => found && shardOf(found.entity));
}

/** Undefined too where another node has the rows: only that one tells of them. */
async function openedOf(
  shards: RowShards,
  { summary }: Walked,
  place: string | undefined,
): Promise<Opened | undefined> {
  const { entityId } = summary;
  if (place === undefined) return undefined;
  const store = await shards.of(place).catch((error: unknown) => {
    if (error instanceof ShardElsewhere) return undefined;
    throw error;
  });
  if (store === undefined) return undefined;
  return await store.run(
    async (tx) => {
      const table = await tx.tables.find(entityId as TableDescriptor["id"]);
      if (table === undefined) return undefined;
      const { rows, bytes } = await tx.estimate(table, 0);
      const apart = await tx.estimate(table, "apart");
      return { table, rows, bytes: bytes + apart.bytes };
    },
    { readOnly: true },
  );
}

/** What may be read of, of a page. */
function readable(page: readonly Walked[]): readonly Walked[] {
  return page.filter(({ held }) => held.missing(["read-metadata"]).length === 0);
}

export async function* relationRows(
  scan: SystemScan,
  sources: TableSources,
): AsyncGenerator<readonly Named[]> {
  for await (const page of rowTables(scan, sources)) {
    yield page.map(({ walked, table, rows, bytes }) => ({
      table_id: table.id,
      project_id: walked.summary.catalogId ?? null,
      relation: BigInt(table.relation),
      schema_version: table.version,
      indexes: table.indexes.length,
      estimated_rows: BigInt(Math.round(rows)),
      estimated_bytes: BigInt(Math.round(bytes)),
    }));
  }
}

export async function* indexRows(
  scan: SystemScan,
  sources: TableSources,
): AsyncGenerator<readonly Named[]> {
  for await (const page of rowTables(scan, sources)) {
    yield page.flatMap(({ table }) => [...indexesOf(table)]);
  }
}

function* indexesOf(table: TableDescriptor): Generator<Named> {
  const nameOf = (id: number): string =>
    visibleColumns(table).find((column) => column.id === id)?.name ?? "";
  if (hasPrimaryKey(table)) {
    const primary = table.constraints.find(({ kind }) => kind === "primary key");
    yield {
      table_id: table.id,
      index_id: 0,
      name: primary?.name ?? `${table.name}_pkey`,
      is_primary: true,
      is_unique: true,
      state: "public",
      columns: json(table.primaryKey.map(({ columnId }) => nameOf(columnId))),
      included: "[]",
    };
  }
  for (const { id, name, unique, state, parts, include, predicate } of table.indexes) {
    yield {
      table_id: table.id,
      index_id: id,
      name,
      is_primary: false,
      is_unique: unique,
      state,
      columns: json(
        parts.map((part) => ("columnId" in part ? nameOf(part.columnId) : part.expression)),
      ),
      included: json(include.map(nameOf)),
      predicate: predicate ?? null,
    };
  }
}

/** Snapshots of one table, the newest first, a page at a time. */
async function* snapshotsOf(
  { snapshots, actor }: TableSources,
  { names }: Walked,
): AsyncGenerator<readonly TableSnapshot[]> {
  const [catalog = "", ...path] = names;
  const ref = { catalog, namespace: path.slice(0, -1), table: path.at(-1) ?? "" };
  let after: TableSnapshot | undefined;
  for (;;) {
    const page = await listed(() =>
      snapshots.list(actor(), ref, { limit: PAGE, ...(after !== undefined && { after }) }),
    );
    yield page;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** A table that has no snapshots, that was dropped meanwhile, or whose files are gone, has none. */
async function listed(
  list: () => Promise<readonly TableSnapshot[]>,
): Promise<readonly TableSnapshot[]> {
  try {
    return await list();
  } catch (error) {
    const isNone = error instanceof FirnError && ["NotFound", "Invalid"].includes(error.kind);
    if (isNone) return [];
    throw error;
  }
}

const WITH_SNAPSHOTS: ReadonlySet<string | undefined> = new Set([undefined, "ICEBERG", "DELTA"]);

function hasSnapshots({ type, summary }: Walked): boolean {
  return type === "table" && WITH_SNAPSHOTS.has(summary.format);
}

export async function* snapshotRows(
  scan: SystemScan,
  sources: TableSources,
): AsyncGenerator<readonly Named[]> {
  for await (const page of scan.walk.relations(relationsWanted(scan, "table_id"))) {
    const tables = readable(page).filter(hasSnapshots);
    const stored = await scan.walk.entities(tables);
    for (const [i, walked] of tables.entries()) {
      const entity = stored[i]?.entity;
      const current =
        entity?.type === "table" && entity.format === "ICEBERG"
          ? entity.iceberg?.currentSnapshotId
          : undefined;
      let isNewest = walked.summary.format === "DELTA";
      for await (const snapshots of snapshotsOf(sources, walked)) {
        yield snapshots.map((one) => {
          const isCurrent = isNewest || one.snapshotId === current;
          isNewest = false;
          return { table_id: walked.summary.entityId, ...snapshotRow(one), is_current: isCurrent };
        });
      }
    }
  }
}

function snapshotRow(one: TableSnapshot): Named {
  return {
    snapshot_id: one.snapshotId,
    parent_snapshot_id: one.parentSnapshotId ?? null,
    sequence_number: one.sequenceNumber,
    committed_at: micros(one.timestampMs),
    operation: one.operation,
    schema_id: one.schemaId ?? null,
    manifest_list: one.manifestList,
    summary: json(one.summary),
  };
}

export async function* statsRows(
  scan: SystemScan,
  sources: TableSources,
): AsyncGenerator<readonly Named[]> {
  for await (const page of scan.walk.relations(relationsWanted(scan, "table_id"))) {
    const found: Named[] = [];
    for (const walked of readable(page)) {
      const row = await statsOf(scan, sources, walked);
      if (row !== undefined) found.push({ table_id: walked.summary.entityId, ...row });
    }
    yield found;
  }
}

async function statsOf(
  scan: SystemScan,
  sources: TableSources,
  walked: Walked,
): Promise<Named | undefined> {
  if (walked.type === "table" && walked.summary.format === "ROW") {
    const [place] = await placesOf(scan, [walked]);
    const opened = await openedOf(sources.shards, walked, place);
    return (
      opened && {
        records: BigInt(Math.round(opened.rows)),
        bytes: BigInt(Math.round(opened.bytes)),
        is_estimate: true,
      }
    );
  }
  if (!hasSnapshots(walked)) return undefined;
  const [stored] = await scan.walk.entities([walked]);
  const entity = stored?.entity;
  const current =
    entity?.type === "table" && entity.format === "ICEBERG"
      ? entity.iceberg?.currentSnapshotId
      : undefined;
  for await (const snapshots of snapshotsOf(sources, walked)) {
    const one =
      walked.summary.format === "DELTA"
        ? snapshots[0]
        : snapshots.find(({ snapshotId }) => snapshotId === current);
    if (one !== undefined) return figuresOf(one);
  }
  return undefined;
}

/** Totals that the writer of a snapshot gives; NULL where it gives none. */
function figuresOf({ snapshotId, summary }: TableSnapshot): Named {
  const figure = (name: string): bigint | null => {
    const text = summary[name];
    return text !== undefined && /^\d{1,18}$/.test(text) ? BigInt(text) : null;
  };
  return {
    snapshot_id: snapshotId,
    records: figure("total-records"),
    bytes: figure("total-files-size"),
    data_files: figure("total-data-files"),
    delete_files: figure("total-delete-files"),
    is_estimate: false,
  };
}
