import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { writes } from "../../../src/api/operation.ts";
import { PRIVILEGES } from "../../../src/api/privileges.ts";
import { openApiText } from "../../../src/http/native/openapi.ts";
import { matchPath } from "../../../src/http/native/router.ts";
import { ENTRIES, pathOf } from "./api.ts";

describe("the table of operations of the native API", () => {
  it.each(ENTRIES)("%s says what it needs, takes and answers", (_name, operation) => {
    const { method, template, needs, summary, status, answer, query = {}, body } = operation;
    expect(template).toMatch(/^\/[a-z]/);
    expect(summary).toMatch(/^[A-Z]/);
    expect(needs.filter((need) => !PRIVILEGES.includes(need))).toEqual([]);
    expect(answer === undefined).toBe(status === 204);
    expect(operation.required?.filter((name) => !(name in query)) ?? []).toEqual([]);
    if (method === "GET") expect([body, operation.once]).toEqual([undefined, undefined]);
    expect(operation.conditional === "write" ? writes(operation) : true).toBe(true);
    for (const schema of [answer, body]) if (schema !== undefined) Compile(schema);
  });

  it.each(ENTRIES)("%s is what its path leads to", (name, operation) => {
    const found = matchPath(operation.method, pathOf(operation));
    expect(found).toMatchObject({ found: "route", route: { name } });
  });

  it("tells a verb from a name that holds a colon", () => {
    const route = (path: string) => {
      const match = matchPath("GET", path);
      return match.found === "route" ? [match.route.name, match.params] : match.found;
    };
    expect(route("/catalogs/a%3Adiff")).toEqual(["getCatalog", { catalog: "a%3Adiff" }]);
    expect(route("/catalogs/a:diff")).toEqual(["diffCatalog", { catalog: "a" }]);
    expect(route("/catalogs/id:x:diff")).toEqual(["diffCatalog", { catalog: "id:x" }]);
    expect(route("/catalogs/id:x")).toEqual(["getCatalog", { catalog: "id:x" }]);
    expect(route("/catalogs/a%2Fb")).toEqual(["getCatalog", { catalog: "a%2Fb" }]);
    expect(route("/catalogs/a/")).toBe("nothing");
    expect(route("/catalogs//namespaces")).toBe("nothing");
    expect(route("/catalogs/a:rename")).toBe("path");
  });

  it("is the OpenAPI document", () => {
    const document = JSON.parse(openApiText("1.2.3")) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string; parameters: unknown[] }>>;
      components: { schemas: Record<string, unknown> };
    };
    expect(document.openapi).toBe("3.1.0");
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(ENTRIES.map(([name]) => name).sort());
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    const missing = references.filter(([, name = ""]) => !(name in document.components.schemas));
    expect(references.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });
});
