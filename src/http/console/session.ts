import type { IncomingHttpHeaders } from "node:http";
import type { BrowserSession } from "../../service/access/identity.ts";
import { type OidcSignIn, ownPath, SIGN_IN_MS } from "../../service/access/oidc-sign-in.ts";
import type { Answer } from "../answer.ts";
import { assertOwnPage, cookie, PENDING_COOKIE, SESSION_COOKIE, setCookie } from "../cookies.ts";
import { methodNotAllowed, overloaded, routeNotFound } from "../failure.ts";
import { CONSOLE_MOUNT } from "../mounts.ts";
import { problemAnswer } from "../problem.ts";
import type { Accepted, Head, Protocol } from "../protocol.ts";

export interface ConsoleSessionParts {
  /** Absent: only keys sign in. */
  readonly oidc?: OidcSignIn | undefined;
  /** Where browsers reach this server; absent: as they say, with this scheme. */
  readonly origin: string | undefined;
  readonly scheme: "http" | "https";
  /** The session proves nothing any more, at this node. */
  readonly end: (token: string) => void;
}

const MOUNT = `${CONSOLE_MOUNT}/session`;
/** Each asks the provider. */
const AT_ONCE = 64;
const NOT_STORED = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" } as const;

type Step = (head: Head) => Promise<Answer>;

/** Signing in and out from a browser. */
export function consoleSessionProtocol(parts: ConsoleSessionParts): Protocol {
  const steps: Readonly<Record<string, readonly ["GET" | "POST", Step]>> = {
    [MOUNT]: ["GET", async () => methods(parts)],
    [`${MOUNT}/start`]: ["GET", (head) => start(parts, head)],
    [`${MOUNT}/callback`]: ["GET", (head) => finish(parts, head)],
    [`${MOUNT}/end`]: ["POST", async ({ headers }) => end(parts, headers)],
  };
  const places = { underWay: 0 };
  return {
    owns: /^\/console\/session(?:\/|$)/,
    unlimited: /(?!)/,
    publicPaths: /^\/console\/session(?:\/|$)/,
    forOperators: false,
    logLevel: "info",
    accept: ({ method, target, headers }): Accepted => {
      const [allowed, step] = steps[target.path] ?? [];
      if (step === undefined) throw routeNotFound(target.path);
      if (method !== allowed) throw methodNotAllowed([allowed ?? "GET"]);
      return {
        route: target.path,
        operation: target.path,
        writes: false,
        signsIn: true,
        bodyBytes: 0,
        named: {},
        run: async () => {
          if (places.underWay >= AT_ONCE) throw overloaded();
          places.underWay++;
          try {
            return await step({ method, target, headers });
          } finally {
            places.underWay--;
          }
        },
      };
    },
    refuse: (error) => {
      const answer = problemAnswer(error, false);
      return { ...answer, headers: { ...answer.headers, ...NOT_STORED } };
    },
    overloaded: () => problemAnswer(overloaded(), false),
  };
}

function methods({ oidc }: ConsoleSessionParts): Answer {
  const headers = { ...NOT_STORED, "Content-Type": "application/json" };
  return { status: 200, headers, body: JSON.stringify({ provider: oidc?.name ?? null }) };
}

async function start({ oidc, ...parts }: ConsoleSessionParts, head: Head): Promise<Answer> {
  if (oidc === undefined) throw routeNotFound(head.target.path);
  const query = new URLSearchParams(head.target.query);
  const to = ownPath(query.get("to") ?? `${CONSOLE_MOUNT}/`, CONSOLE_MOUNT);
  const { location, pending } = await oidc.begin(redirectUriOf(parts, head.headers), to);
  return {
    status: 302,
    headers: { ...NOT_STORED, Location: location },
    // Comes back with a navigation from the provider, which `Strict` would leave out.
    cookies: [setCookie(PENDING_COOKIE, pending, SIGN_IN_MS, "Lax")],
    body: undefined,
  };
}

async function finish({ oidc, ...parts }: ConsoleSessionParts, head: Head): Promise<Answer> {
  if (oidc === undefined) throw routeNotFound(head.target.path);
  const { to, session } = await oidc.finish({
    query: new URLSearchParams(head.target.query),
    pending: cookie(head.headers, PENDING_COOKIE),
    redirectUri: redirectUriOf(parts, head.headers),
  });
  return {
    status: 302,
    headers: { ...NOT_STORED, Location: to },
    cookies: [setCookie(PENDING_COOKIE, "", 0, "Lax"), ...(session ? [cookieOf(session)] : [])],
    body: undefined,
  };
}

/** Needs no right: it ends what the cookie proves, and nothing else. */
function end(parts: ConsoleSessionParts, headers: IncomingHttpHeaders): Answer {
  assertOwnPage("POST", headers);
  const token = cookie(headers, SESSION_COOKIE);
  if (token !== undefined) parts.end(token);
  return {
    status: 204,
    headers: NOT_STORED,
    cookies: [setCookie(SESSION_COOKIE, "", 0, "Strict")],
    body: undefined,
  };
}

function cookieOf({ token, lifeMs }: BrowserSession): string {
  return setCookie(SESSION_COOKIE, token, lifeMs, "Strict");
}

/** The host was let in already: it is one of this server. */
function redirectUriOf(
  { origin, scheme }: Omit<ConsoleSessionParts, "oidc">,
  { host = "" }: IncomingHttpHeaders,
): string {
  return `${origin ?? `${scheme}://${host}`}${MOUNT}/callback`;
}
