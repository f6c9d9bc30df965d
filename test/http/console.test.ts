import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { Answer } from "../../src/http/answer.ts";
import { consoleProtocol, type ReadConsole } from "../../src/http/console/protocol.ts";
import type { Accepted } from "../../src/http/protocol.ts";
import { OWN_ACTOR } from "../../src/service/actor.ts";

function fileOf(type: string, text: string) {
  const plain = Buffer.from(text);
  return { type, plain, gzip: gzipSync(plain), brotli: Buffer.from(`br ${text}`) };
}

const FILES = new Map([
  ["index.html", fileOf("text/html; charset=utf-8", "<!doctype html>")],
  ["assets/index-1.js", fileOf("text/javascript; charset=utf-8", "console")],
]);

function served(read: ReadConsole = async () => FILES) {
  const protocol = consoleProtocol(read);
  return async (path: string, headers = {}, method = "GET"): Promise<Answer> => {
    try {
      const accepted = protocol.accept({ method, target: { path, query: "" }, headers });
      if ("status" in accepted) return accepted;
      return await (accepted as Accepted).run(OWN_ACTOR, undefined);
    } catch (error) {
      return protocol.refuse(error as FirnError, method, false);
    }
  };
}

test("every path below the mount is the one page; a file is itself alone", async () => {
  const ask = served();
  for (const path of ["/console/", "/console/c/lake/a.b/t/x%2Fy", "/console/jobs"]) {
    const { status, headers, body } = await ask(path);
    expect([status, headers["Content-Type"], String(body)]).toEqual([
      200,
      "text/html; charset=utf-8",
      "<!doctype html>",
    ]);
    expect(headers["Cache-Control"]).toBe("no-cache");
  }
  const file = await ask("/console/assets/index-1.js");
  expect([file.status, String(file.body)]).toEqual([200, "console"]);
  expect(file.headers["Cache-Control"]).toContain("immutable");
  for (const path of ["/console/assets/index.html", "/console/assets/../index.html"]) {
    expect((await ask(path)).status).toBe(404);
  }
  expect((await ask("/console")).headers).toEqual({ Location: "/console/" });
  expect((await ask("/console/", {}, "POST")).status).toBe(405);
});

test("a client gets the smallest form that it takes, and 304 for what it has", async () => {
  const ask = served();
  const path = "/console/assets/index-1.js";
  const brotli = await ask(path, { "accept-encoding": "gzip, br" });
  expect([brotli.headers["Content-Encoding"], String(brotli.body)]).toEqual(["br", "br console"]);
  const gzip = await ask(path, { "accept-encoding": "gzip;q=0.5, br;q=0" });
  expect(gzip.headers["Content-Encoding"]).toBe("gzip");
  expect(String(gunzipSync(gzip.body as Buffer))).toBe("console");
  const again = await ask(path, { "if-none-match": (await ask(path)).headers["ETag"] });
  expect([again.status, again.body]).toEqual([304, undefined]);
  expect((await ask(path, {}, "HEAD")).body).toBeUndefined();
});

test("nothing comes from elsewhere, nothing inline runs, no text becomes a script", async () => {
  const { headers } = await served()("/console/");
  const policy = (headers["Content-Security-Policy"] ?? "").split("; ");
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
  expect(policy.join(" ")).not.toMatch(/unsafe|\*|https?:/);
  expect(headers["X-Content-Type-Options"]).toBe("nosniff");
});

test("a console that is not built is looked for again", async () => {
  let tries = 0;
  const ask = served(async () => {
    tries++;
    if (tries === 1) throw new FirnError("NotFound", "CONSOLE_NOT_BUILT", "not built");
    return FILES;
  });
  const first = await ask("/console/");
  expect([first.status, JSON.parse(String(first.body)).code]).toEqual([404, "CONSOLE_NOT_BUILT"]);
  expect((await ask("/console/")).status).toBe(200);
  await ask("/console/");
  expect(tries).toBe(2);
});
