import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/http/iceberg/operations.ts";
import { UNSERVED } from "../../src/http/iceberg/unserved.ts";
import { readContract } from "../support/iceberg-contract.ts";
import { buildUpdates, Node, type Reply, SCHEMA } from "./clients/support.ts";

/** Every operation of the contract but for tokens, which are answered as OAuth answers. */
const CONTRACT: readonly string[] = readContract()
  .operations.map(nameOf)
  .filter((name) => name !== "POST /v1/oauth/tokens");

function nameOf(endpoint: { readonly method: string; readonly template: string }): string {
  return `${endpoint.method} ${endpoint.template}`;
}

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

/** A path of an operation, with and without its prefix, every parameter filled with a name. */
function pathsOf(template: string): readonly string[] {
  const below = template.slice("/v1".length);
  return [below.replace("{prefix}", "default"), below.replace("/{prefix}", "")].map((path) =>
    path.replace(/\{[\w-]+\}/g, "nothing"),
  );
}

describe("a client that reads the config", () => {
  it("finds objects of texts, and no setting that would change what it sends", async () => {
    const config = (await node.get("/config?warehouse=default")).json();
    for (const part of [config.defaults, config.overrides]) {
      expect(Object.values(part).every((value) => typeof value === "string")).toBe(true);
      // Nothing advertised means %1F; a token would be put on every request of the session.
      for (const name of ["namespace-separator", "token", "credential"]) {
        expect(Object.keys(part)).not.toContain(name);
      }
    }
    expect(config.overrides.prefix).toBe("default");
    expect(config["idempotency-key-lifetime"]).toBe("PT30M");
  });

  it("finds endpoints in the one spelling that every client can parse", async () => {
    const { endpoints } = (await node.get("/config")).json() as { endpoints: string[] };
    for (const endpoint of endpoints) {
      expect(endpoint).toMatch(/^(?:GET|HEAD|POST|DELETE) \/v1\/\S+$/);
      expect(CONTRACT).toContain(endpoint);
    }
    expect(new Set(endpoints).size).toBe(endpoints.length);
    // Clients without these ask by GET, which costs a whole table.
    expect(endpoints).toContain("HEAD /v1/{prefix}/namespaces/{namespace}");
    expect(endpoints).toContain("HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}");
  });

  it("finds exactly what is served: the contract but for what is known to lack", async () => {
    const { endpoints } = (await node.get("/config")).json() as { endpoints: string[] };
    expect(endpoints).toEqual(OPERATIONS.map(nameOf));
    expect([...endpoints, ...UNSERVED.map(nameOf)].sort()).toEqual([...CONTRACT].sort());
  });

  it("may send a key with everything that the contract takes one for", () => {
    const keyed = readContract().operations.filter(({ headers }) =>
      headers.includes("idempotency-key"),
    );
    const served = OPERATIONS.filter((operation) => keyed.map(nameOf).includes(nameOf(operation)));
    expect(served.length).toBeGreaterThan(12);
    expect(served.filter(({ writes }) => !writes).map(nameOf)).toEqual([]);
  });

  it("finds everything that is advertised, and is refused everything that is not", async () => {
    const { endpoints } = (await node.get("/config")).json() as { endpoints: string[] };
    for (const operation of CONTRACT) {
      const [method = "", template = ""] = operation.split(" ");
      for (const path of pathsOf(template)) {
        const body = method === "POST" ? {} : undefined;
        const code = (await node.send(method, path, body)).header("X-Firn-Error");
        const refused = code === "OPERATION_NOT_SUPPORTED";
        expect([operation, path, refused]).toEqual([
          operation,
          path,
          !endpoints.includes(operation),
        ]);
        expect(["ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"]).not.toContain(code);
      }
    }
  });

  it("hears what is not served as the Java client reads it, before its body is read", async () => {
    const refused = await node.post("/namespaces/a/tables/t/plan", "{no json");
    expect(refused.status).toBe(501);
    expect(refused.error()).toMatchObject({ type: "UnsupportedOperationException", code: 501 });
  });

  it("hears that a warehouse does not exist", async () => {
    const unknown = await node.get("/config?warehouse=nowhere");
    expect(unknown.status).toBe(404);
    expect(unknown.error()).toMatchObject({ type: "NoSuchWarehouseException", code: 404 });
    expect((await node.get("/config?warehouse=")).status).toBe(200);
  });
});

describe("a client without a token", () => {
  it("sends Bearer None and is anonymous", async () => {
    const headers = { Authorization: "Bearer None" };
    expect((await node.get("/config", headers)).status).toBe(200);
    const made = await node.post("/namespaces", { namespace: ["bearer"] }, headers);
    expect(made.status).toBe(200);
    expect((await node.get("/namespaces/bearer", headers)).status).toBe(200);
  });
});

