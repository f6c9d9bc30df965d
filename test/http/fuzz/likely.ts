import fc from "fast-check";
import { raw } from "./text.ts";

/**
 * What makes sense at a place of the contract, so that most requests get past the checks of their
 * shape and leave something behind: by the name of a schema, or of a member wherever it stands.
 */

/** Snapshot ids, most of them beyond what a double holds. */
const snapshotId = fc.oneof(
  { arbitrary: fc.constant(raw("11")), weight: 4 },
  fc.constantFrom(raw("12"), raw("9007199254740993"), raw("9223372036854775807"), raw("-1")),
);
const small = fc.constantFrom(0, 0, 0, 1, 1, 2, -1);
const file = fc.constantFrom("@location@/metadata/snap-11.avro", "@location@/data/1.puffin");
const relation = fc.constantFrom("t", "t", "u", "v", "w");
const primitive = fc.constantFrom(
  "long",
  "string",
  "int",
  "boolean",
  "date",
  "timestamp",
  "timestamptz",
  "decimal(9,2)",
  "uuid",
  "fixed[3]",
  "binary",
  "double",
  "timestamp_ns",
  "unknown",
  "variant",
);

const field = fc.record(
  {
    id: fc.integer({ min: 1, max: 5 }),
    name: fc.constantFrom("a", "b", "c", "d"),
    type: fc.oneof({ arbitrary: fc.constantFrom("long", "string"), weight: 3 }, primitive),
    required: fc.boolean(),
    doc: fc.constant("said of it"),
  },
  { requiredKeys: ["id", "name", "type", "required"] },
);

/** The columns that the table of every episode has, so that specs and orders find theirs. */
const known = [
  { id: 1, name: "a", type: "long", required: false },
  { id: 2, name: "b", type: "string", required: false },
];
const others = fc
  .uniqueArray(field, { selector: ({ id }) => id, maxLength: 4 })
  .map((fields) => fields.map((each) => ({ ...each, name: `${each.name}${each.id}` })));
const schema = fc.record({
  type: fc.constant("struct"),
  fields: fc.oneof(
    fc.constant(known),
    others.map((more) => [...known, ...more.filter(({ id }) => id > 2)]),
    others,
  ),
});

export const LIKELY_SCHEMAS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Namespace: fc.oneof(
    { arbitrary: fc.constant(["@ns@"]), weight: 4 },
    fc.constantFrom(["@ns@", "child"], ["@ns@", "child", "grandchild"], ["@ns@-2"]),
  ),
  Schema: schema,
  PrimitiveType: primitive,
  Transform: fc.constantFrom("identity", "bucket[4]", "truncate[2]", "void", "year", "day"),
  PageToken: fc.constantFrom("", "x"),
};

export const LIKELY_MEMBERS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  "snapshot-id": snapshotId,
  "parent-snapshot-id": snapshotId,
  "snapshot-ids": fc.array(snapshotId, { maxLength: 2 }),
  "sequence-number": fc.constantFrom(raw("next-sequence"), raw("next-sequence"), 0, 1),
  "timestamp-ms": fc.constantFrom(raw("now"), raw("now"), 1),
  "first-row-id": fc.constantFrom(0, raw("next-row"), raw("next-row")),
  "manifest-list": file,
  "statistics-path": file,
  "schema-id": small,
  "schema-ids": fc.constantFrom([1], [2], [0, 1], []),
  "current-schema-id": small,
  "spec-id": small,
  "spec-ids": fc.constantFrom([1], [2], [0, 1], []),
  "default-spec-id": small,
  "order-id": fc.constantFrom(1, 1, 2, 0),
  "sort-order-id": fc.constantFrom(-1, -1, 0, 1),
  "default-sort-order-id": small,
  "last-assigned-field-id": fc.constantFrom(2, 3),
  "last-assigned-partition-id": fc.constantFrom(999, 1000),
  "last-column-id": fc.constantFrom(2, 5),
  "source-id": fc.constantFrom(1, 2),
  "field-id": fc.constantFrom(1000, 1001),
  "view-version-id": fc.constantFrom(-1, -1, 1, 2),
  "version-id": fc.constantFrom(1, 2, 3),
  "format-version": fc.constantFrom(1, 2, 3, 3),
  "identifier-field-ids": fc.constantFrom([], [1]),
  uuid: fc.constantFrom("@uuid@", "@uuid@", "00000000-0000-4000-8000-000000000000"),
  ref: fc.constantFrom("main", "main", "side"),
  "ref-name": fc.constantFrom("main", "main", "side"),
  name: relation,
  table: relation,
  location: fc.constantFrom("@location@", "@location@-2", "@location@/below"),
  "metadata-location": fc.constantFrom("@metadata@", "@metadata@", "@location@/metadata/no.json"),
  "default-namespace": fc.constant(["@ns@"]),
  dialect: fc.constantFrom("spark", "trino"),
  "key-id": fc.constantFrom("k1", "k1", "k2"),
  "encrypted-key-metadata": fc.constant("a2V5"),
  "report-type": fc.constantFrom("scan-report", "commit-report"),
  overwrite: fc.boolean(),
};

/** Members whose sense depends on what they are a member of: `Schema.member`. */
export const LIKELY_PLACES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // The names that an episode begins with.
  "RenameTableRequest.source": fc.constantFrom(
    { namespace: ["@ns@"], name: "t" },
    { namespace: ["@ns@"], name: "v" },
  ),
  "StructField.name": fc.constantFrom("a", "b", "c"),
  "PartitionField.name": fc.constantFrom("p", "q"),
  "TransformTerm.type": fc.constant("transform"),
  "ViewVersion.schema-id": fc.constantFrom(0, 0, -1),
  "SQLViewRepresentation.type": fc.constant("sql"),
  "CommitTableRequest.requirements": fc.oneof(
    { arbitrary: fc.constantFrom([], [{ type: "assert-table-uuid", uuid: "@uuid@" }]), weight: 4 },
    fc.constantFrom(
      [{ type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": 11 }],
      [{ type: "assert-ref-snapshot-id", ref: "side", "snapshot-id": null }],
      [{ type: "assert-last-assigned-field-id", "last-assigned-field-id": 2 }],
      [{ type: "assert-last-assigned-partition-id", "last-assigned-partition-id": 999 }],
      [{ type: "assert-current-schema-id", "current-schema-id": 0 }],
      [{ type: "assert-default-spec-id", "default-spec-id": 0 }],
      [{ type: "assert-default-sort-order-id", "default-sort-order-id": 0 }],
    ),
  ),
  "CommitViewRequest.requirements": fc.constantFrom(
    [],
    [{ type: "assert-view-uuid", uuid: "@uuid@" }],
  ),
};

/** Bodies that make sense only as a whole, by their operation. */
export const LIKELY_BODIES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // What follows a staged create.
  "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}": fc.constant({
    requirements: [{ type: "assert-create" }],
    updates: [
      { action: "assign-uuid", uuid: "0193f3c4-2f5b-4a3c-8d2e-@number@" },
      { action: "upgrade-format-version", "format-version": 2 },
      { action: "add-schema", schema: { type: "struct", fields: known } },
      { action: "set-current-schema", "schema-id": -1 },
      { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
      { action: "set-default-spec", "spec-id": -1 },
      { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
      { action: "set-default-sort-order", "sort-order-id": -1 },
      { action: "set-location", location: "@location@-u" },
    ],
  }),
};
