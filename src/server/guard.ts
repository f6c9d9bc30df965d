import type { IncomingHttpHeaders } from "node:http";
import { CatalogError, invalid } from "../base/error.ts";
import { hostOfAuthority, isLoopbackHost } from "../runtime/loopback.ts";

/**
 * Keeps web pages out while there is no authentication: any page that its user opens can send
 * requests to 127.0.0.1. A name that merely resolves there is refused by its `Host`, a request of
 * another origin by its `Origin`; JSON as the only content type does the rest (`http/`).
 */
export class AnonymousGuard {
  readonly #anyHost: boolean;
  /** The host that was let in last: who keeps a connection says the same at each request. */
  #known: string | undefined;

  /** `anyHost`: any will do, as long as it is one. */
  constructor(anyHost: boolean) {
    this.#anyHost = anyHost;
  }

  /** @throws CatalogError `HOST_MISSING`, `HOST_NOT_ALLOWED`, `ORIGIN_NOT_ALLOWED`. */
  check({ host, origin }: IncomingHttpHeaders): void {
    const authority = host === undefined || host !== this.#known ? this.#checkHost(host) : host;
    if (origin === undefined) return;
    const own = authority.toLowerCase();
    if (origin.toLowerCase() !== `http://${own}` && origin.toLowerCase() !== `https://${own}`) {
      throw new CatalogError("Forbidden", "ORIGIN_NOT_ALLOWED", "request of another origin");
    }
  }

  #checkHost(authority: string | undefined): string {
    if (authority === undefined || authority === "") {
      throw invalid("HOST_MISSING", "a request needs one host header");
    }
    const host = hostOfAuthority(authority);
    if (host === undefined || !(this.#anyHost || isLoopbackHost(host))) {
      throw new CatalogError("Forbidden", "HOST_NOT_ALLOWED", "host is not a loopback name");
    }
    this.#known = authority;
    return authority;
  }
}
