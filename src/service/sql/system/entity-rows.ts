import type { Stored } from "../../../catalog/entities.ts";
import type { Envelope, Namespace, Summary, Table, View } from "../../../catalog/model.ts";
import {
  SYSTEM_DATASET_ID,
  SYSTEM_PROJECT_ID,
  SYSTEM_SCHEMA,
} from "../../../sql/catalog/reserved.ts";
import { SYSTEM_DATABASE } from "../../../sql/catalog/virtual.ts";
import { idOf, SYSTEM_TABLES } from "./definitions.ts";
import { json, micros, type Named, type SystemScan } from "./scan.ts";
import type { Walked, WalkedType, Wanted } from "./walk.ts";

const KINDS: Readonly<Record<WalkedType, string>> = {
  catalog: "project",
  namespace: "dataset",
  table: "table",
  view: "view",
};

/** What is shown of an entity to those who may read its metadata. */
async function* described<E extends Stored["entity"]>(
  scan: SystemScan,
  pages: AsyncIterable<readonly Walked[]>,
  base: (walked: Walked) => Named,
  more: (entity: E) => Named,
): AsyncGenerator<readonly Named[]> {
  for await (const page of pages) {
    // Names and ids alone need no payload.
    const isPlain = page.length === 0 || scan.needsOnly(Object.keys(base(page[0] as Walked)));
    const stored = isPlain ? [] : await scan.walk.entities<E>(page);
    yield page.map((walked, i) => {
      const found = stored[i];
      const isRead = walked.held.missing(["read-metadata"]).length === 0;
      if (found === undefined || !isRead) return base(walked);
      return {
        ...base(walked),
        ...audited(found.envelope, found.entity),
        ...more(found.entity as E),
      };
    });
  }
}

function audited(
  { updatedAtMs, updatedBy }: Envelope,
  { createdAtMs, description }: Stored["entity"],
): Named {
  return {
    created_at: micros(createdAtMs),
    updated_at: micros(updatedAtMs),
    updated_by: updatedBy,
    description,
  };
}

function common({ summary, version }: Walked): Named {
  return {
    id: summary.entityId,
    name: summary.name,
    owner_id: summary.owner ?? null,
    protected: summary.protected,
    version: BigInt(version),
  };
}

export async function* uuidRows(scan: SystemScan): AsyncGenerator<readonly Named[]> {
  yield [...reservedNames()];
  const { walk } = scan;
  const wanted = scan.wanted();
  for (const pages of [walk.catalogs(wanted), walk.namespaces(wanted), walk.relations(wanted)]) {
    for await (const page of pages) {
      yield page.map(({ summary, type, names }) => ({
        id: summary.entityId,
        kind: KINDS[type],
        name: summary.name,
        full_name: names.join("."),
        parent_id: summary.parentId ?? null,
      }));
    }
  }
}

function* reservedNames(): Generator<Named> {
  const of = (id: string, kind: string, parent: string | null, ...names: readonly string[]) => ({
    id,
    kind,
    name: names.at(-1) ?? "",
    full_name: names.join("."),
    parent_id: parent,
  });
  yield of(SYSTEM_PROJECT_ID, "project", null, SYSTEM_DATABASE);
  yield of(SYSTEM_DATASET_ID, "dataset", SYSTEM_PROJECT_ID, SYSTEM_DATABASE, SYSTEM_SCHEMA);
  for (const table of SYSTEM_TABLES) {
    const names = [SYSTEM_DATABASE, SYSTEM_SCHEMA, table.name];
    yield of(idOf(table), "table", SYSTEM_DATASET_ID, ...names);
  }
}

export async function* projectRows(scan: SystemScan): AsyncGenerator<readonly Named[]> {
  yield [{ id: SYSTEM_PROJECT_ID, name: SYSTEM_DATABASE, protected: true }];
  yield* described<Extract<Stored["entity"], { type: "catalog" }>>(
    scan,
    scan.walk.catalogs(scan.wanted()),
    common,
    ({ defaultLocation, properties }) => ({
      default_location: defaultLocation,
      properties: json(properties),
    }),
  );
}

export async function* datasetRows(scan: SystemScan): AsyncGenerator<readonly Named[]> {
  const system = { id: SYSTEM_DATASET_ID, name: SYSTEM_SCHEMA, protected: true };
  yield [{ ...system, project_id: SYSTEM_PROJECT_ID, parent_id: SYSTEM_PROJECT_ID }];
  yield* described<Namespace>(
    scan,
    scan.walk.namespaces({ ids: scan.values("id"), catalogs: scan.values("project_id") }),
    (walked) => ({
      ...common(walked),
      name: walked.names.slice(1).join("."),
      project_id: walked.summary.catalogId ?? null,
      parent_id: walked.summary.parentId ?? null,
    }),
    ({ properties }) => ({ properties: json(properties) }),
  );
}

export async function* tableRows(scan: SystemScan): AsyncGenerator<readonly Named[]> {
  yield SYSTEM_TABLES.map((table) => ({
    id: idOf(table),
    name: table.name,
    project_id: SYSTEM_PROJECT_ID,
    dataset_id: SYSTEM_DATASET_ID,
    kind: "table",
    format: "SYSTEM",
    protected: true,
    description: table.holds,
    columns: json(table.columns.map(([name, type]) => ({ name, type, nullable: true }))),
  }));
  yield* described<Table | View>(
    scan,
    scan.walk.relations(relationsWanted(scan, "id")),
    (walked) => ({
      ...common(walked),
      project_id: walked.summary.catalogId ?? null,
      dataset_id: walked.summary.parentId ?? null,
      kind: KINDS[walked.type],
      format: formatOf(walked.summary),
    }),
    (entity) => ({
      location: entity.location,
      properties: json(entity.properties),
      metadata_location: entity.iceberg?.metadataLocation ?? null,
      ...("format" in entity && {
        current_snapshot_id: entity.iceberg?.currentSnapshotId ?? null,
        columns: entity.columns === undefined ? null : json(entity.columns.map(shownColumn)),
      }),
    }),
  );
}

function shownColumn({ name, type, nullable }: NonNullable<Table["columns"]>[0]): object {
  return { name, type, nullable };
}

function formatOf({ entityType, format }: Summary): string {
  return entityType === "view" ? "ICEBERG" : (format ?? "ICEBERG");
}

/** Tables and views by what a scan compares. @param id the column that has their ids. */
export function relationsWanted(scan: SystemScan, id: string): Wanted {
  return {
    ids: scan.values(id),
    names: scan.values("name"),
    catalogs: scan.values("project_id"),
    namespaces: scan.values("dataset_id"),
  };
}

export async function* pointerRows(scan: SystemScan): AsyncGenerator<readonly Named[]> {
  const { walk } = scan;
  const wanted = { ids: scan.values("entity_id") };
  for (const pages of [walk.catalogs(wanted), walk.namespaces(wanted), walk.relations(wanted)]) {
    for await (const page of pages) {
      const read = page.filter(({ held }) => held.missing(["read-metadata"]).length === 0);
      const stored = await walk.entities(read);
      yield read.flatMap(({ type }, i) => {
        const found = stored[i];
        if (found === undefined) return [];
        const { item, summary } = found;
        return [
          {
            entity_id: summary.entityId,
            kind: KINDS[type],
            key: item.key,
            version: BigInt(item.version),
            payload: item.blobPath ?? null,
            revision: String(summary.revision),
          },
        ];
      });
    }
  }
}
