import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { LruMap } from "../../base/lru.ts";
import type { Prng } from "../../base/prng.ts";
import type { ForeignIdentity } from "./authenticator.ts";
import type { BrowserSession } from "./identity.ts";
import { isSafeUrl } from "./issuer-config.ts";
import { DISCOVERY, memberOf } from "./issuer-documents.ts";
import type { IssuerFetch } from "./issuer-keys.ts";
import { SealedTexts } from "./sealed-texts.ts";

/*
 * Signing in from a browser: OpenID Connect's authorization code flow with PKCE (RFC 7636), led by
 * the server. The page never sees a code or a token: what waits for the answer of the provider is
 * sealed in one cookie, the session that comes of it in another one, and no script reads either.
 */

/** How long a user may take at the provider. */
export const SIGN_IN_MS = 600_000;
/** The endpoints of the provider are read again then. */
const KNOWN_MS = 3_600_000;
const RANDOM_BYTES = 32;
const CODE_CHARS = 4_096;
/** Answers that came already, as long as their cookies could be sent again. */
const USED = 10_000;

export interface OidcClient {
  /** As the file of the issuers names it. */
  readonly name: string;
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scope: string;
}

/**
 * Posts a form to the token endpoint: bounded in bytes and time, without redirects.
 *
 * @returns the JSON of the answer; undefined where the status is not 200.
 * @throws Error it cannot be reached, or answers no JSON.
 */
export type OidcPost = (
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
) => Promise<unknown>;

export interface OidcSignInParts {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly secrets: readonly [current: Uint8Array, ...previous: Uint8Array[]];
  readonly client: OidcClient;
  readonly fetch: IssuerFetch;
  readonly post: OidcPost;
  /** What an ID token for this client proves; undefined: nothing. */
  readonly verify: (token: string, nonce: string) => Promise<ForeignIdentity | undefined>;
  /** Undefined: the principal or the account is suspended, or there is no such account. */
  readonly begin: (identity: ForeignIdentity) => Promise<BrowserSession | undefined>;
  /** Told what an operator should mend. */
  readonly onTrouble: (reason: string) => void;
}

/** What waits for the answer of the provider. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A path of this server. */
  readonly to: string;
  readonly untilMs: number;
}

interface Endpoints {
  readonly authorization: string;
  readonly token: string;
}

export interface Begun {
  /** Where the browser goes. */
  readonly location: string;
  /** For a cookie that comes back with the answer of the provider. */
  readonly pending: string;
}

export interface Returned {
  readonly query: URLSearchParams;
  /** The cookie. */
  readonly pending: string | undefined;
  readonly redirectUri: string;
}

/** Where the browser goes then; without a session where the user did not sign in. */
export interface Entered {
  readonly to: string;
  readonly session: BrowserSession | undefined;
}

export class OidcSignIn {
  readonly #parts: OidcSignInParts;
  readonly #sealed: SealedTexts;
  readonly #used: LruMap<string, true> = new LruMap(USED);
  #endpoints: { readonly found: Endpoints; readonly atMs: number } | undefined;

  constructor(parts: OidcSignInParts) {
    this.#parts = parts;
    this.#sealed = new SealedTexts(parts.secrets, "firn sign-in cookie", parts.prng);
  }

  /** Of the provider, for people. */
  get name(): string {
    return this.#parts.client.name;
  }

