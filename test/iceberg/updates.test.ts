import { describe, expect, test } from "vitest";
import { type JsonObject, parseJson } from "../../src/base/json.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import { removedMetadataFiles } from "../../src/iceberg/metadata-log.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { parseUpdates } from "../../src/iceberg/updates.ts";
import { printTableMetadata } from "./printed.ts";
import {
  append,
  column,
  commit,
  DAY_SPEC,
  failure,
  NOW_MS,
  newTable,
  SCHEMA,
  schemaOf,
  setRef,
  UUID,
} from "./support.ts";

const WIDER = schemaOf(...(SCHEMA["fields"] as JsonObject[]), column(4, "more", "int"));
const addSchema = (schema: JsonObject): JsonObject => ({ action: "add-schema", schema });
const setSchema = (id: number): JsonObject => ({ action: "set-current-schema", "schema-id": id });
const addSpec = (spec: JsonObject): JsonObject => ({ action: "add-spec", spec });
const setSpec = (id: number): JsonObject => ({ action: "set-default-spec", "spec-id": id });
const addOrder = (order: JsonObject): JsonObject => ({
  action: "add-sort-order",
  "sort-order": order,
});
const setOrder = (id: number): JsonObject => ({
  action: "set-default-sort-order",
  "sort-order-id": id,
});
const BY_ID: JsonObject = {
  "order-id": 9,
  fields: [
    { transform: "identity", "source-id": 1, direction: "asc", "null-order": "nulls-first" },
  ],
};
const upgrade = (version: number): JsonObject => ({
  action: "upgrade-format-version",
  "format-version": version,
});
const setProperties = (updates: JsonObject): JsonObject => ({ action: "set-properties", updates });
const logOf = (m: TableMetadata): readonly bigint[] =>
  Array.from(m.snapshotLog, (e) => e.snapshotId);

describe("schemas", () => {
  test("a new one gets the next id, and -1 means it", () => {
    const next = commit(newTable(), [addSchema(WIDER), setSchema(-1)]);
    expect(next.schemas.map((schema) => schema.schemaId)).toEqual([0, 1]);
    expect(next.currentSchemaId).toBe(1);
    expect(next.lastColumnId).toBe(4);
  });

  test("an equal one is found again, whatever id it names", () => {
    const wider = commit(newTable(), [addSchema(WIDER), setSchema(-1)]);
    const back = commit(wider, [addSchema({ ...SCHEMA, "schema-id": 7 }), setSchema(-1)]);
    expect(back.schemas).toHaveLength(2);
    expect(back.currentSchemaId).toBe(0);
    expect(back.lastColumnId).toBe(4);
  });

  test("another doc or identifier makes another schema", () => {
    const [id, ...rest] = SCHEMA["fields"] as JsonObject[];
    const documented = schemaOf({ ...id, doc: "key" }, ...rest);
    const identified = { ...SCHEMA, "identifier-field-ids": [1] };
    const next = commit(newTable(), [addSchema(documented), addSchema(identified)]);
    expect(next.schemas).toHaveLength(3);
    expect(next.schemas[2]?.identifierFieldIds).toEqual([1]);
  });

  test("the last column id never falls, and ids of dropped columns stay used", () => {
    const narrow = schemaOf((SCHEMA["fields"] as JsonObject[])[0] as JsonObject);
    const next = commit(newTable(), [addSchema(narrow), setSchema(-1)]);
    expect(next.lastColumnId).toBe(3);
  });

  test.each([
    ["an unknown id", [setSchema(5)]],
    ["-1 without an added one", [setSchema(-1)]],
    ["removing the current one", [{ action: "remove-schemas", "schema-ids": [0] }]],
    ["an id twice", [addSchema(schemaOf(column(1, "a"), column(1, "b")))]],
    ["a name twice", [addSchema(schemaOf(column(1, "a"), column(2, "a")))]],
    ["an unknown type", [addSchema(schemaOf(column(1, "a", "varchar")))]],
    ["a type of version 3", [addSchema(schemaOf(column(1, "a", "timestamp_ns")))]],
    [
      "a default before version 3",
      [addSchema(schemaOf({ ...column(1, "a"), "initial-default": 1 }))],
    ],
    ["an identifier that is optional", [addSchema({ ...WIDER, "identifier-field-ids": [4] })]],
  ])("refuses %s", (_, updates) => {
    expect(failure("Invalid", () => commit(newTable(), updates)).code).toBe("SCHEMA_INVALID");
  });

  test("can be removed, except the current one", () => {
    const wider = commit(newTable(), [addSchema(WIDER), setSchema(-1)]);
    const next = commit(wider, [{ action: "remove-schemas", "schema-ids": [0, 99] }]);
    expect(next.schemas.map((schema) => schema.schemaId)).toEqual([1]);
  });

  test("a column that the default spec or order needs cannot go", () => {
    const [id, , data] = SCHEMA["fields"] as JsonObject[];
    const withoutTs = schemaOf(id as JsonObject, data as JsonObject);
    const partitioned = commit(newTable(), [addSpec(DAY_SPEC), setSpec(-1)]);
    const drop = (): unknown => commit(partitioned, [addSchema(withoutTs), setSchema(-1)]);
    expect(failure("Invalid", drop).code).toBe("PARTITION_SPEC_INVALID");
    expect(commit(newTable(), [addSchema(withoutTs), setSchema(-1)]).currentSchemaId).toBe(1);
  });
});

