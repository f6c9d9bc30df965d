import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Firn } from "../../../src/index.ts";

let firn: Firn;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", logLevel: "silent", listen: { port: 0 } });
});
afterAll(async () => {
  await firn.close();
});

const ask = (path: string, init?: RequestInit) => fetch(`${firn.url}${path}`, init);

test("the page names only files that are served, and nothing of it is inline", async () => {
  const page = await ask("/api/docs");
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  const html = await page.text();
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  const files = named.filter((path) => !path.startsWith("data:"));
  expect(files.length).toBe(3);
  for (const path of files) {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50);
    const again = await ask(path, {
      headers: { "If-None-Match": answer.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  }
  expect(html).not.toMatch(/<style|style=|\son\w+=|<script>/);
});

test("every file has a policy that lets nothing in from elsewhere", async () => {
  for (const path of ["", "/", "/init.js", "/swagger-ui.css", "/swagger-ui-bundle.js"]) {
    const { headers } = await ask(`/api/docs${path}`);
    const policy = (headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join(" ")).not.toMatch(/unsafe|\*|https?:/);
  }
});

test("no other file can be asked for", async () => {
  const paths = [
    "/package.json",
    "/index.html",
    "/..%2fpackage.json",
    "/%2e%2e/",
    "/swagger-ui.js",
  ];
  for (const path of paths) {
    const answer = await ask(`/api/docs${path}`);
    const { code } = (await answer.json()) as { readonly code: string };
    expect([path, answer.status, code]).toEqual([path, 404, "ROUTE_NOT_FOUND"]);
  }
  const posted = await ask("/api/docs", { method: "POST" });
  expect(posted.status).toBe(405);
});

test("the page shows the document of this server, and tells nobody of it", async () => {
  const shown: Record<string, unknown>[] = [];
  const script = await (await ask("/api/docs/init.js")).text();
  runInNewContext(script, {
    SwaggerUIBundle: (options: (typeof shown)[number]) => shown.push(options),
  });
  expect(shown).toMatchObject([{ url: "/api/openapi.json", validatorUrl: null }]);
  const bundle = await (await ask("/api/docs/swagger-ui-bundle.js")).text();
  // What the page calls is what the bundle defines.
  expect(bundle).toContain("SwaggerUIBundle");
  const document = (await (await ask(String(shown[0]?.["url"]))).json()) as { paths: object };
  expect(Object.keys(document.paths).length).toBeGreaterThan(10);
});
