import type { IncomingHttpHeaders } from "node:http";
import { type FirnError, invalid } from "../../base/error.ts";
import type { IssuedToken, TokenRequest } from "../../service/access/token-exchange.ts";
import type { Actor } from "../../service/actor.ts";
import type { Answer } from "../answer.ts";
import { asFirnError, overloaded } from "../failure.ts";
import { ICEBERG_MOUNT } from "../mounts.ts";
import type { Accepted, Head } from "../protocol.ts";
import { errorHeaders, httpStatus } from "../status.ts";

/** Gives tokens for credentials. */
export interface TokenService {
  /** @throws FirnError as `TokenExchange.issue`. */
  issue(request: TokenRequest): Promise<IssuedToken>;
}

/** Below the mount. */
export const TOKENS_PATH = "/v1/oauth/tokens";
const FORM = "application/x-www-form-urlencoded";
/** A form holds two tokens at most. */
const FORM_BYTES = 32_768;
/**
 * Requests for tokens are not counted among others: some clients never try again where a refresh
 * was refused. So many are under way at once.
 */
const AT_ONCE = 64;

/** Codes of RFC 6749 (5.2) by ours; what is none of these is a refusal of the request. */
const OAUTH_ERRORS: Readonly<Record<string, string>> = {
  OAUTH_NOT_SUPPORTED: "unsupported_grant_type",
  OAUTH_GRANT_UNSUPPORTED: "unsupported_grant_type",
  OAUTH_INVALID_CLIENT: "invalid_client",
  OAUTH_INVALID_SCOPE: "invalid_scope",
};

/** Any error as the token endpoint words it (RFC 6749, 5.2). */
export function tokenRefusal(error: FirnError): Answer {
  const status = httpStatus(error, false);
  const fallback = status < 500 ? "invalid_request" : "server_error";
  const body = {
    error: OAUTH_ERRORS[error.code] ?? fallback,
    error_description: status < 500 ? error.message : "internal error",
  };
  return { status, headers: { ...NOT_STORED, ...errorHeaders(error) }, body: JSON.stringify(body) };
}

/** RFC 6749, 5.1: no cache keeps a token. */
const NOT_STORED = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  Pragma: "no-cache",
} as const;

/**
 * Clients with credentials ask for a token here first. There are none to be had, which OAuth has
 * words for; those without credentials never come.
 */
export function noTokens(): Answer {
  const message = "this server issues no tokens: connect without credential and token";
  return tokenRefusal(invalid("OAUTH_NOT_SUPPORTED", message));
}

/** The token endpoint of one server. */
export class TokenEndpoint {
  readonly #tokens: TokenService;
  #underWay = 0;

  constructor(tokens: TokenService) {
    this.#tokens = tokens;
  }

  accept({ headers, target }: Head): Accepted {
    const route = `${ICEBERG_MOUNT}${TOKENS_PATH}`;
    return {
      route,
      operation: route,
      writes: false,
      signsIn: true,
      bodyBytes: FORM_BYTES,
      bodyType: FORM,
      named: {},
      run: (actor, body) => this.#answer(actor, headers, target.query, body),
    };
  }

  async #answer(
    { address }: Actor,
    { authorization }: IncomingHttpHeaders,
    query: string,
    body: Uint8Array | undefined,
  ): Promise<Answer> {
    if (this.#underWay >= AT_ONCE) return tokenRefusal(overloaded());
    this.#underWay++;
    try {
      // What stands in a query is kept in logs of proxies.
      if (query !== "") {
        throw invalid("OAUTH_INVALID_REQUEST", "send parameters in the body, not in the query");
      }
      return tokenAnswer(await this.#tokens.issue({ form: formOf(body), authorization, address }));
    } catch (error) {
      const known = asFirnError(error);
      if (known.kind === "Internal" || known.kind === "Corrupt") throw known;
      return tokenRefusal(known);
    } finally {
      this.#underWay--;
    }
  }
}

function tokenAnswer({ accessToken, expiresInS, scope, issuedTokenType }: IssuedToken): Answer {
  const body = {
    access_token: accessToken,
    token_type: "bearer",
    expires_in: expiresInS,
    issued_token_type: issuedTokenType,
    ...(scope !== "" && { scope }),
  };
  return { status: 200, headers: NOT_STORED, body: JSON.stringify(body) };
}

/** @throws FirnError `OAUTH_INVALID_REQUEST`: a parameter that is there twice (RFC 6749, 3.2). */
function formOf(body: Uint8Array | undefined): ReadonlyMap<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.from(body ?? []).toString("utf8"))) {
    if (form.has(name)) throw invalid("OAUTH_INVALID_REQUEST", "a parameter is repeated");
    form.set(name, value);
  }
  return form;
}
