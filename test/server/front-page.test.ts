import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prefersHtml } from "../../src/http/accept.ts";
import { Firn } from "../../src/index.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

let firn: Firn;
beforeAll(async () => {
  firn = await Firn.open({ listen: { port: 0 }, logLevel: "silent" });
});
afterAll(() => firn.close());

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  return fetch(`${firn.url}${path}`, { method, headers });
}

describe("GET /", () => {
  it("tells programs where things are", async () => {
    const answer = await get("/");
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const { name, version, endpoints } = (await answer.json()) as {
      name: string;
      version: string;
      endpoints: Readonly<Record<string, string>>;
    };
    expect([name, version]).toEqual(["firn", expect.stringMatching(/^\d+\.\d+\.\d+/)]);
    expect(Object.keys(endpoints)).toEqual(["iceberg", "livez", "readyz", "metrics"]);
    for (const [kind, path] of Object.entries(endpoints)) {
      const asked = await get(kind === "iceberg" ? `${path}/v1/config` : path);
      expect([path, asked.status]).toEqual([path, 200]);
    }
  });

  it("is a page for people, that loads and runs nothing", async () => {
    const answer = await get("/", { Accept: BROWSER });
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("vary")).toBe("Accept");
    const page = await answer.text();
    expect(page).toContain(`uri=&quot;${firn.url}/iceberg&quot;`);
    expect(page).not.toMatch(/<script|<img|<link|@import|url\(|\son\w+=/i);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
    for (const [, path = ""] of page.matchAll(/href="(\/[^"]*)"/g)) {
      // A clone that was never started has no console yet.
      const { status, headers } = await get(path);
      const isBuilt = headers.get("x-firn-error") !== "CONSOLE_NOT_BUILT";
      expect([path, status]).toEqual([path, isBuilt ? 200 : 404]);
    }
  });

  it("answers HEAD, and no other method", async () => {
    const head = await get("/", {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await get("/", {}, "POST");
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it.each([
    [undefined, false],
    ["*/*", false],
    ["application/json", false],
    [BROWSER, true],
    ["text/html;q=0.5, application/json", false],
    ["application/json;q=0.5, TEXT/HTML", true],
    ["text/*, application/json;q=0.9", true],
    ["text/html;q=x", false],
    ["*/*, text/html;q=0", false],
  ])("prefers HTML for Accept: %s: %s", (accept, expected) => {
    expect(prefersHtml(accept)).toBe(expected);
  });
});

describe("a wrong base URL", () => {
  it.each([
    ...["/v1/config", "/v1/config?warehouse=w", "/v1/namespaces", "/v1/default/namespaces/a"],
    ...["/catalog/v1/config", "/iceberg/iceberg/v1/config", "/iceberg/v1/v1/config"],
    "/api/catalog/v1/oauth/tokens",
  ])("is told in the form that a client understands: %s", async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("x-firn-error")]).toEqual([404, "BASE_URL_WRONG"]);
    const { error } = (await answer.json()) as { error: Readonly<Record<string, unknown>> };
    expect(error).toMatchObject({ type: "NotFoundException", code: 404 });
    expect(error["message"]).toContain("/iceberg");
  });

  it.each(["/nope", "/livez/x", "/iceberg", "/iceberg/v1/nope", "/iceberg/v2/config"])(
    "is not every unknown path: %s",
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get("x-firn-error")]).toEqual([404, "ROUTE_NOT_FOUND"]);
      expect(await answer.text()).toContain(path);
    },
  );
});
