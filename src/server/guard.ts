import type { IncomingHttpHeaders } from "node:http";
import { CatalogError, invalid } from "../base/error.ts";
import { hostOfAuthority, isLoopbackHost } from "../runtime/loopback.ts";

/**
 * Keeps web pages out while there is no authentication: any page that its user opens can send
 * requests to 127.0.0.1. A name that merely resolves there is refused by its `Host`, a request of
 * another origin by its `Origin`; JSON as the only content type does the rest (`http/`).
 *
 * @throws CatalogError `HOST_MISSING`, `HOST_NOT_ALLOWED`, `ORIGIN_NOT_ALLOWED`.
 */
export function guardAnonymous(headers: IncomingHttpHeaders, anyHost: boolean): void {
  const authority = headers.host;
  if (authority === undefined || authority === "") {
    throw invalid("HOST_MISSING", "a request needs one host header");
  }
  const host = hostOfAuthority(authority);
  if (host === undefined || !(anyHost || isLoopbackHost(host))) {
    throw new CatalogError("Forbidden", "HOST_NOT_ALLOWED", "host is not a loopback name");
  }
  const { origin } = headers;
  if (origin === undefined) return;
  const own = authority.toLowerCase();
  if (origin.toLowerCase() !== `http://${own}` && origin.toLowerCase() !== `https://${own}`) {
    throw new CatalogError("Forbidden", "ORIGIN_NOT_ALLOWED", "request of another origin");
  }
}