describe("the Java client's table cache", () => {
  const tagOf = (reply: Reply): string | undefined => {
    const lines = reply.headerLines.filter((line) => /^etag:/i.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^ETag: "[^"]+"$/);
    return lines[0]?.slice("ETag: ".length);
  };

  it("finds the tag under these very capitals wherever a table is answered", async () => {
    const ns = await node.namespace("tags");
    const created = await node.must(node.post(`${ns}/tables`, { name: "t", schema: SCHEMA }));
    const loaded = await node.get(`${ns}/tables/t`);
    expect(tagOf(loaded)).toBe(tagOf(created));
    const update = { action: "set-properties", updates: { a: "1" } };
    const committed = await node.post(`${ns}/tables/t`, { requirements: [], updates: [update] });
    expect(tagOf(committed)).not.toBe(tagOf(created));
    await node.must(node.delete(`${ns}/tables/t`));
    const location = committed.json()["metadata-location"];
    const registered = await node.post(`${ns}/register`, {
      name: "r",
      "metadata-location": location,
    });
    expect(registered.status).toBe(200);
    expect([tagOf(created), tagOf(committed)]).not.toContain(tagOf(registered));
  });

  it("is told that what it has still stands, until it does not", async () => {
    const table = await node.table(await node.namespace("cached"), "t");
    const tag = tagOf(await node.get(table)) ?? "";
    const again = await node.get(table, { "If-None-Match": tag });
    expect([again.status, again.body]).toEqual([304, ""]);
    expect(tagOf(again)).toBe(tag);
    const weak = await node.get(table, { "If-None-Match": `"other", W/${tag}` });
    expect(weak.status).toBe(304);
    const refs = await node.get(`${table}?snapshots=refs`, { "If-None-Match": tag });
    expect([refs.status, tagOf(refs) === tag]).toEqual([200, false]);
    const update = { action: "set-properties", updates: { a: "1" } };
    await node.must(node.post(table, { requirements: [], updates: [update] }));
    const changed = await node.get(table, { "If-None-Match": tag });
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).not.toBe(tag);
  });

  it("has the same tag and bytes whatever encodings it takes", async () => {
    const table = await node.table(await node.namespace("gzip"), "t");
    const plain = await node.get(table);
    const zipped = await node.get(table, { "Accept-Encoding": "gzip, deflate, br" });
    expect(tagOf(zipped)).toBe(tagOf(plain));
    expect(zipped.body).toBe(plain.body);
    expect(zipped.header("Content-Encoding")).toBeUndefined();
  });
});

describe("names in paths", () => {
  it("are joined by %1F by every client, in a parent too", async () => {
    await node.namespace("outer");
    for (const namespace of [
      ["outer", "inner"],
      ["outer", "inner", "core"],
    ]) {
      await node.must(node.post("/namespaces", { namespace }));
    }
    for (const parent of ["outer%1Finner", "outer%1finner"]) {
      const { namespaces } = (await node.get(`/namespaces?parent=${parent}`)).json();
      expect(namespaces).toEqual([["outer", "inner", "core"]]);
    }
    const deepest = "/namespaces/outer%1Finner%1Fcore";
    await node.must(node.post(`${deepest}/tables`, { name: "t", schema: SCHEMA }));
    expect((await node.get(`${deepest}/tables`)).json().identifiers).toEqual([
      { namespace: ["outer", "inner", "core"], name: "t" },
    ]);
    expect((await node.head(`/default${deepest}/tables/t`)).status).toBe(204);
  });

  it("may hold slashes, dots, blanks, plus and percent signs", async () => {
    const namespace = ["a/b", "c.d", "e f+g"];
    await node.must(node.post("/namespaces", { namespace: ["a/b"] }));
    await node.must(node.post("/namespaces", { namespace: ["a/b", "c.d"] }));
    await node.must(node.post("/namespaces", { namespace }));
    const path = "/namespaces/a%2Fb%1Fc.d%1Fe+f%2Bg";
    for (const name of ["x/y", "100%", "%2F", "tables/x"]) {
      await node.must(node.post(`${path}/tables`, { name, schema: SCHEMA }));
      const table = `${path}/tables/${encodeURIComponent(name)}`;
      expect((await node.get(table)).status).toBe(200);
      expect((await node.delete(table)).status).toBe(204);
    }
    const other = await node.get("/namespaces/a%1Fb%1Fc.d%1Fe+f%2Bg");
    expect(other.error().type).toBe("NoSuchNamespaceException");
  });

  it("may be long together without a route being lost", async () => {
    const levels = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(100));
    for (let depth = 1; depth <= levels.length; depth++) {
      await node.must(node.post("/namespaces", { namespace: levels.slice(0, depth) }));
    }
    expect((await node.get(`/namespaces/${levels.join("%1F")}`)).json().namespace).toEqual(levels);
  });
});

