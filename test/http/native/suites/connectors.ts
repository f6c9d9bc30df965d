import { describe, expect, it } from "vitest";
import type * as api from "../../../../src/api/resources.ts";
import type { Api } from "../api.ts";

const GLUE = {
  name: "glue",
  kind: "GLUE",
  uri: "https://glue.eu-west-1.amazonaws.com",
  description: "the old lake",
  options: { warehouse: "123456789012", "s3.region": "eu-west-1" },
  policy: { enabled: true, scope: ["web"] },
  properties: { owner: "ann" },
};

/** Connectors, and what they refuse. */
export function describeConnectors(served: () => Api): void {
  describe("connectors over HTTP", () => {
    registers(served);
    changes(served);
  });
}

function registers(served: () => Api): void {
  it("registers, reads and lists them", async () => {
    const firn = served();
    const key = { "Idempotency-Key": "make-glue" };
    const made = await firn.done<api.Connector>("POST", "/connectors", GLUE, key);
    expect(made).toMatchObject({
      ...GLUE,
      policy: { enabled: true, intervalMs: 3_600_000, scope: ["web"] },
      version: "1",
    });
    const again = await firn.done<api.Connector>("POST", "/connectors", GLUE, key);
    expect(again).toEqual(made);
    expect(await firn.done("GET", "/connectors/glue")).toEqual(made);
    expect(await firn.done("GET", `/connectors/id:${made.id}`)).toEqual(made);
    await firn.done("POST", "/connectors", { name: "a", kind: "ICEBERG_REST", uri: "http://b/c" });
    const page = await firn.done<api.Page<api.Summary>>("GET", "/connectors");
    expect(page.items.map(({ type, name }) => [type, name])).toEqual([
      ["connector", "a"],
      ["connector", "glue"],
    ]);
    expect((await firn.refused("POST", "/connectors", GLUE)).code).toBe("CONNECTOR_ALREADY_EXISTS");
    expect((await firn.refused("GET", "/connectors/none")).code).toBe("CONNECTOR_NOT_FOUND");
  });

  it("stores no secrets", async () => {
    const firn = served();
    const refused = async (more: object) =>
      (await firn.refused("POST", "/connectors", { ...GLUE, name: "x", ...more })).code;
    expect(await refused({ options: { "client-secret": "hush" } })).toBe("PROPERTY_SECRET");
    expect(await refused({ properties: { key: "AKIAIOSFODNN7EXAMPLE" } })).toBe("PROPERTY_SECRET");
    expect(await refused({ uri: "https://ann:hush@catalog/" })).toBe("PROPERTY_SECRET");
    const patch = { options: { token: "hush" } };
    const problem = await firn.refused("PATCH", "/connectors/glue", patch);
    expect(problem.code).toBe("PROPERTY_SECRET");
    expect(JSON.stringify(problem)).not.toContain("hush");
  });
}

function changes(served: () => Api): void {
  it("updates with masks, and only the version that was meant", async () => {
    const firn = served();
    const before = await firn.done<api.Connector>("GET", "/connectors/glue");
    const patch = {
      uri: "https://glue.eu-north-1.amazonaws.com",
      options: { "s3.region": null },
      policy: { enabled: false },
    };
    const masked = "/connectors/glue?updateMask=options,policy";
    const changed = await firn.done<api.Connector>("PATCH", masked, patch);
    expect(changed).toMatchObject({
      uri: GLUE.uri,
      options: { warehouse: "123456789012" },
      policy: { enabled: false, intervalMs: 3_600_000, scope: ["web"] },
    });
    expect((await firn.done<api.Connector>("PATCH", masked, patch)).etag).toBe(changed.etag);
    const stale = { "If-Match": before.etag };
    const late = await firn.refused("PATCH", "/connectors/glue", patch, stale);
    expect(late).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
    const dry = "/connectors/glue?dryRun=true";
    await firn.done("PATCH", dry, { description: "not yet" });
    expect(await firn.done("GET", "/connectors/glue")).toEqual(changed);
    const diff = await firn.done<api.Diff>("GET", "/connectors/glue:diff?from=1");
    expect(diff.changes.map(({ pointer }) => pointer)).toContain("/policy/enabled");
    const versions = await firn.done<api.Page<api.Version>>("GET", "/connectors/glue/versions");
    expect(versions.items).toHaveLength(2);
    expect(await firn.done("GET", "/connectors/glue?at=1")).toEqual(before);
  });

  it("deletes them for good", async () => {
    const firn = served();
    const { etag, id } = await firn.done<api.Connector>("GET", "/connectors/glue");
    const stale = { "If-Match": '"1-nonsense"' };
    const late = await firn.refused("DELETE", "/connectors/glue", undefined, stale);
    expect(late.status).toBe(412);
    await firn.done("DELETE", "/connectors/glue", undefined, { "If-Match": etag });
    expect((await firn.refused("GET", "/connectors/glue")).code).toBe("CONNECTOR_NOT_FOUND");
    const made = await firn.done<api.Connector>("POST", "/connectors", GLUE);
    expect(made.id).not.toBe(id);
    expect((await firn.refused("GET", `/connectors/id:${id}`)).code).toBe("CONNECTOR_NOT_FOUND");
  });
}
