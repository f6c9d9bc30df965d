import type { JsonObject } from "../../src/base/json.ts";
import { currentSchema, type TableMetadata } from "../../src/iceberg/model.ts";
import { checkRequirements, parseRequirements } from "../../src/iceberg/requirements.ts";
import { applyUpdates, parseUpdates } from "../../src/iceberg/updates.ts";
import { append, column, NOW_MS, setRef } from "./support.ts";

/** A commit as a client sends it: made against the metadata that it has loaded. */
export interface Commit {
  readonly requirements: readonly JsonObject[];
  readonly updates: readonly JsonObject[];
}

/** What a client does to a table; `mark` tells two that do the same apart. */
export interface Kind {
  readonly updates: (base: TableMetadata, mark: number) => readonly JsonObject[];
  /** Whether metadata holds what the commit was made for. */
  readonly holds: (next: TableMetadata, base: TableMetadata, mark: number) => boolean;
}

/** Oldest first; the bases of the tests have three at least. */
function nth(table: TableMetadata, position: number): bigint {
  const snapshot = table.snapshots.items.at(position);
  if (snapshot === undefined) throw new Error("no such snapshot");
  return snapshot.snapshotId;
}

const OLDEST = 0;
const newId = (mark: number): bigint => 2n ** 62n + BigInt(mark);
const headOf = (table: TableMetadata, ref: string) => table.refs.get(ref)?.snapshotId;

function appendTo(ref: string): Kind {
  return {
    updates: (base, mark) => {
      const sequence = base.formatVersion === 1 ? { "sequence-number": 0 } : {};
      const rows =
        base.formatVersion < 3 ? {} : { "first-row-id": base.nextRowId, "added-rows": 3 };
      return append(base, newId(mark), { ...sequence, ...rows }, ref);
    },
    holds: (next, _base, mark) =>
      next.snapshots.has(newId(mark)) && headOf(next, ref) === newId(mark),
  };
}

const ADD_COLUMN: Kind = {
  updates: (base, mark) => {
    const fields = [
      ...((currentSchema(base)?.fragment.object["fields"] ?? []) as JsonObject[]),
      column(base.lastColumnId + 1, `c${mark}`),
    ];
    return [
      { action: "add-schema", schema: { type: "struct", fields } },
      { action: "set-current-schema", "schema-id": -1 },
    ];
  },
  holds: (next, _base, mark) => currentSchema(next)?.byName.has(`c${mark}`) === true,
};

const ADD_SPEC: Kind = {
  updates: (_base, mark) => {
    const field = { name: `p${mark}`, transform: `bucket[${mark + 2}]`, "source-id": 1 };
    return [
      { action: "add-spec", spec: { fields: [field] } },
      { action: "set-default-spec", "spec-id": -1 },
    ];
  },
  holds: (next, _base, mark) =>
    next.specs.some(
      ({ specId, fields }) => specId === next.defaultSpecId && fields[0]?.name === `p${mark}`,
    ),
};

const ADD_ORDER: Kind = {
  updates: (_base, mark) => {
    const field = {
      transform: `bucket[${mark + 2}]`,
      "source-id": 1,
      direction: "asc",
      "null-order": "nulls-last",
    };
    return [
      { action: "add-sort-order", "sort-order": { "order-id": 1, fields: [field] } },
      { action: "set-default-sort-order", "sort-order-id": -1 },
    ];
  },
  holds: (next, _base, mark) => {
    const order = next.sortOrders.find(({ orderId }) => orderId === next.defaultSortOrderId);
    return JSON.stringify(order?.fragment.object).includes(`bucket[${mark + 2}]`);
  },
};

export type KindName =
  | "append to main"
  | "append to audit"
  | "roll back"
  | "new branch"
  | "drop audit"
  | "expire"
  | "add column"
  | "add spec"
  | "add order"
  | "set property"
  | "move"
  | "upgrade"
  | "drop schema"
  | "drop spec"
  | "statistics";