describe("partition specs and sort orders", () => {
  test("are numbered by the table and found again", () => {
    const first = commit(newTable(), [
      addSpec(DAY_SPEC),
      setSpec(-1),
      addOrder(BY_ID),
      setOrder(-1),
    ]);
    expect([first.defaultSpecId, first.lastPartitionId, first.defaultSortOrderId]).toEqual([
      1, 1000, 1,
    ]);
    const renamed = { ...DAY_SPEC, "spec-id": 40 };
    const again = commit(first, [
      setSpec(0),
      addSpec(renamed),
      setSpec(-1),
      addOrder(BY_ID),
      setOrder(-1),
    ]);
    expect(again.specs).toHaveLength(2);
    expect(again.sortOrders).toHaveLength(2);
    expect(again.defaultSpecId).toBe(1);
  });

  test("a field without an id gets that of the equal field in an older spec, else the next", () => {
    const fields = [
      { name: "id_bucket", transform: "bucket[16]", "source-id": 1 },
      { name: "day", transform: "DAY", "source-id": 2 },
    ];
    const first = commit(newTable(), [addSpec(DAY_SPEC), setSpec(-1)]);
    const next = commit(first, [addSpec({ fields }), setSpec(-1)]);
    expect(next.specs.at(-1)?.fields.map((field) => field.fieldId)).toEqual([1001, 1000]);
    expect(next.lastPartitionId).toBe(1001);
  });

  test("format version 1 needs sequential field ids", () => {
    const v1 = newTable({ "format-version": "1" });
    const gap = { fields: [{ name: "d", transform: "day", "source-id": 2, "field-id": 1001 }] };
    expect(failure("Invalid", () => commit(v1, [addSpec(gap)])).code).toBe(
      "PARTITION_SPEC_INVALID",
    );
    expect(commit(v1, [addSpec(DAY_SPEC)]).specs).toHaveLength(2);
  });

  const partition = (name: string, transform: string, source: number, id = 1000): JsonObject => ({
    name,
    transform,
    "source-id": source,
    "field-id": id,
  });

  test.each([
    ["no source column", [partition("x", "identity", 77)]],
    ["a transform that does not take the type", [partition("x", "hour", 3)]],
    ["a bucket count of 0", [partition("x", "bucket[0]", 1)]],
    ["the name of another column", [partition("data", "day", 2)]],
    ["a name twice", [partition("a", "day", 2), partition("a", "hour", 2, 1001)]],
    ["a field id twice", [partition("a", "day", 2), partition("b", "hour", 2)]],
  ])("a spec with %s is refused", (_, fields) => {
    const run = (): unknown => commit(newTable(), [addSpec({ fields })]);
    expect(failure("Invalid", run).code).toBe("PARTITION_SPEC_INVALID");
  });

  test("defaults must exist and stay", () => {
    const remove = { action: "remove-partition-specs", "spec-ids": [0] };
    for (const update of [setSpec(3), setSpec(-1), remove]) {
      const { code } = failure("Invalid", () => commit(newTable(), [update]));
      expect(code).toBe("PARTITION_SPEC_INVALID");
    }
    for (const update of [setOrder(3), setOrder(-1), addOrder({ "order-id": 3, fields: [] })]) {
      const { code } = failure("Invalid", () => commit(newTable(), [update]));
      expect(code).toBe("SORT_ORDER_INVALID");
    }
    const evolved = commit(newTable(), [addSpec(DAY_SPEC), setSpec(-1)]);
    expect(commit(evolved, [remove]).specs.map((spec) => spec.specId)).toEqual([1]);
  });
});

