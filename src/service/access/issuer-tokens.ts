import { type CryptoKey, errors, type JWTPayload, jwtVerify } from "jose";
import type { Clock } from "../../base/clock.ts";
import { TOKEN_CHARS } from "./access-tokens.ts";
import type { ForeignIdentity, ForeignTokens } from "./authenticator.ts";
import type { Issuer, Signature } from "./issuer-config.ts";
import { IssuerKeys, type IssuerKeysParts } from "./issuer-keys.ts";

/** Clocks of issuers may differ from ours by so much. */
const SKEW_S = 60;
const ROLES = 200;
/** With the issuer's name before it, a name of 255 bytes at most. */
const SUBJECT = /^[\x21-\x7e]{1,190}$/;
const ROLE = /^[\x21-\x7e]{1,190}$/;
/** What a header may call an access token, where it calls it anything. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "at+jwt", "application/at+jwt"]);
/** And an ID token. */
const ID_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt"]);
/** What Keycloak calls other tokens in their payload. */
const NOT_FOR_ACCESS: ReadonlySet<unknown> = new Set(["ID", "Refresh", "Offline", "Logout"]);
/** Claims of ID tokens (OpenID Connect Core, 3.3.2.11). */
const OF_ID_TOKENS = ["at_hash", "c_hash"] as const;
/** What a header could be obeyed in, and never is. */
const DISOBEYED = ["jku", "jwk", "x5u", "x5c", "crit", "b64", "zip"] as const;

interface Trusted {
  readonly issuer: Issuer;
  readonly keys: IssuerKeys;
}

/**
 * Verifies tokens of configured issuers. Nothing is asked for a token before its `iss` is known to
 * be one of theirs, nothing but that issuer's own keys, and so often at most as `IssuerKeys` says.
 */
export class IssuerTokens implements ForeignTokens {
  readonly #clock: Clock;
  readonly #trusted: ReadonlyMap<string, Trusted>;

  constructor(issuers: readonly Issuer[], parts: IssuerKeysParts) {
    this.#clock = parts.clock;
    this.#trusted = new Map(
      issuers.map((issuer) => [issuer.issuer, { issuer, keys: new IssuerKeys(issuer, parts) }]),
    );
  }

  async verify(token: string): Promise<ForeignIdentity | undefined> {
    const found = await this.#proven(token, TYPES, ({ audiences }) => audiences);
    if (found === undefined) return undefined;
    const { issuer, claims } = found;
    if (NOT_FOR_ACCESS.has(claims["typ"])) return undefined;
    if (OF_ID_TOKENS.some((name) => name in claims)) return undefined;
    return identityOf(issuer, claims);
  }

  /**
   * What an ID token proves to the client that asked for it (OpenID Connect Core, 3.1.3.7).
   *
   * @param name of the issuer. @param nonce that it was asked for with.
   */
  async verifyIdToken(
    token: string,
    { name, clientId, nonce }: IdTokenFor,
  ): Promise<ForeignIdentity | undefined> {
    const found = await this.#proven(token, ID_TYPES, () => [clientId]);
    if (found === undefined || found.issuer.name !== name) return undefined;
    const { issuer, claims } = found;
    if (claims["nonce"] !== nonce || !isFor(claims, clientId)) return undefined;
    const type = claims["typ"];
    return type === undefined || type === "ID" ? identityOf(issuer, claims) : undefined;
  }

  /** Claims that one of the issuers has signed. */
  async #proven(
    token: string,
    types: ReadonlySet<unknown>,
    audiencesOf: (issuer: Issuer) => readonly string[],
  ): Promise<{ readonly issuer: Issuer; readonly claims: JWTPayload } | undefined> {
    if (token.length > TOKEN_CHARS) return undefined;
    const [head = "", body = "", , ...more] = token.split(".");
    if (more.length > 0) return undefined;
    const trusted = this.#trusted.get(String(jsonIn(body)?.["iss"]));
    const header = trusted && jsonIn(head);
    if (trusted === undefined || header === undefined) return undefined;
    const { issuer, keys } = trusted;
    const { alg, kid, typ } = header as { alg?: unknown; kid?: unknown; typ?: unknown };
    if (!issuer.algorithms.includes(alg as Signature) || typeof kid !== "string") return undefined;
    if (!types.has(typeof typ === "string" ? typ.toLowerCase() : typ)) return undefined;
    if (DISOBEYED.some((name) => name in header)) return undefined;
    const key = await keys.find(kid, alg as Signature);
    if (key === undefined) return undefined;
    const audience = audiencesOf(issuer);
    const claims = await this.#claimsOf(token, issuer, audience, key, alg as Signature);
    return claims && { issuer, claims };
  }

  async #claimsOf(
    token: string,
    { issuer }: Issuer,
    audience: readonly string[],
    key: CryptoKey,
    alg: Signature,
  ): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [alg],
        issuer,
        audience: [...audience],
        clockTolerance: SKEW_S,
        currentDate: new Date(this.#clock.nowMs()),
        requiredClaims: ["iss", "sub", "aud", "exp"],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
      throw error;
    }
  }
}

/** Whom an ID token is for. */
export interface IdTokenFor {
  readonly name: string;
  readonly clientId: string;
  readonly nonce: string;
}

/** Of several audiences, the one that asked is named. */
function isFor({ aud, azp }: JWTPayload, clientId: string): boolean {
  const isOne = !Array.isArray(aud) || aud.length === 1;
  return azp === undefined ? isOne : azp === clientId;
}

type Json = Readonly<Record<string, unknown>>;

function jsonIn(part: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

function identityOf(issuer: Issuer, claims: JWTPayload): ForeignIdentity | undefined {
  const subject = claims[issuer.subjectClaim];
  const account = accountOf(issuer, claims);
  if (typeof subject !== "string" || !SUBJECT.test(subject) || account === undefined) {
    return undefined;
  }
  return {
    account,
    issuer: issuer.name,
    name: `${issuer.name}/${subject}`,
    claimed: rolesIn(issuer, claims).map((role) => `${issuer.name}:${role}`),
    expiresAtMs: (claims.exp ?? 0) * 1_000,
  };
}

function accountOf({ account, accountClaim, accounts }: Issuer, claims: JWTPayload) {
  if (accountClaim === undefined) return account;
  const value = claimAt(claims, accountClaim);
  return typeof value === "string" ? accounts.get(value) : undefined;
}

/** What is not the name of a role names none. */
function rolesIn({ rolesClaim }: Issuer, claims: JWTPayload): readonly string[] {
  const value = rolesClaim === undefined ? [] : claimAt(claims, rolesClaim);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const roles = list.filter((role) => typeof role === "string" && ROLE.test(role));
  return [...new Set(roles as readonly string[])].slice(0, ROLES);
}

/** A claim of this very name, else within objects, as in Keycloak's `realm_access.roles`. */
function claimAt(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    if (!isObject) return undefined;
    value = (value as Json)[name];
  }
  return value;
}
