import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { Actor } from "../../../src/service/actor.ts";
import type { CatalogNode } from "../../../src/service/node.ts";
import type {
  CommitTable,
  IcebergService,
  NamespaceRef,
  SnapshotsMode,
  TableRef,
  ViewRef,
} from "../../../src/service/requests.ts";
import { CATALOG } from "./cluster.ts";
import type {
  Content,
  Mutation,
  Name,
  Path,
  TableChange,
  TableMutation,
  ViewMutation,
} from "./spec.ts";
import { CHOSEN, WAREHOUSE } from "./warehouse.ts";

const MARK = "mark.";

export const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "id", type: "long", required: false }],
} as const;

/** A table or view as a client sees it. */
export interface Seen {
  readonly content: Content;
  readonly location: string;
  readonly lastSequenceNumber: number;
  readonly etag?: string | undefined;
}

interface Shown {
  readonly metadata: readonly Uint8Array[];
  readonly metadataLocation: string | undefined;
  readonly etag?: string | undefined;
}

interface MetadataJson {
  readonly "table-uuid": string;
  readonly location: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly refs?: Readonly<Record<string, { readonly "snapshot-id": number }>>;
  readonly snapshots?: readonly { readonly "snapshot-id": number }[];
  readonly "last-sequence-number"?: number;
}

export function namespaceOf(path: Path): NamespaceRef {
  return { catalog: CATALOG, namespace: path };
}

export function tableOf({ path, name }: Name): TableRef {
  return { ...namespaceOf(path), table: name };
}

export function viewOf({ path, name }: Name): ViewRef {
  return { ...namespaceOf(path), view: name };
}

/** Marks among the properties of a namespace, sorted. */
export function marksOf(properties: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(properties)
    .filter((key) => key.startsWith(MARK))
    .map((key) => key.slice(MARK.length))
    .sort();
}

/** What a client sees of an answer. */
export function seen({ metadata, metadataLocation, etag }: Shown): Seen {
  const json = JSON.parse(Buffer.concat(metadata).toString("utf8")) as MetadataJson;
  const properties = json.properties ?? {};
  const head = json.refs?.["main"]?.["snapshot-id"];
  const { balance } = properties;
  return {
    content: {
      born: properties["born"] ?? "",
      place: placeOf(json.location),
      marks: marksOf(properties),
      head: head === undefined ? undefined : String(head),
      snapshots: (json.snapshots ?? []).map((snapshot) => String(snapshot["snapshot-id"])),
      balance: balance === undefined ? undefined : Number(balance),
    },
    location: metadataLocation ?? "",
    lastSequenceNumber: json["last-sequence-number"] ?? 0,
    etag,
  };
}

function placeOf(location: string): string | undefined {
  const root = `${WAREHOUSE}/${CHOSEN}/`;
  return location.startsWith(root) ? location.slice(root.length) : undefined;
}

/** A content as it compares; answers with the referenced snapshots alone show fewer of them. */
export function contentKey(content: Content, mode: SnapshotsMode = "all"): string {
  const referenced = content.head === undefined ? [] : [content.head];
  const snapshots = mode === "refs" ? referenced : content.snapshots;
  const { born, place, marks, head, balance } = content;
  return JSON.stringify([born, place ?? null, marks, head ?? null, balance ?? null, snapshots]);
}

function marked(mark: string): Record<string, string> {
  return { [`${MARK}${mark}`]: "1" };
}

/** Asks for a mutation; answers what is shown of it, if anything is. `nowMs`: of the client. */
export async function perform(
  { iceberg: service, dropped, model }: Pick<CatalogNode, "iceberg" | "dropped" | "model">,
  context: Actor,
  mutation: Mutation,
  staged: CommitTable | undefined,
  nowMs: number,
): Promise<Shown | undefined> {
  switch (mutation.kind) {
    case "createNamespace":
      await service.createNamespace(context, namespaceOf(mutation.path), marked(mutation.mark));
      return undefined;
    case "updateNamespace": {
      const update = { removals: [], updates: marked(mutation.mark) };
      await service.updateNamespace(context, namespaceOf(mutation.path), update);
      return undefined;
    }
    case "dropNamespace":
      await service.dropNamespace(context, namespaceOf(mutation.path));
      return undefined;
    case "deleteNamespace": {
      const place = { catalog: { name: CATALOG }, namespace: { path: mutation.path } };
      await model.namespaces.dropAll(context, place);
      return undefined;
    }
    case "transaction": {
      const changes = mutation.changes.map((change) => ({
        namespace: change.at.path,
        table: change.at.name,
        ...commitOf(change, nowMs),
      }));
      await service.commitTransaction(context, CATALOG, changes);
      return undefined;
    }
    case "undrop": {
      const { id, to } = mutation;
      await dropped.undrop(context, id, to === undefined ? {} : { parent: to.path, name: to.name });
      return undefined;
    }
    case "createTable":
    case "createAt":
    case "createStaged":
    case "commitTable":
    case "replaceSnapshot":
    case "dropTable":
    case "purgeTable":
    case "unregisterTable":
    case "renameTable":
    case "registerTable":
    case "registerOver":
      return performOnTable(service, context, mutation, staged, nowMs);
    case "createView":
    case "commitView":
    case "dropView":
    case "renameView":
    case "registerView":
      return performOnView(service, context, mutation);
  }
}