const S1 = 3051729675574597004n;
const S2 = 3055729675574597005n;
const S3 = 9223372036854775807n;
const one = commit(newTable(), append(newTable(), S1));
const two = commit(one, append(one, S2));

describe("snapshots and references", () => {
  test("appending moves main, the sequence number and the log", () => {
    expect(two.currentSnapshotId).toBe(S2);
    expect(two.lastSequenceNumber).toBe(2n);
    expect(logOf(two)).toEqual([S1, S2]);
    expect(two.snapshots.find(S2)?.parentSnapshotId).toBe(S1);
  });

  test("the base stays as it was, and shares what did not change", () => {
    expect(one.snapshots.items).toHaveLength(1);
    expect(one.snapshots.has(S2)).toBe(false);
    expect(two.snapshots.items.at(0)).toBe(one.snapshots.items.at(0));
    const rival = commit(one, append(one, S3));
    expect([rival.snapshots.has(S2), rival.snapshots.has(S3)]).toEqual([false, true]);
    expect(two.snapshots.find(S2)?.snapshotId).toBe(S2);
    // The id of one history at another position of its rival's.
    const late = commit(rival, append(rival, S2));
    expect(late.snapshots.find(S2)).toBe(late.snapshots.items.at(2));
    expect(two.snapshots.find(S2)).toBe(two.snapshots.items.at(1));
  });

  test.each([2n, 1n])("a sequence number of %s after 2 is stale", (sequence) => {
    const updates = append(two, S3, { "sequence-number": sequence });
    expect(failure("Conflict", () => commit(two, updates)).code).toBe("COMMIT_STALE_SEQUENCE");
  });

  test("a snapshot without a parent may share the last sequence number, not go below it", () => {
    const orphan = (sequence: bigint): readonly JsonObject[] =>
      append(two, S3, { "sequence-number": sequence }, "replaced");
    expect(commit(two, orphan(2n)).lastSequenceNumber).toBe(2n);
    expect(failure("Conflict", () => commit(two, orphan(1n))).code).toBe("COMMIT_STALE_SEQUENCE");
  });

  test("a taken id is refused, and a reference to nothing", () => {
    expect(failure("Invalid", () => commit(two, append(two, S1))).code).toBe("SNAPSHOT_INVALID");
    for (const update of [setRef("b", S3), setRef("main", S1, "tag"), setRef("b", S1, "leaf")]) {
      expect(failure("Invalid", () => commit(two, [update])).code).toBe("SNAPSHOT_REF_INVALID");
    }
  });

  test("a rollback is logged at its own time, under the older snapshot", () => {
    const back = commit(two, [setRef("main", S1)]);
    expect(logOf(back)).toEqual([S1, S2, S1]);
    expect(back.snapshotLog.at(-1)?.timestampMs).toBe(back.lastUpdatedMs);
    expect(commit(two, [setRef("main", S2)])).toBe(two);
  });

  test("snapshots that main only passed in one request leave no trace in the log", () => {
    const base = newTable();
    const first = append(base, S1);
    const second = append(base, S2, { "sequence-number": 2, "parent-snapshot-id": S1 });
    const both = commit(base, [...first, ...second]);
    expect(logOf(both)).toEqual([S2]);
    expect(both.snapshots.items).toHaveLength(2);
    const stay = commit(one, [...append(one, S2), setRef("main", S1)]);
    expect(logOf(stay)).toEqual([S1, S1]);
  });
});

