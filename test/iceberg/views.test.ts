import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import {
  currentVersion,
  parseViewMetadata,
  type ViewMetadata,
} from "../../src/iceberg/view-metadata.ts";
import {
  checkViewRequirements,
  parseViewRequirements,
  parseViewUpdates,
} from "../../src/iceberg/view-updates.ts";
import { printViewMetadata } from "./printed.ts";
import { column, failure, NOW_MS, SCHEMA, schemaOf, UUID } from "./support.ts";
import {
  commitView,
  LATER_MS,
  newView,
  replacing,
  setCurrent,
  setProperties,
  sql,
  versionOf,
} from "./view-support.ts";

const idsOf = (view: ViewMetadata): number[] => view.versions.map(({ versionId }) => versionId);
const logOf = (view: ViewMetadata): number[][] =>
  view.history.map(({ versionId, timestampMs }) => [versionId, timestampMs]);
const code = (run: () => unknown): string => failure("Invalid", run).code;

describe("a new view", () => {
  test("has schema 0 and version 1, whatever the request called them", () => {
    const { uuid: _, ...view } = newView({ k: "v" });
    expect(view.schemas.map(({ schemaId }) => schemaId)).toEqual([0]);
    expect(view.schemas[0]?.highestFieldId).toBe(3);
    expect(idsOf(newView())).toEqual([1]);
    expect(logOf(newView())).toEqual([[1, NOW_MS]]);
  });

  test("prints its members in the order of Iceberg's own writers", () => {
    expect(JSON.parse(printViewMetadata(newView({ k: "v" })))).toEqual({
      "view-uuid": UUID,
      "format-version": 1,
      location: "s3://bucket/ns/view",
      properties: { k: "v" },
      schemas: [{ ...SCHEMA, "schema-id": 0 }],
      "current-version-id": 1,
      versions: [versionOf([sql("spark")], { "schema-id": 0 })],
      "version-log": [{ "timestamp-ms": NOW_MS, "version-id": 1 }],
    });
    expect(printViewMetadata(newView())).toMatch(
      /^\{"view-uuid":.*"format-version":.*"location":.*"schemas":.*"current-version-id":/,
    );
  });
});

describe("versions", () => {
  test("get the next id, even if the client sent another one", () => {
    const next = commitView(newView(), ...replacing([sql("spark", "select 2")]));
    expect(idsOf(next)).toEqual([1, 2]);
    expect(next.currentVersionId).toBe(2);
    expect(logOf(next)).toEqual([
      [1, NOW_MS],
      [2, NOW_MS],
    ]);
  });

  test("that behave the same are one, also where -1 means them", () => {
    const two = commitView(newView(), ...replacing([sql("spark", "select 2")]));
    const same = replacing([sql("spark")], { "timestamp-ms": NOW_MS + 9, "version-id": 7 });
    const back = commitView(two, ...same);
    expect(idsOf(back)).toEqual([1, 2]);
    expect(back.currentVersionId).toBe(1);
    // The version is of old, so it became current when the commit was made.
    expect(logOf(back).at(-1)).toEqual([1, LATER_MS]);
    expect(commitView(two, ...replacing([sql("spark", "select 2")]))).toBe(two);
  });

  test.each([
    ["query", replacing([sql("spark", "select 3")])],
    ["dialect", replacing([sql("spark"), sql("trino")])],
    ["default catalog", replacing([sql("spark")], { "default-catalog": null })],
    ["default namespace", replacing([sql("spark")], { "default-namespace": ["a.b"] })],
    ["summary", replacing([sql("spark")], { summary: {} })],
  ])("that differ in their %s are two", (_what, updates) => {
    expect(idsOf(commitView(newView(), ...updates))).toEqual([1, 2]);
  });

  test("name the schema that was added last by -1, also an equal one that was there", () => {
    const schema = schemaOf(column(7, "other"));
    const add = { action: "add-schema", schema };
    const update = replacing([sql("spark", "select other")], { "schema-id": -1 });
    const next = commitView(newView(), add, ...update);
    expect(next.schemas.map(({ schemaId }) => schemaId)).toEqual([0, 1]);
    expect(currentVersion(next)?.schemaId).toBe(1);
    const again = commitView(next, add, ...replacing([sql("spark", "x")], { "schema-id": -1 }));
    expect(again.schemas).toHaveLength(2);
    expect(currentVersion(again)?.schemaId).toBe(1);
  });

  test.each<[string, readonly JsonObject[]]>([
    ["schema", replacing([sql("spark")], { "schema-id": 9 })],
    ["schema -1", replacing([sql("spark")], { "schema-id": -1 })],
    ["version", [setCurrent(9)]],
    ["version -1", [setCurrent(-1)]],
  ])("refuse an unknown %s", (_what, updates) => {
    expect(code(() => commitView(newView(), ...updates))).toBe("VIEW_VERSION_INVALID");
  });

  test("have a query, in SQL, and one a dialect in any case of its name", () => {
    const add =
      (...queries: JsonObject[]) =>
      () =>
        commitView(newView(), ...replacing(queries));
    expect(code(add())).toBe("VIEW_VERSION_INVALID");
    expect(code(add(sql("spark"), { type: "plan" }))).toBe("VIEW_VERSION_INVALID");
    const twice = failure("Invalid", add(sql("spark"), sql("trino"), sql("TRINO", "x")));
    expect(twice.code).toBe("VIEW_DIALECT_REPEATED");
    expect(twice.context).toMatchObject({ dialect: "trino" });
  });
});

describe("a dialect", () => {
  const both = commitView(newView(), ...replacing([sql("spark"), sql("trino")]));

  test("is not dropped by a replace, in any case of its name", () => {
    expect(code(() => commitView(both, ...replacing([sql("trino")])))).toBe("VIEW_DIALECT_DROPPED");
    expect(code(() => commitView(both, setCurrent(1)))).toBe("VIEW_DIALECT_DROPPED");
    const kept = commitView(both, ...replacing([sql("Trino", "t"), sql("SPARK", "s")]));
    expect(kept.currentVersionId).toBe(3);
  });

  test("is dropped where the property allows it, if only in the same request", () => {
    const allow = setProperties({ "replace.drop-dialect.allowed": "TRUE" });
    const less = commitView(both, ...replacing([sql("trino")]), allow);
    expect([...(currentVersion(less)?.representations ?? [])]).toEqual([sql("trino")]);
    const deny = setProperties({ "replace.drop-dialect.allowed": "no" });
    const more = commitView(less, ...replacing([sql("trino"), sql("spark")]), deny);
    expect(code(() => commitView(more, setCurrent(less.currentVersionId)))).toBe(
      "VIEW_DIALECT_DROPPED",
    );
  });
});

describe("history", () => {
  const SIZE = "version.history.num-entries";
  const replaced = (view: ViewMetadata, times: number): ViewMetadata => {
    let next = view;
    for (let i = 0; i < times; i++) {
      next = commitView(
        next,
        ...replacing([sql("spark", `select ${next.versions.at(-1)?.versionId}`)]),
      );
    }
    return next;
  };

  test("keeps ten versions, the newest, and what the log says of them", () => {
    const view = replaced(newView(), 12);
    expect(idsOf(view)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(logOf(view).map(([id]) => id)).toEqual(idsOf(view));
  });

  test("keeps as many as the property says, the current one always", () => {
    const five = replaced(newView(), 4);
    const back = commitView(five, setCurrent(1), setProperties({ [SIZE]: "2" }));
    expect(idsOf(back)).toEqual([1, 5]);
    // What was logged before a version that is gone would claim a succession that never was.
    expect(logOf(back).map(([id]) => id)).toEqual([5, 1]);
  });

  test("keeps all that one request adds", () => {
    const many = ["x", "y", "z"].flatMap((text) => replacing([sql("spark", text)]));
    const view = commitView(newView({ [SIZE]: "1" }), ...many);
    expect(idsOf(view)).toEqual([2, 3, 4]);
    expect(logOf(view).map(([id]) => id)).toEqual([4]);
  });

  test.each(["0", "-1", "x", "1.5", ""])("of size %j is refused", (size) => {
    const update = setProperties({ [SIZE]: size });
    expect(code(() => commitView(newView(), update))).toBe("VIEW_PROPERTY_INVALID");
  });
});

describe("other updates", () => {
  test("set and remove properties, move the view, and give the base where nothing changes", () => {
    const view = newView({ a: "1" });
    const next = commitView(
      view,
      setProperties({ b: "2" }),
      { action: "remove-properties", removals: ["a", "none"] },
      { action: "set-location", location: "s3://bucket/elsewhere/" },
    );
    expect([...next.properties]).toEqual([["b", "2"]]);
    expect(next.location).toBe("s3://bucket/elsewhere");
    const same = [
      setProperties({ a: "1" }),
      { action: "assign-uuid", uuid: UUID.toUpperCase() },
      { action: "upgrade-format-version", "format-version": 1 },
      { action: "remove-properties", removals: ["none"] },
      { action: "set-location", location: view.location },
      { action: "add-schema", schema: SCHEMA },
      setCurrent(1),
    ];
    expect(commitView(view, ...same)).toBe(view);
  });

  test.each<[string, JsonObject]>([
    ["UPDATE_INVALID", { action: "assign-uuid", uuid: "9c12d441-03fe-4693-9a96-a0705ddf69c2" }],
    ["UPDATE_INVALID", { action: "set-location", location: "" }],
    ["FORMAT_VERSION_INVALID", { action: "upgrade-format-version", "format-version": 2 }],
    ["FORMAT_VERSION_INVALID", { action: "upgrade-format-version", "format-version": 0 }],
    ["UPDATE_UNKNOWN", { action: "add-spec", spec: { fields: [] } }],
    ["UPDATE_UNKNOWN", { action: "set-current-schema", "schema-id": 0 }],
    ["FIELD_MISSING", { action: "add-view-version" }],
    ["FIELD_INVALID", setCurrent("1" as unknown as number)],
    ["FIELD_MISSING", { action: "add-view-version", "view-version": { "version-id": 1 } }],
  ])("%s refuses %j", (expected, update) => {
    expect(code(() => commitView(newView(), update))).toBe(expected);
  });

  test("members that the format does not know outlive a change, those of versions too", () => {
    const text = printViewMetadata(newView()).replace('{"view-uuid"', '{"x":[1.0],"view-uuid"');
    const old = parseViewMetadata(text.replace('"version-id":1,', '"version-id":1,"y":1e3,'));
    const next = printViewMetadata(commitView(old, setProperties({ k: "v" })));
    expect(next).toMatch(/,"x":\[1\.0\]\}$/);
    expect(next).toContain('"y":1e3');
  });
});

describe("requirements", () => {
  test("assert the uuid in any case, in the words that clients know", () => {
    const check = (uuid: string) => () =>
      checkViewRequirements(parseViewRequirements([{ type: "assert-view-uuid", uuid }]), newView());
    expect(check(UUID.toUpperCase())).not.toThrow();
    const failed = failure("Conflict", check("other"));
    expect(failed.code).toBe("REQUIREMENT_FAILED");
    expect(failed.context["requirement"]).toBe(
      `view UUID does not match: expected ${UUID} != other`,
    );
  });

  test("of tables are refused", () => {
    const table = [{ type: "assert-table-uuid", uuid: UUID }];
    expect(code(() => parseViewRequirements(table))).toBe("REQUIREMENT_UNKNOWN");
  });
});

/** A step looks at the view and says what a client would send next. */
type Step = (view: ViewMetadata) => readonly JsonObject[];

const dialects = fc.subarray(["spark", "Spark", "trino", "duckdb"], { minLength: 1 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(dialects, fc.nat(3), fc.boolean()).map(
    ([names, n, last]): Step =>
      () =>
        replacing(
          names.map((name) => sql(name, `select ${n}`)),
          last ? { "schema-id": -1 } : {},
        ),
  ),
  fc.nat(4).map(
    (n): Step =>
      () => [{ action: "add-schema", schema: schemaOf(column(n + 1, "c")) }],
  ),
  fc.nat(20).map(
    (pick): Step =>
      (view) => [setCurrent(view.versions[pick % view.versions.length]?.versionId ?? 0)],
  ),
  fc.constantFrom("1", "2", "3", "0").map(
    (size): Step =>
      () => [setProperties({ "version.history.num-entries": size })],
  ),
  fc.constantFrom("true", "false").map(
    (allowed): Step =>
      () => [setProperties({ "replace.drop-dialect.allowed": allowed })],
  ),
);

function checkInvariants(base: ViewMetadata, next: ViewMetadata): void {
  const ids = idsOf(next);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain(next.currentVersionId);
  expect(next.uuid).toBe(base.uuid);
  const schemaIds = next.schemas.map(({ schemaId }) => schemaId);
  expect(new Set(schemaIds).size).toBe(schemaIds.length);
  for (const version of next.versions) expect(schemaIds).toContain(version.schemaId);
  expect(next.history.at(-1)?.versionId).toBe(next.currentVersionId);
  for (const { versionId } of next.history) expect(ids).toContain(versionId);
  const added = ids.filter((id) => !base.versions.some(({ versionId }) => versionId === id));
  const size = Number(next.properties.get("version.history.num-entries") ?? 10);
  const newest = Math.max(...base.versions.map(({ versionId }) => versionId));
  // As many as one request adds are kept, though not those very ones: the current one is too.
  const adds = Math.max(...ids) - newest;
  if (next !== base) expect(ids.length).toBeLessThanOrEqual(Math.max(size, adds));
  for (const id of added) expect(id).toBeGreaterThan(newest);
}

test("any sequence of commits keeps the format's invariants, and survives print and parse", () => {
  let committed = 0;
  const request = fc.tuple(fc.array(steps, { minLength: 1, maxLength: 3 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(request, { minLength: 1, maxLength: 12 }), (requests) => {
      let view = newView();
      for (const [request, reread] of requests) {
        const before = printViewMetadata(view);
        let next = view;
        try {
          next = commitView(view, ...request.flatMap((step) => [...step(view)]));
          if (next !== view) committed++;
        } catch (error) {
          // Steps of one request may contradict each other; then nothing happens at all.
          if (!(error instanceof FirnError)) throw error;
          expect(error.kind).toBe("Invalid");
        }
        expect(printViewMetadata(view)).toBe(before);
        checkInvariants(view, next);
        const text = printViewMetadata(next);
        expect(printViewMetadata(parseViewMetadata(text))).toBe(text);
        view = reread ? parseViewMetadata(text) : next;
      }
    }),
    { numRuns: 200 },
  );
  expect(committed).toBeGreaterThan(300);
});

test("a request is parsed once and applied to whatever stands there", () => {
  const updates = parseViewUpdates(replacing([sql("spark", "mine")]));
  expect(updates.map(({ action }) => action)).toEqual([
    "add-view-version",
    "set-current-view-version",
  ]);
  const rival = commitView(newView(), ...replacing([sql("spark", "theirs")]));
  const both = commitView(rival, ...replacing([sql("spark", "mine")]));
  expect(both.currentVersionId).toBe(3);
});
