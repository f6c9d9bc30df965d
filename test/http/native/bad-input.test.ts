import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiOperation, Schema } from "../../../src/api/operation.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { Api, ENTRIES, pathOf } from "./api.ts";

const SCHEMA = { type: "struct", fields: [] };
/** Values that lead to something that is there. */
const THERE = {
  catalog: "lake",
  namespace: "a",
  table: "t",
  view: "t",
  connector: "c",
  profile: "p",
  snapshot: "17",
  account: "default",
  id: "x",
  job: "x",
};

let api: Api;

beforeAll(async () => {
  api = await Api.open();
  await api.done("POST", "/catalogs", { name: "lake" });
  await api.done("POST", "/catalogs/lake/namespaces", { path: ["a"] });
  await api.done("POST", "/catalogs/lake/namespaces", { path: ["b"] });
  const connector = { name: THERE.connector, kind: "GLUE", uri: "https://glue" };
  await api.done("POST", "/connectors", connector);
  const profile = { name: THERE.profile, roots: ["s3://profile"] };
  await api.done("POST", "/storage-profiles?skipCheck=true", profile);
  const response = await api.firn.fetch(
    new Request("http://firn/iceberg/v1/lake/namespaces/a/tables", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "t", schema: SCHEMA }),
    }),
  );
  expect(response.status).toBe(200);
});
afterAll(async () => {
  await api.firn.close();
});

/** What is looked up before a token is read. */
const MISSING: readonly (readonly [string, string])[] = [
  ["{view}", "VIEW_NOT_FOUND"],
  ["{snapshot}", "SNAPSHOT_NOT_FOUND"],
];

/** Values of no type that a schema could mean. */
const NONSENSE: readonly unknown[] = [null, 1.5, -1, "", [], {}, [[]], { a: {} }, true, 2 ** 53];

function membersOf(body: Schema | undefined): readonly string[] {
  return Object.keys((body?.["properties"] as object | undefined) ?? {});
}

function schemaOf({ body }: ApiOperation, name: string): Schema {
  const members = body?.["properties"] as Readonly<Record<string, Schema>> | undefined;
  return members?.[name] ?? {};
}

/** Whether no value is a wrong one: the caller's own JSON. */
function takesAnyJson(operation: ApiOperation, name: string): boolean {
  const { description: _description, ...rest } = schemaOf(operation, name);
  return Object.keys(rest).length === 0;
}

function isNumber(operation: ApiOperation, name: string): boolean {
  return ["number", "integer"].includes(String(schemaOf(operation, name)["type"]));
}

/** The least that a body must have. */
function leastOf({ body }: ApiOperation): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  const required = (body["required"] as readonly string[] | undefined) ?? [];
  const values: Record<string, unknown> = { name: "n", path: ["n"] };
  return Object.fromEntries(required.map((name) => [name, values[name]]));
}

/** Required parameters, so that only what is tried is wrong. */
function queryOf({ required = [] }: ApiOperation, more: string): string {
  const values: Record<string, string> = { from: "1", name: "lake", q: "a" };
  const all = [...required.map((name) => `${name}=${values[name]}`), more].filter((one) => one);
  return all.length === 0 ? "" : `?${all.join("&")}`;
}

const WITH_BODY = ENTRIES.filter(([, { body }]) => body !== undefined);
const IN_CATALOG = ENTRIES.filter(([, { template }]) => template.includes("{catalog}"));