describe("snapshots that are removed, and statistics", () => {
  test("removing a snapshot removes what names it, and the log before it", () => {
    const three = commit(two, [...append(two, S3), setRef("old", S2, "tag")]);
    const file = { "snapshot-id": S2, "statistics-path": "s3://b/x", "file-size-in-bytes": 1 };
    const statistics = { ...file, "file-footer-size-in-bytes": 1, "blob-metadata": [] };
    const withFiles = commit(three, [
      { action: "set-statistics", statistics },
      { action: "set-partition-statistics", "partition-statistics": file },
    ]);
    expect(withFiles.statistics).toHaveLength(1);
    const removed = commit(withFiles, [{ action: "remove-snapshots", "snapshot-ids": [S2, 5] }]);
    expect(Array.from(removed.snapshots.items, (s) => s.snapshotId)).toEqual([S1, S3]);
    expect([...removed.refs.keys()]).toEqual(["main"]);
    expect([...removed.statistics, ...removed.partitionStatistics]).toEqual([]);
    expect(logOf(removed)).toEqual([S3]);
    const none = commit(removed, [{ action: "remove-snapshots", "snapshot-ids": [S3] }]);
    expect(none.currentSnapshotId).toBeUndefined();
    expect(none.refs.size).toBe(0);
    expect(logOf(none)).toEqual([]);
  });

  test("without main there is no current snapshot; removing nothing changes nothing", () => {
    const remove = (name: string): JsonObject => ({
      action: "remove-snapshot-ref",
      "ref-name": name,
    });
    expect(commit(two, [remove("main")]).currentSnapshotId).toBeUndefined();
    expect(commit(two, [remove("other")])).toBe(two);
  });

  test("a snapshot from a clock that is ahead says when the table was updated", () => {
    const ahead = (ms: number): readonly JsonObject[] =>
      append(two, S3, { "timestamp-ms": two.lastUpdatedMs + 1_000 + ms });
    for (const ms of [59_000, 61_000, 3_600_000]) {
      const next = commit(two, ahead(ms));
      expect(next.lastUpdatedMs).toBe(two.lastUpdatedMs + 1_000 + ms);
      expect(next.lastUpdatedMs).toBe(next.snapshotLog.at(-1)?.timestampMs);
      expect(parseTableMetadata(printTableMetadata(next)).lastUpdatedMs).toBe(next.lastUpdatedMs);
    }
    expect(failure("Invalid", () => commit(two, ahead(-99_000))).code).toBe("SNAPSHOT_INVALID");
  });

  test("statistics of a snapshot are replaced, and removed", () => {
    const file = (path: string): JsonObject => ({
      "snapshot-id": S1,
      "statistics-path": path,
      "file-size-in-bytes": 9007199254740993n,
    });
    const set = (path: string): JsonObject => ({
      action: "set-partition-statistics",
      "partition-statistics": file(path),
    });
    const next = commit(two, [set("a"), set("b")]);
    expect(next.partitionStatistics.map((f) => f.path)).toEqual(["b"]);
    expect(printTableMetadata(next)).toContain('"file-size-in-bytes":9007199254740993');
    const removal = { action: "remove-partition-statistics", "snapshot-id": S1 };
    expect(commit(next, [removal]).partitionStatistics).toEqual([]);
  });
});

