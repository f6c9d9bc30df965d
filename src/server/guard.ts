import type { IncomingHttpHeaders } from "node:http";
import { FirnError, invalid } from "../base/error.ts";
import { canonicalHost, hostOfAuthority, isLoopbackHost } from "../base/loopback.ts";

/** What the guard reads of a request. */
export interface GuardedHead {
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns: `headers` keeps only the first of two hosts. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly localAddress?: string | undefined };
}

/**
 * Keeps web pages out: any page that its user opens can send requests to 127.0.0.1, or to a server
 * of the same network. A name that merely resolves there is refused by its `Host`, a request of
 * another origin by its `Origin`; JSON as the only content type does the rest (`http/`).
 *
 * Served are loopback names, the address that the connection came to, and the allowed names, under
 * any port: a container's is published under another one.
 */
export class HostGuard {
  readonly #allowed: ReadonlySet<string>;
  /** The host that was let in last: who keeps a connection says the same at each request. */
  #known: string | undefined;

  /** `allowed`: as `canonicalHost` spells them. */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  /**
   * @throws FirnError `HOST_MISSING`, `HOST_REPEATED`, `HOST_NOT_ALLOWED`,
   *   `ORIGIN_NOT_ALLOWED`.
   */
  check(request: GuardedHead): void {
    const { host, origin } = request.headers;
    if (hasSecondHost(request.rawHeaders)) {
      throw invalid("HOST_REPEATED", "the request has several Host headers");
    }
    if (host === undefined || host !== this.#known) this.#checkHost(host, request);
    if (origin !== undefined && !isOwnOrigin(origin, host ?? "")) {
      throw new FirnError("Forbidden", "ORIGIN_NOT_ALLOWED", "cross-origin request refused");
    }
  }

  #checkHost(authority: string | undefined, { socket }: GuardedHead): void {
    if (authority === undefined || authority === "") {
      throw invalid("HOST_MISSING", "the Host header is missing");
    }
    const host = hostOfAuthority(authority);
    const name = host === undefined ? undefined : canonicalHost(host);
    if (name !== undefined && (isLoopbackHost(name) || this.#allowed.has(name))) {
      this.#known = authority;
      return;
    }
    // Not kept: the address of this connection is not that of another one.
    if (name !== undefined && name === canonicalHost(socket.localAddress ?? "")) return;
    const message =
      "the server does not accept this Host: use its address, or start it with " +
      "--allow-host NAME";
    throw new FirnError("Forbidden", "HOST_NOT_ALLOWED", message, { host: authority });
  }
}

function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts > 1;
}

/** Browsers leave a scheme's own port out of both, programs may not. */
function isOwnOrigin(origin: string, authority: string): boolean {
  const scheme = /^https?:\/\//.exec(origin.toLowerCase())?.[0];
  if (scheme === undefined) return false;
  const sent = URL.parse(origin);
  const own = URL.parse(`${scheme}${authority}`);
  const isBare = sent !== null && origin.toLowerCase().startsWith(sent.origin);
  return isBare && !/[/?#@]/.test(origin.slice(scheme.length)) && sent.host === own?.host;
}
