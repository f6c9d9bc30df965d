import { sha256Hex } from "../../base/hash.ts";
import type { Answer } from "../answer.ts";
import { parseEntityTags } from "../etags.ts";
import { methodNotAllowed } from "../failure.ts";
import type { Accepted, Head } from "../protocol.ts";

/** Reads a file of Swagger UI. @throws FirnError `NotFound` `DOCS_NOT_INSTALLED`. */
export type ReadDocsFile = (name: "swagger-ui.css" | "swagger-ui-bundle.js") => Promise<Uint8Array>;

const PAGE = "/api/docs";

/** Nothing from elsewhere, nothing inline, and no page around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-cache",
};

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Firn API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${PAGE}/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="${PAGE}/swagger-ui-bundle.js"></script>
<script src="${PAGE}/init.js"></script>
</body>
</html>
`;

/** `validatorUrl: null`: Swagger UI would show the document to a service elsewhere. */
const INIT = `"use strict";
SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "none",
  validatorUrl: null,
});
`;

interface Served {
  readonly type: string;
  readonly bytes: (read: ReadDocsFile) => Promise<Uint8Array>;
}

const text = (content: string) => async () => Buffer.from(content);
const SCRIPT = "text/javascript; charset=utf-8";

/** Everything that lies below the page: nothing else of any directory can be asked for. */
const FILES: ReadonlyMap<string, Served> = new Map<string, Served>([
  [PAGE, { type: "text/html; charset=utf-8", bytes: text(HTML) }],
  [`${PAGE}/`, { type: "text/html; charset=utf-8", bytes: text(HTML) }],
  [`${PAGE}/init.js`, { type: SCRIPT, bytes: text(INIT) }],
  [
    `${PAGE}/swagger-ui.css`,
    { type: "text/css; charset=utf-8", bytes: (read) => read("swagger-ui.css") },
  ],
  [`${PAGE}/swagger-ui-bundle.js`, { type: SCRIPT, bytes: (read) => read("swagger-ui-bundle.js") }],
]);

/** Reads each file of Swagger UI once. */
export function keepDocs(read: ReadDocsFile): ReadDocsFile {
  const kept = new Map<string, Promise<Uint8Array>>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const bytes = read(name);
    kept.set(name, bytes);
    bytes.catch(() => kept.delete(name));
    return bytes;
  };
}

/**
 * The page that documents the native API, and its files; undefined for every other path.
 *
 * @throws FirnError `METHOD_NOT_ALLOWED`.
 */
export function docsPage(
  { method, target, headers }: Head,
  read: ReadDocsFile,
): Accepted | undefined {
  const served = FILES.get(target.path);
  if (served === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
  return {
    route: target.path,
    operation: "docs",
    writes: false,
    bodyBytes: 0,
    named: {},
    run: async (): Promise<Answer> => {
      const body = await served.bytes(read);
      const etag = `"${sha256Hex(body).slice(0, 32)}"`;
      const all = { ...HEADERS, "Content-Type": served.type, ETag: etag };
      const known = parseEntityTags(headers["if-none-match"] ?? "") ?? [];
      if (known.includes(etag)) return { status: 304, headers: all, body: undefined };
      return { status: 200, headers: all, body: method === "HEAD" ? undefined : body };
    },
  };
}
