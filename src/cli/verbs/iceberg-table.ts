import type { Table } from "../../api/resources.ts";
import { type ErrorKind, FirnError } from "../../base/error.ts";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  printJson,
} from "../../base/json.ts";
import type { Place } from "../place.ts";

/** A snapshot as a table's metadata has it. */
export interface TableSnapshot {
  readonly id: bigint;
  readonly parent: bigint | undefined;
  readonly timeMs: number;
  readonly operation: string;
  readonly schemaId: number | undefined;
  readonly summary: Readonly<Record<string, string>>;
}

export interface TableRef {
  readonly name: string;
  readonly type: "branch" | "tag";
  readonly snapshotId: bigint;
}

export interface TableField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly doc: string | undefined;
}

/** What the metadata of an Iceberg table tells a command. */
export interface TableState {
  readonly uuid: string;
  readonly formatVersion: number;
  readonly metadataLocation: string;
  readonly location: string;
  readonly currentSnapshotId: bigint | undefined;
  readonly currentSchemaId: number;
  /** Oldest first, as the table has them. */
  readonly snapshots: readonly TableSnapshot[];
  readonly refs: readonly TableRef[];
  /** When which snapshot became the current one. */
  readonly log: readonly { readonly snapshotId: bigint; readonly timeMs: number }[];
  readonly schemas: ReadonlyMap<number, readonly TableField[]>;
  readonly partition: readonly string[];
  readonly properties: Readonly<Record<string, string>>;
}

/** How a status of the Iceberg API is to be taken. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: "Invalid",
  401: "Unauthenticated",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  422: "Invalid",
  429: "Overloaded",
  503: "Unavailable",
};

type TableAt = Pick<Table, "catalog" | "namespace" | "name" | "format">;

/**
 * The metadata of a table.
 *
 * @param snapshots `refs`: only those that a branch or tag names, which costs less.
 * @throws FirnError `TABLE_NOT_ICEBERG`; what the server refuses.
 */
export async function loadTable(
  place: Place,
  table: TableAt,
  snapshots: "all" | "refs",
): Promise<TableState> {
  const answer = await ask(place, "GET", `${pathOf(table)}?snapshots=${snapshots}`);
  const metadata = objectAt(answer, "metadata");
  const schemas = listAt(metadata, "schemas").map((schema): [number, readonly TableField[]] => [
    Number(schema["schema-id"] ?? 0),
    listAt(schema, "fields").map(fieldOf),
  ]);
  const current = metadata["current-snapshot-id"];
  const schemaId = Number(metadata["current-schema-id"] ?? 0);
  const fields = new Map(schemas).get(schemaId) ?? [];
  return {
    uuid: textAt(metadata, "table-uuid"),
    formatVersion: Number(metadata["format-version"]),
    metadataLocation: textAt(answer, "metadata-location"),
    location: textAt(metadata, "location"),
    currentSnapshotId:
      current === undefined || current === null || current === -1 ? undefined : idOf(current),
    currentSchemaId: schemaId,
    snapshots: listAt(metadata, "snapshots").map(snapshotOf),
    refs: Object.entries(objectAt(metadata, "refs")).map(([name, ref]) => ({
      name,
      type: (ref as JsonObject)["type"] === "tag" ? "tag" : "branch",
      snapshotId: idOf((ref as JsonObject)["snapshot-id"]),
    })),
    log: listAt(metadata, "snapshot-log").map((entry) => ({
      snapshotId: idOf(entry["snapshot-id"]),
      timeMs: Number(entry["timestamp-ms"]),
    })),
    schemas: new Map(schemas),
    partition: partitionOf(metadata, fields),
    properties: objectAt(metadata, "properties") as Readonly<Record<string, string>>,
  };
}

/**
 * Commits updates to a table if its requirements hold.
 *
 * @throws FirnError `Conflict` where a requirement failed; what the server refuses.
 */
