import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { atOnce } from "../../src/base/steps.ts";
import { OPERATIONS } from "../../src/http/iceberg/operations.ts";
import { viewCommitSteps } from "../../src/iceberg/commit.ts";
import type { CommitView } from "../../src/service/requests.ts";
import {
  ask,
  BIG_ID,
  header,
  LOCATION,
  METADATA,
  type Running,
  type Seen,
  scripted,
  serving,
} from "./support.ts";

const { service, seen } = scripted();
let running: Running;

beforeAll(async () => {
  running = await serving(service);
});
afterAll(() => running.server.stop());

/** Sends one request and says what the service saw of it. */
async function call(method: string, path: string, body?: string, headers = {}) {
  seen.length = 0;
  const answer = await ask(running.port, method, `/iceberg${path}`, headers, body);
  return { ...answer, answer, seen: [...seen] as readonly Seen[] };
}

const TABLE = { catalog: "default", namespace: ["ns"], table: "t" };
const SCHEMA = '{"type":"struct","fields":[]}';

describe("config", () => {
  it("answers the prefix in the form that paths need", async () => {
    const { body, status } = await call("GET", "/v1/config?warehouse=a%2Fb+c");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ overrides: { prefix: "a%2Fb%20c" }, defaults: {} });
    const bare = await call("GET", "/v1/config");
    expect(bare.seen).toEqual([{ method: "config", args: [undefined] }]);
    expect(JSON.parse(bare.body).overrides).toEqual({ prefix: "default" });
  });

  it("advertises what is served: each endpoint has a handler, with a prefix or not", async () => {
    const { endpoints } = JSON.parse((await call("GET", "/v1/config")).body);
    expect(endpoints).toHaveLength(OPERATIONS.length);
    expect(endpoints).toContain("HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}");
    for (const endpoint of endpoints) {
      const [method, template] = endpoint.split(" ");
      for (const path of [template, template.replace("/{prefix}", "")]) {
        const concrete = path.replace(/\{(\w+)\}/g, "x");
        const body = method === "POST" ? "[]" : undefined;
        const { status, answer } = await call(method, concrete, body);
        // The handler that reads a body refuses one that is not an object, so the route is there.
        const reads = method === "POST" && !template.endsWith("/unregister");
        expect([endpoint, status]).toEqual([endpoint, reads ? 400 : expect.any(Number)]);
        expect([endpoint, header(answer, "X-Firn-Error")]).not.toContain("ROUTE_NOT_FOUND");
        expect([endpoint, header(answer, "X-Firn-Error")]).not.toContain("METHOD_NOT_ALLOWED");
      }
    }
  });
});

describe("namespaces", () => {
  it("are listed, below a parent too", async () => {
    const { body, seen } = await call("GET", "/v1/cat/namespaces?parent=a%1Fb&pageToken=");
    expect(JSON.parse(body)).toEqual({ namespaces: [["a"], ["b", "c"]], "next-page-token": null });
    expect(seen).toEqual([
      { method: "listNamespaces", args: ["cat", ["a", "b"], { pageToken: "" }] },
    ]);
  });

  it("are created, loaded, found, changed and dropped", async () => {
    const create = await call("POST", "/v1/namespaces", '{"namespace":["a","b"],"x":1}');
    expect([create.status, JSON.parse(create.body)]).toEqual([
      200,
      { namespace: ["a", "b"], properties: {} },
    ]);
    const load = await call("GET", "/v1/namespaces/a%1Fb%2Fc");
    expect(JSON.parse(load.body)).toEqual({ namespace: ["a", "b/c"], properties: { k: "v" } });
    const head = await call("HEAD", "/v1/namespaces/a");
    expect([head.status, head.body]).toEqual([204, ""]);
    const update = await call(
      "POST",
      "/v1/namespaces/a/properties",
      '{"removals":["b"],"updates":{"a":"1"}}',
    );
    expect(JSON.parse(update.body)).toEqual({ updated: ["a"], removed: ["b"], missing: ["c"] });
    expect(update.seen[0]?.args[1]).toEqual({ removals: ["b"], updates: { a: "1" } });
    const drop = await call("DELETE", "/v1/namespaces/a");
    expect([drop.status, drop.body]).toEqual([204, ""]);
  });
});

