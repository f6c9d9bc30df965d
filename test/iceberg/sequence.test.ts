import fc from "fast-check";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { ChunkedList } from "../../src/iceberg/chunked-list.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { printTableMetadata } from "./printed.ts";
import { append, column, commit, newTable, SCHEMA, schemaOf, setRef } from "./support.ts";

/** A step looks at the table and says what a client would send next. */
type Step = (table: TableMetadata) => readonly JsonObject[];

const small = fc.nat(6);
const snapshotId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const refName = fc.constantFrom("main", "main", "audit", "10");

const rowsOf = (table: TableMetadata): JsonObject =>
  table.formatVersion < 3 ? {} : { "first-row-id": table.nextRowId, "added-rows": 3 };

const anySnapshot = (table: TableMetadata, pick: number): bigint | undefined =>
  table.snapshots.items.at(pick % Math.max(1, table.snapshots.items.length))?.snapshotId;

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(snapshotId, refName).map(appendStep) },
  fc.tuple(refName, small).map(refStep),
  fc.uniqueArray(small, { maxLength: 3 }).map(removeSnapshotsStep),
  refName.map((name) => () => [{ action: "remove-snapshot-ref", "ref-name": name }]),
  fc.uniqueArray(fc.constantFrom("a", "b", "10", "constructor"), { maxLength: 3 }).map(schemaStep),
  fc.tuple(fc.constantFrom("day", "bucket[4]", "void"), small).map(specStep),
  fc.boolean().map(orderStep),
  fc
    .dictionary(fc.constantFrom("p", "5", "constructor", "é"), fc.string(), {
      noNullPrototype: true,
    })
    .map((updates) => () => [{ action: "set-properties", updates }]),
  fc
    .constantFrom("p", "5")
    .map((name) => () => [{ action: "remove-properties", removals: [name] }]),
  small.map(statisticsStep),
  fc
    .constantFrom(2, 3)
    .map((version) => () => [{ action: "upgrade-format-version", "format-version": version }]),
  small.map((id) => () => [{ action: "remove-schemas", "schema-ids": [id] }]),
  small.map((id) => () => [{ action: "remove-partition-specs", "spec-ids": [id] }]),
);

function appendStep([id, ref]: [bigint, string]): Step {
  return (table) => {
    const sequence = table.formatVersion === 1 ? { "sequence-number": 0 } : {};
    return append(table, id, { ...sequence, ...rowsOf(table) }, ref);
  };
}

function refStep([name, pick]: [string, number]): Step {
  return (table) => {
    const id = anySnapshot(table, pick);
    return id === undefined ? [] : [setRef(name, id)];
  };
}

function removeSnapshotsStep(picks: number[]): Step {
  return (table) => {
    const ids = picks.flatMap((pick) => anySnapshot(table, pick) ?? []);
    return [{ action: "remove-snapshots", "snapshot-ids": ids }];
  };
}

function schemaStep(names: string[]): Step {
  return (table) => {
    const extra = names.map((name, i) => column(table.lastColumnId + 1 + i, name));
    const schema = schemaOf(...(SCHEMA["fields"] as JsonObject[]), ...extra);
    return [
      { action: "add-schema", schema },
      { action: "set-current-schema", "schema-id": -1 },
    ];
  };
}

function specStep([transform, pick]: [string, number]): Step {
  const field = { name: `f${pick}`, transform, "source-id": 2 };
  return () => [
    { action: "add-spec", spec: { fields: [field] } },
    { action: "set-default-spec", "spec-id": -1 },
  ];
}

function orderStep(descending: boolean): Step {
  const direction = descending ? "desc" : "asc";
  const field = { transform: "identity", "source-id": 1, direction, "null-order": "nulls-last" };
  return () => [
    { action: "add-sort-order", "sort-order": { "order-id": 5, fields: [field] } },
    { action: "set-default-sort-order", "sort-order-id": -1 },
  ];
}

function statisticsStep(pick: number): Step {
  return (table) => {
    const id = anySnapshot(table, pick);
    if (id === undefined) return [];
    const file = { "snapshot-id": id, "statistics-path": "s3://b/x", "file-size-in-bytes": 1 };
    return [{ action: "set-partition-statistics", "partition-statistics": file }];
  };
}

function distinct(ids: readonly (number | bigint)[]): boolean {
  return new Set(ids).size === ids.length;
}

