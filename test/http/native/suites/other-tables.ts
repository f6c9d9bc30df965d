import { describe, expect, it } from "vitest";
import type * as api from "../../../../src/api/resources.ts";
import type { Api } from "../api.ts";

const AT = "/catalogs/lake/namespaces/other/tables";

/** What Iceberg clients are answered: a status, and the type of the error if it is one. */
async function iceberg(
  { firn }: Api,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly type?: string; readonly body: unknown }> {
  const response = await firn.fetch(
    new Request(`http://firn/iceberg/v1/lake${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const json = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, type: json?.error?.type, body: json };
}

/** Tables of other formats than Iceberg. Catalog `lake` is there. */
export function describeOtherTables(served: () => Api): void {
  describe("tables of other formats over HTTP", () => {
    registers(served);
    changes(served);
    hides(served);
  });
}

const SCAN = {
  "report-type": "scan-report",
  "table-name": "events",
  "snapshot-id": 1,
  filter: true,
  "schema-id": 0,
  "projected-field-ids": [],
  "projected-field-names": [],
  metrics: {},
};

const EVENTS = {
  name: "events",
  format: "DELTA",
  description: "clicks",
  properties: { owner: "ann" },
  columns: [
    { name: "at", type: "timestamp", nullable: false },
    { name: "url", type: "string", comment: "whole", fieldId: 2 },
  ],
  partitionKeys: ["at"],
  upstream: { uri: "s3://elsewhere/delta", path: "web/events" },
};

function registers(served: () => Api): void {
  it("registers, reads and lists them", async () => {
    const firn = served();
    await firn.done("POST", "/catalogs/lake/namespaces", { path: ["other"] });
    const made = await firn.done<api.Table>("POST", AT, EVENTS);
    expect(made).toMatchObject({
      ...EVENTS,
      columns: [
        { name: "at", type: "timestamp", nullable: false, comment: "" },
        { name: "url", type: "string", nullable: true, comment: "whole", fieldId: 2 },
      ],
      version: "1",
    });
    expect(made.location).toMatch(/\/lake\/other\/events-[0-9a-f]{12}$/);
    expect(await firn.done("GET", `${AT}/events`)).toEqual(made);
    for (const format of ["HUDI", "OTHER"]) {
      await firn.done("POST", AT, { name: format.toLowerCase(), format });
    }
    const page = await firn.done<api.Page<api.Summary>>("GET", AT);
    expect(page.items.map(({ name, format }) => [name, format])).toEqual([
      ["events", "DELTA"],
      ["hudi", "HUDI"],
      ["other", "OTHER"],
    ]);
    const again = await firn.refused("POST", AT, EVENTS);
    expect(again.code).toBe("TABLE_ALREADY_EXISTS");
  });

  it("refuses what is no such table", async () => {
    const firn = served();
    const refused = async (request: object) =>
      (await firn.refused("POST", AT, { name: "x", format: "DELTA", ...request })).code;
    expect(await refused({ format: "ICEBERG" })).toBe("REQUEST_INVALID");
    const column = { name: "a", type: "int" };
    expect(await refused({ columns: [column, column] })).toBe("COLUMNS_INVALID");
    expect(await refused({ columns: [column], partitionKeys: ["b"] })).toBe("COLUMNS_INVALID");
    expect(await refused({ partitionKeys: ["b", "b"] })).toBe("COLUMNS_INVALID");
    expect(await refused({ location: "s3://not-ours/x" })).toMatch(/^LOCATION_/);
    const { location } = await firn.done<api.Table>("GET", `${AT}/events`);
    expect(await refused({ location })).toBe("LOCATION_TAKEN");
    expect(await refused({ location: `${location}/in` })).toBe("LOCATION_OVERLAPS");
    expect(await refused({ properties: { "db.password": "x" } })).toBe("PROPERTY_SECRET");
    expect((await firn.refused("GET", `${AT}/x`)).code).toBe("TABLE_NOT_FOUND");
  });
}

function changes(served: () => Api): void {
  it("changes what is said of them, and no more", async () => {
    const firn = served();
    const before = await firn.done<api.Table>("GET", `${AT}/events`);
    const patch = {
      columns: [{ name: "day", type: "date" }],
      partitionKeys: ["day"],
      upstream: { path: "web/days" },
      properties: { owner: null, tier: "gold" },
    };
    const changed = await firn.done<api.Table>("PATCH", `${AT}/events`, patch, {
      "If-Match": before.etag,
    });
    expect(changed).toMatchObject({
      description: "clicks",
      columns: [{ name: "day", type: "date", nullable: true, comment: "" }],
      partitionKeys: ["day"],
      upstream: { uri: "s3://elsewhere/delta", path: "web/days" },
      properties: { tier: "gold" },
      location: before.location,
    });
    const same = await firn.done<api.Table>("PATCH", `${AT}/events`, patch);
    expect(same.etag).toBe(changed.etag);
    const masked = "?updateMask=upstream";
    const without = await firn.done<api.Table>("PATCH", `${AT}/events${masked}`, {
      upstream: null,
      columns: [],
    });
    expect(without.upstream).toBeUndefined();
    expect(without.columns).toEqual(changed.columns);
    const wrong = await firn.refused("PATCH", `${AT}/events`, { partitionKeys: ["none"] });
    expect(wrong.code).toBe("COLUMNS_INVALID");
    const half = await firn.refused("PATCH", `${AT}/events`, { upstream: { path: "x" } });
    expect(half.code).toBe("UPSTREAM_INVALID");
    const diff = await firn.done<api.Diff>("GET", `${AT}/events:diff?from=1`);
    expect(diff.changes.map(({ pointer }) => pointer)).toContain("/upstream/uri");
    const first = await firn.done<api.Table>("GET", `${AT}/events?at=1`);
    expect(first.columns).toEqual(before.columns);
  });

  it("leaves Iceberg tables to commits", async () => {
    const firn = served();
    const at = "/catalogs/lake/namespaces/a/tables/back";
    const problem = await firn.refused("PATCH", at, { properties: { a: "b" } });
    expect(problem).toMatchObject({ status: 400, code: "FORMAT_UNSUPPORTED" });
  });

  it("drops them without their files, and brings them back", async () => {
    const firn = served();
    const purge = await firn.refused("DELETE", `${AT}/hudi?purge=true`);
    expect(purge.code).toBe("FORMAT_UNSUPPORTED");
    const { id, location } = await firn.done<api.Table>("GET", `${AT}/hudi`);
    await firn.done("DELETE", `${AT}/hudi`);
    expect((await firn.refused("GET", `${AT}/hudi`)).code).toBe("TABLE_NOT_FOUND");
    await firn.done("POST", `/dropped/${id}:undrop`, { name: "again" });
    const back = await firn.done<api.Table>("GET", `${AT}/again`);
    expect(back).toMatchObject({ id, location, format: "HUDI" });
    await firn.done("POST", `${AT}/again:rename`, { name: "hudi" });
  });
}

function hides(served: () => Api): void {
  it("are not there for Iceberg clients, and keep their names", async () => {
    const firn = served();
    const listed = await iceberg(firn, "GET", "/namespaces/other/tables");
    expect(listed.body).toMatchObject({ identifiers: [] });
    const at = "/namespaces/other/tables/events";
    const nothing = { requirements: [], updates: [] };
    const to = { namespace: ["other"], name: "mine" };
    const from = { namespace: ["other"], name: "events" };
    const asked = [
      await iceberg(firn, "GET", at),
      await iceberg(firn, "POST", at, nothing),
      await iceberg(firn, "DELETE", `${at}?purgeRequested=true`),
      await iceberg(firn, "POST", "/tables/rename", { source: from, destination: to }),
      await iceberg(firn, "POST", `${at}/metrics`, SCAN),
    ];
    for (const { status, type } of asked) {
      expect([status, type]).toEqual([404, "NoSuchTableException"]);
    }
    expect((await iceberg(firn, "HEAD", at)).status).toBe(404);
    const fields = [{ id: 1, name: "a", required: false, type: "long" }];
    const create = { name: "events", schema: { type: "struct", fields } };
    const made = await iceberg(firn, "POST", "/namespaces/other/tables", create);
    expect([made.status, made.type]).toEqual([409, "AlreadyExistsException"]);
    const file = { name: "events", "metadata-location": "file:///nowhere.json", overwrite: true };
    const registered = await iceberg(firn, "POST", "/namespaces/other/register", file);
    expect([registered.status, registered.type]).toEqual([409, "AlreadyExistsException"]);
    expect(await firn.done("GET", `${AT}/events`)).toMatchObject({ format: "DELTA" });
    const snapshots = await firn.refused("GET", `${AT}/events/snapshots`);
    expect(snapshots.code).toBe("TABLE_NOT_ICEBERG");
  });

  it("leave their place in a list of Iceberg tables", async () => {
    const firn = served();
    const fields = [{ id: 1, name: "a", required: false, type: "long" }];
    for (const name of ["a", "p", "z"]) {
      const schema = { type: "struct", fields };
      await iceberg(firn, "POST", "/namespaces/other/tables", { name, schema });
    }
    const names: string[] = [];
    for (let token = ""; ; ) {
      const path = `/namespaces/other/tables?pageSize=2&pageToken=${token}`;
      const { body } = await iceberg(firn, "GET", path);
      const page = body as { identifiers: { name: string }[]; "next-page-token"?: string };
      names.push(...page.identifiers.map(({ name }) => name));
      if (!page["next-page-token"]) break;
      token = encodeURIComponent(page["next-page-token"]);
    }
    expect(names).toEqual(["a", "p", "z"]);
    for (const name of ["a", "p", "z"]) await firn.done("DELETE", `${AT}/${name}`);
  });
}
