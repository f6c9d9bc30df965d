import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildUpdates, fileText, metadataText, Node, SCHEMA } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

const ASSERT_CREATE = [{ type: "assert-create" }];

function pathOf(location: string): string {
  return location.slice("file://".length);
}

describe("a staged create", () => {
  it("is answered without a file and a tag, and nobody else sees it", async () => {
    const ns = await node.namespace("unseen");
    const request = { name: "t", schema: SCHEMA, "stage-create": true };
    const staged = await node.post(`${ns}/tables`, request);
    expect(staged.status).toBe(200);
    expect(Object.keys(staged.json())).not.toContain("metadata-location");
    expect(staged.headerLines.join("\n")).not.toMatch(/^etag:/im);
    expect((await node.get(`${ns}/tables`)).json().identifiers).toEqual([]);
    expect((await node.get(`${ns}/tables/t`)).error().type).toBe("NoSuchTableException");
    expect((await node.head(`${ns}/tables/t`)).status).toBe(404);
    // Nothing of it is in the way of a namespace that is dropped.
    expect((await node.delete(ns)).status).toBe(204);
  });

  it("makes both directories, since DuckDB writes there before it commits", async () => {
    const ns = await node.namespace("directories");
    const request = { name: "t", schema: SCHEMA, "stage-create": true };
    const { location } = (await node.post(`${ns}/tables`, request)).json().metadata;
    for (const below of ["data", "metadata"]) {
      expect(statSync(join(pathOf(location), below)).isDirectory()).toBe(true);
    }
    writeFileSync(join(pathOf(location), "data", "a.parquet"), "PAR1");
    expect(readdirSync(join(pathOf(location), "metadata"))).toEqual([]);
    const body = { requirements: ASSERT_CREATE, updates: buildUpdates(location) };
    const made = await node.post(`${ns}/tables/t`, body);
    expect(made.status).toBe(200);
    expect(existsSync(join(pathOf(location), "data", "a.parquet"))).toBe(true);
  });

  it("becomes a table by the updates of its commit, where -1 is what was added last", async () => {
    const ns = await node.namespace("committed");
    const request = { name: "t", schema: SCHEMA, "stage-create": true };
    const staged = (await node.post(`${ns}/tables`, request)).json().metadata;
    const updates = buildUpdates(staged.location);
    const made = await node.post(`${ns}/tables/t`, { requirements: ASSERT_CREATE, updates });
    expect(made.status).toBe(200);
    expect(made.header("ETag")).toMatch(/^"/);
    const answer = made.json();
    expect(answer.metadata).toMatchObject({
      "format-version": 2,
      location: staged.location,
      "current-schema-id": 0,
      "default-spec-id": 0,
      "default-sort-order-id": 0,
      properties: { made: "staged" },
    });
    expect(await fileText(answer["metadata-location"])).toBe(metadataText(made.body));
    const loaded = await node.get(`${ns}/tables/t`);
    expect(metadataText(loaded.body)).toBe(metadataText(made.body));
    expect(loaded.header("ETag")).toBe(made.header("ETag"));
    expect((await node.get(`${ns}/tables`)).json().identifiers).toHaveLength(1);
  });

  it("takes its first rows in the same commit", async () => {
    const ns = await node.namespace("rows");
    const snapshot = {
      "snapshot-id": 77,
      "sequence-number": 1,
      "timestamp-ms": Date.now(),
      "schema-id": 0,
      "manifest-list": "file:///x/snap.avro",
      summary: { operation: "append" },
    };
    const ref = { "ref-name": "main", type: "branch", "snapshot-id": 77 };
    const updates = [
      ...buildUpdates(node.locationOf("rows")),
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", ...ref },
    ];
    const made = await node.post(`${ns}/tables/t`, { requirements: ASSERT_CREATE, updates });
    expect(made.status).toBe(200);
    expect(made.json().metadata["current-snapshot-id"]).toBe(77);
    expect(made.json().metadata["snapshot-log"]).toHaveLength(1);
  });
});

describe("a staged create in a race", () => {
  it("that lost the race conflicts, and leaves the winner and no file of its own", async () => {
    const ns = await node.namespace("race");
    const request = { name: "t", schema: SCHEMA, "stage-create": true };
    const staged = (await node.post(`${ns}/tables`, request)).json().metadata;
    const winner = await node.table(ns, "t");
    const before = (await node.get(winner)).body;
    const body = { requirements: ASSERT_CREATE, updates: buildUpdates(staged.location) };
    const lost = await node.post(winner, body);
    expect(lost.status).toBe(409);
    expect(lost.error()).toEqual({
      message: "Requirement failed: table already exists",
      type: "CommitFailedException",
      code: 409,
    });
    expect((await node.get(winner)).body).toBe(before);
    expect(readdirSync(join(pathOf(staged.location), "metadata"))).toEqual([]);
  });

  it("commits once, however many clients staged the same name", async () => {
    const ns = await node.namespace("many");
    const commits = Array.from({ length: 8 }, (_, i) =>
      node.post(`${ns}/tables/t`, {
        requirements: ASSERT_CREATE,
        updates: buildUpdates(node.locationOf(`many-${i}`)),
      }),
    );
    const statuses = (await Promise.all(commits)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  it("of a name that is taken is refused at once", async () => {
    const ns = await node.namespace("taken");
    await node.table(ns, "t");
    const request = { name: "t", schema: SCHEMA, "stage-create": true };
    const refused = await node.post(`${ns}/tables`, request);
    expect(refused.error()).toMatchObject({ type: "AlreadyExistsException", code: 409 });
    expect(refused.error().message).toBe("Table already exists: taken.t");
  });
});

describe("a staged create by DuckDB", () => {
  it("takes what DuckDB adds to a partition spec, and does not answer it", async () => {
    const ns = await node.namespace("spec");
    const field = { name: "id_bucket", transform: "bucket[4]", "source-id": 1, "field-id": 1000 };
    const request = {
      name: "t",
      schema: SCHEMA,
      "stage-create": true,
      location: null,
      properties: {},
      "partition-spec": { "spec-id": 0, type: "struct", fields: [{ ...field, type: "int" }] },
      "write-order": { "order-id": 0, type: "struct", fields: [] },
    };
    for (const stage of [true, false]) {
      const made = await node.post(`${ns}/tables`, { ...request, "stage-create": stage });
      expect(made.status).toBe(200);
      const { metadata } = made.json();
      expect(metadata["partition-specs"]).toEqual([{ "spec-id": 0, fields: [field] }]);
      expect(metadata["sort-orders"]).toEqual([{ "order-id": 0, fields: [] }]);
    }
    const spec = { "spec-id": -1, type: "struct", fields: [{ ...field, name: "other" }] };
    const commit = { requirements: [], updates: [{ action: "add-spec", spec }] };
    const evolved = await node.post(`${ns}/tables/t`, commit);
    expect(evolved.status).toBe(200);
    expect(JSON.stringify(evolved.json().metadata["partition-specs"])).not.toContain("struct");
  });
});
