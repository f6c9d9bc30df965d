import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/iceberg/operations.ts";
import { Firn } from "../../src/index.ts";

/** Few in every test run, as many as one likes by hand. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 500);

let firn: Firn;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", logLevel: "silent" });
  await restore();
});
afterAll(() => firn.close());

/** Makes the table that requests are about, where they have dropped or moved it. */
async function restore(): Promise<void> {
  await send("POST", "/v1/namespaces", '{"namespace":["ns"]}');
  const fields = '[{"id":1,"name":"id","required":true,"type":"long"}]';
  const schema = `{"type":"struct","fields":${fields}}`;
  await send("POST", "/v1/namespaces/ns/tables", `{"name":"t","schema":${schema}}`);
  expect((await send("GET", "/v1/namespaces/ns/tables/t")).status).toBe(200);
  const query = '{"type":"sql","sql":"select 1","dialect":"spark"}';
  const version = `{"version-id":1,"schema-id":0,"timestamp-ms":1,"summary":{},
    "default-namespace":["ns"],"representations":[${query}]}`;
  const view = `{"name":"v","schema":${schema},"view-version":${version},"properties":{}}`;
  await send("POST", "/v1/namespaces/ns/views", view);
  expect((await send("GET", "/v1/namespaces/ns/views/v")).status).toBe(200);
}

function send(method: string, path: string, body?: string, headers = {}): Promise<Response> {
  const url = `http://firn/iceberg${path}`;
  const all = { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers };
  return firn.fetch(
    new Request(url, { method, headers: all, ...(body === undefined ? {} : { body }) }),
  );
}