  /**
   * Begins a sign-in. Cost: a request to the provider once an hour.
   *
   * @param to path of this server that the browser comes back to, as `ownPath` gave it.
   * @throws FirnError `SIGN_IN_UNAVAILABLE`.
   */
  async begin(redirectUri: string, to: string): Promise<Begun> {
    const { client, clock } = this.#parts;
    const { authorization } = await this.#find();
    const [state, nonce, verifier] = [this.#random(), this.#random(), this.#random()];
    const untilMs = clock.nowMs() + SIGN_IN_MS;
    const location = new URL(authorization);
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: client.clientId,
      redirect_uri: redirectUri,
      scope: client.scope,
      state,
      nonce,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    })) {
      location.searchParams.set(name, value);
    }
    const pending: Pending = { state, nonce, verifier, to, untilMs };
    return { location: location.href, pending: this.#sealed.seal(JSON.stringify(pending)) };
  }

  /**
   * Takes the answer of the provider. Cost: a request to the provider.
   *
   * @throws FirnError `SIGN_IN_STATE_INVALID`: this browser has not asked for this answer, or took
   *   it before; `SIGN_IN_REFUSED`; `SIGN_IN_UNAVAILABLE`.
   */
  async finish({ query, pending: cookie, redirectUri }: Returned): Promise<Entered> {
    const { client, clock } = this.#parts;
    const pending = this.#pendingIn(cookie);
    const isAsked = pending !== undefined && isEqual(query.get("state") ?? "", pending.state);
    if (!isAsked || pending.untilMs <= clock.nowMs() || this.#used.get(pending.state)) {
      throw stateInvalid();
    }
    // RFC 9207: the answer of one provider is never sent to another one.
    const iss = query.get("iss");
    if (iss !== null && iss !== client.issuer) throw stateInvalid();
    this.#used.set(pending.state, true);
    const code = query.get("code");
    if (code === null) return { to: pending.to, session: undefined };
    if (code.length > CODE_CHARS) throw refused();
    const idToken = await this.#redeem(code, pending.verifier, redirectUri);
    if (idToken === undefined) throw refused();
    const identity = await this.#parts.verify(idToken, pending.nonce);
    const session = identity && (await this.#parts.begin(identity));
    if (session === undefined) throw refused();
    return { to: pending.to, session };
  }

  #random(): string {
    return Buffer.from(this.#parts.prng.bytes(RANDOM_BYTES)).toString("base64url");
  }

  #pendingIn(cookie: string | undefined): Pending | undefined {
    const text = cookie === undefined ? undefined : this.#sealed.open(cookie);
    return text === undefined ? undefined : (JSON.parse(text) as Pending);
  }

  /** The ID token that a code stands for; undefined where the provider takes it no more. */
  async #redeem(code: string, verifier: string, redirectUri: string): Promise<string | undefined> {
    const { client, post } = this.#parts;
    const { token } = await this.#find();
    const { clientId, clientSecret } = client;
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(clientSecret === undefined && { client_id: clientId }),
    };
    const headers = clientSecret === undefined ? {} : basic(clientId, clientSecret);
    const answer = await this.#reach(() => post(token, form, headers));
    const found = memberOf(answer, "id_token");
    return typeof found === "string" ? found : undefined;
  }

  async #find(): Promise<Endpoints> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#endpoints !== undefined && nowMs - this.#endpoints.atMs < KNOWN_MS) {
      return this.#endpoints.found;
    }
    const found = await this.#reach(() => this.#discover());
    this.#endpoints = { found, atMs: nowMs };
    return found;
  }

  async #discover(): Promise<Endpoints> {
    const { client, fetch } = this.#parts;
    const document = await fetch(`${client.issuer.replace(/\/$/, "")}${DISCOVERY}`, undefined);
    if (memberOf(document, "issuer") !== client.issuer) {
      throw new Error("its discovery document is of another issuer");
    }
    const urlAt = (name: string): string => {
      const url = memberOf(document, name);
      if (typeof url === "string" && isSafeUrl(url)) return url;
      throw new Error(`its discovery document has no ${name} with https`);
    };
    return { authorization: urlAt("authorization_endpoint"), token: urlAt("token_endpoint") };
  }

  async #reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#parts.onTrouble(error instanceof Error ? error.message : String(error));
      const message = "the OpenID Connect provider does not answer: try again later";
      throw new FirnError("Unavailable", "SIGN_IN_UNAVAILABLE", message, {}, error);
    }
  }
}

function stateInvalid(): FirnError {
  const message =
    "this browser did not begin this sign-in, took too long, or has ended it before: sign in again";
  return new FirnError("Forbidden", "SIGN_IN_STATE_INVALID", message);
}

function refused(): FirnError {
  const message = "the sign-in was refused: sign in again, or ask an administrator";
  return new FirnError("Unauthenticated", "SIGN_IN_REFUSED", message);
}

/** RFC 6749, 2.3.1: both parts are encoded as in a form. */
function basic(id: string, secret: string): Readonly<Record<string, string>> {
  const encoded = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);
  const pair = Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64");
  return { Authorization: `Basic ${pair}` };
}

function isEqual(sent: string, own: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(own)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Stands for this server where a path is resolved. */
const OWN = "http://own.invalid";

/**
 * A path that a browser may be sent back to: a page of the console.
 *
 * @throws FirnError `RETURN_PATH_INVALID`: any other place, here or elsewhere.
 */
export function ownPath(text: string, mount: string): string {
  const url = URL.parse(text, OWN);
  const isOwn = text.startsWith("/") && url?.origin === OWN && !/[\\\p{Cc}]/u.test(text);
  if (
    isOwn &&
    url.pathname.startsWith(`${mount}/`) &&
    !url.pathname.startsWith(`${mount}/session`)
  ) {
    return `${url.pathname}${url.search}`;
  }
  throw invalid("RETURN_PATH_INVALID", "a sign-in leads back to a page of the console alone");
}