describe("query parameters", () => {
  it("purge with a capital, as Python writes it", async () => {
    const table = await node.table(await node.namespace("purge"), "t");
    expect((await node.delete(`${table}?purgeRequested=True`)).status).toBe(204);
    expect((await node.head(table)).status).toBe(404);
  });

  it("start a paged list with an empty token", async () => {
    const ns = await node.namespace("paged");
    for (const name of ["a", "b", "c"]) await node.table(ns, name);
    const names: string[] = [];
    let token: string | null = "";
    while (token !== null) {
      const query: string = `pageSize=2&pageToken=${encodeURIComponent(token)}`;
      const page = (await node.get(`${ns}/tables?${query}`)).json();
      expect(page.identifiers.length).toBeLessThanOrEqual(2);
      names.push(...page.identifiers.map(({ name }: { name: string }) => name));
      token = page["next-page-token"];
    }
    expect(names).toEqual(["a", "b", "c"]);
    const whole = (await node.get(`${ns}/tables`)).json();
    expect([whole.identifiers.length, whole["next-page-token"]]).toEqual([3, null]);
  });
});

/** Each operation on a table that should be there. */
const ON_TABLES: readonly [string, string, unknown][] = [
  ["GET", "", undefined],
  ["HEAD", "", undefined],
  ["DELETE", "", undefined],
  ["POST", "", { requirements: [], updates: [] }],
  [
    "POST",
    "/metrics",
    {
      "report-type": "commit-report",
      "table-name": "t",
      "snapshot-id": 1,
      "sequence-number": 1,
      operation: "append",
      metrics: {},
    },
  ],
];

describe("an engine that probes", () => {
  it("for a metadata table hears that there is no such table", async () => {
    const table = await node.table(await node.namespace("spark"), "t");
    const probe = await node.get("/namespaces/spark%1Ft/tables/snapshots");
    expect(probe.status).toBe(404);
    expect(probe.error()).toEqual({
      message: "Table does not exist: spark.t.snapshots",
      type: "NoSuchTableException",
      code: 404,
    });
    expect((await node.get(table)).status).toBe(200);
  });

  it.each(ON_TABLES)(
    "hears of a missing table alike with or without a namespace: %s %s",
    async (method, below, body) => {
      const there = await node.send("POST", "/namespaces", {
        namespace: [`probe${method}${below}`],
      });
      const { namespace } = there.json();
      for (const [path, name] of [
        [`/namespaces/${encodeURIComponent(namespace[0])}`, namespace[0]],
        ["/namespaces/missing%1Fdeeper", "missing.deeper"],
      ]) {
        const missing = await node.send(method, `${path}/tables/t${below}`, body);
        expect([path, missing.status]).toEqual([path, 404]);
        expect(missing.header("X-Firn-Error")).toBe("TABLE_NOT_FOUND");
        if (method === "HEAD") continue;
        expect(missing.error()).toMatchObject({
          message: `Table does not exist: ${name}.t`,
          type: "NoSuchTableException",
        });
      }
    },
  );

  it("hears of a missing namespace where a table is to be made, listed or moved to", async () => {
    const table = await node.table(await node.namespace("probed"), "t");
    const location = (await node.get(table)).json()["metadata-location"];
    const create = { name: "t", schema: SCHEMA };
    const assertCreate = {
      requirements: [{ type: "assert-create" }],
      updates: buildUpdates(node.locationOf("t")),
    };
    const identifier = { namespace: ["probed"], name: "t" };
    const away = { namespace: ["missing"], name: "t" };
    for (const [method, path, body] of [
      ["GET", "/namespaces/missing/tables", undefined],
      ["POST", "/namespaces/missing/tables", create],
      ["POST", "/namespaces/missing/tables", { ...create, "stage-create": true }],
      ["POST", "/namespaces/missing/tables/t", assertCreate],
      ["POST", "/namespaces/missing/register", { name: "t", "metadata-location": location }],
      ["POST", "/tables/rename", { source: identifier, destination: away }],
    ] as const) {
      const refused = await node.send(method, path, body);
      expect([path, refused.status]).toEqual([path, 404]);
      expect([path, refused.error()]).toEqual([
        path,
        {
          message: "Namespace does not exist: missing",
          type: "NoSuchNamespaceException",
          code: 404,
        },
      ]);
    }
    const from = await node.post("/tables/rename", { source: away, destination: identifier });
    expect(from.error().type).toBe("NoSuchTableException");
  });

  it("for a view before every table hears that there is none, for one read", async () => {
    await node.table(await node.namespace("trino"), "t");
    await node.get("/default/namespaces/trino/views/t");
    const before = await node.storeRequests();
    const probe = await node.get("/default/namespaces/trino/views/t");
    expect(probe.status).toBe(404);
    expect(probe.error()).toEqual({
      message: "View does not exist: trino.t",
      type: "NoSuchViewException",
      code: 404,
    });
    expect((await node.head("/namespaces/trino/views/t")).status).toBe(404);
    const { pointer, blob } = await node.storeRequests();
    expect({ pointer, blob }).toEqual({ pointer: before.pointer + 2, blob: before.blob });
  });
});