async function performOnTable(
  service: IcebergService,
  context: Actor,
  mutation: TableMutation,
  staged: CommitTable | undefined,
  nowMs: number,
): Promise<Shown | undefined> {
  const table = tableOf(mutation.at);
  switch (mutation.kind) {
    case "createTable":
    case "createAt":
      return service.createTable(context, table, {
        name: table.table,
        ...(mutation.kind === "createAt" && {
          location: `${WAREHOUSE}/${CHOSEN}/${mutation.place}`,
        }),
        schema: SCHEMA,
        properties: birth(mutation),
        stageCreate: false,
      });
    case "createStaged":
      if (staged === undefined) throw new Error("a staged create commits what was staged");
      return service.commitTable(context, table, staged);
    case "commitTable":
    case "replaceSnapshot":
      return service.commitTable(context, table, commitOf(mutation, nowMs));
    case "dropTable":
    case "purgeTable":
      await service.dropTable(context, table, { purgeRequested: mutation.kind === "purgeTable" });
      return undefined;
    case "unregisterTable":
      return service.unregisterTable(context, table);
    case "renameTable":
      await service.renameTable(context, {
        catalog: CATALOG,
        from: table,
        to: tableOf(mutation.to),
      });
      return undefined;
    case "registerTable":
    case "registerOver":
      return service.registerTable(context, table, {
        name: table.table,
        metadataLocation: mutation.file.location,
        overwrite: mutation.kind === "registerOver",
      });
  }
}

async function performOnView(
  service: IcebergService,
  context: Actor,
  mutation: ViewMutation,
): Promise<Shown | undefined> {
  const view = viewOf(mutation.at);
  switch (mutation.kind) {
    case "createView":
      return service.createView(context, view, {
        name: view.view,
        schema: SCHEMA,
        version: VIEW_VERSION,
        properties: birth(mutation),
      });
    case "commitView":
      return service.commitView(context, view, {
        requirements: [],
        updates: [setProperties(marked(mutation.mark))],
      });
    case "dropView":
      await service.dropView(context, view);
      return undefined;
    case "renameView":
      await service.renameView(context, { catalog: CATALOG, from: view, to: viewOf(mutation.to) });
      return undefined;
    case "registerView":
      return service.registerView(context, view, {
        name: view.view,
        metadataLocation: mutation.file.location,
      });
  }
}

const VIEW_VERSION: JsonObject = {
  "version-id": 1,
  "schema-id": 0,
  "timestamp-ms": Date.UTC(2026, 0, 1),
  summary: {},
  "default-namespace": ["a"],
  representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
};

function birth({ born, balance }: { readonly born: string; readonly balance?: number }) {
  return { born, ...(balance === undefined ? {} : { balance: String(balance) }) };
}

function setProperties(updates: Record<string, string>): JsonObject {
  return { action: "set-properties", updates };
}

function commitOf({ mark, head }: TableChange, nowMs: number): CommitTable {
  if (head === undefined) {
    return { requirements: [], updates: [setProperties(marked(mark))] };
  }
  const { base, id, sequenceNumber, balance, manifestList } = head;
  const requirement = {
    type: "assert-ref-snapshot-id",
    ref: "main",
    "snapshot-id": base === undefined ? null : Number(base),
  };
  const snapshot: JsonObject = {
    "snapshot-id": Number(id),
    ...(base === undefined ? {} : { "parent-snapshot-id": Number(base) }),
    "sequence-number": sequenceNumber,
    "timestamp-ms": nowMs,
    "manifest-list": manifestList,
    summary: { operation: "append" },
    "schema-id": 0,
  };
  const properties = {
    ...marked(mark),
    ...(balance === undefined ? {} : { balance: String(balance) }),
  };
  return {
    requirements: [requirement],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", "ref-name": "main", type: "branch", "snapshot-id": Number(id) },
      setProperties(properties),
    ],
  };
}

/** The commit that makes what a staged create has handed out. */
export function stagedCommit(metadata: readonly Uint8Array[], born: string): CommitTable {
  const json = JSON.parse(Buffer.concat(metadata).toString("utf8")) as MetadataJson;
  const updates: JsonValue = [
    { action: "assign-uuid", uuid: json["table-uuid"] },
    { action: "upgrade-format-version", "format-version": 2 },
    { action: "add-schema", schema: SCHEMA, "last-column-id": 1 },
    { action: "set-current-schema", "schema-id": -1 },
    { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
    { action: "set-default-spec", "spec-id": -1 },
    { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
    { action: "set-location", location: json.location },
    setProperties(birth({ born })),
  ];
  const requirements = [{ type: "assert-create" }];
  return { requirements, updates };
}
