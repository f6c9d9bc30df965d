import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { prefersHtml } from "../accept.ts";
import type { Answer } from "../answer.ts";
import { ICEBERG_MOUNT } from "../mounts.ts";
import { firstSession, INSTALL, PRINTED } from "./first-session.ts";

/** What is served where, for people. */
const ENDPOINTS: readonly (readonly [path: string, what: string])[] = [
  [`${ICEBERG_MOUNT}/v1/config`, "Iceberg REST catalog; every client asks here first"],
  ["/console/", "the console: catalogs, tables and their history in a browser"],
  ["/api/openapi.json", "native API: every operation, as OpenAPI 3.1"],
  ["/livez", "200 while the process lives"],
  ["/readyz", "200 while it can serve requests, 503 otherwise"],
  ["/metrics", "figures for Prometheus"],
];

const LINKS: readonly (readonly [url: string, name: string])[] = [
  ["https://iceberg.apache.org/rest-catalog-spec/", "Iceberg REST catalog specification"],
  ["https://py.iceberg.apache.org/", "PyIceberg"],
  ["https://iceberg.apache.org/docs/latest/spark-configuration/", "Spark with Iceberg"],
  ["https://trino.io/docs/current/connector/iceberg.html", "Trino with Iceberg"],
];

const STYLE = `
:root { color-scheme: light dark; --ink: #16232e; --dim: #57697a; --line: #d5dfe7;
  --paper: #fff; --code: #f3f7fa; --accent: #0b6aa8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4edf4; --dim: #9db0c0; --line: #2b3b48;
  --paper: #101a22; --code: #18252f; --accent: #6cc0f5 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif }
main { max-width: 50rem; margin: 0 auto; padding: 3.5rem 1.25rem 4rem }
h1 { margin: 0; font-size: 2.4rem; letter-spacing: -.02em }
h1 small { font-size: 1rem; font-weight: 400; color: var(--dim); letter-spacing: 0 }
h2 { margin: 2.4rem 0 .6rem; font-size: 1.1rem }
p { margin: .4rem 0 } a { color: var(--accent) }
code, pre { font: .875rem/1.5 ui-monospace, monospace }
pre { margin: .6rem 0; padding: .9rem 1rem; overflow-x: auto; background: var(--code);
  border: 1px solid var(--line); border-radius: 8px }
table { width: 100%; border-collapse: collapse }
td { padding: .45rem .8rem .45rem 0; border-top: 1px solid var(--line); vertical-align: top }
td:first-child { white-space: nowrap }
ul { margin: .4rem 0; padding-left: 1.2rem }
.dim { color: var(--dim) }
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept",
};

/** `GET /`: a page for people, JSON for programs. */
export class FrontPage {
  readonly #version: string;

  constructor(version: string) {
    this.#version = version;
  }

  answer(method: string, headers: IncomingHttpHeaders): Answer {
    const html = prefersHtml(headers.accept);
    const body = html
      ? page(baseUrl(headers), this.#version)
      : `${JSON.stringify({ name: "firn", version: this.#version, endpoints: PATHS })}\n`;
    const fitting: Readonly<Record<string, string>> = html
      ? {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": POLICY,
          "Referrer-Policy": "no-referrer",
        }
      : { "Content-Type": "application/json; charset=utf-8" };
    return { status: 200, headers: { ...COMMON, ...fitting }, body: method === "HEAD" ? "" : body };
  }
}

/** Paths of this server. Fields are added, never renamed or removed. */
const PATHS = {
  iceberg: ICEBERG_MOUNT,
  livez: "/livez",
  readyz: "/readyz",
  metrics: "/metrics",
} as const;

/** Where this client reached the server: its `Host` was checked by the guard. */
function baseUrl(headers: IncomingHttpHeaders): string {
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  return `${scheme}://${headers.host ?? "127.0.0.1"}`;
}

function page(url: string, version: string): string {
  const endpoints = ENDPOINTS.map(
    ([path, what]) =>
      `<tr><td><a href="${path}"><code>${path}</code></a></td><td>${what}</td></tr>`,
  );
  const links = LINKS.map(([to, name]) => `<li><a href="${to}">${name}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Firn</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Firn <small>${version}</small></h1>
<p>A lakehouse catalog that needs nothing but a bucket. PyIceberg, Spark, Trino, DuckDB and Flink
speak to it by the Apache Iceberg REST protocol.</p>

<h2>Connect a client</h2>
<p>The catalog's URI is</p>
<pre>${escaped(url)}${ICEBERG_MOUNT}</pre>
<p class="dim">Clients append <code>/v1/…</code> themselves. Set no <code>warehouse</code> to use
the default catalog, or the name of another catalog. This server asks for no credentials: every
client that reaches it can read and change every table.</p>

<h2>A first session</h2>
<pre>${INSTALL}</pre>
<pre>${escaped(firstSession(url))}
<span class="dim"># ${escaped(PRINTED)}</span></pre>
<p class="dim">It can be run again.</p>

<h2>Endpoints</h2>
<table>
${endpoints.join("\n")}
</table>

<h2>Read on</h2>
<ul>
${links.join("\n")}
</ul>
<p class="dim">Settings, clients and operations: <code>README.md</code> and <code>docs/</code> of
this project.</p>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