describe("format versions", () => {
  test("never decrease", () => {
    expect(commit(newTable(), [upgrade(2)])).toMatchObject({ formatVersion: 2 });
    for (const version of [1, 4, 0]) {
      const { code } = failure("Invalid", () => commit(newTable(), [upgrade(version)]));
      expect(code).toBe("FORMAT_VERSION_INVALID");
    }
  });

  test("from 1 to 3: the members of the older version go, those of the newer come", () => {
    const v1 = newTable({ "format-version": "1" });
    expect(printTableMetadata(v1)).toContain('"schema":{');
    const v3 = commit(v1, [upgrade(3)]);
    const members = Object.keys(JSON.parse(printTableMetadata(v3)) as object);
    expect(members).toEqual(expect.arrayContaining(["last-sequence-number", "next-row-id"]));
    expect(members).not.toEqual(expect.arrayContaining(["schema"]));
    expect(members).not.toEqual(expect.arrayContaining(["partition-spec"]));
  });

  test("version 3 assigns rows, and refuses a snapshot made before others", () => {
    const v3 = newTable({ "format-version": "3" });
    const rows = (first: bigint, added: bigint): JsonObject => ({
      "first-row-id": first,
      "added-rows": added,
    });
    const one = commit(v3, append(v3, 1n, rows(0n, 10n)));
    expect(one.nextRowId).toBe(10n);
    const stale = append(one, 2n, rows(9n, 1n));
    expect(failure("Conflict", () => commit(one, stale)).code).toBe("COMMIT_STALE_ROW_ID");
    expect(commit(one, append(one, 2n, rows(12n, 1n))).nextRowId).toBe(13n);
    expect(failure("Invalid", () => commit(one, append(one, 2n))).code).toBe("SNAPSHOT_INVALID");
    const all = append(one, 2n, rows(2n ** 63n - 1n, 1n));
    expect(failure("Invalid", () => commit(one, all)).code).toBe("SNAPSHOT_INVALID");
  });
});

describe("the rest", () => {
  test("properties and location; setting what is set changes nothing", () => {
    const next = commit(newTable(), [
      setProperties(parseJson('{"b":"1","10":"x","a":"2"}') as JsonObject),
      { action: "set-properties", updated: { legacy: "y" } },
      { action: "remove-properties", removals: ["a", "absent"] },
      { action: "remove-properties", removed: ["legacy"] },
      { action: "set-location", location: "s3://bucket/elsewhere/" },
    ]);
    expect(next.location).toBe("s3://bucket/elsewhere");
    expect([...next.properties.keys()].slice(-2)).toEqual(["b", "10"]);
    expect(commit(next, [setProperties({ b: "1" })])).toBe(next);
    expect(commit(next, [{ action: "remove-properties", removals: ["absent"] }])).toBe(next);
    const same = parseTableMetadata(printTableMetadata(next));
    expect([...same.properties]).toEqual([...next.properties]);
  });

  test("a property named like a member of every object is a property like others", () => {
    const next = commit(newTable(), [setProperties({ constructor: "a", toString: "b" })]);
    const again = parseTableMetadata(printTableMetadata(next));
    expect(again.properties.get("constructor")).toBe("a");
    expect(newTable().properties.get("toString")).toBeUndefined();
  });

  test("a uuid is assigned once", () => {
    const assign = (uuid: string): JsonObject => ({ action: "assign-uuid", uuid });
    const table = newTable();
    expect(commit(table, [assign(UUID.toUpperCase())])).toBe(table);
    const other = assign("00000000-0000-4000-8000-000000000000");
    expect(failure("Invalid", () => commit(newTable(), [other])).code).toBe("UPDATE_INVALID");
    expect(failure("Invalid", () => parseUpdates([assign("mine")])).code).toBe("FIELD_INVALID");
  });

  test("encryption keys are kept whole, and added once", () => {
    const key = { "key-id": "k", "encrypted-key-metadata": "AAEC", properties: { a: "b" } };
    const add = { action: "add-encryption-key", "encryption-key": key };
    const next = commit(newTable(), [add, add]);
    expect(printTableMetadata(next)).toContain(`"encryption-keys":[${JSON.stringify(key)}]`);
    const removed = commit(next, [{ action: "remove-encryption-key", "key-id": "k" }]);
    expect(printTableMetadata(removed)).not.toContain("encryption-keys");
  });

  test("the metadata log holds the base's file, and no more than it may", () => {
    let table = newTable({ "write.metadata.previous-versions-max": "3" });
    for (let i = 0; i < 5; i++) {
      const baseLocation = `s3://m/${i}`;
      table = commit(table, [setProperties({ i: String(i) })], { baseLocation });
    }
    expect(Array.from(table.metadataLog, (e) => e.metadataFile)).toEqual([
      "s3://m/2",
      "s3://m/3",
      "s3://m/4",
    ]);
    const trim = setProperties({ "write.metadata.previous-versions-max": "1" });
    const kept = commit(table, [trim], { baseLocation: "s3://m/5" });
    expect(Array.from(kept.metadataLog, (e) => e.metadataFile)).toEqual(["s3://m/5"]);
    expect(removedMetadataFiles(table, kept)).toEqual([]);
    const clean = setProperties({ "write.metadata.delete-after-commit.enabled": "true" });
    const cleaned = commit(table, [trim, clean], { baseLocation: "s3://m/5" });
    expect(removedMetadataFiles(table, cleaned)).toEqual(["s3://m/2", "s3://m/3", "s3://m/4"]);
  });

  test("time never runs backwards", () => {
    const next = commit(newTable(), [setProperties({ a: "b" })], { nowMs: NOW_MS - 5_000_000 });
    expect(next.lastUpdatedMs).toBe(NOW_MS);
  });

  test("updates that no table has, or that are not whole", () => {
    const code = (value: Parameters<typeof parseUpdates>[0]): string =>
      failure("Invalid", () => parseUpdates(value)).code;
    expect(code([{ action: "drop-everything" }])).toBe("UPDATE_UNKNOWN");
    expect(code([{ action: "add-view-version" }])).toBe("UPDATE_UNKNOWN");
    expect(code([{ action: "constructor" }])).toBe("UPDATE_UNKNOWN");
    expect(code([{ action: "set-location" }])).toBe("FIELD_MISSING");
    expect(code([{ action: "set-properties", updates: { a: 1 } }])).toBe("FIELD_INVALID");
    expect(code([{ action: "remove-snapshots", "snapshot-ids": ["1"] }])).toBe("FIELD_INVALID");
    expect(code({})).toBe("FIELD_INVALID");
    expect(code([null])).toBe("FIELD_INVALID");
  });
});

