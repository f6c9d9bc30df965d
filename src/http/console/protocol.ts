import type { IncomingHttpHeaders } from "node:http";
import { sha256Hex } from "../../base/hash.ts";
import type { Answer } from "../answer.ts";
import { parseEntityTags } from "../etags.ts";
import { methodNotAllowed, overloaded, routeNotFound } from "../failure.ts";
import { CONSOLE_MOUNT } from "../mounts.ts";
import { problemAnswer } from "../problem.ts";
import type { Accepted, Head, Protocol } from "../protocol.ts";

/** A file of the console in each form that is sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** Reads all files by their names. @throws FirnError `NotFound` `CONSOLE_NOT_BUILT`. */
export type ReadConsole = () => Promise<ReadonlyMap<string, ConsoleFile>>;

const PAGE = "index.html";
const ASSETS = `${CONSOLE_MOUNT}/assets/`;

/** Nothing from elsewhere, nothing inline, no text that becomes a script, no page around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  Vary: "Accept-Encoding",
};

/**
 * The console: one page for every path below its mount, since the page itself reads the path; and
 * its hashed files, which never change, from a closed list.
 */
export function consoleProtocol(read: ReadConsole): Protocol {
  const files = keep(read);
  return {
    owns: /^\/console(?:\/|$)/,
    unlimited: /^\/console(?:\/|$)/,
    // Files of the console itself, of no account.
    publicPaths: /^\/console(?:\/|$)/,
    forOperators: false,
    logLevel: "debug",
    accept: (head) => accept(head, files),
    refuse: (error) => problemAnswer(error, false),
    overloaded: () => problemAnswer(overloaded(), false),
  };
}

/** Reads once, and again where that failed: the console may have been built since. */
function keep(read: ReadConsole): ReadConsole {
  let kept: ReturnType<ReadConsole> | undefined;
  return () => {
    kept ??= read().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}

function accept({ method, target, headers }: Head, files: ReadConsole): Accepted | Answer {
  const { path } = target;
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
  if (path === CONSOLE_MOUNT) {
    return { status: 308, headers: { Location: `${CONSOLE_MOUNT}/` }, body: undefined };
  }
  const isAsset = path.startsWith(ASSETS);
  const name = isAsset ? path.slice(CONSOLE_MOUNT.length + 1) : PAGE;
  return {
    route: isAsset ? `${ASSETS}{file}` : `${CONSOLE_MOUNT}/{page}`,
    operation: "console",
    writes: false,
    bodyBytes: 0,
    named: {},
    run: async () => {
      const file = (await files()).get(name);
      if (file === undefined) throw routeNotFound(path);
      return answerOf(file, { method, headers, isAsset });
    },
  };
}

interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly isAsset: boolean;
}

function answerOf(file: ConsoleFile, { method, headers, isAsset }: Asked): Answer {
  const { body, encoding } = formOf(file, headers["accept-encoding"] ?? "");
  const etag = `"${sha256Hex(body).slice(0, 32)}"`;
  const all = {
    ...HEADERS,
    "Content-Type": file.type,
    "Cache-Control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    ETag: etag,
    ...(encoding !== undefined && { "Content-Encoding": encoding }),
  };
  const known = parseEntityTags(headers["if-none-match"] ?? "") ?? [];
  if (known.includes(etag)) return { status: 304, headers: all, body: undefined };
  return { status: 200, headers: all, body: method === "HEAD" ? undefined : body };
}

/** The smallest form that the client takes; what it weighs with `q` is its own affair. */
function formOf(
  { plain, gzip, brotli }: ConsoleFile,
  accepts: string,
): { readonly body: Uint8Array; readonly encoding?: string } {
  const taken = new Set(
    accepts
      .split(",")
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
      .map((one) => one.split(";")[0]?.trim().toLowerCase()),
  );
  if (taken.has("br")) return { body: brotli, encoding: "br" };
  return taken.has("gzip") ? { body: gzip, encoding: "gzip" } : { body: plain };
}
