import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { checkRequirements, isCreate, parseRequirements } from "../../src/iceberg/requirements.ts";
import { append, commit, failure, newTable, setRef, UUID } from "./support.ts";

const SNAPSHOT = 3051729675574597004n;
const table = commit(newTable(), [
  ...append(newTable(), SNAPSHOT),
  setRef("release", SNAPSHOT, "tag"),
]);
const OTHER_UUID = "00000000-0000-4000-8000-000000000000";
const ref = (name: string, id: bigint | null): JsonObject => ({
  type: "assert-ref-snapshot-id",
  ref: name,
  "snapshot-id": id,
});

/** Each requirement as it holds, as it fails, and the words that test kits compare. */
const CASES: readonly (readonly [JsonObject | undefined, JsonObject, string])[] = [
  [undefined, { type: "assert-create" }, "table already exists"],
  [
    { type: "assert-table-uuid", uuid: UUID.toUpperCase() },
    { type: "assert-table-uuid", uuid: OTHER_UUID },
    `UUID does not match: expected ${UUID} != ${OTHER_UUID}`,
  ],
  [
    ref("main", SNAPSHOT),
    ref("main", SNAPSHOT + 1n),
    `branch main has changed: expected id ${SNAPSHOT + 1n} != ${SNAPSHOT}`,
  ],
  [ref("absent", null), ref("main", null), "branch main was created concurrently"],
  [undefined, ref("release", null), "tag release was created concurrently"],
  [undefined, ref("absent", 1n), "branch or tag absent is missing, expected 1"],
  [
    { type: "assert-last-assigned-field-id", "last-assigned-field-id": 3 },
    { type: "assert-last-assigned-field-id", "last-assigned-field-id": 2 },
    "last assigned field id changed: expected id 2 != 3",
  ],
  [
    { type: "assert-current-schema-id", "current-schema-id": 0 },
    { type: "assert-current-schema-id", "current-schema-id": 1 },
    "current schema changed: expected id 1 != 0",
  ],
  [
    { type: "assert-last-assigned-partition-id", "last-assigned-partition-id": 999 },
    { type: "assert-last-assigned-partition-id", "last-assigned-partition-id": 1000 },
    "last assigned partition id changed: expected id 1000 != 999",
  ],
  [
    { type: "assert-default-spec-id", "default-spec-id": 0 },
    { type: "assert-default-spec-id", "default-spec-id": 4 },
    "default partition spec changed: expected id 4 != 0",
  ],
  [
    { type: "assert-default-sort-order-id", "default-sort-order-id": 0 },
    { type: "assert-default-sort-order-id", "default-sort-order-id": 1 },
    "default sort order changed: expected id 1 != 0",
  ],
];

test.each(CASES.map((c) => [c[2], c] as const))("%s", (words, [holds, fails]) => {
  if (holds !== undefined) checkRequirements(parseRequirements([holds]), table);
  const error = failure("Conflict", () => checkRequirements(parseRequirements([fails]), table));
  expect(error.code).toBe("REQUIREMENT_FAILED");
  expect(error.context["requirement"]).toBe(words);
});

test("one that fails is enough", () => {
  const both = CASES.flatMap(([holds, fails]) =>
    holds === undefined || fails["type"] === "assert-create" ? [] : [holds, fails],
  );
  failure("Conflict", () => checkRequirements(parseRequirements(both), table));
});

test("a table that does not exist can only be required not to", () => {
  const create = parseRequirements([{ type: "assert-create" }]);
  expect(isCreate(create)).toBe(true);
  checkRequirements(create, undefined);
  const uuid = parseRequirements([{ type: "assert-table-uuid", uuid: UUID }]);
  expect(isCreate(uuid)).toBe(false);
  const error = failure("Invalid", () => checkRequirements(uuid, undefined));
  expect(error.code).toBe("REQUIREMENT_INVALID");
});

test.each([
  ["REQUIREMENT_UNKNOWN", [{ type: "assert-moon-phase" }]],
  ["REQUIREMENT_UNKNOWN", [{ type: "assert-view-uuid", uuid: UUID }]],
  ["REQUIREMENT_INVALID", [{ type: "assert-create" }, ref("main", null)]],
  ["FIELD_MISSING", [{ type: "assert-current-schema-id" }]],
  ["FIELD_INVALID", [{ type: "assert-current-schema-id", "current-schema-id": "0" }]],
  ["FIELD_INVALID", [{ type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": 1.5 }]],
  ["FIELD_INVALID", [7]],
  ["FIELD_INVALID", "none"],
])("%s: %j", (code, value) => {
  expect(failure("Invalid", () => parseRequirements(value)).code).toBe(code);
});
