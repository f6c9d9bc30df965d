import type { IncomingHttpHeaders } from "node:http";
import { FirnError } from "../base/error.ts";

/*
 * Cookies of this server. The prefix `__Host-` makes browsers take them from this host alone, over
 * TLS or from this machine, and send them to no other one.
 */

/** Proves who uses the console. */
export const SESSION_COOKIE = "__Host-firn-session";
/** Waits for the answer of a provider. */
export const PENDING_COOKIE = "__Host-firn-sign-in";

/** A cookie that no script can read, for a `Set-Cookie` header. A life of 0 deletes it. */
export function setCookie(
  name: string,
  value: string,
  lifeMs: number,
  sameSite: "Strict" | "Lax",
): string {
  const life = Math.floor(lifeMs / 1_000);
  return `${name}=${value}; Path=/; Max-Age=${life}; Secure; HttpOnly; SameSite=${sameSite}`;
}

/** The value of a cookie; undefined where there is none, or an empty one. */
export function cookie({ cookie: sent }: IncomingHttpHeaders, name: string): string | undefined {
  for (const pair of (sent ?? "").split(";")) {
    const text = pair.trimStart();
    if (text.startsWith(`${name}=`)) return text.slice(name.length + 1).trimEnd() || undefined;
  }
  return undefined;
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, "same-origin", "none"]);

/**
 * A browser sends cookies whatever page made it ask. So a page of another origin is refused, and a
 * change needs an `Origin`, which browsers always send with one; that it is this server's was
 * judged before.
 *
 * @throws FirnError `Forbidden`, code `ORIGIN_REQUIRED`.
 */
export function assertOwnPage(method: string, headers: IncomingHttpHeaders): void {
  const { origin } = headers;
  const isOwn = READS.has(method) || (origin !== undefined && origin !== "null");
  if (isOwn && OWN_SITES.has(headers["sec-fetch-site"])) return;
  const message = "a session of the console serves pages of this server alone: send its Origin";
  throw new FirnError("Forbidden", "ORIGIN_REQUIRED", message);
}