export async function commitTable(
  place: Place,
  table: TableAt,
  commit: { readonly requirements: readonly JsonObject[]; readonly updates: readonly JsonObject[] },
  dryRun: boolean,
): Promise<void> {
  const { requirements, updates } = commit;
  const path = `${pathOf(table)}${dryRun ? "?dry-run=true" : ""}`;
  await ask(place, "POST", path, { requirements, updates });
}

function pathOf({ catalog, namespace, name, format }: TableAt): string {
  if (format !== "ICEBERG") {
    const message = "only Iceberg tables have this: see firn snapshot list";
    throw new FirnError("Invalid", "TABLE_NOT_ICEBERG", message, { table: name, format });
  }
  const [prefix, table] = [catalog, name].map(encodeURIComponent);
  const levels = encodeURIComponent(namespace.join("\u001f"));
  return `/iceberg/v1/${prefix}/namespaces/${levels}/tables/${table}`;
}

async function ask(
  place: Place,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<JsonObject> {
  const request = new Request(`${place.url}${path}`, {
    method,
    ...(body !== undefined && {
      headers: { "Content-Type": "application/json" },
      body: printJson(body),
    }),
  });
  const response = await place.fetch(request);
  const text = await response.text();
  if (response.ok) return parseJson(text) as JsonObject;
  throw refusalOf(response, text);
}

function refusalOf(response: Response, text: string): FirnError {
  const code = response.headers.get("X-Firn-Error") ?? "ANSWER_UNKNOWN";
  const kind = KINDS[response.status] ?? "Unknown";
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return new FirnError(kind, code, error.message);
  } catch {
    const message = `HTTP status ${response.status} from something that is not an Iceberg catalog`;
    return new FirnError(kind, code, message);
  }
}

function snapshotOf(snapshot: JsonObject): TableSnapshot {
  const { operation = "", ...summary } = objectAt(snapshot, "summary");
  const parent = snapshot["parent-snapshot-id"];
  const schemaId = snapshot["schema-id"];
  return {
    id: idOf(snapshot["snapshot-id"]),
    parent: parent === undefined || parent === null ? undefined : idOf(parent),
    timeMs: Number(snapshot["timestamp-ms"]),
    operation: String(operation),
    schemaId: schemaId === undefined ? undefined : Number(schemaId),
    summary: summary as Readonly<Record<string, string>>,
  };
}

function fieldOf(field: JsonObject): TableField {
  const { id, name, required, type, doc } = field;
  return {
    id: Number(id),
    name: String(name),
    required: required === true,
    type: typeText(type),
    doc: typeof doc === "string" ? doc : undefined,
  };
}

/** `struct<a: long>`, `list<int>`, `map<string, int>`. */
function typeText(type: JsonValue | undefined): string {
  if (!isJsonObject(type)) return String(type);
  switch (type["type"]) {
    case "struct": {
      const fields = listAt(type, "fields").map(fieldOf);
      return `struct<${fields.map((field) => `${field.name}: ${field.type}`).join(", ")}>`;
    }
    case "list":
      return `list<${typeText(type["element"])}>`;
    case "map":
      return `map<${typeText(type["key"])}, ${typeText(type["value"])}>`;
    default:
      return printJson(type);
  }
}

function partitionOf(metadata: JsonObject, fields: readonly TableField[]): readonly string[] {
  const specs = listAt(metadata, "partition-specs");
  const spec = specs.find((each) => each["spec-id"] === metadata["default-spec-id"]) ?? {};
  return listAt(spec, "fields").map(({ transform, "source-id": source, name }) => {
    const column = fields.find(({ id }) => id === source)?.name ?? String(name);
    return transform === "identity" ? column : `${String(transform)}(${column})`;
  });
}

function idOf(value: JsonValue | undefined): bigint {
  return BigInt(value as number | bigint);
}

function textAt(object: JsonObject, member: string): string {
  const value = object[member];
  return typeof value === "string" ? value : "";
}

function objectAt(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  return isJsonObject(value) ? value : {};
}

function listAt(object: JsonObject, member: string): readonly JsonObject[] {
  const value = object[member];
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
