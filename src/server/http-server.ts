import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { ServerTls } from "./tls.ts";

/** A whole request, body included, arrives within this, or is refused. */
const REQUEST_MS = 29_000;
const HEAD_MS = 10_000;
/** How often the two are looked at: no request stays open over 30 s for want of bytes. */
const CHECK_MS = 1_000;
/** Longer than the minute after which most load balancers let go of an idle connection. */
const KEEP_ALIVE_MS = 72_000;
/**
 * Of the request line and all headers: the longest path that names may make is 32 levels of 255
 * bytes, each byte escaped, and a table.
 */
export const HEADER_BYTES = 65_536;

/**
 * A server of Node within our bounds; it does not listen yet.
 *
 * @param tls what TLS is spoken with; absent: plain HTTP.
 */
export function createHttpServer(requestMs: number = REQUEST_MS, tls?: ServerTls): Server {
  const options = {
    requestTimeout: requestMs,
    headersTimeout: Math.min(HEAD_MS, requestMs),
    connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEADER_BYTES,
    // Most requests have no body: no stream is set up that only ends.
    optimizeEmptyRequests: true,
    // A missing host is answered by `guard.ts`, in the form of every other refusal.
    requireHostHeader: false,
  };
  if (tls === undefined) return createServer(options);
  const handshakeTimeout = Math.min(HEAD_MS, requestMs);
  const server = createSecureServer({ ...options, ...tls.options, handshakeTimeout });
  tls.serve(server);
  return server;
}