describe("a probe by an engine", () => {
  it("costs a few pointer reads and no blob where nothing is found", async () => {
    await node.namespace("cheap");
    const before = await node.storeRequests();
    await node.get("/namespaces/cheap/tables/none");
    await node.get("/namespaces/cheap%1Fnone/tables/snapshots");
    const { pointer, blob } = await node.storeRequests();
    expect(blob).toBe(before.blob);
    expect(pointer - before.pointer).toBeGreaterThan(0);
    expect(pointer - before.pointer).toBeLessThanOrEqual(8);
  });

  it("finds a namespace by HEAD and a table by GET before it creates", async () => {
    expect((await node.head("/namespaces/duck")).status).toBe(404);
    await node.namespace("duck");
    expect((await node.head("/namespaces/duck")).status).toBe(204);
    expect((await node.get("/namespaces/duck/tables/t")).status).toBe(404);
  });
});

describe("metrics reports", () => {
  const scan = `{"report-type":"scan-report","table-name":"c.ns.t","snapshot-id":9007199254740993,
    "filter":true,"schema-id":0,"projected-field-ids":[1],"projected-field-names":["id"],
    "metrics":{"total-planning-duration":{"count":1,"time-unit":"nanoseconds","total-duration":
    2644235116},"result-data-files":{"unit":"count","value":1}},"metadata":{"engine":"spark"}}`;
  const commit = `{"report-type":"commit-report","table-name":"c.ns.t","snapshot-id":
    9007199254740993,"sequence-number":1,"operation":"append","metrics":{"attempts":
    {"unit":"count","value":1}},"metadata":{}}`;

  it("of scans and commits are taken without a word", async () => {
    const table = await node.table(await node.namespace("metrics"), "t");
    for (const report of [scan, commit]) {
      const taken = await node.post(`${table}/metrics`, report);
      expect([taken.status, taken.body]).toEqual([204, ""]);
    }
  });

  it.each([
    ['"report-type":"scan-report"', '"report-type":"rumour"'],
    ['"filter":true', '"filter":"id > 1"'],
    ['"filter":true', '"filter":{"left":"id"}'],
    ['"snapshot-id":9007199254740993', '"snapshot-id":"9007199254740993"'],
    ['"projected-field-ids":[1]', '"projected-field-ids":["id"]'],
    ['"unit":"count","value":1', '"unit":"count"'],
    ['"count":1,', ""],
    ['"schema-id":0,', ""],
    ['"metadata":{"engine":"spark"}', '"metadata":{"engine":1}'],
  ])("that the contract does not know are refused: %s as %s", async (good, bad) => {
    const table = await node.table(await node.namespace(`of ${good} and ${bad}.`), "t");
    expect(scan).toContain(good);
    expect((await node.post(`${table}/metrics`, scan)).status).toBe(204);
    expect((await node.post(`${table}/metrics`, scan.replace(good, bad))).status).toBe(400);
  });
});

describe("a client that asks for vended credentials", () => {
  it("is answered without any, and without a token", async () => {
    const ns = await node.namespace("vended");
    const headers = { "X-Iceberg-Access-Delegation": "vended-credentials,remote-signing" };
    const request = { name: "t", schema: SCHEMA };
    for (const reply of [
      await node.post(`${ns}/tables`, { ...request, "stage-create": true }, headers),
      await node.post(`${ns}/tables`, request, headers),
      await node.get(`${ns}/tables/t`, headers),
    ]) {
      expect(reply.status).toBe(200);
      const answer = reply.json();
      expect(Object.keys(answer)).not.toContain("storage-credentials");
      expect(answer.config).toEqual({});
    }
  });
});

describe("an old Java client", () => {
  it("creates, commits by the older names of members, and loads without a condition", async () => {
    const ns = await node.namespace("old");
    const headers = { "X-Client-Version": "1.9.1", Accept: "application/json" };
    await node.must(node.post(`${ns}/tables`, { name: "t", schema: SCHEMA }, headers));
    const updates = [
      { action: "set-properties", updated: { a: "1", b: "2" } },
      { action: "remove-properties", removed: ["a"] },
    ];
    const commit = { requirements: [], updates };
    await node.must(node.post(`${ns}/tables/t`, commit, headers));
    const loaded = await node.get(`${ns}/tables/t?snapshots=all`, headers);
    expect(loaded.status).toBe(200);
    expect(loaded.json().metadata.properties).toMatchObject({ b: "2" });
    expect(loaded.json().metadata.properties).not.toHaveProperty("a");
  });
});