describe("views", () => {
  const VIEW = { catalog: "cat", namespace: ["ns"], view: "v/w" };
  const PATH = "/v1/cat/namespaces/ns/views/v%2Fw";
  const ANSWER = `{"metadata-location":"${LOCATION}","metadata":${METADATA},"config":{"io.x":"y"}}`;
  const VERSION = `{"version-id":1,"schema-id":0,"timestamp-ms":1,"summary":{},
    "default-namespace":["ns"],"representations":[{"type":"sql","sql":"x","dialect":"d"}]}`;

  it("are listed with their namespace", async () => {
    const { body, seen } = await call("GET", "/v1/namespaces/a%1Fb/views?pageSize=2&pageToken=p");
    expect(JSON.parse(body)).toEqual({
      identifiers: [
        { namespace: ["a", "b"], name: "v1" },
        { namespace: ["a", "b"], name: "v2" },
      ],
      "next-page-token": "next",
    });
    expect(seen[0]?.args[1]).toEqual({ pageToken: "p", pageSize: 2 });
  });

  it("are created and registered, with every member of the request", async () => {
    const create = `{"name":"v","location":"file:///v","schema":${SCHEMA},
      "view-version":${VERSION},"properties":{"k":"v"}}`;
    const made = await call("POST", "/v1/namespaces/ns/views", create);
    expect([made.status, made.body, header(made.answer, "ETag")]).toEqual([200, ANSWER, undefined]);
    expect(made.seen[0]?.args[1]).toEqual({
      name: "v",
      location: "file:///v",
      schema: { type: "struct", fields: [] },
      version: JSON.parse(VERSION),
      properties: { k: "v" },
    });
    const register = '{"name":"v","metadata-location":"file:///m"}';
    const registered = await call("POST", "/v1/namespaces/ns/register-view", register);
    expect([registered.status, registered.body]).toEqual([200, ANSWER]);
    expect(registered.seen[0]?.args[1]).toEqual({ name: "v", metadataLocation: "file:///m" });
  });

  it("are loaded, found, replaced and dropped by the name in the path", async () => {
    const load = await call("GET", `${PATH}?referenced-by=ns%1Fv`);
    expect([load.status, load.body]).toEqual([200, ANSWER]);
    const head = await call("HEAD", PATH);
    expect([head.status, head.body]).toEqual([204, ""]);
    const commit = await call("POST", PATH, '{"updates":[{"action":"add-schema"}]}');
    expect(header(commit.answer, "X-Firn-Error")).toBe("FIELD_MISSING");
    const replace = await call(
      "POST",
      PATH,
      `{"requirements":[{"type":"assert-view-uuid","uuid":"u"}],"updates":[
        {"action":"add-view-version","view-version":${VERSION}},
        {"action":"set-current-view-version","view-version-id":-1}]}`,
    );
    expect([replace.status, replace.body]).toEqual([200, ANSWER]);
    const replacing = replace.seen[0]?.args[1] as CommitView;
    expect(atOnce(viewCommitSteps(replacing))).toMatchObject({
      requirements: [{ type: "assert-view-uuid", uuid: "u" }],
      updates: [
        { action: "add-view-version", version: { versionId: 1, summary: new Map() } },
        { action: "set-current-view-version", versionId: -1 },
      ],
    });
    const drop = await call("DELETE", PATH);
    expect([drop.status, drop.body]).toEqual([204, ""]);
    for (const { seen } of [load, head, replace, drop]) expect(seen[0]?.args[0]).toEqual(VIEW);
  });

  it("are renamed, across namespaces too", async () => {
    const body = `{"source":{"namespace":["a"],"name":"v"},
      "destination":{"namespace":["b","c"],"name":"w"}}`;
    const { status, seen } = await call("POST", "/v1/cat/views/rename", body);
    expect(status).toBe(204);
    expect(seen[0]?.args[0]).toEqual({
      catalog: "cat",
      from: { namespace: ["a"], view: "v" },
      to: { namespace: ["b", "c"], view: "w" },
    });
  });
});

describe("tables", () => {
  it("are listed with their namespace", async () => {
    const { body } = await call("GET", "/v1/namespaces/a%1Fb/tables?pageSize=2&pageToken=p");
    expect(JSON.parse(body)).toEqual({
      identifiers: [
        { namespace: ["a", "b"], name: "t1" },
        { namespace: ["a", "b"], name: "t2" },
      ],
      "next-page-token": "next",
    });
  });

  it("are created, with every member of the request", async () => {
    const body = `{"name":"t","location":null,"schema":${SCHEMA},"partition-spec":{"fields":[]},
      "write-order":{"order-id":1,"fields":[]},"stage-create":false,"properties":{"k":"v"}}`;
    const { seen, answer, ...made } = await call("POST", "/v1/namespaces/ns/tables", body);
    expect(made.status).toBe(200);
    expect(header(answer, "ETag")).toBe('"v1"');
    expect(seen[0]?.args[1]).toEqual({
      name: "t",
      location: undefined,
      schema: { type: "struct", fields: [] },
      partitionSpec: { fields: [] },
      writeOrder: { "order-id": 1, fields: [] },
      properties: { k: "v" },
      stageCreate: false,
    });
  });

  it("have neither metadata location nor tag while they are staged", async () => {
    const body = `{"name":"t","schema":${SCHEMA},"stage-create":true}`;
    const staged = await call("POST", "/v1/namespaces/ns/tables", body);
    expect(staged.body).toBe(`{"metadata":${METADATA},"config":{"io.x":"y"}}`);
    expect(staged.headerLines.join()).not.toMatch(/etag/i);
  });

  it("are answered with the stored bytes of their metadata", async () => {
    const { body, answer, seen } = await call("GET", "/v1/namespaces/ns/tables/t?snapshots=refs");
    expect(body).toBe(
      `{"metadata-location":"${LOCATION}","metadata":${METADATA},"config":{"io.x":"y"}}`,
    );
    expect(body).toContain(BIG_ID);
    // As bytes on the wire: the Java client looks it up by these capitals.
    expect(answer.headerLines).toContain('ETag: "v1"');
    expect(answer.headerLines).toContain("Content-Type: application/json");
    expect(seen[0]?.args).toEqual([TABLE, { snapshots: "refs", ifNoneMatch: undefined }]);
  });

  it("are not sent again to a client that has them", async () => {
    const headers = { "If-None-Match": 'W/"v1"' };
    const { status, body, answer } = await call("GET", "/v1/namespaces/ns/tables/t", "", headers);
    expect([status, body]).toEqual([304, ""]);
    expect(answer.headerLines).toContain('ETag: "v1"');
    const other = await call("GET", "/v1/namespaces/ns/tables/t", "", { "If-None-Match": '"v0"' });
    expect(other.status).toBe(200);
  });
});

