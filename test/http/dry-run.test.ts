import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildUpdates, digits, Node } from "./clients/support.ts";
import { BIG_ID, METADATA, scripted, serving } from "./support.ts";

const KEY = { "Idempotency-Key": "0199d8a0-0000-7000-8000-000000000001" };
const SET = { requirements: [], updates: [{ action: "set-properties", updates: { k: "1" } }] };

let node: Node;
let namespace: string;
let table: string;

beforeAll(async () => {
  node = await Node.open();
  namespace = await node.namespace("ns");
  table = await node.table(namespace, "t");
});
afterAll(() => node.close());

describe("a dry run", () => {
  it("of a commit answers the metadata as it would be, and leaves it as it is", async () => {
    const before = await node.get(table);
    const tried = await node.must(node.post(`${table}?dry-run=true`, SET));
    const body = tried.json();
    expect(Object.keys(body)).toEqual([
      ...["dry-run", "base-metadata-location", "changed", "metadata"],
    ]);
    expect(body["dry-run"]).toBe(true);
    expect(body["base-metadata-location"]).toBe(before.json()["metadata-location"]);
    expect(body.changed).toContain("properties");
    expect(body.metadata.properties.k).toBe("1");
    expect(tried.header("ETag")).toBeUndefined();
    expect((await node.get(table)).body).toBe(before.body);
  });

  it("of a transaction answers each table, a new one among them", async () => {
    const create = {
      identifier: { namespace: ["ns"], name: "new" },
      requirements: [{ type: "assert-create" }],
      updates: buildUpdates(node.locationOf("new")),
    };
    const change = { identifier: { namespace: ["ns"], name: "t" }, ...SET };
    const request = { "table-changes": [change, create] };
    const tried = await node.post("/transactions/commit?dry-run=true", request);
    expect(tried.status).toBe(200);
    const [first, second] = tried.json()["table-changes"];
    expect(first.identifier).toEqual({ namespace: ["ns"], name: "t" });
    expect(second["base-metadata-location"]).toBeNull();
    expect(second.metadata.location).toBe(node.locationOf("new"));
    expect((await node.head(`${namespace}/tables/new`)).status).toBe(404);
    expect((await node.post("/transactions/commit?dry-run=false", request)).status).toBe(204);
  });

  it("is refused as the commit is", async () => {
    const requirements = [{ type: "assert-current-schema-id", "current-schema-id": 9 }];
    const failing = { ...SET, requirements };
    const tried = await node.post(`${table}?dry-run=true`, failing);
    expect(tried.status).toBe(409);
    expect(tried.error()).toEqual((await node.post(table, failing)).error());
    const missing = await node.post(`${namespace}/tables/none?dry-run=true`, SET);
    expect([missing.status, missing.error().type]).toEqual([404, "NoSuchTableException"]);
  });

  it("neither reads nor leaves an idempotency key", async () => {
    const path = await node.table(namespace, "keyed");
    for (let i = 0; i < 2; i++) {
      const tried = await node.must(node.post(`${path}?dry-run=true`, SET, KEY));
      expect(tried.header("Idempotency-Replayed")).toBeUndefined();
    }
    const done = await node.must(node.post(path, SET, KEY));
    expect(done.header("Idempotency-Replayed")).toBeUndefined();
    const after = await node.must(node.post(`${path}?dry-run=true`, SET, KEY));
    expect(after.json().changed).toEqual([]);
    const bad = { "Idempotency-Key": "x" };
    expect((await node.post(`${path}?dry-run=true`, SET, bad)).status).toBe(400);
  });

  it.each(["", "True", "1", "yes", "true%20"])(
    "is asked for by true alone: '%s'",
    async (value) => {
      const before = await node.get(table);
      expect((await node.post(`${table}?dry-run=${value}`, SET)).status).toBe(400);
      expect((await node.get(table)).body).toBe(before.body);
    },
  );

  it("is refused where there is none, since who asks wants nothing to happen", async () => {
    const drop = await node.delete(`${table}?dry-run=true`);
    expect([drop.status, drop.header("X-Firn-Error")]).toEqual([400, "PARAMETER_INVALID"]);
    const make = await node.post("/namespaces?dry-run=true", { namespace: ["x"] });
    expect(make.status).toBe(400);
    expect((await node.head(table)).status).toBe(204);
    expect((await node.head("/namespaces/x")).status).toBe(404);
  });

  it("keeps every digit, of a view too", async () => {
    const { service, seen } = scripted();
    await using running = await serving(service);
    const url = `${running.url}/iceberg/v1/namespaces/a`;
    for (const path of ["tables/t", "views/v"]) {
      const answer = await fetch(`${url}/${path}?dry-run=true`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ requirements: [], updates: [] }),
      });
      const text = await answer.text();
      expect(digits(text, "current-snapshot-id")).toEqual([BIG_ID]);
      expect(text.endsWith(`"metadata":${METADATA}}`)).toBe(true);
    }
    expect(seen.map(({ method }) => method)).toEqual(["dryRunTable", "dryRunView"]);
  });
});
