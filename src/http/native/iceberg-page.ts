import type { IcebergPage, PageField, PageSchema } from "../../api/page-operations.ts";
import { newestFirst } from "../../iceberg/history.ts";
import type { TableMetadata } from "../../iceberg/model.ts";
import type { Schema } from "../../iceberg/schema.ts";
import type { IcebergType, NestedField } from "../../iceberg/type.ts";
import { catalogSnapshot } from "../../service/snapshot-changes.ts";
import { renderSnapshot } from "./render.ts";
import { timeText } from "./times.ts";

const SCHEMAS = 20;
export const SNAPSHOTS = 500;
/** Wider tables are cut: a page is for people. */
const FIELDS = 2_000;

/** What the metadata of an Iceberg table says, as one page shows it. */
export function icebergPage(metadata: TableMetadata): IcebergPage {
  const { schemas, specs, sortOrders, currentSchemaId } = metadata;
  const shown = [
    ...schemas.filter(({ schemaId }) => schemaId === currentSchemaId),
    ...schemas.filter(({ schemaId }) => schemaId !== currentSchemaId).slice(-SCHEMAS + 1),
  ];
  const names = new Map<number, string>();
  const printed = shown.map((schema) => pageSchema(schema, names));
  const spec = specs.find(({ specId }) => specId === metadata.defaultSpecId);
  const order = sortOrders.find(({ orderId }) => orderId === metadata.defaultSortOrderId);
  const nameOf = (id: number) => names.get(id) ?? String(id);
  const snapshots = newestFirst(metadata);
  return {
    formatVersion: metadata.formatVersion,
    lastUpdated: timeText(metadata.lastUpdatedMs),
    currentSchemaId,
    schemas: printed.sort((a, b) => b.schemaId - a.schemaId),
    partition: (spec?.fields ?? []).map(({ transform, sourceId }) =>
      applied(transform.text, nameOf(sourceId)),
    ),
    sort: (order?.fields ?? []).map(
      ({ transform, sourceId, direction }) =>
        `${applied(transform.text, nameOf(sourceId))} ${direction}`,
    ),
    properties: Object.fromEntries(metadata.properties),
    refs: [...metadata.refs].map(([name, { type, snapshotId }]) => ({
      name,
      type,
      snapshotId: String(snapshotId),
    })),
    snapshots: snapshots
      .slice(0, SNAPSHOTS)
      .map((snapshot) => renderSnapshot(catalogSnapshot(snapshot))),
    snapshotCount: snapshots.length,
  };
}

/** `names` gets the name of each field that it does not have, by id. */
export function pageSchema(
  { schemaId, struct }: Schema,
  names: Map<number, string> = new Map(),
): PageSchema {
  const fields: PageField[] = [];
  const walk = (list: readonly NestedField[], above: string): void => {
    for (const { id, name, type, required, doc } of list) {
      if (fields.length >= FIELDS) return;
      const path = `${above}${name}`;
      if (!names.has(id)) names.set(id, path);
      const told = doc === undefined ? {} : { doc };
      fields.push({ id, name: path, type: typeText(type), required, ...told });
      walk(inside(type), `${path}.`);
    }
  };
  walk(struct.fields, "");
  return { schemaId, fields };
}

/** The fields of the nearest struct within a type. */
function inside(type: IcebergType): readonly NestedField[] {
  switch (type.kind) {
    case "primitive":
      return [];
    case "struct":
      return type.fields;
    case "list":
      return inside(type.element);
    case "map":
      return inside(type.value);
  }
}

/** Structs are named alone: their fields have lines of their own. */
function typeText(type: IcebergType): string {
  switch (type.kind) {
    case "primitive":
      return type.text;
    case "struct":
      return "struct";
    case "list":
      return `list<${typeText(type.element)}>`;
    case "map":
      return `map<${typeText(type.key)}, ${typeText(type.value)}>`;
  }
}

/** A transform of a column, such as `bucket(16, id)`; the identity is the column itself. */
function applied(transform: string, column: string): string {
  if (transform === "identity") return column;
  const [, name, parameter] = /^(\w+)\[(\d+)\]$/.exec(transform) ?? [];
  return name === undefined ? `${transform}(${column})` : `${name}(${parameter}, ${column})`;
}