/** Texts that have broken parsers, stores and file systems before. */
const nasty = fc.constantFrom(
  ...["", ".", "..", "/", "//", "%", "%00", "%1F", "%2F", "%2e%2e", "+", " ", "\u0000", "\u001f"],
  ...["__proto__", "constructor", "toString", "null", "-1", "1e999", "9223372036854775808"],
  ...["file:///etc/passwd", "file:///tmp/../etc", "s3://b/k", "http://127.0.0.1/", "a".repeat(300)],
  ...[
    "\u00e4",
    "a\u0308",
    "\ud83d\ude00",
    "\u202e",
    "\u2028",
    "'",
    '"',
    "*",
    "?",
    "$",
    "~",
    "ns",
    "t",
  ],
);
const text = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 40 }));
/** A path segment: encoded as it should be, or put there as it is. */
const segment = fc.oneof(
  text.map((name) => encodeURIComponent(name.toWellFormed())),
  text.map((name) => name.toWellFormed().replace(/[#?]/g, "")),
  fc.constantFrom("ns", "t", "default"),
);
const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.object({ key: text, values: [text, fc.integer(), fc.bigInt().map(Number)] }).map(printed),
);
const member = fc.oneof(text, fc.integer(), fc.jsonValue({ maxDepth: 3 }), fc.array(text));

function printed(value: unknown): string {
  return JSON.stringify(value);
}

const map = fc.dictionary(text, text, { maxKeys: 3 });
const names = fc.array(text, { minLength: 1, maxLength: 3 });
const identifier = fc.record({
  namespace: fc.oneof(fc.constant(["ns"]), names),
  name: fc.oneof(fc.constantFrom("t", "v"), text),
});

/** Bodies of the right shape, so that what is behind the shape is reached, by their operation. */
const LIKELY: Readonly<Record<string, fc.Arbitrary<object>>> = {
  namespaces: fc.record({ namespace: names, properties: map }),
  properties: fc.record({ removals: fc.array(text), updates: map }, { requiredKeys: [] }),
  tables: fc.record(
    {
      ...{ name: text, schema: schemaLike(), properties: map, "stage-create": fc.boolean() },
      ...{ location: text, "partition-spec": specLike(), "write-order": specLike() },
    },
    { requiredKeys: ["name", "schema"] },
  ),
  register: fc.record({ name: text, "metadata-location": text, overwrite: fc.boolean() }),
  "{table}": fc.record({
    requirements: fc.array(requirementLike(), { maxLength: 2 }),
    updates: fc.array(updateLike(), { maxLength: 3 }),
  }),
  views: fc.record(
    {
      ...{ name: text, schema: schemaLike(), "view-version": versionLike() },
      ...{ location: text, properties: map },
    },
    { requiredKeys: ["name", "schema", "view-version"] },
  ),
  "register-view": fc.record({ name: text, "metadata-location": text }),
  "{view}": fc.record({
    requirements: fc.array(fc.record({ type: fc.constant("assert-view-uuid"), uuid: text }), {
      maxLength: 1,
    }),
    updates: fc.array(viewUpdateLike(), { maxLength: 3 }),
  }),
  rename: fc.record({ source: identifier, destination: identifier }),
  metrics: fc.record({ "report-type": text, filter: member }),
};

function bodyOf(template: string): fc.Arbitrary<string> {
  const likely = LIKELY[template.split("/").at(-1) ?? ""] ?? fc.constant({});
  const spoiled = fc.tuple(likely, fc.string(), member).map(([good, pick, wrong]) => {
    const keys = Object.keys(good);
    return { ...good, [keys[pick.length % keys.length] ?? pick]: wrong };
  });
  return fc.oneof(
    { arbitrary: likely.map(printed), weight: 5 },
    { arbitrary: spoiled.map(printed), weight: 3 },
    { arbitrary: json, weight: 1 },
    { arbitrary: fc.string(), weight: 1 },
  );
}

function specLike() {
  const transform = fc.oneof(text, fc.constantFrom("identity", "bucket[0]", "truncate[-1]", "day"));
  const field = fc.record(
    { "source-id": fc.integer({ min: 0, max: 3 }), transform, name: text, direction: text },
    { requiredKeys: ["source-id", "transform"] },
  );
  return fc.record({ "spec-id": fc.integer(), "order-id": fc.integer(), fields: fc.array(field) });
}

function schemaLike() {
  const type = fc.oneof(text, fc.constantFrom("long", "string", "decimal(9,2)", "fixed[-1]"));
  const field = fc.record({ id: fc.integer(), name: text, required: fc.boolean(), type });
  return fc.record({ type: fc.constant("struct"), fields: fc.array(field, { maxLength: 3 }) });
}

function versionLike() {
  const type = fc.oneof({ arbitrary: fc.constant("sql"), weight: 5 }, text);
  const dialect = fc.oneof(fc.constantFrom("spark", "SPARK", "trino"), text);
  return fc.record({
    "version-id": fc.integer(),
    "schema-id": fc.oneof(fc.constantFrom(-1, 0), fc.integer()),
    "timestamp-ms": fc.nat(),
    summary: map,
    "default-namespace": fc.array(text),
    representations: fc.array(fc.record({ type, sql: text, dialect }), { maxLength: 3 }),
  });
}

function viewUpdateLike() {
  const id = fc.oneof(fc.constantFrom(-1, 1), fc.integer());
  return fc.oneof(
    fc.record({ action: fc.constant("add-view-version"), "view-version": versionLike() }),
    fc.record({ action: fc.constant("set-current-view-version"), "view-version-id": id }),
    fc.record({ action: fc.constant("set-properties"), updates: map }),
    updateLike(),
  );
}

function updateLike() {
  const action = fc.constantFrom(
    ...["assign-uuid", "upgrade-format-version", "add-schema", "set-current-schema", "add-spec"],
    ...["set-default-spec", "add-sort-order", "set-default-sort-order", "add-snapshot"],
    ...["set-snapshot-ref", "remove-snapshots", "remove-snapshot-ref", "set-location"],
    ...["set-properties", "remove-properties", "set-statistics", "remove-statistics", "other"],
  );
  return fc.record(
    {
      ...{ action, uuid: text, "format-version": member, "schema-id": fc.integer() },
      ...{ schema: schemaLike(), spec: specLike(), "sort-order": specLike(), snapshot: member },
      ...{ "ref-name": text, "snapshot-id": member, type: text, location: text },
      ...{ updates: fc.dictionary(text, text), removals: fc.array(text), "snapshot-ids": member },
    },
    { requiredKeys: ["action"] },
  );
}

function requirementLike() {
  const type = fc.constantFrom(
    ...["assert-create", "assert-table-uuid", "assert-ref-snapshot-id", "assert-current-schema-id"],
    ...["assert-last-assigned-field-id", "assert-default-spec-id", "assert-default-sort-order-id"],
  );
  return fc.record({
    type,
    uuid: text,
    ref: text,
    "snapshot-id": member,
    "current-schema-id": member,
  });
}

it("no request to any operation is answered 5xx, or leaves without a typed error", async () => {
  const query = fc.oneof(
    fc.constant(""),
    fc.tuple(fc.constantFrom("pageSize", "pageToken", "parent", "snapshots", "warehouse"), segment),
  );
  const known = fc.constant<Record<string, string>>({});
  const strange = fc.dictionary(fc.constantFrom("prefix", "namespace", "table", "view"), segment);
  const params = fc.oneof({ arbitrary: known, weight: 2 }, strange);
  const request = fc
    .constantFrom(...OPERATIONS)
    .chain((operation) =>
      fc.tuple(fc.constant(operation), params, query, bodyOf(operation.template)),
    );
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(request, async ([operation, params, parameter, sent]) => {
      const all: Record<string, string> = {
        prefix: "default",
        namespace: "ns",
        table: "t",
        view: "v",
        ...params,
      };
      const path = operation.template.replace(/\{(\w+)\}/g, (_, name) => all[name] ?? "");
      const tail = parameter === "" ? "" : `?${parameter[0]}=${parameter[1]}`;
      const { method } = operation;
      const response = await send(method, path + tail, method === "POST" ? sent : undefined);
      if (response.ok && operation.writes) await restore();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect(response.status).toBeLessThan(500);
      if (response.status < 400) return;
      expect(response.headers.get("X-Firn-Error")).toMatch(/^[A-Z_]+$/);
      if (method === "HEAD") return;
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      expect(error).toEqual({
        message: expect.any(String),
        type: expect.stringMatching(/^\w+(Exception|Error)$/),
        code: response.status,
      });
    }),
    { numRuns: RUNS },
  );
  // Requests that all fail at the door would prove nothing.
  for (const status of [200, 204, 400, 404, 409]) {
    expect([status, statuses.get(status) ?? 0]).toEqual([status, expect.toSatisfy((n) => n > 2)]);
  }
}, 3_600_000);