describe("bad input of the native API", () => {
  it.each(ENTRIES)("%s: an unknown parameter is named", async (_name, operation) => {
    const path = `${pathOf(operation, THERE)}${queryOf(operation, "color=red")}`;
    const problem = await api.refused(operation.method, path, leastOf(operation));
    expect(problem).toMatchObject({ status: 400, code: "REQUEST_INVALID" });
    expect(problem.errors).toContainEqual({
      parameter: "color",
      code: "MEMBER_UNKNOWN",
      detail: "is not a parameter of this operation",
    });
  });

  it.each(ENTRIES)("%s: parameters of other types are refused", async (_name, operation) => {
    for (const [name, schema] of Object.entries(operation.query ?? {})) {
      const wrong = schema["type"] === "string" ? [""] : ["x", "", "-1", "1e3", "%00"];
      for (const value of wrong) {
        const others = operation.required?.filter((one) => one !== name) ?? [];
        const query = queryOf({ ...operation, required: others }, `${name}=${value}`);
        const path = `${pathOf(operation, THERE)}${query}`;
        const problem = await api.refused(operation.method, path, leastOf(operation));
        expect([path, problem.status, problem.code]).toEqual([path, 400, "REQUEST_INVALID"]);
      }
    }
  });

  it.each(WITH_BODY)("%s: every wrong member is named at once", async (_name, operation) => {
    const path = `${pathOf(operation, THERE)}${queryOf(operation, "")}`;
    const wrong = Object.fromEntries(
      membersOf(operation.body).map((name) => [name, isNumber(operation, name) ? "17" : 17]),
    );
    const problem = await api.refused(operation.method, path, { ...wrong, color: "red" });
    expect(problem.code).toBe("REQUEST_INVALID");
    const pointers = problem.errors?.map(({ pointer }) => pointer).sort();
    // A pointer into lines begins with the number of the line.
    const line = operation.lines === true ? "/0" : "";
    const named = [...Object.keys(wrong), "color"]
      .filter((name) => name === "color" || !takesAnyJson(operation, name))
      .map((name) => `${line}/${name}`);
    expect(pointers).toEqual(named.sort());
  });

  it.each(WITH_BODY)("%s: no value of any type is more than a 4xx", async (_name, operation) => {
    const path = `${pathOf(operation, THERE)}${queryOf(operation, "dryRun=true")}`;
    for (const name of membersOf(operation.body)) {
      for (const value of NONSENSE) {
        const { status } = await api.ask(operation.method, path, {
          ...leastOf(operation),
          [name]: value,
        });
        expect([name, value, status < 500]).toEqual([name, value, true]);
      }
    }
  });

  it.each(WITH_BODY)("%s: what is no JSON object is refused", async (_name, operation) => {
    const path = pathOf(operation, THERE);
    const deep = `${"[".repeat(LIMITS.jsonDepth + 1)}${"]".repeat(LIMITS.jsonDepth + 1)}`;
    const bodies = [
      "[]",
      "7",
      '"x"',
      "null",
      "{",
      '{"a":1,"a":2}',
      '{"__proto__":{}}',
      deep,
      "\ufeff{}",
    ];
    for (const body of bodies) {
      const problem = await api.refused(operation.method, path, body);
      expect([body, problem.status]).toEqual([body, 400]);
    }
  });

  it.each(IN_CATALOG)(
    "%s: names that no catalog can have are refused",
    async (_name, operation) => {
      const body = leastOf(operation);
      const long = "n".repeat(LIMITS.nameBytes + 1);
      const names = [
        "%",
        "%ff",
        "%00",
        long,
        "id:",
        "id:x",
        "id:ffffffff-ffff-7000-8000-000000000000",
      ];
      for (const name of names) {
        const path = `${pathOf(operation, { ...THERE, catalog: name })}${queryOf(operation, "")}`;
        const { status, code } = await api.refused(operation.method, path, body);
        expect([name, [400, 404].includes(status), code]).toEqual([name, true, code]);
      }
    },
  );
});

describe("bad tokens, keys and times of the native API", () => {
  it("refuses tokens of other lists, and forged ones", async () => {
    const lists = ENTRIES.filter(
      ([, { query = {}, method }]) => "pageToken" in query && method === "GET",
    );
    const path = "/catalogs/lake/namespaces?pageSize=1";
    const { nextPageToken: token } = await api.done<{ nextPageToken: string }>("GET", path);
    expect(token).toMatch(/./);
    const forged = `${token.slice(0, -2)}${token.endsWith("A") ? "BB" : "AA"}`;
    for (const [name, operation] of lists) {
      const isSame = name === "listNamespaces" || name === "getCatalogPage";
      for (const value of [...(isSame ? [] : [token]), forged, "x", "AAAA"]) {
        const at = `${pathOf(operation, THERE)}${queryOf(operation, `pageToken=${value}`)}`;
        const { status, code } = await api.refused("GET", at);
        const missing = MISSING.find(([part]) => operation.template.includes(part));
        expect([name, status, code]).toEqual(
          missing === undefined ? [name, 400, "PAGE_TOKEN_INVALID"] : [name, 404, missing[1]],
        );
      }
    }
    const other = `/catalogs/default/namespaces?pageToken=${token}`;
    expect((await api.refused("GET", other)).code).toBe("PAGE_TOKEN_INVALID");
  });

  it("refuses keys and tags of the wrong form", async () => {
    const path = "/catalogs/lake";
    const patch = { description: "x" };
    for (const key of ["", "a b", "k".repeat(129), "\u00e9"]) {
      const problem = await api.refused("PATCH", path, patch, { "Idempotency-Key": key });
      expect(problem.errors?.[0]?.parameter).toBe("Idempotency-Key");
    }
    for (const tag of ["x", '"1-x"', 'W/"', ""]) {
      const problem = await api.refused("PATCH", path, patch, { "If-Match": tag });
      expect([tag, problem.status]).toEqual([tag, 412]);
    }
    const any = await api.ask("PATCH", `${path}?dryRun=true`, patch, { "If-Match": "*" });
    expect(any.status).toBe(200);
    expect(await api.done("GET", path)).toMatchObject({ description: "" });
  });

  it("refuses times that are none", async () => {
    for (const at of ["yesterday", "2026-01-01", "2026-13-01T00:00:00Z", "-1", "1e9"]) {
      const { code } = await api.refused("GET", `/catalogs/lake?at=${encodeURIComponent(at)}`);
      expect([at, code]).toEqual([at, "TIME_INVALID"]);
    }
  });
});