/** What the format says of any table, and of any commit on it. */
function checkInvariants(base: TableMetadata, next: TableMetadata): void {
  const snapshotIds = Array.from(next.snapshots.items, (snapshot) => snapshot.snapshotId);
  expect(distinct(snapshotIds)).toBe(true);
  expect(distinct(next.schemas.map((schema) => schema.schemaId))).toBe(true);
  expect(distinct(next.specs.map((spec) => spec.specId))).toBe(true);
  expect(distinct(next.sortOrders.map((order) => order.orderId))).toBe(true);
  expect(next.refs.get("main")?.snapshotId).toBe(next.currentSnapshotId);
  for (const ref of next.refs.values()) expect(snapshotIds).toContain(ref.snapshotId);
  for (const entry of next.snapshotLog) expect(snapshotIds).toContain(entry.snapshotId);
  // A later update of the same request may well set statistics of what an earlier one removed.
  for (const file of base.partitionStatistics) {
    const removed =
      base.snapshots.find(file.snapshotId) !== undefined && !snapshotIds.includes(file.snapshotId);
    if (removed) expect(next.partitionStatistics).not.toContain(file);
  }
  for (const snapshot of next.snapshots.items) {
    expect(snapshot.sequenceNumber <= next.lastSequenceNumber).toBe(true);
    expect((snapshot.firstRowId ?? -1n) < next.nextRowId).toBe(true);
    expect(next.snapshots.find(snapshot.snapshotId)).toBe(snapshot);
  }
  for (const schema of next.schemas) {
    expect(schema.highestFieldId).toBeLessThanOrEqual(next.lastColumnId);
  }
  if (next.currentSnapshotId !== undefined) {
    expect(next.snapshotLog.at(-1)?.snapshotId).toBe(next.currentSnapshotId);
  }
  expect(next.formatVersion).toBeGreaterThanOrEqual(base.formatVersion);
  expect(next.lastColumnId).toBeGreaterThanOrEqual(base.lastColumnId);
  expect(next.lastPartitionId).toBeGreaterThanOrEqual(base.lastPartitionId);
  expect(next.lastSequenceNumber >= base.lastSequenceNumber).toBe(true);
  expect(next.nextRowId >= base.nextRowId).toBe(true);
  expect(next.lastUpdatedMs).toBeGreaterThanOrEqual(base.lastUpdatedMs);
  expect(next.uuid).toBe(base.uuid);
}

/** The model without the objects that only carry text. */
function shapeOf(table: TableMetadata): unknown {
  const { layout: _, snapshots, ...rest } = table;
  return JSON.parse(
    JSON.stringify({ ...rest, snapshots: snapshots.items }, (key, value: unknown) => {
      if (key === "fragment" || key === "byId" || key === "byName") return undefined;
      if (typeof value === "bigint") return `${value}n`;
      if (value instanceof ChunkedList) return value.toArray();
      return value instanceof Map ? [...value] : value;
    }),
  );
}

test("any sequence of commits keeps the format's invariants, and survives print and parse", () => {
  let committed = 0;
  const scenario = fc.tuple(
    fc.constantFrom("1", "2", "3"),
    fc.array(fc.tuple(fc.array(steps, { minLength: 1, maxLength: 2 }), fc.boolean()), {
      minLength: 1,
      maxLength: 14,
    }),
  );
  fc.assert(
    fc.property(scenario, ([version, requests]) => {
      let table = newTable({ "format-version": version });
      for (const [i, [request, reread]] of requests.entries()) {
        const before = printTableMetadata(table);
        let next = table;
        try {
          const options = { baseLocation: `s3://b/${i}` };
          next = commit(
            table,
            request.flatMap((step) => [...step(table)]),
            options,
          );
          if (next !== table) committed++;
        } catch (error) {
          // Steps of one request may contradict each other; then nothing happens at all.
          if (!(error instanceof FirnError)) throw error;
          expect(["Invalid", "Conflict"]).toContain(error.kind);
        }
        expect(printTableMetadata(table)).toBe(before);
        checkInvariants(table, next);
        const text = printTableMetadata(next);
        const again = parseTableMetadata(text);
        expect(printTableMetadata(again)).toBe(text);
        expect(shapeOf(again)).toEqual(shapeOf(next));
        table = reread ? again : next;
      }
    }),
    { numRuns: 150 },
  );
  expect(committed).toBeGreaterThan(300);
});