describe("tables that change", () => {
  it("take commits, whose ids stay exact", async () => {
    const body = `{"identifier":{"namespace":["x"],"name":"y"},"requirements":[
      {"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":${BIG_ID}}],"updates":[]}`;
    const committed = await call("POST", "/v1/namespaces/ns/tables/t", body);
    expect(committed.status).toBe(200);
    expect(committed.body).toBe(`{"metadata-location":"${LOCATION}","metadata":${METADATA}}`);
    expect(header(committed.answer, "ETag")).toBe('"v2"');
    expect(committed.seen[0]?.args).toEqual([
      TABLE,
      {
        requirements: [
          { type: "assert-ref-snapshot-id", ref: "main", "snapshot-id": BigInt(BIG_ID) },
        ],
        updates: [],
      },
    ]);
  });

  it("are found, dropped, registered, renamed and reported on", async () => {
    expect(await call("HEAD", "/v1/namespaces/ns/tables/t")).toMatchObject({ status: 204 });
    const drop = await call("DELETE", "/v1/namespaces/ns/tables/t?purgeRequested=True");
    expect(drop.status).toBe(204);
    expect(drop.seen[0]?.args).toEqual([TABLE, { purgeRequested: true }]);
    const register = await call(
      "POST",
      "/v1/namespaces/ns/register",
      '{"name":"t","metadata-location":"file:///m.json"}',
    );
    expect([register.status, header(register.answer, "ETag")]).toEqual([200, '"v1"']);
    expect(register.seen[0]?.args[1]).toEqual({
      name: "t",
      metadataLocation: "file:///m.json",
      overwrite: false,
    });
    const rename = await call(
      "POST",
      "/v1/cat/tables/rename",
      '{"source":{"namespace":["a"],"name":"t"},"destination":{"namespace":["b","c"],"name":"u"}}',
    );
    expect([rename.status, rename.body]).toEqual([204, ""]);
    expect(rename.seen[0]?.args).toEqual([
      {
        catalog: "cat",
        from: { namespace: ["a"], table: "t" },
        to: { namespace: ["b", "c"], table: "u" },
      },
    ]);
    const report = await call(
      "POST",
      "/v1/namespaces/ns/tables/t/metrics",
      `{"report-type":"scan-report","table-name":"t","snapshot-id":${BIG_ID},"filter":true,
        "schema-id":0,"projected-field-ids":[],"projected-field-names":[],"metrics":{}}`,
    );
    expect([report.status, report.body]).toEqual([204, ""]);
    const sent = report.seen[0]?.args[1] as JsonObject;
    expect(sent["snapshot-id"]).toBe(BigInt(BIG_ID));
  });
});

describe("clients without credentials", () => {
  it("are anonymous whatever they send as a token", async () => {
    for (const authorization of ["Bearer None", "Basic eDp5", "garbage"]) {
      const { status } = await call("GET", "/v1/config", "", { Authorization: authorization });
      expect(status).toBe(200);
    }
  });

  it("get no token, in the words of OAuth", async () => {
    const { status, body } = await call(
      "POST",
      "/v1/oauth/tokens",
      "grant_type=client_credentials",
      { "Content-Type": "application/x-www-form-urlencoded" },
    );
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: "unsupported_grant_type" });
  });
});

it("fetch reads an absolute target as proxies send it", async () => {
  const { status } = await ask(running.port, "GET", "http://localhost/iceberg/v1/config");
  expect(status).toBe(200);
});

it("what is not served is refused without an error in the log", async () => {
  const before = running.logs.length;
  const { status } = await call("POST", "/v1/namespaces/a/tables/t/plan", "{}");
  expect(status).toBe(501);
  const levels = () => running.logs.slice(before).map((line) => JSON.parse(line).level);
  await expect.poll(levels).toContain("info");
  expect(levels()).not.toContain("error");
});
