import fc from "fast-check";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { printTableMetadata } from "./printed.ts";
import { append, column, commit, NOW_MS, newTable, setRef } from "./support.ts";

const few = fc.nat(3);
const id = fc.nat(4).map((n) => BigInt(n) + 1n);

/** Updates that mean the same alone and among others: none of them says "the last one added". */
const update: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.dictionary(fc.constantFrom("p", "q", "5"), fc.constantFrom("1", "2")).map((updates) => ({
    action: "set-properties",
    updates: { ...updates },
  })),
  fc
    .uniqueArray(fc.constantFrom("p", "q", "5"))
    .map((removals) => ({ action: "remove-properties", removals })),
  fc.tuple(fc.constantFrom("main", "r", "s"), id).map(([name, of]) => setRef(name, of)),
  fc
    .constantFrom("main", "r", "s")
    .map((name) => ({ action: "remove-snapshot-ref", "ref-name": name })),
  fc
    .uniqueArray(id, { maxLength: 3 })
    .map((ids) => ({ action: "remove-snapshots", "snapshot-ids": ids })),
  fc.tuple(id, fc.integer({ min: 5, max: 8 })).map(([of, sequence]) => ({
    action: "add-snapshot",
    snapshot: {
      "snapshot-id": of,
      "sequence-number": sequence,
      "timestamp-ms": NOW_MS + 2_000,
      summary: { operation: "append" },
      "manifest-list": "s3://b/m",
    },
  })),
  fc.array(fc.constantFrom("x", "y"), { maxLength: 1 }).map((names) => ({
    action: "add-schema",
    schema: {
      type: "struct",
      fields: ["id", ...names].map((name, i) => ({ ...column(i + 1, name), required: i === 0 })),
    },
  })),
  fc
    .uniqueArray(few, { maxLength: 2 })
    .map((ids) => ({ action: "remove-schemas", "schema-ids": ids })),
  fc.tuple(few, few).map(([n, width]) => ({
    action: "add-spec",
    spec: { fields: [{ name: `f${n}`, transform: `bucket[${width + 1}]`, "source-id": 1 }] },
  })),
  fc
    .uniqueArray(few, { maxLength: 2 })
    .map((ids) => ({ action: "remove-partition-specs", "spec-ids": ids })),
  few.map((width) => {
    const to = { direction: "asc", "null-order": "nulls-last" };
    const fields = [{ transform: `bucket[${width + 1}]`, "source-id": 1, ...to }];
    return { action: "add-sort-order", "sort-order": { "order-id": 1, fields } };
  }),
  few.map((n) => ({ action: "set-default-sort-order", "sort-order-id": n })),
  fc.tuple(id, few).map(([of, n]) => ({
    action: "set-partition-statistics",
    "partition-statistics": {
      "snapshot-id": of,
      "statistics-path": `s3://b/${n}`,
      "file-size-in-bytes": 1,
    },
  })),
  id.map((of) => ({ action: "remove-partition-statistics", "snapshot-id": of })),
  few.map((n) => ({
    action: "add-encryption-key",
    "encryption-key": { "key-id": `k${n}`, "encrypted-key-metadata": "AAAA" },
  })),
  few.map((n) => ({ action: "remove-encryption-key", "key-id": `k${n}` })),
);

function startingTable(): TableMetadata {
  let table = newTable();
  for (const snapshotId of [1n, 2n, 3n]) table = commit(table, append(table, snapshotId));
  return commit(table, [setRef("r", 2n), { action: "set-properties", updates: { p: "1" } }]);
}

/** All but the times and logs, which are of the commit rather than of its updates. */
function partsOf(table: TableMetadata): unknown {
  const parsed = JSON.parse(printTableMetadata(table));
  for (const name of ["last-updated-ms", "snapshot-log", "metadata-log"]) delete parsed[name];
  return JSON.stringify(parsed);
}

test("updates of one request come to what they come to one by one", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(update, { minLength: 2, maxLength: 12 }), (updates) => {
      const base = startingTable();
      const nowMs = NOW_MS + 60_000;
      let one: TableMetadata = base;
      try {
        for (const each of updates) one = commit(one, [each], { nowMs });
      } catch (error) {
        if (!(error instanceof FirnError)) throw error;
        return;
      }
      expect(partsOf(commit(base, updates, { nowMs }))).toBe(partsOf(one));
      compared++;
    }),
    { numRuns: 800 },
  );
  expect(compared).toBeGreaterThan(100);
});