/** Everything that the tests let clients do. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  "append to main": appendTo("main"),
  "append to audit": appendTo("audit"),
  "roll back": {
    updates: (base) => [setRef("main", nth(base, OLDEST))],
    holds: (next, base) => headOf(next, "main") === nth(base, OLDEST),
  },
  "new branch": {
    updates: (base) => [setRef("new", headOf(base, "main") ?? 0n)],
    holds: (next, base) => headOf(next, "new") === headOf(base, "main"),
  },
  "drop audit": {
    updates: () => [{ action: "remove-snapshot-ref", "ref-name": "audit" }],
    holds: (next) => !next.refs.has("audit"),
  },
  expire: {
    updates: (base) => [{ action: "remove-snapshots", "snapshot-ids": [nth(base, OLDEST)] }],
    holds: (next, base) => !next.snapshots.has(nth(base, OLDEST)),
  },
  "add column": ADD_COLUMN,
  "add spec": ADD_SPEC,
  "add order": ADD_ORDER,
  "set property": {
    updates: (_base, mark) => [{ action: "set-properties", updates: { k: `${mark}` } }],
    holds: (next, _base, mark) => next.properties.get("k") === `${mark}`,
  },
  move: {
    updates: (_base, mark) => [{ action: "set-location", location: `s3://bucket/moved/${mark}` }],
    holds: (next, _base, mark) => next.location === `s3://bucket/moved/${mark}`,
  },
  upgrade: {
    updates: ({ formatVersion }) => [
      { action: "upgrade-format-version", "format-version": Math.min(3, formatVersion + 1) },
    ],
    holds: (next, { formatVersion }) => next.formatVersion === Math.min(3, formatVersion + 1),
  },
  "drop schema": {
    updates: () => [{ action: "remove-schemas", "schema-ids": [0] }],
    holds: (next) => !next.schemas.some(({ schemaId }) => schemaId === 0),
  },
  "drop spec": {
    updates: () => [{ action: "remove-partition-specs", "spec-ids": [0] }],
    holds: (next) => !next.specs.some(({ specId }) => specId === 0),
  },
  statistics: {
    updates: (base, mark) => {
      const file = {
        "snapshot-id": headOf(base, "main") ?? 0n,
        "statistics-path": `s3://b/${mark}`,
      };
      const sized = { ...file, "file-size-in-bytes": 1 };
      return [{ action: "set-partition-statistics", "partition-statistics": sized }];
    },
    holds: (next, _base, mark) =>
      next.partitionStatistics.some(({ fragment }) => fragment.text.includes(`"s3://b/${mark}"`)),
  },
};

/**
 * The requirements that Iceberg's own client adds to updates: what it has seen of whatever the
 * updates would silently write over.
 */
export function requirementsFor(
  base: TableMetadata,
  updates: readonly JsonObject[],
): readonly JsonObject[] {
  const all = new Map<string, JsonObject>();
  const add = (requirement: JsonObject) => all.set(JSON.stringify(requirement, text), requirement);
  add({ type: "assert-table-uuid", uuid: base.uuid ?? "" });
  const ref = (name: string) =>
    add({ type: "assert-ref-snapshot-id", ref: name, "snapshot-id": headOf(base, name) ?? null });
  const spec = () => add({ type: "assert-default-spec-id", "default-spec-id": base.defaultSpecId });
  const schema = () =>
    add({ type: "assert-current-schema-id", "current-schema-id": base.currentSchemaId });
  const branches = () => {
    for (const [name, { type }] of base.refs) if (type === "branch") ref(name);
  };
  for (const update of updates) {
    switch (update["action"]) {
      case "set-snapshot-ref":
        ref(String(update["ref-name"]));
        break;
      case "add-schema":
        add({
          type: "assert-last-assigned-field-id",
          "last-assigned-field-id": base.lastColumnId,
        });
        break;
      case "set-current-schema":
        schema();
        break;
      case "add-spec":
        add({
          type: "assert-last-assigned-partition-id",
          "last-assigned-partition-id": base.lastPartitionId,
        });
        break;
      case "set-default-spec":
        spec();
        break;
      case "set-default-sort-order":
        add({
          type: "assert-default-sort-order-id",
          "default-sort-order-id": base.defaultSortOrderId,
        });
        break;
      case "remove-schemas":
        schema();
        branches();
        break;
      case "remove-partition-specs":
        spec();
        branches();
        break;
    }
  }
  return [...all.values()];
}

function text(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

/** A commit of a kind by a client that has loaded `base`. */
export function commitOfKind(kind: KindName, base: TableMetadata, mark: number): Commit {
  const updates = KINDS[kind].updates(base, mark);
  return { requirements: requirementsFor(base, updates), updates };
}

/** What a server makes of a commit, whatever its client had loaded. */
export function serve(current: TableMetadata, commit: Commit): TableMetadata {
  checkRequirements(parseRequirements(commit.requirements), current);
  const nowMs = Math.max(NOW_MS, current.lastUpdatedMs) + 1_000;
  return applyUpdates(current, parseUpdates(commit.updates), { nowMs, baseLocation: "s3://b/m" });
}