describe("a staged create", () => {
  const updates: readonly JsonObject[] = [
    { action: "assign-uuid", uuid: UUID },
    upgrade(2),
    addSchema(SCHEMA),
    setSchema(-1),
    addSpec({ "spec-id": 0, type: "struct", fields: [] }),
    setSpec(-1),
    addOrder({ "order-id": 0, fields: [] }),
    setOrder(-1),
    { action: "set-location", location: "s3://bucket/ns/tbl" },
    setProperties({ owner: "me" }),
  ];

  test("makes what a create makes", () => {
    const staged = commit(undefined, updates, { nowMs: NOW_MS });
    const created = newTable();
    expect([...staged.properties]).toEqual([["owner", "me"]]);
    const comparable = (m: TableMetadata): string =>
      printTableMetadata({ ...m, properties: new Map() });
    expect(comparable(staged)).toBe(comparable(created));
  });

  test("takes its first snapshot along, and its version from any place", () => {
    const v3 = updates.filter((update) => update["action"] !== "upgrade-format-version");
    const table = commit(undefined, [...v3, upgrade(3)]);
    expect(table.formatVersion).toBe(3);
    const first = append(newTable(), 7n);
    expect(commit(undefined, [...updates, ...first]).currentSnapshotId).toBe(7n);
  });

  test.each(["assign-uuid", "add-schema", "add-spec", "add-sort-order", "set-location"])(
    "is refused without %s",
    (action) => {
      const rest = updates.filter((update) => update["action"] !== action);
      failure("Invalid", () => commit(undefined, rest));
    },
  );

  test("has the uuid of the caller where the updates assign none", () => {
    const rest = updates.filter((update) => update["action"] !== "assign-uuid");
    expect(commit(undefined, rest, { uuid: UUID }).uuid).toBe(UUID);
  });
});
