import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSecret } from "../../../src/service/secret-properties.ts";
import { Api } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await Api.open({ allowProperty: "legacy.password" });
});
afterAll(async () => {
  await api.firn.close();
});

async function iceberg(method: string, path: string, body?: unknown): Promise<Response> {
  return api.firn.fetch(
    new Request(`http://firn/iceberg/v1${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
}

describe("properties of a catalog", () => {
  it("reach Iceberg clients as table defaults and overrides", async () => {
    const tables = {
      "table-default.write.format.default": "orc",
      "table-override.gc.enabled": "false",
    };
    await api.done("POST", "/catalogs", { name: "lake", properties: { ...tables, owner: "ann" } });
    const config = await (await iceberg("GET", "/config?warehouse=lake")).json();
    expect(config).toMatchObject({
      defaults: { "table-default.write.format.default": "orc" },
      overrides: { "table-override.gc.enabled": "false", prefix: "lake" },
    });
    expect(JSON.stringify(config)).not.toContain("ann");
    await api.done("PATCH", "/catalogs/lake", {
      properties: { "table-default.write.format.default": null },
    });
    const later = await (await iceberg("GET", "/config?warehouse=lake")).json();
    expect(later).toMatchObject({ defaults: {} });
  });

  it("cannot redirect the readers of its tables", async () => {
    const properties = { "table-default.s3.signer.uri": "http://elsewhere" };
    const problem = await api.refused("PATCH", "/catalogs/lake", { properties });
    expect(problem).toMatchObject({ status: 400, code: "PROPERTY_RESERVED" });
  });
});

describe("properties that look like secrets", () => {
  const SECRETS: readonly (readonly [string, string])[] = [
    ["password", "x"],
    ["jdbc.password", "x"],
    ["auth.api_key", "x"],
    ["Client-Secret", "x"],
    ["a", "AKIAABCDEFGHIJKLMNOP"],
    ["a", "-----BEGIN RSA PRIVATE KEY-----\nx"],
    ["url", "postgres://ann:pw@db/x"],
  ];
  const HARMLESS: readonly (readonly [string, string])[] = [
    ["password", ""],
    ["token-count", "7"],
    ["write.parquet.bloom-filter-enabled.column.token_id", "true"],
    ["url", "postgres://ann@db/x"],
    ["url", "https://example.org/a:b@c"],
    ["comment", "never put a password here"],
    ["a", "akiaabcdefghijklmnop"],
  ];

  it.each(SECRETS)("%s = %s is one", (key, value) => expect(isSecret(key, value)).toBe(true));
  it.each(HARMLESS)("%s = %s is none", (key, value) => expect(isSecret(key, value)).toBe(false));

  it("are refused wherever properties are set, and not repeated", async () => {
    const properties = { "jdbc.password": "hunter2" };
    const refusals = [
      await api.refused("POST", "/catalogs", { name: "other", properties }),
      await api.refused("PATCH", "/catalogs/lake", { properties }),
      await api.refused("POST", "/catalogs/lake/namespaces", { path: ["n"], properties }),
    ];
    for (const problem of refusals) {
      expect(problem.code).toBe("PROPERTY_SECRET");
      expect(JSON.stringify(problem)).not.toContain("hunter2");
    }
    const made = await iceberg("POST", "/lake/namespaces", { namespace: ["n"], properties });
    expect(made.status).toBe(400);
    expect(await made.text()).not.toContain("hunter2");
    await api.done("POST", "/catalogs/lake/namespaces", { path: ["n"] });
    const schema = { type: "struct", fields: [] };
    const table = { name: "t", schema, properties };
    expect((await iceberg("POST", "/lake/namespaces/n/tables", table)).status).toBe(400);
  });

  it("may be set where the operator says so", async () => {
    const properties = { "legacy.password": "x" };
    await api.done("PATCH", "/catalogs/lake", { properties });
  });
});
